//! Players that are programs, by their names.

use std::fmt;

use intermezzo_bots::{Greedy, Random, at_random};
use intermezzo_engine::{Answer, Match, Pending};
use intermezzo_ruleset::{Hidden, Program};

/// The names of all bots.
pub const BOTS: [&str; 2] = ["random", "greedy"];

/// A player that is a program; the same for the same seed.
#[derive(Clone, Debug)]
pub enum Bot {
    /// Answers by chance.
    Random(Random),
    /// Looks one step ahead.
    Greedy(Greedy),
}

/// Why there is no such bot.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum BotError {
    /// None has that name.
    Unknown {
        /// The name given.
        name: String,
    },
    /// It would see what is hidden.
    Hidden(Hidden),
}

impl fmt::Display for BotError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BotError::Unknown { name } => write!(f, "unknown bot `{name}`; there are {}", BOTS.join(", ")),
            BotError::Hidden(hidden) => {
                write!(f, "this bot plays only where nothing is hidden, but {hidden}")
            }
        }
    }
}

impl std::error::Error for BotError {}

impl Bot {
    /// The bot with that name, to play that ruleset.
    ///
    /// # Errors
    ///
    /// If there is none, or it would see what is hidden.
    pub fn named(name: &str, program: &Program, seed: u64) -> Result<Bot, BotError> {
        match name {
            "random" => Ok(Bot::Random(Random::new(seed))),
            "greedy" => Greedy::new(program, seed).map(Bot::Greedy).map_err(BotError::Hidden),
            _ => Err(BotError::Unknown { name: name.to_owned() }),
        }
    }

    /// Begins again with another seed.
    pub fn reseed(&mut self, seed: u64) {
        match self {
            Bot::Random(random) => *random = Random::new(seed),
            Bot::Greedy(greedy) => greedy.reseed(seed),
        }
    }

    /// Its answer to an open question; nothing if there is no legal one.
    pub fn answer(&mut self, game: &Match, pending: &Pending<'_>) -> Option<Answer> {
        match self {
            Bot::Random(random) => at_random(pending, random),
            Bot::Greedy(greedy) => greedy.answer(game, pending.id()),
        }
    }
}
