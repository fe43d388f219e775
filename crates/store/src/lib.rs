//! Durable storage for a match server.
//!
//! Everything goes through one trait, [`Store`]: an append-only log per match, and one ordered map of small
//! records. A [`Transaction`] changes both, all or nothing, and is durable once its [`CommitOutcome`] is
//! `Committed`. [`MemoryStore`] is for tests, [`SqliteStore`] for a single server, [`PostgresStore`] for any number
//! of servers, and [`FaultInjector`] injects faults into another store. The tests in `tests/conformance` define what
//! all of them guarantee. [`copy`](fn@copy) copies one store into another.
//!
//! ```
//! use intermezzo_store::{Append, CommitOutcome, Due, MatchId, MemoryStore, Store, Transaction};
//!
//! # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
//! let store = MemoryStore::new();
//! let match_id = MatchId(7);
//!
//! // Appends the first row: the log must still be empty (head 0).
//! let append = Append { match_id, expected: 0, rows: vec![b"first move".to_vec()], due: Due::Never };
//! let transaction = Transaction { appends: vec![append], ..Transaction::default() };
//! assert_eq!(store.commit(transaction.clone()).await, CommitOutcome::Committed);
//!
//! // The same append again conflicts, because the log has grown.
//! assert!(matches!(store.commit(transaction).await, CommitOutcome::Conflict(_)));
//!
//! let rows = store.rows(match_id, 0, 10).await.unwrap();
//! assert_eq!((rows[0].version, rows[0].body.as_slice()), (1, &b"first move"[..]));
//! # });
//! ```

mod clock;
mod copy;
mod due_claims;
mod error;
mod fault_injection;
mod fault_seed;
mod keys;
mod limits;
mod match_id;
mod memory;
mod outcome_port;
mod postgres;
mod precondition;
mod sqlite;
mod transaction;
mod write_queue;

use std::ops::Range;
use std::pin::Pin;

pub use clock::{ManualClock, MonotonicClock, SystemClock, TimeSource};
pub use copy::{CopyCounts, CopyProgress, copy};
pub use error::StoreError;
pub use fault_injection::{FaultInjector, InjectedFault, StoreFaultRates};
pub use keys::prefix;
pub use limits::{MAX_BODY_BYTES, MAX_KEY_BYTES, MAX_TRANSACTION_BYTES};
pub use match_id::{InvalidMatchId, MatchId};
pub use memory::MemoryStore;
pub use outcome_port::deliver_outcomes_together;
pub use postgres::PostgresStore;
pub use sqlite::SqliteStore;
pub use transaction::{
    Append, CommitOutcome, Conflict, Due, Expect, LogRow, Put, Snapshot, StoredMatch, StoredRecord,
    Transaction,
};

/// The future of a store operation.
pub type StoreFuture<T> = Pin<Box<dyn Future<Output = T> + Send + 'static>>;

/// A store of match logs and records. Used as `Arc<dyn Store>`, inside a tokio runtime.
///
/// Writes happen in the order of the calls, not in the order in which their futures are awaited. A caller may
/// request the next write before it knows the outcome of the last one, and a write happens even if nobody
/// awaits its future. A read sees every write whose outcome was delivered before the read was requested.
pub trait Store: Send + Sync + 'static {
    /// Applies all changes of a transaction or none. `Committed` is returned only once they are durable.
    fn commit(&self, transaction: Transaction) -> StoreFuture<CommitOutcome>;

    /// Returns the rows of a log after version `after`, oldest first, at most `limit`.
    fn rows(
        &self,
        match_id: MatchId,
        after: u64,
        limit: usize,
    ) -> StoreFuture<Result<Vec<LogRow>, StoreError>>;

    /// Returns the version of the last row of a log; 0 for an empty log.
    fn head(&self, match_id: MatchId) -> StoreFuture<Result<u64, StoreError>>;

    /// Returns the heads of several logs, in the order of `match_ids`.
    fn heads(&self, match_ids: Vec<MatchId>) -> StoreFuture<Result<Vec<u64>, StoreError>>;

    /// Returns the newest snapshot of a match.
    fn snapshot(&self, match_id: MatchId) -> StoreFuture<Result<Option<Snapshot>, StoreError>>;

    /// Returns the record with this key.
    fn get(&self, key: &str) -> StoreFuture<Result<Option<StoredRecord>, StoreError>>;

    /// Returns the records whose keys are in `range`, at most `limit`, ordered by the bytes of their keys, or
    /// in reverse.
    fn scan(
        &self,
        range: Range<String>,
        limit: usize,
        newest_first: bool,
    ) -> StoreFuture<Result<Vec<(String, StoredRecord)>, StoreError>>;

    /// Returns the matches due no later than `until_ms`, earliest first, at most `limit`.
    fn due(&self, until_ms: i64, limit: usize) -> StoreFuture<Result<Vec<(MatchId, i64)>, StoreError>>;

    /// Claims due matches: returns those that nobody has claimed, and claims them for `hold_ms` by the store's
    /// clock, or until an append sets their due time again.
    ///
    /// Claims keep servers that share a store from all waking the same matches. They only save work: a store
    /// accepts the appends of other servers as before, and a claim whose holder is gone expires.
    fn claim_due(
        &self,
        until_ms: i64,
        limit: usize,
        hold_ms: i64,
    ) -> StoreFuture<Result<Vec<(MatchId, i64)>, StoreError>>;

    /// Returns the matches after `after`, or from the first, ordered by id, at most `limit`.
    fn matches(
        &self,
        after: Option<MatchId>,
        limit: usize,
    ) -> StoreFuture<Result<Vec<StoredMatch>, StoreError>>;

    /// Deletes a match: its rows, its snapshot and its due time. Records stay.
    fn delete_match(&self, match_id: MatchId) -> StoreFuture<CommitOutcome>;

    /// Returns the time of the store's clock, in milliseconds since the Unix epoch.
    fn now(&self) -> i64;

    /// Finishes the requested writes and closes the store. Later requests are rejected.
    fn close(&self) -> StoreFuture<()>;
}

/// Returns a future that is ready at once.
fn ready<T: Send + 'static>(value: T) -> StoreFuture<T> {
    Box::pin(std::future::ready(value))
}
