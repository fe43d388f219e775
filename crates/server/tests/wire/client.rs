//! A WebSocket client that checks everything the protocol promises.
//!
//! It patches its copy of the view and panics on the first frame that violates the protocol: versions have no gaps or
//! repeats, hashes match, and every frame round-trips through [`ServerFrame`] and matches the server's AsyncAPI
//! document.

use std::net::SocketAddr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use intermezzo_protocol::{Problem, ServerFrame, ViewHash, WireVersion, json as wire_json, text_hash};
use jsonschema::Validator;
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::http::HeaderValue;
use tokio_tungstenite::tungstenite::protocol::CloseFrame;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};

use super::fixture::WireFixture;
use super::patch;

/// Maximum time to wait for a frame.
const PATIENCE: Duration = Duration::from_secs(10);

/// Validates frames against the server's AsyncAPI document.
static FRAME_VALIDATOR: OnceLock<Validator> = OnceLock::new();

type WsStream = WebSocketStream<MaybeTlsStream<TcpStream>>;

/// A message from the socket.
#[derive(Debug)]
pub(crate) enum SocketMessage {
    Frame(Box<ServerFrame>),
    Closed(Option<CloseFrame>),
}

/// A client with its copy of the match.
pub(crate) struct WsClient {
    socket: WsStream,
    /// The version of the frames. Clients take turns, so that every story has both.
    wire: WireVersion,
    pub(crate) token: Option<String>,
    pub(crate) match_id: Option<String>,
    pub(crate) seat: Option<u8>,
    pub(crate) view: Value,
    pub(crate) version: u64,
    pub(crate) prompts: Vec<Value>,
    pub(crate) others: Vec<Value>,
    pub(crate) auto: Option<Value>,
    pub(crate) banks: Value,
    pub(crate) is_paused: bool,
    pub(crate) connected: Vec<u8>,
    /// All received events, in order.
    pub(crate) events: Vec<Value>,
    pub(crate) notices: Vec<Value>,
    /// All received texts, in order.
    pub(crate) texts: Vec<String>,
    /// Version and view hash announced by the welcome frame.
    expected_hash: Option<(u64, String)>,
    /// The last `event.appended` frame, until its `state.delta` arrives.
    pending_step: Option<Value>,
    commands: u32,
}

impl WsClient {
    /// Connects without sending anything.
    pub(crate) async fn connect(fixture: &WireFixture) -> WsClient {
        if FRAME_VALIDATOR.get().is_none() {
            // Another client may have set it first.
            let _ = FRAME_VALIDATOR.set(frame_validator(&fixture.get("/asyncapi.json", None).await.body));
        }
        static CONNECTED: AtomicUsize = AtomicUsize::new(0);
        let wire = WireVersion::ALL[CONNECTED.fetch_add(1, Ordering::Relaxed) % 2];
        WsClient::from_socket(open(&format!("ws://{}/ws", fixture.address), wire).await, wire)
    }

    fn from_socket(socket: WsStream, wire: WireVersion) -> WsClient {
        WsClient {
            socket,
            wire,
            token: None,
            match_id: None,
            seat: None,
            view: Value::Null,
            version: 0,
            prompts: Vec::new(),
            others: Vec::new(),
            auto: None,
            banks: Value::Null,
            is_paused: false,
            connected: Vec::new(),
            events: Vec::new(),
            notices: Vec::new(),
            texts: Vec::new(),
            expected_hash: None,
            pending_step: None,
            commands: 0,
        }
    }

    /// Connects and follows a match from the account's first seat.
    pub(crate) async fn join(fixture: &WireFixture, token: &str, match_id: &str) -> WsClient {
        WsClient::join_as(fixture, json!({"token": token, "match": match_id})).await
    }

    /// Connects and sends `hello` with these fields.
    pub(crate) async fn join_as(fixture: &WireFixture, hello: Value) -> WsClient {
        let mut client = WsClient::connect(fixture).await;
        client.hello(hello).await.unwrap();
        client
    }

