//! Bots by their names, for seats of simulated matches.

use std::fmt;

use intermezzo_bots::Greedy;
use intermezzo_engine::{Answer, InputId, Match};
use intermezzo_ruleset::{Hidden, Program};

/// The names of all bots, the simplest first. The first letter of each will do.
pub const BOTS: &[&str] = &["random", "greedy"];

/// A player who thinks before it answers. Whoever does not is played for by chance.
#[derive(Clone, Debug)]
pub enum Bot {
    /// Looks one step ahead.
    Greedy(Box<Greedy>),
}

/// Why a bot cannot play.
#[derive(Clone, Debug)]
pub enum NoBot {
    /// There is none of that name.
    Unknown {
        /// What was asked for.
        name: String,
    },
    /// It would see what is hidden.
    Hidden {
        /// The bot.
        name: String,
        /// What it would see.
        hidden: Hidden,
    },
}

impl fmt::Display for NoBot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NoBot::Unknown { name } => write!(f, "there is no bot called `{name}`"),
            NoBot::Hidden { name, hidden } => write!(f, "`{name}` cannot play this: {hidden}"),
        }
    }
}

impl std::error::Error for NoBot {}

impl Bot {
    /// The full name of a bot that may be called by its first letter.
    ///
    /// # Errors
    ///
    /// If there is none of that name.
    pub fn full_name(name: &str) -> Result<String, NoBot> {
        let is_it = |known: &&&str| **known == name || known.get(..1) == Some(name);
        let found = BOTS.iter().find(is_it).map(|name| (*name).to_owned());
        found.ok_or_else(|| NoBot::Unknown { name: name.to_owned() })
    }

    /// The bot of that name; nothing for one that does not think.
    ///
    /// # Errors
    ///
    /// If there is none of that name, or it cannot play this ruleset.
    pub fn named(name: &str, program: &Program) -> Result<Option<Bot>, NoBot> {
        match Bot::full_name(name)?.as_str() {
            "greedy" => {
                let greedy = Greedy::new(program, 0)
                    .map_err(|hidden| NoBot::Hidden { name: name.to_owned(), hidden })?;
                Ok(Some(Bot::Greedy(Box::new(greedy))))
            }
            _ => Ok(None),
        }
    }

    /// Begins again with another seed.
    pub fn reseed(&mut self, seed: u64) {
        match self {
            Bot::Greedy(greedy) => greedy.reseed(seed),
        }
    }

    /// The answer to an open question; nothing if it is not open or has no legal answer.
    pub fn answer(&mut self, game: &Match, input: InputId) -> Option<Answer> {
        match self {
            Bot::Greedy(greedy) => greedy.answer(game, input),
        }
    }
}
