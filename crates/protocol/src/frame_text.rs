//! Frames about a match, written directly as JSON text.
//!
//! Their structure is that of [`ServerFrame`](crate::ServerFrame); tests of the server parse every frame back into one.

use std::sync::Arc;

use intermezzo_engine::{Datum, EventContent, ViewChange, ViewerEvent};

use crate::frames::{Bank, MatchNotice, WireVersion};
use crate::{ViewHash, json, patch, view_hash};

/// The clocks of the server, as far as they belong to the prompts of a viewer.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct PromptClocks {
    /// When the viewer's prompt expires, in milliseconds since 1970. At most one prompt is open at a time.
    pub deadline: Option<i64>,
    /// The time banks that the viewer may see; `None` if the match has none.
    pub banks: Option<Vec<Bank>>,
    /// True while a moderator has paused the match.
    pub is_paused: bool,
}

/// A step of a match as one viewer notices it.
#[derive(Clone, Copy, Debug)]
pub struct ViewerStep<'a> {
    pub match_id: &'a str,
    /// The viewer's version.
    pub version: u64,
    pub events: &'a [ViewerEvent],
    pub notices: &'a [MatchNotice],
    /// The changes of the view.
    pub changes: &'a [ViewChange],
    /// The view after the step.
    pub view: &'a Datum,
}

impl ViewerStep<'_> {
    /// Writes the frame `update`. `hash` is that of the view, needed if it has changed; `prompts` are given if they have
    /// changed.
    #[must_use]
    pub fn update_frame(
        &self,
        hash: impl FnOnce() -> ViewHash,
        prompts: Option<(&Datum, &PromptClocks)>,
    ) -> String {
        let mut text = String::with_capacity(self.expected_length(prompts.is_some()));
        start_frame("update", self.match_id, self.version, &mut text);
        self.write_events(&mut text);
        if !self.changes.is_empty() {
            text.push_str(",\"patch\":");
            patch::write_changes(self.changes, self.view, &mut text);
            text.push_str(",\"hash\":\"");
            text.push_str(&hash().to_hex());
            text.push('"');
        }
        if let Some((prompts, clocks)) = prompts {
            write_prompt_fields(prompts, clocks, &mut text);
            write_others(prompts, &mut text);
        }
        text.push('}');
        text
    }

    /// Writes the frame `event.appended`.
    #[must_use]
    pub fn event_frame(&self) -> String {
        let mut text = frame_start("event.appended", self.match_id, self.version);
        self.write_events(&mut text);
        if !self.changes.is_empty() {
            text.push_str(",\"changesView\":true");
        }
        text.push('}');
        text
    }

    /// Writes the frame `state.delta`; `None` if the view has not changed.
    #[must_use]
    pub fn delta_frame(&self) -> Option<String> {
        if self.changes.is_empty() {
            return None;
        }
        let mut text = frame_start("state.delta", self.match_id, self.version);
        text.push_str(",\"patch\":");
        patch::write_changes(self.changes, self.view, &mut text);
        text.push_str(",\"hash\":\"");
        text.push_str(&view_hash(self.view));
        text.push_str("\"}");
        Some(text)
    }

    /// Returns about the length of an update, so that its text rarely has to move to make room.
    fn expected_length(&self, has_prompts: bool) -> usize {
        let prompts = if has_prompts { 512 } else { 0 };
        192 + 112 * self.events.len() + 96 * self.changes.len() + prompts
    }

    fn write_events(&self, text: &mut String) {
        text.push_str(",\"events\":[");
        for (index, event) in self.events.iter().enumerate() {
            if index > 0 {
                text.push(',');
            }
            write_event(event, text);
        }
        text.push(']');
        if !self.notices.is_empty() {
            text.push_str(",\"notices\":");
            text.push_str(&serde_json::to_string(self.notices).unwrap_or_default());
        }
    }
}

/// Writes an event. Content that several viewers share is written once and copied.
fn write_event(event: &ViewerEvent, text: &mut String) {
    text.push_str("{\"n\":");
    json::write_number(i64::from(event.number), text);
    text.push_str(",\"event\":");
    json::write_text(&event.content.event, text);
    text.push_str(",\"cause\":");
    match event.cause {
        Some(cause) => json::write_number(i64::from(cause), text),
        None => text.push_str("null"),
    }
    if Arc::strong_count(&event.content) == 1 {
        write_event_content(&event.content, text);
        return;
    }
    text.push_str(event.content.text(|content| {
        let mut text = String::with_capacity(128);
        write_event_content(content, &mut text);
        text
    }));
}

/// Writes the rest of an event, which does not depend on the viewer's numbers.
fn write_event_content(content: &EventContent, text: &mut String) {
    text.push_str(",\"payload\":");
    json::write(&content.payload, text);
    if let Some(status) = &content.status {
        text.push_str(",\"status\":");
        json::write_text(status, text);
    }
    text.push('}');
}

/// Writes what the session returns as the prompts of a viewer: `pending.input`, and in version 1 `priority.changed`.
#[must_use]
pub fn prompt_frames(
    wire: WireVersion,
    match_id: &str,
    version: u64,
    prompts: &Datum,
    clocks: &PromptClocks,
) -> Vec<String> {
    let mut own = frame_start("pending.input", match_id, version);
    write_prompt_fields(prompts, clocks, &mut own);
    if wire == WireVersion::V2 {
        write_others(prompts, &mut own);
        own.push('}');
        return vec![own];
    }
    own.push('}');
    let mut others = frame_start("priority.changed", match_id, version);
    write_others(prompts, &mut others);
    others.push('}');
    vec![own, others]
}

fn write_prompt_fields(prompts: &Datum, clocks: &PromptClocks, text: &mut String) {
    text.push_str(",\"prompts\":");
    write_prompts(prompts, clocks.deadline, text);
    if let Some(auto) = prompts.get("auto") {
        text.push_str(",\"auto\":");
        json::write(auto, text);
    }
    if let Some(banks) = &clocks.banks {
        text.push_str(",\"banks\":");
        text.push_str(&serde_json::to_string(banks).unwrap_or_default());
    }
    if clocks.is_paused {
        text.push_str(",\"paused\":true");
    }
}

fn write_others(prompts: &Datum, text: &mut String) {
    text.push_str(",\"others\":");
    match prompts.get("others") {
        Some(shown) => json::write(shown, text),
        None => text.push_str("[]"),
    }
}

/// Writes the open prompts of a viewer, each with its deadline.
fn write_prompts(prompts: &Datum, deadline: Option<i64>, text: &mut String) {
    let Some(Datum::List(prompts)) = prompts.get("prompts") else {
        text.push_str("[]");
        return;
    };
    text.push('[');
    for (index, prompt) in prompts.iter().enumerate() {
        if index > 0 {
            text.push(',');
        }
        json::write(prompt, text);
        if let Some(deadline) = deadline.filter(|_| matches!(prompt.get("deadlineMs"), Some(Datum::Int(_)))) {
            text.pop();
            text.push_str(",\"deadlineTs\":");
            json::write_number(deadline, text);
            text.push('}');
        }
    }
    text.push(']');
}

fn frame_start(kind: &str, match_id: &str, version: u64) -> String {
    let mut text = String::with_capacity(256);
    start_frame(kind, match_id, version, &mut text);
    text
}

fn start_frame(kind: &str, match_id: &str, version: u64, text: &mut String) {
    text.push_str("{\"type\":\"");
    text.push_str(kind);
    text.push_str("\",\"match\":\"");
    text.push_str(match_id);
    text.push_str("\",\"version\":");
    json::write_number(i64::try_from(version).unwrap_or(i64::MAX), text);
}
