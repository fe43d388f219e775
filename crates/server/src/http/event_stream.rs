//! The history of a match for one viewer, replayed from the log, and the live stream of server-sent events.

use std::convert::Infallible;

use axum::body::{Body, Bytes};
use intermezzo_engine::Viewer;
use intermezzo_matchfile::to_json;
use intermezzo_protocol::resources::{HistoryStep, MatchStatus};
use intermezzo_protocol::{Code, Problem, WireVersion};
use intermezzo_session::ViewerUpdate;
use intermezzo_store::MatchId;
use serde_json::{Value, json};
use tokio_tungstenite::tungstenite::Utf8Bytes;

use super::call::Call;
use super::reply::HttpReply;
use crate::app::match_details;
use crate::connections::frame_text;
use crate::connections::outbox::{CloseReason, Inbox, InboxItem, Outbox};
use crate::connections::spectator_delay;
use crate::match_task::{MatchFollower, MatchQuery, MatchRequest, Replica, store_unavailable};
use crate::rate_limits::Slot;
use intermezzo_services::MatchRecord;

/// Log rows read at once.
const ROWS_PER_READ: usize = 200;
/// Size at which a page of the history ends early.
const MAX_PAGE_BYTES: usize = 4 << 20;
/// Interval of keep-alive comments on an idle stream.
const KEEPALIVE_INTERVAL: std::time::Duration = std::time::Duration::from_secs(15);

/// Returns the viewer's spectator delay in milliseconds, if there is one.
pub(crate) fn spectator_delay_ms(record: &MatchRecord, viewer: Viewer) -> Option<i64> {
    let delay = i64::try_from(record.spectators.delay_ms).unwrap_or(i64::MAX);
    let is_later = viewer == Viewer::Spectator && delay > 0 && record.status != MatchStatus::Ended;
    is_later.then_some(delay)
}

/// Replays a match until the requested steps are complete. Rows written after `until_ms` are left out.
async fn replay_log(
    call: &Call,
    id: MatchId,
    until_ms: i64,
    mut steps: HistorySteps,
) -> Result<(Replica, HistorySteps), Problem> {
    let mut permit = call.replay_permit().await?;
    let opening = match_details(call.services(), id).await?;
    let mut replica = Replica::new(opening.config);
    loop {
        let rows = call
            .app()
            .store
            .rows(id, replica.version(), ROWS_PER_READ)
            .await
            .map_err(|error| store_unavailable(&error))?;
        // The computation keeps the permit even if this request is abandoned meanwhile.
        let replaying = call.services().run_blocking(move || {
            let permit = permit;
            let mut is_last = rows.len() < ROWS_PER_READ;
            for row in &rows {
                let at = Replica::written_at(&row.body);
                if at > until_ms || !steps.add(at, &replica.apply_row(id, &row.body)?) {
                    is_last = true;
                    break;
                }
            }
            Ok::<_, Problem>((is_last, replica, steps, permit))
        });
        let is_last;
        (is_last, replica, steps, permit) = replaying.await??;
        if is_last {
            return Ok((replica, steps));
        }
    }
}

/// The part of a match's history that one viewer asked for, each step as JSON.
pub(crate) struct HistorySteps {
    viewer: Viewer,
    since: u64,
    limit: usize,
    steps: Vec<String>,
    bytes: usize,
    last_version: u64,
    has_more: bool,
}

impl HistorySteps {
    fn new(viewer: Viewer, since: u64, limit: usize) -> HistorySteps {
        HistorySteps { viewer, since, limit, steps: Vec::new(), bytes: 0, last_version: 0, has_more: false }
    }

    /// Adds what a row showed the viewer. Returns false if the page is full.
    fn add(&mut self, at_ms: i64, updates: &[ViewerUpdate]) -> bool {
        let (viewer, since) = (self.viewer, self.since);
        for update in updates.iter().filter(|update| update.viewer == viewer && update.version > since) {
            if self.steps.len() >= self.limit || self.bytes >= MAX_PAGE_BYTES {
                self.has_more = true;
                return false;
            }
            let step = serde_json::to_string(&history_step(at_ms, update)).unwrap_or_default();
            self.bytes += step.len();
            self.last_version = update.version;
            self.steps.push(step);
        }
        true
    }

