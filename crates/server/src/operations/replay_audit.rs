//! Audit of a stored match by replay, with everything its viewers should have received: for tests that
//! compare servers. Start with [`Node::audit_match`](crate::Node::audit_match).

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use intermezzo_engine::Viewer;
use intermezzo_program::Seat;
use intermezzo_protocol::{Problem, WireVersion};
use intermezzo_session::SessionEntry;
use intermezzo_store::{MatchId, Store};
use serde_json::Value;
use tracing::Span;

use crate::app::match_details;
use crate::connections::frame_text;
use crate::connections::outbox::Outbox;
use crate::match_task::{
    CommandReply, FrameCommand, MatchCommand, MatchConfig, MatchState, Replica, RowInfo, RowKind, entry_of,
    resolve_command, row_info, store_unavailable,
};
use crate::problem_mapping;
use intermezzo_services::Services;

/// A replayed match.
pub struct ReplayAudit {
    pub rows: Vec<RowInfo>,
    /// Expected updates of each seat, by version.
    pub seat_updates: Vec<BTreeMap<u64, SeatUpdate>>,
    config: MatchConfig,
    /// Snapshots of the match after each row.
    snapshots: Vec<Vec<u8>>,
    /// Session entries, with the versions of their rows.
    entries: Vec<(u64, SessionEntry)>,
}

/// Everything that one seat should receive at one of its versions.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SeatUpdate {
    /// Frames that lead to this version: events, and changes of the view.
    pub frames: Vec<String>,
    /// Hash of the view.
    pub hash: String,
    /// Prompts that it may receive at this version, [without times](without_times).
    pub prompts: BTreeSet<String>,
}

impl ReplayAudit {
    /// Replays a match.
    pub(crate) async fn run(
        services: &Services,
        store: &Arc<dyn Store>,
        id: MatchId,
    ) -> Result<ReplayAudit, Problem> {
        let config = match_details(services, id).await?.config;
        let name = id.to_string();
        let mut replica = Replica::new(config.clone());
        let seats = usize::from(config.setup.seats);
        let seat_updates = vec![BTreeMap::new(); seats];
        let (rows, snapshots, entries) = (Vec::new(), Vec::new(), Vec::new());
        let mut audit = ReplayAudit { rows, seat_updates, config, snapshots, entries };
        for row in store.rows(id, 0, usize::MAX).await.map_err(|error| store_unavailable(&error))? {
            let before = replica.state().map(|state| state.open_questions()).unwrap_or_default();
            let viewer_updates = replica.apply_row(id, &row.body)?;
            let Some(state) = replica.state() else { continue };
            for viewer_update in &viewer_updates {
                let Viewer::Seat(seat) = viewer_update.viewer else { continue };
                let frames = frame_text::update(&name, state, viewer_update, WireVersion::V1).step;
                let update =
                    audit.seat_updates[usize::from(seat.0)].entry(viewer_update.version).or_default();
                update.frames = frames.iter().map(ToString::to_string).collect();
            }
            audit.record_state(&name, state);
            audit.rows.extend(row_info(&row.body, state, &before));
            audit.snapshots.push(state.snapshot());
            audit.entries.extend(entry_of(&row.body).map(|entry| (row.version, entry)));
        }
        Ok(audit)
    }

    fn record_state(&mut self, name: &str, state: &mut MatchState) {
        for (seat, update) in (0u8..).zip(&mut self.seat_updates) {
            let viewer = Viewer::Seat(Seat(seat));
            let update = update.entry(state.session.version(viewer)).or_default();
            update.hash = frame_text::view_hash(state, viewer, WireVersion::V1);
            let questions = frame_text::prompt_frames(name, state, viewer, WireVersion::V1);
            update.prompts.extend(questions.iter().filter_map(|text| without_times(text)));
        }
    }

    /// Returns the problem code with which the match after so many rows rejects a seat's command; `None` if
    /// it accepts.
    ///
    /// # Errors
    ///
    /// If the frame is not a command, or the match has fewer rows.
    pub fn refusal_code(&self, rows: u64, seat: u8, frame: &str) -> Result<Option<&'static str>, Problem> {
        let missing = || Problem::not_found("row");
        let snapshot = usize::try_from(rows).ok().and_then(|rows| self.snapshots.get(rows.checked_sub(1)?));
        let mut state =
            MatchState::restore(self.config.clone(), snapshot.ok_or_else(missing)?).ok_or_else(missing)?;
        let seat = Seat(seat);
        let no_command = || Problem::not_found("command");
        let frame = serde_json::from_str(frame).map_err(|_| no_command())?;
        let FrameCommand { branch, body, .. } = FrameCommand::from_frame(frame).ok_or_else(no_command)??;
        let (outbox, _inbox) = Outbox::new();
        let (id, reply) = (String::new(), CommandReply::Frame(outbox));
        let command = MatchCommand {
            seat: Some(seat),
            account: 0,
            is_moderator: false,
            id,
            branch,
            body,
            reply,
            span: Span::none(),
            received_at: tokio::time::Instant::now(),
        };
        let entry = match resolve_command(&mut state, &command) {
            Ok(RowKind::Entry(entry)) => entry,
            Ok(_) => return Ok(None),
            Err(problem) => return Ok(Some(problem.code.name())),
        };
        let past: Vec<SessionEntry> =
            self.entries.iter().filter(|(row, _)| *row <= rows).map(|(_, entry)| entry.clone()).collect();
        let past = state.session.needs_history(&entry).then_some(&past[..]);
        match state.session.apply(&entry, past) {
            Ok(_) => Ok(None),
            Err(refusal) => Ok(Some(
                problem_mapping::refusal_problem(&mut state.session, Some(seat), &refusal).code.name(),
            )),
        }
    }
}

impl std::fmt::Debug for ReplayAudit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ReplayAudit").field("rows", &self.rows).finish_non_exhaustive()
    }
}

/// Removes everything that depends on the time from a frame with prompts.
#[must_use]
pub fn without_times(text: &str) -> Option<String> {
    let mut frame: Value = serde_json::from_str(text).ok()?;
    let fields = frame.as_object_mut()?;
    for name in ["banks", "paused"] {
        fields.shift_remove(name);
    }
    let prompts = fields.get_mut("prompts").and_then(Value::as_array_mut);
    for prompt in prompts.into_iter().flatten().filter_map(Value::as_object_mut) {
        prompt.shift_remove("deadlineTs");
    }
    Some(frame.to_string())
}
