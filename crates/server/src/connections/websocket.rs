//! WebSocket connections: frames in, frames out. Start with [`connect`].
//!
//! Connections are many, and most of them idle. What happens rarely is boxed, so that it takes memory only while it happens.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use axum::extract::{ConnectInfo, Request, State};
use axum::http::HeaderMap;
use axum::response::{IntoResponse, Response};
use governor::DefaultDirectRateLimiter;
use intermezzo_engine::Viewer;
use intermezzo_protocol::resources::{JoinQueue, JsonObject, MatchStatus};
use intermezzo_protocol::websocket::{ClientMessage, WebSocketError};
use intermezzo_protocol::{ClientFrame, Code, FrameLimits, PlayerId, Problem, WireVersion, is_too_deep};
use intermezzo_store::MatchId;
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::app::{App, account_number, hash_token, may_moderate};
use crate::connections::client_socket::{ClientSocket, SocketError};
use crate::connections::frame_text;
use crate::connections::outbox::{CloseReason, Inbox, InboxItem, Outbox, QueuedFrame};
use crate::connections::spectator_delay;
use crate::connections::upgrade::Upgrade;
use crate::http;
use crate::match_task::{
    CommandReply, FrameCommand, MatchCommand, MatchFollower, MatchQuery, MatchRequest, parse_datum,
};
use crate::rate_limits::Slot;
use crate::shards::{ShardHandles, ShardNumber};
use intermezzo_services::{Account, Caller, MatchRecord, Requester};
use tracing::Instrument;

/// Interval of pings to quiet connections.
const PING_EVERY: Duration = Duration::from_secs(20);
/// Silence after which a connection counts as gone.
const SILENCE_TIMEOUT: Duration = Duration::from_secs(60);
/// Invalid frames after which a connection is closed.
const MAX_BAD_FRAMES: u32 = 20;
/// Maximum length of a command id.
const MAX_COMMAND_ID: usize = 100;
/// Time for a client to answer the end of a connection.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(2);

/// Handles `GET /ws`.
pub(crate) async fn connect(
    State(app): State<Arc<App>>,
    ConnectInfo(address): ConnectInfo<SocketAddr>,
    headers: HeaderMap,
    request: Request,
) -> Response {
    let address = http::client_address(&app, address, &headers);
    match prepare(&app, address, request) {
        Ok((upgrade, slot)) => {
            let wire = WireVersion::ALL.into_iter().find(|wire| upgrade.offers(wire.subprotocol()));
            upgrade.accept(wire.map(WireVersion::subprotocol), move |upgraded| async move {
                let (outbox, inbox) = Outbox::new();
                let handler = FrameConnection::new(&app, outbox, address, wire.unwrap_or_default());
                let limits = &app.config.limits;
                let hello_within = Duration::from_millis(limits.hello_ms);
                let socket = ClientSocket::from_upgraded(upgraded, limits.message_bytes);
                serve(socket, inbox, handler, hello_within, (app.registry.shards.clone(), slot)).await;
            })
        }
        Err(problem) => http::problem_response(&problem).into_response(),
    }
}

/// Checks limits and the origin before a connection is accepted.
pub(crate) fn prepare(app: &Arc<App>, address: IpAddr, request: Request) -> Result<(Upgrade, Slot), Problem> {
    if app.registry.is_draining() {
        return Err(Problem::new(Code::Draining, "the server is shutting down"));
    }
    http::check_origin(app, request.headers())?;
    app.rate_limits.check_address(address)?;
    let upgrade = Upgrade::from_request(request)?;
    let slot = app.rate_limits.connection_slot(address)?;
    Ok((upgrade, slot))
}

/// The server side of one WebSocket connection.
pub(crate) trait ConnectionHandler: Send + 'static {
    /// Handles a text message. Returns false if it is invalid.
    fn on_text(&mut self, text: &str) -> impl Future<Output = bool> + Send;
    /// Returns the limit of frames.
    fn rate_limiter(&self) -> &DefaultDirectRateLimiter;
    /// Reports an unreadable message to the client.
    fn send_error(&mut self, problem: &Problem);
    /// Returns true once the client has identified itself.
    fn is_identified(&self) -> bool;
    fn outbox(&self) -> &Outbox;
    /// Returns the match that the connection follows.
    fn followed_match(&self) -> Option<MatchId>;
    /// Cleans up after the connection has closed.
    fn on_close(self) -> impl Future<Output = ()> + Send;
}

