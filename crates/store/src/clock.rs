//! Time sources for stores and their callers.

use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

/// A source of the current time.
pub trait TimeSource: Send + Sync + 'static {
    /// Returns the current time in milliseconds since the Unix epoch.
    fn now_ms(&self) -> i64;
}

/// The clock of this machine.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl TimeSource for SystemClock {
    fn now_ms(&self) -> i64 {
        let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        i64::try_from(since_1970.as_millis()).unwrap_or(i64::MAX)
    }
}

/// A clock that reads the wall clock once and then counts the time that passes, so that a change of the wall clock
/// neither ends nor extends anything that is running.
#[derive(Debug)]
pub struct MonotonicClock {
    started: Instant,
    /// Time at `started`.
    start_ms: AtomicI64,
}

impl MonotonicClock {
    /// Creates a clock that starts with the time of `wall`.
    #[must_use]
    pub fn starting_at(wall: &dyn TimeSource) -> MonotonicClock {
        MonotonicClock { started: Instant::now(), start_ms: AtomicI64::new(wall.now_ms()) }
    }

    /// Moves the clock forward if it is behind a time that has already been recorded, because the wall clock was set
    /// back since.
    pub fn never_before(&self, recorded_ms: i64) {
        self.start_ms.fetch_max(recorded_ms - self.elapsed_ms(), Ordering::SeqCst);
    }

    fn elapsed_ms(&self) -> i64 {
        i64::try_from(self.started.elapsed().as_millis()).unwrap_or(i64::MAX)
    }
}

impl TimeSource for MonotonicClock {
    fn now_ms(&self) -> i64 {
        self.start_ms.load(Ordering::SeqCst).saturating_add(self.elapsed_ms())
    }
}

/// A clock for tests. It moves only by [`advance`](Self::advance) and [`set`](Self::set).
#[derive(Debug, Default)]
pub struct ManualClock(AtomicI64);

impl ManualClock {
    /// Creates a clock that shows `now_ms`.
    pub fn new(now_ms: i64) -> ManualClock {
        ManualClock(AtomicI64::new(now_ms))
    }

    pub fn advance(&self, by_ms: i64) {
        self.0.fetch_add(by_ms, Ordering::SeqCst);
    }

    pub fn set(&self, now_ms: i64) {
        self.0.store(now_ms, Ordering::SeqCst);
    }
}

impl TimeSource for ManualClock {
    fn now_ms(&self) -> i64 {
        self.0.load(Ordering::SeqCst)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_jump_of_the_wall_clock_does_not_move_the_time() {
        let wall = ManualClock::new(10_000_000);
        let clock = MonotonicClock::starting_at(&wall);
        for jump in [3_600_000, -7_200_000] {
            wall.advance(jump);
            assert!((10_000_000..10_060_000).contains(&clock.now_ms()), "{}", clock.now_ms());
        }
    }

    #[test]
    fn a_clock_that_was_set_back_continues_at_the_last_recorded_time() {
        let clock = MonotonicClock::starting_at(&ManualClock::new(10_000_000));
        clock.never_before(13_600_000);
        assert!((13_600_000..13_660_000).contains(&clock.now_ms()), "{}", clock.now_ms());
        clock.never_before(1_000);
        assert!(clock.now_ms() >= 13_600_000);
    }
}
