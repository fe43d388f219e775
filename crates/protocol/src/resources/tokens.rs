//! Tokens that change hands.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Why tokens changed hands.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Reason {
    /// What every account starts with.
    Welcome,
    /// A seat of a staked match was taken.
    Entry,
    /// The seat was left before the start, or the match never started.
    Returned,
    /// The pot went to the winners.
    Prize,
    /// The pot was split.
    Share,
    /// Everyone got back what they paid.
    Refund,
    /// The pot was lost.
    Burnt,
    /// The account was deleted.
    Closed,
}

/// Tokens that went from one holder to another.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TransferInfo {
    /// Names it; later ones sort after earlier ones.
    pub id: String,
    /// `account:{id}`, `escrow:{match}` or `mint`.
    pub from: String,
    /// `account:{id}`, `escrow:{match}` or `burned`.
    pub to: String,
    /// How many; always more than 0.
    pub amount: i64,
    /// Why.
    pub reason: Reason,
    /// The match it was about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub match_id: Option<String>,
    /// When.
    pub at_ms: i64,
}
