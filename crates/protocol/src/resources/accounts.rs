//! Accounts and signing in.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::RatingInfo;

/// A wish for an account: with a password, or as a guest.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NewAccount {
    /// 3 to 24 letters, digits, `_` or `-`. A guest without one is given one.
    #[serde(default)]
    pub name: Option<String>,
    /// 8 to 200 characters. Without it the account is a guest's.
    #[serde(default)]
    pub password: Option<String>,
}

/// Name and password.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SignIn {
    /// In any case of letters.
    pub name: String,
    /// As it was set.
    pub password: String,
}

/// Makes an account of a guest's, or changes the password.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NewPassword {
    /// The password so far; a guest has none.
    #[serde(default)]
    pub current: Option<String>,
    /// 8 to 200 characters.
    pub password: String,
    /// A new name, if wanted.
    #[serde(default)]
    pub name: Option<String>,
}

/// A new name.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Rename {
    /// 3 to 24 letters, digits, `_` or `-`.
    pub name: String,
}

/// Who somebody is.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AccountInfo {
    /// Stays the same for ever.
    pub id: String,
    /// As others see it.
    pub name: String,
    /// Has no password.
    pub guest: bool,
    /// May look into and end matches of others.
    pub moderator: bool,
    /// Since when.
    pub created_ms: i64,
    /// How many tokens there are; only told to the account itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub balance: Option<i64>,
}

/// What everybody may know of an account.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Profile {
    /// Stays the same for ever.
    pub id: String,
    /// As others see it.
    pub name: String,
    /// Has no password.
    pub guest: bool,
    /// Since when.
    pub created_ms: i64,
    /// How well it plays what it has played.
    pub ratings: Vec<Played>,
}

/// How well an account plays a ruleset it has played.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Played {
    /// The ruleset's id.
    pub ruleset: String,
    /// How well.
    #[serde(flatten)]
    pub rating: RatingInfo,
}

/// A token and whose it is.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SignedIn {
    /// To be sent with every request. It is shown this once.
    pub token: String,
    /// When it ends, unless it is used before.
    pub expires_ms: i64,
    /// The account.
    pub account: AccountInfo,
}
