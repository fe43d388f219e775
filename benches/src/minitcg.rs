//! MiniTCG v1 as a ruleset: played by the engine with the decisions the twin takes.

use std::sync::Arc;

use intermezzo_engine::{Answer, Datum, Input, Log, Match, Seed, Setup};
use intermezzo_ruleset::{Program, Seat, Word, word};

use crate::any::decide;
use crate::twins::Outcome;
use crate::twins::minitcg::{Summary, shuffled_decks};
use crate::twins::mulberry::{Fnv, Mulberry};

/// The defs of the ruleset by the numbers the twin gives to cards.
const CARDS: [&str; 8] = ["grunt", "scholar", "bomber", "ogre", "captain", "bolt", "quake", "negate"];

/// The ruleset, compiled.
///
/// # Panics
///
/// If the bundled ruleset has errors, which its test would show.
pub fn program() -> Arc<Program> {
    crate::compiled("minitcg_v1.yaml", include_bytes!("../rulesets/minitcg_v1.yaml"))
}

/// Plays matches one after the other.
pub struct Player {
    current: Match,
    setup: Setup,
    log: Log,
    input: Input,
    rng: Mulberry,
}

impl Player {
    /// A player of the compiled ruleset; with `logging`, events are kept until the next match.
    ///
    /// # Panics
    ///
    /// If a match cannot begin.
    pub fn new(program: &Arc<Program>, logging: bool) -> Self {
        let mut log = if logging { Log::new() } else { Log::discard() };
        let (setup, rng) = setup(1);
        let current = Match::start(Arc::clone(program), &setup, &mut log).expect("the match begins");
        let input = Input::Answer {
            input: intermezzo_engine::InputId(0),
            seat: Seat(0),
            answer: Answer::Picks(Vec::with_capacity(1)),
        };
        Player { current, setup, log, input, rng }
    }

    /// The match being played, or the one played last.
    pub fn current(&self) -> &Match {
        &self.current
    }

    /// What happened in it, if the log is kept.
    pub fn log(&self) -> &Log {
        &self.log
    }

    /// Lets the match give back its memory, as if it were to wait long.
    pub fn compact(&mut self) {
        self.current.compact();
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
    ///
    /// # Panics
    ///
    /// If it cannot begin.
    pub fn begin(&mut self, seed: u32) {
        self.rng = shuffle_into(&mut self.setup, seed);
        self.log.clear();
        self.current.restart(&self.setup, &mut self.log).expect("the match begins");
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

    /// How the match ended.
    ///
    /// # Panics
    ///
    /// If it has not.
    pub fn summary(&self, actions: u32) -> Summary {
        let (board, program) = (self.current.board(), self.current.program());
        let number = |entity: Word, kind: usize, name: &str| {
            let props = program.kinds[kind].props.iter().map(|prop| &program.props[prop.index()]);
            let prop = props.into_iter().find(|prop| program.symbol(prop.name) == name);
            board.column(entity, prop.expect("the ruleset has it").column).expect("players stay")
        };
        let ending = self.current.ending().expect("a match that asks nothing is over");
        let outcome = match ending.winners.first() {
            Some(Seat(0)) => Outcome::Won(crate::twins::Seat::Zero),
            Some(_) => Outcome::Won(crate::twins::Seat::One),
            None => Outcome::Draw,
        };
        let players = [word::player(Seat(0)), word::player(Seat(1))];
        let count = |zone: &str| {
            players.map(|player| {
                let found = board.zone_named(program, player, zone).expect("the ruleset has it");
                board.zone_contents(found).count() as u8
            })
        };
        Summary {
            outcome,
            actions,
            turns: number(word::MATCH, 0, "turns") as u32,
            hp: players.map(|player| number(player, 1, "hp") as i16),
            hand: count("hand"),
            field: count("field"),
        }
    }
}

/// The setup of the match with this seed, and the generator as the first decision finds it.
pub fn setup(seed: u32) -> (Setup, Mulberry) {
    let mut setup = unshuffled();
    let rng = shuffle_into(&mut setup, seed);
    (setup, rng)
}

/// A setup with two decks of nothing yet.
fn unshuffled() -> Setup {
    let deck = Datum::List(vec![Datum::text(""); 30]);
    let options = vec![("decks".into(), Datum::List(vec![deck.clone(), deck]))];
    Setup { seats: 2, options, seed: Seed([0; 32]), script: None }
}

/// Writes the decks of the match with this seed; gives the generator as the first decision finds it.
fn shuffle_into(setup: &mut Setup, seed: u32) -> Mulberry {
    let (first, second, rng) = shuffled_decks(seed);
    let Datum::List(decks) = &mut setup.options[0].1 else { unreachable!("decks are a list") };
    for (deck, cards) in decks.iter_mut().zip([first, second]) {
        let Datum::List(deck) = deck else { unreachable!("a deck is a list") };
        for (place, card) in deck.iter_mut().zip(cards) {
            *place = Datum::text(CARDS[usize::from(card)]);
        }
    }
    rng
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
