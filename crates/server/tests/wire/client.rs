//! A client that knows nothing but the published protocol, and believes nothing unchecked.
//!
//! It keeps the view by patching it, and panics as soon as a frame is not what the protocol promises: versions have no
//! gap and no repeat, hashes fit, every frame reads as a [`ServerFrame`], is nothing more than that, and is what the
//! AsyncAPI document of its server says.

use std::sync::OnceLock;
use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use intermezzo_protocol::{Problem, ServerFrame, text_hash};
use jsonschema::Validator;
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::CloseFrame;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};

use super::patching;
use super::world::World;

/// Frames that are awaited come within this time.
const PATIENCE: Duration = Duration::from_secs(10);

/// What the server says about the frames it sends.
static PUBLISHED: OnceLock<Validator> = OnceLock::new();

type Socket = WebSocketStream<MaybeTlsStream<TcpStream>>;

/// What comes over a socket.
#[derive(Debug)]
pub(crate) enum Heard {
    Frame(Box<ServerFrame>),
    Closed(Option<CloseFrame>),
}

/// A client, and the match as it knows it.
pub(crate) struct Client {
    socket: Socket,
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
    /// Every event it was told of, in order.
    pub(crate) events: Vec<Value>,
    pub(crate) notices: Vec<Value>,
    /// Every text it was sent, in order.
    pub(crate) texts: Vec<String>,
    /// What the welcome said the view will hash to, at that version.
    promised: Option<(u64, String)>,
    /// What has happened, as long as the change of the view that goes with it has not come.
    held: Option<Value>,
    commands: u32,
}

impl Client {
    /// Connects, and says nothing yet.
    pub(crate) async fn connect(world: &World) -> Client {
        if PUBLISHED.get().is_none() {
            // Another client may have been quicker.
            let _ = PUBLISHED.set(published(&world.get("/asyncapi.json", None).await.body));
        }
        Client::over(open(&format!("ws://{}/ws", world.address)).await)
    }

    fn over(socket: Socket) -> Client {
        Client {
            socket,
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
            promised: None,
            held: None,
            commands: 0,
        }
    }

    /// Connects and follows a match from the account's first seat.
    pub(crate) async fn join(world: &World, token: &str, match_id: &str) -> Client {
        Client::join_as(world, json!({"token": token, "match": match_id})).await
    }

    /// Connects and says hello with these words.
    pub(crate) async fn join_as(world: &World, hello: Value) -> Client {
        let mut client = Client::connect(world).await;
        client.hello(hello).await.unwrap();
        client
    }

