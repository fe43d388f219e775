//! Duel v1 as a ruleset: played by the engine with the decisions the twin takes.

use std::sync::Arc;

use intermezzo_engine::{Answer, Input, Log, Match, Seed, Setup};
use intermezzo_ruleset::{Program, Seat, word};

use crate::any::decide;
use crate::twins::Outcome;
use crate::twins::duel::Summary;
use crate::twins::mulberry::{Fnv, Mulberry};

/// The ruleset, compiled.
///
/// # Panics
///
/// If the bundled ruleset has errors, which its test would show.
pub fn program() -> Arc<Program> {
    crate::compiled("duel_v1.yaml", include_bytes!("../rulesets/duel_v1.yaml"))
}

/// Plays matches one after the other in the same memory.
pub struct Player {
    /// A match before its first decision: there is nothing to shuffle, so all begin alike.
    fresh: Match,
    current: Match,
    log: Log,
    input: Input,
    rng: Mulberry,
    hp: u16,
    round: u16,
}

impl Player {
    /// A player of the compiled ruleset; with `logging`, events are kept until the next match.
    ///
    /// # Panics
    ///
    /// If a match cannot begin.
    pub fn new(program: &Arc<Program>, logging: bool) -> Self {
        let setup = Setup { seats: 2, options: Vec::new(), seed: Seed([0; 32]), script: None };
        let mut log = if logging { Log::new() } else { Log::discard() };
        let fresh = Match::start(Arc::clone(program), &setup, &mut log).expect("the duel begins");
        let column = |kind: usize, name: &str| {
            let found = program.kinds[kind].props.iter().map(|prop| &program.props[prop.index()]);
            found
                .into_iter()
                .find(|prop| program.symbol(prop.name) == name)
                .expect("the ruleset has it")
                .column
        };
        let input = Input::Answer {
            input: intermezzo_engine::InputId(0),
            seat: Seat(0),
            answer: Answer::Picks(Vec::with_capacity(3)),
        };
        let (current, rng) = (fresh.clone(), Mulberry::new(1));
        Player { fresh, current, log, input, rng, hp: column(1, "hp"), round: column(0, "round") }
    }

    /// A match that has just begun, for measuring copies.
    pub fn fresh(&self) -> &Match {
        &self.fresh
    }

    /// Plays the match with this seed to its end.
    ///
    /// # Panics
    ///
    /// If the engine refuses a legal answer.
    pub fn play(&mut self, seed: u32) -> Summary {
        let actions = self.run(seed);
        self.summary(actions)
    }

    /// The same without looking at how it ended. Gives the number of actions.
    ///
    /// # Panics
    ///
    /// If the engine refuses a legal answer.
    pub fn run(&mut self, seed: u32) -> u32 {
        self.begin(seed);
        let mut actions = 0;
        while self.step() {
            actions += 1;
        }
        actions
    }

    /// Begins the match with this seed.
    pub fn begin(&mut self, seed: u32) {
        self.rng = Mulberry::new(seed);
        self.log.clear();
        self.current.clone_from(&self.fresh);
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

    fn summary(&self, actions: u32) -> Summary {
        let board = self.current.board();
        let number = |entity, column| board.column(entity, column).expect("players stay") as u8;
        let ending = self.current.ending().expect("a duel that asks nothing is over");
        let outcome = match ending.winners.first() {
            Some(Seat(0)) => Outcome::Won(crate::twins::Seat::Zero),
            Some(_) => Outcome::Won(crate::twins::Seat::One),
            None => Outcome::Draw,
        };
        Summary {
            outcome,
            rounds: number(word::MATCH, self.round),
            hp: [number(word::player(Seat(0)), self.hp), number(word::player(Seat(1)), self.hp)],
            actions,
        }
    }
}

/// The digest over the matches with these seeds.
pub fn digest(seeds: std::ops::RangeInclusive<u32>) -> u32 {
    let mut player = Player::new(&program(), true);
    let mut digest = Fnv::new();
    for seed in seeds {
        player.play(seed).write_to(&mut digest);
    }
    digest.finish()
}
