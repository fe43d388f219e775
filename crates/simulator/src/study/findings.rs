//! What a study found, counted so that the order in which matches were played does not matter.

use std::collections::BTreeMap;

use intermezzo_ruleset::{Program, Reached, Seat};

use super::Thing;
use crate::tally::{Lengths, Tally};

/// How often somebody played, and how often they won.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Record {
    /// Matches that ended, once for each seat that counts.
    pub played: u64,
    /// Those that the seat won, alone or with others.
    pub won: u64,
}

impl Record {
    pub(crate) fn add(&mut self, won: bool) {
        self.played += 1;
        self.won += u64::from(won);
    }

    fn merge(&mut self, other: Record) {
        self.played += other.played;
        self.won += other.won;
    }
}

/// How often something was used, and what came of it for those who did.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Use {
    /// Matches in which somebody could have.
    pub seen: u64,
    /// Matches in which somebody did.
    pub matches: u64,
    /// How often, in all of them.
    pub times: u64,
    /// Seats that used it.
    pub with: Record,
    /// Seats that could have and did not.
    pub without: Record,
}

impl Use {
    /// Counts a match: who used it how often, who could have, and who won if it ended.
    pub(crate) fn add(&mut self, reached: Reached, had: u64, won: Option<u64>) {
        self.seen += u64::from(had != 0 || reached.times > 0);
        self.matches += u64::from(reached.times > 0);
        self.times += u64::from(reached.times);
        let Some(won) = won else { return };
        for seat in (0..64).filter(|seat| (had | reached.seats) >> seat & 1 == 1) {
            let record = if reached.by(Seat(seat)) { &mut self.with } else { &mut self.without };
            record.add(won >> seat & 1 == 1);
        }
    }

    pub(crate) fn merge(&mut self, other: Use) {
        self.seen += other.seen;
        self.matches += other.matches;
        self.times += other.times;
        self.with.merge(other.with);
        self.without.merge(other.without);
    }
}

/// Numbers by their size: how many have so many binary digits.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sizes(pub [u64; 65]);

impl Default for Sizes {
    fn default() -> Sizes {
        Sizes([0; 65])
    }
}

impl Sizes {
    pub(crate) fn add(&mut self, number: u64) {
        self.0[64 - number.leading_zeros() as usize] += 1;
    }

    fn merge(&mut self, other: &Sizes) {
        self.0.iter_mut().zip(&other.0).for_each(|(count, more)| *count += more);
    }

    /// Sizes that occur: the least and the greatest number of that size, and how many there were.
    pub fn ranges(&self) -> impl Iterator<Item = (u64, u64, u64)> + '_ {
        let occurring = self.0.iter().enumerate().filter(|(_, count)| **count > 0);
        occurring.map(|(size, count)| match size {
            0 => (0, 0, *count),
            size => (1 << (size - 1), u64::MAX >> (64 - size), *count),
        })
    }
}

/// What a study found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Findings {
    /// Who won, how matches ended, how long they were, what went wrong.
    pub tally: Tally,
    /// By number of the bot.
    pub bots: Vec<Record>,
    /// By number of the lot.
    pub lots: Vec<Record>,
    /// By seat: answers in a match.
    pub decisions: Vec<Lengths>,
    /// How many legal answers questions had.
    pub branching: Sizes,
    /// By seat: answers before the first play.
    pub first_play: Vec<Lengths>,
    /// By seat: matches without any play.
    pub never_played: Vec<u64>,
    /// What players chose or acted with.
    pub things: BTreeMap<Thing, Use>,
    /// By number of the probe.
    pub probes: Vec<Use>,
    /// By choice: how often somebody was asked.
    pub asked: Vec<u64>,
    /// By choice, then by alternative: how often it was taken.
    pub alternatives: Vec<Vec<u64>>,
}

impl Findings {
    /// Nothing found yet.
    #[must_use]
    pub fn new(probed: &Program, seats: u8, bots: usize, lots: usize) -> Findings {
        let seats_count = usize::from(seats);
        Findings {
            tally: Tally::new(seats),
            bots: vec![Record::default(); bots],
            lots: vec![Record::default(); lots],
            decisions: vec![Lengths::default(); seats_count],
            branching: Sizes::default(),
            first_play: vec![Lengths::default(); seats_count],
            never_played: vec![0; seats_count],
            things: BTreeMap::new(),
            probes: vec![Use::default(); probed.probes.list().len()],
            asked: vec![0; probed.choices.len()],
            alternatives: probed.choices.iter().map(|choice| vec![0; choice.branches.len()]).collect(),
        }
    }

    /// Counts what was found elsewhere, such as on another thread.
    pub fn merge(&mut self, other: Findings) {
        self.tally.merge(other.tally);
        self.bots.iter_mut().zip(other.bots).for_each(|(record, more)| record.merge(more));
        self.lots.iter_mut().zip(other.lots).for_each(|(record, more)| record.merge(more));
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

/// The bit of a seat in a set of seats, as in [`Reached`]: those from 63 on count as one.
pub(crate) fn bit(seat: Seat) -> u64 {
    1 << seat.0.min(63)
}
