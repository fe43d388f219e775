//! Plain words: doc comments open with a verb or a noun, and texts avoid a list of odd words.

use super::baseline::Count;
use super::read;
use super::sources::{files, has_word};

pub(super) const OPENINGS: Count = Count { key: "doc_comment_openings", measure: openings };
pub(super) const WORDS: Count = Count { key: "odd_words", measure: odd_words };

/// Openings that make a comment describe a question instead of a thing.
const BAD_OPENINGS: &[&str] =
    &["What", "Who", "Whoever", "Whose", "Whether", "Where", "There is", "There are"];

/// Words that only this repository used, or that sound like a translation.
const ODD_WORDS: &[&str] = &[
    "anew",
    "whoever",
    "mended",
    "as good as",
    "siege",
    "sieges",
    "grapevine",
    "fortress",
    "rehearsal",
    "hears of",
    "heard of",
    "told of",
    "playings",
    "in the midst",
    "brought together",
    "has its time",
    "not yours to",
    "all is well",
    "as is usual",
    "what is usual",
    "as it were",
    "at hand",
    "beforehand",
    "come round",
    "comes round",
    "comes to nothing",
    "desk",
    "desks",
    "diary",
    "for ever",
    "heed",
    "heeds",
    "hears",
    "hitherto",
    "lately",
    "looked after",
    "mischief",
    "of late",
    "put away",
    "so far as",
    "so long as",
    "spoken to",
    "speaks of",
    "tally",
    "to be found",
    "unless told otherwise",
    "whosoever",
];

/// Files that may use an odd word because they are about words, or because they are generated from files that are checked.
const EXEMPT: &[&str] =
    &["xtask/src/tidy/", "CHANGELOG.md", "docs/decisions/0052-plain-words.md", "web/sdk/src/generated/"];

pub(super) fn check() -> Vec<String> {
    let mut problems = OPENINGS.compare();
    problems.extend(WORDS.compare());
    problems
}

fn openings() -> Vec<String> {
    let mut places = Vec::new();
    for path in files(&[".rs"]) {
        let text = read(&path);
        let mut is_inside = false;
        for (at, line) in text.lines().enumerate() {
            let comment = line.trim_start().strip_prefix("///").or(line.strip_prefix("//!"));
            let opening = comment.filter(|_| !is_inside).map(str::trim);
            if opening.is_some_and(has_bad_opening) {
                places.push(format!("{path}:{}: {}", at + 1, line.trim()));
            }
            is_inside = comment.is_some();
        }
    }
    places
}

fn has_bad_opening(comment: &str) -> bool {
    BAD_OPENINGS
        .iter()
        .any(|bad| comment.strip_prefix(bad).is_some_and(|rest| !rest.starts_with(char::is_alphanumeric)))
}

fn odd_words() -> Vec<String> {
    let mut places = Vec::new();
    for path in files(&[".rs", ".md", ".ts", ".svelte", ".py", ".toml"]) {
        if EXEMPT.iter().any(|exempt| path.starts_with(exempt)) || path.ends_with("package-lock.json") {
            continue;
        }
        for (at, line) in read(&path).lines().enumerate() {
            let lower = line.to_lowercase();
            let here = ODD_WORDS.iter().filter(|word| has_word(&lower, word));
            places.extend(here.map(|word| format!("{path}:{}: `{word}`", at + 1)));
        }
    }
    places
}

#[cfg(test)]
mod tests {
    use super::has_bad_opening;

    #[test]
    fn an_opening_is_a_whole_word() {
        assert!(has_bad_opening("What a seat sees."));
        assert!(has_bad_opening("There are two."));
        assert!(!has_bad_opening("Whatever."));
        assert!(!has_bad_opening("Returns what a seat sees."));
    }
}
