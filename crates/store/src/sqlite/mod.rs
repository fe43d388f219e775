//! A store in one SQLite file, for a single server.
//!
//! Writes go through a [queue](crate::write_queue) to [one thread](writer) that commits a batch with one disk
//! sync and then reports the outcomes. Reads use a separate [pool](read_pool). The [schema] module explains the
//! layout of logs, and [log_chain] reads them.

mod backup;
mod errors;
mod folder;
mod log_chain;
mod log_heads;
mod queries;
mod read_pool;
mod schema;
mod table_writer;
mod writer;

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::JoinHandle;

use rusqlite::Connection;
use tokio::sync::watch;

use self::folder::StoreLock;
use crate::clock::TimeSource;
use crate::due_claims::DueClaims;
use crate::error::StoreError;
use crate::limits;
use crate::match_id::MatchId;
use crate::transaction::{CommitOutcome, LogRow, Snapshot, StoredMatch, StoredRecord, Transaction};
use crate::write_queue::{WriteOp, WriteQueue};
use crate::{Store, StoreFuture, ready};
use errors::SqliteError;
use read_pool::SqliteReadPool;
use table_writer::TableWriter;

/// A store in a folder.
///
/// If a commit fails with an unknown outcome, the store stops: it rejects everything until it is opened again,
/// which determines what was committed. Dropping the store waits until all requested writes are done.
pub struct SqliteStore {
    queue: Arc<WriteQueue>,
    read_pool: Arc<SqliteReadPool>,
    clock: Arc<dyn TimeSource>,
    claims: Arc<DueClaims>,
    batches: Arc<AtomicU64>,
    writer: Option<JoinHandle<()>>,
    /// Closed when the writer has released its files.
    finished: watch::Receiver<()>,
}

impl SqliteStore {
    /// Opens the store in a folder, creating it if necessary. Only one process can have it open.
    pub fn open(folder: &Path, clock: Arc<dyn TimeSource>) -> Result<SqliteStore, StoreError> {
        let lock = folder::lock(folder)?;
        let connection = folder::open_to_write(folder)?;
        let failed = |what: String| {
            StoreError::new(format!("the store in `{}` cannot be opened: {what}", folder.display()))
        };
        let tables = TableWriter::new(connection).map_err(|error| failed(error.to_string()))?;
        let (queue, batches) = (Arc::new(WriteQueue::default()), Arc::new(AtomicU64::new(0)));
        let (finish, finished) = watch::channel(());
        let read_pool = Arc::new(SqliteReadPool::new(folder::database_path(folder)));
        let writer = SqliteWriter {
            tables,
            lock,
            queue: Arc::clone(&queue),
            read_pool: Arc::clone(&read_pool),
            finish,
        };
        let writer = writer.start(Arc::clone(&batches)).map_err(|error| failed(error.to_string()))?;
        let claims = Arc::default();
        Ok(SqliteStore { queue, read_pool, clock, claims, batches, writer: Some(writer), finished })
    }

    /// Writes a copy of the store in `folder` into a new folder, also while a server uses it, and returns its size in
    /// bytes. The copy is a store that holds everything durable at the time of the call.
    pub fn back_up(folder: &Path, to: &Path) -> Result<u64, StoreError> {
        backup::back_up(folder, to)
    }

    /// Returns the number of batches committed since the store was opened.
    pub fn batches(&self) -> u64 {
        self.batches.load(Ordering::Relaxed)
    }

    fn read<T: Send + 'static>(
        &self,
        what: String,
        read: impl FnOnce(&Connection) -> Result<T, SqliteError> + Send + 'static,
    ) -> StoreFuture<Result<T, StoreError>> {
        match self.queue.closed_reason() {
            Some(why) => ready(Err(StoreError::new(why))),
            None => Box::pin(Arc::clone(&self.read_pool).read(what, read)),
        }
    }
}

/// The state of the writer thread.
struct SqliteWriter {
    tables: TableWriter,
    lock: StoreLock,
    queue: Arc<WriteQueue>,
    read_pool: Arc<SqliteReadPool>,
    finish: watch::Sender<()>,
}

impl SqliteWriter {
    /// Starts the thread. It closes its connection after the read pool, because the last connection checkpoints
    /// and removes the write-ahead log, which a read-only connection cannot do.
    fn start(self, batches: Arc<AtomicU64>) -> std::io::Result<JoinHandle<()>> {
        let SqliteWriter { mut tables, lock, queue, read_pool, finish } = self;
        std::thread::Builder::new().name("store".to_owned()).spawn(move || {
            writer::run(&mut tables, &queue, &batches);
            read_pool.close();
            drop(tables);
            drop(lock);
            drop(finish);
        })
    }
}

impl Store for SqliteStore {
    fn commit(&self, transaction: Transaction) -> StoreFuture<CommitOutcome> {
        self.claims.release(&transaction);
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
        let what = format!("the log of {match_id}");
        self.read(what, move |connection| queries::rows(connection, match_id, after, limit))
    }

    fn head(&self, match_id: MatchId) -> StoreFuture<Result<u64, StoreError>> {
        let what = format!("the head of the log of {match_id}");
        self.read(what, move |connection| queries::head(connection, match_id))
    }

    fn heads(&self, match_ids: Vec<MatchId>) -> StoreFuture<Result<Vec<u64>, StoreError>> {
        self.read("the log heads".to_owned(), move |connection| {
            match_ids.iter().map(|match_id| queries::head(connection, *match_id)).collect()
        })
    }

    fn snapshot(&self, match_id: MatchId) -> StoreFuture<Result<Option<Snapshot>, StoreError>> {
        let what = format!("the snapshot of {match_id}");
        self.read(what, move |connection| queries::snapshot(connection, match_id))
    }

    fn get(&self, key: &str) -> StoreFuture<Result<Option<StoredRecord>, StoreError>> {
        let key = key.to_owned();
        self.read(format!("the record `{key}`"), move |connection| queries::record(connection, &key))
    }

    fn scan(
        &self,
        range: Range<String>,
        limit: usize,
        newest_first: bool,
    ) -> StoreFuture<Result<Vec<(String, StoredRecord)>, StoreError>> {
        let what = format!("the records from `{}` to `{}`", range.start, range.end);
        self.read(what, move |connection| queries::scan(connection, &range, limit, newest_first))
    }

    fn due(&self, until_ms: i64, limit: usize) -> StoreFuture<Result<Vec<(MatchId, i64)>, StoreError>> {
        let what = "the matches that are due".to_owned();
        self.read(what, move |connection| queries::due(connection, until_ms, limit))
    }

    fn claim_due(
        &self,
        until_ms: i64,
        limit: usize,
        hold_ms: i64,
    ) -> StoreFuture<Result<Vec<(MatchId, i64)>, StoreError>> {
        let due = self.due(until_ms, limit.saturating_add(self.claims.count()));
        let (claims, now_ms) = (Arc::clone(&self.claims), self.now());
        Box::pin(async move { Ok(claims.claim(due.await?, now_ms, limit, hold_ms)) })
    }

    fn matches(
        &self,
        after: Option<MatchId>,
        limit: usize,
    ) -> StoreFuture<Result<Vec<StoredMatch>, StoreError>> {
        let what = "the list of matches".to_owned();
        self.read(what, move |connection| queries::matches(connection, after, limit))
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

impl Drop for SqliteStore {
    fn drop(&mut self) {
        self.queue.close("the store is closed");
        if let Some(writer) = self.writer.take() {
            // After a panic of the writer, all its callers have received an outcome.
            let _ = writer.join();
        }
    }
}
