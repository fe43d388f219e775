//! Findings of an experiment. They do not depend on the order in which matches were played.

use std::collections::BTreeMap;

use intermezzo_program::{CoverageHits, Program, Seat};

use super::EntityLabel;
use crate::statistics::{LengthDistribution, MatchTotals, ScoreDistribution};

/// Number of matches played and won.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct WinRecord {
    /// Finished matches, counted once per seat.
    pub played: u64,
    /// Matches that the seat won, alone or with others.
    pub won: u64,
}

impl WinRecord {
    pub(crate) fn add(&mut self, won: bool) {
        self.played += 1;
        self.won += u64::from(won);
    }

    fn merge(&mut self, other: WinRecord) {
        self.played += other.played;
        self.won += other.won;
    }
}

/// Usage of something, and the results of the seats that used it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct UsageStatistics {
    /// Matches in which somebody could use it.
    pub seen: u64,
    /// Matches in which somebody used it.
    pub matches: u64,
    /// Number of uses in all matches.
    pub times: u64,
    /// Results of the seats that used it.
    pub with: WinRecord,
    /// Results of the seats that could use it and did not.
    pub without: WinRecord,
}

impl UsageStatistics {
    /// Adds a match: the uses by seat, the seats that could use it, and the winners if the match ended.
    pub(crate) fn add(&mut self, reached: CoverageHits, had: u64, won: Option<u64>) {
        self.seen += u64::from(had != 0 || reached.times > 0);
        self.matches += u64::from(reached.times > 0);
        self.times += u64::from(reached.times);
        let Some(won) = won else { return };
        for seat in (0..64).filter(|seat| (had | reached.seats) >> seat & 1 == 1) {
            let record = if reached.includes(Seat(seat)) { &mut self.with } else { &mut self.without };
            record.add(won >> seat & 1 == 1);
        }
    }

    pub(crate) fn merge(&mut self, other: UsageStatistics) {
        self.seen += other.seen;
        self.matches += other.matches;
        self.times += other.times;
        self.with.merge(other.with);
        self.without.merge(other.without);
    }
}

/// Histogram of numbers by their number of binary digits.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SizeHistogram(pub [u64; 65]);

impl Default for SizeHistogram {
    fn default() -> SizeHistogram {
        SizeHistogram([0; 65])
    }
}

impl SizeHistogram {
    pub(crate) fn add(&mut self, number: u64) {
        self.0[64 - number.leading_zeros() as usize] += 1;
    }

    fn merge(&mut self, other: &SizeHistogram) {
        self.0.iter_mut().zip(&other.0).for_each(|(count, more)| *count += more);
    }

    /// Iterates over the sizes that occur: smallest and greatest number of that size, and the count.
    pub fn ranges(&self) -> impl Iterator<Item = (u64, u64, u64)> + '_ {
        let occurring = self.0.iter().enumerate().filter(|(_, count)| **count > 0);
        occurring.map(|(size, count)| match size {
            0 => (0, 0, *count),
            size => (1 << (size - 1), u64::MAX >> (64 - size), *count),
        })
    }
}

/// Findings of an experiment.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ExperimentFindings {
    /// Winners, endings, lengths and failures.
    pub totals: MatchTotals,
    /// Results by bot.
    pub bots: Vec<WinRecord>,
    /// Results by deck.
    pub decks: Vec<WinRecord>,
    /// Scores by bot, in matches that ended with scores.
    pub bot_scores: Vec<ScoreDistribution>,
    /// Scores by deck, in matches that ended with scores.
    pub deck_scores: Vec<ScoreDistribution>,
    /// Answers per match, by seat.
    pub decisions: Vec<LengthDistribution>,
    /// Number of legal answers per question.
    pub branching: SizeHistogram,
    /// Answers before the first play, by seat.
    pub first_play: Vec<LengthDistribution>,
    /// Matches without any play, by seat.
    pub never_played: Vec<u64>,
    /// Entities that players chose or acted with.
    pub things: BTreeMap<EntityLabel, UsageStatistics>,
    /// Usage by coverage point.
    pub probes: Vec<UsageStatistics>,
    /// Number of times each choice was asked.
    pub asked: Vec<u64>,
    /// Number of times each alternative was chosen, by choice.
    pub alternatives: Vec<Vec<u64>>,
}

impl ExperimentFindings {
    /// Creates empty findings.
    #[must_use]
    pub fn new(instrumented: &Program, seats: u8, bots: usize, decks: usize) -> ExperimentFindings {
        let seats_count = usize::from(seats);
        ExperimentFindings {
            totals: MatchTotals::new(seats),
            bots: vec![WinRecord::default(); bots],
            decks: vec![WinRecord::default(); decks],
            bot_scores: vec![ScoreDistribution::default(); bots],
            deck_scores: vec![ScoreDistribution::default(); decks],
            decisions: vec![LengthDistribution::default(); seats_count],
            branching: SizeHistogram::default(),
            first_play: vec![LengthDistribution::default(); seats_count],
            never_played: vec![0; seats_count],
            things: BTreeMap::new(),
            probes: vec![UsageStatistics::default(); instrumented.coverage.points().len()],
            asked: vec![0; instrumented.choices.len()],
            alternatives: instrumented.choices.iter().map(|choice| vec![0; choice.branches.len()]).collect(),
        }
    }

    /// Adds other findings, such as those of another thread.
    pub fn merge(&mut self, other: ExperimentFindings) {
        self.totals.merge(other.totals);
        self.bots.iter_mut().zip(other.bots).for_each(|(record, more)| record.merge(more));
        self.decks.iter_mut().zip(other.decks).for_each(|(record, more)| record.merge(more));
        self.bot_scores.iter_mut().zip(&other.bot_scores).for_each(|(scores, more)| scores.merge(more));
        self.deck_scores.iter_mut().zip(&other.deck_scores).for_each(|(scores, more)| scores.merge(more));
        self.decisions.iter_mut().zip(&other.decisions).for_each(|(lengths, more)| lengths.merge(more));
        self.branching.merge(&other.branching);
        self.first_play.iter_mut().zip(&other.first_play).for_each(|(lengths, more)| lengths.merge(more));
        add_all(&mut self.never_played, &other.never_played);
        other.things.into_iter().for_each(|(thing, more)| self.things.entry(thing).or_default().merge(more));
        self.probes.iter_mut().zip(other.probes).for_each(|(probe, more)| probe.merge(more));
        add_all(&mut self.asked, &other.asked);
        self.alternatives.iter_mut().zip(&other.alternatives).for_each(|(taken, more)| add_all(taken, more));
    }
}

fn add_all(counts: &mut [u64], more: &[u64]) {
    counts.iter_mut().zip(more).for_each(|(count, more)| *count += more);
}

/// Returns the bit of a seat in a set of seats, as in [`CoverageHits`]: seats from 63 on share one bit.
pub(crate) fn bit(seat: Seat) -> u64 {
    1 << seat.0.min(63)
}
