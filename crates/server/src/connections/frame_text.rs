//! Frames about a match: what the protocol's [`frame_text`] writes, with what only the server knows.

use intermezzo_engine::{Datum, Viewer};
use intermezzo_program::Seat;
use intermezzo_protocol::frame_text::{self, PromptClocks, ViewerStep};
use intermezzo_protocol::{Bank, Code, MatchNotice, Problem, WireVersion};
use intermezzo_session::{SessionNotice, ViewerUpdate};
use serde_json::Value;
use tokio_tungstenite::tungstenite::Utf8Bytes;

use crate::match_task::MatchState;

/// The frames that take one viewer from one version to the next.
#[derive(Clone, Debug)]
pub(crate) struct UpdateFrames {
    /// The step itself.
    pub(crate) step: Vec<Utf8Bytes>,
    /// The prompts after it, if they are separate. Only the latest matter.
    pub(crate) prompts: Vec<Utf8Bytes>,
}

impl UpdateFrames {
    pub(crate) fn into_all(self) -> impl Iterator<Item = Utf8Bytes> {
        self.step.into_iter().chain(self.prompts)
    }
}

/// Renders an update of one viewer.
pub(crate) fn update(
    match_id: &str,
    state: &mut MatchState,
    update: &ViewerUpdate,
    wire: WireVersion,
) -> UpdateFrames {
    // Prompts carry the time banks, which change with every answer.
    let with_prompts = update.prompts_changed || state.config.clock.bank.is_some();
    let (viewer, version) = (update.viewer, update.version);
    let clocks = with_prompts.then(|| prompt_clocks(state, viewer));
    let notices: Vec<MatchNotice> = update.notices.iter().map(match_notice).collect();
    let MatchState { session, view_hashes, .. } = state;
    let view = session.view(viewer);
    let changes = &update.view_changes[..];
    let step = ViewerStep { match_id, version, events: &update.events, notices: &notices, changes, view };
    let prompts = clocks.as_ref().map(|clocks| (session.prompts(viewer), clocks));
    match wire {
        WireVersion::V1 => {
            let prompts = prompts
                .map(|(prompts, clocks)| frame_text::prompt_frames(wire, match_id, version, prompts, clocks));
            let step = [Some(step.event_frame()), step.delta_frame()].into_iter().flatten();
            UpdateFrames { step: texts(step), prompts: texts(prompts.into_iter().flatten()) }
        }
        WireVersion::V2 => {
            let hash = view_hashes.after_step(viewer, version, changes, view);
            UpdateFrames { step: texts([step.update_frame(|| hash, prompts)]), prompts: Vec::new() }
        }
    }
}

fn texts(frames: impl IntoIterator<Item = String>) -> Vec<Utf8Bytes> {
    frames.into_iter().map(Utf8Bytes::from).collect()
}

/// Returns a notice as clients receive it.
pub(crate) fn match_notice(notice: &SessionNotice) -> MatchNotice {
    match notice {
        SessionNotice::Undone { by } => MatchNotice::TakenBack { by: by.0 },
        SessionNotice::UndoRequested { by } => MatchNotice::WouldTakeBack { by: by.0 },
        SessionNotice::UndoCancelled { by } => MatchNotice::NotTakenBack { by: by.0 },
        SessionNotice::PreSentDiscarded => MatchNotice::AheadForgotten,
    }
}

/// Returns the hash of a viewer's current view, for clients to compare.
pub(crate) fn view_hash(state: &mut MatchState, viewer: Viewer, wire: WireVersion) -> String {
    let version = state.session.version(viewer);
    let view = state.session.view(viewer);
    match wire {
        WireVersion::V1 => intermezzo_protocol::view_hash(view),
        WireVersion::V2 => state.view_hashes.current(viewer, version, view).to_hex(),
    }
}

/// Returns the frames with a viewer's own prompts, and with those of the other seats.
pub(crate) fn prompt_frames(
    match_id: &str,
    state: &MatchState,
    viewer: Viewer,
    wire: WireVersion,
) -> Vec<Utf8Bytes> {
    let (version, clocks) = (state.session.version(viewer), prompt_clocks(state, viewer));
    texts(frame_text::prompt_frames(wire, match_id, version, state.session.prompts(viewer), &clocks))
}

fn prompt_clocks(state: &MatchState, viewer: Viewer) -> PromptClocks {
    PromptClocks {
        deadline: deadline_for(state, viewer),
        banks: visible_banks(state, viewer),
        is_paused: state.clocks.is_paused(),
    }
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

/// Returns the time bank of the viewer's own seat, and of the others unless somebody is asked without the viewer
/// knowing: a running bank would reveal who.
fn visible_banks(state: &MatchState, viewer: Viewer) -> Option<Vec<Bank>> {
    state.config.clock.bank?;
    let secret = asks_in_secret(state, viewer);
    let seats = (0..state.config.setup.seats).map(Seat);
    let shown = seats.filter(|seat| viewer == Viewer::Seat(*seat) || !secret);
    let bank = |seat: Seat| {
        let (left_ms, running_since) = state.clocks.bank(seat)?;
        Some(Bank { seat: seat.0, left_ms, running_since })
    };
    Some(shown.filter_map(bank).collect())
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
