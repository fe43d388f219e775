//! The clock of the database, told without asking it every time.

use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, Instant};

/// Asked for the time, a database that takes longer than this to answer is not believed, unless it is the first time.
const MAX_ROUND_TRIP: Duration = Duration::from_secs(1);

/// What the database's clock shows, as far as one can tell: right to within half a round trip,
/// and what the clock of this machine has gone wrong since. It never goes back.
pub(super) struct Timekeeper {
    begun: Instant,
    /// What the database's clock showed when this was begun, or [`UNKNOWN`].
    at_first_us: AtomicI64,
    last_ms: AtomicI64,
}

const UNKNOWN: i64 = i64::MIN;

impl Timekeeper {
    pub(super) fn new() -> Timekeeper {
        let (at_first_us, last_ms) = (AtomicI64::new(UNKNOWN), AtomicI64::new(i64::MIN));
        Timekeeper { begun: Instant::now(), at_first_us, last_ms }
    }

    /// Notes what the database's clock showed between two moments.
    pub(super) fn learn(&self, clock_us: i64, asked: Instant, answered: Instant) {
        let round_trip = answered.saturating_duration_since(asked);
        if round_trip > MAX_ROUND_TRIP && self.at_first_us.load(Ordering::Relaxed) != UNKNOWN {
            return;
        }
        let middle = asked.saturating_duration_since(self.begun) + round_trip / 2;
        self.at_first_us.store(clock_us - microseconds(middle), Ordering::Relaxed);
    }

    pub(super) fn now_ms(&self) -> i64 {
        let now_us =
            self.at_first_us.load(Ordering::Relaxed).saturating_add(microseconds(self.begun.elapsed()));
        let now_ms = now_us.div_euclid(1000);
        self.last_ms.fetch_max(now_ms, Ordering::Relaxed).max(now_ms)
    }
}

fn microseconds(time: Duration) -> i64 {
    i64::try_from(time.as_micros()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_is_that_of_the_database_and_never_goes_back() {
        let keeper = Timekeeper::new();
        let asked = Instant::now();
        keeper.learn(5_000_000_000, asked, asked + Duration::from_millis(2));
        let first = keeper.now_ms();
        assert!((4_999_990..5_100_000).contains(&first), "{first}");
        keeper.learn(1_000_000_000, asked, asked);
        assert!(keeper.now_ms() >= first);
        keeper.learn(9_000_000_000, asked, asked + Duration::from_secs(2));
        assert!(keeper.now_ms() < 8_000_000, "an answer that took too long is not believed");
    }
}
