//! The database clock, estimated without a query for every read.

use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, Instant};

/// A sample that took longer than this is ignored, unless it is the first.
const MAX_ROUND_TRIP: Duration = Duration::from_secs(1);

/// An estimate of the database clock. The error is at most half a round trip plus the drift of the local clock
/// since the last sample. It never goes back.
pub(super) struct DatabaseClock {
    started: Instant,
    /// The database time at `started`, or [`UNKNOWN`].
    start_us: AtomicI64,
    last_ms: AtomicI64,
}

const UNKNOWN: i64 = i64::MIN;

impl DatabaseClock {
    pub(super) fn new() -> DatabaseClock {
        let (start_us, last_ms) = (AtomicI64::new(UNKNOWN), AtomicI64::new(i64::MIN));
        DatabaseClock { started: Instant::now(), start_us, last_ms }
    }

    /// Records a sample of the database clock, taken between two local moments.
    pub(super) fn record_sample(&self, clock_us: i64, asked: Instant, answered: Instant) {
        let round_trip = answered.saturating_duration_since(asked);
        if round_trip > MAX_ROUND_TRIP && self.start_us.load(Ordering::Relaxed) != UNKNOWN {
            return;
        }
        let middle = asked.saturating_duration_since(self.started) + round_trip / 2;
        self.start_us.store(clock_us - microseconds(middle), Ordering::Relaxed);
    }

    pub(super) fn now_ms(&self) -> i64 {
        let now_us =
            self.start_us.load(Ordering::Relaxed).saturating_add(microseconds(self.started.elapsed()));
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
    fn the_time_follows_the_database_and_never_goes_back() {
        let clock = DatabaseClock::new();
        let asked = Instant::now();
        clock.record_sample(5_000_000_000, asked, asked + Duration::from_millis(2));
        let first = clock.now_ms();
        assert!((4_999_990..5_100_000).contains(&first), "{first}");
        clock.record_sample(1_000_000_000, asked, asked);
        assert!(clock.now_ms() >= first);
        clock.record_sample(9_000_000_000, asked, asked + Duration::from_secs(2));
        assert!(clock.now_ms() < 8_000_000, "a slow sample is ignored");
    }
}
