//! What came of many matches, counted so that the order in which they were played does not matter.

use std::collections::BTreeMap;

use intermezzo_engine::Fault;
use intermezzo_ruleset::Symbol;

use crate::outcome::Outcome;

/// At most so many matches are named for each kind of trouble.
const MAX_EXAMPLES: usize = 5;

/// What came of many matches.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Tally {
    /// How many matches.
    pub matches: u64,
    /// How many each seat won, alone or with others.
    pub wins: Vec<u64>,
    /// How many nobody won, among those that ended.
    pub draws: u64,
    /// How those that ended did so.
    pub outcomes: BTreeMap<Symbol, u64>,
    /// Inputs of a match.
    pub inputs: Lengths,
    /// Events of a match.
    pub events: Lengths,
    /// Questions that were answered.
    pub questions: u64,
    /// How many legal answers those questions had together.
    pub answers: u128,
    /// Inputs that were rejected.
    pub rejected: u64,
    /// How many matches were not over when the inputs ran out.
    pub unfinished: u64,
    /// The smallest seeds of such matches.
    pub unfinished_seeds: Vec<u64>,
    /// How many matches there were in which a rule failed.
    pub faulty: u64,
    /// The smallest seeds of such matches, and how a rule failed first.
    pub faults: Vec<(u64, Fault)>,
    /// How many matches there were in which something on the stack failed, and play went on.
    pub failing: u64,
    /// The smallest seeds of such matches, and what failed first.
    pub failures: Vec<(u64, Fault)>,
}

impl Tally {
    /// Nothing counted yet, for matches with so many seats.
    #[must_use]
    pub fn new(seats: u8) -> Tally {
        Tally {
            matches: 0,
            wins: vec![0; usize::from(seats)],
            draws: 0,
            outcomes: BTreeMap::new(),
            inputs: Lengths::default(),
            events: Lengths::default(),
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

    /// Counts the match of a seed.
    pub fn add(&mut self, seed: u64, outcome: &Outcome) {
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

    /// Counts what another tally counted, such as that of another thread.
    pub fn merge(&mut self, other: Tally) {
        self.matches += other.matches;
        self.wins.iter_mut().zip(&other.wins).for_each(|(wins, more)| *wins += more);
        self.draws += other.draws;
        for (outcome, count) in other.outcomes {
            *self.outcomes.entry(outcome).or_default() += count;
        }
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

    /// How many legal answers a question had on average.
    #[must_use]
    pub fn branching(&self) -> f64 {
        self.answers as f64 / self.questions.max(1) as f64
    }
}

/// Whatever the order in which examples come, those with the smallest seeds stay.
fn keep_smallest<T>(examples: &mut Vec<T>, more: impl IntoIterator<Item = T>, seed: impl Fn(&T) -> u64) {
    examples.extend(more);
    examples.sort_by_key(seed);
    examples.truncate(MAX_EXAMPLES);
}

/// How many matches had which length.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Lengths(BTreeMap<u32, u64>);

impl Lengths {
    /// Counts `count` matches of that length.
    pub fn add(&mut self, length: u32, count: u64) {
        *self.0.entry(length).or_default() += count;
    }

    /// Counts what others counted.
    pub fn merge(&mut self, other: &Lengths) {
        other.0.iter().for_each(|(length, count)| self.add(*length, *count));
    }

    /// How long a match was on average; 0 if there was none.
    #[must_use]
    pub fn mean(&self) -> f64 {
        let sum: u128 = self.0.iter().map(|(length, count)| u128::from(*length) * u128::from(*count)).sum();
        sum as f64 / self.matches().max(1) as f64
    }

    /// The longest; 0 if there was none.
    #[must_use]
    pub fn max(&self) -> u32 {
        self.0.last_key_value().map_or(0, |(length, _)| *length)
    }

    /// The shortest length that `percent` of the matches do not exceed; 0 if there was none.
    #[must_use]
    pub fn percentile(&self, percent: u8) -> u32 {
        let wanted = (u128::from(self.matches()) * u128::from(percent)).div_ceil(100);
        let mut seen = 0;
        let reached = self.0.iter().find(|(_, count)| {
            seen += u128::from(**count);
            seen >= wanted
        });
        reached.map_or(0, |(length, _)| *length)
    }

    /// How many there are.
    #[must_use]
    pub fn matches(&self) -> u64 {
        self.0.values().sum()
    }

    /// How far lengths are from their mean, squared, on average; 0 if there is none.
    #[must_use]
    pub fn variance(&self) -> f64 {
        let mean = self.mean();
        let squares =
            self.0.iter().map(|(length, count)| (f64::from(*length) - mean).powi(2) * *count as f64);
        squares.sum::<f64>() / self.matches().max(1) as f64
    }

    /// All lengths with how many matches had each, the shortest first.
    pub fn counts(&self) -> impl Iterator<Item = (u32, u64)> + '_ {
        self.0.iter().map(|(length, count)| (*length, *count))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_know_their_median() {
        let mut lengths = Lengths::default();
        [(3, 1), (1, 1), (2, 2), (100, 1)].iter().for_each(|(length, count)| lengths.add(*length, *count));
        assert_eq!((lengths.percentile(50), lengths.percentile(95), lengths.max()), (2, 100, 100));
        assert!((lengths.mean() - 21.6).abs() < 1e-9);
        assert_eq!((Lengths::default().percentile(50), Lengths::default().max()), (0, 0));
    }

    #[test]
    fn the_smallest_seeds_are_named_whatever_the_order() {
        let unfinished = Outcome::default();
        let mut tally = Tally::new(2);
        [9, 3, 7, 1, 8, 2, 5].iter().for_each(|seed| tally.add(*seed, &unfinished));
        assert_eq!((tally.unfinished, tally.unfinished_seeds), (7, vec![1, 2, 3, 5, 7]));
    }
}
