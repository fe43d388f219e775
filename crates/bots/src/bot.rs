//! Kinds of bots and their names.

use std::fmt;
use std::str::FromStr;

use intermezzo_engine::{Answer, InputId, Match};

use crate::greedy::Greedy;
use crate::policy::random_answer;
use crate::random::Random;
use crate::search::Searcher;

/// Budget of a searching bot, per answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Budget {
    /// Number of playouts.
    Playouts(u32),
    /// Milliseconds, measured by the caller.
    Milliseconds(u32),
}

impl Default for Budget {
    fn default() -> Budget {
        Budget::Playouts(100)
    }
}

/// Kind of bot.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BotKind {
    /// Answers at random.
    Random,
    /// Looks one step ahead.
    Greedy,
    /// Searches with playouts.
    Mcts(Budget),
}

/// Error: not the name of a bot.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NoSuchBot;

impl fmt::Display for NoSuchBot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("bots are `random`, `greedy` and `mcts`, with a budget as in `mcts:500` or `mcts:200ms`")
    }
}

impl std::error::Error for NoSuchBot {}

impl FromStr for BotKind {
    type Err = NoSuchBot;

    fn from_str(text: &str) -> Result<BotKind, NoSuchBot> {
        match text {
            "random" => return Ok(BotKind::Random),
            "greedy" => return Ok(BotKind::Greedy),
            "mcts" => return Ok(BotKind::Mcts(Budget::default())),
            _ => {}
        }
        let budget = text.strip_prefix("mcts:").ok_or(NoSuchBot)?;
        let number = |text: &str| text.parse::<u32>().ok().filter(|number| *number > 0).ok_or(NoSuchBot);
        Ok(BotKind::Mcts(match budget.strip_suffix("ms") {
            Some(milliseconds) => Budget::Milliseconds(number(milliseconds)?),
            None => Budget::Playouts(number(budget)?),
        }))
    }
}

impl fmt::Display for BotKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BotKind::Random => f.write_str("random"),
            BotKind::Greedy => f.write_str("greedy"),
            BotKind::Mcts(Budget::Playouts(playouts)) => write!(f, "mcts:{playouts}"),
            BotKind::Mcts(Budget::Milliseconds(milliseconds)) => write!(f, "mcts:{milliseconds}ms"),
        }
    }
}

/// Bot at a seat.
#[derive(Clone, Debug)]
pub enum Bot {
    /// Answers at random.
    Random(Random),
    /// Looks one step ahead.
    Greedy(Greedy),
    /// Searches with playouts.
    Mcts(Searcher, Budget),
}

impl Bot {
    /// Creates a bot. It plays the same for the same seed, unless its budget is time.
    #[must_use]
    pub fn new(kind: BotKind, seed: u64) -> Bot {
        match kind {
            BotKind::Random => Bot::Random(Random::new(seed)),
            BotKind::Greedy => Bot::Greedy(Greedy::new(seed)),
            BotKind::Mcts(budget) => Bot::Mcts(Searcher::new(seed), budget),
        }
    }

    /// Restarts the bot with another seed.
    pub fn reseed(&mut self, seed: u64) {
        match self {
            Bot::Random(random) => *random = Random::new(seed),
            Bot::Greedy(greedy) => greedy.reseed(seed),
            Bot::Mcts(searcher, _) => searcher.reseed(seed),
        }
    }

    /// Returns the answer to an open question; `None` if it is not open or has no legal answer. If the
    /// budget is time, `is_time_up` is called with its milliseconds.
    pub fn answer(
        &mut self,
        game: &Match,
        input: InputId,
        is_time_up: &mut dyn FnMut(u32) -> bool,
    ) -> Option<Answer> {
        match self {
            Bot::Random(random) => {
                let pending = game.pending().find(|pending| pending.id() == input)?;
                random_answer(&pending, random)
            }
            Bot::Greedy(greedy) => greedy.answer(game, input),
            Bot::Mcts(searcher, Budget::Playouts(most)) => {
                searcher.answer(game, input, &mut |playouts| playouts < *most)
            }
            Bot::Mcts(searcher, Budget::Milliseconds(most)) => {
                searcher.answer(game, input, &mut |_| !is_time_up(*most))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{BotKind, Budget, NoSuchBot};

    #[test]
    fn bots_are_known_by_name_and_budget() {
        let kind = |text: &str| text.parse::<BotKind>();
        assert_eq!(kind("random"), Ok(BotKind::Random));
        assert_eq!(kind("mcts"), Ok(BotKind::Mcts(Budget::default())));
        assert_eq!(kind("mcts:500"), Ok(BotKind::Mcts(Budget::Playouts(500))));
        assert_eq!(kind("mcts:200ms"), Ok(BotKind::Mcts(Budget::Milliseconds(200))));
        for wrong in ["", "mcts:", "mcts:0", "mcts:-1", "mcts:2s", "Greedy", "human"] {
            assert_eq!(kind(wrong), Err(NoSuchBot), "{wrong}");
        }
        for name in ["random", "greedy", "mcts:500", "mcts:200ms"] {
            assert_eq!(kind(name).map(|kind| kind.to_string()), Ok(name.to_owned()));
        }
    }
}
