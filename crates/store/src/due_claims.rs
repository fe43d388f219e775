//! Claims on due matches, for stores that a single process has open.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::match_id::MatchId;
use crate::transaction::{Due, Transaction};

/// Claimed matches with the time each claim expires, by the store's clock.
#[derive(Default)]
pub(crate) struct DueClaims(Mutex<HashMap<MatchId, i64>>);

impl DueClaims {
    /// Returns an upper bound of the claimed matches: expired claims are counted too.
    pub(crate) fn count(&self) -> usize {
        self.lock().len()
    }

    /// Claims the first unclaimed matches of `due`, at most `limit`.
    pub(crate) fn claim(
        &self,
        due: Vec<(MatchId, i64)>,
        now_ms: i64,
        limit: usize,
        hold_ms: i64,
    ) -> Vec<(MatchId, i64)> {
        let mut held = self.lock();
        held.retain(|_, until_ms| *until_ms > now_ms);
        let free = due.into_iter().filter(|(match_id, _)| !held.contains_key(match_id));
        let claimed: Vec<(MatchId, i64)> = free.take(limit).collect();
        held.extend(claimed.iter().map(|(match_id, _)| (*match_id, now_ms.saturating_add(hold_ms))));
        claimed
    }

    /// Releases the matches for which the transaction sets a new due time.
    pub(crate) fn release(&self, transaction: &Transaction) {
        if transaction.appends.iter().any(|append| append.due != Due::Keep) {
            let mut held = self.lock();
            for append in transaction.appends.iter().filter(|append| append.due != Due::Keep) {
                held.remove(&append.match_id);
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<MatchId, i64>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
