//! Playing a study on several threads.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use intermezzo_engine::StartError;
use intermezzo_journal::Recorder;

use super::{Findings, NoStudy, Study, Worker};

/// Threads take matches in rows: each about so many rows …
const ROWS_EACH: u64 = 64;
/// … of at most so many matches.
const LONGEST_ROW: u64 = 32;

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

    pub(crate) fn more(&self, played: u64) {
        self.played.fetch_add(played, Ordering::Relaxed);
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
        // Threads that ask each other after every short match wait for each other.
        let row = (self.matches / (threads.max(1) as u64 * ROWS_EACH)).clamp(1, LONGEST_ROW);
        let work = || -> Result<Findings, NoStudy> {
            let mut worker = Worker::new(self)?;
            let mut findings = self.nothing_yet();
            while !progress.is_stopped() {
                // Every thread takes the next matches nobody has taken.
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