    /// Sends `hello` and waits until the match state has arrived.
    pub(crate) async fn hello(&mut self, mut hello: Value) -> Result<(), Problem> {
        self.token = hello["token"].as_str().map(str::to_owned).or(self.token.take());
        let has_match = hello.get("match").is_some();
        hello["type"] = json!("hello");
        self.send(&hello).await;
        let mut is_welcome = false;
        loop {
            match self.next().await {
                ServerFrame::Welcome { .. } => is_welcome = true,
                ServerFrame::Error { problem, .. } => return Err(problem),
                ServerFrame::PendingInput { others: Some(_), .. } | ServerFrame::PriorityChanged { .. }
                    if is_welcome =>
                {
                    return Ok(());
                }
                _ => {}
            }
            if is_welcome && !has_match {
                return Ok(());
            }
        }
    }

    /// Drops the connection and reconnects with the current version.
    pub(crate) async fn reconnect(&mut self, fixture: &WireFixture) {
        self.drop_connection().await;
        self.reconnect_to(fixture).await;
    }

    /// Drops the connection without a close frame.
    pub(crate) async fn drop_connection(&mut self) {
        if let MaybeTlsStream::Plain(stream) = self.socket.get_mut() {
            let _ = stream.shutdown().await;
        }
    }

    /// Connects again and requests the missed updates.
    pub(crate) async fn reconnect_to(&mut self, fixture: &WireFixture) {
        self.reconnect_at(fixture.address).await;
    }

    /// Does the same with the server at this address.
    pub(crate) async fn reconnect_at(&mut self, address: SocketAddr) {
        self.socket = open(&format!("ws://{address}/ws"), self.wire).await;
        let mut hello = json!({"match": self.match_id, "since": self.version});
        if let Some(token) = &self.token {
            hello["token"] = json!(token);
        }
        if let Some(seat) = self.seat {
            hello["seat"] = json!(seat);
        }
        self.hello(hello).await.unwrap();
    }

    pub(crate) async fn send(&mut self, frame: &Value) {
        self.send_text(frame.to_string()).await;
    }

    pub(crate) async fn send_text(&mut self, text: impl Into<String>) {
        // If it is lost, the missing response fails the test.
        let _ = self.socket.send(Message::text(text.into())).await;
    }

    pub(crate) async fn send_message(&mut self, message: Message) {
        let _ = self.socket.send(message).await;
    }

    /// Receives, checks and applies the next frame.
    pub(crate) async fn next(&mut self) -> ServerFrame {
        match self.receive().await {
            SocketMessage::Frame(frame) => *frame,
            SocketMessage::Closed(why) => panic!("the server closed the connection: {why:?}"),
        }
    }

    /// Receives the next frame, or the end of the connection.
    pub(crate) async fn receive(&mut self) -> SocketMessage {
        let hearing = tokio::time::timeout(PATIENCE, self.receive_untimed()).await;
        hearing.expect("no frame in time")
    }

    async fn receive_untimed(&mut self) -> SocketMessage {
        loop {
            match self.socket.next().await {
                Some(Ok(Message::Text(text))) => {
                    return SocketMessage::Frame(Box::new(self.apply_frame(text.as_str())));
                }
                Some(Ok(Message::Close(why))) => return SocketMessage::Closed(why),
                Some(Ok(Message::Ping(_) | Message::Pong(_))) => {}
                Some(Ok(other)) => panic!("not a text message: {other:?}"),
                Some(Err(_)) | None => return SocketMessage::Closed(None),
            }
        }
    }

    /// Receives the next frame, if one arrives within `ms` milliseconds.
    pub(crate) async fn next_within(&mut self, ms: u64) -> Option<ServerFrame> {
        tokio::time::timeout(Duration::from_millis(ms), self.next()).await.ok()
    }

    /// Waits for a `match.found` frame; returns the match id.
    pub(crate) async fn wait_for_match(&mut self) -> String {
        loop {
            if let ServerFrame::MatchFound { match_id, .. } = self.next().await {
                return match_id;
            }
        }
    }

    /// Waits for the end of the connection; returns the close code and reason, if sent.
    pub(crate) async fn wait_for_close(&mut self) -> Option<(u16, String)> {
        loop {
            if let SocketMessage::Closed(why) = self.receive().await {
                return why.map(|why| (why.code.into(), why.reason.to_string()));
            }
        }
    }

    /// Receives frames until the condition holds.
    pub(crate) async fn wait_until(&mut self, is_so: impl Fn(&WsClient) -> bool) {
        while !is_so(self) {
            self.next().await;
        }
    }

