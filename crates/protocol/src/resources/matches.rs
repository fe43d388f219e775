//! Matches as the lobby shows them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::object::perhaps;

/// A wish for a match.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CreateMatch {
    /// `id`, `id@version` or the hash of a ruleset.
    pub ruleset: String,
    /// Options that differ from what the ruleset says.
    #[serde(default)]
    pub options: Map<String, Value>,
    /// How many seats; as the ruleset says, if nothing is said.
    #[serde(default)]
    pub seats: Option<u8>,
    /// Who may take which seat; people, where nothing is said.
    #[serde(default)]
    pub places: Vec<PlaceKind>,
    /// What lists call it.
    #[serde(default)]
    pub name: Option<String>,
    /// Not listed; who knows its code may sit down.
    #[serde(default)]
    pub private: bool,
    /// Every seat pays the ruleset's entry.
    #[serde(default)]
    pub stake: bool,
    /// Counts for ratings if all seats are people; public matches do, unless told otherwise.
    #[serde(default)]
    pub rated: Option<bool>,
    /// One account may take several seats.
    #[serde(default)]
    pub hotseat: bool,
    /// The creator takes the first free seat unless this is false.
    #[serde(default)]
    pub sit: Option<bool>,
    /// Where the ruleset says nothing about time.
    #[serde(default, deserialize_with = "perhaps")]
    pub clock: Option<Clock>,
    /// Who may watch.
    #[serde(default, deserialize_with = "perhaps")]
    pub spectators: Option<Spectators>,
}

/// Who may take a seat.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum PlaceKind {
    /// Anybody.
    Human,
    /// A bot that plays by chance.
    Random,
    /// A bot that looks one step ahead.
    Greedy,
    /// A bot that searches.
    Mcts,
}

/// A player that is a program.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum BotKind {
    /// Plays by chance.
    Random,
    /// Looks one step ahead.
    Greedy,
    /// Searches: plays on from its answers again and again.
    Mcts,
}

/// How much time there is where the ruleset says nothing.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Clock {
    /// Milliseconds each seat has for the whole match.
    #[serde(default)]
    pub bank_ms: Option<u64>,
    /// Milliseconds that come back with every answer.
    #[serde(default)]
    pub increment_ms: Option<u64>,
    /// Milliseconds a lost connection may take to come back.
    #[serde(default)]
    pub grace_ms: Option<u64>,
}

/// Who may watch.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Spectators {
    /// Whether anybody may.
    pub allowed: bool,
    /// How much later they see things, in milliseconds.
    #[serde(default)]
    pub delay_ms: u64,
}

impl Default for Spectators {
    fn default() -> Spectators {
        Spectators { allowed: true, delay_ms: 0 }
    }
}

/// Taking a seat.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Sit {
    /// Which; the first free one, if nothing is said.
    #[serde(default)]
    pub seat: Option<u8>,
    /// The code of a private match.
    #[serde(default)]
    pub code: Option<String>,
}

/// Being ready, or not any more.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Ready {
    /// Whether the match may start.
    pub ready: bool,
}

/// A bot for a free seat, or none any more.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SeatBot {
    /// Which bot; null gives the seat back to people.
    pub bot: Option<BotKind>,
}

/// How far a match is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum MatchStatus {
    /// Seats are being taken.
    Open,
    /// Under way.
    Playing,
    /// Came to its end.
    Ended,
    /// Never started, or could not be brought to an end.
    Cancelled,
}

/// The rules of a match.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RulesetRef {
    /// Names the game.
    pub id: String,
    /// As its author counts.
    pub version: String,
    /// For people.
    pub name: String,
    /// Names exactly these rules.
    pub hash: String,
}

/// One seat of a match.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SeatInfo {
    /// From 0.
    pub seat: u8,
    /// Who sits there, if it is a person.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub account: Option<String>,
    /// Who sits there, if it is a bot.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bot: Option<BotKind>,
    /// What others call who sits there; nothing if nobody does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The match may start.
    pub ready: bool,
    /// Kept for this account, who played there before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kept_for: Option<String>,
}

/// What a match is played for.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StakeInfo {
    /// What the ruleset calls it.
    pub currency: String,
    /// What each seat pays.
    pub entry: i64,
}

/// How a match ended.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EndingInfo {
    /// The ruleset's word for it.
    pub outcome: String,
    /// Seats that won.
    pub winners: Vec<u8>,
    /// Seats that lost.
    pub losers: Vec<u8>,
    /// What becomes of the pot: `winners`, `split`, `burn` or `refund`.
    pub pot: String,
    /// Why, where the outcome does not say it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// A match as the lobby shows it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MatchInfo {
    /// Names it.
    pub id: String,
    /// What lists call it.
    pub name: String,
    /// Its rules.
    pub ruleset: RulesetRef,
    /// How far it is.
    pub status: MatchStatus,
    /// The account that may start it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// Who sits where.
    pub seats: Vec<SeatInfo>,
    /// Options that differ from what the ruleset says.
    pub options: Map<String, Value>,
    /// Not listed.
    pub private: bool,
    /// What others need to sit down; only told to those who sit there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// What it is played for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stake: Option<StakeInfo>,
    /// Counts for ratings.
    pub rated: bool,
    /// One account may take several seats.
    pub hotseat: bool,
    /// Time, where the ruleset says nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock: Option<Clock>,
    /// Who may watch.
    pub spectators: Spectators,
    /// blake3 of the seed, known from the start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commitment: Option<String>,
    /// Where its chance came from, known at its end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<String>,
    /// When it was made.
    pub created_ms: i64,
    /// When it started.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started_ms: Option<i64>,
    /// When it ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_ms: Option<i64>,
    /// How it ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ending: Option<EndingInfo>,
    /// The match this one repeats.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rematch_of: Option<String>,
    /// The match that repeats this one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rematch: Option<String>,
}
