//! Matches gone through again from what is stored, with everything their viewers were to be told on the way: for those who
//! try servers and compare. Start with [`Node::inspect`](crate::Node::inspect).

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use intermezzo_desk::Entry;
use intermezzo_engine::Viewer;
use intermezzo_protocol::{ClientFrame, Problem};
use intermezzo_ruleset::Seat;
use intermezzo_store::{MatchId, Store};
use serde_json::Value;

use crate::app::opening;
use crate::house::House;
use crate::outbox::Outbox;
use crate::refusing;
use crate::room::{
    Command, Deed, Replica, Reply, Room, RowInfo, Terms, Wish, datum, deed, entry_of, row_info, unavailable,
};
use crate::wire;

/// A match gone through again, row by row.
pub struct Inspection {
    /// Its rows.
    pub rows: Vec<RowInfo>,
    /// What each seat was to be told, by version.
    pub told: Vec<BTreeMap<u64, Told>>,
    terms: Terms,
    /// Snapshots of the match after each row.
    after: Vec<Vec<u8>>,
    /// What was taken at the desk, by the row.
    entries: Vec<(u64, Entry)>,
}

/// What one seat was to be told at one of its versions.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Told {
    /// The frames that lead to this version: what happened, and how the view changes.
    pub frames: Vec<String>,
    /// The hash of the view.
    pub hash: String,
    /// What it may be asked while it has this version, [without the time](timeless) there is for it.
    pub questions: BTreeSet<String>,
}

impl Inspection {
    /// Goes through a match.
    pub(crate) async fn of(
        house: &House,
        store: &Arc<dyn Store>,
        id: MatchId,
    ) -> Result<Inspection, Problem> {
        let terms = opening(house, id).await?.terms;
        let name = id.to_string();
        let mut replica = Replica::new(terms.clone());
        let seats = usize::from(terms.setup.seats);
        let (rows, after, entries, told) = (Vec::new(), Vec::new(), Vec::new(), vec![BTreeMap::new(); seats]);
        let mut inspection = Inspection { rows, told, terms, after, entries };
        for row in store.rows(id, 0, usize::MAX).await.map_err(|error| unavailable(&error))? {
            let before = replica.room().map(|room| room.questions()).unwrap_or_default();
            let shown = replica.follow(id, &row.body)?;
            let Some(room) = replica.room() else { continue };
            for shown in &shown {
                let Viewer::Seat(seat) = shown.viewer else { continue };
                let frames = wire::update(&name, room, shown, false);
                let told = inspection.told[usize::from(seat.0)].entry(shown.version).or_default();
                told.frames = frames.iter().map(ToString::to_string).collect();
            }
            inspection.note_state(&name, room);
            inspection.rows.extend(row_info(&row.body, room, &before));
            inspection.after.push(room.snapshot());
            inspection.entries.extend(entry_of(&row.body).map(|entry| (row.version, entry)));
        }
        Ok(inspection)
    }

    fn note_state(&mut self, name: &str, room: &mut Room) {
        for (seat, told) in (0u8..).zip(&mut self.told) {
            let viewer = Viewer::Seat(Seat(seat));
            let told = told.entry(room.desk.version(viewer)).or_default();
            told.hash = wire::hash(room.desk.view(viewer));
            let questions = wire::questions(name, room, viewer);
            told.questions.extend(questions.iter().filter_map(|text| timeless(text)));
        }
    }

    /// With which code a command of a seat is refused by the match as it was after so many rows; nothing if it is taken.
    ///
    /// # Errors
    ///
    /// If the frame is no command, or there are not so many rows.
    pub fn refusal(&self, rows: u64, seat: u8, frame: &str) -> Result<Option<&'static str>, Problem> {
        let missing = || Problem::not_found("row");
        let after = usize::try_from(rows).ok().and_then(|rows| self.after.get(rows.checked_sub(1)?));
        let mut room = Room::restore(self.terms.clone(), after.ok_or_else(missing)?).ok_or_else(missing)?;
        let seat = Seat(seat);
        let (branch, wish) = wish(frame)?;
        let (outbox, _inbox) = Outbox::new();
        let (id, reply) = (String::new(), Reply::Frame(outbox));
        let command = Command { seat: Some(seat), account: 0, is_moderator: false, id, branch, wish, reply };
        let entry = match deed(&mut room, &command) {
            Ok(Deed::Entry(entry)) => entry,
            Ok(Deed::Note(_)) => return Ok(None),
            Err(problem) => return Ok(Some(problem.code.name())),
        };
        let past: Vec<Entry> =
            self.entries.iter().filter(|(row, _)| *row <= rows).map(|(_, entry)| entry.clone()).collect();
        let past = room.desk.needs_past(&entry).then_some(&past[..]);
        match room.desk.take(&entry, past) {
            Ok(_) => Ok(None),
            Err(refusal) => Ok(Some(refusing::problem(&mut room.desk, Some(seat), &refusal).code.name())),
        }
    }
}

impl std::fmt::Debug for Inspection {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Inspection").field("rows", &self.rows).finish_non_exhaustive()
    }
}

/// A frame with questions, without anything that depends on the time.
#[must_use]
pub fn timeless(text: &str) -> Option<String> {
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

/// What a frame asks for, and for which version.
fn wish(frame: &str) -> Result<(Option<u64>, Wish), Problem> {
    let no_command = || Problem::not_found("command");
    Ok(match serde_json::from_str(frame).map_err(|_| no_command())? {
        ClientFrame::ActionSubmit { branch_id, action, .. } => (branch_id, Wish::Act(action)),
        ClientFrame::InputSubmit { input_id, answers, branch_id, .. } => {
            (branch_id, Wish::Answer { input: input_id, answers: datum(&answers)? })
        }
        ClientFrame::InputDraft { input_id, answers, .. } => {
            (None, Wish::Draft { input: input_id, answers: datum(&answers)? })
        }
        ClientFrame::SystemControl { control, branch_id, .. } => (branch_id, Wish::Control(control)),
        _ => return Err(no_command()),
    })
}