    /// Returns the steps as an [`EventHistory`](intermezzo_protocol::resources::EventHistory).
    pub(crate) fn page(&self) -> String {
        let next = if self.has_more { format!(",\"next\":{}", self.last_version) } else { String::new() };
        format!("{{\"items\":[{}]{next}}}", self.steps.join(","))
    }

    /// Returns the steps, one per line.
    pub(crate) fn lines(&self) -> String {
        self.steps.iter().map(|step| format!("{step}\n")).collect()
    }
}

/// Returns the view of delayed spectators.
pub(crate) async fn delayed_view(call: &Call, id: MatchId, delay: i64) -> Result<HttpReply, Problem> {
    let until = call.app().store.now().saturating_sub(delay);
    let nothing = HistorySteps::new(Viewer::Spectator, u64::MAX, 0);
    let (mut replica, _) = replay_log(call, id, until, nothing).await?;
    let Some(state) = replica.state() else {
        return Err(Problem::new(
            Code::Closed,
            "nothing to see yet because of the spectator delay; try again later",
        ));
    };
    let version = state.session.version(Viewer::Spectator);
    let hash = frame_text::view_hash(state, Viewer::Spectator, WireVersion::V1);
    let view = to_json(state.session.view(Viewer::Spectator));
    let text = json!({"version": version, "hash": hash, "view": view});
    Ok(HttpReply::json(&text)?.at_version(version))
}

/// Returns up to `limit` steps after a version.
pub(crate) async fn history(
    call: &Call,
    record: &MatchRecord,
    viewer: Viewer,
    since: u64,
    limit: usize,
) -> Result<HistorySteps, Problem> {
    let head = call.app().store.head(record.id).await.map_err(|error| store_unavailable(&error))?;
    if head == 0 && record.started_ms.is_some() {
        // The match has just started; its task writes the first row before it answers.
        call.app().query(record.id, viewer, MatchQuery::View).await?;
    }
    let until = spectator_delay_ms(record, viewer)
        .map_or(i64::MAX, |delay| call.app().store.now().saturating_sub(delay));
    let (_, steps) = replay_log(call, record.id, until, HistorySteps::new(viewer, since, limit)).await?;
    Ok(steps)
}

fn history_step(at_ms: i64, shown: &ViewerUpdate) -> HistoryStep {
    HistoryStep {
        version: shown.version,
        at_ms,
        events: shown.events.iter().map(|event| to_json(&event.to_datum())).collect(),
        notices: shown.notices.iter().map(frame_text::match_notice).collect(),
    }
}

/// A live stream of frames.
struct EventStream {
    inbox: Inbox,
    /// Unfollows the match when the stream is dropped.
    _guard: StreamGuard,
}

/// Releases what a stream holds when it is dropped.
struct StreamGuard {
    call: Call,
    id: MatchId,
    connection: u64,
    later: Option<tokio::task::AbortHandle>,
    _place: Slot,
}

impl Drop for StreamGuard {
    fn drop(&mut self) {
        if let Some(later) = self.later.take() {
            later.abort();
            return;
        }
        let (app, id, connection) = (std::sync::Arc::clone(self.call.app()), self.id, self.connection);
        let task_app = std::sync::Arc::clone(&app);
        app.registry.tasks.spawn(async move {
            // The request fails only while the server shuts down, which drops all followers anyway.
            let _ = task_app.registry.send(id, MatchRequest::Unfollow { connection }).await;
        });
    }
}

