//! Playing a study on several threads.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use intermezzo_engine::StartError;
use intermezzo_journal::Recorder;

use super::{Findings, NoStudy, Study, Worker};

/// How far a study is, and whether to go on; shared with whoever looks at it.
#[derive(Debug, Default)]
pub struct Progress {
    played: AtomicU64,
    stopped: AtomicBool,
}

impl Progress {
    /// How many matches have been played.
    pub fn played(&self) -> u64 {
        self.played.load(Ordering::Relaxed)
    }

    pub(crate) fn one_more(&self) {
        self.played.fetch_add(1, Ordering::Relaxed);
    }

    /// No further match is begun.
    pub fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
    }

    /// Whether it was stopped.
    pub fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }
}

impl Study {
    /// Plays all matches. What is found does not depend on the number of threads, unless it is stopped.
    ///
    /// # Errors
    ///
    /// If a match cannot begin, or a bot cannot play.
    pub fn run(&self, threads: usize, progress: &Progress) -> Result<Findings, NoStudy> {
        self.check()?;
        let next = AtomicU64::new(0);
        let work = || -> Result<Findings, NoStudy> {
            let mut worker = Worker::new(self)?;
            let mut findings = self.nothing_yet();
            while !progress.is_stopped() {
                // Every thread takes the next match nobody has taken.
                let place = next.fetch_add(1, Ordering::Relaxed);
                if place >= self.matches {
                    break;
                }
                worker.play(self.seed.wrapping_add(place), &mut findings);
                progress.one_more();
            }
            Ok(findings)
        };
        let mut all = self.nothing_yet();
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

    /// Plays the match of a seed and writes everything down.
    ///
    /// # Errors
    ///
    /// If it cannot begin, or a bot cannot play.
    pub fn record(&self, seed: u64) -> Result<Recorder, NoStudy> {
        let recorded: Result<Recorder, StartError> = Worker::new(self)?.record(seed);
        Ok(recorded?)
    }

    fn nothing_yet(&self) -> Findings {
        let lots = self.lots.as_ref().map_or(0, |lots| lots.list.len());
        Findings::new(&self.probed, self.seats, self.bots.len(), lots)
    }
}
