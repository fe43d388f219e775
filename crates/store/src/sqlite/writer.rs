//! The single writer thread: takes a batch from the queue, commits it with one sync, and reports the outcomes.

use std::sync::atomic::{AtomicU64, Ordering};

use rusqlite::ErrorCode;

use super::errors::SqliteError;
use super::table_writer::TableWriter;
use crate::transaction::CommitOutcome;
use crate::write_queue::{WriteJob, WriteQueue, reply, reply_all};

/// After a batch of this size, the writer waits briefly for more jobs: a sync for every few jobs would cost
/// more than the wait.
const BUSY_BATCH: usize = 8;

/// The reason why a batch may not have been committed.
#[derive(Debug)]
enum BatchFailure {
    /// Rolled back.
    RolledBack(String),
    /// Possibly committed.
    Unknown(String),
}

/// Writes batches until the queue is closed and empty, or until the state on disk is unknown.
pub(super) fn run(tables: &mut TableWriter, queue: &WriteQueue, batches: &AtomicU64) {
    let _end = SqliteWriterGuard(queue);
    while let Some(jobs) = queue.take_batch() {
        batches.fetch_add(1, Ordering::Relaxed);
        let is_busy = jobs.len() >= BUSY_BATCH;
        if let Err(WriterStopped) = process_batch(tables, jobs, queue) {
            return;
        }
        if is_busy {
            queue.linger();
        }
    }
}

/// The signal that the state on disk is unknown and the writer must stop.
struct WriterStopped;

/// Closes the queue however the writer ends, even by a panic. Dropping the jobs reports an unknown outcome to
/// their callers, so nobody waits forever.
struct SqliteWriterGuard<'a>(&'a WriteQueue);

impl Drop for SqliteWriterGuard<'_> {
    fn drop(&mut self) {
        drop(self.0.stop("the store's writer failed"));
    }
}

fn process_batch(
    tables: &mut TableWriter,
    jobs: Vec<WriteJob>,
    queue: &WriteQueue,
) -> Result<(), WriterStopped> {
    match write(tables, &jobs) {
        Ok(outcomes) => reply(jobs, outcomes),
        Err(BatchFailure::RolledBack(why)) if jobs.len() > 1 => {
            tracing::warn!(why, jobs = jobs.len(), "batch rolled back; writing its jobs one by one");
            return process_one_by_one(tables, jobs, queue);
        }
        Err(BatchFailure::RolledBack(why)) => {
            tracing::error!(why, "a write failed");
            reply_all(jobs, &CommitOutcome::NotCommitted(why));
        }
        Err(BatchFailure::Unknown(why)) => return Err(stop_store(jobs, Vec::new(), &why, queue)),
    }
    Ok(())
}

/// Writes the jobs of a failed batch one by one, so that the faulty one does not fail the others.
fn process_one_by_one(
    tables: &mut TableWriter,
    jobs: Vec<WriteJob>,
    queue: &WriteQueue,
) -> Result<(), WriterStopped> {
    let mut jobs = jobs.into_iter();
    while let Some(job) = jobs.next() {
        match write(tables, std::slice::from_ref(&job)) {
            Ok(outcomes) => reply(vec![job], outcomes),
            Err(BatchFailure::RolledBack(why)) => reply_all(vec![job], &CommitOutcome::NotCommitted(why)),
            Err(BatchFailure::Unknown(why)) => {
                return Err(stop_store(vec![job], jobs.collect(), &why, queue));
            }
        }
    }
    Ok(())
}

/// Stops the store: what it would read now may differ from what is found after the next start.
fn stop_store(
    unknown: Vec<WriteJob>,
    not_begun: Vec<WriteJob>,
    why: &str,
    queue: &WriteQueue,
) -> WriterStopped {
    tracing::error!(why, "the outcome of a batch is unknown; stopping the store");
    let stopped = format!("the store has stopped and must be reopened: {why}");
    let waiting = queue.stop(&stopped);
    reply_all(unknown, &CommitOutcome::Unknown(why.to_owned()));
    reply_all(not_begun, &CommitOutcome::NotCommitted(stopped.clone()));
    reply_all(waiting, &CommitOutcome::NotCommitted(stopped));
    WriterStopped
}

/// Writes all jobs and commits once.
fn write(tables: &mut TableWriter, jobs: &[WriteJob]) -> Result<Vec<CommitOutcome>, BatchFailure> {
    let written = write_uncommitted(tables, jobs);
    let outcomes = written.map_err(|error| roll_back(tables, &error))?;
    match tables.execute("COMMIT", []) {
        Ok(_) => Ok(outcomes),
        Err(error) if was_rolled_back(&error) => Err(roll_back(tables, &error)),
        Err(error) => Err(BatchFailure::Unknown(format!("a commit failed: {error}"))),
    }
}

fn write_uncommitted(tables: &mut TableWriter, jobs: &[WriteJob]) -> Result<Vec<CommitOutcome>, SqliteError> {
    tables.execute("BEGIN IMMEDIATE", [])?;
    let outcomes = jobs.iter().map(|job| tables.apply(&job.op)).collect::<Result<_, _>>()?;
    tables.save_counters()?;
    Ok(outcomes)
}

/// Returns whether a failed commit surely left nothing behind. The frame that makes a commit valid is written
/// last, so it is missing if the disk was full; after a failed sync the result is unknown.
fn was_rolled_back(error: &SqliteError) -> bool {
    let SqliteError::Sql(error) = error else { return false };
    let code = error.sqlite_error_code();
    matches!(code, Some(ErrorCode::DiskFull | ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked))
}

/// Rolls back uncommitted changes. SQLite may have done so already.
fn roll_back(tables: &mut TableWriter, cause: &SqliteError) -> BatchFailure {
    if !tables.connection.is_autocommit()
        && let Err(error) = tables.execute("ROLLBACK", [])
    {
        return BatchFailure::Unknown(format!("{cause}, and it could not be rolled back: {error}"));
    }
    match tables.reload() {
        Ok(()) => BatchFailure::RolledBack(cause.to_string()),
        Err(error) => {
            BatchFailure::Unknown(format!("{cause}, and then the store could not be read: {error}"))
        }
    }
}
