//! Where a server keeps what must not be lost.
//!
//! Everything goes through one narrow trait, [`Store`]: a log for each match, and
//! one ordered map of small records. A [`Transaction`] changes both, all or
//! nothing, and is durable when its [`Outcome`] says `Committed`. [`Memory`] is for
//! tests, [`Sqlite`] for a server on one machine, [`Postgres`] for any number of
//! servers, [`Faulty`] for trying what happens when a store fails. `tests/conformance`
//! says what all of them promise. [`copy`] takes everything from one to another.

mod chance;
mod claims;
mod clock;
mod copying;
mod error;
mod faulty;
mod judge;
mod keys;
mod limits;
mod match_id;
mod memory;
mod postgres;
mod queue;
mod sqlite;
mod transaction;

use std::ops::Range;
use std::pin::Pin;

pub use clock::{Clock, ManualClock, SystemClock};
pub use copying::{Copied, copy};
pub use error::StoreError;
pub use faulty::{Fault, Faulty, Rates};
pub use keys::prefix;
pub use limits::{MAX_BODY_BYTES, MAX_KEY_BYTES, MAX_TRANSACTION_BYTES};
pub use match_id::{MatchId, NotAMatchId};
pub use memory::Memory;
pub use postgres::Postgres;
pub use sqlite::Sqlite;
pub use transaction::{
    Append, Conflict, Due, Expect, Listed, Outcome, Put, Record, Row, Snapshot, Transaction,
};

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

    /// The same for many logs at once, in the order in which they are named.
    fn heads(&self, match_ids: Vec<MatchId>) -> Answer<Result<Vec<u64>, StoreError>>;

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

    /// The same, but only matches that nobody holds; those that are given out are then held for `hold_ms`, by the store's
    /// clock, or until an append says anew when they are due.
    ///
    /// So servers that share a store do not all see to the same matches. It is for speed only: a store takes
    /// the appends of others as before, and whoever is gone without having done anything is forgotten in time.
    fn claim_due(
        &self,
        until_ms: i64,
        limit: usize,
        hold_ms: i64,
    ) -> Answer<Result<Vec<(MatchId, i64)>, StoreError>>;

    /// The matches after this one, or from the first on, in the order of their names, at most `limit`.
    fn matches(&self, after: Option<MatchId>, limit: usize) -> Answer<Result<Vec<Listed>, StoreError>>;

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
