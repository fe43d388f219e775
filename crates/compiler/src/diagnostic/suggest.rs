//! "Did you mean": the known name most similar to a misspelt one.

use std::cmp::Ordering;

/// Length in bytes up to which names are compared.
const MAX_COMPARED: usize = 100;

/// Returns the candidate most similar to `word`, if one is similar enough.
///
/// The maximum number of edits depends on the length of the word. Swapping two adjacent letters is one edit;
/// differences in case cost nothing.
pub fn suggest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // Comparing takes time that grows with the product of the lengths.
    if word.len() > MAX_COMPARED {
        return None;
    }
    let lower = word.to_lowercase();
    let max_edits = max_edits(word);
    candidates
        .into_iter()
        .filter(|candidate| *candidate != word)
        .filter_map(|candidate| ScoredName::of(&lower, candidate, max_edits))
        .min_by(ScoredName::compare)
        .map(|nearness| nearness.candidate)
}

struct ScoredName<'a> {
    candidate: &'a str,
    edits: usize,
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
        is_near.then(|| Self { candidate, edits, similarity: strsim::jaro_winkler(lower, &other) })
    }

    fn compare(&self, other: &Self) -> Ordering {
        self.edits
            .cmp(&other.edits)
            .then_with(|| other.similarity.total_cmp(&self.similarity))
            .then_with(|| self.candidate.cmp(other.candidate))
    }
}

fn max_edits(word: &str) -> usize {
    match word.chars().count() {
        0 => 0,
        1..=4 => 1,
        5..=8 => 2,
        _ => 3,
    }
}
