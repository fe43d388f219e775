//! A store in memory, for tests. It forgets everything when it is dropped.

use std::collections::{BTreeMap, HashMap};
use std::convert::Infallible;
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::claims::Claims;
use crate::clock::{Clock, SystemClock};
use crate::error::StoreError;
use crate::judge::{self, Contents};
use crate::limits;
use crate::match_id::MatchId;
use crate::transaction::{Append, Due, Listed, Outcome, Put, Record, Row, Snapshot, Transaction};
use crate::{Answer, Store, known};

/// A store in memory.
pub struct Memory {
    kept: Mutex<Kept>,
    claims: Claims,
    clock: Arc<dyn Clock>,
}

#[derive(Default)]
struct Kept {
    logs: HashMap<MatchId, Log>,
    records: BTreeMap<String, Record>,
    /// Counts the changes of all records.
    changes: u64,
    is_closed: bool,
}

#[derive(Default)]
struct Log {
    bodies: Vec<Vec<u8>>,
    snapshot: Option<Snapshot>,
    due_ms: Option<i64>,
}

impl Memory {
    /// An empty store with the clock of this machine.
    pub fn new() -> Memory {
        Memory::with_clock(Arc::new(SystemClock))
    }

    /// An empty store with a clock of your choice.
    pub fn with_clock(clock: Arc<dyn Clock>) -> Memory {
        Memory { kept: Mutex::default(), claims: Claims::default(), clock }
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads something, unless the store is closed.
    fn read<T: Send + 'static>(&self, look: impl FnOnce(&Kept) -> T) -> Answer<Result<T, StoreError>> {
        let kept = self.kept();
        known(if kept.is_closed { Err(StoreError::new(CLOSED)) } else { Ok(look(&kept)) })
    }
}

const CLOSED: &str = "the store is closed";

impl Default for Memory {
    fn default() -> Memory {
        Memory::new()
    }
}

impl Store for Memory {
    fn commit(&self, transaction: Transaction) -> Answer<Outcome> {
        self.claims.release(&transaction);
        known(match limits::measure(&transaction) {
            Ok(_) => self.kept().commit(transaction),
            Err(why) => Outcome::DefinitelyNot(why),
        })
    }

    fn rows(&self, match_id: MatchId, after: u64, limit: usize) -> Answer<Result<Vec<Row>, StoreError>> {
        self.read(|kept| {
            let bodies = kept.logs.get(&match_id).map_or(&[][..], |log| &log.bodies);
            let rows = (1..).zip(bodies).map(|(version, body)| Row { version, body: body.clone() });
            rows.skip_while(|row| row.version <= after).take(limit).collect()
        })
    }

    fn head(&self, match_id: MatchId) -> Answer<Result<u64, StoreError>> {
        self.read(|kept| kept.head_of(match_id))
    }

    fn heads(&self, match_ids: Vec<MatchId>) -> Answer<Result<Vec<u64>, StoreError>> {
        self.read(|kept| match_ids.iter().map(|match_id| kept.head_of(*match_id)).collect())
    }

    fn snapshot(&self, match_id: MatchId) -> Answer<Result<Option<Snapshot>, StoreError>> {
        self.read(|kept| kept.logs.get(&match_id)?.snapshot.clone())
    }

    fn get(&self, key: &str) -> Answer<Result<Option<Record>, StoreError>> {
        self.read(|kept| kept.records.get(key).cloned())
    }

    fn scan(
        &self,
        range: Range<String>,
        limit: usize,
        newest_first: bool,
    ) -> Answer<Result<Vec<(String, Record)>, StoreError>> {
        if range.is_empty() {
            return self.read(|_| Vec::new());
        }
        self.read(|kept| {
            let found = kept.records.range(range);
            let found = found.map(|(key, record)| (key.clone(), record.clone()));
            if newest_first { found.rev().take(limit).collect() } else { found.take(limit).collect() }
        })
    }

    fn due(&self, until_ms: i64, limit: usize) -> Answer<Result<Vec<(MatchId, i64)>, StoreError>> {
        self.read(|kept| kept.due(until_ms, limit))
    }

    fn claim_due(
        &self,
        until_ms: i64,
        limit: usize,
        hold_ms: i64,
    ) -> Answer<Result<Vec<(MatchId, i64)>, StoreError>> {
        let now_ms = self.now();
        self.read(|kept| self.claims.take(kept.due(until_ms, usize::MAX), now_ms, limit, hold_ms))
    }

    fn matches(&self, after: Option<MatchId>, limit: usize) -> Answer<Result<Vec<Listed>, StoreError>> {
        self.read(|kept| {
            let listed = kept.logs.iter().map(|(match_id, log)| log.listed(*match_id));
            let mut listed: Vec<Listed> =
                listed.filter(|listed| after.is_none_or(|after| listed.match_id > after)).collect();
            listed.sort_by_key(|listed| listed.match_id);
            listed.truncate(limit);
            listed
        })
    }

    fn forget(&self, match_id: MatchId) -> Answer<Outcome> {
        let mut kept = self.kept();
        if kept.is_closed {
            return known(Outcome::DefinitelyNot(CLOSED.to_owned()));
        }
        kept.logs.remove(&match_id);
        known(Outcome::Committed)
    }

    fn now(&self) -> i64 {
        self.clock.now_ms()
    }

    fn close(&self) -> Answer<()> {
        self.kept().is_closed = true;
        known(())
    }
}

impl Kept {
    fn commit(&mut self, transaction: Transaction) -> Outcome {
        if self.is_closed {
            return Outcome::DefinitelyNot(CLOSED.to_owned());
        }
        let Ok(refusal) = judge::refusal(&transaction, self);
        if let Some(refusal) = refusal {
            return refusal;
        }
        transaction.appends.into_iter().for_each(|append| self.append(append));
        transaction.puts.into_iter().for_each(|put| self.put(put));
        transaction.snapshots.into_iter().for_each(|snapshot| self.keep(snapshot));
        Outcome::Committed
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
            Some(value) => self.records.insert(put.key, Record { version: self.changes, value }),
            None => self.records.remove(&put.key),
        };
    }

    fn keep(&mut self, snapshot: Snapshot) {
        let log = self.logs.entry(snapshot.match_id).or_default();
        if log.snapshot.as_ref().is_none_or(|kept| kept.version <= snapshot.version) {
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

impl Log {
    fn listed(&self, match_id: MatchId) -> Listed {
        Listed { match_id, head: self.bodies.len() as u64, due_ms: self.due_ms }
    }
}

impl Contents for Kept {
    type Error = Infallible;

    fn head(&mut self, match_id: MatchId) -> Result<u64, Infallible> {
        Ok(self.head_of(match_id))
    }

    fn record_version(&mut self, key: &str) -> Result<Option<u64>, Infallible> {
        Ok(self.records.get(key).map(|record| record.version))
    }
}
