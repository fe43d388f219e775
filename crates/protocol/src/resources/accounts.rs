//! Accounts and sign-in.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::RatingInfo;

/// The request to create an account, with a password or as a guest.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NewAccount {
    /// 3 to 24 letters, digits, `_` or `-`. The server generates a name for guests without one.
    #[serde(default)]
    pub name: Option<String>,
    /// 8 to 200 characters. Without a password the account is a guest.
    #[serde(default)]
    pub password: Option<String>,
}

/// The request to sign in.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SignIn {
    /// The account's name; case does not matter.
    pub name: String,
    /// The account's password.
    pub password: String,
}

/// The request to set a password. A guest becomes a regular account.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NewPassword {
    /// The current password; absent for guests.
    #[serde(default)]
    pub current: Option<String>,
    /// 8 to 200 characters.
    pub password: String,
    /// A new name, optional.
    #[serde(default)]
    pub name: Option<String>,
}

/// The request to rename the account.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Rename {
    /// 3 to 24 letters, digits, `_` or `-`.
    pub name: String,
}

/// An account.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AccountInfo {
    /// Id of the account; never changes.
    pub id: String,
    /// Display name.
    pub name: String,
    /// True if the account has no password.
    pub guest: bool,
    /// True if the account may watch, pause and end any match.
    pub moderator: bool,
    /// When the account was created.
    pub created_ms: i64,
    /// Token balance; sent only to the account itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub balance: Option<i64>,
}

/// The public profile of an account.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Profile {
    /// Id of the account; never changes.
    pub id: String,
    /// Display name.
    pub name: String,
    /// True if the account has no password.
    pub guest: bool,
    /// When the account was created.
    pub created_ms: i64,
    /// Ratings, one for each ruleset played.
    pub ratings: Vec<RulesetRating>,
}

/// An account's rating in a ruleset it has played.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Played")]
pub struct RulesetRating {
    /// The ruleset's id.
    pub ruleset: String,
    /// The rating.
    #[serde(flatten)]
    pub rating: RatingInfo,
}

/// A new token and its account.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "SignedIn")]
pub struct IssuedToken {
    /// The token to send with every request. The server returns it only once.
    pub token: String,
    /// When it expires, unless it is used before then.
    pub expires_ms: i64,
    /// The account.
    pub account: AccountInfo,
}

/// A one-time substitute for a token, for URLs.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TicketInfo {
    /// The ticket; it can be used once.
    pub ticket: String,
    /// When it expires.
    pub expires_ms: i64,
}
