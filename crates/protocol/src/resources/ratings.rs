//! Ratings and leaderboards.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// An account's rating in one ruleset.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RatingInfo {
    /// Estimated strength; accounts start at 1500.
    pub rating: f64,
    /// Standard deviation of the estimate; accounts start at 250.
    pub uncertainty: f64,
    /// Conservative estimate: the rating minus twice the uncertainty.
    #[serde(rename = "surely")]
    pub lower_bound: f64,
    /// Rated matches played.
    pub matches: u32,
    /// Rated matches won.
    pub wins: u32,
    /// Rated matches lost.
    pub losses: u32,
}

/// A row of a leaderboard.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Standing")]
pub struct LeaderboardRow {
    /// The account.
    pub account: String,
    /// Its name.
    pub name: String,
    /// Its rating.
    #[serde(flatten)]
    pub rating: RatingInfo,
}
