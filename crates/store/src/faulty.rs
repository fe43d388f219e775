//! A store that fails when it is told to, by a script or by a seed.
//!
//! For tests of those who use a store: whatever fails here can fail in earnest.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::chance;
use crate::error::StoreError;
use crate::match_id::MatchId;
use crate::transaction::{Listed, Outcome, Record, Row, Snapshot, Transaction};
use crate::{Answer, Store, known};

/// What happens to one change, a commit or a forgetting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Nothing special.
    None,
    /// It does not happen, and that is the answer.
    DefinitelyNot,
    /// It happens if it can, but the answer is `Unknown`.
    UnknownLanded,
    /// It does not happen, and the answer is `Unknown`.
    UnknownLost,
    /// It happens; the answer comes this much later.
    Delay(Duration),
}

/// How many changes of a hundred fail, by the way in which they fail.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rates {
    /// For [`Fault::DefinitelyNot`].
    pub definitely_not: u8,
    /// For [`Fault::UnknownLanded`].
    pub unknown_landed: u8,
    /// For [`Fault::UnknownLost`].
    pub unknown_lost: u8,
    /// For [`Fault::Delay`].
    pub delayed: u8,
    /// How long those are delayed.
    pub delay: Duration,
}

/// Wraps a store and fails.
pub struct Faulty<S> {
    inner: S,
    plan: Mutex<Plan>,
}

#[derive(Default)]
struct Plan {
    /// For the next changes; after them chance decides.
    script: VecDeque<Fault>,
    rates: Rates,
    seed: u64,
    /// How many faults chance has decided on.
    draws: u64,
    failing_reads: usize,
}

impl<S: Store> Faulty<S> {
    /// Fails as a script says, one fault for each change; after its end nothing fails.
    pub fn scripted(inner: S, script: impl IntoIterator<Item = Fault>) -> Faulty<S> {
        let plan = Plan { script: script.into_iter().collect(), ..Plan::default() };
        Faulty { inner, plan: Mutex::new(plan) }
    }

    /// Fails by chance, in the same way for the same seed and the same order of changes.
    pub fn seeded(inner: S, seed: u64, rates: Rates) -> Faulty<S> {
        Faulty { inner, plan: Mutex::new(Plan { seed, rates, ..Plan::default() }) }
    }

    /// Adds to the end of the script.
    pub fn then(&self, fault: Fault) {
        self.plan().script.push_back(fault);
    }

    /// Makes the next reads fail, as many as this.
    pub fn fail_reads(&self, count: usize) {
        self.plan().failing_reads = count;
    }

    /// The store inside, which does not fail.
    pub fn inner(&self) -> &S {
        &self.inner
    }

    fn plan(&self) -> MutexGuard<'_, Plan> {
        self.plan.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Asks the store inside for a change, as the next fault has it.
    fn change(&self, ask: impl FnOnce() -> Answer<Outcome>) -> Answer<Outcome> {
        match self.plan().next_fault() {
            Fault::None => ask(),
            Fault::DefinitelyNot => known(Outcome::DefinitelyNot("by order of the test".to_owned())),
            Fault::UnknownLost => known(unknown()),
            Fault::UnknownLanded => {
                let answer = ask();
                Box::pin(async move {
                    let _ = answer.await;
                    unknown()
                })
            }
            Fault::Delay(delay) => {
                let answer = ask();
                Box::pin(async move {
                    tokio::time::sleep(delay).await;
                    answer.await
                })
            }
        }
    }

    fn read<T: Send + 'static>(
        &self,
        ask: impl FnOnce() -> Answer<Result<T, StoreError>>,
    ) -> Answer<Result<T, StoreError>> {
        if self.plan().takes_failing_read() {
            return known(Err(StoreError::new("the read fails by order of the test")));
        }
        ask()
    }
}

fn unknown() -> Outcome {
    Outcome::Unknown("by order of the test".to_owned())
}

impl Plan {
    fn next_fault(&mut self) -> Fault {
        self.script.pop_front().unwrap_or_else(|| self.fault_by_chance())
    }

    fn fault_by_chance(&mut self) -> Fault {
        self.draws += 1;
        let mut drawn = u32::from(chance::percent(self.seed, self.draws));
        let Rates { definitely_not, unknown_landed, unknown_lost, delayed, delay } = self.rates;
        let kinds = [
            (definitely_not, Fault::DefinitelyNot),
            (unknown_landed, Fault::UnknownLanded),
            (unknown_lost, Fault::UnknownLost),
            (delayed, Fault::Delay(delay)),
        ];
        for (rate, fault) in kinds {
            let rate = u32::from(rate);
            if drawn < rate {
                return fault;
            }
            drawn -= rate;
        }
        Fault::None
    }

    fn takes_failing_read(&mut self) -> bool {
        let fails = self.failing_reads > 0;
        self.failing_reads = self.failing_reads.saturating_sub(1);
        fails
    }
}

impl<S: Store> Store for Faulty<S> {
    fn commit(&self, transaction: Transaction) -> Answer<Outcome> {
        self.change(|| self.inner.commit(transaction))
    }

    fn rows(&self, match_id: MatchId, after: u64, limit: usize) -> Answer<Result<Vec<Row>, StoreError>> {
        self.read(|| self.inner.rows(match_id, after, limit))
    }

    fn head(&self, match_id: MatchId) -> Answer<Result<u64, StoreError>> {
        self.read(|| self.inner.head(match_id))
    }

    fn heads(&self, match_ids: Vec<MatchId>) -> Answer<Result<Vec<u64>, StoreError>> {
        self.read(|| self.inner.heads(match_ids))
    }

    fn snapshot(&self, match_id: MatchId) -> Answer<Result<Option<Snapshot>, StoreError>> {
        self.read(|| self.inner.snapshot(match_id))
    }

    fn get(&self, key: &str) -> Answer<Result<Option<Record>, StoreError>> {
        self.read(|| self.inner.get(key))
    }

    fn scan(
        &self,
        range: Range<String>,
        limit: usize,
        newest_first: bool,
    ) -> Answer<Result<Vec<(String, Record)>, StoreError>> {
        self.read(|| self.inner.scan(range, limit, newest_first))
    }

    fn due(&self, until_ms: i64, limit: usize) -> Answer<Result<Vec<(MatchId, i64)>, StoreError>> {
        self.read(|| self.inner.due(until_ms, limit))
    }

    fn claim_due(
        &self,
        until_ms: i64,
        limit: usize,
        hold_ms: i64,
    ) -> Answer<Result<Vec<(MatchId, i64)>, StoreError>> {
        self.read(|| self.inner.claim_due(until_ms, limit, hold_ms))
    }

    fn matches(&self, after: Option<MatchId>, limit: usize) -> Answer<Result<Vec<Listed>, StoreError>> {
        self.read(|| self.inner.matches(after, limit))
    }

    fn forget(&self, match_id: MatchId) -> Answer<Outcome> {
        self.change(|| self.inner.forget(match_id))
    }

    fn now(&self) -> i64 {
        self.inner.now()
    }

    fn close(&self) -> Answer<()> {
        self.inner.close()
    }
}
