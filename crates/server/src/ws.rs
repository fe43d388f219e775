//! WebSocket connections: frames in, frames out. Start with [`connect`].

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::extract::ws::{CloseFrame, Message, Utf8Bytes, WebSocket, WebSocketUpgrade};
use axum::extract::{ConnectInfo, State};
use axum::http::HeaderMap;
use axum::response::{IntoResponse, Response};
use futures_util::stream::{SplitSink, SplitStream};
use futures_util::{SinkExt, StreamExt};
use governor::DefaultDirectRateLimiter;
use intermezzo_engine::Viewer;
use intermezzo_protocol::resources::{JoinQueue, MatchStatus, Object};
use intermezzo_protocol::{ClientFrame, Code, Limits, Problem, SUBPROTOCOL, is_too_deep};
use intermezzo_store::MatchId;
use serde_json::{Value, json};

use crate::app::{App, account_number};
use crate::house::{Account, Caller, MatchRecord};
use crate::outbox::{Farewell, Inbox, Outbox};
use crate::room::{Ask, Command, Follower, Look, Reply, Wish, datum};
use crate::{delayed, http, wire};

/// The version of the protocol that is spoken here.
const PROTOCOL: u32 = 1;
/// Quiet connections are asked so often whether they are still there.
const PING_EVERY: Duration = Duration::from_secs(20);
/// A connection that has not been heard of for so long is gone.
const GONE_AFTER: Duration = Duration::from_secs(60);
/// Small buffers: most frames are short, and there are many connections.
const BUFFER_BYTES: usize = 4 * 1024;
/// So many frames that cannot be read end a connection.
const MAX_UNCLEAR: u32 = 20;
/// The longest command id.
const MAX_COMMAND_ID: usize = 100;

/// `GET /ws`.
pub(crate) async fn connect(
    State(app): State<Arc<App>>,
    ConnectInfo(address): ConnectInfo<SocketAddr>,
    headers: HeaderMap,
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
) -> Response {
    let address = http::address(&app, address, &headers);
    match prepare(&app, address, &headers, upgrade) {
        Ok((upgrade, place)) => upgrade.protocols([SUBPROTOCOL]).on_upgrade(move |socket| async move {
            let (outbox, inbox) = Outbox::new();
            let connection = Connection::new(&app, outbox);
            let hello_within = Duration::from_millis(app.config.limits.hello_ms);
            run(socket, inbox, connection, hello_within).await;
            drop(place);
        }),
        Err(problem) => http::refused(&problem).into_response(),
    }
}

/// Everything that is looked at before a connection is made.
pub(crate) fn prepare(
    app: &Arc<App>,
    address: IpAddr,
    headers: &HeaderMap,
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
) -> Result<(WebSocketUpgrade, crate::throttle::Place), Problem> {
    if app.hub.is_draining() {
        return Err(Problem::new(Code::Draining, "the server is about to stop"));
    }
    http::check_origin(app, headers)?;
    app.throttle.address(address)?;
    let upgrade = upgrade.map_err(|rejection| Problem::new(Code::Malformed, rejection.body_text()))?;
    let place = app.throttle.place(address)?;
    let limits = &app.config.limits;
    let upgrade = upgrade
        .read_buffer_size(BUFFER_BYTES)
        .write_buffer_size(BUFFER_BYTES)
        .max_write_buffer_size(1024 * 1024)
        .max_message_size(limits.message_bytes)
        .max_frame_size(limits.message_bytes);
    Ok((upgrade, place))
}

/// Someone at the other end of a socket.
pub(crate) trait Talker: Send {
    /// A text has come. False if it cannot be read.
    fn heard(&mut self, text: &Utf8Bytes) -> impl Future<Output = bool> + Send;
    /// What cannot be read is answered with this.
    fn unclear(&mut self, problem: &Problem);
    /// Whether it has been said who this is.
    fn is_known(&self) -> bool;
    /// The way back.
    fn outbox(&self) -> &Outbox;
    /// The connection is no more.
    fn gone(self) -> impl Future<Output = ()> + Send;
}

