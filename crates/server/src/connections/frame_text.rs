//! Frames about a match, written directly as JSON text.
//!
//! Their structure is that of `intermezzo_protocol::ServerFrame`; tests parse every frame back into one.

use axum::extract::ws::Utf8Bytes;
use intermezzo_engine::{Datum, Viewer};
use intermezzo_protocol::{Code, Problem, json, patch};
use intermezzo_session::{SessionNotice, ViewerUpdate};
use serde_json::Value;

use crate::match_task::MatchState;

/// Returns the frames that take one viewer from one version to the next.
pub(crate) fn update(
    match_id: &str,
    state: &mut MatchState,
    update: &ViewerUpdate,
    with_prompts: bool,
) -> Vec<Utf8Bytes> {
    let mut frames = vec![event_frame(match_id, update)];
    if let Some(before) = &update.previous_view {
        frames.push(delta_frame(match_id, update.version, before, state.session.view(update.viewer)));
    }
    // Prompts carry the time banks, which change with every answer.
    if with_prompts && (update.prompts_changed || state.config.clock.bank.is_some()) {
        frames.extend(prompt_frames(match_id, state, update.viewer));
    }
    frames
}

fn event_frame(match_id: &str, update: &ViewerUpdate) -> Utf8Bytes {
    let mut text = frame_start("event.appended", match_id, update.version);
    text.push_str(",\"events\":[");
    for (index, event) in update.events.iter().enumerate() {
        if index > 0 {
            text.push(',');
        }
        json::write(event, &mut text);
    }
    text.push(']');
    if !update.notices.is_empty() {
        text.push_str(",\"notices\":");
        let notices: Vec<Value> = update.notices.iter().map(notice_json).collect();
        text.push_str(&Value::from(notices).to_string());
    }
    if update.previous_view.is_some() {
        text.push_str(",\"changesView\":true");
    }
    text.push('}');
    text.into()
}

fn notice_json(notice: &SessionNotice) -> Value {
    let (name, by) = match notice {
        SessionNotice::Undone { by } => ("taken_back", Some(by)),
        SessionNotice::UndoRequested { by } => ("would_take_back", Some(by)),
        SessionNotice::UndoCancelled { by } => ("not_taken_back", Some(by)),
        SessionNotice::PreSentDiscarded => ("ahead_forgotten", None),
    };
    match by {
        Some(by) => serde_json::json!({"notice": name, "by": by.0}),
        None => serde_json::json!({"notice": name}),
    }
}

fn delta_frame(match_id: &str, version: u64, before: &Datum, view: &Datum) -> Utf8Bytes {
    let mut text = frame_start("state.delta", match_id, version);
    text.push_str(",\"patch\":");
    patch::write(before, view, &mut text);
    text.push_str(",\"hash\":\"");
    text.push_str(&view_hash(view));
    text.push_str("\"}");
    text.into()
}

/// Returns the hash of a view, for clients to compare.
pub(crate) fn view_hash(view: &Datum) -> String {
    intermezzo_protocol::view_hash(view)
}

/// Returns a viewer's own prompts, and the frame about the other seats' prompts.
pub(crate) fn prompt_frames(match_id: &str, state: &mut MatchState, viewer: Viewer) -> [Utf8Bytes; 2] {
    let version = state.session.version(viewer);
    let due = deadline_for(state, viewer);
    let mut prompt_frame = frame_start("pending.input", match_id, version);
    let mut banks = String::new();
    write_banks(state, viewer, &mut banks);
    let prompts = state.session.prompts(viewer);
    prompt_frame.push_str(",\"prompts\":");
    write_prompts(prompts, due, &mut prompt_frame);
    if let Some(auto) = prompts.get("auto") {
        prompt_frame.push_str(",\"auto\":");
        json::write(auto, &mut prompt_frame);
    }
    prompt_frame.push_str(&banks);
    if state.clocks.is_paused() {
        prompt_frame.push_str(",\"paused\":true");
    }
    prompt_frame.push('}');
    let mut others = frame_start("priority.changed", match_id, version);
    others.push_str(",\"others\":");
    json::write(prompts.get("others").unwrap_or(&Datum::List(Vec::new())), &mut others);
    others.push('}');
    [prompt_frame.into(), others.into()]
}

