//! "Did you mean": the known name most similar to a misspelt one.

use std::cmp::Ordering;

/// Length in bytes up to which names are compared.
const MAX_COMPARED: usize = 100;

/// Returns the candidate most similar to `word`, if one is similar enough.
///
/// The maximum number of edits depends on the length of the word. Swapping two adjacent letters is one edit;
/// differences in case cost nothing. A single letter means the only candidate that is a single letter.
pub fn suggest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // Comparing takes time that grows with the product of the lengths.
    if word.len() > MAX_COMPARED {
        return None;
    }
    let lower = word.to_lowercase();
    let max_edits = max_edits(word);
    let mut letters: Vec<&str> = Vec::new();
    let near = candidates
        .into_iter()
        .filter(|candidate| *candidate != word)
        .inspect(|candidate| letters.extend((candidate.chars().count() == 1).then_some(candidate)))
        .filter_map(|candidate| ScoredName::of(&lower, candidate, max_edits))
        .min_by(ScoredName::compare)
        .map(|nearness| nearness.candidate);
    near.or_else(|| {
        letters.sort_unstable();
        letters.dedup();
        let twice = letters.iter().find(|letter| letter.repeat(2) == lower);
        let only = letters.first().filter(|_| letters.len() == 1 && lower.chars().count() == 1);
        twice.or(only).copied()
    })
}

struct ScoredName<'a> {
    candidate: &'a str,
    edits: usize,
    /// The same letters in another order.
    is_swapped: bool,
    similarity: f64,
}

impl<'a> ScoredName<'a> {
    fn of(lower: &str, candidate: &'a str, max_edits: usize) -> Option<Self> {
        if candidate.len() > MAX_COMPARED {
            return None;
        }
        let other = candidate.to_lowercase();
        if lower.chars().count().abs_diff(other.chars().count()) > max_edits {
            return None;
        }
        let edits = strsim::damerau_levenshtein(lower, &other);
        // Replacing every letter of a short word is not a typo.
        let is_near = edits <= max_edits && edits < other.chars().count();
        is_near.then(|| Self {
            candidate,
            edits,
            is_swapped: edits > 0 && letters_of(lower) == letters_of(&other),
            similarity: strsim::jaro_winkler(lower, &other),
        })
    }

    fn compare(&self, other: &Self) -> Ordering {
        self.edits
            .cmp(&other.edits)
            .then_with(|| other.is_swapped.cmp(&self.is_swapped))
            .then_with(|| other.similarity.total_cmp(&self.similarity))
            .then_with(|| self.candidate.cmp(other.candidate))
    }
}

fn letters_of(word: &str) -> Vec<char> {
    let mut letters: Vec<char> = word.chars().collect();
    letters.sort_unstable();
    letters
}

fn max_edits(word: &str) -> usize {
    match word.chars().count() {
        0 => 0,
        1..=4 => 1,
        5..=8 => 2,
        _ => 3,
    }
}
