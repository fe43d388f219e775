//! Race of answers: all remaining answers are tried in the same sampled matches, and answers that fall
//! clearly behind drop out.
//!
//! This is racing as in Maron and Moore (1994), with paired differences: luck that affects all answers of a
//! match alike, such as good cards or bad dice, cancels out.
//!
//! The first answer is the favourite. It wins unless another one is clearly ahead, so that a short race
//! does no harm.

use crate::playout_score::PlayoutScore;

/// Minimum number of matches before an answer can drop out.
const LEAST_MATCHES: usize = 4;
/// An answer with exactly the same results as the leader in this many matches counts as equal and drops
/// out.
const SAME_MATCHES: usize = 8;
/// An answer this many standard errors behind the leader drops out.
const BEHIND: f64 = 1.5;
/// An answer this many standard errors ahead of the favourite wins instead of it.
const AHEAD: f64 = 1.0;

/// Race in progress.
#[derive(Clone, Debug)]
pub(crate) struct Race {
    runners: Vec<Runner>,
    /// Values are scores, which count in proportion.
    is_linear: bool,
}

#[derive(Clone, Debug)]
struct Runner {
    /// Index of the answer.
    answer: usize,
    /// Value of each match.
    values: Vec<i64>,
}

impl Race {
    /// Starts a race of answers, given by index, favourite first. `is_linear` is true if the values are scores, which
    /// count in proportion.
    pub(crate) fn new(answers: impl IntoIterator<Item = usize>, is_linear: bool) -> Race {
        let runner = |answer| Runner { answer, values: Vec::new() };
        Race { runners: answers.into_iter().map(runner).collect(), is_linear }
    }

    /// Returns whether several answers remain.
    pub(crate) fn is_open(&self) -> bool {
        self.runners.len() > 1
    }

    /// Returns the remaining answers.
    pub(crate) fn answers(&self) -> Vec<usize> {
        self.runners.iter().map(|runner| runner.answer).collect()
    }

    /// Records the values of one more match, one per remaining answer, and drops answers that are behind.
    pub(crate) fn record(&mut self, values: &[i64]) {
        for (runner, value) in self.runners.iter_mut().zip(values) {
            runner.values.push(*value);
        }
        let scores = self.scores();
        let leader = leader(&scores);
        let mut own_scores = scores.iter();
        self.runners
            .retain(|_| own_scores.next().is_none_or(|own_scores| !is_behind(own_scores, &scores[leader])));
    }

    /// Returns the answer to take: the favourite of those that remain, unless the leader is ahead of it by
    /// more than chance explains.
    pub(crate) fn winner(&self) -> Option<usize> {
        let scores = self.scores();
        let leader = leader(&scores);
        let place = if is_ahead(scores.get(leader)?, &scores[0]) { leader } else { 0 };
        self.runners.get(place).map(|runner| runner.answer)
    }

    /// Returns the score of every match of every answer, relative to all values of the race.
    fn scores(&self) -> Vec<Vec<f64>> {
        let all: Vec<i64> = self.runners.iter().flat_map(|runner| &runner.values).copied().collect();
        let scale = PlayoutScore::of(&all, self.is_linear);
        let scores = |runner: &Runner| runner.values.iter().map(|value| scale.score(*value)).collect();
        self.runners.iter().map(scores).collect()
    }
}

/// Returns the index of the first of the best.
fn leader(scores: &[Vec<f64>]) -> usize {
    let mut best = (f64::NEG_INFINITY, 0);
    for (place, scores) in scores.iter().enumerate() {
        let sum = scores.iter().sum();
        if sum > best.0 {
            best = (sum, place);
        }
    }
    best.1
}

fn is_behind(scores: &[f64], leading: &[f64]) -> bool {
    if scores.len() < LEAST_MATCHES || std::ptr::eq(scores, leading) {
        return false;
    }
    let (mean, error) = lead(leading, scores);
    match error < 1e-6 {
        true => mean > 1e-6 || scores.len() >= SAME_MATCHES,
        false => mean > BEHIND * error,
    }
}

fn is_ahead(leading: &[f64], scores: &[f64]) -> bool {
    if scores.len() < 2 {
        return false;
    }
    let (mean, error) = lead(leading, scores);
    mean > AHEAD * error
}

/// Returns the mean lead over another answer and its standard error.
fn lead(leading: &[f64], scores: &[f64]) -> (f64, f64) {
    let count = scores.len() as f64;
    let leads = || leading.iter().zip(scores).map(|(leading, own)| leading - own);
    let mean = leads().sum::<f64>() / count;
    let variance = leads().map(|lead| (lead - mean).powi(2)).sum::<f64>() / (count - 1.0);
    (mean, (variance / count).sqrt())
}

#[cfg(test)]
mod tests {
    use super::{LEAST_MATCHES, Race, SAME_MATCHES};

    #[test]
    fn answers_clearly_behind_drop_out_despite_noise() {
        let mut race = Race::new([7, 8, 9], false);
        for chance in [500, -300, 40, -700, 250, -10] {
            race.record(&[chance, chance + 30 + chance % 7, chance - 20]);
        }
        assert_eq!(race.answers(), [8]);
        assert_eq!(race.winner(), Some(8));
        assert!(!race.is_open());
    }

    /// A rare large gain beats many small ones only where values count in proportion.
    #[test]
    fn scores_count_in_proportion() {
        let winner = |is_linear| {
            let mut race = Race::new([0, 1], is_linear);
            for round in 0..240 {
                let values = if round % 12 == 0 { [0, 40] } else { [0, -1] };
                race.runners.iter_mut().zip(values).for_each(|(runner, value)| runner.values.push(value));
            }
            race.winner()
        };
        assert_eq!((winner(true), winner(false)), (Some(1), Some(0)));
    }

    #[test]
    fn no_answer_drops_out_by_chance() {
        let mut race = Race::new([0, 1], false);
        for (one, other) in [(90, 10), (5, 60), (70, 20), (0, 80), (30, 10)] {
            race.record(&[one, other]);
        }
        assert_eq!(race.answers(), [0, 1]);
        let mut early = Race::new([0, 1], false);
        (1..LEAST_MATCHES).for_each(|_| early.record(&[0, 100]));
        assert!(early.is_open());
    }

    #[test]
    fn the_favourite_wins_unless_another_is_clearly_ahead() {
        let race = |values: &[(i64, i64)]| {
            let mut race = Race::new([4, 3], false);
            values.iter().for_each(|(favourite, other)| race.record(&[*favourite, *other]));
            race.winner()
        };
        assert_eq!(race(&[]), Some(4));
        assert_eq!(race(&[(0, 100)]), Some(4), "one match proves nothing");
        assert_eq!(race(&[(0, 100), (90, 10), (0, 30)]), Some(4));
        assert_eq!(race(&[(0, 100), (10, 90), (20, 30)]), Some(3));
    }

    #[test]
    fn equal_answers_end_the_race_with_the_favourite() {
        let mut race = Race::new([4, 3], false);
        for match_number in 0..SAME_MATCHES as i64 {
            assert!(race.is_open());
            race.record(&[match_number * 10, match_number * 10]);
        }
        assert_eq!(race.answers(), [4]);
    }
}
