//! Playing over HTTP: what is sent to a match that is under way, and what it answers.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::frames::{Bank, Notice};

/// A command was taken, and is kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Taken {
    /// The version the sender has then.
    pub branch_id: u64,
}

/// All a viewer may see.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ViewNow {
    /// The viewer's version.
    pub version: u64,
    /// Hash of the view: 16 hex digits.
    pub hash: String,
    /// The view; its shape is told by the ruleset's own schema.
    pub view: Value,
}

/// A match that waits for an account.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TurnInfo {
    /// The match.
    pub match_id: String,
    /// The seat of the account that is asked.
    pub seat: u8,
    /// What it is asked.
    pub title: String,
    /// When the time for it is over, milliseconds since 1970.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deadline_ts: Option<i64>,
}

/// The questions that are open for a viewer.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct OpenInputs {
    /// The viewer's version.
    pub version: u64,
    /// The questions, with options and deadlines.
    pub prompts: Vec<Value>,
    /// Whether the seat passes by itself, if it does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub auto: Option<Value>,
    /// Time left in the banks of the seats, if they have any.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub banks: Vec<Bank>,
    /// Whether the match and its clocks stand until a moderator lets them go on.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub paused: bool,
}

/// What a seat can do now.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ActionsNow {
    /// The version the seat has.
    pub branch_id: u64,
    /// Whether the seat is asked what to do.
    pub asked: bool,
    /// What can be done, with costs and targets.
    pub actions: Vec<Value>,
    /// What cannot be done, and why.
    pub unavailable: Vec<Value>,
}

/// An answer to a question, or a draft of one.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Answers {
    /// Options by name, label or number, in a list or alone; null for an empty slot; `"pass"` to decline.
    pub answers: Value,
}

/// The beginning of a path.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PathSoFar {
    /// Step by step, written as an answer.
    #[serde(default)]
    pub so_far: Vec<Value>,
}

/// What may follow it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PathNext {
    /// The steps that may come next.
    pub options: Vec<Value>,
    /// Whether the path may end here.
    pub enough: bool,
}

/// What one step of a match brought to a viewer.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PastStep {
    /// The viewer's version then.
    pub version: u64,
    /// When it was taken.
    pub at_ms: i64,
    /// The events the viewer may see, in order: `n`, `event`, `cause`, `payload`.
    pub events: Vec<Value>,
    /// What else there is to know.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notices: Vec<Notice>,
}

/// What happened in a match, as a viewer saw it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Past {
    /// One for each version, in order.
    pub items: Vec<PastStep>,
    /// Ask for what came `since` this version to get the next ones; nothing if these are all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<u64>,
}

/// Where a match of one's own goes on from.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ForkAt {
    /// After so many inputs of the match file.
    pub at: u32,
}

/// What there is to say about a ruleset.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Checked {
    /// Whether it could be played.
    pub playable: bool,
    /// Hash of its rules, if it could.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hash: Option<String>,
    /// Errors, warnings and hints with file, line and column.
    pub diagnostics: Vec<Value>,
}

/// The files of a ruleset as they were published.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RulesetFiles {
    /// Names exactly these rules.
    pub hash: String,
    /// Text of each file by its path.
    pub files: std::collections::BTreeMap<String, String>,
}

/// Whether a server is well.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Health {
    /// `ok`, or `draining` when it is about to stop.
    pub status: String,
    /// The version of the program.
    pub version: String,
}

/// What a server is.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Welcome {
    /// The name of the program.
    pub name: String,
    /// The version of the program.
    pub version: String,
    /// Where the document of the HTTP operations is.
    pub openapi: String,
    /// Where the document of the WebSocket is.
    pub asyncapi: String,
    /// Whether it is the workshop of a ruleset's author, with a playground.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub dev: bool,
}