/// Streams the frames of a match as server-sent events: those after a version, then new ones as they come.
pub(crate) async fn stream_frames(
    call: &Call,
    record: &MatchRecord,
    viewer: Viewer,
    since: Option<u64>,
) -> Result<HttpReply, Problem> {
    if record.started_ms.is_none() {
        return Err(Problem::new(Code::Closed, "the match has not started yet"));
    }
    let app = call.app();
    let place = app.rate_limits.connection_slot(call.address)?;
    let (outbox, inbox) = Outbox::new();
    let (id, connection) = (record.id, outbox.id);
    let greeting = welcome_head(record);
    let later = match spectator_delay_ms(record, viewer) {
        Some(delay) => {
            let slot = app.rate_limits.delayed_spectator_slot(id)?;
            let requester = call.requester();
            let app = std::sync::Arc::clone(app);
            let watch = spectator_delay::watch(
                std::sync::Arc::clone(&app),
                requester,
                id,
                delay,
                outbox,
                greeting,
                WireVersion::V1,
            );
            Some(app.registry.tasks.spawn(async move {
                watch.await;
                drop(slot);
            }))
        }
        None => {
            // A stream does not count as presence, so closing it does not start the disconnect grace.
            let follower = MatchFollower {
                viewer,
                outbox,
                since,
                greeting,
                wire: WireVersion::V1,
                uses_custom_messages: false,
                counts_as_present: false,
            };
            app.registry.send(id, MatchRequest::Follow(Box::new(follower))).await?;
            None
        }
    };
    let guard = StreamGuard { call: call.clone(), id, connection, later, _place: place };
    let stream = EventStream { inbox, _guard: guard };
    let events = futures_util::stream::unfold(Some(stream), |stream| async move {
        let mut stream = stream?;
        match next_item(&mut stream.inbox).await {
            StreamItem::Event(text) => Some((Ok::<Bytes, Infallible>(Bytes::from(text)), Some(stream))),
            StreamItem::Last(text) => Some((Ok(Bytes::from(text)), None)),
        }
    });
    Ok(HttpReply::stream("text/event-stream", Body::from_stream(events)))
}

/// Returns the beginning of the welcome frame, without the view and the closing braces.
fn welcome_head(record: &MatchRecord) -> String {
    let mut text = json!({"type": "welcome", "match": {"id": record.id.to_string()}}).to_string();
    text.truncate(text.len() - 2);
    text
}

enum StreamItem {
    Event(String),
    Last(String),
}

async fn next_item(inbox: &mut Inbox) -> StreamItem {
    tokio::select! {
        biased;
        item = inbox.next() => match item {
            InboxItem::Frame(frame) => StreamItem::Event(frame_event(&frame.text)),
            InboxItem::End(reason) => StreamItem::Last(end_event(reason)),
        },
        () = tokio::time::sleep(KEEPALIVE_INTERVAL) => StreamItem::Event(":\n\n".to_owned()),
    }
}

/// Formats a frame as a server-sent event.
fn frame_event(frame: &Utf8Bytes) -> String {
    let head: Value = serde_json::from_str(frame).unwrap_or_default();
    let kind = head["type"].as_str().unwrap_or("message");
    let id = complete_version(kind, &head).map_or_else(String::new, |version| format!("id: {version}\n"));
    format!("event: {kind}\n{id}data: {}\n\n", frame.as_str())
}

/// Returns the version that a client has completely after this frame, if that is certain. A stream that breaks resumes
/// there; clients recognise repeated frames by their version.
fn complete_version(kind: &str, frame: &Value) -> Option<u64> {
    match kind {
        "welcome" => frame["match"]["version"].as_u64().filter(|_| frame["match"].get("view").is_some()),
        "event.appended" => frame["version"].as_u64().map(|version| version.saturating_sub(1)),
        "priority.changed" => frame["version"].as_u64(),
        _ => None,
    }
}

fn end_event(farewell: Option<CloseReason>) -> String {
    let (_, reason) = farewell.map_or((1000, "the match is no longer followed"), CloseReason::code_and_text);
    format!("event: end\ndata: {}\n\n", json!({"reason": reason}))
}
