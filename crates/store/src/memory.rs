//! A store in memory, for tests. Its contents are lost when it is dropped.

use std::collections::{BTreeMap, HashMap};
use std::convert::Infallible;
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::clock::{SystemClock, TimeSource};
use crate::due_claims::DueClaims;
use crate::error::StoreError;
use crate::limits;
use crate::match_id::MatchId;
use crate::precondition::{self, CurrentVersions};
use crate::transaction::{
    Append, CommitOutcome, Due, LogRow, Put, Snapshot, StoredMatch, StoredRecord, Transaction,
};
use crate::{Store, StoreFuture, ready};

/// A store in memory.
pub struct MemoryStore {
    state: Mutex<MemoryState>,
    claims: DueClaims,
    clock: Arc<dyn TimeSource>,
}

#[derive(Default)]
struct MemoryState {
    logs: HashMap<MatchId, MemoryLog>,
    records: BTreeMap<String, StoredRecord>,
    /// Number of record changes: the source of record versions.
    changes: u64,
    is_closed: bool,
}

#[derive(Default)]
struct MemoryLog {
    bodies: Vec<Vec<u8>>,
    snapshot: Option<Snapshot>,
    due_ms: Option<i64>,
}

impl MemoryStore {
    /// Creates an empty store that uses the system clock.
    pub fn new() -> MemoryStore {
        MemoryStore::with_clock(Arc::new(SystemClock))
    }

    /// Creates an empty store that uses the given clock.
    pub fn with_clock(clock: Arc<dyn TimeSource>) -> MemoryStore {
        MemoryStore { state: Mutex::default(), claims: DueClaims::default(), clock }
    }

    fn lock(&self) -> MutexGuard<'_, MemoryState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs a read, unless the store is closed.
    fn read<T: Send + 'static>(
        &self,
        read: impl FnOnce(&MemoryState) -> T,
    ) -> StoreFuture<Result<T, StoreError>> {
        let state = self.lock();
        ready(if state.is_closed { Err(StoreError::new(CLOSED)) } else { Ok(read(&state)) })
    }
}

const CLOSED: &str = "the store is closed";

impl Default for MemoryStore {
    fn default() -> MemoryStore {
        MemoryStore::new()
    }
}

impl Store for MemoryStore {
    fn commit(&self, transaction: Transaction) -> StoreFuture<CommitOutcome> {
        self.claims.release(&transaction);
        ready(match limits::measure(&transaction) {
            Ok(_) => self.lock().commit(transaction),
            Err(why) => CommitOutcome::NotCommitted(why),
        })
    }

    fn rows(
        &self,
        match_id: MatchId,
        after: u64,
        limit: usize,
    ) -> StoreFuture<Result<Vec<LogRow>, StoreError>> {
        self.read(|state| {
            let bodies = state.logs.get(&match_id).map_or(&[][..], |log| &log.bodies);
            let rows = (1..).zip(bodies).map(|(version, body)| LogRow { version, body: body.clone() });
            rows.skip_while(|row| row.version <= after).take(limit).collect()
        })
    }

    fn head(&self, match_id: MatchId) -> StoreFuture<Result<u64, StoreError>> {
        self.read(|state| state.head_of(match_id))
    }

    fn heads(&self, match_ids: Vec<MatchId>) -> StoreFuture<Result<Vec<u64>, StoreError>> {
        self.read(|state| match_ids.iter().map(|match_id| state.head_of(*match_id)).collect())
    }

    fn snapshot(&self, match_id: MatchId) -> StoreFuture<Result<Option<Snapshot>, StoreError>> {
        self.read(|state| state.logs.get(&match_id)?.snapshot.clone())
    }

    fn get(&self, key: &str) -> StoreFuture<Result<Option<StoredRecord>, StoreError>> {
        self.read(|state| state.records.get(key).cloned())
    }

    fn scan(
        &self,
        range: Range<String>,
        limit: usize,
        newest_first: bool,
    ) -> StoreFuture<Result<Vec<(String, StoredRecord)>, StoreError>> {
        if range.is_empty() {
            return self.read(|_| Vec::new());
        }
        self.read(|state| {
            let found = state.records.range(range);
            let found = found.map(|(key, record)| (key.clone(), record.clone()));
            if newest_first { found.rev().take(limit).collect() } else { found.take(limit).collect() }
        })
    }