    /// Sends a command and waits for its result.
    pub(crate) async fn command(&mut self, frame: Value) -> Result<Value, Problem> {
        self.commands += 1;
        let id = format!("command-{}", self.commands);
        self.command_with_id(&id, frame).await.map(|(_, result)| result)
    }

    /// Sends a command with an id; returns the version and the result.
    pub(crate) async fn command_with_id(
        &mut self,
        id: &str,
        mut frame: Value,
    ) -> Result<(u64, Value), Problem> {
        frame["commandId"] = json!(id);
        self.send(&frame).await;
        loop {
            match self.next().await {
                ServerFrame::Ack { command_id, version, result } if command_id == id => {
                    return Ok((version, result.unwrap_or_default()));
                }
                ServerFrame::Error { command_id, problem } if command_id.as_deref() == Some(id) => {
                    return Err(problem);
                }
                _ => {}
            }
        }
    }

    /// Answers a question.
    pub(crate) async fn answer(&mut self, input_id: u64, answers: Value) -> Result<(), Problem> {
        let frame = json!({"type": "input.submit", "inputId": input_id, "answers": answers});
        self.command(frame).await.map(drop)
    }

    /// Sends a draft of an answer.
    pub(crate) async fn draft(&mut self, input_id: u64, answers: Value) -> Result<(), Problem> {
        let frame = json!({"type": "input.draft", "inputId": input_id, "answers": answers});
        self.command(frame).await.map(drop)
    }

    /// Waits until all frames sent up to now have arrived.
    pub(crate) async fn sync(&mut self) {
        self.command(json!({"type": "actions.get"})).await.unwrap();
    }

    pub(crate) async fn control(&mut self, control: Value) -> Result<(), Problem> {
        self.command(json!({"type": "system.control", "control": control})).await.map(drop)
    }

    /// Returns the id of the first open question.
    pub(crate) fn open_question(&self) -> Option<u64> {
        self.prompts.first().and_then(|prompt| prompt["inputId"].as_u64())
    }

    pub(crate) fn is_over(&self) -> bool {
        self.view.get("ending").is_some_and(|ending| !ending.is_null())
    }

    /// Parses and checks a frame, and applies it to the client's state.
    fn apply_frame(&mut self, text: &str) -> ServerFrame {
        let raw: Value = serde_json::from_str(text).expect("frame is not JSON");
        let frame: ServerFrame = serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"));
        let again = serde_json::to_value(&frame).unwrap();
        assert_eq!(again, raw, "a frame must not have unpublished fields");
        let published = FRAME_VALIDATOR.get().expect("set when the client connects");
        let wrong: Vec<String> = published.iter_errors(&raw).map(|error| error.to_string()).collect();
        assert!(wrong.is_empty(), "frame does not match the AsyncAPI document: {wrong:?}: {text}");
        self.texts.push(text.to_owned());
        match &frame {
            ServerFrame::Welcome { following: Some(_), .. } => self.apply_welcome(&raw["match"]),
            ServerFrame::Update { match_id, version, patch, hash, prompts, others, auto, paused, .. } => {
                assert_eq!(self.wire, WireVersion::V2);
                self.check_match(match_id);
                assert_eq!(*version, self.version + 1, "versions must have no gaps or repeats");
                self.check_expected_hash();
                self.apply_step(&raw);
                assert_eq!(patch.is_some(), hash.is_some(), "patch and hash go together");
                if let (Some(patch), Some(hash)) = (patch, hash) {
                    patch::apply(patch, &mut self.view);
                    assert_eq!(self.view_hash(), *hash, "hash of the patched view");
                }
                assert_eq!(prompts.is_some(), others.is_some(), "prompts and others go together");
                if let (Some(prompts), Some(others)) = (prompts, others) {
                    self.is_paused = *paused;
                    self.prompts.clone_from(prompts);
                    self.others.clone_from(others);
                    self.auto.clone_from(auto);
                    self.banks = raw.get("banks").cloned().unwrap_or_default();
                }
            }
            ServerFrame::EventAppended { match_id, version, changes_view, .. } => {
                assert_eq!(self.wire, WireVersion::V1);
                self.check_match(match_id);
                assert_eq!(*version, self.version + 1, "versions must have no gaps or repeats");
                assert_eq!(self.pending_step, None, "a state.delta must arrive before the next step");
                self.check_expected_hash();
                match changes_view {
                    true => self.pending_step = Some(raw),
                    false => self.apply_step(&raw),
                }
            }
            ServerFrame::StateDelta { match_id, version, patch, hash } => {
                self.check_match(match_id);
                assert_eq!(*version, self.version + 1, "a state.delta must belong to the next version");
                let held = self.pending_step.take().expect("a state.delta must follow its event.appended");
                self.apply_step(&held);
                patch::apply(patch, &mut self.view);
                assert_eq!(self.view_hash(), *hash, "hash of the patched view");
            }
            ServerFrame::PendingInput { match_id, version, prompts, others, auto, paused, .. } => {
                assert_eq!(others.is_some(), self.wire == WireVersion::V2);
                others.iter().for_each(|others| self.others.clone_from(others));
                self.is_paused = *paused;
                self.check_match(match_id);
                assert_eq!(*version, self.version, "questions must belong to the current version");
                self.check_expected_hash();
                self.prompts.clone_from(prompts);
                self.auto.clone_from(auto);
                self.banks = raw.get("banks").cloned().unwrap_or_default();
            }
            ServerFrame::PriorityChanged { match_id, version, others } => {
                self.check_match(match_id);
                assert_eq!(*version, self.version);
                self.others.clone_from(others);
            }
            ServerFrame::Presence { match_id, connected } => {
                self.check_match(match_id);
                self.connected.clone_from(connected);
            }
            ServerFrame::Welcome { .. }
            | ServerFrame::Ack { .. }
            | ServerFrame::Error { .. }
            | ServerFrame::MatchFound { .. } => {}
        }
        frame
    }

