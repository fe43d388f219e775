//! Downtime of the server, recorded by the test that causes it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Times at which certainly no server was up. Clones share the record.
#[derive(Clone, Debug, Default)]
pub struct ServerDowntime(Arc<Mutex<DowntimeLog>>);

#[derive(Debug, Default)]
struct DowntimeLog {
    away: Vec<(i64, i64)>,
    /// Times of kills. The downtime after a kill may be too short to be certain of.
    kills: Vec<i64>,
}

impl ServerDowntime {
    fn log(&self) -> MutexGuard<'_, DowntimeLog> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a downtime, in milliseconds since 1970.
    pub fn add(&self, from: i64, until: i64) {
        if from < until {
            self.log().away.push((from, until));
        }
    }

    pub fn add_kill(&self, at: i64) {
        self.log().kills.push(at);
    }

    /// Returns the downtime within a period, in milliseconds. Outages may overlap.
    #[must_use]
    pub fn duration_within(&self, from: i64, until: i64) -> i64 {
        let mut outages = self.log().away.clone();
        outages.sort_unstable();
        let (mut total, mut counted_until) = (0, from);
        for (began, ended) in outages {
            let ended = ended.min(until);
            total += (ended - began.max(counted_until)).max(0);
            counted_until = counted_until.max(ended);
        }
        total
    }

    /// Returns the number of kills within a period.
    #[must_use]
    pub fn kill_count(&self, from: i64, until: i64) -> i64 {
        self.log().kills.iter().filter(|killed| (from..until).contains(killed)).count() as i64
    }
}
