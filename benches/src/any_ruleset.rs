//! Random play of any ruleset with its default options.

use std::path::Path;
use std::sync::Arc;

use intermezzo_compiler::Ruleset;
use intermezzo_engine::{Answer, Datum, EventLog, Input, InputId, Match, Seed, Setup, ShortText};
use intermezzo_program::{Program, Seat};

use crate::twins::mulberry::Mulberry;

/// A player of matches of one ruleset, one after the other.
pub struct RulesetPlayer {
    current: Match,
    log: EventLog,
    input: Input,
    rng: Mulberry,
    options: Vec<(ShortText, Datum)>,
}

/// Loads and compiles the ruleset at `path`.
///
/// # Panics
///
/// If it cannot be read or has errors.
#[must_use]
pub fn program(path: &Path) -> Arc<Program> {
    let compiled = Ruleset::load(path).expect("the ruleset can be read").compile();
    Arc::new(compiled.program.expect("the ruleset has no errors"))
}

/// Starts the match with seed 1, from which others can be started.
///
/// # Panics
///
/// If the match cannot start with the default options.
#[must_use]
pub fn first_match(program: Arc<Program>) -> Match {
    let setup = setup(&program, 1);
    Match::start(program, &setup, &mut EventLog::discard()).expect("the match starts")
}

/// Returns the setup of the match with this seed: default seats and options.
#[must_use]
pub fn setup(program: &Program, seed: u32) -> Setup {
    let seed = Seed::from_number(u64::from(seed));
    Setup { seats: program.seats.default, options: Vec::new(), seed, script: None }
}

impl RulesetPlayer {
    /// Creates a player; with `logging`, events are logged until the next match.
    #[must_use]
    pub fn new(program: Arc<Program>, logging: bool) -> RulesetPlayer {
        let log = if logging { EventLog::new() } else { EventLog::discard() };
        let answer = Answer::Picks(Vec::with_capacity(64));
        let input = Input::Answer { input: InputId(0), seat: Seat(0), answer };
        let (current, rng) = (first_match(program), Mulberry::new(1));
        RulesetPlayer { current, log, input, rng, options: Vec::new() }
    }

    /// Plays further matches with these options.
    #[must_use]
    pub fn with_options(self, options: Vec<(ShortText, Datum)>) -> RulesetPlayer {
        RulesetPlayer { options, ..self }
    }

    /// Returns the current match, or the last one if none is running.
    #[must_use]
    pub fn current(&self) -> &Match {
        &self.current
    }

    /// Returns the input of the last step.
    #[must_use]
    pub fn last_input(&self) -> &Input {
        &self.input
    }

    /// Plays the match with this seed to its end. Returns the number of actions.
    pub fn run(&mut self, seed: u32) -> u32 {
        self.begin(seed);
        let mut actions = 0;
        while self.step() {
            actions += 1;
        }
        actions
    }

    /// Starts the match with this seed.
    ///
    /// # Panics
    ///
    /// If it cannot start.
    pub fn begin(&mut self, seed: u32) {
        self.log.clear();
        let setup = Setup { options: self.options.clone(), ..setup(self.current.program(), seed) };
        self.current.restart(&setup, &mut self.log).expect("the match starts");
        self.rng = Mulberry::new(seed);
    }

    /// Makes one decision. Returns false if the match is over.
    ///
    /// # Panics
    ///
    /// If the engine refuses a legal answer.
    #[inline(never)]
    pub fn step(&mut self) -> bool {
        let has_decided = decide(&self.current, &mut self.rng, &mut self.input);
        if has_decided {
            self.current.submit(&self.input, &mut self.log).expect("a listed answer is legal");
        }
        has_decided
    }
}

/// Chooses a random answer to the first open question. Returns false if none is open.
#[inline]
pub fn decide(state: &Match, rng: &mut Mulberry, decision: &mut Input) -> bool {
    let Some(pending) = state.pending().next() else { return false };
    let count = pending.answer_count().min(u64::from(u32::MAX));
    let Input::Answer { input, seat, answer } = decision else { unreachable!("players only answer") };
    (*input, *seat) = (pending.id(), pending.seat());
    pending.nth_answer(u64::from(rng.below(count as u32)), answer)
}
