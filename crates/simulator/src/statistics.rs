//! Totals of many matches. They do not depend on the order in which matches were played.

use std::collections::BTreeMap;

use intermezzo_engine::RuleFault;
use intermezzo_program::Symbol;

use crate::outcome::SimulatedOutcome;

/// Largest number of example seeds for each kind of problem.
const MAX_EXAMPLES: usize = 5;

/// Totals of many matches.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MatchTotals {
    /// Number of matches.
    pub matches: u64,
    /// Matches won by each seat, alone or with others.
    pub wins: Vec<u64>,
    /// Finished matches that nobody won.
    pub draws: u64,
    /// Finished matches by outcome.
    pub outcomes: BTreeMap<Symbol, u64>,
    /// Score of each seat in matches that ended with scores.
    pub scores: Vec<ScoreDistribution>,
    /// Inputs per match.
    pub inputs: LengthDistribution,
    /// Events per match.
    pub events: LengthDistribution,
    /// Number of answered questions.
    pub questions: u64,
    /// Total number of legal answers to those questions.
    pub answers: u128,
    /// Number of rejected inputs.
    pub rejected: u64,
    /// Matches that did not end within the limit of inputs.
    pub unfinished: u64,
    /// Smallest seeds of such matches.
    pub unfinished_seeds: Vec<u64>,
    /// Matches in which a rule failed.
    pub faulty: u64,
    /// Smallest seeds of such matches, with the first fault.
    pub faults: Vec<(u64, RuleFault)>,
    /// Matches in which an item on the stack failed and play continued.
    pub failing: u64,
    /// Smallest seeds of such matches, with the first failure.
    pub failures: Vec<(u64, RuleFault)>,
}

impl MatchTotals {
    /// Creates empty totals for matches with that many seats.
    #[must_use]
    pub fn new(seats: u8) -> MatchTotals {
        MatchTotals {
            matches: 0,
            wins: vec![0; usize::from(seats)],
            draws: 0,
            outcomes: BTreeMap::new(),
            scores: vec![ScoreDistribution::default(); usize::from(seats)],
            inputs: LengthDistribution::default(),
            events: LengthDistribution::default(),
            questions: 0,
            answers: 0,
            rejected: 0,
            unfinished: 0,
            unfinished_seeds: Vec::new(),
            faulty: 0,
            faults: Vec::new(),
            failing: 0,
            failures: Vec::new(),
        }
    }

    /// Adds the match of a seed.
    pub fn add(&mut self, seed: u64, outcome: &SimulatedOutcome) {
        self.matches += 1;
        self.inputs.add(outcome.inputs, 1);
        self.events.add(outcome.events, 1);
        self.questions += u64::from(outcome.questions);
        self.answers += outcome.answers;
        self.rejected += u64::from(outcome.rejected);
        if let Some(ending) = &outcome.ending {
            *self.outcomes.entry(ending.outcome).or_default() += 1;
            self.draws += u64::from(ending.winners.is_empty());
            for seat in &ending.winners {
                self.wins[usize::from(seat.0)] += 1;
            }
            for (scores, score) in self.scores.iter_mut().zip(ending.score.iter().flatten()) {
                scores.add(*score, 1);
            }
        }
        if outcome.is_unfinished() {
            self.unfinished += 1;
            keep_smallest(&mut self.unfinished_seeds, [seed], |seed| *seed);
        }
        if let Some(fault) = outcome.first_fault.clone() {
            self.faulty += 1;
            keep_smallest(&mut self.faults, [(seed, fault)], |(seed, _)| *seed);
        }
        if let Some(fault) = outcome.first_failure.clone() {
            self.failing += 1;
            keep_smallest(&mut self.failures, [(seed, fault)], |(seed, _)| *seed);
        }
    }

    /// Adds other totals, such as those of another thread.
    pub fn merge(&mut self, other: MatchTotals) {
        self.matches += other.matches;
        self.wins.iter_mut().zip(&other.wins).for_each(|(wins, more)| *wins += more);
        self.draws += other.draws;
        for (outcome, count) in other.outcomes {
            *self.outcomes.entry(outcome).or_default() += count;
        }
        self.scores.iter_mut().zip(&other.scores).for_each(|(scores, more)| scores.merge(more));
        self.inputs.merge(&other.inputs);
        self.events.merge(&other.events);
        self.questions += other.questions;
        self.answers += other.answers;
        self.rejected += other.rejected;
        self.unfinished += other.unfinished;
        keep_smallest(&mut self.unfinished_seeds, other.unfinished_seeds, |seed| *seed);
        self.faulty += other.faulty;
        keep_smallest(&mut self.faults, other.faults, |(seed, _)| *seed);
        self.failing += other.failing;
        keep_smallest(&mut self.failures, other.failures, |(seed, _)| *seed);
    }

