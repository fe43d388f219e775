//! A store wrapper that injects faults, from a script or a seed.
//!
//! It tests the callers of a store: every fault here can occur in production.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::error::StoreError;
use crate::fault_seed;
use crate::match_id::MatchId;
use crate::transaction::{CommitOutcome, LogRow, Snapshot, StoredMatch, StoredRecord, Transaction};
use crate::{Store, StoreFuture, ready};

/// The fate of one write: a commit or a deletion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InjectedFault {
    /// The write succeeds or conflicts as usual.
    None,
    /// The write is not performed, and the outcome says so.
    NotCommitted,
    /// The write is performed, but the outcome is `Unknown`.
    UnknownCommitted,
    /// The write is not performed, and the outcome is `Unknown`.
    UnknownNotCommitted,
    /// The write is performed; its outcome arrives this much later.
    Delay(Duration),
}

/// The percentage of writes that get each fault.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StoreFaultRates {
    pub not_committed: u8,
    pub unknown_committed: u8,
    pub unknown_not_committed: u8,
    pub delayed: u8,
    /// The length of each delay.
    pub delay: Duration,
}

/// A store that injects faults into another one.
pub struct FaultInjector<S> {
    inner: S,
    schedule: Mutex<FaultSchedule>,
}

#[derive(Default)]
struct FaultSchedule {
    /// Faults of the next writes. When the script is used up, random faults follow.
    script: VecDeque<InjectedFault>,
    rates: StoreFaultRates,
    seed: u64,
    /// Number of random draws; together with the seed it determines the next one.
    draws: u64,
    failing_reads: usize,
    /// True if every write fails.
    is_full: bool,
}

impl<S: Store> FaultInjector<S> {
    /// Creates a store that follows a script, one fault per write. After its end, nothing fails.
    pub fn scripted(inner: S, script: impl IntoIterator<Item = InjectedFault>) -> FaultInjector<S> {
        let plan = FaultSchedule { script: script.into_iter().collect(), ..FaultSchedule::default() };
        FaultInjector { inner, schedule: Mutex::new(plan) }
    }

    /// Creates a store with random faults. The same seed and order of writes give the same faults.
    pub fn seeded(inner: S, seed: u64, rates: StoreFaultRates) -> FaultInjector<S> {
        FaultInjector {
            inner,
            schedule: Mutex::new(FaultSchedule { seed, rates, ..FaultSchedule::default() }),
        }
    }

    /// Appends a fault to the script.
    pub fn push_fault(&self, fault: InjectedFault) {
        self.schedule().script.push_back(fault);
    }

    /// Makes every write fail, as on a full disk, or no longer.
    pub fn refuse_writes(&self, is_full: bool) {
        self.schedule().is_full = is_full;
    }

    /// Makes the next `count` reads fail.
    pub fn fail_reads(&self, count: usize) {
        self.schedule().failing_reads = count;
    }

    /// Returns the wrapped store, which does not fail.
    pub fn inner(&self) -> &S {
        &self.inner
    }

    fn schedule(&self) -> MutexGuard<'_, FaultSchedule> {
        self.schedule.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Performs a write on the wrapped store according to the next fault.
    fn apply_next_fault(
        &self,
        write: impl FnOnce() -> StoreFuture<CommitOutcome>,
    ) -> StoreFuture<CommitOutcome> {
        match self.schedule().next_fault() {
            InjectedFault::None => write(),
            InjectedFault::NotCommitted => ready(CommitOutcome::NotCommitted("injected fault".to_owned())),
            InjectedFault::UnknownNotCommitted => ready(unknown()),
            InjectedFault::UnknownCommitted => {
                let future = write();
                Box::pin(async move {
                    let _ = future.await;
                    unknown()
                })
            }
            InjectedFault::Delay(delay) => {
                let future = write();
                Box::pin(async move {
                    tokio::time::sleep(delay).await;
                    future.await
                })
            }
        }
    }

    fn read_or_fail<T: Send + 'static>(
        &self,
        read: impl FnOnce() -> StoreFuture<Result<T, StoreError>>,
    ) -> StoreFuture<Result<T, StoreError>> {
        if self.schedule().use_failing_read() {
            return ready(Err(StoreError::new("injected read failure")));
        }
        read()
    }
}

