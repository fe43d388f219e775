//! Experiments for game designers: many matches, and statistics of wins, usage and coverage.
//!
//! An [`Experiment`] is a ruleset with options, bots and decks. [`Experiment::run`] plays it on any number of threads and
//! returns [`ExperimentFindings`], the same for the same experiment. [`report`](crate::report) shows them.

mod deck_assignment;
mod findings;
mod labels;
mod match_statistics;
mod threads;
mod worker;
use std::sync::Arc;

use intermezzo_bots::{Bot, NoSuchBot};
use intermezzo_engine::{Datum, EventLog, Match, MatchTerms, Setup, ShortText, StartError};
use intermezzo_program::Program;

use crate::bots;
use crate::input_mix::InputMix;
use crate::play::setup;

pub use deck_assignment::{Deck, DeckSet};
pub use findings::{ExperimentFindings, SizeHistogram, UsageStatistics, WinRecord};
pub use labels::EntityLabel;
pub use threads::Progress;
pub(crate) use worker::Worker;

/// Settings of many matches.
#[derive(Clone, Debug)]
pub struct Experiment {
    /// Ruleset that is played.
    pub program: Arc<Program>,
    /// The same ruleset, compiled with coverage counters.
    pub instrumented: Arc<Program>,
    /// Number of seats.
    pub seats: u8,
    /// Options of all matches.
    pub options: Vec<(ShortText, Datum)>,
    /// Bots, which rotate through the seats. Without any, all seats play at random.
    pub bots: Vec<String>,
    /// Decks that rotate through the seats.
    pub decks: Option<DeckSet>,
    /// Seed of the first match.
    pub seed: u64,
    /// Number of matches.
    pub matches: u64,
    /// Number of inputs after which a match is stopped.
    pub max_inputs: u32,
}

/// Reason why an experiment cannot run.
#[derive(Debug)]
pub enum ExperimentError {
    /// A match cannot start.
    Start(StartError),
    /// A bot is unknown.
    Bot(NoSuchBot),
    /// The number of bots differs from the number of seats.
    Bots {
        /// Number of bots.
        bots: usize,
        /// Number of seats.
        seats: u8,
    },
}

impl From<StartError> for ExperimentError {
    fn from(error: StartError) -> ExperimentError {
        ExperimentError::Start(error)
    }
}

impl From<NoSuchBot> for ExperimentError {
    fn from(error: NoSuchBot) -> ExperimentError {
        ExperimentError::Bot(error)
    }
}

impl Experiment {
    /// Creates an experiment of a thousand random matches from seed 0.
    #[must_use]
    pub fn new(program: &Arc<Program>, instrumented: &Arc<Program>) -> Experiment {
        Experiment {
            program: Arc::clone(program),
            instrumented: Arc::clone(instrumented),
            seats: program.seats.default,
            options: Vec::new(),
            bots: Vec::new(),
            decks: None,
            seed: 0,
            matches: 1000,
            max_inputs: InputMix::orderly().max_inputs,
        }
    }

    /// Checks that matches can start. A rule that fails at once is not an error, since that may depend on the seed.
    ///
    /// # Errors
    ///
    /// Fails if a match cannot start.
    pub fn check(&self) -> Result<(), ExperimentError> {
        self.bot_players()?;
        let bots = self.bots.len();
        if bots > 1 && bots != usize::from(self.seats) {
            return Err(ExperimentError::Bots { bots, seats: self.seats });
        }
        // Each deck is used within this many matches. A deck is valid or not, whichever seat gets it.
        let turns = self.decks.as_ref().map_or(1, |decks| decks.list.len() as u64) * (bots as u64).max(1);
        for seed in (0..turns).map(|turn| self.seed.wrapping_add(turn)) {
            match Match::start(Arc::clone(&self.program), &self.setup(seed), &mut EventLog::discard()) {
                Ok(_) | Err(StartError::Fault(_)) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    /// Returns the setup of the match of a seed.
    #[must_use]
    pub fn setup(&self, seed: u64) -> Setup {
        let mut setup = setup(&self.program, seed, &self.options);
        setup.seats = self.seats;
        if let Some(decks) = &self.decks {
            let given = self.decks_at(seed).into_iter().map(|deck| decks.list[deck].value.clone()).collect();
            setup.options.retain(|(name, _)| *name != decks.option);
            setup.options.push((decks.option.clone(), Datum::List(given)));
        }
        setup
    }

    /// Returns the seats of each team; `None` if the ruleset has no teams.
    #[must_use]
    pub fn teams(&self) -> Option<Vec<Vec<u8>>> {
        let teams = MatchTerms::of(&self.program, &self.setup(self.seed)).ok()?.teams?;
        let mut seats = vec![Vec::new(); teams.iter().max().map_or(0, |last| usize::from(*last) + 1)];
        (0u8..).zip(teams).for_each(|(seat, team)| seats[usize::from(team)].push(seat));
        Some(seats)
    }

    /// Returns the bot number of each seat in the match of a seed. Bots rotate.
    #[must_use]
    pub fn bots_at(&self, seed: u64) -> Vec<usize> {
        match self.bots.len() as u64 {
            0 => Vec::new(),
            1 => vec![0; usize::from(self.seats)],
            bots => (0..u64::from(self.seats)).map(|seat| ((seat + seed % bots) % bots) as usize).collect(),
        }
    }

    /// Returns the deck number of each seat in the match of a seed. Decks change after each full rotation of the bots.
    #[must_use]
    pub fn decks_at(&self, seed: u64) -> Vec<usize> {
        let rounds = seed / (self.bots.len() as u64).max(1);
        self.decks.as_ref().map(|decks| decks.dealt(rounds, usize::from(self.seats))).unwrap_or_default()
    }

    /// Creates the bots; `None` for random ones.
    fn bot_players(&self) -> Result<Vec<Option<Bot>>, NoSuchBot> {
        self.bots.iter().map(|name| bots::bot_named(name)).collect()
    }
}