    /// Returns the average number of legal answers to a question.
    #[must_use]
    pub fn branching(&self) -> f64 {
        self.answers as f64 / self.questions.max(1) as f64
    }
}

/// Keeps the examples with the smallest seeds, so that their order of arrival does not matter.
fn keep_smallest<T>(examples: &mut Vec<T>, more: impl IntoIterator<Item = T>, seed: impl Fn(&T) -> u64) {
    examples.extend(more);
    examples.sort_by_key(seed);
    examples.truncate(MAX_EXAMPLES);
}

/// Number of matches by length.
pub type LengthDistribution = Distribution<u32>;

/// Number of matches by score.
pub type ScoreDistribution = Distribution<i64>;

/// Number of matches by a number.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Distribution<N>(BTreeMap<N, u64>);

impl<N> Default for Distribution<N> {
    fn default() -> Distribution<N> {
        Distribution(BTreeMap::new())
    }
}

impl<N: Copy + Ord + Default + Into<i128>> Distribution<N> {
    /// Adds `count` matches with that number.
    pub fn add(&mut self, number: N, count: u64) {
        *self.0.entry(number).or_default() += count;
    }

    /// Adds another distribution.
    pub fn merge(&mut self, other: &Distribution<N>) {
        other.0.iter().for_each(|(number, count)| self.add(*number, *count));
    }

    /// Returns the average; 0 without matches.
    #[must_use]
    pub fn mean(&self) -> f64 {
        let sum: i128 = self.0.iter().map(|(number, count)| (*number).into() * i128::from(*count)).sum();
        sum as f64 / self.matches().max(1) as f64
    }

    /// Returns the least number; 0 without matches.
    #[must_use]
    pub fn min(&self) -> N {
        self.0.first_key_value().map_or(N::default(), |(number, _)| *number)
    }

    /// Returns the greatest number; 0 without matches.
    #[must_use]
    pub fn max(&self) -> N {
        self.0.last_key_value().map_or(N::default(), |(number, _)| *number)
    }

    /// Returns the least number that `percent` of the matches do not exceed; 0 without matches.
    #[must_use]
    pub fn percentile(&self, percent: u8) -> N {
        let wanted = (u128::from(self.matches()) * u128::from(percent)).div_ceil(100);
        let mut seen = 0;
        let reached = self.0.iter().find(|(_, count)| {
            seen += u128::from(**count);
            seen >= wanted
        });
        reached.map_or(N::default(), |(number, _)| *number)
    }

    /// Returns the number of matches.
    #[must_use]
    pub fn matches(&self) -> u64 {
        self.0.values().sum()
    }

    /// Returns the variance; 0 without matches.
    #[must_use]
    pub fn variance(&self) -> f64 {
        let mean = self.mean();
        let squares = self.0.iter().map(|(number, count)| {
            let number: i128 = (*number).into();
            (number as f64 - mean).powi(2) * *count as f64
        });
        squares.sum::<f64>() / self.matches().max(1) as f64
    }

    /// Iterates over the numbers and their number of matches, in ascending order.
    pub fn counts(&self) -> impl Iterator<Item = (N, u64)> + '_ {
        self.0.iter().map(|(number, count)| (*number, *count))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_and_mean_of_lengths() {
        let mut lengths = LengthDistribution::default();
        [(3, 1), (1, 1), (2, 2), (100, 1)].iter().for_each(|(length, count)| lengths.add(*length, *count));
        assert_eq!((lengths.percentile(50), lengths.percentile(95), lengths.max()), (2, 100, 100));
        assert!((lengths.mean() - 21.6).abs() < 1e-9);
        assert_eq!(
            (LengthDistribution::default().percentile(50), LengthDistribution::default().max()),
            (0, 0)
        );
    }

    #[test]
    fn the_smallest_seeds_are_kept_in_any_order() {
        let unfinished = SimulatedOutcome::default();
        let mut totals = MatchTotals::new(2);
        [9, 3, 7, 1, 8, 2, 5].iter().for_each(|seed| totals.add(*seed, &unfinished));
        assert_eq!((totals.unfinished, totals.unfinished_seeds), (7, vec![1, 2, 3, 5, 7]));
    }
}
