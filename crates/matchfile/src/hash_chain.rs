//! The hash chain: the hash of each input covers the one before, so that nothing in the middle can be changed.

use std::fmt;

use intermezzo_engine::{Answer, Input};
use intermezzo_program::Seat;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// 32 bytes, written as 64 lower-case hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Hash256(pub [u8; 32]);

impl fmt::Display for Hash256 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl Hash256 {
    /// Parses a hash; `None` if it is not 64 lower-case hexadecimal digits.
    #[must_use]
    pub fn parse(text: &str) -> Option<Hash256> {
        let digits = text.as_bytes();
        if digits.len() != 64 {
            return None;
        }
        let mut bytes = [0; 32];
        for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
            *byte = digit(pair[0])? << 4 | digit(pair[1])?;
        }
        Some(Hash256(bytes))
    }

    /// Returns the first digits, enough for people to compare.
    #[must_use]
    pub fn short(&self) -> String {
        self.to_string()[..12].to_owned()
    }
}

/// Parses a digit. Upper case is rejected, so that a hash has only one text form.
fn digit(digit: u8) -> Option<u8> {
    match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        _ => None,
    }
}

impl Serialize for Hash256 {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Hash256 {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Hash256, D::Error> {
        let text = String::deserialize(deserializer)?;
        Hash256::parse(&text).ok_or_else(|| de::Error::custom("a hash is 64 lower-case hexadecimal digits"))
    }
}

/// Returns the first link: the setup (as written in the file) and the state at the first wait.
pub(crate) fn first(header: &[u8], state: Hash256) -> Hash256 {
    let mut hasher = blake3::Hasher::new();
    hasher.update(b"intermezzo match 1");
    hasher.update(&(header.len() as u64).to_le_bytes());
    hasher.update(header);
    hasher.update(&state.0);
    Hash256(*hasher.finalize().as_bytes())
}

/// Returns the next link, after `input` led to `state`.
pub(crate) fn next(previous: Hash256, input: &Input, state: Hash256) -> Hash256 {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&previous.0);
    hasher.update(&input_bytes(input));
    hasher.update(&state.0);
    Hash256(*hasher.finalize().as_bytes())
}

/// Encodes an input: a tag, then numbers in little-endian order, lists after their lengths.
fn input_bytes(input: &Input) -> Vec<u8> {
    let mut bytes = Vec::new();
    match input {
        Input::Answer { input, seat, answer } => put_answer(&mut bytes, 0, input.0, *seat, answer),
        Input::Draft { input, seat, answer } => put_answer(&mut bytes, 1, input.0, *seat, answer),
        Input::Timeout { input } => {
            bytes.push(2);
            bytes.extend(input.0.to_le_bytes());
        }
        Input::Leave { seat, cause } => {
            bytes.extend([3, seat.0]);
            bytes.extend(cause.symbol().0.to_le_bytes());
        }
        Input::AutoPass { seat, until, stops } => bytes.extend([5, seat.0, *until as u8, u8::from(*stops)]),
        Input::Moderate { winners, pot } => {
            bytes.push(4);
            put_len(&mut bytes, winners.len());
            bytes.extend(winners.iter().map(|seat| seat.0));
            bytes.extend(pot.0.to_le_bytes());
        }
    }
    bytes
}

fn put_answer(bytes: &mut Vec<u8>, tag: u8, question: u32, seat: Seat, answer: &Answer) {
    bytes.push(tag);
    bytes.extend(question.to_le_bytes());
    bytes.push(seat.0);
    match answer {
        Answer::Pass => bytes.push(0),
        Answer::Picks(picks) => {
            bytes.push(1);
            put_picks(bytes, picks);
        }
        Answer::Branches(branches) => {
            bytes.push(2);
            put_len(bytes, branches.len());
            for (branch, picks) in branches {
                bytes.extend(branch.to_le_bytes());
                put_picks(bytes, picks);
            }
        }
    }
}

fn put_picks(bytes: &mut Vec<u8>, picks: &[i32]) {
    put_len(bytes, picks.len());
    picks.iter().for_each(|pick| bytes.extend(pick.to_le_bytes()));
}

fn put_len(bytes: &mut Vec<u8>, len: usize) {
    bytes.extend((len as u32).to_le_bytes());
}

#[cfg(test)]
mod tests {
    use intermezzo_engine::InputId;

    use super::*;

    #[test]
    fn a_hash_has_one_spelling() {
        let hash = Hash256([0xab; 32]);
        assert_eq!(Hash256::parse(&hash.to_string()), Some(hash));
        assert_eq!(Hash256::parse(&hash.to_string().to_uppercase()), None);
        assert_eq!(Hash256::parse("ab"), None);
        assert_eq!(Hash256::parse(&"é".repeat(32)), None);
    }

    #[test]
    fn different_inputs_give_different_links() {
        let seat = Seat(0);
        let answer =
            |picks: &[i32]| Input::Answer { input: InputId(1), seat, answer: Answer::Picks(picks.to_vec()) };
        let draft = Input::Draft { input: InputId(1), seat, answer: Answer::Picks(vec![0]) };
        let inputs =
            [answer(&[0]), answer(&[0, 1]), answer(&[]), draft, Input::Timeout { input: InputId(1) }];
        let links: Vec<Hash256> =
            inputs.iter().map(|input| next(Hash256([0; 32]), input, Hash256([1; 32]))).collect();
        for (index, link) in links.iter().enumerate() {
            assert!(!links[..index].contains(link), "{:?}", inputs[index]);
        }
    }
}
