//! WebSocket connections: frames in, frames out. Start with [`connect`].
//!
//! Connections are many, and most of them idle. What happens rarely is boxed, so that it takes memory only while it happens.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::extract::{ConnectInfo, Request, State};
use axum::http::HeaderMap;
use axum::response::{IntoResponse, Response};
use futures_util::stream::{SplitSink, SplitStream};
use futures_util::{SinkExt, StreamExt};
use governor::DefaultDirectRateLimiter;
use hyper::upgrade::Upgraded;
use intermezzo_engine::Viewer;
use intermezzo_protocol::resources::{Answers, JoinQueue, JsonObject, MatchStatus};
use intermezzo_protocol::{ClientFrame, Code, FrameLimits, PlayerId, Problem, WireVersion, is_too_deep};
use intermezzo_store::MatchId;
use serde_json::{Value, json};
use tokio_tungstenite::tungstenite::protocol::CloseFrame;
use tokio_tungstenite::tungstenite::{self, Message, Utf8Bytes};

use crate::app::{App, account_number, hash_token, may_moderate};
use crate::connections::frame_text;
use crate::connections::outbox::{CloseReason, Inbox, Outbox, QueuedFrame};
use crate::connections::spectator_delay;
use crate::connections::upgrade::{ClientSocket, Upgrade, open_socket};
use crate::http;
use crate::match_task::{
    CommandBody, CommandReply, MatchCommand, MatchFollower, MatchQuery, MatchRequest, parse_datum,
};
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
                let connection = FrameConnection::new(&app, outbox, address, wire.unwrap_or_default());
                let limits = &app.config.limits;
                let hello_within = Duration::from_millis(limits.hello_ms);
                run_connection(upgraded, limits.message_bytes, inbox, connection, hello_within).await;
                drop(slot);
            })
        }
        Err(problem) => http::problem_response(&problem).into_response(),
    }
}

