//! Replays of ended matches, event by event.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::matches::{EndingInfo, RulesetRef};
use crate::frames::SeatOccupant;

/// A page of a replay, for one viewer.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReplayPage {
    /// The match.
    #[serde(rename = "match")]
    pub match_id: String,
    /// The viewer: `all`, `spectator`, or `seat0`, `seat1`, …
    #[serde(rename = "as")]
    pub viewer: String,
    /// Its ruleset.
    pub ruleset: RulesetRef,
    /// The players, by seat.
    pub seats: Vec<SeatOccupant>,
    /// When it started.
    pub started_ms: Option<i64>,
    /// When it ended.
    pub ended_ms: Option<i64>,
    /// Number of inputs in this viewer's list, including the start.
    pub input_count: usize,
    /// Number of events in this viewer's list.
    pub event_count: usize,
    /// The inputs of this page. Each input is on exactly one page.
    pub inputs: Vec<ReplayInput>,
    /// The events of this page.
    pub events: Vec<ReplayEvent>,
    /// Undone inputs, oldest first; only for `all`, and only on the first page.
    pub branches: Vec<ReplayBranch>,
    /// The result.
    pub ending: Option<EndingInfo>,
    /// The `after` of the next page; absent on the last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<u32>,
}

/// An input of a match.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReplayInput {
    /// Position in this viewer's list; 0 is the start of the match.
    pub number: usize,
    /// When it was accepted.
    pub at_ms: Option<i64>,
    /// The seat that sent it; null if none did, or if it is hidden from the viewer.
    pub seat: Option<u8>,
    /// `start`, `answer`, `draft`, `timeout`, `leave`, `auto_pass` or `moderate`; null if it is hidden from the viewer.
    pub kind: Option<String>,
    /// Description of the input.
    pub text: Option<String>,
    /// The first event it caused.
    pub first_event: Option<u32>,
    /// The last event it caused.
    pub last_event: Option<u32>,
    /// The `at` of a fork that continues after this input and all its events; null if forks are not possible.
    pub fork_at: Option<u32>,
}

/// An event of a match.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReplayEvent {
    /// Number of the event for this viewer, from 1.
    pub n: u32,
    /// Number of the input it belongs to.
    pub input: usize,
    /// Type of the event.
    pub event: String,
    /// The event's result.
    pub status: ReplayStatus,
    /// Number of the event that caused it; null if the input caused it directly, or if the cause is hidden from the
    /// viewer. It may be larger than `n`: reactions to an upcoming event are listed before that event.
    pub cause: Option<u32>,
    /// Length of its chain of causes.
    pub depth: u32,
    /// Number of items on the stack after it.
    pub stack: usize,
    /// Description of the event.
    pub text: String,
    /// Its fields, with the names of the view.
    pub payload: Value,
    /// The engine's number of the event, as in match files; only for `all`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<u32>,
}

/// The result of an event.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum ReplayStatus {
    /// The event happened.
    Applied,
    /// A reaction prevented it.
    Prevented,
    /// A rule failed.
    Failed,
}

/// A branch of undone inputs.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReplayBranch {
    /// Number of the branch, from 1.
    pub number: usize,
    /// The branch it splits off from; null for the main line.
    pub parent: Option<usize>,
    /// Number of inputs it shares with its parent.
    pub from: u32,
    /// The seat that undid them.
    pub by: u8,
    /// The seats that agreed.
    pub agreed: Vec<u8>,
    /// The undone inputs.
    pub inputs: Vec<BranchInput>,
}

/// An undone input.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BranchInput {
    /// Number of the input.
    pub number: u32,
    /// The seat that sent it.
    pub seat: Option<u8>,
    /// Kind of the input, as in `ReplayInput`.
    pub kind: String,
    /// Description of the input.
    pub text: String,
    /// The events it caused.
    pub events: Vec<BranchEvent>,
}

/// An event of an undone input.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BranchEvent {
    /// Type of the event.
    pub event: String,
    /// Description of the event.
    pub text: String,
}

/// The state after an event.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReplayMoment {
    /// The match.
    #[serde(rename = "match")]
    pub match_id: String,
    /// The viewer.
    #[serde(rename = "as")]
    pub viewer: String,
    /// Number of the event; 0 is the state before the first one.
    pub at: u32,
    /// Number of the input it belongs to.
    pub input: usize,
    /// The viewer's view.
    pub view: Value,
    /// True if the match was waiting for input or had ended.
    pub is_waiting: bool,
    /// Open questions: the viewer's, or everyone's for `all`. Empty in the middle of an input.
    pub prompts: Vec<Value>,
    /// Events and rules in progress, outermost first; only for `all`.
    pub under_way: Vec<InProgressInfo>,
    /// Pending reactions, the next one first; only for `all`.
    pub pending_reactions: Vec<ReactionInfo>,
}

/// An event or rule in progress.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "UnderWayInfo")]
pub struct InProgressInfo {
    /// `event`, `rule`, `resolving`, `group`, `moving` or `leaving`.
    pub kind: String,
    /// Type of the event, or name of the rule.
    pub name: String,
    /// Number of the event, or of the event the rule belongs to, if it has happened.
    pub event: Option<u32>,
    /// Stage of an event: `before`, `happened`, `then` or `after`.
    pub stage: Option<String>,
    /// The entity the rule belongs to.
    pub source: Option<String>,
    /// File of the statement that runs next.
    pub file: Option<String>,
    /// Line in that file.
    pub line: Option<u32>,
}

/// A pending reaction.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReactionInfo {
    /// Id of the reaction.
    pub name: String,
    /// Number of the event it reacts to.
    pub event: Option<u32>,
    /// Type of that event.
    pub to: String,
    /// The entity it belongs to; null for rules of the ruleset.
    pub source: Option<String>,
    /// `now`, or `stack` if it is put on the stack first.
    #[serde(rename = "where")]
    pub place: String,
    /// File of its declaration.
    pub file: Option<String>,
    /// Line in that file.
    pub line: Option<u32>,
}
