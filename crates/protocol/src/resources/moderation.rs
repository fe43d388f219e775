//! What moderators did.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Control;

/// Something a moderator did in a match.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ModerationInfo {
    /// When.
    pub at_ms: i64,
    /// The moderator's account.
    pub account: String,
    /// What it is called now.
    pub name: String,
    /// The match.
    pub match_id: String,
    /// What was done, with the reason that was given.
    pub control: Control,
}
