//! Hashes: each input's hash is chained to the one before, so that nothing can be changed in the middle.

use std::fmt;

use intermezzo_engine::{Answer, Input};
use intermezzo_ruleset::Seat;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// 32 bytes, written as 64 lower-case hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Hash(pub [u8; 32]);

impl fmt::Display for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl Hash {
    /// The hash written as `text`; nothing if it is not 64 lower-case hexadecimal digits.
    #[must_use]
    pub fn parse(text: &str) -> Option<Hash> {
        let digits = text.as_bytes();
        if digits.len() != 64 {
            return None;
        }
        let mut bytes = [0; 32];
        for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
            *byte = digit(pair[0])? << 4 | digit(pair[1])?;
        }
        Some(Hash(bytes))
    }

    /// The first digits, enough for people to compare.
    #[must_use]
    pub fn short(&self) -> String {
        self.to_string()[..12].to_owned()
    }
}

/// Upper case is refused: one hash has one spelling.
fn digit(digit: u8) -> Option<u8> {
    match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        _ => None,
    }
}

impl Serialize for Hash {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Hash {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Hash, D::Error> {
        let text = String::deserialize(deserializer)?;
        Hash::parse(&text).ok_or_else(|| de::Error::custom("a hash is 64 lower-case hexadecimal digits"))
    }
}

/// The first link: how the match was set up (as written in the file) and its state at the first wait.
pub(crate) fn first(header: &[u8], state: Hash) -> Hash {
    let mut hasher = blake3::Hasher::new();
    hasher.update(b"intermezzo match 1");
    hasher.update(&(header.len() as u64).to_le_bytes());
    hasher.update(header);
    hasher.update(&state.0);
    Hash(*hasher.finalize().as_bytes())
}

/// The next link, after `input` has been taken and the state is `state`.
pub(crate) fn next(previous: Hash, input: &Input, state: Hash) -> Hash {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&previous.0);
    hasher.update(&input_bytes(input));
    hasher.update(&state.0);
    Hash(*hasher.finalize().as_bytes())
}

/// An input as bytes: a tag, then numbers in little-endian order, lists after their lengths.
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
        let hash = Hash([0xab; 32]);
        assert_eq!(Hash::parse(&hash.to_string()), Some(hash));
        assert_eq!(Hash::parse(&hash.to_string().to_uppercase()), None);
        assert_eq!(Hash::parse("ab"), None);
        assert_eq!(Hash::parse(&"é".repeat(32)), None);
    }

    #[test]
    fn different_inputs_give_different_links() {
        let seat = Seat(0);
        let answer =
            |picks: &[i32]| Input::Answer { input: InputId(1), seat, answer: Answer::Picks(picks.to_vec()) };
        let draft = Input::Draft { input: InputId(1), seat, answer: Answer::Picks(vec![0]) };
        let inputs =
            [answer(&[0]), answer(&[0, 1]), answer(&[]), draft, Input::Timeout { input: InputId(1) }];
        let links: Vec<Hash> = inputs.iter().map(|input| next(Hash([0; 32]), input, Hash([1; 32]))).collect();
        for (place, link) in links.iter().enumerate() {
            assert!(!links[..place].contains(link), "{:?}", inputs[place]);
        }
    }
}
