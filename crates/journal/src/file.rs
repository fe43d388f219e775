//! What a match file says. Start with [`MatchFile`].
//!
//! Everything is there twice: as names for people and as numbers for replaying.
//! [`MatchFile::verify`] checks that both say the same.

use intermezzo_ruleset::{NULL, Word};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};

use crate::chain::Hash;

/// The version of the format that is read and written here.
pub const FORMAT: u32 = 1;

/// A saved match.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MatchFile {
    /// Always [`FORMAT`].
    pub format: u32,
    /// What was played.
    pub ruleset: RulesetName,
    /// How many seats.
    pub seats: u8,
    /// Options that were set; the others are as the ruleset says.
    pub options: Map<String, Value>,
    /// Where chance came from.
    pub seed: Hash,
    /// Dice that were known beforehand.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub script: Option<Vec<ScriptedRoll>>,
    /// What happened before anyone was asked.
    pub start: Step,
    /// Every input that was accepted and not taken back, in order.
    pub inputs: Vec<Entry>,
    /// What was taken back, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub branches: Vec<Branch>,
    /// How the match ended, if it has.
    pub ending: Option<SavedEnding>,
}

/// Which rules were played.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RulesetName {
    /// `ruleset.id`
    pub id: String,
    /// `ruleset.version`
    pub version: String,
    /// Hash of the rules as written.
    pub hash: Hash,
}

/// One roll of scripted dice.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScriptedRoll {
    /// What the roll has to be for.
    #[serde(default, rename = "for", skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// What the dice show.
    pub faces: Vec<i64>,
}

/// Events up to a wait, and what the match was then.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Step {
    /// What happened, in order.
    pub events: Vec<SavedEvent>,
    /// Hash of the whole state.
    pub state: Hash,
    /// Hash of the previous link, the input and the state.
    pub chain: Hash,
}

/// One accepted input and what it led to.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// Counted from 1.
    pub number: u32,
    /// What entered.
    pub input: SavedInput,
    /// What happened, in order.
    pub events: Vec<SavedEvent>,
    /// Hash of the whole state.
    pub state: Hash,
    /// Hash of the previous link, the input and the state.
    pub chain: Hash,
}

/// Inputs that were taken back.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Branch {
    /// The branch it leaves, by its place in the list; nothing if it leaves what counts now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<usize>,
    /// How many inputs it has in common with that.
    pub from: u32,
    /// Who took back.
    pub by: u8,
    /// Who agreed to it, where that was needed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub agreed: Vec<u8>,
    /// What was taken back, in order.
    pub inputs: Vec<Entry>,
}

/// An input as it was sent.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum SavedInput {
    /// A seat answered.
    Answer {
        /// Which question.
        question: u32,
        /// Who.
        seat: u8,
        /// What.
        answer: SavedAnswer,
    },
    /// A seat showed what it would answer if the clock ran out.
    Draft {
        /// Which question.
        question: u32,
        /// Who.
        seat: u8,
        /// What.
        answer: SavedAnswer,
    },
    /// The clock ran out for a seat.
    Timeout {
        /// Which question.
        question: u32,
        /// Whose.
        seat: u8,
    },
    /// A seat left.
    Leave {
        /// Who.
        seat: u8,
        /// Why: `disconnect`, `concede`, `kicked` or `out_of_time`.
        cause: String,
    },
    /// A seat passes by itself from then on, or no longer.
    AutoPass {
        /// Who.
        seat: u8,
        /// For how long: `off`, `turn` or `always`.
        until: String,
        /// Whether what others put on the stack stops it.
        stops: bool,
    },
    /// A moderator ended the match.
    Moderate {
        /// Who was declared winner.
        winners: Vec<u8>,
        /// What became of the pot.
        pot: String,
    },
}

/// What a seat sent.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SavedAnswer {
    /// Declined.
    Pass,
    /// Options, or slots with options.
    Picks(SavedPicks),
    /// Branches with their options; what is taken of the branches of one follows it.
    Branches(Vec<SavedBranch>),
}

/// Picked options.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SavedPicks {
    /// What they are; null is an empty slot.
    pub names: Vec<Value>,
    /// Their numbers; −1 is an empty slot.
    pub indices: Vec<i32>,
}

/// A picked branch.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SavedBranch {
    /// What the rules call it.
    pub id: String,
    /// Its number.
    pub branch: u16,
    /// What was picked in it.
    pub names: Vec<Value>,
    /// The numbers of what was picked in it.
    pub indices: Vec<i32>,
}

/// One event.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SavedEvent {
    /// Its number in the match, from 1.
    pub id: u32,
    /// Its type.
    pub event: String,
    /// Why it happened.
    pub cause: SavedCause,
    /// What became of it.
    #[serde(default, skip_serializing_if = "SavedStatus::is_applied")]
    pub status: SavedStatus,
    /// Its payload for people.
    pub fields: Map<String, Value>,
    /// Its payload for the fold.
    pub words: Words,
}

/// Why an event happened.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SavedCause {
    /// The input with that number; 0 is the start of the match.
    Input(u32),
    /// The event with that id.
    Event(u32),
}

/// What became of an event.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SavedStatus {
    /// It happened.
    #[default]
    Applied,
    /// Something prevented it.
    Prevented,
    /// A rule failed.
    Failed,
}

impl SavedStatus {
    fn is_applied(&self) -> bool {
        *self == SavedStatus::Applied
    }
}

/// How a match ended.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SavedEnding {
    /// The outcome.
    pub outcome: String,
    /// Who won.
    pub winners: Vec<u8>,
    /// Who lost.
    pub losers: Vec<u8>,
    /// What became of the pot.
    pub pot: String,
}

/// Payload words; null stands for the absent value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Words(pub Vec<Word>);

impl Serialize for Words {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().map(|word| (*word != NULL).then_some(*word)))
    }
}

impl<'de> Deserialize<'de> for Words {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Words, D::Error> {
        let words = Vec::<Option<Word>>::deserialize(deserializer)?;
        Ok(Words(words.into_iter().map(|word| word.unwrap_or(NULL)).collect()))
    }
}

impl MatchFile {
    /// All events with the number of the input they belong to; 0 is the start of the match.
    pub fn events(&self) -> impl Iterator<Item = (u32, &SavedEvent)> {
        let later =
            self.inputs.iter().flat_map(|entry| entry.events.iter().map(|event| (entry.number, event)));
        self.start.events.iter().map(|event| (0, event)).chain(later)
    }

    /// The last link of the chain.
    #[must_use]
    pub fn chain(&self) -> Hash {
        self.inputs.last().map_or(self.start.chain, |entry| entry.chain)
    }

    /// The hash of the seed. Servers tell it when a match begins, so that the seed cannot be another afterwards.
    #[must_use]
    pub fn commitment(&self) -> Hash {
        Hash(*blake3::hash(&self.seed.0).as_bytes())
    }

    /// What the first link of the chain covers: everything the match was set up with.
    pub(crate) fn header(&self) -> Vec<u8> {
        let RulesetName { id, version, hash } = &self.ruleset;
        let header = (self.format, (id, version, hash), self.seats, &self.options, self.seed, &self.script);
        serde_json::to_vec(&header).expect("a header has only text keys and finite numbers")
    }
}
