//! What has happened in a match: read from its log, gone through once more for one viewer.

use std::convert::Infallible;

use axum::body::{Body, Bytes};
use axum::extract::ws::Utf8Bytes;
use futures_util::stream;
use intermezzo_desk::{Notice as Noticed, Shown};
use intermezzo_engine::Viewer;
use intermezzo_journal::to_json;
use intermezzo_protocol::resources::{MatchStatus, Past, PastStep};
use intermezzo_protocol::{Code, Notice, Problem};
use intermezzo_store::MatchId;
use serde_json::{Value, json};

use super::call::Call;
use super::reply::Reply;
use crate::app::opening;
use crate::house::MatchRecord;
use crate::outbox::{Farewell, Inbox, Outbox};
use crate::room::{Ask, Follower, Replica, unavailable};
use crate::throttle::Place;
use crate::{delayed, wire};

/// So many rows are read at once.
const PAGE: usize = 500;
/// After so many rows others get their turn.
const TURN: usize = 32;
/// A quiet stream says so often that it is still there.
const SIGN_OF_LIFE: std::time::Duration = std::time::Duration::from_secs(15);

/// How much later this viewer sees things, if at all later, in milliseconds.
pub(crate) fn delay(record: &MatchRecord, viewer: Viewer) -> Option<i64> {
    let delay = i64::try_from(record.spectators.delay_ms).unwrap_or(i64::MAX);
    let is_later = viewer == Viewer::Spectator && delay > 0 && record.status != MatchStatus::Ended;
    is_later.then_some(delay)
}

/// Goes through a match until `each` has enough; rows written later than `until_ms` are not seen.
async fn relive(
    call: &Call,
    id: MatchId,
    until_ms: i64,
    mut each: impl FnMut(i64, Vec<Shown>) -> bool,
) -> Result<Replica, Problem> {
    let busy = |_| Problem::new(Code::Busy, "the server cannot do that now, try again");
    let _turn = call.api.reliving.acquire().await.map_err(busy)?;
    let opening = opening(call.house(), id).await?;
    let mut replica = Replica::new(opening.terms);
    loop {
        let rows =
            call.app().store.rows(id, replica.version(), PAGE).await.map_err(|error| unavailable(&error))?;
        for (index, row) in rows.iter().enumerate() {
            let at = Replica::written_at(&row.body);
            if at > until_ms || !each(at, replica.follow(id, &row.body)?) {
                return Ok(replica);
            }
            if index % TURN == 0 {
                tokio::task::yield_now().await;
            }
        }
        if rows.len() < PAGE {
            return Ok(replica);
        }
    }
}

/// The view of those who look on later.
pub(crate) async fn delayed_view(call: &Call, id: MatchId, delay: i64) -> Result<Reply, Problem> {
    let until = call.app().store.now().saturating_sub(delay);
    let mut replica = relive(call, id, until, |_, _| true).await?;
    let Some(room) = replica.room() else {
        return Err(Problem::new(Code::Closed, "there is nothing to see yet; look again later"));
    };
    let version = room.desk.version(Viewer::Spectator);
    let view = room.desk.view(Viewer::Spectator);
    let text = json!({"version": version, "hash": wire::hash(view), "view": to_json(view)});
    Ok(Reply::json(&text)?.at_version(version))
}

/// What happened after a version, at most `limit` steps of it.
pub(crate) async fn past(
    call: &Call,
    record: &MatchRecord,
    viewer: Viewer,
    since: u64,
    limit: usize,
) -> Result<Past, Problem> {
    let until = delay(record, viewer).map_or(i64::MAX, |delay| call.app().store.now().saturating_sub(delay));
    let mut items: Vec<PastStep> = Vec::new();
    let mut has_more = false;
    relive(call, record.id, until, |at, shown| {
        for shown in shown.iter().filter(|shown| shown.viewer == viewer && shown.version > since) {
            if items.len() == limit {
                has_more = true;
                return false;
            }
            items.push(step(at, shown));
        }
        true
    })
    .await?;
    let next = items.last().map(|step| step.version).filter(|_| has_more);
    Ok(Past { items, next })
}

fn step(at_ms: i64, shown: &Shown) -> PastStep {
    PastStep {
        version: shown.version,
        at_ms,
        events: shown.events.iter().map(to_json).collect(),
        notices: shown.notices.iter().map(notice).collect(),
    }
}

fn notice(noticed: &Noticed) -> Notice {
    match noticed {
        Noticed::TakenBack { by } => Notice::TakenBack { by: by.0 },
        Noticed::WouldTakeBack { by } => Notice::WouldTakeBack { by: by.0 },
        Noticed::NotTakenBack { by } => Notice::NotTakenBack { by: by.0 },
        Noticed::AheadForgotten => Notice::AheadForgotten,
    }
}

