//! Connections that use a ruleset's own messages in place of the standard frames. Start with [`connect`].
//!
//! The server contains nothing about any game: the ruleset defines the messages, their fields and their
//! meaning.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::extract::{ConnectInfo, Path, Query, Request, State};
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse, Response};
use governor::DefaultDirectRateLimiter;
use intermezzo_engine::{Datum, MessageError, Viewer};
use intermezzo_program::{FieldValue, IncomingMessage, MessageDirection, MessageTrigger, Program, Seat};
use intermezzo_protocol::resources::{JoinQueue, NewAccount};
use intermezzo_protocol::{Code, Problem, WireVersion, is_too_deep, json};
use intermezzo_store::MatchId;
use serde::Deserialize;
use serde_json::Value;
use tokio::sync::mpsc;

use crate::app::{App, account_number, hash_token};
use crate::connections::client_socket::ClientSocket;
use crate::connections::outbox::{CloseReason, Inbox, Outbox};
use crate::connections::websocket::{ConnectionHandler, prepare, serve};
use crate::http;
use crate::match_task::{CommandBody, CommandReply, MatchCommand, MatchFollower, MatchRequest, parse_datum};
use intermezzo_services::{Account, Caller, Requester, StartedMatch};

/// Query parameters of a connection.
#[derive(Debug, Deserialize)]
pub(crate) struct ConnectQuery {
    /// One-time ticket in place of a token; without either, a guest account is created.
    #[serde(default)]
    ticket: Option<String>,
    /// Login token, which must not be in a URL.
    #[serde(default)]
    token: Option<String>,
    /// True to play for the ruleset's stakes; by default if it has any.
    #[serde(default)]
    stake: Option<bool>,
}

/// Handles `GET /ws/{ruleset}`.
pub(crate) async fn connect(
    State(app): State<Arc<App>>,
    ConnectInfo(address): ConnectInfo<SocketAddr>,
    Path(ruleset): Path<String>,
    Query(query): Query<ConnectQuery>,
    headers: HeaderMap,
    request: Request,
) -> Response {
    let address = http::client_address(&app, address, &headers);
    let message_bytes = app.config.limits.message_bytes;
    let prepared = match prepare(&app, address, request) {
        Ok(prepared) => open_connection(&app, address, &headers, &ruleset, &query)
            .await
            .map(|connection| (prepared, connection)),
        Err(problem) => Err(problem),
    };
    match prepared {
        Ok(((upgrade, slot), (connection, inbox))) => upgrade.accept(None, move |upgraded| async move {
            let socket = ClientSocket::from_upgraded(upgraded, message_bytes);
            serve(socket, inbox, connection, Duration::MAX, (app.registry.shards.clone(), slot)).await;
        }),
        Err(problem) => http::problem_response(&problem).into_response(),
    }
}

/// Returns the account of a connection, and the hash of its token: from the `authorization` header, a ticket in the URL,
/// or a new guest.
async fn identify(
    app: &App,
    address: std::net::IpAddr,
    headers: &HeaderMap,
    query: &ConnectQuery,
) -> Result<(Account, Option<[u8; 32]>), Problem> {
    if query.token.is_some() {
        let detail = "a token in a URL ends up in logs; use the `authorization` header, or `ticket` of `POST /tickets`";
        return Err(Problem::new(Code::Malformed, detail));
    }
    if let Some(ticket) = &query.ticket {
        let (account, hash) = app.services.redeem_ticket(ticket).await?;
        return Ok((account, Some(hash)));
    }
    if headers.contains_key(header::AUTHORIZATION) {
        let token = http::bearer_token(headers)?;
        return Ok((app.services.authenticate(&token).await?, Some(hash_token(&token))));
    }
    app.rate_limits.check_sign_in(address)?;
    let requester = Requester::Address(address);
    let signed_in = app.services.create_account_for(&requester, &NewAccount::default()).await?;
    Ok((app.services.authenticate(&signed_in.token).await?, None))
}

