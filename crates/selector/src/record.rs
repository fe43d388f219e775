//! The record of a match whose rules are a function: [`ResponseRecord`].

use intermezzo_engine::{InputId, Seed};
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::response::Response;

/// The players, the seed, and the responses in order of arrival.
///
/// Automatic responses are not stored: they follow from the rest.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ResponseRecord {
    players: Vec<String>,
    #[serde(serialize_with = "write_seed", deserialize_with = "read_seed")]
    seed: Seed,
    responses: Vec<RecordedResponse>,
}

impl ResponseRecord {
    /// Creates the record of a new match. The first player has seat 0.
    pub fn new<N: Into<String>>(players: impl IntoIterator<Item = N>, seed: Seed) -> ResponseRecord {
        ResponseRecord { players: players.into_iter().map(Into::into).collect(), seed, responses: Vec::new() }
    }

    /// Returns the names of the players by seat.
    #[must_use]
    pub fn players(&self) -> &[String] {
        &self.players
    }

    /// Returns the seed of all randomness.
    #[must_use]
    pub fn seed(&self) -> Seed {
        self.seed
    }

    /// Returns the responses in order of arrival.
    #[must_use]
    pub fn responses(&self) -> &[RecordedResponse] {
        &self.responses
    }

    /// Returns the record without its last response; `None` if it has none.
    #[must_use]
    pub fn without_last(&self) -> Option<ResponseRecord> {
        let (_, earlier) = self.responses.split_last()?;
        Some(ResponseRecord { players: self.players.clone(), seed: self.seed, responses: earlier.to_vec() })
    }

    /// Returns the record with one more response.
    pub(crate) fn with(&self, input: InputId, response: Response) -> ResponseRecord {
        let mut record = self.clone();
        record.responses.push(RecordedResponse { input: input.0, response });
        record
    }
}

/// An accepted response.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecordedResponse {
    input: u32,
    response: Response,
}

impl RecordedResponse {
    /// Returns the request it answers.
    #[must_use]
    pub fn input(&self) -> InputId {
        InputId(self.input)
    }

    /// Returns the response, including its actor.
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
