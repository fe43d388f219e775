//! Waiting for others to play with.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Problem;

/// A wish to play with whoever else wants to.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct JoinQueue {
    /// For the ruleset's entry. Those who do and those who do not are not brought together.
    #[serde(default)]
    pub stake: bool,
}

/// How many wait for others to play a ruleset with.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct QueueLength {
    /// The ruleset.
    pub ruleset: String,
    /// How many; always more than 0.
    pub waiting: u32,
}

/// How far waiting has come.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct QueueStatus {
    /// The ruleset.
    pub ruleset: String,
    /// For its entry.
    pub stake: bool,
    /// Since when.
    pub since_ms: i64,
    /// How far.
    #[serde(flatten)]
    pub state: QueueState,
}

/// What has become of waiting.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "state", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum QueueState {
    /// Nothing yet.
    Waiting,
    /// A match has started.
    Found {
        /// That match.
        match_id: String,
    },
    /// It came to nothing.
    Dropped {
        /// Why.
        problem: Problem,
    },
}
