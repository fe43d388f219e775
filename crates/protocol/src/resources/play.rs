//! Requests to a match in progress and their responses; rulesets and the server itself.

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use crate::frames::{Bank, MatchNotice};
use crate::problem::{Code, Problem};

/// Confirmation that a command was accepted and saved.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Taken")]
pub struct CommandReceipt {
    /// The sender's version after the command.
    pub branch_id: u64,
}

/// Everything a viewer may see.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ViewNow {
    /// The viewer's version.
    pub version: u64,
    /// Hash of the view, 16 hexadecimal digits.
    pub hash: String,
    /// The view. The ruleset's schema describes it.
    pub view: Value,
}

/// A match that waits for the account.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TurnInfo {
    /// The match.
    pub match_id: String,
    /// The account's seat with an open question.
    pub seat: u8,
    /// Title of the question.
    pub title: String,
    /// Deadline in milliseconds since 1970.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deadline_ts: Option<i64>,
}

/// The questions open for a viewer.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct OpenInputs {
    /// The viewer's version.
    pub version: u64,
    /// The questions, with options and deadlines.
    pub prompts: Vec<Value>,
    /// The auto-pass setting of the seat, if it is on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub auto: Option<Value>,
    /// Time left in the seats' time banks, if they have any.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub banks: Vec<Bank>,
    /// True while a moderator has paused the match and its clocks.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub paused: bool,
}

/// The actions of a seat.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ActionsNow {
    /// The seat's version.
    pub branch_id: u64,
    /// True if the seat may act now.
    pub asked: bool,
    /// Possible actions, each with its targets: `id`, `name`, `description`, `cost` and `timing` for people; `action`,
    /// `host`, `targets`, `costs` and `label` for programs.
    pub actions: Vec<Value>,
    /// Actions that are not possible, with the reason.
    pub unavailable: Vec<Value>,
}

/// An answer to a question, or a draft of one.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Answers {
    /// Options by value, label or number (`{"n": 2}`), as a list or a single one; null for an empty slot; `"pass"` to
    /// decline.
    #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    pub answers: Option<Value>,
    /// In place of `answers`: true to accept what is offered, false to decline.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub activate: Option<bool>,
    /// With `activate`: the target, if there are several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target_id: Option<Value>,
}

impl Answers {
    /// Returns the answer, whichever way it is written.
    ///
    /// # Errors
    ///
    /// If there is no answer, or more than one.
    pub fn into_answers(self) -> Result<Value, Problem> {
        match (self.answers, self.activate, self.target_id) {
            (Some(answers), None, None) => Ok(answers),
            (None, Some(false), _) => Ok(Value::Bool(false)),
            (None, _, Some(target)) => Ok(target),
            (None, Some(true), None) => Ok(Value::Bool(true)),
            (None, None, None) => Err(Problem::new(Code::Invalid, "`answers` is missing")),
            (Some(_), ..) => Err(Problem::new(
                Code::Invalid,
                "send either `answers` or `activate` and `targetId`, not both",
            )),
        }
    }
}

/// Reads a field that is present, even if it is null.
pub(crate) fn given<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}

/// The beginning of a path.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PathSoFar {
    /// The steps, in the form of an answer.
    #[serde(default)]
    pub so_far: Vec<Value>,
}

/// The possible continuations of a path.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PathNext {
    /// The possible next steps.
    pub options: Vec<Value>,
    /// True if the path may end here.
    pub enough: bool,
}

/// One step of a match, as a viewer saw it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "PastStep")]
pub struct HistoryStep {
    /// The viewer's version after the step.
    pub version: u64,
    /// When the step happened.
    pub at_ms: i64,
    /// The events the viewer may see, in order: `n`, `event`, `cause`, `payload`.
    pub events: Vec<Value>,
    /// Notices that are not game events.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notices: Vec<MatchNotice>,
}

/// The history of a match, as a viewer saw it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Past")]
pub struct EventHistory {
    /// The steps, one for each version, in order.
    pub items: Vec<HistoryStep>,
    /// The `since` of the next page; absent on the last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<u64>,
}

/// The request to fork a match.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ForkAt {
    /// The number of inputs of the match file to copy.
    pub at: u32,
}

/// The result of checking a ruleset.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Checked")]
pub struct RulesetCheck {
    /// True if it has no errors.
    pub playable: bool,
    /// Hash of its rules, if it has no errors.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hash: Option<String>,
    /// Errors, warnings and hints with file, line and column.
    pub diagnostics: Vec<Value>,
}

/// The files of a ruleset, as published.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RulesetFiles {
    /// Hash of the rules.
    pub hash: String,
    /// Text of each file, by path.
    pub files: std::collections::BTreeMap<String, String>,
}

/// The health of a server.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Health {
    /// `ok`, or `draining` while it shuts down.
    pub status: String,
    /// Version of the server program.
    pub version: String,
}

/// Information about a server.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Welcome")]
pub struct ServerInfo {
    /// Name of the server program.
    pub name: String,
    /// Version of the server program.
    pub version: String,
    /// Path of the OpenAPI document.
    pub openapi: String,
    /// Path of the AsyncAPI document.
    pub asyncapi: String,
    /// True if the server has a playground (`intermezzo dev`).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub dev: bool,
}
