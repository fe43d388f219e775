//! Players that are programs, by their names.

use std::fmt;
use std::time::{Duration, Instant};

use intermezzo_bots::{BotKind, NoSuchBot};
use intermezzo_engine::{Answer, Match, Pending};

/// The names of all bots. One that searches may be given a budget, as in `mcts:500` or `mcts:200ms`.
pub const BOTS: [&str; 3] = ["random", "greedy", "mcts"];

/// A player that is a program; the same for the same seed, unless its budget is one of time.
#[derive(Clone, Debug)]
pub struct Bot {
    bot: intermezzo_bots::Bot,
}

/// Why there is no such bot.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BotError {
    /// The name given.
    pub name: String,
}

impl fmt::Display for BotError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "unknown bot `{}`; {NoSuchBot}", self.name)
    }
}

impl std::error::Error for BotError {}

impl Bot {
    /// The bot with that name.
    ///
    /// # Errors
    ///
    /// If there is none.
    pub fn named(name: &str, seed: u64) -> Result<Bot, BotError> {
        let kind = name.parse::<BotKind>().map_err(|NoSuchBot| BotError { name: name.to_owned() })?;
        Ok(Bot { bot: intermezzo_bots::Bot::new(kind, seed) })
    }

    /// Begins again with another seed.
    pub fn reseed(&mut self, seed: u64) {
        self.bot.reseed(seed);
    }

    /// Its answer to an open question; nothing if there is no legal one.
    pub fn answer(&mut self, game: &Match, pending: &Pending<'_>) -> Option<Answer> {
        let begun = Instant::now();
        let mut is_time_up = |most: u32| begun.elapsed() >= Duration::from_millis(u64::from(most));
        self.bot.answer(game, pending.id(), &mut is_time_up)
    }
}
