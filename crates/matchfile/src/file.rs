//! The content of a match file. Start with [`MatchFile`].
//!
//! Everything is stored twice: as names for people and as numbers for the replay. [`MatchFile::verify`] checks
//! that both agree.

use intermezzo_program::{NULL, Word};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};

use crate::hash_chain::Hash256;

/// The version of the file format.
pub const FORMAT: u32 = 1;

/// A saved match.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MatchFile {
    /// Always [`FORMAT`].
    pub format: u32,
    /// The ruleset.
    pub ruleset: RulesetName,
    /// Number of seats.
    pub seats: u8,
    /// Options that were set; the others have their defaults.
    pub options: Map<String, Value>,
    /// The seed of all randomness.
    pub seed: Hash256,
    /// Scripted dice.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub script: Option<Vec<ScriptedRoll>>,
    /// The events before the first question.
    pub start: SavedStart,
    /// Every accepted input that was not undone, in order.
    pub inputs: Vec<InputRecord>,
    /// Undone inputs, oldest branch first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub branches: Vec<UndoBranch>,
    /// The ending, if the match is over.
    pub ending: Option<SavedEnding>,
}

/// The identity of a ruleset.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RulesetName {
    /// `ruleset.id`
    pub id: String,
    /// `ruleset.version`
    pub version: String,
    /// Hash of the ruleset's source.
    pub hash: Hash256,
}

/// One scripted roll.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScriptedRoll {
    /// The label of the roll it applies to.
    #[serde(default, rename = "for", skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// The faces of the dice.
    pub faces: Vec<i64>,
}

/// The start of the match: its events up to the first wait, and the state then.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SavedStart {
    /// The events, in order.
    pub events: Vec<SavedEvent>,
    /// Hash of the whole state.
    pub state: Hash256,
    /// Hash of the previous link, the input and the state.
    pub chain: Hash256,
}

/// One accepted input and its events.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InputRecord {
    /// Counted from 1.
    pub number: u32,
    /// The input.
    pub input: SavedInput,
    /// The events, in order.
    pub events: Vec<SavedEvent>,
    /// Hash of the whole state.
    pub state: Hash256,
    /// Hash of the previous link, the input and the state.
    pub chain: Hash256,
}

/// A branch of undone inputs.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UndoBranch {
    /// The branch it leaves, by index; `None` if it leaves the main line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<usize>,
    /// The number of inputs it shares with that line.
    pub from: u32,
    /// The seat that undid.
    pub by: u8,
    /// The seats that agreed, where consent was needed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub agreed: Vec<u8>,
    /// The undone inputs, in order.
    pub inputs: Vec<InputRecord>,
}

/// An input.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum SavedInput {
    /// A seat answered.
    Answer { question: u32, seat: u8, answer: SavedAnswer },
    /// A seat sent a draft: the answer that counts if its time runs out.
    Draft { question: u32, seat: u8, answer: SavedAnswer },
    /// The time of a seat ran out.
    Timeout { question: u32, seat: u8 },
    /// A seat left.
    Leave {
        seat: u8,
        /// The cause: `disconnect`, `concede`, `kicked` or `out_of_time`.
        cause: String,
    },
    /// A seat turned auto-pass on or off.
    AutoPass {
        seat: u8,
        /// The duration: `off`, `turn` or `always`.
        until: String,
        /// True if items that others put on the stack stop it.
        stops: bool,
    },
    /// A moderator ended the match.
    Moderate {
        /// The declared winners.
        winners: Vec<u8>,
        /// The destination of the pot.
        pot: String,
    },
}

/// An answer of a seat.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SavedAnswer {
    /// The seat passed.
    Pass,
    /// Picked options, or slots with options.
    Picks(SavedPicks),
    /// Picked branches with their options; picks within a branch follow it.
    Branches(Vec<SavedBranchPick>),
}

/// Picked options.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SavedPicks {
    /// Their names; null is an empty slot.
    pub names: Vec<Value>,
    /// Their indices; −1 is an empty slot.
    pub indices: Vec<i32>,
}

/// A picked branch.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SavedBranchPick {
    /// Its id in the ruleset.
    pub id: String,
    /// Its index.
    pub branch: u16,
    /// The names of the options picked in it.
    pub names: Vec<Value>,
    /// The indices of the options picked in it.
    pub indices: Vec<i32>,
}

/// One event.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SavedEvent {
    /// Its id in the match, from 1.
    pub id: u32,
    /// Its type.
    pub event: String,
    /// The cause.
    pub cause: SavedCause,
    /// The status.
    #[serde(default, skip_serializing_if = "SavedStatus::is_applied")]
    pub status: SavedStatus,
    /// The payload with names, for people.
    pub fields: Map<String, Value>,
    /// The payload as words, for folding.
    pub words: PayloadWords,
}

/// The cause of an event.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SavedCause {
    /// The input with this number; 0 is the start of the match.
    Input(u32),
    /// The event with this id.
    Event(u32),
}

/// The status of an event.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SavedStatus {
    /// The event was applied.
    #[default]
    Applied,
    /// The event was prevented.
    Prevented,
    /// A rule failed during the event.
    Failed,
}

impl SavedStatus {
    fn is_applied(&self) -> bool {
        *self == SavedStatus::Applied
    }
}

/// The ending of a match.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SavedEnding {
    /// The outcome.
    pub outcome: String,
    pub winners: Vec<u8>,
    pub losers: Vec<u8>,
    /// The destination of the pot.
    pub pot: String,
    /// The score of each seat, if the rules gave one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<Vec<i64>>,
}

/// Payload words. In JSON, null stands for the absent value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PayloadWords(pub Vec<Word>);

impl Serialize for PayloadWords {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().map(|word| (*word != NULL).then_some(*word)))
    }
}

impl<'de> Deserialize<'de> for PayloadWords {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<PayloadWords, D::Error> {
        let words = Vec::<Option<Word>>::deserialize(deserializer)?;
        Ok(PayloadWords(words.into_iter().map(|word| word.unwrap_or(NULL)).collect()))
    }
}

impl MatchFile {
    /// Returns all events with the number of their input; 0 is the start of the match.
    pub fn events(&self) -> impl Iterator<Item = (u32, &SavedEvent)> {
        let later =
            self.inputs.iter().flat_map(|entry| entry.events.iter().map(|event| (entry.number, event)));
        self.start.events.iter().map(|event| (0, event)).chain(later)
    }

    /// Returns the last link of the hash chain.
    #[must_use]
    pub fn chain(&self) -> Hash256 {
        self.inputs.last().map_or(self.start.chain, |entry| entry.chain)
    }

    /// Returns the hash of the seed. Servers publish it when a match starts, so the seed cannot be changed
    /// afterwards.
    #[must_use]
    pub fn commitment(&self) -> Hash256 {
        Hash256(*blake3::hash(&self.seed.0).as_bytes())
    }

    /// Returns the bytes that the first link covers: the whole setup of the match.
    pub(crate) fn header(&self) -> Vec<u8> {
        let RulesetName { id, version, hash } = &self.ruleset;
        let header = (self.format, (id, version, hash), self.seats, &self.options, self.seed, &self.script);
        serde_json::to_vec(&header).expect("a header has only text keys and finite numbers")
    }
}