/// Writes the open prompts of a viewer, each with its deadline.
fn write_prompts(prompts: &Datum, due: Option<i64>, text: &mut String) {
    let Some(Datum::List(prompt_frame)) = prompts.get("prompts") else {
        text.push_str("[]");
        return;
    };
    text.push('[');
    for (index, prompt) in prompt_frame.iter().enumerate() {
        if index > 0 {
            text.push(',');
        }
        json::write(prompt, text);
        if let Some(due) = due.filter(|_| matches!(prompt.get("deadlineMs"), Some(Datum::Int(_)))) {
            text.pop();
            text.push_str(",\"deadlineTs\":");
            text.push_str(&due.to_string());
            text.push('}');
        }
    }
    text.push(']');
}

/// Returns the deadline of the viewer's prompt. At most one is open at a time.
fn deadline_for(state: &MatchState, viewer: Viewer) -> Option<i64> {
    let Viewer::Seat(seat) = viewer else { return None };
    if state.clocks.is_paused() {
        return None;
    }
    let prompt_frame = state.session.game().pending().find(|prompt_frame| prompt_frame.seat() == seat)?;
    state.clocks.deadline(prompt_frame.id())
}

/// Writes the time bank of the viewer's own seat, and of the others unless somebody is asked without the viewer
/// knowing: a running bank would reveal who.
fn write_banks(state: &MatchState, viewer: Viewer, text: &mut String) {
    if state.config.clock.bank.is_none() {
        return;
    }
    text.push_str(",\"banks\":[");
    let mut is_first = true;
    let secret = asks_in_secret(state, viewer);
    for seat in (0..state.config.setup.seats).map(intermezzo_program::Seat) {
        let is_own = viewer == Viewer::Seat(seat);
        let Some((left, since)) = state.clocks.bank(seat).filter(|_| is_own || !secret) else { continue };
        if !std::mem::take(&mut is_first) {
            text.push(',');
        }
        text.push_str(&format!("{{\"seat\":{},\"leftMs\":{left}", seat.0));
        if let Some(since) = since {
            text.push_str(&format!(",\"runningSince\":{since}"));
        }
        text.push('}');
    }
    text.push(']');
}

/// Returns true if a question is open that the viewer may not know of.
fn asks_in_secret(state: &MatchState, viewer: Viewer) -> bool {
    let others =
        state.session.game().pending().filter(|pending| viewer != Viewer::Seat(pending.seat())).count();
    match state.session.prompts(viewer).get("others") {
        Some(Datum::List(shown)) => shown.len() < others,
        _ => others > 0,
    }
}

fn frame_start(kind: &str, match_id: &str, version: u64) -> String {
    let mut text = String::with_capacity(256);
    text.push_str("{\"type\":\"");
    text.push_str(kind);
    text.push_str("\",\"match\":\"");
    text.push_str(match_id);
    text.push_str("\",\"version\":");
    text.push_str(&version.to_string());
    text
}

/// Returns the acknowledgement of a command.
pub(crate) fn ack(command_id: &str, version: u64, result: Option<&str>) -> Utf8Bytes {
    let mut text = String::with_capacity(64);
    text.push_str("{\"type\":\"ack\",\"commandId\":");
    text.push_str(&Value::from(command_id).to_string());
    text.push_str(&format!(",\"version\":{version}"));
    if let Some(result) = result {
        text.push_str(",\"result\":");
        text.push_str(result);
    }
    text.push('}');
    text.into()
}

/// Returns the error frame for a rejected command or an invalid frame.
pub(crate) fn error(command_id: Option<&str>, problem: &Problem) -> Utf8Bytes {
    metrics::counter!("intermezzo_refusals_total", "code" => problem.code.name()).increment(1);
    let problem = serde_json::to_value(problem).unwrap_or(Value::from(Code::Internal.name()));
    let mut frame = serde_json::json!({"type": "error"});
    if let Some(id) = command_id {
        frame["commandId"] = Value::from(id);
    }
    frame["problem"] = problem;
    frame.to_string().into()
}

/// Returns the frame that lists the connected seats.
pub(crate) fn presence(match_id: &str, connected: &[u8]) -> Utf8Bytes {
    serde_json::json!({"type": "presence", "match": match_id, "connected": connected}).to_string().into()
}
