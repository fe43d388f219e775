//! Matches in the lobby.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::object::optional_object_field;

/// The request to create a match.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CreateMatch {
    /// Id, `id@version` or hash of the ruleset.
    pub ruleset: String,
    /// Options that differ from the ruleset's defaults.
    #[serde(default)]
    pub options: Map<String, Value>,
    /// Number of seats; the ruleset's default if absent.
    #[serde(default)]
    pub seats: Option<u8>,
    /// Kind of player for each seat; `human` for seats not listed.
    #[serde(default)]
    pub places: Vec<PlaceKind>,
    /// The name shown in lists.
    #[serde(default)]
    pub name: Option<String>,
    /// Hides the match from lists; players need its code to sit down.
    #[serde(default)]
    pub private: bool,
    /// Every seat pays the ruleset's entry.
    #[serde(default)]
    pub stake: bool,
    /// Counts for ratings, if all players are human. By default, public matches do.
    #[serde(default)]
    pub rated: Option<bool>,
    /// Lets one account take several seats.
    #[serde(default)]
    pub hotseat: bool,
    /// The creator takes the first free seat unless this is false.
    #[serde(default)]
    pub sit: Option<bool>,
    /// Time control, if the ruleset sets none.
    #[serde(default, deserialize_with = "optional_object_field")]
    pub clock: Option<ClockSettings>,
    /// Spectator settings.
    #[serde(default, deserialize_with = "optional_object_field")]
    pub spectators: Option<Spectators>,
}

/// Kind of player that may take a seat: a human, or a bot.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum PlaceKind {
    /// Any account.
    Human,
    /// A bot that plays at random.
    Random,
    /// A bot that looks one step ahead.
    Greedy,
    /// A bot that searches with playouts.
    Mcts,
}

/// The algorithm of a bot.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "BotKind")]
pub enum BotAlgorithm {
    /// Plays at random.
    Random,
    /// Looks one step ahead.
    Greedy,
    /// Searches with playouts.
    Mcts,
}

/// Time control for rulesets that set none.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "Clock")]
pub struct ClockSettings {
    /// Time bank of each seat for the whole match, in milliseconds.
    #[serde(default)]
    pub bank_ms: Option<u64>,
    /// Milliseconds added to the bank with every answer.
    #[serde(default)]
    pub increment_ms: Option<u64>,
    /// Milliseconds a player may be disconnected.
    #[serde(default)]
    pub grace_ms: Option<u64>,
}

/// Spectator settings.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Spectators {
    /// True if spectators are allowed.
    pub allowed: bool,
    /// Delay of what spectators see, in milliseconds.
    #[serde(default)]
    pub delay_ms: u64,
}

impl Default for Spectators {
    fn default() -> Spectators {
        Spectators { allowed: true, delay_ms: 0 }
    }
}

/// The request to take a seat.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Sit {
    /// The seat; the first free one if absent.
    #[serde(default)]
    pub seat: Option<u8>,
    /// The code of a private match.
    #[serde(default)]
    pub code: Option<String>,
}

/// The request to become ready, or no longer be.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Ready {
    /// True if the player is ready.
    pub ready: bool,
}

/// The request to put a bot on a free seat, or to remove it.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SeatBot {
    /// The bot; null opens the seat to humans again.
    pub bot: Option<BotAlgorithm>,
}

/// The stage of a match.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum MatchStatus {
    /// Waiting for players.
    Open,
    /// In progress.
    Playing,
    /// Played to its end.
    Ended,
    /// Never started, or could not be finished.
    Cancelled,
}

/// The ruleset of a match.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RulesetRef {
    /// Id of the ruleset.
    pub id: String,
    /// Version given by its author.
    pub version: String,
    /// Display name.
    pub name: String,
    /// Hash of the rules.
    pub hash: String,
}

/// One seat of a match.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SeatInfo {
    /// Seat number, from 0.
    pub seat: u8,
    /// Its team, from 0; absent if the ruleset has no teams. The seats of a team win and lose together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub team: Option<u8>,
    /// The player's account, if the player is human.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub account: Option<String>,
    /// The bot, if the player is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bot: Option<BotAlgorithm>,
    /// The player's name; absent if the seat is free.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// True if the player is ready.
    pub ready: bool,
    /// The account the seat is reserved for in a rematch.
    #[serde(default, rename = "keptFor", skip_serializing_if = "Option::is_none")]
    pub reserved_for: Option<String>,
}

/// The stake of a match.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StakeInfo {
    /// The ruleset's name for the currency.
    pub currency: String,
    /// Tokens each seat pays.
    pub entry: i64,
}

/// The result of a match.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EndingInfo {
    /// The outcome declared by the ruleset.
    pub outcome: String,
    /// Seats that won.
    pub winners: Vec<u8>,
    /// Seats that lost.
    pub losers: Vec<u8>,
    /// Distribution of the pot: `winners`, `split`, `burn` or `refund`.
    pub pot: String,
    /// The score of each seat, if the rules gave one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<Vec<i64>>,
    /// The reason, if the outcome does not imply it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// A match in the lobby.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MatchInfo {
    /// Id of the match.
    pub id: String,
    /// The name shown in lists.
    pub name: String,
    /// Its ruleset.
    pub ruleset: RulesetRef,
    /// Its stage.
    pub status: MatchStatus,
    /// The host, who may start it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// Its seats.
    pub seats: Vec<SeatInfo>,
    /// Options that differ from the ruleset's defaults.
    pub options: Map<String, Value>,
    /// True if it is not listed.
    pub private: bool,
    /// The code that players need to sit down; sent only to accounts with a seat.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// Its stake.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stake: Option<StakeInfo>,
    /// True if it counts for ratings.
    pub rated: bool,
    /// Lets one account take several seats.
    pub hotseat: bool,
    /// Its time control, if the ruleset sets none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock: Option<ClockSettings>,
    /// Spectator settings.
    pub spectators: Spectators,
    /// BLAKE3 hash of the seed, known from the start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commitment: Option<String>,
    /// The random seed, published at the end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<String>,
    /// When it was created.
    pub created_ms: i64,
    /// When it started.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started_ms: Option<i64>,
    /// When it ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_ms: Option<i64>,
    /// Its result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ending: Option<EndingInfo>,
    /// The match of which this is a rematch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rematch_of: Option<String>,
    /// The rematch of this match.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rematch: Option<String>,
}
