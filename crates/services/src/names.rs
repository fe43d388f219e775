//! Account names: validation, and generated names for guests.

use intermezzo_protocol::Problem;

use super::invalid;

const MIN_LENGTH: usize = 3;
const MAX_LENGTH: usize = 24;

/// Name shown in matches for a deleted account.
pub(crate) const FORMER_PLAYER: &str = "former player";

const ADJECTIVES: [&str; 32] = [
    "amber", "brave", "brisk", "calm", "candid", "clever", "cosy", "daring", "dapper", "eager", "fair",
    "fancy", "gentle", "glad", "hardy", "jolly", "keen", "kind", "lively", "lucky", "merry", "mild",
    "nimble", "proud", "quick", "quiet", "rosy", "sly", "sunny", "swift", "witty", "zesty",
];

const ANIMALS: [&str; 32] = [
    "badger", "bear", "beaver", "bison", "crane", "deer", "dove", "eagle", "falcon", "finch", "fox", "gecko",
    "hare", "heron", "ibis", "jay", "koala", "lark", "lynx", "magpie", "marten", "mole", "moose", "newt",
    "otter", "owl", "panda", "raven", "robin", "seal", "stork", "wren",
];

/// Rejects invalid names.
pub(crate) fn check(name: &str) -> Result<(), Problem> {
    let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    if (MIN_LENGTH..=MAX_LENGTH).contains(&name.len()) && name.bytes().all(is_letter) {
        return Ok(());
    }
    Err(invalid(format!("a name must have {MIN_LENGTH} to {MAX_LENGTH} letters, digits, `_` or `-`")))
}

/// Names, and parts of names, that only the people who run the server could have. In their skeletons.
const RESERVED: [&str; 12] = [
    "mod", "mods", "system", "server", "root", "support", "staff", "team", "bot", "bots", "operator",
    "everyone",
];
const RESERVED_PARTS: [&str; 4] = ["admin", "moderator", "official", "intermezzo"];

/// Rejects names that look like those of the people who run the server.
pub(crate) fn check_not_reserved(name: &str) -> Result<(), Problem> {
    let skeleton = skeleton(name);
    let is_reserved = |reserved: &&str| skeleton == self::skeleton(reserved);
    let has_part = |part: &&str| skeleton.contains(&self::skeleton(part));
    if RESERVED.iter().any(is_reserved) || RESERVED_PARTS.iter().any(has_part) {
        return Err(invalid(format!("the name `{name}` is reserved; choose another")));
    }
    Ok(())
}

/// Returns what a name looks like: letters and digits that are easily confused become the same, separators vanish.
fn skeleton(name: &str) -> String {
    let letter = |letter: char| match letter {
        '0' => 'o',
        '1' | 'i' | '!' | 'j' => 'l',
        '3' => 'e',
        '4' => 'a',
        '5' | '$' => 's',
        '7' => 't',
        '8' => 'b',
        '9' | 'q' => 'g',
        other => other,
    };
    let letters = name.to_ascii_lowercase();
    let letters: String = letters.chars().filter(char::is_ascii_alphanumeric).map(letter).collect();
    letters.replace("rn", "m").replace("vv", "w").replace("nn", "m")
}

/// Normalizes a name. Names that fold to the same text count as equal.
pub(crate) fn fold(name: &str) -> String {
    name.to_ascii_lowercase()
}

/// Generates a name like `brisk-heron-4821`.
pub(crate) fn guest_name([manner, animal, high, low]: [u8; 4]) -> String {
    let manner = ADJECTIVES[usize::from(manner) % ADJECTIVES.len()];
    let animal = ANIMALS[usize::from(animal) % ANIMALS.len()];
    let number = 1000 + u16::from_be_bytes([high, low]) % 9000;
    format!("{manner}-{animal}-{number}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generated_names_are_valid() {
        for number in 0..1000u32 {
            let name = guest_name((number * 4_194_301).to_be_bytes());
            check(&name).unwrap();
        }
    }

    #[test]
    fn reserved_names_and_their_look_alikes_are_rejected() {
        for name in [
            "admin",
            "Admin",
            "4dmin",
            "a-d-m-i-n",
            "adm1n_2",
            "ADMlN",
            "rnoderator",
            "Moderat0r",
            "sy5tem",
            "b0t",
            "the-official",
        ] {
            assert!(check_not_reserved(name).is_err(), "`{name}`");
        }
        for name in ["ann", "adam", "robot-fan", "modest", "systematic", "judge", "bob", "roots"] {
            assert!(check_not_reserved(name).is_ok(), "`{name}`");
        }
    }

    #[test]
    fn names_with_other_characters_or_lengths_are_rejected() {
        for name in ["", "ab", "a b c", "ann\0", "ännchen", "a/b/c", &"x".repeat(25)] {
            assert!(check(name).is_err(), "`{name}`");
        }
        for name in ["ann", "A-1", "___", &"x".repeat(24)] {
            assert!(check(name).is_ok(), "`{name}`");
        }
    }
}