/// A connection with its socket.
struct OpenConnection<H> {
    socket: ClientSocket,
    inbox: Inbox,
    handler: H,
    /// Time by which the client must have identified itself.
    hello_by: Option<Instant>,
    last_heard: Instant,
    next_ping: Instant,
    bad_frames: u32,
    /// The shard that serves it.
    shard: Option<ShardNumber>,
    shards: ShardHandles,
    _slot: Slot,
}

/// The reason why a connection is no longer served here.
enum ServingEnd {
    Closed,
    /// It follows a match of that shard.
    Moves(ShardNumber),
}

/// Passes messages between the socket and the handler until one side closes.
pub(crate) async fn serve<H: ConnectionHandler>(
    socket: io::Result<ClientSocket>,
    inbox: Inbox,
    handler: H,
    hello_within: Duration,
    (shards, slot): (ShardHandles, Slot),
) {
    let socket = match socket {
        Ok(socket) => socket,
        Err(error) => {
            tracing::error!(%error, "a connection cannot be served");
            return;
        }
    };
    let now = Instant::now();
    let connection = OpenConnection {
        socket,
        inbox,
        handler,
        hello_by: now.checked_add(hello_within),
        last_heard: now,
        next_ping: now + PING_EVERY,
        bad_frames: 0,
        shard: None,
        shards,
        _slot: slot,
    };
    connection.serve_here().await;
}

impl<H: ConnectionHandler> OpenConnection<H> {
    /// Serves the connection on this thread, until it closes or moves to another one.
    fn serve_here(mut self) -> Pin<Box<dyn Future<Output = ()> + Send>> {
        Box::pin(async move {
            match self.run().await {
                ServingEnd::Closed => Box::pin(self.close()).await,
                ServingEnd::Moves(shard) => self.move_to(shard),
            }
        })
    }

    fn move_to(mut self, shard: ShardNumber) {
        let handle = self.shards.handle(shard).clone();
        handle.spawn(async move {
            match self.socket.move_here() {
                Ok(socket) => {
                    self.socket = socket;
                    self.shard = Some(shard);
                    self.serve_here().await;
                }
                Err(error) => {
                    tracing::warn!(%error, "a connection cannot move to the thread of its match");
                    self.inbox.close();
                    self.handler.on_close().await;
                }
            }
        });
    }

    async fn run(&mut self) -> ServingEnd {
        let timer = tokio::time::sleep_until(self.next_check());
        tokio::pin!(timer);
        loop {
            let goes_on = tokio::select! {
                biased;
                item = self.inbox.next() => match item {
                    InboxItem::Frame(frame) => self.send_queued(frame).await,
                    InboxItem::End(_) => false,
                },
                message = self.socket.next_message() => Box::pin(self.handle(message)).await,
                () = &mut timer => {
                    let goes_on = self.check_time().await;
                    timer.as_mut().reset(self.next_check());
                    goes_on
                }
            };
            if !goes_on {
                return ServingEnd::Closed;
            }
            if let Some(shard) = self.wanted_shard() {
                return ServingEnd::Moves(shard);
            }
        }
    }

    /// Returns the shard of the followed match, unless the connection is there.
    fn wanted_shard(&self) -> Option<ShardNumber> {
        let followed = self.handler.followed_match()?;
        self.shards.of(followed).filter(|shard| Some(*shard) != self.shard)
    }

    /// Returns the time at which something may be due.
    fn next_check(&self) -> Instant {
        let hello_by = self.hello_by.filter(|_| !self.handler.is_identified());
        hello_by.map_or(self.next_ping, |hello_by| hello_by.min(self.next_ping))
    }

    /// Does what is due. Returns false if the client is gone.
    async fn check_time(&mut self) -> bool {
        let now = Instant::now();
        if !self.handler.is_identified() && self.hello_by.is_some_and(|hello_by| hello_by <= now) {
            self.handler.outbox().close(CloseReason::NoHello);
        }
        if now < self.next_ping {
            return true;
        }
        self.next_ping = now + PING_EVERY;
        now.duration_since(self.last_heard) <= SILENCE_TIMEOUT
            && self.socket.send(|frames| frames.ping(&[])).is_ok()
            && self.flush().await
    }

