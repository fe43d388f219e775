//! The one task that writes: it takes everything that waits, commits it together, and answers.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use super::connecting::Target;
use super::pen::{Pen, Session};
use super::plan;
use super::timekeeper::Timekeeper;
use super::trouble::{Failure, in_words};
use crate::error::StoreError;
use crate::queue::{Found, Job, Queue, Work};
use crate::transaction::{Outcome, Transaction};

/// The database's clock is looked at so often, also to notice a connection that is gone.
const LOOKING_AT_CLOCK: Duration = Duration::from_secs(1);

/// After a database could not be reached it is left alone for a while, longer each time.
const FIRST_PAUSE: Duration = Duration::from_millis(50);
const LONGEST_PAUSE: Duration = Duration::from_secs(1);

/// How many jobs are written together.
const MAX_GROUP: usize = 2048;

/// After so many jobs more are waited for: as long as more come, and so often at most.
const CROWD: usize = 8;
const MAX_GATHERING: u32 = 16;

/// How often a group is tried that others get ahead of.
const MAX_TRIES: u64 = 20;

/// The task that writes, with all it needs.
pub(super) struct Writer {
    pub(super) target: Target,
    pub(super) queue: Arc<Queue>,
    pub(super) timekeeper: Arc<Timekeeper>,
    pub(super) groups: Arc<AtomicU64>,
    pub(super) pen: Option<Pen>,
    pub(super) rest: Rest,
    /// Sessions whose commits are unknown, until they are seen to have ended.
    pub(super) unsettled: Vec<Session>,
}

/// How long a database that could not be reached is left alone, and why.
#[derive(Default)]
pub(super) struct Rest {
    until: Option<Instant>,
    pause: Duration,
    why: String,
}

/// However the writer ends, even by a panic, nobody waits for it in vain: jobs that are dropped are answered.
struct End(Arc<Queue>);

impl Drop for End {
    fn drop(&mut self) {
        drop(self.0.stop("the writer of the store has failed"));
    }
}

impl Writer {
    /// Works until the queue is closed and empty.
    pub(super) async fn run(mut self) {
        let _end = End(Arc::clone(&self.queue));
        let mut looked = Instant::now();
        loop {
            match self.queue.next(LOOKING_AT_CLOCK).await {
                Found::Closed => return,
                Found::Nothing => {}
                Found::Jobs(jobs) => {
                    let is_crowded = jobs.len() >= CROWD;
                    self.work_off(jobs).await;
                    if is_crowded {
                        self.gather().await;
                    }
                }
            }
            if looked.elapsed() >= LOOKING_AT_CLOCK {
                looked = Instant::now();
                self.look_at_clock().await;
            }
        }
    }

    /// Lets those run who were just answered, as long as they ask for more: what is written together costs less.
    async fn gather(&self) {
        let mut count = self.queue.len();
        for _ in 0..MAX_GATHERING {
            tokio::task::yield_now().await;
            let more = self.queue.len();
            if more == count && more > 0 {
                return;
            }
            count = more;
        }
    }

    async fn look_at_clock(&mut self) {
        if self.connect().await.is_err() {
            return;
        }
        let Some(pen) = &self.pen else { return };
        let looking = tokio::time::timeout(self.target.longest(), pen.look_at_clock(&self.timekeeper));
        if !matches!(looking.await, Ok(Ok(()))) {
            self.pen = None;
        }
    }

    /// Makes sure that there is a connection, or says why there is none.
    async fn connect(&mut self) -> Result<(), String> {
        if self.pen.as_ref().is_some_and(|pen| !pen.is_closed()) {
            return Ok(());
        }
        self.pen = None;
        if self.rest.until.is_some_and(|until| Instant::now() < until) {
            return Err(self.rest.why.clone());
        }
        let pen = match Pen::take(&self.target).await {
            Ok(pen) => self.wait_for_unsettled(&pen).await.map(|()| pen),
            failed => failed,
        };
        match pen {
            Ok(pen) => {
                self.pen = Some(pen);
                self.rest = Rest::default();
                Ok(())
            }
            Err(error) => {
                let pause = (self.rest.pause * 2).clamp(FIRST_PAUSE, LONGEST_PAUSE);
                tracing::warn!(%error, "the store cannot write");
                self.rest = Rest { until: Some(Instant::now() + pause), pause, why: error.what.clone() };
                Err(error.what)
            }
        }
    }

    async fn work_off(&mut self, jobs: Vec<Job>) {
        let mut rest = jobs.into_iter().peekable();
        while let Some(first) = rest.next() {
            let mut group = vec![first];
            // Forgetting is a group of its own.
            while group.len() < MAX_GROUP
                && matches!(group[0].work, Work::Commit(_))
                && let Some(job) = rest.next_if(|job| matches!(job.work, Work::Commit(_)))
            {
                group.push(job);
            }
            self.write(group).await;
        }
    }

