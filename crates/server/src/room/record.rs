//! The rows of a match as its operator reads them: who sent what when, and which questions that opened and closed.

use std::collections::BTreeSet;

use intermezzo_desk::Entry;
use intermezzo_engine::{Input, InputId, Viewer};
use intermezzo_ruleset::Seat;
use serde::Serialize;

use super::clocks::Question;
use super::fold::Room;
use super::row::{Row, Step};

/// One row of a match, as its operator reads it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RowInfo {
    /// Its place, from 1.
    pub version: u64,
    /// When it was written, milliseconds since 1970.
    pub at_ms: i64,
    /// The account that sent it; nothing for the server itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sender: Option<String>,
    /// The [digest](command_digest) of the sender's command id; 0 if there was none.
    pub command: u64,
    /// What it did: `begin`, `answer`, `draft`, `timeout`, `leave`, `paused` …
    pub step: &'static str,
    /// Whose seat did it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seat: Option<u8>,
    /// Which question it was about, as the match counts them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input: Option<u32>,
    /// Questions that are open since this row.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub opened: Vec<OpenedQuestion>,
    /// Questions that were open until this row.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub closed: Vec<u32>,
    /// The version each seat has after it.
    pub seen: Vec<u64>,
    /// Whether the match is over after it.
    pub is_over: bool,
}

/// A question that a row opened.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct OpenedQuestion {
    /// As the match counts questions.
    pub input: u32,
    /// Who is asked.
    pub seat: u8,
    /// How long there is for it.
    pub deadline_ms: Option<i64>,
}

/// Stands for a command id, so that the same command is known again.
///
/// `account` is the number of the account: its id, read as hexadecimal digits.
#[must_use]
pub fn command_digest(account: u128, seat: Option<u8>, id: &str) -> u64 {
    if id.is_empty() {
        return 0;
    }
    let mut hasher = blake3::Hasher::new();
    hasher.update(&account.to_le_bytes());
    hasher.update(&[seat.unwrap_or(u8::MAX)]);
    hasher.update(id.as_bytes());
    let hash = hasher.finalize();
    let word = hash.as_bytes()[..8].try_into().map_or(1, u64::from_le_bytes);
    word.max(1)
}

/// What a row says, with the room after it and the questions that were open before it.
pub(crate) fn info(body: &[u8], room: &Room, before: &[Question]) -> Option<RowInfo> {
    let row = Row::decode(body).ok()?;
    let after = room.questions();
    let (step, seat, input) = told(&row.step);
    let is_in =
        |list: &[Question], question: &Question| list.iter().any(|other| other.input == question.input);
    let opened =
        after.iter().filter(|question| !is_in(before, question)).map(opened).collect::<BTreeSet<_>>();
    let closed = before.iter().filter(|question| !is_in(&after, question)).map(|question| question.input.0);
    let seats = (0..room.terms.setup.seats).map(|seat| room.desk.version(Viewer::Seat(Seat(seat))));
    Some(RowInfo {
        version: room.version,
        at_ms: row.at,
        sender: (row.sender != 0).then(|| format!("{:032x}", row.sender)),
        command: row.command,
        step,
        seat: seat.map(|seat| seat.0),
        input: input.map(|input| input.0),
        opened: opened.into_iter().collect(),
        closed: closed.collect(),
        seen: seats.collect(),
        is_over: room.desk.playing().is_over(),
    })
}

fn opened(question: &Question) -> OpenedQuestion {
    OpenedQuestion { input: question.input.0, seat: question.seat.0, deadline_ms: question.deadline_ms }
}

fn told(step: &Step) -> (&'static str, Option<Seat>, Option<InputId>) {
    match step {
        Step::Begin => ("begin", None, None),
        Step::Entry(bytes) => {
            Entry::decode(bytes).map_or(("unreadable", None, None), |entry| told_entry(&entry))
        }
        Step::Lost(seat) | Step::HungUp(seat) => ("lost", Some(Seat(*seat)), None),
        Step::Returned(seat) | Step::Connected { seat, .. } => ("returned", Some(Seat(*seat)), None),
        Step::Paused(_) => ("paused", None, None),
        Step::Resumed => ("resumed", None, None),
        Step::Replaced(seat) => ("replaced", Some(Seat(*seat)), None),
    }
}

fn told_entry(entry: &Entry) -> (&'static str, Option<Seat>, Option<InputId>) {
    match entry {
        Entry::Input(Input::Answer { input, seat, .. }) => ("answer", Some(*seat), Some(*input)),
        Entry::Input(Input::Draft { input, seat, .. }) => ("draft", Some(*seat), Some(*input)),
        Entry::Input(Input::Timeout { input }) => ("timeout", None, Some(*input)),
        Entry::Input(Input::Leave { seat, .. }) => ("leave", Some(*seat), None),
        Entry::Input(Input::AutoPass { seat, .. }) => ("auto_pass", Some(*seat), None),
        Entry::Input(Input::Moderate { .. }) => ("moderate", None, None),
        Entry::Ahead { seat, .. } => ("ahead", Some(*seat), None),
        Entry::TakeBack { seat } => ("take_back", Some(*seat), None),
        Entry::Agree { seat } => ("agree", Some(*seat), None),
        Entry::Decline { seat } => ("decline", Some(*seat), None),
        Entry::Teach { seat } => ("teach", Some(*seat), None),
    }
}
