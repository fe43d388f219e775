//! A store that several servers share: stopping one of them closes its connection, not the store.

use std::ops::Range;
use std::sync::Arc;

use intermezzo_store::{
    CommitOutcome, LogRow, MatchId, Snapshot, Store, StoreError, StoreFuture, StoredMatch, StoredRecord,
    Transaction,
};

type StoreResult<T> = StoreFuture<Result<T, StoreError>>;

/// One server's connection to a shared store.
pub(crate) struct SharedStore(pub(crate) Arc<dyn Store>);

impl Store for SharedStore {
    fn commit(&self, transaction: Transaction) -> StoreFuture<CommitOutcome> {
        self.0.commit(transaction)
    }

    fn rows(&self, match_id: MatchId, after: u64, limit: usize) -> StoreResult<Vec<LogRow>> {
        self.0.rows(match_id, after, limit)
    }

    fn head(&self, match_id: MatchId) -> StoreResult<u64> {
        self.0.head(match_id)
    }

    fn heads(&self, match_ids: Vec<MatchId>) -> StoreResult<Vec<u64>> {
        self.0.heads(match_ids)
    }

    fn snapshot(&self, match_id: MatchId) -> StoreResult<Option<Snapshot>> {
        self.0.snapshot(match_id)
    }

    fn get(&self, key: &str) -> StoreResult<Option<StoredRecord>> {
        self.0.get(key)
    }

    fn scan(
        &self,
        range: Range<String>,
        limit: usize,
        newest_first: bool,
    ) -> StoreResult<Vec<(String, StoredRecord)>> {
        self.0.scan(range, limit, newest_first)
    }

    fn due(&self, until_ms: i64, limit: usize) -> StoreResult<Vec<(MatchId, i64)>> {
        self.0.due(until_ms, limit)
    }

    fn claim_due(&self, until_ms: i64, limit: usize, hold_ms: i64) -> StoreResult<Vec<(MatchId, i64)>> {
        self.0.claim_due(until_ms, limit, hold_ms)
    }

    fn matches(&self, after: Option<MatchId>, limit: usize) -> StoreResult<Vec<StoredMatch>> {
        self.0.matches(after, limit)
    }

    fn delete_match(&self, match_id: MatchId) -> StoreFuture<CommitOutcome> {
        self.0.delete_match(match_id)
    }

    fn now(&self) -> i64 {
        self.0.now()
    }

    fn close(&self) -> StoreFuture<()> {
        Box::pin(std::future::ready(()))
    }
}
