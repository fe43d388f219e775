//! Connections that speak a ruleset's own messages in place of our frames. Start with [`connect`].
//!
//! The server has no word of any game in it: which messages there are, what they
//! say and what they mean is told by the ruleset.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::extract::ws::{Utf8Bytes, WebSocketUpgrade};
use axum::extract::{ConnectInfo, Path, Query, State};
use axum::http::HeaderMap;
use axum::response::{IntoResponse, Response};
use governor::DefaultDirectRateLimiter;
use intermezzo_engine::{Datum, Viewer};
use intermezzo_protocol::resources::{JoinQueue, NewAccount};
use intermezzo_protocol::{Code, Problem, is_too_deep, json};
use intermezzo_ruleset::{FieldValue, Incoming, Occasion, Program, Seat, Way};
use intermezzo_store::MatchId;
use serde::Deserialize;
use serde_json::Value;
use tokio::sync::mpsc;

use crate::app::{App, account_number};
use crate::house::{Account, Caller, Started};
use crate::http;
use crate::outbox::{Farewell, Outbox};
use crate::room::{Ask, Command, Follower, Reply, Wish, datum};
use crate::ws::{Talker, prepare, run};

/// Who connects.
#[derive(Debug, Deserialize)]
pub(crate) struct Entrance {
    /// A session's token; a guest without one.
    #[serde(default)]
    token: Option<String>,
    /// Plays for the ruleset's stakes unless told otherwise.
    #[serde(default)]
    stake: Option<bool>,
}

/// `GET /ws/{ruleset}`.
pub(crate) async fn connect(
    State(app): State<Arc<App>>,
    ConnectInfo(address): ConnectInfo<SocketAddr>,
    Path(ruleset): Path<String>,
    Query(entrance): Query<Entrance>,
    headers: HeaderMap,
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
) -> Response {
    let address = http::address(&app, address, &headers);
    let prepared = match prepare(&app, address, &headers, upgrade) {
        Ok(prepared) => enter(&app, address, &ruleset, &entrance).await.map(|talker| (prepared, talker)),
        Err(problem) => Err(problem),
    };
    match prepared {
        Ok(((upgrade, place), (talker, inbox))) => upgrade.on_upgrade(move |socket| async move {
            run(socket, inbox, talker, Duration::MAX).await;
            drop(place);
        }),
        Err(problem) => http::refused(&problem).into_response(),
    }
}

async fn enter(
    app: &Arc<App>,
    address: std::net::IpAddr,
    ruleset: &str,
    entrance: &Entrance,
) -> Result<(Speaker, crate::outbox::Inbox), Problem> {
    let info = app.house.ruleset(ruleset).await?;
    let program = app.house.program(&info.hash).await?;
    if program.messages.is_empty() {
        return Err(Problem::new(Code::NotFound, "the ruleset has no messages of its own; use `/ws`"));
    }
    let account = match &entrance.token {
        Some(token) => app.house.who(token).await?,
        None => {
            app.throttle.newcomer(address)?;
            let signed_in = app.house.create_account(&NewAccount::default()).await?;
            app.house.who(&signed_in.token).await?
        }
    };
    let (outbox, inbox) = Outbox::new();
    let seat = Arc::new(Mutex::new(None));
    let (found, matches) = mpsc::unbounded_channel();
    app.listen(&account.id, &outbox, entrance.token.as_deref(), Some(found.clone()));
    // Who was cut off goes on where that was.
    let playing = app.house.playing(&account.id).await?;
    let its_own = playing.into_iter().filter(|record| record.ruleset.id == info.id);
    if let Some(record) = its_own.max_by_key(|record| record.started_ms) {
        let _ = found.send(Started { record });
    }
    let sitting = sit_down(Arc::clone(app), account.clone(), outbox.clone(), Arc::clone(&seat), matches);
    app.hub.tasks.spawn(sitting);
    let stake = entrance.stake.unwrap_or(program.stakes.is_some());
    let speaker = Speaker {
        app: Arc::clone(app),
        throttle: app.throttle.connection(),
        ruleset: info.id,
        program,
        stake,
        account,
        outbox,
        seat,
    };
    Ok((speaker, inbox))
}

