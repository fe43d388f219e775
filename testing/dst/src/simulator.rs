//! State that everything in one simulation shares: random numbers, virtual time, fault rates, trace and problems.

use std::collections::VecDeque;
use std::fmt::Write as _;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use intermezzo_bots::Random;
use intermezzo_store::TimeSource;
use tokio::time::Instant;

use crate::fault_plan::{FaultKind, FaultRates, KIND_COUNT};
use crate::signal::Signal;

/// Start of virtual time, in milliseconds since 1970.
const BEGINNING: i64 = 1_800_000_000_000;
const MAX_TRACE_LINES: usize = 100_000;
const MAX_PROBLEMS: usize = 20;

/// Simulation of one seed.
pub(crate) struct Simulation {
    began: Instant,
    is_traced: bool,
    state: Mutex<SimulationState>,
    fault_free: Signal,
}

struct SimulationState {
    random: Random,
    fault_rates: FaultRates,
    injected: [u64; KIND_COUNT],
    full_until: Option<Instant>,
    fault_free_since: Option<Instant>,
    trace: VecDeque<String>,
    hash: blake3::Hasher,
    problems: Vec<String>,
}

impl Simulation {
    /// Starts a simulation, with or without a trace.
    pub(crate) fn new(seed: u64, is_traced: bool) -> Arc<Simulation> {
        let mut random = Random::new(seed);
        let fault_rates = FaultRates::random(&mut random);
        let state = SimulationState {
            random,
            fault_rates,
            injected: [0; KIND_COUNT],
            full_until: None,
            fault_free_since: None,
            trace: VecDeque::new(),
            hash: blake3::Hasher::new(),
            problems: Vec::new(),
        };
        let (began, fault_free) = (Instant::now(), Signal::default());
        Arc::new(Simulation { began, is_traced, state: Mutex::new(state), fault_free })
    }

    fn state(&self) -> MutexGuard<'_, SimulationState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    // ── chance ──────────────────────────────────────────────────────────────

    /// Returns a random number below `bound`.
    pub(crate) fn below(&self, bound: u64) -> u64 {
        self.state().random.below(bound)
    }

    /// Returns a random duration of at most `most` milliseconds.
    pub(crate) fn ms(&self, most: u64) -> Duration {
        Duration::from_millis(self.below(most + 1))
    }

    /// Returns a new generator, seeded from this one.
    pub(crate) fn random(&self) -> Random {
        Random::new(self.state().random.next_number())
    }

    /// Draws whether a fault of that kind occurs now. Never true once faults have stopped.
    pub(crate) fn injects(&self, fault: FaultKind) -> bool {
        if self.is_fault_free() {
            return false;
        }
        self.injects_anytime(fault)
    }

    /// Draws whether a fault occurs that may occur at any time, even after faults have stopped.
    pub(crate) fn injects_anytime(&self, fault: FaultKind) -> bool {
        let state = &mut *self.state();
        let injects = state.random.happens(state.fault_rates.rate(fault));
        state.injected[fault as usize] += u64::from(injects);
        injects
    }

    /// Makes the disk full for that long.
    pub(crate) fn fill_disk(&self, lasts: Duration) {
        let until = Some(Instant::now() + lasts);
        let mut state = self.state();
        state.full_until = state.full_until.max(until);
        drop(state);
        self.trace("sim", || format!("the disk is full for {} ms", lasts.as_millis()));
    }

    pub(crate) fn is_full(&self) -> bool {
        !self.is_fault_free() && self.state().full_until.is_some_and(|until| until > Instant::now())
    }

    /// Returns the number of injected faults by kind.
    pub(crate) fn injected(&self) -> [u64; KIND_COUNT] {
        self.state().injected
    }

    // ── time ────────────────────────────────────────────────────────────────

    /// Stops injecting faults.
    pub(crate) fn stop_faults(&self) {
        self.trace("sim", || "faults stop".to_owned());
        self.state().fault_free_since = Some(Instant::now());
        self.fault_free.set();
    }

    /// Returns the time since faults stopped.
    pub(crate) fn fault_free_for(&self) -> Duration {
        self.state().fault_free_since.map_or(Duration::ZERO, |since| since.elapsed())
    }

    pub(crate) fn is_fault_free(&self) -> bool {
        self.fault_free.is_set()
    }

    pub(crate) async fn wait_until_fault_free(&self) {
        self.fault_free.wait().await;
    }

    /// Sleeps for that long, or until faults stop.
    pub(crate) async fn sleep_unless_fault_free(&self, wait: Duration) {
        let _ = tokio::time::timeout(wait, self.wait_until_fault_free()).await;
    }

    /// Returns the virtual time since the start.
    pub(crate) fn elapsed(&self) -> Duration {
        self.began.elapsed()
    }

    // ── what happens ────────────────────────────────────────────────────────

    /// Adds a line to the trace, if there is one.
    pub(crate) fn trace(&self, who: &str, what: impl FnOnce() -> String) {
        if !self.is_traced {
            return;
        }
        let mut line = String::new();
        let _ = write!(line, "{:>10.3} {who:<9} {}", self.elapsed().as_secs_f64(), what());
        let state = &mut *self.state();
        state.hash.update(line.as_bytes());
        if state.trace.len() == MAX_TRACE_LINES {
            state.trace.pop_front();
        }
        state.trace.push_back(line);
    }

    /// Records a problem. The first few are enough.
    pub(crate) fn add_problem(&self, what: impl Into<String>) {
        let what = what.into();
        self.trace("PROBLEM", || what.clone());
        let problems = &mut self.state().problems;
        if problems.len() < MAX_PROBLEMS {
            problems.push(what);
        }
    }

    pub(crate) fn has_problems(&self) -> bool {
        !self.state().problems.is_empty()
    }

    pub(crate) fn take_problems(&self) -> Vec<String> {
        std::mem::take(&mut self.state().problems)
    }

    /// Returns the last lines of the trace, and a hash of the whole trace.
    pub(crate) fn take_trace(&self) -> (Vec<String>, String) {
        let state = &mut *self.state();
        let hash = state.hash.finalize().to_hex().to_string();
        (std::mem::take(&mut state.trace).into(), hash)
    }
}

impl TimeSource for Simulation {
    fn now_ms(&self) -> i64 {
        BEGINNING + i64::try_from(self.elapsed().as_millis()).unwrap_or(i64::MAX)
    }
}
