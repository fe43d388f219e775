//! The one thread that writes: it takes everything that waits, writes it, syncs once, and answers.

use std::sync::atomic::{AtomicU64, Ordering};

use rusqlite::ErrorCode;

use super::pen::Pen;
use super::trouble::Trouble;
use crate::queue::{Job, Queue};
use crate::transaction::Outcome;

/// After a batch of so many jobs more are waited for: a sync for each few of them would take the time they need.
const CROWD: usize = 8;

/// Why a batch was not committed, as far as one can tell.
#[derive(Debug)]
enum Failure {
    /// Nothing of it happened.
    RolledBack(String),
    /// It may have happened.
    Unknown(String),
}

/// Works until the queue is closed and empty, or until it cannot tell what is on disk.
pub(super) fn run(pen: &mut Pen, queue: &Queue, batches: &AtomicU64) {
    let _end = End(queue);
    while let Some(jobs) = queue.take() {
        batches.fetch_add(1, Ordering::Relaxed);
        let is_crowded = jobs.len() >= CROWD;
        if let Err(GivenUp) = work_off(pen, jobs, queue) {
            return;
        }
        if is_crowded {
            queue.gather();
        }
    }
}

/// The writer cannot tell what is on disk.
struct GivenUp;

/// However the writer ends, even by a panic, nobody waits for it in vain: jobs that are dropped are answered.
struct End<'a>(&'a Queue);

impl Drop for End<'_> {
    fn drop(&mut self) {
        drop(self.0.stop("the writer of the store has failed"));
    }
}

fn work_off(pen: &mut Pen, jobs: Vec<Job>, queue: &Queue) -> Result<(), GivenUp> {
    match write(pen, &jobs) {
        Ok(outcomes) => answer(jobs, outcomes),
        Err(Failure::RolledBack(why)) if jobs.len() > 1 => {
            tracing::warn!(why, jobs = jobs.len(), "a batch was rolled back and is written one by one");
            return work_off_one_by_one(pen, jobs, queue);
        }
        Err(Failure::RolledBack(why)) => {
            tracing::error!(why, "a change could not be written");
            answer_all(jobs, &Outcome::DefinitelyNot(why));
        }
        Err(Failure::Unknown(why)) => return Err(give_up(jobs, Vec::new(), &why, queue)),
    }
    Ok(())
}

/// One of them is to blame for a failure; the others must not suffer for it.
fn work_off_one_by_one(pen: &mut Pen, jobs: Vec<Job>, queue: &Queue) -> Result<(), GivenUp> {
    let mut jobs = jobs.into_iter();
    while let Some(job) = jobs.next() {
        match write(pen, std::slice::from_ref(&job)) {
            Ok(outcomes) => answer(vec![job], outcomes),
            Err(Failure::RolledBack(why)) => answer_all(vec![job], &Outcome::DefinitelyNot(why)),
            Err(Failure::Unknown(why)) => return Err(give_up(vec![job], jobs.collect(), &why, queue)),
        }
    }
    Ok(())
}

/// Stops the store, since what it would read now may not be what is found after the next start.
fn give_up(unknown: Vec<Job>, not_begun: Vec<Job>, why: &str, queue: &Queue) -> GivenUp {
    tracing::error!(why, "it is unknown whether a batch was committed; the store stops");
    let stopped = format!("the store has stopped and must be opened anew, since {why}");
    let waiting = queue.stop(&stopped);
    answer_all(unknown, &Outcome::Unknown(why.to_owned()));
    answer_all(not_begun, &Outcome::DefinitelyNot(stopped.clone()));
    answer_all(waiting, &Outcome::DefinitelyNot(stopped));
    GivenUp
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

/// Writes all jobs and commits once.
fn write(pen: &mut Pen, jobs: &[Job]) -> Result<Vec<Outcome>, Failure> {
    let written = write_uncommitted(pen, jobs);
    let outcomes = written.map_err(|trouble| roll_back(pen, &trouble))?;
    match pen.execute("COMMIT", []) {
        Ok(_) => Ok(outcomes),
        Err(trouble) if surely_failed(&trouble) => Err(roll_back(pen, &trouble)),
        Err(trouble) => Err(Failure::Unknown(format!("a commit failed: {trouble}"))),
    }
}

fn write_uncommitted(pen: &mut Pen, jobs: &[Job]) -> Result<Vec<Outcome>, Trouble> {
    pen.execute("BEGIN IMMEDIATE", [])?;
    let outcomes = jobs.iter().map(|job| pen.carry_out(&job.work)).collect::<Result<_, _>>()?;
    pen.save_counters()?;
    Ok(outcomes)
}

/// Whether a failed commit left nothing behind. The frame that makes a commit valid is written last,
/// so it is missing if there was no room; after a failed sync nobody knows.
fn surely_failed(trouble: &Trouble) -> bool {
    let Trouble::Sql(error) = trouble else { return false };
    let code = error.sqlite_error_code();
    matches!(code, Some(ErrorCode::DiskFull | ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked))
}

/// Takes back what was written but not committed. SQLite may have done so already.
fn roll_back(pen: &mut Pen, trouble: &Trouble) -> Failure {
    if !pen.connection.is_autocommit()
        && let Err(error) = pen.execute("ROLLBACK", [])
    {
        return Failure::Unknown(format!("{trouble}, and it could not be rolled back: {error}"));
    }
    match pen.look_again() {
        Ok(()) => Failure::RolledBack(trouble.to_string()),
        Err(error) => Failure::Unknown(format!("{trouble}, and then the store could not be read: {error}")),
    }
}
