//! Who is seeing to which match that is due, for stores that only one process has open.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::match_id::MatchId;
use crate::transaction::{Due, Transaction};

/// Until when matches are held, by the store's clock.
#[derive(Default)]
pub(crate) struct Claims(Mutex<HashMap<MatchId, i64>>);

impl Claims {
    /// How many matches are held, at most.
    pub(crate) fn count(&self) -> usize {
        self.held().len()
    }

    /// Of matches that are due, holds the first ones that nobody holds.
    pub(crate) fn take(
        &self,
        due: Vec<(MatchId, i64)>,
        now_ms: i64,
        limit: usize,
        hold_ms: i64,
    ) -> Vec<(MatchId, i64)> {
        let mut held = self.held();
        held.retain(|_, until_ms| *until_ms > now_ms);
        let free = due.into_iter().filter(|(match_id, _)| !held.contains_key(match_id));
        let taken: Vec<(MatchId, i64)> = free.take(limit).collect();
        held.extend(taken.iter().map(|(match_id, _)| (*match_id, now_ms.saturating_add(hold_ms))));
        taken
    }

    /// Lets go of matches that get a new time.
    pub(crate) fn release(&self, transaction: &Transaction) {
        if transaction.appends.iter().any(|append| append.due != Due::Keep) {
            let mut held = self.held();
            for append in transaction.appends.iter().filter(|append| append.due != Due::Keep) {
                held.remove(&append.match_id);
            }
        }
    }

    fn held(&self) -> MutexGuard<'_, HashMap<MatchId, i64>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
