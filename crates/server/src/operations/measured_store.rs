//! A store that measures how long its operations take.

use std::ops::Range;
use std::sync::{Arc, LazyLock};
use std::time::Instant;

use intermezzo_store::{
    CommitOutcome, LogRow, MatchId, Snapshot, Store, StoreError, StoreFuture, StoredMatch, StoredRecord,
    Transaction,
};
use tracing::Instrument;

/// Passes everything on to another store and records durations in `intermezzo_store_seconds`.
pub(crate) struct MeasuredStore {
    inner: Arc<dyn Store>,
}

impl MeasuredStore {
    pub(crate) fn wrap(inner: Arc<dyn Store>) -> Arc<dyn Store> {
        Arc::new(MeasuredStore { inner })
    }
}

/// Operations whose failures are counted.
const FALLIBLE: [&str; 10] =
    ["commit", "rows", "head", "heads", "snapshot", "get", "scan", "due", "claim_due", "matches"];

/// Shows `intermezzo_store_failures_total` of all operations before the first failure.
pub(crate) fn start_failures_at_zero() {
    for operation in FALLIBLE {
        metrics::counter!("intermezzo_store_failures_total", "operation" => operation).increment(0);
    }
}

/// Measures from the call to the result, so that waiting for a connection or a writer counts.
fn measure<T: Send + 'static>(operation: &'static str, future: StoreFuture<T>) -> StoreFuture<T> {
    let started = Instant::now();
    let span = tracing::debug_span!("store", operation);
    let measured = async move {
        let result = future.await;
        metrics::histogram!("intermezzo_store_seconds", "operation" => operation)
            .record(started.elapsed().as_secs_f64());
        result
    };
    Box::pin(measured.instrument(span))
}

/// Does the same and counts failures in `intermezzo_store_failures_total`.
fn measure_result<T: Send + 'static>(
    operation: &'static str,
    future: StoreFuture<Result<T, StoreError>>,
) -> StoreFuture<Result<T, StoreError>> {
    let future = measure(operation, future);
    Box::pin(async move {
        let result = future.await;
        if result.is_err() {
            metrics::counter!("intermezzo_store_failures_total", "operation" => operation).increment(1);
        }
        result
    })
}

impl Store for MeasuredStore {
    fn commit(&self, transaction: Transaction) -> StoreFuture<CommitOutcome> {
        static DURATIONS: LazyLock<metrics::Histogram> =
            LazyLock::new(|| metrics::histogram!("intermezzo_store_seconds", "operation" => "commit"));
        let (started, span) = (Instant::now(), tracing::debug_span!("store", operation = "commit"));
        let future = self.inner.commit(transaction).instrument(span);
        Box::pin(async move {
            let outcome = future.await;
            DURATIONS.record(started.elapsed().as_secs_f64());
            if matches!(outcome, CommitOutcome::NotCommitted(_) | CommitOutcome::Unknown(_)) {
                metrics::counter!("intermezzo_store_failures_total", "operation" => "commit").increment(1);
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
        measure_result("rows", self.inner.rows(match_id, after, limit))
    }

    fn head(&self, match_id: MatchId) -> StoreFuture<Result<u64, StoreError>> {
        measure_result("head", self.inner.head(match_id))
    }

    fn heads(&self, match_ids: Vec<MatchId>) -> StoreFuture<Result<Vec<u64>, StoreError>> {
        measure_result("heads", self.inner.heads(match_ids))
    }

    fn snapshot(&self, match_id: MatchId) -> StoreFuture<Result<Option<Snapshot>, StoreError>> {
        measure_result("snapshot", self.inner.snapshot(match_id))
    }

    fn get(&self, key: &str) -> StoreFuture<Result<Option<StoredRecord>, StoreError>> {
        measure_result("get", self.inner.get(key))
    }

    fn scan(
        &self,
        range: Range<String>,
        limit: usize,
        newest_first: bool,
    ) -> StoreFuture<Result<Vec<(String, StoredRecord)>, StoreError>> {
        measure_result("scan", self.inner.scan(range, limit, newest_first))
    }

    fn due(&self, until_ms: i64, limit: usize) -> StoreFuture<Result<Vec<(MatchId, i64)>, StoreError>> {
        measure_result("due", self.inner.due(until_ms, limit))
    }

    fn claim_due(
        &self,
        until_ms: i64,
        limit: usize,
        hold_ms: i64,
    ) -> StoreFuture<Result<Vec<(MatchId, i64)>, StoreError>> {
        measure_result("claim_due", self.inner.claim_due(until_ms, limit, hold_ms))
    }

    fn matches(
        &self,
        after: Option<MatchId>,
        limit: usize,
    ) -> StoreFuture<Result<Vec<StoredMatch>, StoreError>> {
        measure_result("matches", self.inner.matches(after, limit))
    }

    fn delete_match(&self, match_id: MatchId) -> StoreFuture<CommitOutcome> {
        measure("delete_match", self.inner.delete_match(match_id))
    }

    fn now(&self) -> i64 {
        self.inner.now()
    }

    fn close(&self) -> StoreFuture<()> {
        self.inner.close()
    }
}
