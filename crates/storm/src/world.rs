//! The world of one seed: its chance, its time, its weather, and what happens in it.

use std::collections::VecDeque;
use std::fmt::Write as _;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use intermezzo_bots::Random;
use intermezzo_store::Clock;
use tokio::time::Instant;

use crate::signal::Signal;
use crate::weather::{Fault, KIND_COUNT, Weather};

/// When the world begins, milliseconds since 1970.
const BEGINNING: i64 = 1_800_000_000_000;
/// So many lines of the trace are kept.
const KEPT_LINES: usize = 100_000;
/// So much that is wrong is told.
const MAX_WRONG: usize = 20;

/// The world of one seed.
pub(crate) struct World {
    began: Instant,
    is_traced: bool,
    state: Mutex<State>,
    calm: Signal,
}

struct State {
    random: Random,
    weather: Weather,
    struck: [u64; KIND_COUNT],
    full_until: Option<Instant>,
    calm_since: Option<Instant>,
    trace: VecDeque<String>,
    hash: blake3::Hasher,
    wrong: Vec<String>,
}

impl World {
    /// A world, now. It is traced if somebody wants to read that.
    pub(crate) fn new(seed: u64, is_traced: bool) -> Arc<World> {
        let mut random = Random::new(seed);
        let weather = Weather::drawn(&mut random);
        let state = State {
            random,
            weather,
            struck: [0; KIND_COUNT],
            full_until: None,
            calm_since: None,
            trace: VecDeque::new(),
            hash: blake3::Hasher::new(),
            wrong: Vec::new(),
        };
        let (began, calm) = (Instant::now(), Signal::default());
        Arc::new(World { began, is_traced, state: Mutex::new(state), calm })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    // ── chance ──────────────────────────────────────────────────────────────

    /// A number below `bound`.
    pub(crate) fn below(&self, bound: u64) -> u64 {
        self.state().random.below(bound)
    }

    /// So many milliseconds at most.
    pub(crate) fn ms(&self, most: u64) -> Duration {
        Duration::from_millis(self.below(most + 1))
    }

    /// A source of chance for somebody.
    pub(crate) fn random(&self) -> Random {
        Random::new(self.state().random.next_number())
    }

    /// Whether a fault of that kind strikes now.
    pub(crate) fn strikes(&self, fault: Fault) -> bool {
        if self.is_calm() {
            return false;
        }
        self.strikes_always(fault)
    }

    /// The same for what may fail at any time, storm or not.
    pub(crate) fn strikes_always(&self, fault: Fault) -> bool {
        let state = &mut *self.state();
        let strikes = state.random.happens(state.weather.rate(fault));
        state.struck[fault as usize] += u64::from(strikes);
        strikes
    }

    /// The disk is full from now on for so long.
    pub(crate) fn fill_disk(&self, lasts: Duration) {
        self.state().full_until = Some(Instant::now() + lasts);
        self.note("world", || format!("the disk is full for {} ms", lasts.as_millis()));
    }

    /// Whether the disk is full.
    pub(crate) fn is_full(&self) -> bool {
        !self.is_calm() && self.state().full_until.is_some_and(|until| until > Instant::now())
    }

    /// How often each kind of fault has struck.
    pub(crate) fn struck(&self) -> [u64; KIND_COUNT] {
        self.state().struck
    }

    // ── time ────────────────────────────────────────────────────────────────

    /// From now on nothing fails any more.
    pub(crate) fn calm_down(&self) {
        self.note("world", || "the storm is over".to_owned());
        self.state().calm_since = Some(Instant::now());
        self.calm.give();
    }

    /// For how long the storm has been over.
    pub(crate) fn calm_for(&self) -> Duration {
        self.state().calm_since.map_or(Duration::ZERO, |since| since.elapsed())
    }

    pub(crate) fn is_calm(&self) -> bool {
        self.calm.is_given()
    }

    /// Waits until the storm is over.
    pub(crate) async fn calm(&self) {
        self.calm.given().await;
    }

    /// Waits, until the storm is over at most.
    pub(crate) async fn storm_for(&self, wait: Duration) {
        let _ = tokio::time::timeout(wait, self.calm()).await;
    }

    /// For how long the world has been there.
    pub(crate) fn age(&self) -> Duration {
        self.began.elapsed()
    }

    // ── what happens ────────────────────────────────────────────────────────

    /// Something has happened, if anybody would like to read it.
    pub(crate) fn note(&self, who: &str, what: impl FnOnce() -> String) {
        if !self.is_traced {
            return;
        }
        let mut line = String::new();
        let _ = write!(line, "{:>10.3} {who:<9} {}", self.age().as_secs_f64(), what());
        let state = &mut *self.state();
        state.hash.update(line.as_bytes());
        if state.trace.len() == KEPT_LINES {
            state.trace.pop_front();
        }
        state.trace.push_back(line);
    }

    /// Something is wrong.
    pub(crate) fn wrong(&self, what: impl Into<String>) {
        let what = what.into();
        self.note("WRONG", || what.clone());
        let wrong = &mut self.state().wrong;
        if wrong.len() < MAX_WRONG {
            wrong.push(what);
        }
    }

    /// Whether something is wrong already.
    pub(crate) fn is_wrong(&self) -> bool {
        !self.state().wrong.is_empty()
    }

    /// Everything that is wrong.
    pub(crate) fn take_wrong(&self) -> Vec<String> {
        std::mem::take(&mut self.state().wrong)
    }

    /// The last lines of the trace, and a hash of all of it.
    pub(crate) fn take_trace(&self) -> (Vec<String>, String) {
        let state = &mut *self.state();
        let hash = state.hash.finalize().to_hex().to_string();
        (std::mem::take(&mut state.trace).into(), hash)
    }
}

impl Clock for World {
    fn now_ms(&self) -> i64 {
        BEGINNING + i64::try_from(self.age().as_millis()).unwrap_or(i64::MAX)
    }
}
