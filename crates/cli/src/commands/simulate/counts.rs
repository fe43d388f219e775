//! What came of matches, counted so that the order in which they were played does not matter.

use std::collections::BTreeMap;

use intermezzo_ruleset::{Seat, Symbol};

/// At most so many matches are named for each kind of trouble.
pub(crate) const MAX_EXAMPLES: usize = 5;

/// What came of one match.
#[derive(Debug, Default)]
pub(crate) struct Outcome {
    pub(crate) finish: Finish,
    pub(crate) inputs: u32,
    pub(crate) events: u32,
    /// Questions answered, and how many legal answers they had together.
    pub(crate) questions: u64,
    pub(crate) answers: u128,
}

/// How a match came to an end.
#[derive(Debug, Default)]
pub(crate) enum Finish {
    /// It was broken off.
    #[default]
    Unfinished,
    /// By the rules.
    Ended { outcome: Symbol, winners: Vec<Seat> },
    /// A rule failed.
    Fault(String),
}

impl Outcome {
    /// A match that did not even begin.
    pub(crate) fn broken(fault: String) -> Outcome {
        Outcome { finish: Finish::Fault(fault), ..Outcome::default() }
    }
}

/// What came of many matches.
#[derive(Debug)]
pub(crate) struct Counts {
    pub(crate) matches: u64,
    pub(crate) wins: Vec<u64>,
    pub(crate) draws: u64,
    pub(crate) outcomes: BTreeMap<Symbol, u64>,
    pub(crate) inputs: Lengths,
    pub(crate) events: Lengths,
    pub(crate) questions: u64,
    pub(crate) answers: u128,
    pub(crate) faults: u64,
    pub(crate) unfinished: u64,
    /// Seeds of matches in which a rule failed, and how.
    pub(crate) faulty: Vec<(u64, String)>,
    /// Seeds of matches that were broken off.
    pub(crate) endless: Vec<u64>,
}

impl Counts {
    pub(crate) fn new(seats: u8) -> Counts {
        Counts {
            matches: 0,
            wins: vec![0; usize::from(seats)],
            draws: 0,
            outcomes: BTreeMap::new(),
            inputs: Lengths::default(),
            events: Lengths::default(),
            questions: 0,
            answers: 0,
            faults: 0,
            unfinished: 0,
            faulty: Vec::new(),
            endless: Vec::new(),
        }
    }

    pub(crate) fn add(&mut self, seed: u64, outcome: Outcome) {
        self.matches += 1;
        self.inputs.add(outcome.inputs, 1);
        self.events.add(outcome.events, 1);
        self.questions += outcome.questions;
        self.answers += outcome.answers;
        match outcome.finish {
            Finish::Ended { outcome, winners } => {
                *self.outcomes.entry(outcome).or_default() += 1;
                self.draws += u64::from(winners.is_empty());
                for seat in winners {
                    if let Some(wins) = self.wins.get_mut(usize::from(seat.0)) {
                        *wins += 1;
                    }
                }
            }
            Finish::Fault(fault) => {
                self.faults += 1;
                if self.faulty.len() < MAX_EXAMPLES {
                    self.faulty.push((seed, fault));
                }
            }
            Finish::Unfinished => {
                self.unfinished += 1;
                if self.endless.len() < MAX_EXAMPLES {
                    self.endless.push(seed);
                }
            }
        }
    }

    /// Adds what another thread counted. Each thread names its first seeds, so the first of all are among them.
    pub(crate) fn merge(&mut self, other: Counts) {
        self.matches += other.matches;
        self.draws += other.draws;
        self.questions += other.questions;
        self.answers += other.answers;
        self.faults += other.faults;
        self.unfinished += other.unfinished;
        self.wins.iter_mut().zip(&other.wins).for_each(|(wins, more)| *wins += more);
        other
            .outcomes
            .iter()
            .for_each(|(outcome, count)| *self.outcomes.entry(*outcome).or_default() += count);
        other.inputs.0.iter().for_each(|(length, count)| self.inputs.add(*length, *count));
        other.events.0.iter().for_each(|(length, count)| self.events.add(*length, *count));
        self.faulty.extend(other.faulty);
        self.faulty.sort();
        self.faulty.truncate(MAX_EXAMPLES);
        self.endless.extend(other.endless);
        self.endless.sort_unstable();
        self.endless.truncate(MAX_EXAMPLES);
    }
}

/// How many matches had which length.
#[derive(Debug, Default)]
pub(crate) struct Lengths(BTreeMap<u32, u64>);

impl Lengths {
    fn add(&mut self, length: u32, count: u64) {
        *self.0.entry(length).or_default() += count;
    }

    fn total(&self) -> u64 {
        self.0.values().sum()
    }

    pub(crate) fn mean(&self) -> f64 {
        let sum: u128 = self.0.iter().map(|(length, count)| u128::from(*length) * u128::from(*count)).sum();
        sum as f64 / self.total().max(1) as f64
    }

    pub(crate) fn max(&self) -> u32 {
        self.0.last_key_value().map_or(0, |(length, _)| *length)
    }

    /// The length that `percent` of the matches do not exceed.
    pub(crate) fn percentile(&self, percent: u64) -> u32 {
        let wanted = (self.total() * percent).div_ceil(100);
        let mut seen = 0;
        let reached = self.0.iter().find(|(_, count)| {
            seen += **count;
            seen >= wanted
        });
        reached.map_or(0, |(length, _)| *length)
    }
}

/// Wilson's 95 % interval of a share: where the true one is likely to be.
pub(crate) fn wilson(hits: u64, of: u64) -> (f64, f64) {
    if of == 0 {
        return (0.0, 1.0);
    }
    let (z, n) = (1.959_964, of as f64);
    let share = hits as f64 / n;
    let centre = share + z * z / (2.0 * n);
    let spread = z * (share * (1.0 - share) / n + z * z / (4.0 * n * n)).sqrt();
    let scale = 1.0 + z * z / n;
    (((centre - spread) / scale).max(0.0), ((centre + spread) / scale).min(1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_interval_is_wilsons() {
        let (low, high) = wilson(50, 100);
        assert!((low - 0.4038).abs() < 1e-4 && (high - 0.5962).abs() < 1e-4, "{low} {high}");
        let (low, high) = wilson(0, 10);
        assert!(low == 0.0 && (high - 0.2775).abs() < 1e-4, "{low} {high}");
        assert_eq!(wilson(0, 0), (0.0, 1.0));
    }

    #[test]
    fn lengths_know_their_median() {
        let mut lengths = Lengths::default();
        [(3, 1), (1, 1), (2, 2), (100, 1)].iter().for_each(|(length, count)| lengths.add(*length, *count));
        assert_eq!((lengths.percentile(50), lengths.percentile(95), lengths.max()), (2, 100, 100));
        assert!((lengths.mean() - 21.6).abs() < 1e-9);
        assert_eq!(Lengths::default().percentile(50), 0);
    }
}