/// Carries texts to and fro until one side has enough.
pub(crate) async fn run(
    socket: WebSocket,
    mut inbox: Inbox,
    mut talker: impl Talker,
    hello_within: Duration,
) {
    let (mut sink, mut stream) = socket.split();
    let no_hello = tokio::time::sleep(hello_within);
    tokio::pin!(no_hello);
    let mut last_heard = Instant::now();
    let mut ping = tokio::time::interval(PING_EVERY);
    ping.reset();
    let mut unclear = 0;
    loop {
        tokio::select! {
            _ = inbox.farewell.changed() => break,
            Some(frame) = inbox.frames.recv() => {
                if !write(&mut sink, frame, &mut inbox).await {
                    break;
                }
            }
            message = stream.next() => {
                last_heard = Instant::now();
                match message {
                    Some(Ok(Message::Text(text))) => unclear += u32::from(!talker.heard(&text).await),
                    Some(Ok(Message::Binary(_))) => {
                        talker.unclear(&Problem::new(Code::Malformed, "frames are texts with one JSON object"));
                        unclear += 1;
                    }
                    Some(Ok(Message::Ping(_) | Message::Pong(_))) => {}
                    Some(Ok(Message::Close(_))) | None => break,
                    Some(Err(error)) => {
                        tracing::debug!(%error, "a connection has failed");
                        talker.outbox().end(Farewell::Broken);
                        break;
                    }
                }
                if unclear >= MAX_UNCLEAR {
                    talker.outbox().end(Farewell::Unclear);
                }
            }
            () = &mut no_hello, if !talker.is_known() => talker.outbox().end(Farewell::NoHello),
            _ = ping.tick() => {
                if last_heard.elapsed() > GONE_AFTER {
                    break;
                }
                if sink.send(Message::Ping(axum::body::Bytes::new())).await.is_err() {
                    break;
                }
            }
        }
    }
    let farewell = *inbox.farewell.borrow();
    // Whoever would still send something sees that nobody is there.
    inbox.frames.close();
    talker.gone().await;
    take_leave(sink, stream, farewell).await;
}

/// Writes all that waits, at once. False if the connection is no good any more.
async fn write(sink: &mut SplitSink<WebSocket, Message>, first: Utf8Bytes, inbox: &mut Inbox) -> bool {
    let Inbox { frames, farewell } = inbox;
    let writing = async {
        sink.feed(Message::Text(first)).await?;
        while let Ok(frame) = frames.try_recv() {
            sink.feed(Message::Text(frame)).await?;
        }
        sink.flush().await
    };
    tokio::select! {
        written = writing => written.is_ok(),
        () = tokio::time::sleep(GONE_AFTER) => false,
        // Who does not read would hold this up for ever.
        _ = farewell.changed() => false,
    }
}

async fn take_leave(
    mut sink: SplitSink<WebSocket, Message>,
    mut stream: SplitStream<WebSocket>,
    farewell: Option<Farewell>,
) {
    let Some(farewell) = farewell else { return };
    let (code, reason) = farewell.words();
    let close = Message::Close(Some(CloseFrame { code, reason: Utf8Bytes::from_static(reason) }));
    let polite = async {
        if sink.send(close).await.is_ok() {
            while let Some(Ok(_)) = stream.next().await {}
        }
    };
    let _ = tokio::time::timeout(Duration::from_secs(2), polite).await;
}

/// A connection that speaks our frames.
pub(crate) struct Connection {
    app: Arc<App>,
    outbox: Outbox,
    throttle: DefaultDirectRateLimiter,
    account: Option<Account>,
    is_known: bool,
    following: Option<(MatchId, Viewer)>,
    delayed: Option<tokio::task::AbortHandle>,
}

impl Connection {
    pub(crate) fn new(app: &Arc<App>, outbox: Outbox) -> Connection {
        Connection {
            app: Arc::clone(app),
            outbox,
            throttle: app.throttle.connection(),
            account: None,
            is_known: false,
            following: None,
            delayed: None,
        }
    }
}

impl Talker for Connection {
    async fn heard(&mut self, text: &Utf8Bytes) -> bool {
        if self.throttle.check().is_err() {
            self.outbox.end(Farewell::TooMuch);
            return true;
        }
        metrics::counter!("intermezzo_frames_total").increment(1);
        let frame = match read(text, self.app.config.limits.depth) {
            Ok(frame) => frame,
            Err((command_id, problem)) => {
                self.outbox.send(wire::error(command_id.as_deref(), &problem));
                return false;
            }
        };
        let command_id = command_id(&frame).map(str::to_owned);
        if let Err(problem) = self.take(frame).await {
            self.outbox.send(wire::error(command_id.as_deref(), &problem));
        }
        true
    }

    fn unclear(&mut self, problem: &Problem) {
        self.outbox.send(wire::error(None, problem));
    }

    fn is_known(&self) -> bool {
        self.is_known
    }

    fn outbox(&self) -> &Outbox {
        &self.outbox
    }

    async fn gone(mut self) {
        self.unfollow().await;
        if let Some(account) = &self.account {
            self.app.forget(&account.id, self.outbox.id);
        }
    }
}

