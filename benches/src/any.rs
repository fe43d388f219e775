//! Any ruleset, played at random with what it says itself about options.

use std::path::Path;
use std::sync::Arc;

use intermezzo_compiler::Ruleset;
use intermezzo_engine::{Answer, Input, InputId, Log, Match, Seed, Setup};
use intermezzo_ruleset::{Program, Seat};

use crate::twins::mulberry::Mulberry;

/// Plays matches of a ruleset one after the other.
pub struct Player {
    current: Match,
    log: Log,
    input: Input,
    rng: Mulberry,
}

/// The ruleset at `path`, compiled.
///
/// # Panics
///
/// If it cannot be read or has errors.
#[must_use]
pub fn program(path: &Path) -> Arc<Program> {
    let compiled = Ruleset::load(path).expect("the ruleset can be read").compile();
    Arc::new(compiled.program.expect("the ruleset has no errors"))
}

/// The first match of a ruleset, from which others can be begun.
///
/// # Panics
///
/// If it cannot begin with what the ruleset says about options.
#[must_use]
pub fn first(program: Arc<Program>) -> Match {
    let setup = setup(&program, 1);
    Match::start(program, &setup, &mut Log::discard()).expect("the match begins")
}

/// The setup of the match with this seed.
#[must_use]
pub fn setup(program: &Program, seed: u32) -> Setup {
    let seed = Seed::from_number(u64::from(seed));
    Setup { seats: program.seats.usual, options: Vec::new(), seed, script: None }
}

impl Player {
    /// A player of a ruleset; with `logging`, events are kept until the next match.
    #[must_use]
    pub fn new(program: Arc<Program>, logging: bool) -> Player {
        let log = if logging { Log::new() } else { Log::discard() };
        let answer = Answer::Picks(Vec::with_capacity(64));
        let input = Input::Answer { input: InputId(0), seat: Seat(0), answer };
        Player { current: first(program), log, input, rng: Mulberry::new(1) }
    }

    /// The match being played, or the one played last.
    #[must_use]
    pub fn current(&self) -> &Match {
        &self.current
    }

    /// Plays the match with this seed to its end; gives the number of actions.
    pub fn run(&mut self, seed: u32) -> u32 {
        self.begin(seed);
        let mut actions = 0;
        while self.step() {
            actions += 1;
        }
        actions
    }

    /// Begins the match with this seed.
    ///
    /// # Panics
    ///
    /// If it cannot begin.
    pub fn begin(&mut self, seed: u32) {
        self.log.clear();
        let setup = setup(self.current.program(), seed);
        self.current.restart(&setup, &mut self.log).expect("the match begins");
        self.rng = Mulberry::new(seed);
    }

    /// Takes one decision. False if the match is over.
    ///
    /// # Panics
    ///
    /// If the engine refuses a legal answer.
    #[inline(never)]
    pub fn step(&mut self) -> bool {
        let is_taken = decide(&self.current, &mut self.rng, &mut self.input);
        if is_taken {
            self.current.submit(&self.input, &mut self.log).expect("a listed answer is legal");
        }
        is_taken
    }
}

/// Answers the first open question at random. False if there is none.
#[inline]
pub fn decide(state: &Match, rng: &mut Mulberry, decision: &mut Input) -> bool {
    let Some(pending) = state.pending().next() else { return false };
    let count = pending.answer_count().min(u64::from(u32::MAX));
    let Input::Answer { input, seat, answer } = decision else { unreachable!("players only answer") };
    (*input, *seat) = (pending.id(), pending.seat());
    pending.nth_answer(u64::from(rng.below(count as u32)), answer)
}
