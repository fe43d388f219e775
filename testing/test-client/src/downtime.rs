//! Downtime of the server, recorded by the test that causes it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Times at which certainly no server was up. Clones share the record.
#[derive(Clone, Debug, Default)]
pub struct ServerDowntime(Arc<Mutex<DowntimeLog>>);

#[derive(Debug, Default)]
struct DowntimeLog {
    away: Vec<(i64, i64)>,
    /// Stops that the server reports, for which deadlines may be later but not must.
    reported: Vec<(i64, i64)>,
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

    /// Adds a stop that the server reports: on a busy machine its process waits for a processor.
    pub fn add_reported(&self, from: i64, until: i64) {
        self.log().reported.push((from, until));
    }

    pub fn add_kill(&self, at: i64) {
        self.log().kills.push(at);
    }

    /// Returns the downtime within a period, in milliseconds. Outages may overlap.
    #[must_use]
    pub fn duration_within(&self, from: i64, until: i64) -> i64 {
        total_within(self.log().away.clone(), from, until)
    }

    /// Returns the downtime within a period together with the stops that the server reports, in milliseconds.
    #[must_use]
    pub fn longest_within(&self, from: i64, until: i64) -> i64 {
        let log = self.log();
        total_within([&log.away[..], &log.reported].concat(), from, until)
    }

    /// Returns the number of kills within a period.
    #[must_use]
    pub fn kill_count(&self, from: i64, until: i64) -> i64 {
        self.log().kills.iter().filter(|killed| (from..until).contains(killed)).count() as i64
    }
}

fn total_within(mut outages: Vec<(i64, i64)>, from: i64, until: i64) -> i64 {
    outages.sort_unstable();
    let (mut total, mut counted_until) = (0, from);
    for (began, ended) in outages {
        let ended = ended.min(until);
        total += (ended - began.max(counted_until)).max(0);
        counted_until = counted_until.max(ended);
    }
    total
}
