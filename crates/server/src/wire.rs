//! Frames about a match, written straight as text.
//!
//! What they look like is told by `intermezzo_protocol::ServerFrame`; tests read
//! every frame back as one.

use axum::extract::ws::Utf8Bytes;
use intermezzo_desk::{Notice, Shown};
use intermezzo_engine::{Datum, Viewer};
use intermezzo_protocol::{Code, Problem, json, patch};
use serde_json::Value;

use crate::room::Room;

/// The frames that bring one viewer from one version to the next.
pub(crate) fn update(match_id: &str, room: &mut Room, shown: &Shown, with_prompts: bool) -> Vec<Utf8Bytes> {
    let mut frames = vec![appended(match_id, shown)];
    if let Some(before) = &shown.before {
        frames.push(delta(match_id, shown.version, before, room.desk.view(shown.viewer)));
    }
    if with_prompts && shown.prompts_changed {
        frames.extend(questions(match_id, room, shown.viewer));
    }
    frames
}

fn appended(match_id: &str, shown: &Shown) -> Utf8Bytes {
    let mut text = head("event.appended", match_id, shown.version);
    text.push_str(",\"events\":[");
    for (place, event) in shown.events.iter().enumerate() {
        if place > 0 {
            text.push(',');
        }
        json::write(event, &mut text);
    }
    text.push(']');
    if !shown.notices.is_empty() {
        text.push_str(",\"notices\":");
        let notices: Vec<Value> = shown.notices.iter().map(notice).collect();
        text.push_str(&Value::from(notices).to_string());
    }
    text.push('}');
    text.into()
}

fn notice(notice: &Notice) -> Value {
    let (name, by) = match notice {
        Notice::TakenBack { by } => ("taken_back", Some(by)),
        Notice::WouldTakeBack { by } => ("would_take_back", Some(by)),
        Notice::NotTakenBack { by } => ("not_taken_back", Some(by)),
        Notice::AheadForgotten => ("ahead_forgotten", None),
    };
    match by {
        Some(by) => serde_json::json!({"notice": name, "by": by.0}),
        None => serde_json::json!({"notice": name}),
    }
}

fn delta(match_id: &str, version: u64, before: &Datum, view: &Datum) -> Utf8Bytes {
    let mut text = head("state.delta", match_id, version);
    text.push_str(",\"patch\":");
    patch::write(before, view, &mut text);
    text.push_str(",\"hash\":\"");
    text.push_str(&hash(view));
    text.push_str("\"}");
    text.into()
}

/// The hash of a view, for clients to compare.
pub(crate) fn hash(view: &Datum) -> String {
    intermezzo_protocol::view_hash(view)
}

/// What a viewer is asked, and who else is.
pub(crate) fn questions(match_id: &str, room: &mut Room, viewer: Viewer) -> [Utf8Bytes; 2] {
    let version = room.desk.version(viewer);
    let due = due_of(room, viewer);
    let mut asked = head("pending.input", match_id, version);
    let mut banks = String::new();
    write_banks(room, viewer, &mut banks);
    let prompts = room.desk.prompts(viewer);
    asked.push_str(",\"prompts\":");
    write_prompts(prompts, due, &mut asked);
    if let Some(auto) = prompts.get("auto") {
        asked.push_str(",\"auto\":");
        json::write(auto, &mut asked);
    }
    asked.push_str(&banks);
    asked.push('}');
    let mut others = head("priority.changed", match_id, version);
    others.push_str(",\"others\":");
    json::write(prompts.get("others").unwrap_or(&Datum::List(Vec::new())), &mut others);
    others.push('}');
    [asked.into(), others.into()]
}

/// The open questions of a viewer, each with the moment its time is over.
fn write_prompts(prompts: &Datum, due: Option<i64>, text: &mut String) {
    let Some(Datum::List(asked)) = prompts.get("prompts") else {
        text.push_str("[]");
        return;
    };
    text.push('[');
    for (place, prompt) in asked.iter().enumerate() {
        if place > 0 {
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

/// When the time is over for the question a viewer is asked. There is one open at a time.
fn due_of(room: &Room, viewer: Viewer) -> Option<i64> {
    let Viewer::Seat(seat) = viewer else { return None };
    let asked = room.desk.playing().pending().find(|asked| asked.seat() == seat)?;
    room.clocks.deadline(asked.id())
}

/// Banks of the viewer's own seat, and of those that are asked openly: others would tell who still thinks.
fn write_banks(room: &Room, viewer: Viewer, text: &mut String) {
    if room.terms.clock.bank.is_none() {
        return;
    }
    text.push_str(",\"banks\":[");
    let mut is_first = true;
    let secret = room.desk.playing().pending().any(|asked| asked.choice().secret);
    for seat in (0..room.terms.setup.seats).map(intermezzo_ruleset::Seat) {
        let is_own = viewer == Viewer::Seat(seat);
        let Some((left, since)) = room.clocks.bank(seat).filter(|_| is_own || !secret) else { continue };
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

fn head(kind: &str, match_id: &str, version: u64) -> String {
    let mut text = String::with_capacity(256);
    text.push_str("{\"type\":\"");
    text.push_str(kind);
    text.push_str("\",\"match\":\"");
    text.push_str(match_id);
    text.push_str("\",\"version\":");
    text.push_str(&version.to_string());
    text
}

/// A command was taken.
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

/// A command was refused, or a frame was no good.
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

/// Which seats have a connection.
pub(crate) fn presence(match_id: &str, connected: &[u8]) -> Utf8Bytes {
    serde_json::json!({"type": "presence", "match": match_id, "connected": connected}).to_string().into()
}
