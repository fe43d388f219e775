//! The queue of writes, in the order in which they were requested.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{Notify, oneshot};

use crate::match_id::MatchId;
use crate::outcome_port::{self, OutcomeSender};
use crate::transaction::{CommitOutcome, Transaction};
use crate::{StoreFuture, ready};

/// Maximum number of queued writes. More are rejected at once: the caller already holds the data, so blocking
/// would save no memory, and blocked callers would have no defined order.
const MAX_WAITING: usize = 100_000;

/// Maximum size of all queued writes.
const MAX_WAITING_BYTES: usize = 256 << 20;

/// Maximum size of one batch. A single larger write forms a batch by itself.
const MAX_BATCH_BYTES: usize = 8 << 20;

/// The writer waits for more jobs as long as at least one arrives in this interval.
const LINGER: Duration = Duration::from_micros(100);

/// Maximum number of such intervals in a row.
const MAX_LINGERS: u32 = 8;

pub(crate) enum WriteOp {
    Commit(Transaction),
    DeleteMatch(MatchId),
}

/// An operation, its size in bytes, and the channel for its outcome.
pub(crate) struct WriteJob {
    pub(crate) op: WriteOp,
    size: usize,
    reply: OutcomeSender,
}

/// Reports the outcomes of jobs to their callers.
pub(crate) fn reply(jobs: Vec<WriteJob>, outcomes: Vec<CommitOutcome>) {
    outcome_port::send(jobs.into_iter().map(|job| job.reply).zip(outcomes));
}

/// Reports the same outcome for all these jobs.
pub(crate) fn reply_all(jobs: Vec<WriteJob>, outcome: &CommitOutcome) {
    let outcomes = vec![outcome.clone(); jobs.len()];
    reply(jobs, outcomes);
}

/// The queue. Callers push jobs; the writer, a thread or a task, takes as many as fit into a batch.
#[derive(Default)]
pub(crate) struct WriteQueue {
    state: Mutex<WriteQueueState>,
    /// Wakes a waiting writer thread.
    thread_wakeup: Condvar,
    /// Wakes a waiting writer task.
    task_wakeup: Notify,
}

/// The result of waiting for a batch.
pub(crate) enum NextBatch {
    /// Jobs to write together.
    Jobs(Vec<WriteJob>),
    /// No job arrived in time.
    TimedOut,
    /// The queue is closed and empty.
    Closed,
}

#[derive(Default)]
struct WriteQueueState {
    jobs: VecDeque<WriteJob>,
    bytes: usize,
    /// True while the writer thread waits. Waking it takes a system call, also if it is awake.
    is_thread_waiting: bool,
    /// The reason why the queue accepts no more jobs.
    closed_reason: Option<String>,
}

impl WriteQueue {
    /// Appends an operation to the queue, or returns the reason why not.
    fn push(&self, op: WriteOp, size: usize) -> Result<oneshot::Receiver<CommitOutcome>, String> {
        let mut state = self.lock();
        if let Some(reason) = &state.closed_reason {
            return Err(reason.clone());
        }
        if state.jobs.len() >= MAX_WAITING || state.bytes + size > MAX_WAITING_BYTES {
            return Err("the store is busy: too many writes are queued".to_owned());
        }
        let (reply, outcome) = OutcomeSender::new();
        state.bytes += size;
        state.jobs.push_back(WriteJob { op, size, reply });
        let wakes_thread = std::mem::take(&mut state.is_thread_waiting);
        drop(state);
        if wakes_thread {
            self.thread_wakeup.notify_one();
        }
        self.task_wakeup.notify_one();
        Ok(outcome)
    }

    /// Queues an operation and returns the future of its outcome.
    pub(crate) fn submit(&self, op: WriteOp, size: usize) -> StoreFuture<CommitOutcome> {
        match self.push(op, size) {
            Err(why) => ready(CommitOutcome::NotCommitted(why)),
            Ok(outcome) => Box::pin(async {
                let lost = || CommitOutcome::Unknown("the store's writer failed".to_owned());
                outcome.await.unwrap_or_else(|_| lost())
            }),
        }
    }

    /// Waits briefly while more jobs keep arriving: jobs written together share one sync.
    pub(crate) fn linger(&self) {
        let mut count = self.lock().jobs.len();
        for _ in 0..MAX_LINGERS {
            std::thread::sleep(LINGER);
            let state = self.lock();
            if state.jobs.len() == count || state.closed_reason.is_some() {
                return;
            }
            count = state.jobs.len();
        }
    }

