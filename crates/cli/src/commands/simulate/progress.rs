//! Simulation runs with a progress bar; SIGINT (Ctrl-C) and SIGTERM end them early.

use std::io::{Error, IsTerminal};
use std::sync::Arc;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use intermezzo_simulator::Experiment;
use intermezzo_simulator::bug_search::{BugSearch, FoundBug};
use intermezzo_simulator::experiment::{ExperimentFindings, Progress};
use tokio::signal::unix::{SignalKind, signal};

use super::experiment_error;
use crate::failure::CliError;

/// Exit code of a program that SIGINT ended, as shells define it.
const INTERRUPTED: i32 = 130;
/// Exit code of a program that SIGTERM ended.
const TERMINATED: i32 = 143;

/// Simulation run and its timing.
pub(super) struct SimulationRun {
    progress: Arc<Progress>,
    matches: u64,
    started: Instant,
    elapsed: Duration,
}

impl SimulationRun {
    pub(super) fn new(matches: u64) -> SimulationRun {
        let progress = Arc::new(Progress::default());
        stop_on_signal(Arc::clone(&progress));
        SimulationRun { progress, matches, started: Instant::now(), elapsed: Duration::ZERO }
    }

    /// Plays the experiments one after the other.
    pub(super) fn play(
        &mut self,
        experiments: &[Experiment],
        threads: usize,
    ) -> Result<Vec<ExperimentFindings>, CliError> {
        let play_all = || -> Result<Vec<ExperimentFindings>, CliError> {
            let found = experiments.iter().map(|experiment| {
                experiment.run(threads, &self.progress).map_err(|error| experiment_error(experiment, &error))
            });
            found.collect()
        };
        let found = self.with_bar(play_all);
        self.elapsed = self.started.elapsed();
        found
    }

    /// Runs a search for bugs.
    pub(super) fn fuzz(&mut self, search: &BugSearch<'_>, threads: usize) -> Vec<FoundBug> {
        let found = self.with_bar(|| search.run(threads, &self.progress));
        self.elapsed = self.started.elapsed();
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

    /// Returns the duration in seconds.
    pub(super) fn seconds(&self) -> f64 {
        self.elapsed.as_secs_f64()
    }

    pub(super) fn is_stopped(&self) -> bool {
        self.progress.is_stopped()
    }

    /// Returns the number of played matches and the planned number.
    pub(super) fn played(&self) -> (u64, u64) {
        (self.progress.played(), self.matches)
    }
}

/// Handles SIGINT (Ctrl-C) and SIGTERM: the first signal ends the matches and prints the report, the second exits.
fn stop_on_signal(progress: Arc<Progress>) {
    let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_io().build() else { return };
    // Registered before the first match, so that no signal ends the program without a report.
    let registered = runtime.block_on(async {
        Ok::<_, Error>((signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?))
    });
    let Ok((mut interrupt, mut terminate)) = registered else { return };
    std::thread::spawn(move || {
        runtime.block_on(async {
            loop {
                let code = tokio::select! {
                    _ = interrupt.recv() => INTERRUPTED,
                    _ = terminate.recv() => TERMINATED,
                };
                if progress.is_stopped() {
                    std::process::exit(code);
                }
                progress.stop();
            }
        });
    });
}
