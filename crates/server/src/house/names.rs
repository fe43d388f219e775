//! Names of accounts: which will do, and friendly ones for guests.

use intermezzo_protocol::Problem;

use super::invalid;

const SHORTEST: usize = 3;
const LONGEST: usize = 24;

/// What matches call someone whose account is gone.
pub(crate) const NOBODY: &str = "former player";

const MANNERS: [&str; 32] = [
    "amber", "brave", "brisk", "calm", "candid", "clever", "cosy", "daring", "dapper", "eager", "fair",
    "fancy", "gentle", "glad", "hardy", "jolly", "keen", "kind", "lively", "lucky", "merry", "mild",
    "nimble", "proud", "quick", "quiet", "rosy", "sly", "sunny", "swift", "witty", "zesty",
];

const ANIMALS: [&str; 32] = [
    "badger", "bear", "beaver", "bison", "crane", "deer", "dove", "eagle", "falcon", "finch", "fox", "gecko",
    "hare", "heron", "ibis", "jay", "koala", "lark", "lynx", "magpie", "marten", "mole", "moose", "newt",
    "otter", "owl", "panda", "raven", "robin", "seal", "stork", "wren",
];

/// Whether a name will do.
pub(crate) fn check(name: &str) -> Result<(), Problem> {
    let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    if (SHORTEST..=LONGEST).contains(&name.len()) && name.bytes().all(is_letter) {
        return Ok(());
    }
    Err(invalid(format!("a name has {SHORTEST} to {LONGEST} letters, digits, `_` or `-`")))
}

/// Two names that fold to the same are the same.
pub(crate) fn fold(name: &str) -> String {
    name.to_ascii_lowercase()
}

/// A name like `brisk-heron-4821`.
pub(crate) fn friendly([manner, animal, high, low]: [u8; 4]) -> String {
    let manner = MANNERS[usize::from(manner) % MANNERS.len()];
    let animal = ANIMALS[usize::from(animal) % ANIMALS.len()];
    let number = 1000 + u16::from_be_bytes([high, low]) % 9000;
    format!("{manner}-{animal}-{number}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn friendly_names_will_do() {
        for number in 0..1000u32 {
            let name = friendly((number * 4_194_301).to_be_bytes());
            check(&name).unwrap();
        }
    }

    #[test]
    fn names_of_other_letters_or_lengths_are_refused() {
        for name in ["", "ab", "a b c", "ann\0", "ännchen", "a/b/c", &"x".repeat(25)] {
            assert!(check(name).is_err(), "`{name}`");
        }
        for name in ["ann", "A-1", "___", &"x".repeat(24)] {
            assert!(check(name).is_ok(), "`{name}`");
        }
    }
}
