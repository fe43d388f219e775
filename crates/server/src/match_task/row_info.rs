//! Rows as operators read them: sender, time, and the prompts that each row opened and closed.

use std::borrow::Cow;
use std::collections::BTreeSet;

use intermezzo_engine::{Input, InputId, Viewer};
use intermezzo_program::Seat;
use intermezzo_session::SessionEntry;
use serde::{Deserialize, Serialize};

use super::clocks::ClockQuestion;
use super::fold::MatchState;
use super::row::{MatchRow, RowKind};

/// One row of a match, for operators.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RowInfo {
    /// Position in the log, from 1.
    pub version: u64,
    /// Time of writing in milliseconds since 1970.
    pub at_ms: i64,
    /// Account that sent it; `None` for the server itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sender: Option<String>,
    /// [Digest](command_digest) of the sender's command id; 0 without one.
    pub command: u64,
    /// Kind of the row: `begin`, `answer`, `draft`, `timeout`, `leave`, `paused` …
    pub step: Cow<'static, str>,
    /// Seat that acted or is concerned.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seat: Option<u8>,
    /// Number of the prompt that it answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input: Option<u32>,
    /// Prompts that this row opened.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub opened: Vec<OpenedQuestion>,
    /// Prompts that this row closed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub closed: Vec<u32>,
    /// Version of each seat after it.
    pub seen: Vec<u64>,
    /// True if the match is over after it.
    pub is_over: bool,
}

/// A prompt that a row opened.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OpenedQuestion {
    /// Number of the prompt within the match.
    pub input: u32,
    pub seat: u8,
    /// Time to answer.
    pub deadline_ms: Option<i64>,
}

/// Returns the digest by which a repeated command is recognized.
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

/// Describes a row, given the state after it and the prompts open before it.
pub(crate) fn row_info(body: &[u8], state: &MatchState, before: &[ClockQuestion]) -> Option<RowInfo> {
    let row = MatchRow::decode(body).ok()?;
    let after = state.open_questions();
    let (step, seat, input) = describe_kind(&row.kind);
    let is_in = |list: &[ClockQuestion], question: &ClockQuestion| {
        list.iter().any(|other| other.input == question.input)
    };
    let opened = after
        .iter()
        .filter(|question| !is_in(before, question))
        .map(opened_question)
        .collect::<BTreeSet<_>>();
    let closed = before.iter().filter(|question| !is_in(&after, question)).map(|question| question.input.0);
    let seats = (0..state.config.setup.seats).map(|seat| state.session.version(Viewer::Seat(Seat(seat))));
    Some(RowInfo {
        version: state.version,
        at_ms: row.at,
        sender: (row.sender != 0).then(|| format!("{:032x}", row.sender)),
        command: row.command,
        step: Cow::Borrowed(step),
        seat: seat.map(|seat| seat.0),
        input: input.map(|input| input.0),
        opened: opened.into_iter().collect(),
        closed: closed.collect(),
        seen: seats.collect(),
        is_over: state.session.game().is_over(),
    })
}

fn opened_question(question: &ClockQuestion) -> OpenedQuestion {
    OpenedQuestion { input: question.input.0, seat: question.seat.0, deadline_ms: question.deadline_ms }
}

fn describe_kind(step: &RowKind) -> (&'static str, Option<Seat>, Option<InputId>) {
    match step {
        RowKind::Begin => ("begin", None, None),
        RowKind::Entry(entry) => describe_entry(entry),
        RowKind::Lost(seat) | RowKind::HungUp(seat) => ("lost", Some(Seat(*seat)), None),
        RowKind::Returned(seat) | RowKind::Connected { seat, .. } => ("returned", Some(Seat(*seat)), None),
        RowKind::Paused(_) => ("paused", None, None),
        RowKind::Resumed => ("resumed", None, None),
        RowKind::Replaced(seat) => ("replaced", Some(Seat(*seat)), None),
    }
}

fn describe_entry(entry: &SessionEntry) -> (&'static str, Option<Seat>, Option<InputId>) {
    match entry {
        SessionEntry::Input(Input::Answer { input, seat, .. }) => ("answer", Some(*seat), Some(*input)),
        SessionEntry::Input(Input::Draft { input, seat, .. }) => ("draft", Some(*seat), Some(*input)),
        SessionEntry::Input(Input::Timeout { input }) => ("timeout", None, Some(*input)),
        SessionEntry::Input(Input::Leave { seat, .. }) => ("leave", Some(*seat), None),
        SessionEntry::Input(Input::AutoPass { seat, .. }) => ("auto_pass", Some(*seat), None),
        SessionEntry::Input(Input::Moderate { .. }) => ("moderate", None, None),
        SessionEntry::PreSend { seat, .. } => ("ahead", Some(*seat), None),
        SessionEntry::Undo { seat } => ("take_back", Some(*seat), None),
        SessionEntry::AgreeToUndo { seat } => ("agree", Some(*seat), None),
        SessionEntry::DeclineUndo { seat } => ("decline", Some(*seat), None),
        SessionEntry::StartTutorial { seat } => ("teach", Some(*seat), None),
    }
}
