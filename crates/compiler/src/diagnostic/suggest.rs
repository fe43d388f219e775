//! "Did you mean": the known word nearest to a mistyped one.

use std::cmp::Ordering;

/// The best "did you mean" for `word` among `candidates`, if any is near.
///
/// Near means few edits for the length of the word, where swapping two
/// neighbouring letters is one edit and letter case costs nothing.
pub fn suggest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let lower = word.to_lowercase();
    let max_edits = max_edits(word);
    candidates
        .into_iter()
        .filter(|candidate| *candidate != word)
        .filter_map(|candidate| Nearness::of(&lower, candidate, max_edits))
        .min_by(Nearness::compare)
        .map(|nearness| nearness.candidate)
}

struct Nearness<'a> {
    candidate: &'a str,
    edits: usize,
    likeness: f64,
}

impl<'a> Nearness<'a> {
    fn of(lower: &str, candidate: &'a str, max_edits: usize) -> Option<Self> {
        let other = candidate.to_lowercase();
        if lower.chars().count().abs_diff(other.chars().count()) > max_edits {
            return None;
        }
        let edits = strsim::damerau_levenshtein(lower, &other);
        // Rewriting a whole short word is not a slip of the finger.
        let is_near = edits <= max_edits && edits < other.chars().count();
        is_near.then(|| Self { candidate, edits, likeness: strsim::jaro_winkler(lower, &other) })
    }

    fn compare(&self, other: &Self) -> Ordering {
        self.edits
            .cmp(&other.edits)
            .then_with(|| other.likeness.total_cmp(&self.likeness))
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