/// Checks limits and the origin before a connection is accepted.
pub(crate) fn prepare(
    app: &Arc<App>,
    address: IpAddr,
    request: Request,
) -> Result<(Upgrade, crate::rate_limits::Slot), Problem> {
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
pub(crate) trait ConnectionHandler: Send {
    /// Handles a text message. Returns false if it is invalid.
    fn on_text(&mut self, text: &Utf8Bytes) -> impl Future<Output = bool> + Send;
    /// Returns the limit of frames.
    fn rate_limiter(&self) -> &Arc<DefaultDirectRateLimiter>;
    /// Reports an unreadable message to the client.
    fn send_error(&mut self, problem: &Problem);
    /// Returns true once the client has identified itself.
    fn is_identified(&self) -> bool;
    fn outbox(&self) -> &Outbox;
    /// Cleans up after the connection has closed.
    fn on_close(self) -> impl Future<Output = ()> + Send;
}

/// Passes messages between the socket and the handler until one side closes.
pub(crate) async fn run_connection(
    upgraded: Upgraded,
    message_bytes: usize,
    mut inbox: Inbox,
    mut handler: impl ConnectionHandler,
    hello_within: Duration,
) {
    let (rate_limiter, outbox) = (Arc::clone(handler.rate_limiter()), handler.outbox().clone());
    let socket = open_socket(upgraded, message_bytes, rate_limiter, outbox).await;
    let (mut sink, mut stream) = socket.split();
    let no_hello = tokio::time::sleep(hello_within);
    tokio::pin!(no_hello);
    let mut last_heard = Instant::now();
    let mut ping = tokio::time::interval(PING_EVERY);
    ping.reset();
    let mut bad_frames = 0;
    loop {
        tokio::select! {
            _ = inbox.close_reason.changed() => break,
            Some(frame) = inbox.frames.recv() => {
                if !write_queued(&mut sink, frame, &mut inbox).await {
                    break;
                }
            }
            message = stream.next() => {
                last_heard = Instant::now();
                match message {
                    Some(Ok(Message::Text(_) | Message::Binary(_) | Message::Ping(_) | Message::Pong(_)))
                        if handler.rate_limiter().check().is_err() =>
                    {
                        handler.outbox().close(CloseReason::RateLimited);
                    }
                    Some(Ok(Message::Text(text))) => {
                        let handling = handler.on_text(&text).instrument(tracing::debug_span!("frame"));
                        bad_frames += u32::from(!handling.await);
                    }
                    Some(Ok(Message::Binary(_))) => {
                        handler.send_error(&Problem::new(Code::Malformed, "a frame must be a text message with one JSON object"));
                        bad_frames += 1;
                    }
                    Some(Ok(Message::Pong(payload))) => handler.outbox().note_pong(&payload),
                    Some(Ok(Message::Ping(_) | Message::Frame(_))) => {}
                    Some(Ok(Message::Close(_))) | None => break,
                    Some(Err(error)) => {
                        tracing::debug!(%error, "a connection failed");
                        handler.outbox().close(reason_of(&error));
                        break;
                    }
                }
                if bad_frames >= MAX_BAD_FRAMES {
                    handler.outbox().close(CloseReason::TooManyBadFrames);
                }
            }
            () = &mut no_hello, if !handler.is_identified() => handler.outbox().close(CloseReason::NoHello),
            _ = ping.tick() => {
                if last_heard.elapsed() > SILENCE_TIMEOUT {
                    break;
                }
                if sink.send(Message::Ping(axum::body::Bytes::new())).await.is_err() {
                    break;
                }
            }
        }
    }
    let close_reason = *inbox.close_reason.borrow();
    // Closes the queue so that senders see that the connection is gone.
    inbox.frames.close();
    Box::pin(handler.on_close()).await;
    Box::pin(close_socket(sink, stream, close_reason)).await;
}

/// Returns the reason to close a connection whose frames cannot be received.
fn reason_of(error: &tungstenite::Error) -> CloseReason {
    match error {
        tungstenite::Error::Capacity(_) => CloseReason::TooLarge,
        tungstenite::Error::Utf8(_) => CloseReason::NotUtf8,
        _ => CloseReason::BrokenFrame,
    }
}

/// Writes all queued frames at once. Returns false if the connection is unusable.
async fn write_queued(
    sink: &mut SplitSink<ClientSocket, Message>,
    first: QueuedFrame,
    inbox: &mut Inbox,
) -> bool {
    let Inbox { frames, close_reason } = inbox;
    let writing = async {
        let mut next = Some(first);
        while let Some(QueuedFrame { text, ping, .. }) = next {
            if let Some(ping) = ping {
                let payload = axum::body::Bytes::copy_from_slice(&ping.to_be_bytes());
                sink.feed(Message::Ping(payload)).await?;
            }
            sink.feed(Message::Text(text)).await?;
            next = frames.try_recv().ok();
        }
        sink.flush().await
    };
    tokio::select! {
        written = writing => written.is_ok(),
        () = tokio::time::sleep(SILENCE_TIMEOUT) => false,
        // A client that does not read would block this forever.
        _ = close_reason.changed() => false,
    }
}

async fn close_socket(
    mut sink: SplitSink<ClientSocket, Message>,
    mut stream: SplitStream<ClientSocket>,
    close_reason: Option<CloseReason>,
) {
    let Some(close_reason) = close_reason else { return };
    let (code, reason) = close_reason.code_and_text();
    let close =
        Message::Close(Some(CloseFrame { code: code.into(), reason: Utf8Bytes::from_static(reason) }));
    let closing = async {
        if sink.send(close).await.is_ok() {
            while let Some(Ok(_)) = stream.next().await {}
        }
    };
    let _ = tokio::time::timeout(Duration::from_secs(2), closing).await;
}

/// A connection that uses the standard frames.
pub(crate) struct FrameConnection {
    app: Arc<App>,
    outbox: Outbox,
    rate_limiter: Arc<DefaultDirectRateLimiter>,
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
    async fn on_text(&mut self, text: &Utf8Bytes) -> bool {
        metrics::counter!("intermezzo_frames_total").increment(1);
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

    fn rate_limiter(&self) -> &Arc<DefaultDirectRateLimiter> {
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
        let (command_id, branch, body) = match frame {
            ClientFrame::Hello { token, match_id, since, seat, spectate } => {
                return Box::pin(self.hello(token, match_id, since, seat, spectate)).await;
            }
            ClientFrame::ActionsGet { command_id } => {
                return Box::pin(self.query(command_id, MatchQuery::Actions)).await;
            }
            ClientFrame::PathGet { command_id, input_id, so_far } => {
                let so_far = so_far.iter().map(parse_datum).collect::<Result<_, Problem>>()?;
                return Box::pin(self.query(command_id, MatchQuery::Path { input: input_id, so_far })).await;
            }
            ClientFrame::QueueJoin { command_id, ruleset, stake } => {
                let caller = self.caller()?;
                let joining = self.app.services.join_queue(&caller, &ruleset, JoinQueue { stake });
                let status = Box::pin(joining).await?;
                return self.ack(&command_id, &status);
            }
            ClientFrame::QueueLeave { command_id, ruleset } => {
                let caller = self.caller()?;
                Box::pin(self.app.services.leave_queue(&caller, &ruleset)).await?;
                return self.ack(&command_id, &Value::Null);
            }
            ClientFrame::ActionSubmit { command_id, branch_id, action, .. } => {
                let meanings = action.interpretations().map_err(malformed)?;
                (command_id, branch_id, CommandBody::Act(meanings))
            }
            ClientFrame::InputSubmit {
                command_id,
                input_id,
                answers,
                activate,
                target_id,
                branch_id,
                ..
            } => {
                let answers = Answers { answers, activate, target_id };
                let answers = parse_datum(&answers.into_answers().map_err(malformed)?)?;
                (command_id, branch_id, CommandBody::Answer { input: input_id, answers })
            }
            ClientFrame::InputDraft { command_id, input_id, answers, .. } => {
                (command_id, None, CommandBody::Draft { input: input_id, answers: parse_datum(&answers)? })
            }
            ClientFrame::SystemControl { command_id, control, branch_id, .. } => {
                (command_id, branch_id, CommandBody::Control(control))
            }
        };
        self.submit_command(command_id, branch, body).await
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

    async fn submit_command(
        &mut self,
        id: String,
        branch: Option<u64>,
        body: CommandBody,
    ) -> Result<(), Problem> {
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
            received_at: tokio::time::Instant::now(),
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

/// Reports a mistake in the form of a frame.
fn malformed(problem: Problem) -> Problem {
    Problem::new(Code::Malformed, problem.detail)
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
        (id, Problem::new(Code::Malformed, error.to_string()))
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

    fn size_of_future<F>(_: impl FnOnce(Upgraded, Inbox, FrameConnection) -> F) -> usize {
        size_of::<F>()
    }

    #[test]
    fn the_task_of_a_connection_is_small() {
        let hello_within = Duration::ZERO;
        let size = size_of_future(|upgraded, inbox, connection| {
            run_connection(upgraded, 0, inbox, connection, hello_within)
        });
        assert!(size <= 4 * 1024, "{size} bytes");
    }
}