impl Connection {
    async fn take(&mut self, frame: ClientFrame) -> Result<(), Problem> {
        if let Some(account) = &self.account {
            self.app.throttle.account(account_number(&account.id))?;
        }
        let (command_id, branch, wish) = match frame {
            ClientFrame::Hello { token, match_id, since, seat, spectate } => {
                return self.hello(token, match_id, since, seat, spectate).await;
            }
            ClientFrame::ActionsGet { command_id } => return self.look(command_id, Look::Actions).await,
            ClientFrame::PathGet { command_id, input_id, so_far } => {
                let so_far = so_far.iter().map(datum).collect::<Result<_, Problem>>()?;
                return self.look(command_id, Look::Path { input: input_id, so_far }).await;
            }
            ClientFrame::QueueJoin { command_id, ruleset, stake } => {
                let caller = self.caller()?;
                let status = self.app.house.join_queue(&caller, &ruleset, JoinQueue { stake }).await?;
                return self.ack(&command_id, &status);
            }
            ClientFrame::QueueLeave { command_id, ruleset } => {
                let caller = self.caller()?;
                self.app.house.leave_queue(&caller, &ruleset).await?;
                return self.ack(&command_id, &Value::Null);
            }
            ClientFrame::ActionSubmit { command_id, branch_id, action } => {
                (command_id, branch_id, Wish::Act(action))
            }
            ClientFrame::InputSubmit { command_id, input_id, answers, branch_id } => {
                let answers = datum(&answers)?;
                (command_id, branch_id, Wish::Answer { input: input_id, answers })
            }
            ClientFrame::InputDraft { command_id, input_id, answers } => {
                (command_id, None, Wish::Draft { input: input_id, answers: datum(&answers)? })
            }
            ClientFrame::SystemControl { command_id, control, branch_id } => {
                (command_id, branch_id, Wish::Control(control))
            }
        };
        self.command(command_id, branch, wish).await
    }

    async fn hello(
        &mut self,
        token: Option<String>,
        match_id: Option<String>,
        since: Option<u64>,
        seat: Option<u8>,
        spectate: bool,
    ) -> Result<(), Problem> {
        if let Some(token) = token {
            let account = self.app.house.who(&token).await?;
            if let Some(before) = self.account.take().filter(|before| before.id != account.id) {
                self.app.forget(&before.id, self.outbox.id);
            }
            self.app.listen(&account.id, &self.outbox, Some(&token), None);
            self.account = Some(account);
        }
        self.is_known = true;
        let Some(match_id) = match_id else {
            self.unfollow().await;
            self.outbox.send(format!("{}}}", self.greeting()));
            return Ok(());
        };
        let id: MatchId = match_id.parse().map_err(|_| Problem::not_found("match"))?;
        let record = self.app.house.match_record(id).await?;
        let viewer = self.app.viewer(&record, self.account.as_ref(), seat, spectate)?;
        if record.started_ms.is_none() {
            return Err(Problem::new(Code::Closed, "the match has not started yet"));
        }
        self.follow(&record, viewer, since).await
    }

    async fn follow(
        &mut self,
        record: &MatchRecord,
        viewer: Viewer,
        since: Option<u64>,
    ) -> Result<(), Problem> {
        if self.following != Some((record.id, viewer)) {
            self.unfollow().await;
        }
        let greeting = format!("{},\"match\":{}", self.greeting(), following(record, viewer));
        let delay = record.spectators.delay_ms;
        if viewer == Viewer::Spectator && delay > 0 && record.status != MatchStatus::Ended {
            let delay = i64::try_from(delay).unwrap_or(i64::MAX);
            let place = self.app.throttle.late(record.id)?;
            let watching =
                delayed::watch(Arc::clone(&self.app), record.id, delay, self.outbox.clone(), greeting);
            let watching = async move {
                watching.await;
                drop(place);
            };
            if let Some(before) = self.delayed.replace(self.app.hub.tasks.spawn(watching)) {
                before.abort();
            }
            self.following = Some((record.id, viewer));
            return Ok(());
        }
        let outbox = self.outbox.clone();
        let follower =
            Follower { viewer, outbox, since, greeting, speaks_messages: false, is_presence: true };
        self.app.hub.ask(record.id, Ask::Follow(Box::new(follower))).await?;
        self.following = Some((record.id, viewer));
        Ok(())
    }

    async fn unfollow(&mut self) {
        if let Some(watching) = self.delayed.take() {
            watching.abort();
        }
        if let Some((id, _)) = self.following.take() {
            let connection = self.outbox.id;
            // A server that stops lets go of everyone by itself.
            let _ = self.app.hub.ask(id, Ask::Unfollow { connection }).await;
        }
    }

    /// A welcome without its match and its end.
    fn greeting(&self) -> String {
        let limits = &self.app.config.limits;
        let limits = Limits {
            frame_bytes: limits.message_bytes,
            depth: limits.depth,
            frames_per_second: limits.frames_per_second,
        };
        let mut welcome = json!({
            "type": "welcome",
            "protocol": PROTOCOL,
            "serverTime": self.app.store.now(),
        });
        if let Some(account) = &self.account {
            welcome["account"] = Value::from(account.id.to_string());
        }
        welcome["limits"] = json!(limits);
        let mut text = welcome.to_string();
        text.pop();
        text
    }