    /// Says hello, and waits until the match is known.
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
                ServerFrame::PriorityChanged { .. } if is_welcome => return Ok(()),
                _ => {}
            }
            if is_welcome && !has_match {
                return Ok(());
            }
        }
    }

    /// Drops the connection and comes back with what it knows.
    pub(crate) async fn reconnect(&mut self, world: &World) {
        self.lose().await;
        self.return_to(world).await;
    }

    /// Drops the connection without a word.
    pub(crate) async fn lose(&mut self) {
        if let MaybeTlsStream::Plain(stream) = self.socket.get_mut() {
            let _ = stream.shutdown().await;
        }
    }

    /// Connects again and asks for what was missed.
    pub(crate) async fn return_to(&mut self, world: &World) {
        self.socket = open(&format!("ws://{}/ws", world.address)).await;
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
        // Whether it arrives is told by what comes back.
        let _ = self.socket.send(Message::text(text.into())).await;
    }

    pub(crate) async fn send_message(&mut self, message: Message) {
        let _ = self.socket.send(message).await;
    }

    /// The next frame, checked and taken in.
    pub(crate) async fn next(&mut self) -> ServerFrame {
        match self.hear().await {
            Heard::Frame(frame) => *frame,
            Heard::Closed(why) => panic!("the server has ended the connection: {why:?}"),
        }
    }

    /// The next frame, or the end of the connection.
    pub(crate) async fn hear(&mut self) -> Heard {
        let hearing = tokio::time::timeout(PATIENCE, self.hear_at_last()).await;
        hearing.expect("a frame comes in time")
    }

    async fn hear_at_last(&mut self) -> Heard {
        loop {
            match self.socket.next().await {
                Some(Ok(Message::Text(text))) => return Heard::Frame(Box::new(self.take_in(text.as_str()))),
                Some(Ok(Message::Close(why))) => return Heard::Closed(why),
                Some(Ok(Message::Ping(_) | Message::Pong(_))) => {}
                Some(Ok(other)) => panic!("that is no text: {other:?}"),
                Some(Err(_)) | None => return Heard::Closed(None),
            }
        }
    }

    /// The next frame, if one comes within so many milliseconds.
    pub(crate) async fn next_within(&mut self, ms: u64) -> Option<ServerFrame> {
        tokio::time::timeout(Duration::from_millis(ms), self.next()).await.ok()
    }

    /// Waits until a match is found; its id.
    pub(crate) async fn found(&mut self) -> String {
        loop {
            if let ServerFrame::MatchFound { match_id, .. } = self.next().await {
                return match_id;
            }
        }
    }

    /// Waits until the connection ends; why, if that is said.
    pub(crate) async fn until_closed(&mut self) -> Option<(u16, String)> {
        loop {
            if let Heard::Closed(why) = self.hear().await {
                return why.map(|why| (why.code.into(), why.reason.to_string()));
            }
        }
    }

    /// Takes frames in until that is so.
    pub(crate) async fn until(&mut self, is_so: impl Fn(&Client) -> bool) {
        while !is_so(self) {
            self.next().await;
        }
    }

    /// Sends a command and waits for what becomes of it; what it asked for comes back.
    pub(crate) async fn command(&mut self, frame: Value) -> Result<Value, Problem> {
        self.commands += 1;
        let id = format!("command-{}", self.commands);
        self.command_called(&id, frame).await.map(|(_, result)| result)
    }

    /// The same under that id; the version it led to comes along.
    pub(crate) async fn command_called(
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

    /// Waits until everything that is on its way has come.
    pub(crate) async fn settle(&mut self) {
        self.command(json!({"type": "actions.get"})).await.unwrap();
    }

    pub(crate) async fn control(&mut self, control: Value) -> Result<(), Problem> {
        self.command(json!({"type": "system.control", "control": control})).await.map(drop)
    }

    /// The number of the first question that is open.
    pub(crate) fn asked(&self) -> Option<u64> {
        self.prompts.first().and_then(|prompt| prompt["inputId"].as_u64())
    }

    pub(crate) fn is_over(&self) -> bool {
        self.view.get("ending").is_some_and(|ending| !ending.is_null())
    }

    /// Reads a frame, checks it and brings what is known up to date.
    fn take_in(&mut self, text: &str) -> ServerFrame {
        let raw: Value = serde_json::from_str(text).expect("frames are JSON");
        let frame: ServerFrame = serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"));
        let again = serde_json::to_value(&frame).unwrap();
        assert_eq!(again, raw, "a frame says nothing that is not published");
        let published = PUBLISHED.get().expect("the document was read when the client connected");
        let wrong: Vec<String> = published.iter_errors(&raw).map(|error| error.to_string()).collect();
        assert!(wrong.is_empty(), "not what the document says: {wrong:?}: {text}");
        self.texts.push(text.to_owned());
        match &frame {
            ServerFrame::Welcome { following: Some(_), .. } => self.begin(&raw["match"]),
            ServerFrame::EventAppended { match_id, version, changes_view, .. } => {
                self.check_match(match_id);
                assert_eq!(*version, self.version + 1, "versions have no gap and no repeat");
                assert_eq!(self.held, None, "a view that changes has changed before anything else happens");
                self.check_promise();
                match changes_view {
                    true => self.held = Some(raw),
                    false => self.step(&raw),
                }
            }
            ServerFrame::StateDelta { match_id, version, patch, hash } => {
                self.check_match(match_id);
                assert_eq!(*version, self.version + 1, "a view changes with what has happened");
                let held = self.held.take().expect("that a view changes is told before");
                self.step(&held);
                patching::apply(patch, &mut self.view);
                assert_eq!(text_hash(&self.view.to_string()), *hash, "the patched view is the server's");
            }
            ServerFrame::PendingInput { match_id, version, prompts, auto, paused, .. } => {
                self.is_paused = *paused;
                self.check_match(match_id);
                assert_eq!(*version, self.version, "questions belong to the version that is known");
                self.check_promise();
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

    /// A welcome to a match: with the whole view, or with the promise of what was missed.
    fn begin(&mut self, following: &Value) {
        let version = following["version"].as_u64().unwrap();
        let hash = following["hash"].as_str().unwrap().to_owned();
        self.held = None;
        self.match_id = following["id"].as_str().map(str::to_owned);
        self.seat = following["seat"].as_u64().map(|seat| seat as u8);
        if let Some(view) = following.get("view") {
            self.view = view.clone();
            self.version = version;
        }
        self.promised = Some((version, hash));
    }

    /// One step of the match is complete.
    fn step(&mut self, appended: &Value) {
        self.version = appended["version"].as_u64().unwrap();
        let list = |name: &str| appended.get(name).and_then(Value::as_array).cloned().unwrap_or_default();
        for event in list("events") {
            let number = event["n"].as_u64().unwrap();
            let cause = event["cause"].as_u64();
            assert!(
                cause.is_none_or(|cause| cause < number),
                "it follows from what was told before: {event}"
            );
            self.events.push(event);
        }
        self.notices.extend(list("notices"));
    }

    /// What was missed leads to what was promised.
    fn check_promise(&mut self) {
        let is_due = |promised: &(u64, String)| promised.0 == self.version;
        if let Some((_, hash)) = self.promised.take_if(|promised| is_due(promised)) {
            assert_eq!(text_hash(&self.view.to_string()), hash, "what was missed leads to what is");
        }
    }

    fn check_match(&self, match_id: &str) {
        assert_eq!(Some(match_id), self.match_id.as_deref(), "only what was asked for is followed");
    }
}

/// What tells whether a frame is one the document of the server tells of.
fn published(document: &Value) -> Validator {
    let frame = "/components/messages/fromServer/payload";
    assert!(document.pointer(frame).is_some(), "{document}");
    let schema = json!({"$ref": format!("#{frame}"), "components": document["components"]});
    jsonschema::validator_for(&schema).unwrap()
}

async fn open(url: &str) -> Socket {
    connect_async(url).await.unwrap().0
}
