//! How well accounts play.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How well an account plays one ruleset.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RatingInfo {
    /// The best guess; everyone starts at 1500.
    pub rating: f64,
    /// How far off the guess may well be; everyone starts at 250.
    pub uncertainty: f64,
    /// What the account surely is worth: the rating less twice the uncertainty.
    pub surely: f64,
    /// Matches that counted.
    pub matches: u32,
    /// Those won.
    pub wins: u32,
    /// Those lost.
    pub losses: u32,
}

/// A line of a leaderboard.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Standing {
    /// The account.
    pub account: String,
    /// Its name.
    pub name: String,
    /// How well it plays.
    #[serde(flatten)]
    pub rating: RatingInfo,
}