    async fn command(&mut self, id: String, branch: Option<u64>, wish: Wish) -> Result<(), Problem> {
        if id.is_empty() || id.len() > MAX_COMMAND_ID {
            let detail = format!("a command id has 1 to {MAX_COMMAND_ID} bytes");
            return Err(Problem::new(Code::Malformed, detail));
        }
        let Some((match_id, viewer)) = self.following else {
            return Err(Problem::new(Code::Malformed, "say `hello` with a match first"));
        };
        let Some(account) = &self.account else {
            return Err(Problem::new(Code::NotSignedIn, "say `hello` with a token first"));
        };
        let seat = match viewer {
            Viewer::Seat(seat) => Some(seat),
            Viewer::Spectator => None,
        };
        let command = Command {
            seat,
            account: account_number(&account.id),
            is_moderator: account.moderator,
            id,
            branch,
            wish,
            reply: Reply::Frame(self.outbox.clone()),
        };
        self.app.hub.ask(match_id, Ask::Command(Box::new(command))).await
    }

    async fn look(&mut self, command_id: String, look: Look) -> Result<(), Problem> {
        let Some((match_id, viewer)) = self.following else {
            return Err(Problem::new(Code::Malformed, "say `hello` with a match first"));
        };
        let found = self.app.look(match_id, viewer, look).await?;
        self.outbox.send(wire::ack(&command_id, 0, Some(&found)));
        Ok(())
    }

    fn caller(&self) -> Result<Caller, Problem> {
        let account = self.account.clone();
        let missing = || Problem::new(Code::NotSignedIn, "say `hello` with a token first");
        account.map(Caller::from).ok_or_else(missing)
    }

    fn ack(&self, command_id: &str, result: &impl serde::Serialize) -> Result<(), Problem> {
        let result = serde_json::to_string(result);
        let result = result.map_err(|_| Problem::new(Code::Internal, "the answer cannot be written"))?;
        self.outbox.send(wire::ack(command_id, 0, Some(&result)));
        Ok(())
    }
}

/// What a welcome says of the match, without its end.
pub(crate) fn following(record: &MatchRecord, viewer: Viewer) -> String {
    let seat = match viewer {
        Viewer::Seat(seat) => Some(seat.0),
        Viewer::Spectator => None,
    };
    let seats = (0u8..).zip(&record.seats).map(|(seat, sitting)| {
        let mut shown = json!({"seat": seat, "name": sitting.name.clone().unwrap_or_default()});
        if let Some(bot) = sitting.bot {
            shown["bot"] = json!(bot);
        }
        shown
    });
    let following = json!({
        "id": record.id.to_string(),
        "seat": seat,
        "ruleset": record.ruleset.id,
        "rulesetVersion": record.ruleset.version,
        "rulesetHash": record.ruleset.hash,
        "seedCommitment": record.commitment,
        "seats": seats.collect::<Vec<Value>>(),
    });
    let mut text = following.to_string();
    text.pop();
    text
}

/// A frame, or what is wrong with it and the command it seems to be.
fn read(text: &str, max_depth: usize) -> Result<ClientFrame, (Option<String>, Problem)> {
    if is_too_deep(text, max_depth) {
        let detail = format!("lists and objects are nested deeper than {max_depth} levels");
        return Err((None, Problem::new(Code::TooLarge, detail)));
    }
    let read = serde_json::from_str::<Object<ClientFrame>>(text);
    read.map(|Object(frame)| frame).map_err(|error| {
        let known = serde_json::from_str::<Value>(text).ok();
        let id = known.as_ref().and_then(|frame| frame.get("commandId")).and_then(Value::as_str);
        let id = id.filter(|id| id.len() <= MAX_COMMAND_ID).map(str::to_owned);
        (id, Problem::new(Code::Malformed, error.to_string()))
    })
}

fn command_id(frame: &ClientFrame) -> Option<&str> {
    match frame {
        ClientFrame::Hello { .. } => None,
        ClientFrame::ActionSubmit { command_id, .. }
        | ClientFrame::InputSubmit { command_id, .. }
        | ClientFrame::InputDraft { command_id, .. }
        | ClientFrame::SystemControl { command_id, .. }
        | ClientFrame::ActionsGet { command_id }
        | ClientFrame::PathGet { command_id, .. }
        | ClientFrame::QueueJoin { command_id, .. }
        | ClientFrame::QueueLeave { command_id, .. } => Some(command_id),
    }
}