/// A stream of frames that goes on as long as the client listens.
struct Listening {
    inbox: Inbox,
    /// What ends with the stream.
    _end: End,
}

/// Whatever has to be given back when nobody listens any more.
struct End {
    call: Call,
    id: MatchId,
    connection: u64,
    later: Option<tokio::task::AbortHandle>,
    _place: Place,
}

impl Drop for End {
    fn drop(&mut self) {
        if let Some(later) = self.later.take() {
            later.abort();
            return;
        }
        let (app, id, connection) = (std::sync::Arc::clone(self.call.app()), self.id, self.connection);
        let leaving = std::sync::Arc::clone(&app);
        app.hub.tasks.spawn(async move {
            // A server that stops lets go of everyone by itself.
            let _ = leaving.hub.ask(id, Ask::Unfollow { connection }).await;
        });
    }
}

/// The frames of a match as server-sent events, from a version on and then as they come.
pub(crate) async fn live(
    call: &Call,
    record: &MatchRecord,
    viewer: Viewer,
    since: Option<u64>,
) -> Result<Reply, Problem> {
    if record.started_ms.is_none() {
        return Err(Problem::new(Code::Closed, "the match has not started yet"));
    }
    let app = call.app();
    let place = app.throttle.place(call.address)?;
    let (outbox, inbox) = Outbox::new();
    let (id, connection) = (record.id, outbox.id);
    let greeting = greeting(record);
    let later = match delay(record, viewer) {
        Some(delay) => {
            let watching = delayed::watch(std::sync::Arc::clone(app), id, delay, outbox, greeting);
            Some(app.hub.tasks.spawn(watching))
        }
        None => {
            // Reading must not make anybody count as lost when it ends.
            let follower =
                Follower { viewer, outbox, since, greeting, speaks_messages: false, is_presence: false };
            app.hub.ask(id, Ask::Follow(Box::new(follower))).await?;
            None
        }
    };
    let end = End { call: call.clone(), id, connection, later, _place: place };
    let listening = Listening { inbox, _end: end };
    let events = stream::unfold(Some(listening), |listening| async move {
        let mut listening = listening?;
        match next(&mut listening.inbox).await {
            Next::Event(text) => Some((Ok::<Bytes, Infallible>(Bytes::from(text)), Some(listening))),
            Next::Last(text) => Some((Ok(Bytes::from(text)), None)),
        }
    });
    Ok(Reply::stream("text/event-stream", Body::from_stream(events)))
}

/// What a welcome says about the match besides the view, without its end.
fn greeting(record: &MatchRecord) -> String {
    let mut text = json!({"type": "welcome", "match": {"id": record.id.to_string()}}).to_string();
    text.truncate(text.len() - 2);
    text
}

enum Next {
    Event(String),
    Last(String),
}

async fn next(inbox: &mut Inbox) -> Next {
    tokio::select! {
        biased;
        frame = inbox.frames.recv() => match frame {
            Some(frame) => Next::Event(event(&frame)),
            None => Next::Last(farewell(*inbox.farewell.borrow())),
        },
        _ = inbox.farewell.changed() => Next::Last(farewell(*inbox.farewell.borrow())),
        () = tokio::time::sleep(SIGN_OF_LIFE) => Next::Event(":\n\n".to_owned()),
    }
}

/// One frame as an event.
fn event(frame: &Utf8Bytes) -> String {
    let head: Value = serde_json::from_str(frame).unwrap_or_default();
    let kind = head["type"].as_str().unwrap_or("message");
    let id = seen_by_then(kind, &head).map_or_else(String::new, |version| format!("id: {version}\n"));
    format!("event: {kind}\n{id}data: {}\n\n", frame.as_str())
}

/// The version that a client has completely once it has this frame, if that is certain. A stream that is cut off goes on
/// from there; frames of a version that come twice are told by their number.
fn seen_by_then(kind: &str, frame: &Value) -> Option<u64> {
    match kind {
        "welcome" => frame["match"]["version"].as_u64().filter(|_| frame["match"].get("view").is_some()),
        "event.appended" => frame["version"].as_u64().map(|version| version.saturating_sub(1)),
        "priority.changed" => frame["version"].as_u64(),
        _ => None,
    }
}

fn farewell(farewell: Option<Farewell>) -> String {
    let (_, reason) = farewell.map_or((1000, "the match is not followed any more"), Farewell::words);
    format!("event: end\ndata: {}\n\n", json!({"reason": reason}))
}
