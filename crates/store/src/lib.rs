//! Where a server keeps what must not be lost.
//!
//! Everything goes through one narrow trait, [`Store`]: a log for each match, and
//! one ordered map of small records. A [`Transaction`] changes both, all or
//! nothing, and is durable when its [`Outcome`] says `Committed`. [`Memory`] is for
//! tests, [`Sqlite`] for a server on one machine, [`Faulty`] for trying what
//! happens when a store fails. `tests/conformance` says what all of them promise.

mod chance;
mod clock;
mod error;
mod faulty;
mod judge;
mod keys;
mod limits;
mod match_id;
mod memory;
mod sqlite;
mod transaction;

use std::ops::Range;
use std::pin::Pin;

pub use clock::{Clock, ManualClock, SystemClock};
pub use error::StoreError;
pub use faulty::{Fault, Faulty, Rates};
pub use keys::prefix;
pub use limits::{MAX_BODY_BYTES, MAX_KEY_BYTES, MAX_TRANSACTION_BYTES};
pub use match_id::{MatchId, NotAMatchId};
pub use memory::Memory;
pub use sqlite::Sqlite;
pub use transaction::{Append, Conflict, Due, Expect, Outcome, Put, Record, Row, Snapshot, Transaction};

/// What a store will say, as soon as it knows.
pub type Answer<T> = Pin<Box<dyn Future<Output = T> + Send + 'static>>;

/// Keeps logs and records. Used as `Arc<dyn Store>`, from within a tokio runtime.
///
/// Changes take place in the order in which they are asked for: what counts is the
/// call, not when the answer is awaited. So a caller may ask for the next change
/// before it knows about the last one, and a change whose answer nobody awaits
/// happens all the same. A read sees every change whose outcome was given before
/// the read was asked for.
pub trait Store: Send + Sync + 'static {
    /// Makes all changes of a transaction or none. `Committed` comes only after they are durable.
    fn commit(&self, transaction: Transaction) -> Answer<Outcome>;

    /// The rows of a log after version `after`, oldest first, at most `limit`.
    fn rows(&self, match_id: MatchId, after: u64, limit: usize) -> Answer<Result<Vec<Row>, StoreError>>;

    /// The version of the last row of a log; 0 if there is none.
    fn head(&self, match_id: MatchId) -> Answer<Result<u64, StoreError>>;

    /// The newest snapshot of a match.
    fn snapshot(&self, match_id: MatchId) -> Answer<Result<Option<Snapshot>, StoreError>>;

    /// One record.
    fn get(&self, key: &str) -> Answer<Result<Option<Record>, StoreError>>;

    /// Records with keys in `range`, at most `limit`, in the order of their keys' bytes or in reverse.
    fn scan(
        &self,
        range: Range<String>,
        limit: usize,
        newest_first: bool,
    ) -> Answer<Result<Vec<(String, Record)>, StoreError>>;

    /// Matches that want to be woken no later than `until_ms`, the earliest first, at most `limit`.
    fn due(&self, until_ms: i64, limit: usize) -> Answer<Result<Vec<(MatchId, i64)>, StoreError>>;

    /// Removes a match: its rows, its snapshot and its due time. Records stay.
    fn forget(&self, match_id: MatchId) -> Answer<Outcome>;

    /// The store's clock, in milliseconds since 1970.
    fn now(&self) -> i64;

    /// Finishes the changes that were asked for and closes. What is asked for later is refused.
    fn close(&self) -> Answer<()>;
}

/// An answer that is known already.
fn known<T: Send + 'static>(value: T) -> Answer<T> {
    Box::pin(std::future::ready(value))
}
