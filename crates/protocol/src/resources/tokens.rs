//! Token transfers.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The reason for a transfer.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Reason")]
pub enum TransferReason {
    /// The starting balance of a new account.
    Welcome,
    /// The account took a seat in a staked match.
    Entry,
    /// The account left the seat before the start, or the match never started.
    Returned,
    /// The pot went to the winners.
    Prize,
    /// The account's share of a split pot.
    Share,
    /// The match was refunded.
    Refund,
    /// The pot was burned.
    Burnt,
    /// The account was deleted.
    Closed,
}

/// A transfer of tokens between two holders.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TransferInfo {
    /// Id of the transfer. Later transfers sort after earlier ones.
    pub id: String,
    /// `account:{id}`, `escrow:{match}` or `mint`.
    pub from: String,
    /// `account:{id}`, `escrow:{match}` or `burned`.
    pub to: String,
    /// Number of tokens; always more than 0.
    pub amount: i64,
    /// The reason.
    pub reason: TransferReason,
    /// The match it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub match_id: Option<String>,
    /// When it happened.
    pub at_ms: i64,
}