async fn open_connection(
    app: &Arc<App>,
    address: std::net::IpAddr,
    headers: &HeaderMap,
    ruleset: &str,
    query: &ConnectQuery,
) -> Result<(CustomMessageConnection, Inbox), Problem> {
    let info = app.services.ruleset(ruleset).await?;
    let program = app.services.program(&info.hash).await?;
    if program.messages.is_empty() {
        return Err(Problem::new(Code::NotFound, "the ruleset defines no custom messages; use `/ws`"));
    }
    let (account, token_hash) = identify(app, address, headers, query).await?;
    let (outbox, inbox) = Outbox::new();
    let seat = Arc::new(Mutex::new(None));
    let (match_found, matches) = mpsc::unbounded_channel();
    app.add_listener(&account.id, &outbox, token_hash, Some(match_found.clone()));
    // A reconnecting player continues the match in progress.
    let playing = app.services.matches_in_progress(&account.id).await?;
    let of_ruleset = playing.into_iter().filter(|record| record.ruleset.id == info.id);
    if let Some(record) = of_ruleset.max_by_key(|record| record.started_ms) {
        let _ = match_found.send(StartedMatch { record });
    }
    let following =
        follow_found_matches(Arc::clone(app), account.clone(), outbox.clone(), Arc::clone(&seat), matches);
    app.registry.tasks.spawn(following);
    let stake = query.stake.unwrap_or(program.stakes.is_some());
    let connection = CustomMessageConnection {
        app: Arc::clone(app),
        rate_limiter: app.rate_limits.connection_limiter(),
        ruleset: info.id,
        program,
        stake,
        account,
        outbox,
        seat,
    };
    Ok((connection, inbox))
}

/// Follows each match that is found for the account.
async fn follow_found_matches(
    app: Arc<App>,
    account: Account,
    outbox: Outbox,
    seat_of_match: Arc<Mutex<Option<(MatchId, Seat)>>>,
    mut matches: mpsc::UnboundedReceiver<StartedMatch>,
) {
    while let Some(started) = matches.recv().await {
        let record = &started.record;
        let Some(seat) = record.seats_of(&account.id).first().copied().map(Seat) else { continue };
        *seat_of_match.lock().unwrap_or_else(PoisonError::into_inner) = Some((record.id, seat));
        let follower = MatchFollower {
            viewer: Viewer::Seat(seat),
            outbox: outbox.clone(),
            since: None,
            greeting: String::new(),
            wire: WireVersion::default(),
            uses_custom_messages: true,
            counts_as_present: true,
        };
        if app.registry.send(record.id, MatchRequest::Follow(Box::new(follower))).await.is_err() {
            outbox.close(CloseReason::Reconnect);
        }
        // The client may have disconnected in the meantime.
        if outbox.is_closed() {
            let _ = app.registry.send(record.id, MatchRequest::Unfollow { connection: outbox.id }).await;
        }
    }
}

/// A connection that uses the messages of one ruleset.
struct CustomMessageConnection {
    app: Arc<App>,
    rate_limiter: DefaultDirectRateLimiter,
    ruleset: String,
    program: Arc<Program>,
    stake: bool,
    account: Account,
    outbox: Outbox,
    seat: Arc<Mutex<Option<(MatchId, Seat)>>>,
}

impl ConnectionHandler for CustomMessageConnection {
    async fn on_text(&mut self, text: &str) -> bool {
        let Err(problem) = self.handle_text(text).await else { return true };
        self.send_error(&problem);
        problem.code != Code::Malformed
    }

    fn rate_limiter(&self) -> &DefaultDirectRateLimiter {
        &self.rate_limiter
    }

    fn send_error(&mut self, problem: &Problem) {
        if let Some(message) = error_message(&self.program, problem) {
            let mut text = String::new();
            json::write(&message, &mut text);
            self.outbox.send(text);
        }
    }

    fn is_identified(&self) -> bool {
        true
    }

    fn outbox(&self) -> &Outbox {
        &self.outbox
    }

    fn followed_match(&self) -> Option<MatchId> {
        self.seat.lock().unwrap_or_else(PoisonError::into_inner).map(|(id, _)| id)
    }

