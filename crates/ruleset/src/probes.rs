//! Places in the rules at which it is counted how often they are reached.
//!
//! A program has them only if it was compiled with them, for simulations: then an [`Instr::Probe`](crate::Instr)
//! stands at each. All others know nothing of it.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use crate::{EventId, Place, Seat, Word, word};

/// Seats from here on are counted as one.
const LAST_SEAT: u8 = 63;

/// What it means that a probe is reached.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum ProbeKind {
    /// An action was taken and paid for.
    Action,
    /// An ability was run.
    Ability,
    /// A reaction happened; if its player was asked, with consent.
    Reaction,
    /// A modifier changed a value.
    Modifier,
    /// A function was computed.
    Function,
    /// A proc was run.
    Proc,
    /// The test of an `if` held.
    Then,
    /// The test of an `if` did not hold.
    Else,
    /// A case of a `switch` came about.
    Case,
    /// An event of the type was prevented; of any type, if none is known.
    Prevents(Option<EventId>),
}

/// A place in the rules.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Probe {
    /// What reaching it means.
    pub kind: ProbeKind,
    /// The rule; of arms and of what is prevented, the rule they are part of.
    pub name: String,
    /// Where it is.
    pub place: Place,
    /// Where in the file exactly, in bytes: several may stand in one line.
    pub start: u32,
}

/// How often a probe was reached since it was last read.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Reached {
    /// So many times …
    pub times: u32,
    /// … by these players, a bit for each seat.
    pub seats: u64,
}

impl Reached {
    /// Whether it was that player.
    #[must_use]
    pub fn by(self, seat: Seat) -> bool {
        self.seats & bit(seat) != 0
    }
}

/// All probes of a program, and how often each was reached. A copy has counted nothing yet.
#[derive(Debug, Default)]
pub struct Probes {
    list: Vec<Probe>,
    counters: Vec<Counter>,
}

#[derive(Debug, Default)]
struct Counter {
    times: AtomicU32,
    seats: AtomicU64,
}

impl Probes {
    /// Adds a probe and gives its number.
    pub fn add(&mut self, probe: Probe) -> u32 {
        self.list.push(probe);
        self.counters.push(Counter::default());
        self.list.len() as u32 - 1
    }

    /// The probes by number.
    #[must_use]
    pub fn list(&self) -> &[Probe] {
        &self.list
    }

    /// Counts that a probe is reached by code of `player`, who may be null.
    ///
    /// Threads that count in the same program may overlook each other; each should have a copy of its own.
    #[inline]
    pub fn reach(&self, number: u32, player: Word) {
        let Some(counter) = self.counters.get(number as usize) else { return };
        counter.times.store(counter.times.load(Ordering::Relaxed).saturating_add(1), Ordering::Relaxed);
        if player > 0 {
            let seats = counter.seats.load(Ordering::Relaxed);
            counter.seats.store(seats | bit(word::seat(player)), Ordering::Relaxed);
        }
    }

    /// Reads a counter and sets it back.
    #[must_use]
    pub fn take(&self, number: usize) -> Reached {
        let Some(counter) = self.counters.get(number) else { return Reached::default() };
        let times = counter.times.load(Ordering::Relaxed);
        if times == 0 {
            return Reached::default();
        }
        counter.times.store(0, Ordering::Relaxed);
        let seats = counter.seats.load(Ordering::Relaxed);
        counter.seats.store(0, Ordering::Relaxed);
        Reached { times, seats }
    }
}

impl Clone for Probes {
    fn clone(&self) -> Probes {
        let counters = self.list.iter().map(|_| Counter::default()).collect();
        Probes { list: self.list.clone(), counters }
    }
}

fn bit(seat: Seat) -> u64 {
    1 << seat.0.min(LAST_SEAT)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::NULL;

    #[test]
    fn what_was_read_is_not_read_again_and_copies_begin_anew() {
        let mut probes = Probes::default();
        let place = Place { file: 0, line: 1 };
        let probe = Probe { kind: ProbeKind::Proc, name: "procs.p".to_owned(), place, start: 0 };
        let number = probes.add(probe);
        probes.reach(number, word::player(Seat(1)));
        probes.reach(number, NULL);
        let copy = probes.clone();
        let reached = probes.take(0);
        assert_eq!((reached.times, reached.by(Seat(1)), reached.by(Seat(0))), (2, true, false));
        assert_eq!((probes.take(0), copy.take(0)), (Reached::default(), Reached::default()));
        assert_eq!(copy.list(), probes.list());
    }
}
