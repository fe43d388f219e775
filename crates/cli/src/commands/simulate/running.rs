//! Playing with a bar that tells how far it is, and Ctrl-C to end it early.

use std::io::IsTerminal;
use std::sync::Arc;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use intermezzo_simulator::Study;
use intermezzo_simulator::hunt::{Find, Hunt};
use intermezzo_simulator::study::{Findings, Progress};

use super::no_study;
use crate::failure::Failure;

/// What a shell gives a program that was interrupted.
const INTERRUPTED: i32 = 130;

/// Everything that is played in one run.
pub(super) struct Running {
    progress: Arc<Progress>,
    matches: u64,
    begun: Instant,
    took: Duration,
}

impl Running {
    pub(super) fn new(matches: u64) -> Running {
        let progress = Arc::new(Progress::default());
        stop_when_interrupted(Arc::clone(&progress));
        Running { progress, matches, begun: Instant::now(), took: Duration::ZERO }
    }

    /// Plays one study after the other.
    pub(super) fn play(&mut self, studies: &[Study], threads: usize) -> Result<Vec<Findings>, Failure> {
        let play_all = || -> Result<Vec<Findings>, Failure> {
            let found = studies
                .iter()
                .map(|study| study.run(threads, &self.progress).map_err(|error| no_study(study, &error)));
            found.collect()
        };
        let found = self.with_bar(play_all);
        self.took = self.begun.elapsed();
        found
    }

    /// Looks for what can go wrong.
    pub(super) fn hunt(&mut self, hunt: &Hunt<'_>, threads: usize) -> Vec<Find> {
        let found = self.with_bar(|| hunt.run(threads, &self.progress));
        self.took = self.begun.elapsed();
        found
    }

    fn with_bar<T>(&self, play: impl FnOnce() -> T) -> T {
        if !std::io::stderr().is_terminal() {
            return play();
        }
        let bar = ProgressBar::with_draw_target(Some(self.matches), ProgressDrawTarget::stderr());
        let style = ProgressStyle::with_template("{bar:40} {pos}/{len} matches, {per_sec}, {eta} left");
        let bar = if let Ok(style) = style { bar.with_style(style) } else { bar };
        let ended = std::sync::atomic::AtomicBool::new(false);
        let outcome = std::thread::scope(|scope| {
            scope.spawn(|| {
                while !ended.load(std::sync::atomic::Ordering::Relaxed) {
                    bar.set_position(self.progress.played());
                    std::thread::sleep(Duration::from_millis(50));
                }
            });
            let outcome = play();
            ended.store(true, std::sync::atomic::Ordering::Relaxed);
            outcome
        });
        bar.finish_and_clear();
        outcome
    }

    /// How long it took.
    pub(super) fn seconds(&self) -> f64 {
        self.took.as_secs_f64()
    }

    pub(super) fn is_stopped(&self) -> bool {
        self.progress.is_stopped()
    }

    /// How many were played of how many.
    pub(super) fn played(&self) -> (u64, u64) {
        (self.progress.played(), self.matches)
    }
}

/// The first Ctrl-C ends the matches and lets the report be told; the second ends the program.
fn stop_when_interrupted(progress: Arc<Progress>) {
    std::thread::spawn(move || {
        let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_io().build() else { return };
        runtime.block_on(async {
            while tokio::signal::ctrl_c().await.is_ok() {
                if progress.is_stopped() {
                    std::process::exit(INTERRUPTED);
                }
                progress.stop();
            }
        });
    });
}