    /// Handles what the socket has read. Returns false at the end of the connection.
    async fn handle(&mut self, message: Result<Option<ClientMessage>, SocketError>) -> bool {
        self.last_heard = Instant::now();
        let message = match message {
            Ok(Some(ClientMessage::Close(payload))) => {
                // The client may not wait for the answer.
                let _ = self.socket.send(|frames| frames.close_with(&payload));
                return false;
            }
            Ok(Some(message)) => message,
            Ok(None) => return false,
            Err(error) => {
                tracing::debug!(%error, "a connection failed");
                self.handler.outbox().close(reason_of(&error));
                return false;
            }
        };
        if self.handler.rate_limiter().check().is_err() {
            self.handler.outbox().close(CloseReason::RateLimited);
            return true;
        }
        match message {
            ClientMessage::Text(text) => {
                let handling = self.handler.on_text(&text).instrument(tracing::debug_span!("frame"));
                self.bad_frames += u32::from(!handling.await);
            }
            ClientMessage::Binary => {
                self.handler.send_error(&Problem::new(
                    Code::Malformed,
                    "a frame must be a text message with one JSON object",
                ));
                self.bad_frames += 1;
            }
            ClientMessage::Ping(payload) => {
                let sent = self.socket.send(|frames| frames.pong(&payload));
                return sent.is_ok() && self.flush().await;
            }
            ClientMessage::Pong(payload) => self.handler.outbox().note_pong(&payload),
            ClientMessage::Fragment | ClientMessage::Close(_) => {}
        }
        if self.bad_frames >= MAX_BAD_FRAMES {
            self.handler.outbox().close(CloseReason::TooManyBadFrames);
        }
        true
    }

    /// Sends all queued frames at once. Returns false if the connection is unusable.
    async fn send_queued(&mut self, first: QueuedFrame) -> bool {
        let OpenConnection { socket, inbox, .. } = self;
        let sent = socket.send(|frames| {
            let mut next = Some(first);
            while let Some(QueuedFrame { text, ping, .. }) = next {
                if let Some(ping) = ping {
                    frames.ping(&ping.to_be_bytes());
                }
                frames.text(&text);
                next = if frames.is_full() { None } else { inbox.try_next() };
            }
        });
        sent.is_ok() && self.flush().await
    }

    /// Waits until the client has taken what was sent. Returns false if it does not.
    async fn flush(&mut self) -> bool {
        if !self.socket.has_unsent() {
            return true;
        }
        Box::pin(async {
            tokio::select! {
                flushed = self.socket.flush() => flushed.is_ok(),
                () = tokio::time::sleep(SILENCE_TIMEOUT) => false,
                // A client that does not read would block this forever.
                () = self.inbox.closed_by_server() => false,
            }
        })
        .await
    }

    async fn close(mut self) {
        let close_reason = self.inbox.close_reason();
        // Senders see that the connection is gone.
        self.inbox.close();
        self.handler.on_close().await;
        let Some(close_reason) = close_reason else { return };
        let (code, reason) = close_reason.code_and_text();
        let socket = &mut self.socket;
        let closing = async {
            let sent = socket.send(|frames| frames.close(code, reason));
            if sent.is_ok() && socket.flush().await.is_ok() {
                while let Ok(Some(message)) = socket.next_message().await {
                    if matches!(message, ClientMessage::Close(_)) {
                        break;
                    }
                }
            }
        };
        let _ = tokio::time::timeout(CLOSE_TIMEOUT, closing).await;
    }
}

/// Returns the reason to close a connection whose frames cannot be received.
fn reason_of(error: &SocketError) -> CloseReason {
    match error {
        SocketError::Protocol(WebSocketError::TooLarge) => CloseReason::TooLarge,
        SocketError::Protocol(WebSocketError::NotUtf8) => CloseReason::NotUtf8,
        SocketError::Protocol(WebSocketError::BrokenFrame(_)) | SocketError::Io(_) => {
            CloseReason::BrokenFrame
        }
    }
}

