//! Changes on their way to the writer, in the order in which they were asked for.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{Notify, oneshot};

use crate::match_id::MatchId;
use crate::transaction::{Outcome, Transaction};
use crate::{Answer, known};

/// How many changes may wait. More are refused at once: who asks already holds them, so waiting
/// in line would save no memory, and an order that depends on who waits would be none.
const MAX_WAITING: usize = 100_000;

/// How many bytes may wait.
const MAX_WAITING_BYTES: usize = 256 << 20;

/// How many bytes are written together, unless a single change has more.
const MAX_BATCH_BYTES: usize = 8 << 20;

/// More jobs are waited for as long as at least one comes in so much time.
const GATHERING: Duration = Duration::from_micros(100);

/// So often at most.
const MAX_GATHERING: u32 = 8;

/// What the writer is asked to do.
pub(crate) enum Work {
    Commit(Transaction),
    Forget(MatchId),
}

/// Work, its size in bytes, and who waits for its outcome.
pub(crate) struct Job {
    pub(crate) work: Work,
    size: usize,
    pub(crate) answer: oneshot::Sender<Outcome>,
}

/// The queue. Whoever asks puts jobs in, the writer takes all it can: a thread, or a task.
#[derive(Default)]
pub(crate) struct Queue {
    waiting: Mutex<Waiting>,
    /// For a thread that waits.
    changed: Condvar,
    /// For a task that waits.
    told: Notify,
}

/// What a task finds in the queue.
pub(crate) enum Found {
    /// Jobs that go together.
    Jobs(Vec<Job>),
    /// Nothing, for as long as it wanted to wait.
    Nothing,
    /// Nothing, for ever.
    Closed,
}

#[derive(Default)]
struct Waiting {
    jobs: VecDeque<Job>,
    bytes: usize,
    /// Why nothing more is taken in.
    refusal: Option<String>,
}

impl Queue {
    /// Puts work at the end, or says why not.
    fn push(&self, work: Work, size: usize) -> Result<oneshot::Receiver<Outcome>, String> {
        let mut waiting = self.waiting();
        if let Some(refusal) = &waiting.refusal {
            return Err(refusal.clone());
        }
        if waiting.jobs.len() >= MAX_WAITING || waiting.bytes + size > MAX_WAITING_BYTES {
            return Err("the store is busy: too much is waiting to be written".to_owned());
        }
        let (answer, outcome) = oneshot::channel();
        waiting.bytes += size;
        waiting.jobs.push_back(Job { work, size, answer });
        drop(waiting);
        self.changed.notify_one();
        self.told.notify_one();
        Ok(outcome)
    }

    /// The same, and what comes of it as soon as the writer knows.
    pub(crate) fn ask(&self, work: Work, size: usize) -> Answer<Outcome> {
        match self.push(work, size) {
            Err(why) => known(Outcome::DefinitelyNot(why)),
            Ok(outcome) => Box::pin(async {
                let lost = || Outcome::Unknown("the writer of the store has failed".to_owned());
                outcome.await.unwrap_or_else(|_| lost())
            }),
        }
    }

    /// Waits as long as more jobs keep coming, but not for long: those that are written together share one sync.
    pub(crate) fn gather(&self) {
        let mut count = self.waiting().jobs.len();
        for _ in 0..MAX_GATHERING {
            std::thread::sleep(GATHERING);
            let waiting = self.waiting();
            if waiting.jobs.len() == count || waiting.refusal.is_some() {
                return;
            }
            count = waiting.jobs.len();
        }
    }

    /// Waits for jobs and takes as many as go together. `None` when the queue is closed and empty.
    pub(crate) fn take(&self) -> Option<Vec<Job>> {
        let waiting = self.waiting();
        let has_nothing = |waiting: &mut Waiting| waiting.jobs.is_empty() && waiting.refusal.is_none();
        let waited = self.changed.wait_while(waiting, has_nothing);
        let jobs = waited.unwrap_or_else(PoisonError::into_inner).take_batch();
        (!jobs.is_empty()).then_some(jobs)
    }