    /// Blocks until jobs arrive and takes one batch. Returns `None` when the queue is closed and empty.
    pub(crate) fn take_batch(&self) -> Option<Vec<WriteJob>> {
        let state = self.lock();
        let has_nothing = |state: &mut WriteQueueState| {
            state.is_thread_waiting = state.jobs.is_empty() && state.closed_reason.is_none();
            state.is_thread_waiting
        };
        let waited = self.thread_wakeup.wait_while(state, has_nothing);
        let jobs = waited.unwrap_or_else(PoisonError::into_inner).drain_batch();
        (!jobs.is_empty()).then_some(jobs)
    }

    /// Waits for jobs, at most for `timeout`, and takes one batch.
    pub(crate) async fn next_batch(&self, timeout: Duration) -> NextBatch {
        let next = async {
            loop {
                if let Some(found) = self.poll_batch() {
                    return found;
                }
                self.task_wakeup.notified().await;
            }
        };
        tokio::time::timeout(timeout, next).await.unwrap_or(NextBatch::TimedOut)
    }

    fn poll_batch(&self) -> Option<NextBatch> {
        let mut state = self.lock();
        if !state.jobs.is_empty() {
            return Some(NextBatch::Jobs(state.drain_batch()));
        }
        state.closed_reason.is_some().then_some(NextBatch::Closed)
    }

    /// Returns the number of queued jobs.
    pub(crate) fn len(&self) -> usize {
        self.lock().jobs.len()
    }

    /// Closes the queue with this reason, unless it has one already. Queued jobs are still written.
    pub(crate) fn close(&self, why: &str) {
        self.lock().closed_reason.get_or_insert_with(|| why.to_owned());
        self.thread_wakeup.notify_all();
        self.task_wakeup.notify_one();
    }

    /// Closes the queue with this reason, unless it has one already, and returns the queued jobs.
    pub(crate) fn stop(&self, why: &str) -> Vec<WriteJob> {
        let mut state = self.lock();
        state.closed_reason.get_or_insert_with(|| why.to_owned());
        state.bytes = 0;
        state.jobs.drain(..).collect()
    }

    /// Returns the reason why the queue is closed, if it is.
    pub(crate) fn closed_reason(&self) -> Option<String> {
        self.lock().closed_reason.clone()
    }

    fn lock(&self) -> MutexGuard<'_, WriteQueueState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl WriteQueueState {
    fn drain_batch(&mut self) -> Vec<WriteJob> {
        let mut size = 0;
        let fitting = self.jobs.iter().take_while(|job| {
            let fits = size == 0 || size + job.size <= MAX_BATCH_BYTES;
            size += job.size.max(1);
            fits
        });
        let count = fitting.count();
        let jobs: Vec<WriteJob> = self.jobs.drain(..count).collect();
        self.bytes -= jobs.iter().map(|job| job.size).sum::<usize>();
        jobs
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn push(queue: &WriteQueue, size: usize) -> Result<oneshot::Receiver<CommitOutcome>, String> {
        queue.push(WriteOp::DeleteMatch(MatchId(0)), size)
    }

    #[test]
    fn a_batch_is_limited_by_size() {
        let queue = WriteQueue::default();
        let _receivers: Vec<_> = [0, 1, MAX_BATCH_BYTES, 5].map(|size| push(&queue, size)).into();
        let sizes = |jobs: Option<Vec<WriteJob>>| {
            jobs.map(|jobs| jobs.iter().map(|job| job.size).collect::<Vec<_>>())
        };
        assert_eq!(sizes(queue.take_batch()), Some(vec![0, 1]));
        assert_eq!(sizes(queue.take_batch()), Some(vec![MAX_BATCH_BYTES]));
        assert_eq!(sizes(queue.take_batch()), Some(vec![5]));
        queue.close("closed");
        assert_eq!(sizes(queue.take_batch()), None);
    }

    #[test]
    fn the_queue_is_bounded() {
        let queue = WriteQueue::default();
        let _first = push(&queue, MAX_WAITING_BYTES).unwrap();
        let busy = "the store is busy: too many writes are queued";
        assert_eq!(push(&queue, 1).unwrap_err(), busy);
        queue.take_batch();
        let receivers: Vec<_> = (0..MAX_WAITING).map(|_| push(&queue, 1).unwrap()).collect();
        assert_eq!(push(&queue, 1).unwrap_err(), busy);
        drop(receivers);
    }

    #[test]
    fn a_closed_queue_drains_and_rejects_new_jobs() {
        let queue = WriteQueue::default();
        let _receiver = push(&queue, 1).unwrap();
        queue.close("the store is closed");
        assert_eq!(push(&queue, 1).unwrap_err(), "the store is closed");
        assert_eq!(queue.take_batch().map(|jobs| jobs.len()), Some(1));
        assert!(queue.take_batch().is_none());
    }
}
