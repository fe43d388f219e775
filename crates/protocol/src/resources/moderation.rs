//! Moderation: actions of moderators, reports of players.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Control;

/// An action of a moderator: in a match (`matchId`, `control`), or elsewhere (`action`).
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
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub match_id: Option<String>,
    /// The action in the match, with the moderator's reason.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub control: Option<Control>,
    /// The action outside of matches, with the moderator's reason.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub action: Option<ModerationAction>,
}

/// An action of a moderator outside of matches.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase", tag = "kind")]
pub enum ModerationAction {
    /// A ruleset was taken down: no new matches, not listed.
    Takedown {
        /// Id of the ruleset.
        ruleset: String,
        /// Why.
        reason: String,
    },
    /// A ruleset that was taken down is available again.
    Restore {
        /// Id of the ruleset.
        ruleset: String,
        /// Why.
        reason: String,
    },
    /// A ruleset belongs to another account.
    Owner {
        /// Id of the ruleset.
        ruleset: String,
        /// The new owner.
        account: String,
        /// Why.
        reason: String,
    },
    /// An account was banned.
    Ban {
        /// The account.
        account: String,
        /// Why.
        reason: String,
        /// When the ban ends; absent if it does not.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        until_ms: Option<i64>,
    },
    /// A ban was lifted.
    Unban {
        /// The account.
        account: String,
        /// Why.
        reason: String,
    },
    /// A report was closed.
    CloseReport {
        /// Id of the report.
        report: String,
        /// The outcome.
        reason: String,
    },
}

/// The status of a running server.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ServerStatus {
    /// Version of the program.
    pub version: String,
    /// Matches in memory.
    pub live_matches: usize,
    /// WebSockets and event streams.
    pub connections: usize,
    /// True while the server shuts down.
    pub is_stopping: bool,
}

/// The reason for an action of a moderator.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ModerationReason {
    /// Why, for the record: 1 to 500 characters.
    pub reason: String,
}

/// The request to give a ruleset to another account.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ChangeOwner {
    /// Name or id of the new owner.
    pub account: String,
    /// Why, for the record: 1 to 500 characters.
    pub reason: String,
}

/// The request to ban an account.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct BanAccount {
    /// Why, for the record and for the account: 1 to 500 characters.
    pub reason: String,
    /// When the ban ends; without it the ban does not end.
    #[serde(default)]
    pub until_ms: Option<i64>,
}

/// The request to report something to the moderators. It names an account, a match or a ruleset.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NewReport {
    /// Name or id of the account.
    #[serde(default)]
    pub account: Option<String>,
    /// Id of the match.
    #[serde(default)]
    pub match_id: Option<String>,
    /// Id of the ruleset.
    #[serde(default)]
    pub ruleset: Option<String>,
    /// The complaint: 1 to 500 characters.
    pub reason: String,
}

/// A report of a player.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReportInfo {
    /// Id of the report.
    pub id: String,
    /// When it was made.
    pub at_ms: i64,
    /// The account that made it.
    pub by: String,
    /// Id of the reported account.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub account: Option<String>,
    /// The reported match.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub match_id: Option<String>,
    /// Id of the reported ruleset.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ruleset: Option<String>,
    /// The complaint.
    pub reason: String,
}
