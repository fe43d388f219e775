//! Bots of environments, by name.

use std::time::{Duration, Instant};

use intermezzo_bots::{BotKind, NoSuchBot};
use intermezzo_engine::{Answer, Match, PendingQuestion};

/// Names of all bots. A searching bot takes a budget, as in `mcts:500` or `mcts:200ms`.
pub const BOTS: [&str; 3] = ["random", "greedy", "mcts"];

/// Bot of an environment. It plays the same for the same seed, unless its budget is time.
#[derive(Clone, Debug)]
pub struct EnvBot {
    bot: intermezzo_bots::Bot,
}

/// Error: unknown bot.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("unknown bot `{name}`; {NoSuchBot}")]
pub struct BotError {
    /// Given name.
    pub name: String,
}

impl EnvBot {
    /// Creates the bot with that name.
    ///
    /// # Errors
    ///
    /// Returns an error if the name is unknown.
    pub fn named(name: &str, seed: u64) -> Result<EnvBot, BotError> {
        let kind = name.parse::<BotKind>().map_err(|NoSuchBot| BotError { name: name.to_owned() })?;
        Ok(EnvBot { bot: intermezzo_bots::Bot::new(kind, seed) })
    }

    /// Restarts the bot with another seed.
    pub fn reseed(&mut self, seed: u64) {
        self.bot.reseed(seed);
    }

    /// Returns its answer to an open question; `None` if there is no legal one.
    pub fn answer(&mut self, game: &Match, pending: &PendingQuestion<'_>) -> Option<Answer> {
        let started = Instant::now();
        let mut is_time_up = |most: u32| started.elapsed() >= Duration::from_millis(u64::from(most));
        self.bot.answer(game, pending.id(), &mut is_time_up)
    }
}
