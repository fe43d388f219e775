//! Records of moderator actions.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Control;

/// An action of a moderator in a match.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ModerationInfo {
    /// When it happened.
    pub at_ms: i64,
    /// The moderator's account.
    pub account: String,
    /// The moderator's current name.
    pub name: String,
    /// The match.
    pub match_id: String,
    /// The action, with the moderator's reason.
    pub control: Control,
}
