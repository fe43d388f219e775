//! A match that is over, to be gone through event by event.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::matches::{EndingInfo, RulesetRef};
use crate::frames::Seated;

/// Part of what happened in a match, for one viewer.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReplayPage {
    /// The match.
    #[serde(rename = "match")]
    pub match_id: String,
    /// For whom: `all`, `spectator`, or `seat0`, `seat1`, …
    #[serde(rename = "as")]
    pub viewer: String,
    /// Its rules.
    pub ruleset: RulesetRef,
    /// Who sat where.
    pub seats: Vec<Seated>,
    /// When it started.
    pub started_ms: Option<i64>,
    /// When it ended.
    pub ended_ms: Option<i64>,
    /// How many inputs this viewer's list has, the start included.
    pub input_count: usize,
    /// How many events this viewer's list has.
    pub event_count: usize,
    /// The inputs of this page. All pages together have each of them once.
    pub inputs: Vec<ReplayInput>,
    /// The events of this page.
    pub events: Vec<ReplayEvent>,
    /// What was taken back, oldest first; only for `all`, and with the first page.
    pub branches: Vec<ReplayBranch>,
    /// How it ended.
    pub ending: Option<EndingInfo>,
    /// What to say as `after` to get the next page; nothing on the last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<u32>,
}

/// An input of a match.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReplayInput {
    /// Its place in the list of this viewer; 0 is the start of the match.
    pub number: usize,
    /// When it was taken.
    pub at_ms: Option<i64>,
    /// Who sent it; null if nobody did, or if that is none of the viewer's business.
    pub seat: Option<u8>,
    /// `start`, `answer`, `draft`, `timeout`, `leave`, `auto_pass` or `moderate`; null if it is none of the viewer's business.
    pub kind: Option<String>,
    /// What was sent, in words.
    pub text: Option<String>,
    /// The first event that came of it.
    pub first_event: Option<u32>,
    /// The last event that came of it.
    pub last_event: Option<u32>,
    /// A fork `at` this number goes on after this input, and after everything that came of it. Null where there are no forks.
    pub fork_at: Option<u32>,
}

/// An event of a match.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReplayEvent {
    /// Its number for this viewer, from 1.
    pub n: u32,
    /// The input it belongs to, by its number.
    pub input: usize,
    /// Its type.
    pub event: String,
    /// What became of it.
    pub status: ReplayStatus,
    /// The number of the event that caused it. Null if the input itself did, or if the cause is not for this viewer. It may
    /// be larger than `n`: what reacts before an event is told before it.
    pub cause: Option<u32>,
    /// How many causes lie above it.
    pub depth: u32,
    /// How many items lie on the stack after it.
    pub stack: usize,
    /// The event in words.
    pub text: String,
    /// Its fields, in the names of the view.
    pub payload: Value,
    /// The engine's number of it, as match files have it; only for `all`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<u32>,
}

/// What became of an event.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum ReplayStatus {
    /// It happened.
    Applied,
    /// Something prevented it.
    Prevented,
    /// A rule failed.
    Failed,
}

/// Inputs that were taken back.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReplayBranch {
    /// Its number, from 1.
    pub number: usize,
    /// The branch it leaves; null if it leaves what counts.
    pub parent: Option<usize>,
    /// How many inputs it has in common with that.
    pub from: u32,
    /// Who took back.
    pub by: u8,
    /// Who agreed to it.
    pub agreed: Vec<u8>,
    /// What was taken back.
    pub inputs: Vec<BranchInput>,
}

/// An input that was taken back.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BranchInput {
    /// Its number.
    pub number: u32,
    /// Who sent it.
    pub seat: Option<u8>,
    /// What it was, as for other inputs.
    pub kind: String,
    /// What was sent, in words.
    pub text: String,
    /// What came of it.
    pub events: Vec<BranchEvent>,
}

/// An event that counts no longer.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BranchEvent {
    /// Its type.
    pub event: String,
    /// The event in words.
    pub text: String,
}

/// How things stood after an event.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReplayMoment {
    /// The match.
    #[serde(rename = "match")]
    pub match_id: String,
    /// For whom.
    #[serde(rename = "as")]
    pub viewer: String,
    /// The number of the event; 0 is before anything happened.
    pub at: u32,
    /// The input it belongs to.
    pub input: usize,
    /// What the viewer saw, in the shape of all views.
    pub view: Value,
    /// Whether the match had come to a wait, or to its end.
    pub is_waiting: bool,
    /// What was asked then: of the viewer, or of everyone for `all`. Nothing in the middle of an input.
    pub prompts: Vec<Value>,
    /// What was under way, outermost first; only for `all`.
    pub under_way: Vec<UnderWayInfo>,
    /// The reactions still to come, the first to happen first; only for `all`.
    pub pending_reactions: Vec<ReactionInfo>,
}

/// Something that is not over yet.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UnderWayInfo {
    /// `event`, `rule`, `resolving`, `group`, `moving` or `leaving`.
    pub kind: String,
    /// The type of the event, or the name of the rule.
    pub name: String,
    /// The number of the event, or of the one the rule belongs to, if it has happened.
    pub event: Option<u32>,
    /// How far an event has come: `before`, `happened`, `then` or `after`.
    pub stage: Option<String>,
    /// The entity whose rule it is.
    pub source: Option<String>,
    /// The file of the rule that goes on next.
    pub file: Option<String>,
    /// The line in it.
    pub line: Option<u32>,
}

/// A reaction that is still to come.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReactionInfo {
    /// Its id.
    pub name: String,
    /// The number of the event it reacts to.
    pub event: Option<u32>,
    /// The type of that event.
    pub to: String,
    /// The entity whose reaction it is; null if it is a rule of the game.
    pub source: Option<String>,
    /// `now`, or `stack` if it goes on the stack first.
    #[serde(rename = "where")]
    pub place: String,
    /// The file it is declared in.
    pub file: Option<String>,
    /// The line in it.
    pub line: Option<u32>,
}
