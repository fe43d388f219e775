//! All there is to keep of a match that is a function: [`Record`].

use intermezzo_engine::{InputId, Seed};
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::response::Response;

/// Who plays, the seed of all chance, and the responses in the order in which they arrived.
///
/// What was answered without asking is not in it: it follows from the rest.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Record {
    players: Vec<String>,
    #[serde(serialize_with = "write_seed", deserialize_with = "read_seed")]
    seed: Seed,
    responses: Vec<Entry>,
}

impl Record {
    /// A match in which nobody has answered yet. The first player has seat 0.
    pub fn new<N: Into<String>>(players: impl IntoIterator<Item = N>, seed: Seed) -> Record {
        Record { players: players.into_iter().map(Into::into).collect(), seed, responses: Vec::new() }
    }

    /// The names of the players by seat.
    #[must_use]
    pub fn players(&self) -> &[String] {
        &self.players
    }

    /// What all chance follows from.
    #[must_use]
    pub fn seed(&self) -> Seed {
        self.seed
    }

    /// The responses in the order in which they arrived.
    #[must_use]
    pub fn responses(&self) -> &[Entry] {
        &self.responses
    }

    /// The record as it was before the last response; nothing if there is none.
    #[must_use]
    pub fn without_last(&self) -> Option<Record> {
        let (_, earlier) = self.responses.split_last()?;
        Some(Record { players: self.players.clone(), seed: self.seed, responses: earlier.to_vec() })
    }

    /// The record with one more response.
    pub(crate) fn with(&self, input: InputId, response: Response) -> Record {
        let mut record = self.clone();
        record.responses.push(Entry { input: input.0, response });
        record
    }
}

/// One response that was taken.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    input: u32,
    response: Response,
}

impl Entry {
    /// Which question it answers.
    #[must_use]
    pub fn input(&self) -> InputId {
        InputId(self.input)
    }

    /// The response, with its actor.
    #[must_use]
    pub fn response(&self) -> &Response {
        &self.response
    }
}

fn write_seed<S: Serializer>(seed: &Seed, serializer: S) -> Result<S::Ok, S::Error> {
    let digits: String = seed.0.iter().map(|byte| format!("{byte:02x}")).collect();
    serializer.serialize_str(&digits)
}

fn read_seed<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Seed, D::Error> {
    let digits = String::deserialize(deserializer)?;
    let wrong = || D::Error::custom("a seed is 64 hexadecimal digits");
    if digits.len() != 64 || !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
        return Err(wrong());
    }
    let mut seed = Seed([0; 32]);
    for (place, byte) in seed.0.iter_mut().enumerate() {
        *byte = u8::from_str_radix(&digits[2 * place..2 * place + 2], 16).map_err(|_| wrong())?;
    }
    Ok(seed)
}
