//! The single writer task: takes a batch from the queue, commits it, and reports the outcomes.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use super::connection::PostgresTarget;
use super::database_clock::DatabaseClock;
use super::errors::{WriteFailure, describe};
use super::plan;
use super::write_connection::{BackendSession, PostgresWriteConnection};
use crate::error::StoreError;
use crate::transaction::{CommitOutcome, Transaction};
use crate::write_queue::{NextBatch, WriteJob, WriteOp, WriteQueue, reply, reply_all};

/// Interval between samples of the database clock. The query also detects a lost connection.
const CLOCK_SYNC_INTERVAL: Duration = Duration::from_secs(1);

/// Pause after a failed connection attempt. It doubles with each failure.
const FIRST_PAUSE: Duration = Duration::from_millis(50);
const MAX_PAUSE: Duration = Duration::from_secs(1);

/// Maximum number of jobs in one group.
const MAX_GROUP: usize = 2048;

/// After a batch of this size, the writer yields while more jobs keep arriving, at most this often.
const BUSY_BATCH: usize = 8;
const MAX_LINGERS: u32 = 16;

/// Attempts for a group that keeps conflicting with other servers.
const MAX_TRIES: u64 = 20;

/// The state of the writer task.
pub(super) struct PostgresWriter {
    pub(super) target: PostgresTarget,
    pub(super) queue: Arc<WriteQueue>,
    pub(super) clock: Arc<DatabaseClock>,
    pub(super) groups: Arc<AtomicU64>,
    pub(super) connection: Option<PostgresWriteConnection>,
    pub(super) backoff: ReconnectBackoff,
    /// Sessions with a commit of unknown outcome, until they are known to have ended.
    pub(super) unresolved: Vec<BackendSession>,
}

/// The pause between connection attempts, and the reason for it.
#[derive(Default)]
pub(super) struct ReconnectBackoff {
    until: Option<Instant>,
    pause: Duration,
    why: String,
}

/// Closes the queue however the writer ends, even by a panic. Dropping the jobs reports an unknown outcome to
/// their callers, so nobody waits forever.
struct PostgresWriterGuard(Arc<WriteQueue>);

impl Drop for PostgresWriterGuard {
    fn drop(&mut self) {
        drop(self.0.stop("the store's writer failed"));
    }
}

impl PostgresWriter {
    /// Writes batches until the queue is closed and empty.
    pub(super) async fn run(mut self) {
        let _end = PostgresWriterGuard(Arc::clone(&self.queue));
        let mut synced = Instant::now();
        loop {
            match self.queue.next_batch(CLOCK_SYNC_INTERVAL).await {
                NextBatch::Closed => return,
                NextBatch::TimedOut => {}
                NextBatch::Jobs(jobs) => {
                    let is_busy = jobs.len() >= BUSY_BATCH;
                    self.process(jobs).await;
                    if is_busy {
                        self.linger().await;
                    }
                }
            }
            if synced.elapsed() >= CLOCK_SYNC_INTERVAL {
                synced = Instant::now();
                self.sync_clock().await;
            }
        }
    }

    /// Lets the callers that just received outcomes request more writes: larger batches cost less per write.
    async fn linger(&self) {
        let mut count = self.queue.len();
        for _ in 0..MAX_LINGERS {
            tokio::task::yield_now().await;
            let more = self.queue.len();
            if more == count && more > 0 {
                return;
            }
            count = more;
        }
    }

    async fn sync_clock(&mut self) {
        if self.connect().await.is_err() {
            return;
        }
        let Some(connection) = &self.connection else { return };
        let sync = tokio::time::timeout(self.target.max_wait(), connection.sync_clock(&self.clock));
        if !matches!(sync.await, Ok(Ok(()))) {
            self.connection = None;
        }
    }

    /// Connects unless a connection is open, or returns the reason why not.
    async fn connect(&mut self) -> Result<(), String> {
        if self.connection.as_ref().is_some_and(|connection| !connection.is_closed()) {
            return Ok(());
        }
        self.connection = None;
        if self.backoff.until.is_some_and(|until| Instant::now() < until) {
            return Err(self.backoff.why.clone());
        }
        let connection = match PostgresWriteConnection::open(&self.target).await {
            Ok(connection) => self.wait_for_unresolved(&connection).await.map(|()| connection),
            failed => failed,
        };
        match connection {
            Ok(connection) => {
                self.connection = Some(connection);
                self.backoff = ReconnectBackoff::default();
                Ok(())
            }
            Err(error) => {
                let pause = (self.backoff.pause * 2).clamp(FIRST_PAUSE, MAX_PAUSE);
                tracing::warn!(%error, "cannot connect to the database to write");
                self.backoff = ReconnectBackoff {
                    until: Some(Instant::now() + pause),
                    pause,
                    why: error.message.clone(),
                };
                Err(error.message)
            }
        }
    }

    async fn process(&mut self, jobs: Vec<WriteJob>) {
        let mut jobs_left = jobs.into_iter().peekable();
        while let Some(first) = jobs_left.next() {
            let mut group = vec![first];
            // A deletion is a group by itself.
            while group.len() < MAX_GROUP
                && matches!(group[0].op, WriteOp::Commit(_))
                && let Some(job) = jobs_left.next_if(|job| matches!(job.op, WriteOp::Commit(_)))
            {
                group.push(job);
            }
            self.write(group).await;
        }
    }