    async fn on_close(self) {
        let has_others = self.app.remove_listener(&self.account.id, self.outbox.id);
        let seat_of_match = *self.seat.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((id, _)) = seat_of_match {
            let _ = self.app.registry.send(id, MatchRequest::Unfollow { connection: self.outbox.id }).await;
        }
        if !has_others {
            let caller = Caller::from(self.account.clone());
            let _ = self.app.services.leave_queue(&caller, &self.ruleset).await;
        }
    }
}

impl CustomMessageConnection {
    async fn handle_text(&mut self, text: &str) -> Result<(), Problem> {
        self.app.rate_limits.check_account(account_number(&self.account.id))?;
        let max_depth = self.app.config.limits.depth;
        if is_too_deep(text, max_depth) {
            let detail = format!("nested deeper than {max_depth} levels");
            return Err(Problem::new(Code::TooLarge, detail));
        }
        let message: Value =
            serde_json::from_str(text).map_err(|error| Problem::new(Code::Malformed, error.to_string()))?;
        let Some(name) = message.get("type").and_then(Value::as_str).map(str::to_owned) else {
            return Err(Problem::new(Code::Malformed, "a message must be an object with a `type`"));
        };
        let caller = Caller::from(self.account.clone());
        match self.program.message_named(&name).map(|message| &message.direction) {
            Some(MessageDirection::In(IncomingMessage::JoinQueue)) => {
                reject_keys(&message)?;
                self.app.services.join_queue(&caller, &self.ruleset, JoinQueue { stake: self.stake }).await?;
                Ok(())
            }
            Some(MessageDirection::In(IncomingMessage::LeaveQueue)) => {
                reject_keys(&message)?;
                self.app.services.leave_queue(&caller, &self.ruleset).await
            }
            Some(MessageDirection::In(_)) => self.submit_message(name, message_body(message)?).await,
            Some(MessageDirection::Out { .. }) | None => {
                Err(Problem::new(Code::Malformed, format!("unknown message `{name}`")))
            }
        }
    }

    async fn submit_message(&mut self, name: String, body: Datum) -> Result<(), Problem> {
        let seat_of_match = *self.seat.lock().unwrap_or_else(PoisonError::into_inner);
        let Some((id, seat)) = seat_of_match else {
            return Err(Problem::new(Code::Closed, "you are not in a match"));
        };
        let command = MatchCommand {
            seat: Some(seat),
            account: account_number(&self.account.id),
            is_moderator: false,
            id: String::new(),
            branch: None,
            body: CommandBody::Message { name, body, seen: self.outbox.seen_questions() },
            reply: CommandReply::Message(self.outbox.clone()),
            span: tracing::Span::current(),
            received_at: tokio::time::Instant::now(),
        };
        self.app.registry.send(id, MatchRequest::Command(Box::new(command))).await
    }
}

/// Rejects a message that has more than its type.
fn reject_keys(message: &Value) -> Result<(), Problem> {
    let mut keys = message.as_object().into_iter().flat_map(|fields| fields.keys());
    match keys.find(|key| *key != "type") {
        Some(key) => {
            let error = MessageError::UnknownKey { key: key.clone() };
            Err(Problem::new(Code::Malformed, error.to_string()).with("reason", error.name()))
        }
        None => Ok(()),
    }
}

/// Returns a message without its type.
fn message_body(message: Value) -> Result<Datum, Problem> {
    let mut message = message;
    if let Value::Object(fields) = &mut message {
        fields.remove("type");
    }
    parse_datum(&message)
}

/// Returns the ruleset's error message for a problem outside of a match.
fn error_message(program: &Program, problem: &Problem) -> Option<Datum> {
    let is_error = |direction: &MessageDirection| {
        matches!(direction, MessageDirection::Out { trigger: MessageTrigger::Error, .. })
    };
    let message = program.messages.iter().find(|message| is_error(&message.direction))?;
    let MessageDirection::Out { fields, .. } = &message.direction else { return None };
    let head = ("type".into(), Datum::text(&message.name));
    let fields = fields.iter().map(|field| {
        let value = match field.value {
            FieldValue::Code => Datum::text(problem.code.name()),
            FieldValue::Reason => Datum::text(&problem.detail),
            _ => Datum::Null,
        };
        (field.name.as_str().into(), value)
    });
    Some(Datum::Map(std::iter::once(head).chain(fields).collect()))
}
