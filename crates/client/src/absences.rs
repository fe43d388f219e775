//! Times in which no server was there, noted by somebody who knows.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Times in which no server was certainly there, as far as they are known. Copies share their notes.
#[derive(Clone, Debug, Default)]
pub struct Absences(Arc<Mutex<Notes>>);

#[derive(Debug, Default)]
struct Notes {
    away: Vec<(i64, i64)>,
    /// When it was killed: it may have been away too short a time to be certain of it.
    kills: Vec<i64>,
}

impl Absences {
    fn notes(&self) -> MutexGuard<'_, Notes> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// It was away from then until then, milliseconds since 1970.
    pub fn add(&self, from: i64, until: i64) {
        if from < until {
            self.notes().away.push((from, until));
        }
    }

    /// It was killed then.
    pub fn add_kill(&self, at: i64) {
        self.notes().kills.push(at);
    }

    /// For how many milliseconds of that time it was away.
    #[must_use]
    pub fn within(&self, from: i64, until: i64) -> i64 {
        let absences = &self.notes().away;
        absences.iter().map(|absence| (absence.1.min(until) - absence.0.max(from)).max(0)).sum()
    }

    /// How often it was killed in that time.
    #[must_use]
    pub fn kills(&self, from: i64, until: i64) -> i64 {
        self.notes().kills.iter().filter(|killed| (from..until).contains(killed)).count() as i64
    }
}
