//! A store in PostgreSQL, for any number of equal servers.
//!
//! The database decides, not the server. Every append states the expected head of its log; a row lock on the
//! match and the primary key of the log enforce it. No server leads or holds a lease. Writes go through a
//! [queue](crate::write_queue) to [one task](writer) that commits a batch in one database transaction: the
//! [plan] merges the batch, the [write connection](write_connection) executes it. Reads use a separate
//! [pool](read_pool). The [schema] module explains the tables.

mod columns;
mod connection;
mod database_clock;
mod errors;
mod plan;
mod queries;
mod read_pool;
mod schema;
mod statements;
mod tls;
mod write_connection;
mod writer;

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::sync::watch;
use tokio_postgres::Row as SqlRow;
use uuid::Uuid;

use self::writer::{PostgresWriter, ReconnectBackoff};
use crate::error::StoreError;
use crate::limits;
use crate::match_id::MatchId;
use crate::transaction::{CommitOutcome, LogRow, Snapshot, StoredMatch, StoredRecord, Transaction};
use crate::write_queue::{WriteOp, WriteQueue};
use crate::{Store, StoreFuture, ready};
use connection::PostgresTarget;
use database_clock::DatabaseClock;
use errors::describe;
use queries::clamp_to_i64;
use read_pool::{PostgresReadPool, SqlParam};
use write_connection::PostgresWriteConnection;

/// Default time limit for one database operation.
const DEFAULT_TIMEOUT: Duration = Duration::from_secs(10);

/// A store in a PostgreSQL database or schema. Any number of processes may have it open.
///
/// While the database is unreachable, writes are rejected and reads fail; both recover by themselves. If a
/// connection is lost during a commit, it is closed and the outcome is `Unknown`. After the store is dropped,
/// requested writes still finish as long as the runtime runs.
pub struct PostgresStore {
    queue: Arc<WriteQueue>,
    read_pool: Arc<PostgresReadPool>,
    clock: Arc<DatabaseClock>,
    groups: Arc<AtomicU64>,
    /// Closed when the writer has finished.
    finished: watch::Receiver<()>,
}

impl PostgresStore {
    /// Opens the store at an address such as `postgres://user:password@host/database`, and creates or migrates
    /// its tables.
    pub async fn open(url: &str) -> Result<PostgresStore, StoreError> {
        PostgresStore::open_with_timeout(url, DEFAULT_TIMEOUT).await
    }

    /// Opens the store with a custom time limit for database operations.
    pub async fn open_with_timeout(url: &str, timeout: Duration) -> Result<PostgresStore, StoreError> {
        let target = PostgresTarget::new(url, timeout)?;
        let failed = |what: String| StoreError::new(format!("{} cannot be opened: {what}", target.name()));
        schema::prepare(&mut target.connect().await?.client).await.map_err(|error| failed(error.message))?;
        let (queue, clock) = (Arc::new(WriteQueue::default()), Arc::new(DatabaseClock::new()));
        let groups = Arc::new(AtomicU64::new(0));
        let connection = PostgresWriteConnection::open(&target).await?;
        connection.sync_clock(&clock).await.map_err(|error| failed(describe(&error)))?;
        let read_pool = Arc::new(PostgresReadPool::new(target.clone())?);
        let writer = PostgresWriter {
            target,
            queue: Arc::clone(&queue),
            clock: Arc::clone(&clock),
            groups: Arc::clone(&groups),
            connection: Some(connection),
            backoff: ReconnectBackoff::default(),
            unresolved: Vec::new(),
        };
        let (finish, finished) = watch::channel(());
        let to_close = Arc::clone(&read_pool);
        tokio::spawn(async move {
            writer.run().await;
            to_close.close();
            drop(finish);
        });
        Ok(PostgresStore { queue, read_pool, clock, groups, finished })
    }

    /// Returns the number of batches committed since the store was opened.
    pub fn batches(&self) -> u64 {
        self.groups.load(Ordering::Relaxed)
    }

    /// Runs a query and converts its rows.
    fn read<T: Send + 'static>(
        &self,
        what: String,
        sql: &'static str,
        params: Vec<SqlParam>,
        convert: impl FnOnce(Vec<SqlRow>) -> Result<T, StoreError> + Send + 'static,
    ) -> StoreFuture<Result<T, StoreError>> {
        if let Some(why) = self.queue.closed_reason() {
            return ready(Err(StoreError::new(why)));
        }
        let rows = Arc::clone(&self.read_pool).read(what, sql, params);
        Box::pin(async move { convert(rows.await?) })
    }

    fn read_all<T: Send + 'static>(
        &self,
        what: String,
        sql: &'static str,
        params: Vec<SqlParam>,
        convert: fn(&SqlRow) -> Result<T, StoreError>,
    ) -> StoreFuture<Result<Vec<T>, StoreError>> {
        self.read(what, sql, params, move |rows| rows.iter().map(convert).collect())
    }
}

fn id(match_id: MatchId) -> Uuid {
    Uuid::from_u128(match_id.0)
}

