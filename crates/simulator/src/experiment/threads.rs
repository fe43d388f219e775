//! Execution of an experiment on several threads.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use intermezzo_engine::StartError;
use intermezzo_matchfile::Recorder;

use super::{Experiment, ExperimentError, ExperimentFindings, Worker};

/// Threads claim matches in batches. Approximate number of batches per thread, and the largest batch.
const BATCHES_PER_THREAD: u64 = 64;
const MAX_BATCH: u64 = 32;

/// Progress of an experiment, and a flag to stop it. Shared with the thread that shows the progress.
#[derive(Debug, Default)]
pub struct Progress {
    played: AtomicU64,
    stopped: AtomicBool,
}

impl Progress {
    /// Returns the number of matches played.
    pub fn played(&self) -> u64 {
        self.played.load(Ordering::Relaxed)
    }

    pub(crate) fn more(&self, played: u64) {
        self.played.fetch_add(played, Ordering::Relaxed);
    }

    /// Stops the experiment after the current matches.
    pub fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
    }

    pub fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }
}

impl Experiment {
    /// Plays all matches. The findings do not depend on the number of threads, unless the experiment is stopped.
    ///
    /// # Errors
    ///
    /// Fails if a match cannot start, or a bot is unknown.
    pub fn run(&self, threads: usize, progress: &Progress) -> Result<ExperimentFindings, ExperimentError> {
        self.check()?;
        let next = AtomicU64::new(0);
        // Claiming every short match separately would make threads contend for the counter.
        let row = (self.matches / (threads.max(1) as u64 * BATCHES_PER_THREAD)).clamp(1, MAX_BATCH);
        let work = || -> Result<ExperimentFindings, ExperimentError> {
            let mut worker = Worker::new(self)?;
            let mut findings = self.empty_findings();
            while !progress.is_stopped() {
                // Claim the next batch.
                let first = next.fetch_add(row, Ordering::Relaxed);
                if first >= self.matches {
                    break;
                }
                let row = first..(first + row).min(self.matches);
                let played = row.end - row.start;
                row.for_each(|place| worker.play(self.seed.wrapping_add(place), &mut findings));
                progress.more(played);
            }
            Ok(findings)
        };
        let mut all = self.empty_findings();
        std::thread::scope(|scope| {
            let threads: Vec<_> = (0..threads.max(1)).map(|_| scope.spawn(work)).collect();
            for thread in threads {
                match thread.join() {
                    Ok(findings) => all.merge(findings?),
                    Err(panic) => std::panic::resume_unwind(panic),
                }
            }
            Ok(all)
        })
    }

    /// Plays the match of a seed and records it.
    ///
    /// # Errors
    ///
    /// Fails if the match cannot start, or a bot is unknown.
    pub fn record(&self, seed: u64) -> Result<Recorder, ExperimentError> {
        let recorded: Result<Recorder, StartError> = Worker::new(self)?.record(seed);
        Ok(recorded?)
    }

    fn empty_findings(&self) -> ExperimentFindings {
        let decks = self.decks.as_ref().map_or(0, |decks| decks.list.len());
        ExperimentFindings::new(&self.instrumented, self.seats, self.bots.len(), decks)
    }
}