fn unknown() -> CommitOutcome {
    CommitOutcome::Unknown("injected fault".to_owned())
}

impl FaultSchedule {
    fn next_fault(&mut self) -> InjectedFault {
        if self.is_full {
            return InjectedFault::NotCommitted;
        }
        self.script.pop_front().unwrap_or_else(|| self.random_fault())
    }

    fn random_fault(&mut self) -> InjectedFault {
        self.draws += 1;
        let mut drawn = u32::from(fault_seed::percent(self.seed, self.draws));
        let StoreFaultRates {
            not_committed: definitely_not,
            unknown_committed: unknown_landed,
            unknown_not_committed: unknown_lost,
            delayed,
            delay,
        } = self.rates;
        let kinds = [
            (definitely_not, InjectedFault::NotCommitted),
            (unknown_landed, InjectedFault::UnknownCommitted),
            (unknown_lost, InjectedFault::UnknownNotCommitted),
            (delayed, InjectedFault::Delay(delay)),
        ];
        for (rate, fault) in kinds {
            let rate = u32::from(rate);
            if drawn < rate {
                return fault;
            }
            drawn -= rate;
        }
        InjectedFault::None
    }

    fn use_failing_read(&mut self) -> bool {
        let fails = self.failing_reads > 0;
        self.failing_reads = self.failing_reads.saturating_sub(1);
        fails
    }
}

impl<S: Store> Store for FaultInjector<S> {
    fn commit(&self, transaction: Transaction) -> StoreFuture<CommitOutcome> {
        self.apply_next_fault(|| self.inner.commit(transaction))
    }

    fn rows(
        &self,
        match_id: MatchId,
        after: u64,
        limit: usize,
    ) -> StoreFuture<Result<Vec<LogRow>, StoreError>> {
        self.read_or_fail(|| self.inner.rows(match_id, after, limit))
    }

    fn head(&self, match_id: MatchId) -> StoreFuture<Result<u64, StoreError>> {
        self.read_or_fail(|| self.inner.head(match_id))
    }

    fn heads(&self, match_ids: Vec<MatchId>) -> StoreFuture<Result<Vec<u64>, StoreError>> {
        self.read_or_fail(|| self.inner.heads(match_ids))
    }

    fn snapshot(&self, match_id: MatchId) -> StoreFuture<Result<Option<Snapshot>, StoreError>> {
        self.read_or_fail(|| self.inner.snapshot(match_id))
    }

    fn get(&self, key: &str) -> StoreFuture<Result<Option<StoredRecord>, StoreError>> {
        self.read_or_fail(|| self.inner.get(key))
    }

    fn scan(
        &self,
        range: Range<String>,
        limit: usize,
        newest_first: bool,
    ) -> StoreFuture<Result<Vec<(String, StoredRecord)>, StoreError>> {
        self.read_or_fail(|| self.inner.scan(range, limit, newest_first))
    }

    fn due(&self, until_ms: i64, limit: usize) -> StoreFuture<Result<Vec<(MatchId, i64)>, StoreError>> {
        self.read_or_fail(|| self.inner.due(until_ms, limit))
    }

    fn claim_due(
        &self,
        until_ms: i64,
        limit: usize,
        hold_ms: i64,
    ) -> StoreFuture<Result<Vec<(MatchId, i64)>, StoreError>> {
        self.read_or_fail(|| self.inner.claim_due(until_ms, limit, hold_ms))
    }

    fn matches(
        &self,
        after: Option<MatchId>,
        limit: usize,
    ) -> StoreFuture<Result<Vec<StoredMatch>, StoreError>> {
        self.read_or_fail(|| self.inner.matches(after, limit))
    }

    fn delete_match(&self, match_id: MatchId) -> StoreFuture<CommitOutcome> {
        self.apply_next_fault(|| self.inner.delete_match(match_id))
    }

    fn now(&self) -> i64 {
        self.inner.now()
    }

    fn close(&self) -> StoreFuture<()> {
        self.inner.close()
    }
}