impl Store for PostgresStore {
    fn commit(&self, transaction: Transaction) -> StoreFuture<CommitOutcome> {
        match limits::measure(&transaction) {
            Ok(size) => self.queue.submit(WriteOp::Commit(transaction), size),
            Err(why) => ready(CommitOutcome::NotCommitted(why)),
        }
    }

    fn rows(
        &self,
        match_id: MatchId,
        after: u64,
        limit: usize,
    ) -> StoreFuture<Result<Vec<LogRow>, StoreError>> {
        let params: Vec<SqlParam> =
            vec![Box::new(id(match_id)), Box::new(clamp_to_i64(after)), Box::new(clamp_to_i64(limit))];
        self.read_all(format!("the log of {match_id}"), queries::ROWS, params, queries::row)
    }

    fn head(&self, match_id: MatchId) -> StoreFuture<Result<u64, StoreError>> {
        let heads = self.heads(vec![match_id]);
        Box::pin(async move { Ok(heads.await?.first().copied().unwrap_or(0)) })
    }

    fn heads(&self, match_ids: Vec<MatchId>) -> StoreFuture<Result<Vec<u64>, StoreError>> {
        let ids: Vec<Uuid> = match_ids.iter().copied().map(id).collect();
        let what = "the log heads".to_owned();
        self.read(what, queries::HEADS, vec![Box::new(ids)], move |rows| {
            let heads = rows.iter().map(queries::head).collect::<Result<HashMap<_, _>, _>>()?;
            Ok(match_ids.iter().map(|match_id| heads.get(match_id).copied().unwrap_or(0)).collect())
        })
    }

    fn snapshot(&self, match_id: MatchId) -> StoreFuture<Result<Option<Snapshot>, StoreError>> {
        let what = format!("the snapshot of {match_id}");
        self.read(what, queries::SNAPSHOT, vec![Box::new(id(match_id))], move |rows| {
            rows.first().map(|row| queries::snapshot(match_id, row)).transpose()
        })
    }

    fn get(&self, key: &str) -> StoreFuture<Result<Option<StoredRecord>, StoreError>> {
        let params: Vec<SqlParam> = vec![Box::new(key.as_bytes().to_vec())];
        self.read(format!("the record `{key}`"), queries::RECORD, params, |rows| {
            rows.first().map(queries::record).transpose()
        })
    }

    fn scan(
        &self,
        range: Range<String>,
        limit: usize,
        newest_first: bool,
    ) -> StoreFuture<Result<Vec<(String, StoredRecord)>, StoreError>> {
        let what = format!("the records from `{}` to `{}`", range.start, range.end);
        let sql = if newest_first { queries::SCAN_BACKWARDS } else { queries::SCAN };
        let params: Vec<SqlParam> = vec![
            Box::new(range.start.into_bytes()),
            Box::new(range.end.into_bytes()),
            Box::new(clamp_to_i64(limit)),
        ];
        self.read_all(what, sql, params, queries::scanned)
    }

    fn due(&self, until_ms: i64, limit: usize) -> StoreFuture<Result<Vec<(MatchId, i64)>, StoreError>> {
        let params: Vec<SqlParam> = vec![Box::new(until_ms), Box::new(clamp_to_i64(limit))];
        self.read_all("the matches that are due".to_owned(), queries::DUE, params, queries::due)
    }

    fn claim_due(
        &self,
        until_ms: i64,
        limit: usize,
        hold_ms: i64,
    ) -> StoreFuture<Result<Vec<(MatchId, i64)>, StoreError>> {
        let what = || "the matches that are due".to_owned();
        let armed = self.read(what(), queries::REARM, vec![Box::new(until_ms)], |_| Ok(()));
        let params: Vec<SqlParam> =
            vec![Box::new(until_ms), Box::new(clamp_to_i64(limit)), Box::new(hold_ms)];
        let claimed = self.read_all(what(), queries::CLAIM, params, queries::due);
        Box::pin(async move {
            armed.await?;
            claimed.await
        })
    }

    fn matches(
        &self,
        after: Option<MatchId>,
        limit: usize,
    ) -> StoreFuture<Result<Vec<StoredMatch>, StoreError>> {
        let limit: SqlParam = Box::new(clamp_to_i64(limit));
        let what = "the list of matches".to_owned();
        match after {
            None => self.read_all(what, queries::MATCHES, vec![limit], queries::stored_match),
            Some(after) => self.read_all(
                what,
                queries::MATCHES_AFTER,
                vec![Box::new(id(after)), limit],
                queries::stored_match,
            ),
        }
    }

    fn delete_match(&self, match_id: MatchId) -> StoreFuture<CommitOutcome> {
        self.queue.submit(WriteOp::DeleteMatch(match_id), 0)
    }

    fn now(&self) -> i64 {
        self.clock.now_ms()
    }

    fn close(&self) -> StoreFuture<()> {
        self.queue.close("the store is closed");
        let mut finished = self.finished.clone();
        Box::pin(async move { while finished.changed().await.is_ok() {} })
    }
}

impl Drop for PostgresStore {
    fn drop(&mut self) {
        self.queue.close("the store is closed");
    }
}
