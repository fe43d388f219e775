//! Duel v1 as a ruleset, played by the engine with the same decisions as the twin.

use std::sync::Arc;

use intermezzo_engine::{Answer, EventLog, Input, Match, Seed, Setup};
use intermezzo_program::{Program, Seat, word};

use crate::any_ruleset::decide;
use crate::twins::TwinOutcome;
use crate::twins::duel::DuelSummary;
use crate::twins::mulberry::{Fnv, Mulberry};

/// Compiles the ruleset.
///
/// # Panics
///
/// If the bundled ruleset has errors, which its test would show.
pub fn program() -> Arc<Program> {
    crate::compile("duel_v1.yaml", include_bytes!("../rulesets/duel_v1.yaml"))
}

/// A player of duels, one after the other in the same memory.
pub struct DuelPlayer {
    /// A match before its first decision. Nothing is shuffled, so all matches start alike.
    fresh: Match,
    current: Match,
    log: EventLog,
    input: Input,
    rng: Mulberry,
    hp: u16,
    round: u16,
}

impl DuelPlayer {
    /// Creates a player; with `logging`, events are logged until the next match.
    ///
    /// # Panics
    ///
    /// If a match cannot start.
    pub fn new(program: &Arc<Program>, logging: bool) -> Self {
        let setup = Setup { seats: 2, options: Vec::new(), seed: Seed([0; 32]), script: None };
        let mut log = if logging { EventLog::new() } else { EventLog::discard() };
        let fresh = Match::start(Arc::clone(program), &setup, &mut log).expect("the duel starts");
        let column = |kind: usize, name: &str| {
            let found = program.kinds[kind].props.iter().map(|prop| &program.props[prop.index()]);
            found
                .into_iter()
                .find(|prop| program.symbol(prop.name) == name)
                .expect("the ruleset declares it")
                .column
        };
        let input = Input::Answer {
            input: intermezzo_engine::InputId(0),
            seat: Seat(0),
            answer: Answer::Picks(Vec::with_capacity(3)),
        };
        let (current, rng) = (fresh.clone(), Mulberry::new(1));
        DuelPlayer { fresh, current, log, input, rng, hp: column(1, "hp"), round: column(0, "round") }
    }

    /// Returns a match before its first decision, for measuring copies.
    pub fn fresh(&self) -> &Match {
        &self.fresh
    }

    /// Plays the match with this seed to its end.
    ///
    /// # Panics
    ///
    /// If the engine refuses a legal answer.
    pub fn play(&mut self, seed: u32) -> DuelSummary {
        let actions = self.run(seed);
        self.summary(actions)
    }

    /// Plays like [`Self::play`] without a summary. Returns the number of actions.
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

    /// Starts the match with this seed.
    pub fn begin(&mut self, seed: u32) {
        self.rng = Mulberry::new(seed);
        self.log.clear();
        self.current.clone_from(&self.fresh);
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

    fn summary(&self, actions: u32) -> DuelSummary {
        let board = self.current.board();
        let number = |entity, column| board.column(entity, column).expect("players are never removed") as u8;
        let ending = self.current.ending().expect("a duel that asks nothing is over");
        let outcome = match ending.winners.first() {
            Some(Seat(0)) => TwinOutcome::Won(crate::twins::TwinSeat::Zero),
            Some(_) => TwinOutcome::Won(crate::twins::TwinSeat::One),
            None => TwinOutcome::Draw,
        };
        DuelSummary {
            outcome,
            rounds: number(word::MATCH, self.round),
            hp: [number(word::player(Seat(0)), self.hp), number(word::player(Seat(1)), self.hp)],
            actions,
        }
    }
}

/// Returns the digest over the matches with these seeds.
pub fn digest(seeds: std::ops::RangeInclusive<u32>) -> u32 {
    let mut player = DuelPlayer::new(&program(), true);
    let mut digest = Fnv::new();
    for seed in seeds {
        player.play(seed).write_to(&mut digest);
    }
    digest.finish()
}