    /// Applies a welcome frame: it has the whole view, or the missed updates follow.
    fn apply_welcome(&mut self, following: &Value) {
        let version = following["version"].as_u64().unwrap();
        let hash = following["hash"].as_str().unwrap().to_owned();
        self.pending_step = None;
        self.match_id = following["id"].as_str().map(str::to_owned);
        self.seat = following["seat"].as_u64().map(|seat| seat as u8);
        if let Some(view) = following.get("view") {
            self.view = view.clone();
            self.version = version;
        }
        self.expected_hash = Some((version, hash));
    }

    /// Applies a complete step.
    fn apply_step(&mut self, appended: &Value) {
        self.version = appended["version"].as_u64().unwrap();
        let list = |name: &str| appended.get(name).and_then(Value::as_array).cloned().unwrap_or_default();
        for event in list("events") {
            let number = event["n"].as_u64().unwrap();
            let cause = event["cause"].as_u64();
            assert!(cause.is_none_or(|cause| cause < number), "a cause must precede its event: {event}");
            self.events.push(event);
        }
        self.notices.extend(list("notices"));
    }

    /// Checks that the missed updates led to the announced view.
    fn check_expected_hash(&mut self) {
        let is_due = |promised: &(u64, String)| promised.0 == self.version;
        if let Some((_, hash)) = self.expected_hash.take_if(|promised| is_due(promised)) {
            assert_eq!(self.view_hash(), hash, "hash of the view after the missed updates");
        }
    }

    /// Returns the hash of the client's copy of the view.
    fn view_hash(&self) -> String {
        let text = self.view.to_string();
        match self.wire {
            WireVersion::V1 => text_hash(&text),
            WireVersion::V2 => {
                let view = wire_json::read_with_limits(text.as_bytes(), usize::MAX, wire_json::MAX_DEPTH);
                ViewHash::of(&view.expect("the view is JSON")).to_hex()
            }
        }
    }

    fn check_match(&self, match_id: &str) {
        assert_eq!(Some(match_id), self.match_id.as_deref(), "frame of another match");
    }
}

/// Returns a validator for server frames from the AsyncAPI document.
fn frame_validator(document: &Value) -> Validator {
    let frame = "/components/messages/fromServer/payload";
    assert!(document.pointer(frame).is_some(), "{document}");
    let schema = json!({"$ref": format!("#{frame}"), "components": document["components"]});
    jsonschema::validator_for(&schema).unwrap()
}

async fn open(url: &str, wire: WireVersion) -> WsStream {
    let mut request = url.into_client_request().unwrap();
    request.headers_mut().insert("sec-websocket-protocol", HeaderValue::from_static(wire.subprotocol()));
    connect_async(request).await.unwrap().0
}