    /// Writes a group and answers. If it is rolled back for a reason of its own, each job is written by itself.
    async fn write(&mut self, group: Vec<Job>) {
        match self.try_to_write(&group).await {
            Ok(outcomes) => answer(group, outcomes),
            Err(Failure::Unknown(why)) => self.settle(group, &why).await,
            Err(Failure::Stale(why) | Failure::RolledBack(why)) if group.len() == 1 || self.is_cut_off() => {
                tracing::warn!(why, jobs = group.len(), "changes could not be written");
                answer_all(group, &Outcome::DefinitelyNot(why));
            }
            Err(Failure::Stale(why) | Failure::RolledBack(why)) => {
                tracing::warn!(why, jobs = group.len(), "a group was rolled back and is written one by one");
                for job in group {
                    Box::pin(self.write(vec![job])).await;
                }
            }
        }
    }

    fn is_cut_off(&self) -> bool {
        self.pen.as_ref().is_none_or(Pen::is_closed)
    }

    async fn try_to_write(&mut self, group: &[Job]) -> Result<Vec<Outcome>, Failure> {
        self.connect().await.map_err(Failure::RolledBack)?;
        self.groups.fetch_add(1, Ordering::Relaxed);
        if let [Job { work: Work::Forget(match_id), .. }] = group {
            let pen = self.pen()?;
            return self.within(pen.forget(*match_id)).await.map(|()| vec![Outcome::Committed]);
        }
        let transactions: Vec<&Transaction> = group
            .iter()
            .filter_map(|job| match &job.work {
                Work::Commit(transaction) => Some(transaction),
                Work::Forget(_) => None,
            })
            .collect();
        if let Some(plan) = plan::guess(transactions.iter().copied()) {
            match self.within(self.pen()?.try_at_once(&plan)).await {
                Ok(()) => return Ok(vec![Outcome::Committed; group.len()]),
                Err(Failure::Stale(_)) => {}
                Err(failure) => return Err(failure),
            }
        }
        self.try_carefully(&transactions).await
    }

    async fn try_carefully(&self, transactions: &[&Transaction]) -> Result<Vec<Outcome>, Failure> {
        let mut tries = 0;
        loop {
            tries += 1;
            match self.within(self.pen()?.write_carefully(transactions)).await {
                Err(Failure::Stale(_)) if tries < MAX_TRIES => {
                    tokio::time::sleep(Duration::from_millis(tries)).await;
                }
                other => return other,
            }
        }
    }

    fn pen(&self) -> Result<&Pen, Failure> {
        self.pen.as_ref().ok_or_else(|| Failure::RolledBack("the connection was lost".to_owned()))
    }

    /// Waits for the database, but not for ever.
    async fn within<T>(&self, work: impl Future<Output = Result<T, Failure>>) -> Result<T, Failure> {
        let late = || Failure::Unknown("the database does not answer".to_owned());
        tokio::time::timeout(self.target.longest(), work).await.unwrap_or_else(|_| Err(late()))
    }

    /// Answers that a group may have been committed.
    ///
    /// The connection is closed, never cancelled: a cancellation may hit whatever comes next. Nothing is
    /// written before its session has ended, so what is asked for later takes place later. The answer comes
    /// then, too, so that whoever reads after it reads what is final; but if the database cannot be
    /// reached, nobody is kept waiting. What lands later meets the check of the head of its log.
    async fn settle(&mut self, group: Vec<Job>, why: &str) {
        tracing::error!(why, jobs = group.len(), "it is unknown whether a group was committed");
        self.unsettled.extend(self.pen.take().map(|pen| pen.session.clone()));
        // If there is no connection, it is made when it is needed next.
        let _ = self.connect().await;
        answer_all(group, &Outcome::Unknown(why.to_owned()));
    }

    /// Waits until sessions whose commits are unknown have ended, or says that one goes on.
    async fn wait_for_unsettled(&mut self, pen: &Pen) -> Result<(), StoreError> {
        let waiting = async {
            while let Some(session) = self.unsettled.last() {
                match pen.sees(session).await {
                    Ok(true) => tokio::time::sleep(FIRST_PAUSE).await,
                    Ok(false) => drop(self.unsettled.pop()),
                    Err(error) => return Err(StoreError::new(in_words(&error))),
                }
            }
            Ok(())
        };
        let goes_on = || StoreError::new("a commit that was not answered is still under way in the database");
        tokio::time::timeout(self.target.longest(), waiting).await.unwrap_or_else(|_| Err(goes_on()))
    }
}

fn answer(jobs: Vec<Job>, outcomes: Vec<Outcome>) {
    for (job, outcome) in jobs.into_iter().zip(outcomes) {
        // Who asked may have stopped waiting.
        let _ = job.answer.send(outcome);
    }
}

fn answer_all(jobs: Vec<Job>, outcome: &Outcome) {
    let outcomes = vec![outcome.clone(); jobs.len()];
    answer(jobs, outcomes);
}
