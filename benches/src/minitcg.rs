//! MiniTCG v1 as a ruleset, played by the engine with the same decisions as the twin.

use std::sync::Arc;

use intermezzo_engine::{Answer, Datum, EventLog, Input, Match, Seed, Setup};
use intermezzo_program::{Program, Seat, Word, word};

use crate::any_ruleset::decide;
use crate::twins::TwinOutcome;
use crate::twins::minitcg::{MiniTcgSummary, shuffled_decks};
use crate::twins::mulberry::{Fnv, Mulberry};

/// The ruleset's definitions, indexed by the card ids of the twin.
const CARDS: [&str; 8] = ["grunt", "scholar", "bomber", "ogre", "captain", "bolt", "quake", "negate"];

/// Compiles the ruleset.
///
/// # Panics
///
/// If the bundled ruleset has errors, which its test would show.
pub fn program() -> Arc<Program> {
    crate::compile("minitcg_v1.yaml", include_bytes!("../rulesets/minitcg_v1.yaml"))
}

/// A player of MiniTCG matches, one after the other.
pub struct MiniTcgPlayer {
    current: Match,
    setup: Setup,
    log: EventLog,
    input: Input,
    rng: Mulberry,
}

impl MiniTcgPlayer {
    /// Creates a player; with `logging`, events are logged until the next match.
    ///
    /// # Panics
    ///
    /// If a match cannot start.
    pub fn new(program: &Arc<Program>, logging: bool) -> Self {
        let mut log = if logging { EventLog::new() } else { EventLog::discard() };
        let (setup, rng) = setup(1);
        let current = Match::start(Arc::clone(program), &setup, &mut log).expect("the match starts");
        let input = Input::Answer {
            input: intermezzo_engine::InputId(0),
            seat: Seat(0),
            answer: Answer::Picks(Vec::with_capacity(1)),
        };
        MiniTcgPlayer { current, setup, log, input, rng }
    }

    /// Returns the current match, or the last one if none is running.
    pub fn current(&self) -> &Match {
        &self.current
    }

    /// Returns the events of the current match, if they are logged.
    pub fn log(&self) -> &EventLog {
        &self.log
    }

    /// Releases the working memory of the match, as before a long wait.
    pub fn compact(&mut self) {
        self.current.compact();
    }

    /// Plays the match with this seed to its end.
    ///
    /// # Panics
    ///
    /// If the engine refuses a legal answer.
    pub fn play(&mut self, seed: u32) -> MiniTcgSummary {
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
    ///
    /// # Panics
    ///
    /// If it cannot start.
    pub fn begin(&mut self, seed: u32) {
        self.rng = shuffle_into(&mut self.setup, seed);
        self.log.clear();
        self.current.restart(&self.setup, &mut self.log).expect("the match starts");
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

    /// Returns how the match ended.
    ///
    /// # Panics
    ///
    /// If it has not ended.
    pub fn summary(&self, actions: u32) -> MiniTcgSummary {
        let (board, program) = (self.current.board(), self.current.program());
        let number = |entity: Word, kind: usize, name: &str| {
            let props = program.kinds[kind].props.iter().map(|prop| &program.props[prop.index()]);
            let prop = props.into_iter().find(|prop| program.symbol(prop.name) == name);
            board
                .column(entity, prop.expect("the ruleset declares it").column)
                .expect("players are never removed")
        };
        let ending = self.current.ending().expect("a match that asks nothing is over");
        let outcome = match ending.winners.first() {
            Some(Seat(0)) => TwinOutcome::Won(crate::twins::TwinSeat::Zero),
            Some(_) => TwinOutcome::Won(crate::twins::TwinSeat::One),
            None => TwinOutcome::Draw,
        };
        let players = [word::player(Seat(0)), word::player(Seat(1))];
        let count = |zone: &str| {
            players.map(|player| {
                let found = board.zone_named(program, player, zone).expect("the ruleset declares it");
                board.zone_contents(found).count() as u8
            })
        };
        MiniTcgSummary {
            outcome,
            actions,
            turns: number(word::MATCH, 0, "turns") as u32,
            hp: players.map(|player| number(player, 1, "hp") as i16),
            hand: count("hand"),
            field: count("field"),
        }
    }
}

/// Returns the setup of the match with this seed and the generator after shuffling.
pub fn setup(seed: u32) -> (Setup, Mulberry) {
    let mut setup = setup_with_blank_decks();
    let rng = shuffle_into(&mut setup, seed);
    (setup, rng)
}

/// Returns a setup with two decks of blank cards, to be filled by [`shuffle_into`].
fn setup_with_blank_decks() -> Setup {
    let deck = Datum::List(vec![Datum::text(""); 30]);
    let options = vec![("decks".into(), Datum::List(vec![deck.clone(), deck]))];
    Setup { seats: 2, options, seed: Seed([0; 32]), script: None }
}

/// Writes the decks of the match with this seed. Returns the generator after shuffling.
fn shuffle_into(setup: &mut Setup, seed: u32) -> Mulberry {
    let (first, second, rng) = shuffled_decks(seed);
    let Datum::List(decks) = &mut setup.options[0].1 else { unreachable!("decks are a list") };
    for (deck, cards) in decks.iter_mut().zip([first, second]) {
        let Datum::List(deck) = deck else { unreachable!("a deck is a list") };
        for (slot, card) in deck.iter_mut().zip(cards) {
            *slot = Datum::text(CARDS[usize::from(card)]);
        }
    }
    rng
}

/// Returns the digest over the matches with these seeds.
pub fn digest(seeds: std::ops::RangeInclusive<u32>) -> u32 {
    let mut player = MiniTcgPlayer::new(&program(), true);
    let mut digest = Fnv::new();
    for seed in seeds {
        player.play(seed).write_to(&mut digest);
    }
    digest.finish()
}