    /// The same for a task, which waits no longer than this.
    pub(crate) async fn next(&self, patience: Duration) -> Found {
        let looking = async {
            loop {
                if let Some(found) = self.look() {
                    return found;
                }
                self.told.notified().await;
            }
        };
        tokio::time::timeout(patience, looking).await.unwrap_or(Found::Nothing)
    }

    fn look(&self) -> Option<Found> {
        let mut waiting = self.waiting();
        if !waiting.jobs.is_empty() {
            return Some(Found::Jobs(waiting.take_batch()));
        }
        waiting.refusal.is_some().then_some(Found::Closed)
    }

    /// How many jobs wait.
    pub(crate) fn len(&self) -> usize {
        self.waiting().jobs.len()
    }

    /// Takes nothing more in, for this reason or for one given earlier. What waits is still done.
    pub(crate) fn close(&self, why: &str) {
        self.waiting().refusal.get_or_insert_with(|| why.to_owned());
        self.changed.notify_all();
        self.told.notify_one();
    }

    /// Takes nothing more in, for this reason or for one given earlier, and gives back what waits.
    pub(crate) fn stop(&self, why: &str) -> Vec<Job> {
        let mut waiting = self.waiting();
        waiting.refusal.get_or_insert_with(|| why.to_owned());
        waiting.bytes = 0;
        waiting.jobs.drain(..).collect()
    }

    /// Why nothing more is taken in, if so.
    pub(crate) fn refusal(&self) -> Option<String> {
        self.waiting().refusal.clone()
    }

    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Waiting {
    fn take_batch(&mut self) -> Vec<Job> {
        let mut size = 0;
        let fitting = self.jobs.iter().take_while(|job| {
            let fits = size == 0 || size + job.size <= MAX_BATCH_BYTES;
            size += job.size.max(1);
            fits
        });
        let count = fitting.count();
        let jobs: Vec<Job> = self.jobs.drain(..count).collect();
        self.bytes -= jobs.iter().map(|job| job.size).sum::<usize>();
        jobs
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn push(queue: &Queue, size: usize) -> Result<oneshot::Receiver<Outcome>, String> {
        queue.push(Work::Forget(MatchId(0)), size)
    }

    #[test]
    fn all_that_waits_is_taken_at_once_up_to_a_size() {
        let queue = Queue::default();
        let _receivers: Vec<_> = [0, 1, MAX_BATCH_BYTES, 5].map(|size| push(&queue, size)).into();
        let sizes =
            |jobs: Option<Vec<Job>>| jobs.map(|jobs| jobs.iter().map(|job| job.size).collect::<Vec<_>>());
        assert_eq!(sizes(queue.take()), Some(vec![0, 1]));
        assert_eq!(sizes(queue.take()), Some(vec![MAX_BATCH_BYTES]));
        assert_eq!(sizes(queue.take()), Some(vec![5]));
        queue.close("closed");
        assert_eq!(sizes(queue.take()), None);
    }

    #[test]
    fn what_waits_is_bounded() {
        let queue = Queue::default();
        let _first = push(&queue, MAX_WAITING_BYTES).unwrap();
        let busy = "the store is busy: too much is waiting to be written";
        assert_eq!(push(&queue, 1).unwrap_err(), busy);
        queue.take();
        let receivers: Vec<_> = (0..MAX_WAITING).map(|_| push(&queue, 1).unwrap()).collect();
        assert_eq!(push(&queue, 1).unwrap_err(), busy);
        drop(receivers);
    }

    #[test]
    fn a_closed_queue_gives_out_what_it_has_and_takes_nothing() {
        let queue = Queue::default();
        let _receiver = push(&queue, 1).unwrap();
        queue.close("the store is closed");
        assert_eq!(push(&queue, 1).unwrap_err(), "the store is closed");
        assert_eq!(queue.take().map(|jobs| jobs.len()), Some(1));
        assert!(queue.take().is_none());
    }
}