/// A connection that uses the standard frames.
pub(crate) struct FrameConnection {
    app: Arc<App>,
    outbox: Outbox,
    rate_limiter: DefaultDirectRateLimiter,
    account: Option<Account>,
    is_identified: bool,
    following: Option<(MatchId, Viewer)>,
    address: IpAddr,
    wire: WireVersion,
    /// The account may moderate the match it follows.
    may_moderate: bool,
    delayed_stream: Option<tokio::task::AbortHandle>,
}

impl FrameConnection {
    pub(crate) fn new(app: &Arc<App>, outbox: Outbox, address: IpAddr, wire: WireVersion) -> FrameConnection {
        FrameConnection {
            app: Arc::clone(app),
            outbox,
            rate_limiter: app.rate_limits.connection_limiter(),
            account: None,
            is_identified: false,
            following: None,
            address,
            wire,
            may_moderate: false,
            delayed_stream: None,
        }
    }
}

impl ConnectionHandler for FrameConnection {
    async fn on_text(&mut self, text: &str) -> bool {
        static FRAMES: LazyLock<metrics::Counter> =
            LazyLock::new(|| metrics::counter!("intermezzo_frames_total"));
        FRAMES.increment(1);
        let frame = match parse_frame(text, self.app.config.limits.depth) {
            Ok(frame) => frame,
            Err((command_id, problem)) => {
                self.outbox.send(frame_text::error(command_id.as_deref(), &problem));
                return false;
            }
        };
        let command_id = command_id_of(&frame).map(str::to_owned);
        if let Err(problem) = self.handle_frame(frame).await {
            self.outbox.send(frame_text::error(command_id.as_deref(), &problem));
        }
        true
    }

    fn rate_limiter(&self) -> &DefaultDirectRateLimiter {
        &self.rate_limiter
    }

    fn send_error(&mut self, problem: &Problem) {
        self.outbox.send(frame_text::error(None, problem));
    }

    fn is_identified(&self) -> bool {
        self.is_identified
    }

    fn outbox(&self) -> &Outbox {
        &self.outbox
    }

    fn followed_match(&self) -> Option<MatchId> {
        self.following.map(|(id, _)| id)
    }

    async fn on_close(mut self) {
        self.unfollow().await;
        if let Some(account) = &self.account {
            self.app.remove_listener(&account.id, self.outbox.id);
        }
    }
}

