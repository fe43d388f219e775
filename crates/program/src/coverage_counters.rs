//! Coverage counters: how often each point in the rules is reached.
//!
//! Only programs compiled for simulations have coverage points, each marked by an
//! [`Instr::CoverageHit`](crate::Instr). Other programs carry no overhead.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use crate::word;
use crate::{EventId, Seat, SourceLocation, Word};

/// Seats from here on share one bit.
const LAST_SEAT: u8 = 63;

/// Meaning of a hit.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum CoverageKind {
    /// An action was taken and paid for.
    Action,
    /// An ability was run.
    Ability,
    /// A reaction ran; if its player was asked, with consent.
    Reaction,
    /// A modifier changed a value.
    Modifier,
    /// A function was called.
    Function,
    /// A proc was called.
    Proc,
    /// The condition of an `if` was true.
    Then,
    /// The condition of an `if` was false.
    Else,
    /// A case of a `switch` was chosen.
    Case,
    /// An event of this type was prevented; of any type if the type is not known.
    Prevents(Option<EventId>),
}

/// A point in the rules whose hits are counted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CoveragePoint {
    pub kind: CoverageKind,
    /// Rule that contains the point.
    pub name: String,
    pub location: SourceLocation,
    /// Byte offset in the file; several points may be on one line.
    pub start: u32,
}

/// Hits of a coverage point since it was last drained.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct CoverageHits {
    pub times: u32,
    /// Seats whose code reached the point, one bit each.
    pub seats: u64,
}

impl CoverageHits {
    /// Tells whether `seat` reached the point.
    #[must_use]
    pub fn includes(self, seat: Seat) -> bool {
        self.seats & bit(seat) != 0
    }
}

/// All coverage points of a program with their counters. A clone starts with all counters at zero.
#[derive(Debug, Default)]
pub struct CoverageCounters {
    list: Vec<CoveragePoint>,
    counters: Vec<HitCounter>,
}

#[derive(Debug, Default)]
struct HitCounter {
    times: AtomicU32,
    seats: AtomicU64,
}

impl CoverageCounters {
    /// Adds a point and returns its number.
    pub fn add(&mut self, point: CoveragePoint) -> u32 {
        self.list.push(point);
        self.counters.push(HitCounter::default());
        self.list.len() as u32 - 1
    }

    /// Returns the points by number.
    #[must_use]
    pub fn points(&self) -> &[CoveragePoint] {
        &self.list
    }

    /// Counts a hit by code of `player`, who may be null.
    ///
    /// Load and store are separate, so threads that share a program may lose counts. Give each thread its own
    /// clone.
    #[inline]
    pub fn record_hit(&self, number: u32, player: Word) {
        let Some(counter) = self.counters.get(number as usize) else { return };
        counter.times.store(counter.times.load(Ordering::Relaxed).saturating_add(1), Ordering::Relaxed);
        if player > 0 {
            let seats = counter.seats.load(Ordering::Relaxed);
            counter.seats.store(seats | bit(word::seat(player)), Ordering::Relaxed);
        }
    }

    /// Reads a counter and resets it to zero.
    #[must_use]
    pub fn drain(&self, number: usize) -> CoverageHits {
        let Some(counter) = self.counters.get(number) else { return CoverageHits::default() };
        let times = counter.times.load(Ordering::Relaxed);
        if times == 0 {
            return CoverageHits::default();
        }
        counter.times.store(0, Ordering::Relaxed);
        let seats = counter.seats.load(Ordering::Relaxed);
        counter.seats.store(0, Ordering::Relaxed);
        CoverageHits { times, seats }
    }
}

impl Clone for CoverageCounters {
    fn clone(&self) -> CoverageCounters {
        let counters = self.list.iter().map(|_| HitCounter::default()).collect();
        CoverageCounters { list: self.list.clone(), counters }
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
    fn draining_resets_counters_and_clones_start_at_zero() {
        let mut coverage = CoverageCounters::default();
        let location = SourceLocation { file: 0, line: 1 };
        let point =
            CoveragePoint { kind: CoverageKind::Proc, name: "procs.p".to_owned(), location, start: 0 };
        let number = coverage.add(point);
        coverage.record_hit(number, word::player(Seat(1)));
        coverage.record_hit(number, NULL);
        let copy = coverage.clone();
        let hits = coverage.drain(0);
        assert_eq!((hits.times, hits.includes(Seat(1)), hits.includes(Seat(0))), (2, true, false));
        assert_eq!((coverage.drain(0), copy.drain(0)), (CoverageHits::default(), CoverageHits::default()));
        assert_eq!(copy.points(), coverage.points());
    }
}