    /// Writes a group and reports the outcomes. If the group is rolled back, each job is written by itself.
    async fn write(&mut self, group: Vec<WriteJob>) {
        match self.try_write(&group).await {
            Ok(outcomes) => reply(group, outcomes),
            Err(WriteFailure::Unknown(why)) => self.report_unknown(group, &why).await,
            Err(WriteFailure::Stale(why) | WriteFailure::RolledBack(why))
                if group.len() == 1 || self.is_disconnected() =>
            {
                tracing::warn!(why, jobs = group.len(), "writes failed");
                reply_all(group, &CommitOutcome::NotCommitted(why));
            }
            Err(WriteFailure::Stale(why) | WriteFailure::RolledBack(why)) => {
                tracing::warn!(why, jobs = group.len(), "group rolled back; writing its jobs one by one");
                for job in group {
                    Box::pin(self.write(vec![job])).await;
                }
            }
        }
    }

    fn is_disconnected(&self) -> bool {
        self.connection.as_ref().is_none_or(PostgresWriteConnection::is_closed)
    }

    async fn try_write(&mut self, group: &[WriteJob]) -> Result<Vec<CommitOutcome>, WriteFailure> {
        self.connect().await.map_err(WriteFailure::RolledBack)?;
        self.groups.fetch_add(1, Ordering::Relaxed);
        if let [WriteJob { op: WriteOp::DeleteMatch(match_id), .. }] = group {
            let connection = self.open_connection()?;
            return self
                .with_timeout(connection.delete_match(*match_id))
                .await
                .map(|()| vec![CommitOutcome::Committed]);
        }
        let transactions: Vec<&Transaction> = group
            .iter()
            .filter_map(|job| match &job.op {
                WriteOp::Commit(transaction) => Some(transaction),
                WriteOp::DeleteMatch(_) => None,
            })
            .collect();
        if let Some(plan) = plan::plan_optimistically(transactions.iter().copied()) {
            match self.with_timeout(self.open_connection()?.write_optimistically(&plan)).await {
                Ok(()) => return Ok(vec![CommitOutcome::Committed; group.len()]),
                Err(WriteFailure::Stale(_)) => {}
                Err(failure) => return Err(failure),
            }
        }
        self.write_with_retries(&transactions).await
    }

    async fn write_with_retries(
        &self,
        transactions: &[&Transaction],
    ) -> Result<Vec<CommitOutcome>, WriteFailure> {
        let mut tries = 0;
        loop {
            tries += 1;
            match self.with_timeout(self.open_connection()?.write_locked(transactions)).await {
                Err(WriteFailure::Stale(_)) if tries < MAX_TRIES => {
                    tokio::time::sleep(Duration::from_millis(tries)).await;
                }
                other => return other,
            }
        }
    }

    fn open_connection(&self) -> Result<&PostgresWriteConnection, WriteFailure> {
        self.connection.as_ref().ok_or_else(|| WriteFailure::RolledBack("the connection was lost".to_owned()))
    }

    /// Waits for the database within the time limit.
    async fn with_timeout<T>(
        &self,
        work: impl Future<Output = Result<T, WriteFailure>>,
    ) -> Result<T, WriteFailure> {
        let late = || WriteFailure::Unknown("the database does not respond".to_owned());
        tokio::time::timeout(self.target.max_wait(), work).await.unwrap_or_else(|_| Err(late()))
    }

    /// Reports that a group may have been committed.
    ///
    /// The connection is closed, not cancelled: a cancel request could hit a later statement. Nothing is
    /// written before the old session has ended, so later writes really happen later. The outcome is also
    /// reported only then, so a caller who reads after it reads the final state. If the database is
    /// unreachable, the outcome is reported at once; a commit that still arrives is checked against the head of
    /// its log.
    async fn report_unknown(&mut self, group: Vec<WriteJob>, why: &str) {
        tracing::error!(why, jobs = group.len(), "the outcome of a group is unknown");
        self.unresolved.extend(self.connection.take().map(|connection| connection.session.clone()));
        // If this fails, the next write connects.
        let _ = self.connect().await;
        reply_all(group, &CommitOutcome::Unknown(why.to_owned()));
    }

    /// Waits until the sessions with an unknown outcome have ended. Fails if one keeps running.
    async fn wait_for_unresolved(&mut self, connection: &PostgresWriteConnection) -> Result<(), StoreError> {
        let waiting = async {
            while let Some(session) = self.unresolved.last() {
                match connection.is_alive(session).await {
                    Ok(true) => tokio::time::sleep(FIRST_PAUSE).await,
                    Ok(false) => drop(self.unresolved.pop()),
                    Err(error) => return Err(StoreError::new(describe(&error))),
                }
            }
            Ok(())
        };
        let still_running =
            || StoreError::new("an earlier commit without a reply is still running in the database");
        tokio::time::timeout(self.target.max_wait(), waiting).await.unwrap_or_else(|_| Err(still_running()))
    }
}