impl FrameConnection {
    async fn handle_frame(&mut self, frame: ClientFrame) -> Result<(), Problem> {
        if let Some(account) = &self.account {
            self.app.rate_limits.check_account(account_number(&account.id))?;
        }
        self.check_sender(&frame)?;
        match frame {
            ClientFrame::Hello { token, match_id, since, seat, spectate } => {
                Box::pin(self.hello(token, match_id, since, seat, spectate)).await
            }
            ClientFrame::ActionsGet { command_id } => {
                Box::pin(self.query(command_id, MatchQuery::Actions)).await
            }
            ClientFrame::PathGet { command_id, input_id, so_far } => {
                let so_far = so_far.iter().map(parse_datum).collect::<Result<_, Problem>>()?;
                Box::pin(self.query(command_id, MatchQuery::Path { input: input_id, so_far })).await
            }
            ClientFrame::QueueJoin { command_id, ruleset, stake } => {
                let caller = self.caller()?;
                let joining = self.app.services.join_queue(&caller, &ruleset, JoinQueue { stake });
                let status = Box::pin(joining).await?;
                self.ack(&command_id, &status)
            }
            ClientFrame::QueueLeave { command_id, ruleset } => {
                let caller = self.caller()?;
                Box::pin(self.app.services.leave_queue(&caller, &ruleset)).await?;
                self.ack(&command_id, &Value::Null)
            }
            frame => match FrameCommand::from_frame(frame) {
                Some(command) => self.submit_command(command?).await,
                None => Ok(()),
            },
        }
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
            let account = self.app.services.authenticate(&token).await?;
            if let Some(before) = self.account.take().filter(|before| before.id != account.id) {
                self.app.remove_listener(&before.id, self.outbox.id);
            }
            self.app.add_listener(&account.id, &self.outbox, Some(hash_token(&token)), None);
            self.account = Some(account);
        }
        self.is_identified = true;
        let Some(match_id) = match_id else {
            self.unfollow().await;
            self.outbox.send(format!("{}}}", self.greeting()));
            return Ok(());
        };
        let id: MatchId = match_id.parse().map_err(|_| Problem::not_found("match"))?;
        let record = self.app.services.match_record(id).await?;
        let viewer = self.app.viewer(&record, self.account.as_ref(), seat, spectate)?;
        if record.started_ms.is_none() {
            return Err(Problem::new(Code::Closed, "the match has not started"));
        }
        self.may_moderate = self.account.as_ref().is_some_and(|account| may_moderate(&record, account));
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
        let greeting = format!("{},\"match\":{}", self.greeting(), match_greeting(record, viewer));
        let delay = record.spectators.delay_ms;
        if viewer == Viewer::Spectator && delay > 0 && record.status != MatchStatus::Ended {
            let delay = i64::try_from(delay).unwrap_or(i64::MAX);
            let slot = self.app.rate_limits.delayed_spectator_slot(record.id)?;
            let watching = spectator_delay::watch(
                Arc::clone(&self.app),
                self.requester(),
                record.id,
                delay,
                self.outbox.clone(),
                greeting,
                self.wire,
            );
            let watching = async move {
                watching.await;
                drop(slot);
            };
            if let Some(before) = self.delayed_stream.replace(self.app.registry.tasks.spawn(watching)) {
                before.abort();
            }
            self.following = Some((record.id, viewer));
            return Ok(());
        }
        let outbox = self.outbox.clone();
        let follower = MatchFollower {
            viewer,
            outbox,
            since,
            greeting,
            wire: self.wire,
            uses_custom_messages: false,
            counts_as_present: true,
        };
        self.app.registry.send(record.id, MatchRequest::Follow(Box::new(follower))).await?;
        self.following = Some((record.id, viewer));
        Ok(())
    }

    async fn unfollow(&mut self) {
        if let Some(watching) = self.delayed_stream.take() {
            watching.abort();
        }
        if let Some((id, _)) = self.following.take() {
            let connection = self.outbox.id;
            // A server that is shutting down removes all followers anyway.
            let _ = self.app.registry.send(id, MatchRequest::Unfollow { connection }).await;
        }
    }

    /// Returns a `welcome` frame without its match and closing brace.
    fn greeting(&self) -> String {
        let limits = &self.app.config.limits;
        let limits = FrameLimits {
            frame_bytes: limits.message_bytes,
            depth: limits.depth,
            frames_per_second: limits.frames_per_second,
        };
        let mut welcome = json!({
            "type": "welcome",
            "protocol": self.wire.number(),
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

    /// Checks the match and the player that a frame names, if it does, against those of the connection.
    fn check_sender(&self, frame: &ClientFrame) -> Result<(), Problem> {
        let (ClientFrame::ActionSubmit { match_id, player_id, .. }
        | ClientFrame::InputSubmit { match_id, player_id, .. }
        | ClientFrame::InputDraft { match_id, player_id, .. }
        | ClientFrame::SystemControl { match_id, player_id, .. }) = frame
        else {
            return Ok(());
        };
        let Some((following, viewer)) = self.following else { return Ok(()) };
        if let Some(named) = match_id.as_ref().filter(|named| **named != following.to_string()) {
            let detail = format!("`matchId` is {named}, but this connection follows {following}");
            return Err(Problem::new(Code::Malformed, format!("{detail}; send `hello` to switch")));
        }
        let Some(player) = player_id else { return Ok(()) };
        let seat = match viewer {
            Viewer::Seat(seat) => Some(seat.0),
            Viewer::Spectator => None,
        };
        let is_own = match player {
            PlayerId::Seat(named) => seat == Some(*named),
            PlayerId::Name(name) => {
                seat.is_some_and(|seat| *name == format!("p{seat}"))
                    || self.account.as_ref().is_some_and(|account| account.id.to_string() == *name)
            }
        };
        let own = seat.map_or_else(|| "a spectator".to_owned(), |seat| format!("p{seat}"));
        let named = match player {
            PlayerId::Seat(seat) => format!("seat {seat}"),
            PlayerId::Name(name) => name.clone(),
        };
        let detail = || {
            format!("`playerId` is {named}, but this connection is {own}; send `hello` with the right `seat`")
        };
        if is_own { Ok(()) } else { Err(Problem::new(Code::Malformed, detail())) }
    }

    async fn submit_command(&mut self, command: FrameCommand) -> Result<(), Problem> {
        let FrameCommand { id, branch, body } = command;
        if id.is_empty() || id.len() > MAX_COMMAND_ID {
            let detail = format!("a command id must have 1 to {MAX_COMMAND_ID} bytes");
            return Err(Problem::new(Code::Malformed, detail));
        }
        let Some((match_id, viewer)) = self.following else {
            return Err(Problem::new(Code::Malformed, "send `hello` with a match first"));
        };
        let Some(account) = &self.account else {
            return Err(Problem::new(Code::NotSignedIn, "send `hello` with a token first"));
        };
        let seat = match viewer {
            Viewer::Seat(seat) => Some(seat),
            Viewer::Spectator => None,
        };
        let command = MatchCommand {
            seat,
            account: account_number(&account.id),
            is_moderator: self.may_moderate,
            id,
            branch,
            body,
            reply: CommandReply::Frame(self.outbox.clone()),
            span: tracing::Span::current(),
            received_at: Instant::now(),
        };
        self.app.registry.send(match_id, MatchRequest::Command(Box::new(command))).await
    }

    async fn query(&mut self, command_id: String, query: MatchQuery) -> Result<(), Problem> {
        let Some((match_id, viewer)) = self.following else {
            return Err(Problem::new(Code::Malformed, "send `hello` with a match first"));
        };
        let found = self.app.query(match_id, viewer, query).await?;
        self.outbox.send(frame_text::ack(&command_id, 0, Some(&found)));
        Ok(())
    }

    /// Returns the client whose share of the server this connection uses.
    fn requester(&self) -> Requester {
        let account = self.account.as_ref().map(|account| account.id.clone());
        account.map_or(Requester::Address(self.address), Requester::Account)
    }

    fn caller(&self) -> Result<Caller, Problem> {
        let account = self.account.clone();
        let missing = || Problem::new(Code::NotSignedIn, "send `hello` with a token first");
        account.map(Caller::from).ok_or_else(missing)
    }

    fn ack(&self, command_id: &str, result: &impl serde::Serialize) -> Result<(), Problem> {
        let result = serde_json::to_string(result);
        let result = result.map_err(|_| Problem::new(Code::Internal, "the response cannot be serialized"))?;
        self.outbox.send(frame_text::ack(command_id, 0, Some(&result)));
        Ok(())
    }
}

/// Returns the match part of a `welcome` frame without its closing brace.
pub(crate) fn match_greeting(record: &MatchRecord, viewer: Viewer) -> String {
    let seat = match viewer {
        Viewer::Seat(seat) => Some(seat.0),
        Viewer::Spectator => None,
    };
    let seats = (0u8..).zip(&record.seats).map(|(seat, record)| {
        let mut seat_json = json!({"seat": seat, "name": record.name.clone().unwrap_or_default()});
        if let Some(bot) = record.bot {
            seat_json["bot"] = json!(bot);
        }
        seat_json
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

/// Parses a frame. The error includes the command id if one can be found.
fn parse_frame(text: &str, max_depth: usize) -> Result<ClientFrame, (Option<String>, Problem)> {
    if is_too_deep(text, max_depth) {
        let detail = format!("nested deeper than {max_depth} levels");
        return Err((None, Problem::new(Code::TooLarge, detail)));
    }
    let read = serde_json::from_str::<JsonObject<ClientFrame>>(text);
    read.map(|JsonObject(frame)| frame).map_err(|error| {
        let known = serde_json::from_str::<Value>(text).ok();
        let id = known.as_ref().and_then(|frame| frame.get("commandId")).and_then(Value::as_str);
        let id = id.filter(|id| id.len() <= MAX_COMMAND_ID).map(str::to_owned);
        (id, Problem::new(Code::Malformed, http::parse_message(&error)))
    })
}

fn command_id_of(frame: &ClientFrame) -> Option<&str> {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn size_of_future<F>(_: impl FnOnce(&'static mut OpenConnection<FrameConnection>) -> F) -> usize {
        size_of::<F>()
    }

    #[test]
    fn the_task_of_a_connection_is_small() {
        let size =
            size_of_future(|connection| connection.run()) + size_of::<OpenConnection<FrameConnection>>();
        assert!(size <= 2 * 1024, "{size} bytes");
    }
}
