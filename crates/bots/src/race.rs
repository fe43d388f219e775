//! A race of answers: all that are left go through the same matches, and who is clearly behind drops out.
//!
//! This is racing as Maron and Moore (1994) do it, with differences in pairs: what one match does to all answers alike,
//! good cards and bad dice, says nothing about which of them is best.
//!
//! The first is the favourite. Where nothing clear comes of the race it wins, so that a short race does no harm.

use crate::rating::Rating;

/// Nobody drops out before so many matches.
const LEAST_MATCHES: usize = 4;
/// Who has done exactly as well as the leader in so many matches is taken for the same.
const SAME_MATCHES: usize = 8;
/// Who is so many standard errors behind the leader drops out.
const BEHIND: f64 = 1.5;
/// Who is so many standard errors ahead of the favourite wins in its place.
const AHEAD: f64 = 1.0;

/// A race under way.
#[derive(Clone, Debug)]
pub(crate) struct Race {
    runners: Vec<Runner>,
}

#[derive(Clone, Debug)]
struct Runner {
    /// The number of the answer.
    answer: usize,
    /// What each match was worth in the end.
    worths: Vec<i64>,
}

impl Race {
    /// A race of some answers, by their numbers, the favourite first.
    pub(crate) fn new(answers: impl IntoIterator<Item = usize>) -> Race {
        let runner = |answer| Runner { answer, worths: Vec::new() };
        Race { runners: answers.into_iter().map(runner).collect() }
    }

    /// Whether it is still open who wins.
    pub(crate) fn is_open(&self) -> bool {
        self.runners.len() > 1
    }

    /// The answers that are left.
    pub(crate) fn answers(&self) -> Vec<usize> {
        self.runners.iter().map(|runner| runner.answer).collect()
    }

    /// One more match has been played with each answer that is left; this is what it was worth.
    pub(crate) fn record(&mut self, worths: &[i64]) {
        for (runner, worth) in self.runners.iter_mut().zip(worths) {
            runner.worths.push(*worth);
        }
        let rates = self.rates();
        let leader = leader(&rates);
        let mut rates_of = rates.iter();
        self.runners.retain(|_| rates_of.next().is_none_or(|rates_of| !is_behind(rates_of, &rates[leader])));
    }

    /// The number of the answer to take: the favourite of those that are left, unless the leader is ahead of it by more than
    /// chance would have it.
    pub(crate) fn winner(&self) -> Option<usize> {
        let rates = self.rates();
        let leader = leader(&rates);
        let place = if is_ahead(rates.get(leader)?, &rates[0]) { leader } else { 0 };
        self.runners.get(place).map(|runner| runner.answer)
    }

    /// How well every match went for everyone.
    fn rates(&self) -> Vec<Vec<f64>> {
        let all: Vec<i64> = self.runners.iter().flat_map(|runner| &runner.worths).copied().collect();
        let rating = Rating::of(&all);
        let rates = |runner: &Runner| runner.worths.iter().map(|worth| rating.rate(*worth)).collect();
        self.runners.iter().map(rates).collect()
    }
}

/// The place of the first of the best.
fn leader(rates: &[Vec<f64>]) -> usize {
    let mut best = (f64::NEG_INFINITY, 0);
    for (place, rates) in rates.iter().enumerate() {
        let sum = rates.iter().sum();
        if sum > best.0 {
            best = (sum, place);
        }
    }
    best.1
}

fn is_behind(rates: &[f64], leading: &[f64]) -> bool {
    if rates.len() < LEAST_MATCHES || std::ptr::eq(rates, leading) {
        return false;
    }
    let (mean, error) = lead(leading, rates);
    match error < 1e-6 {
        true => mean > 1e-6 || rates.len() >= SAME_MATCHES,
        false => mean > BEHIND * error,
    }
}

fn is_ahead(leading: &[f64], rates: &[f64]) -> bool {
    if rates.len() < 2 {
        return false;
    }
    let (mean, error) = lead(leading, rates);
    mean > AHEAD * error
}

/// By how much one is ahead of another on average, and the standard error of that.
fn lead(leading: &[f64], rates: &[f64]) -> (f64, f64) {
    let count = rates.len() as f64;
    let leads = || leading.iter().zip(rates).map(|(leading, own)| leading - own);
    let mean = leads().sum::<f64>() / count;
    let variance = leads().map(|lead| (lead - mean).powi(2)).sum::<f64>() / (count - 1.0);
    (mean, (variance / count).sqrt())
}

#[cfg(test)]
mod tests {
    use super::{LEAST_MATCHES, Race, SAME_MATCHES};

    #[test]
    fn who_is_clearly_behind_drops_out_however_much_chance_does() {
        let mut race = Race::new([7, 8, 9]);
        for chance in [500, -300, 40, -700, 250, -10] {
            race.record(&[chance, chance + 30 + chance % 7, chance - 20]);
        }
        assert_eq!(race.answers(), [8]);
        assert_eq!(race.winner(), Some(8));
        assert!(!race.is_open());
    }

    #[test]
    fn nobody_drops_out_by_chance() {
        let mut race = Race::new([0, 1]);
        for (one, other) in [(90, 10), (5, 60), (70, 20), (0, 80), (30, 10)] {
            race.record(&[one, other]);
        }
        assert_eq!(race.answers(), [0, 1]);
        let mut early = Race::new([0, 1]);
        (1..LEAST_MATCHES).for_each(|_| early.record(&[0, 100]));
        assert!(early.is_open());
    }

    #[test]
    fn the_favourite_wins_unless_another_is_ahead_by_more_than_chance() {
        let race = |worths: &[(i64, i64)]| {
            let mut race = Race::new([4, 3]);
            worths.iter().for_each(|(favourite, other)| race.record(&[*favourite, *other]));
            race.winner()
        };
        assert_eq!(race(&[]), Some(4));
        assert_eq!(race(&[(0, 100)]), Some(4), "one match tells nothing");
        assert_eq!(race(&[(0, 100), (90, 10), (0, 30)]), Some(4));
        assert_eq!(race(&[(0, 100), (10, 90), (20, 30)]), Some(3));
    }

    #[test]
    fn of_two_that_are_the_same_the_favourite_is_taken_and_the_race_ends() {
        let mut race = Race::new([4, 3]);
        for match_number in 0..SAME_MATCHES as i64 {
            assert!(race.is_open());
            race.record(&[match_number * 10, match_number * 10]);
        }
        assert_eq!(race.answers(), [4]);
    }
}