    fn due(&self, until_ms: i64, limit: usize) -> StoreFuture<Result<Vec<(MatchId, i64)>, StoreError>> {
        self.read(|state| state.due(until_ms, limit))
    }

    fn claim_due(
        &self,
        until_ms: i64,
        limit: usize,
        hold_ms: i64,
    ) -> StoreFuture<Result<Vec<(MatchId, i64)>, StoreError>> {
        let now_ms = self.now();
        self.read(|state| self.claims.claim(state.due(until_ms, usize::MAX), now_ms, limit, hold_ms))
    }

    fn matches(
        &self,
        after: Option<MatchId>,
        limit: usize,
    ) -> StoreFuture<Result<Vec<StoredMatch>, StoreError>> {
        self.read(|state| {
            let listed = state.logs.iter().map(|(match_id, log)| log.summary(*match_id));
            let mut listed: Vec<StoredMatch> =
                listed.filter(|listed| after.is_none_or(|after| listed.match_id > after)).collect();
            listed.sort_by_key(|listed| listed.match_id);
            listed.truncate(limit);
            listed
        })
    }

    fn delete_match(&self, match_id: MatchId) -> StoreFuture<CommitOutcome> {
        let mut state = self.lock();
        if state.is_closed {
            return ready(CommitOutcome::NotCommitted(CLOSED.to_owned()));
        }
        state.logs.remove(&match_id);
        ready(CommitOutcome::Committed)
    }

    fn now(&self) -> i64 {
        self.clock.now_ms()
    }

    fn close(&self) -> StoreFuture<()> {
        self.lock().is_closed = true;
        ready(())
    }
}

impl MemoryState {
    fn commit(&mut self, transaction: Transaction) -> CommitOutcome {
        if self.is_closed {
            return CommitOutcome::NotCommitted(CLOSED.to_owned());
        }
        let Ok(violation) = precondition::violation(&transaction, self);
        if let Some(violation) = violation {
            return violation;
        }
        transaction.appends.into_iter().for_each(|append| self.append(append));
        transaction.puts.into_iter().for_each(|put| self.put(put));
        transaction.snapshots.into_iter().for_each(|snapshot| self.put_snapshot(snapshot));
        CommitOutcome::Committed
    }

    fn append(&mut self, append: Append) {
        let log = self.logs.entry(append.match_id).or_default();
        log.bodies.extend(append.rows);
        match append.due {
            Due::Keep => {}
            Due::At(due_ms) => log.due_ms = Some(due_ms),
            Due::Never => log.due_ms = None,
        }
    }

    fn put(&mut self, put: Put) {
        self.changes += 1;
        match put.value {
            Some(value) => self.records.insert(put.key, StoredRecord { version: self.changes, value }),
            None => self.records.remove(&put.key),
        };
    }

    fn put_snapshot(&mut self, snapshot: Snapshot) {
        let log = self.logs.entry(snapshot.match_id).or_default();
        if log.snapshot.as_ref().is_none_or(|stored| stored.version <= snapshot.version) {
            log.snapshot = Some(snapshot);
        }
    }

    fn due(&self, until_ms: i64, limit: usize) -> Vec<(MatchId, i64)> {
        let due = self.logs.iter().filter_map(|(match_id, log)| Some((*match_id, log.due_ms?)));
        let mut due: Vec<_> = due.filter(|(_, due_ms)| *due_ms <= until_ms).collect();
        due.sort_by_key(|(match_id, due_ms)| (*due_ms, *match_id));
        due.truncate(limit);
        due
    }

    fn head_of(&self, match_id: MatchId) -> u64 {
        self.logs.get(&match_id).map_or(0, |log| log.bodies.len() as u64)
    }
}

impl MemoryLog {
    fn summary(&self, match_id: MatchId) -> StoredMatch {
        StoredMatch { match_id, head: self.bodies.len() as u64, due_ms: self.due_ms }
    }
}

impl CurrentVersions for MemoryState {
    type Error = Infallible;

    fn head(&mut self, match_id: MatchId) -> Result<u64, Infallible> {
        Ok(self.head_of(match_id))
    }

    fn record_version(&mut self, key: &str) -> Result<Option<u64>, Infallible> {
        Ok(self.records.get(key).map(|record| record.version))
    }
}
