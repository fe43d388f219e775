//! A custom store: it forwards every call to another store and counts the commits.
//!
//! A server saves everything through the trait `Store`. A store for another database implements the same methods;
//! the conformance tests in `crates/store/tests/conformance` define what each must guarantee.

#![allow(clippy::print_stdout, reason = "an example prints its results")]

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use intermezzo_protocol::resources::NewAccount;
use intermezzo_services::Services;
use intermezzo_store::{
    CommitOutcome, LogRow, MatchId, MemoryStore, Snapshot, Store, StoreError, StoreFuture, StoredMatch,
    StoredRecord, Transaction,
};

/// Counts the commits of another store.
struct CountingStore {
    inner: MemoryStore,
    commits: Arc<AtomicUsize>,
}

impl Store for CountingStore {
    fn commit(&self, transaction: Transaction) -> StoreFuture<CommitOutcome> {
        let (commit, commits) = (self.inner.commit(transaction), Arc::clone(&self.commits));
        Box::pin(async move {
            let outcome = commit.await;
            if outcome == CommitOutcome::Committed {
                commits.fetch_add(1, Ordering::Relaxed);
            }
            outcome
        })
    }

    fn rows(
        &self,
        match_id: MatchId,
        after: u64,
        limit: usize,
    ) -> StoreFuture<Result<Vec<LogRow>, StoreError>> {
        self.inner.rows(match_id, after, limit)
    }

    fn head(&self, match_id: MatchId) -> StoreFuture<Result<u64, StoreError>> {
        self.inner.head(match_id)
    }

    fn heads(&self, match_ids: Vec<MatchId>) -> StoreFuture<Result<Vec<u64>, StoreError>> {
        self.inner.heads(match_ids)
    }

    fn snapshot(&self, match_id: MatchId) -> StoreFuture<Result<Option<Snapshot>, StoreError>> {
        self.inner.snapshot(match_id)
    }

    fn get(&self, key: &str) -> StoreFuture<Result<Option<StoredRecord>, StoreError>> {
        self.inner.get(key)
    }

    fn scan(
        &self,
        range: Range<String>,
        limit: usize,
        newest_first: bool,
    ) -> StoreFuture<Result<Vec<(String, StoredRecord)>, StoreError>> {
        self.inner.scan(range, limit, newest_first)
    }

    fn due(&self, until_ms: i64, limit: usize) -> StoreFuture<Result<Vec<(MatchId, i64)>, StoreError>> {
        self.inner.due(until_ms, limit)
    }

    fn claim_due(
        &self,
        until_ms: i64,
        limit: usize,
        hold_ms: i64,
    ) -> StoreFuture<Result<Vec<(MatchId, i64)>, StoreError>> {
        self.inner.claim_due(until_ms, limit, hold_ms)
    }

    fn matches(
        &self,
        after: Option<MatchId>,
        limit: usize,
    ) -> StoreFuture<Result<Vec<StoredMatch>, StoreError>> {
        self.inner.matches(after, limit)
    }

    fn delete_match(&self, match_id: MatchId) -> StoreFuture<CommitOutcome> {
        self.inner.delete_match(match_id)
    }

    fn now(&self) -> i64 {
        self.inner.now()
    }

    fn close(&self) -> StoreFuture<()> {
        self.inner.close()
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let commits = Arc::new(AtomicUsize::new(0));
    let store = CountingStore { inner: MemoryStore::new(), commits: Arc::clone(&commits) };
    let services = Services::new(Arc::new(store));
    for _ in 0..3 {
        services.create_account(&NewAccount::default()).await.map_err(|problem| problem.to_string())?;
    }
    println!("three guests took {} commits", commits.load(Ordering::Relaxed));
    Ok(())
}
