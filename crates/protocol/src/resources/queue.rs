//! The matchmaking queue.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Problem;

/// The request to enter a queue.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct JoinQueue {
    /// Play for the ruleset's stake. Players with and without a stake are not matched with each other.
    #[serde(default)]
    pub stake: bool,
}

/// The number of players waiting in a queue.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct QueueLength {
    /// The ruleset.
    pub ruleset: String,
    /// Number of players; always more than 0.
    pub waiting: u32,
}

/// An account's status in a queue.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct QueueStatus {
    /// The ruleset.
    pub ruleset: String,
    /// True if the account plays for the stake.
    pub stake: bool,
    /// When the account entered the queue.
    pub since_ms: i64,
    /// The state of the search.
    #[serde(flatten)]
    pub state: QueueState,
}

/// The state of a search for opponents.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "state", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum QueueState {
    /// Still searching.
    Waiting,
    /// A match has started.
    Found {
        /// The match.
        match_id: String,
    },
    /// The account was removed from the queue.
    Dropped {
        /// The reason.
        problem: Problem,
    },
}
