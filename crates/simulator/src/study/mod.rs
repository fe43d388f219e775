//! Many matches for those who design a game: what wins, what is used, what is never reached.
//!
//! A [`Study`] says what is played: a ruleset with its options, bots and decks. [`Study::run`] plays it on any number
//! of threads and gives [`Findings`], the same for the same study. [`report`](crate::report) tells them.

mod findings;
mod lots;
mod running;
mod things;
mod watching;
mod worker;

use std::sync::Arc;

use intermezzo_bots::{Bot, NoSuchBot};
use intermezzo_engine::{Datum, Log, Match, Setup, StartError, Text};
use intermezzo_ruleset::Program;

use crate::bots;
use crate::habits::Habits;
use crate::play::setup;

pub use findings::{Findings, Record, Sizes, Use};
pub use lots::{Lot, Lots};
pub use running::Progress;
pub use things::Thing;
pub(crate) use worker::Worker;

/// What is played.
#[derive(Clone, Debug)]
pub struct Study {
    /// The ruleset, as it is played.
    pub program: Arc<Program>,
    /// The same with probes.
    pub probed: Arc<Program>,
    /// How many seats.
    pub seats: u8,
    /// What all matches begin with.
    pub options: Vec<(Text, Datum)>,
    /// Who plays; they change seats from match to match. Nobody is named: all by chance.
    pub bots: Vec<String>,
    /// What seats are given in turn, besides the options.
    pub lots: Option<Lots>,
    /// The seed of the first match.
    pub seed: u64,
    /// How many matches.
    pub matches: u64,
    /// A match is broken off after so many inputs.
    pub max_inputs: u32,
}

/// Why nothing can be played.
#[derive(Debug)]
pub enum NoStudy {
    /// A match cannot begin.
    Start(StartError),
    /// There is no such bot.
    Bot(NoSuchBot),
    /// There are bots for another number of seats.
    Bots {
        /// How many bots there are.
        bots: usize,
        /// How many seats.
        seats: u8,
    },
}

impl From<StartError> for NoStudy {
    fn from(error: StartError) -> NoStudy {
        NoStudy::Start(error)
    }
}

impl From<NoSuchBot> for NoStudy {
    fn from(error: NoSuchBot) -> NoStudy {
        NoStudy::Bot(error)
    }
}

impl Study {
    /// A thousand matches by chance from seed 0.
    #[must_use]
    pub fn new(program: &Arc<Program>, probed: &Arc<Program>) -> Study {
        Study {
            program: Arc::clone(program),
            probed: Arc::clone(probed),
            seats: program.seats.usual,
            options: Vec::new(),
            bots: Vec::new(),
            lots: None,
            seed: 0,
            matches: 1000,
            max_inputs: Habits::orderly().max_inputs,
        }
    }

    /// Looks whether a match can begin. That a rule fails at once is no error: it may depend on the seed.
    ///
    /// # Errors
    ///
    /// If it cannot.
    pub fn check(&self) -> Result<(), NoStudy> {
        self.thinkers()?;
        let bots = self.bots.len();
        if bots > 1 && bots != usize::from(self.seats) {
            return Err(NoStudy::Bots { bots, seats: self.seats });
        }
        // Each lot has its turn within so many matches; whether it can be dealt does not depend on who gets it.
        let turns = self.lots.as_ref().map_or(1, |lots| lots.list.len() as u64) * (bots as u64).max(1);
        for seed in (0..turns).map(|turn| self.seed.wrapping_add(turn)) {
            match Match::start(Arc::clone(&self.program), &self.setup(seed), &mut Log::discard()) {
                Ok(_) | Err(StartError::Fault(_)) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    /// What the match of a seed begins with.
    #[must_use]
    pub fn setup(&self, seed: u64) -> Setup {
        let mut setup = setup(&self.program, seed, &self.options);
        setup.seats = self.seats;
        if let Some(lots) = &self.lots {
            let given = self.lots_at(seed).into_iter().map(|lot| lots.list[lot].value.clone()).collect();
            setup.options.retain(|(name, _)| *name != lots.option);
            setup.options.push((lots.option.clone(), Datum::List(given)));
        }
        setup
    }

    /// By seat: the number of the bot, in the match of a seed. They go round.
    #[must_use]
    pub fn bots_at(&self, seed: u64) -> Vec<usize> {
        match self.bots.len() as u64 {
            0 => Vec::new(),
            1 => vec![0; usize::from(self.seats)],
            bots => (0..u64::from(self.seats)).map(|seat| ((seat + seed % bots) % bots) as usize).collect(),
        }
    }

    /// By seat: the number of the lot, in the match of a seed. They change when the bots have gone round once.
    #[must_use]
    pub fn lots_at(&self, seed: u64) -> Vec<usize> {
        let rounds = seed / (self.bots.len() as u64).max(1);
        self.lots.as_ref().map(|lots| lots.dealt(rounds, usize::from(self.seats))).unwrap_or_default()
    }

    /// Those who think, by number of the bot.
    fn thinkers(&self) -> Result<Vec<Option<Bot>>, NoSuchBot> {
        self.bots.iter().map(|name| bots::thinker(name)).collect()
    }
}