/// Follows each match that is found for the account.
async fn sit_down(
    app: Arc<App>,
    account: Account,
    outbox: Outbox,
    place: Arc<Mutex<Option<(MatchId, Seat)>>>,
    mut matches: mpsc::UnboundedReceiver<Started>,
) {
    while let Some(started) = matches.recv().await {
        let record = &started.record;
        let Some(seat) = record.seats_of(&account.id).first().copied().map(Seat) else { continue };
        *place.lock().unwrap_or_else(PoisonError::into_inner) = Some((record.id, seat));
        let follower = Follower {
            viewer: Viewer::Seat(seat),
            outbox: outbox.clone(),
            since: None,
            greeting: String::new(),
            speaks_messages: true,
            is_presence: true,
        };
        if app.hub.ask(record.id, Ask::Follow(Box::new(follower))).await.is_err() {
            outbox.end(Farewell::ComeAgain);
        }
        // Who left just now did so before anybody counted on them.
        if outbox.is_closed() {
            let _ = app.hub.ask(record.id, Ask::Unfollow { connection: outbox.id }).await;
        }
    }
}

/// A connection that speaks the messages of one ruleset.
struct Speaker {
    app: Arc<App>,
    throttle: DefaultDirectRateLimiter,
    ruleset: String,
    program: Arc<Program>,
    stake: bool,
    account: Account,
    outbox: Outbox,
    seat: Arc<Mutex<Option<(MatchId, Seat)>>>,
}

impl Talker for Speaker {
    async fn heard(&mut self, text: &Utf8Bytes) -> bool {
        if self.throttle.check().is_err() {
            self.outbox.end(Farewell::TooMuch);
            return true;
        }
        let Err(problem) = self.take(text).await else { return true };
        self.unclear(&problem);
        problem.code != Code::Malformed
    }

    fn unclear(&mut self, problem: &Problem) {
        if let Some(message) = error_message(&self.program, problem) {
            let mut text = String::new();
            json::write(&message, &mut text);
            self.outbox.send(text);
        }
    }

    fn is_known(&self) -> bool {
        true
    }

    fn outbox(&self) -> &Outbox {
        &self.outbox
    }

    async fn gone(self) {
        let has_others = self.app.forget(&self.account.id, self.outbox.id);
        let place = *self.seat.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((id, _)) = place {
            let _ = self.app.hub.ask(id, Ask::Unfollow { connection: self.outbox.id }).await;
        }
        if !has_others {
            let caller = Caller::from(self.account.clone());
            let _ = self.app.house.leave_queue(&caller, &self.ruleset).await;
        }
    }
}

impl Speaker {
    async fn take(&mut self, text: &str) -> Result<(), Problem> {
        self.app.throttle.account(account_number(&self.account.id))?;
        let max_depth = self.app.config.limits.depth;
        if is_too_deep(text, max_depth) {
            let detail = format!("lists and objects are nested deeper than {max_depth} levels");
            return Err(Problem::new(Code::TooLarge, detail));
        }
        let message: Value =
            serde_json::from_str(text).map_err(|error| Problem::new(Code::Malformed, error.to_string()))?;
        let Some(name) = message.get("type").and_then(Value::as_str).map(str::to_owned) else {
            return Err(Problem::new(Code::Malformed, "a message is an object with a `type`"));
        };
        let caller = Caller::from(self.account.clone());
        match self.program.message_named(&name).map(|message| &message.way) {
            Some(Way::In(Incoming::JoinQueue)) => {
                self.app.house.join_queue(&caller, &self.ruleset, JoinQueue { stake: self.stake }).await?;
                Ok(())
            }
            Some(Way::In(Incoming::LeaveQueue)) => self.app.house.leave_queue(&caller, &self.ruleset).await,
            Some(Way::In(_)) => self.play(name, body(message)?).await,
            Some(Way::Out { .. }) | None => {
                Err(Problem::new(Code::Malformed, format!("there is no message `{name}` to send")))
            }
        }
    }

    async fn play(&mut self, name: String, body: Datum) -> Result<(), Problem> {
        let place = *self.seat.lock().unwrap_or_else(PoisonError::into_inner);
        let Some((id, seat)) = place else {
            return Err(Problem::new(Code::Closed, "you are in no match"));
        };
        let command = Command {
            seat: Some(seat),
            account: account_number(&self.account.id),
            is_moderator: false,
            id: String::new(),
            branch: None,
            wish: Wish::Message { name, body },
            reply: Reply::Message(self.outbox.clone()),
        };
        self.app.hub.ask(id, Ask::Command(Box::new(command))).await
    }
}

/// A message without its type.
fn body(message: Value) -> Result<Datum, Problem> {
    let mut message = message;
    if let Value::Object(fields) = &mut message {
        fields.remove("type");
    }
    datum(&message)
}

/// What the ruleset says when something is wrong, where no match is at hand.
fn error_message(program: &Program, problem: &Problem) -> Option<Datum> {
    let is_error = |way: &Way| matches!(way, Way::Out { occasion: Occasion::Error, .. });
    let message = program.messages.iter().find(|message| is_error(&message.way))?;
    let Way::Out { fields, .. } = &message.way else { return None };
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
