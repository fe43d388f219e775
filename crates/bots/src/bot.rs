//! Bots by name.

use std::fmt;
use std::str::FromStr;

use intermezzo_engine::{Answer, InputId, Match};

use crate::greedy::Greedy;
use crate::policy::at_random;
use crate::random::Random;
use crate::search::Searcher;

/// How long a bot that searches goes on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Budget {
    /// For so many playings.
    Playings(u32),
    /// For so many milliseconds, by the clock of whoever asks.
    Milliseconds(u32),
}

impl Default for Budget {
    fn default() -> Budget {
        Budget::Playings(100)
    }
}

/// A kind of bot.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BotKind {
    /// Answers by chance.
    Random,
    /// Looks one step ahead.
    Greedy,
    /// Searches.
    Mcts(Budget),
}

/// Not the name of a bot.
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
            None => Budget::Playings(number(budget)?),
        }))
    }
}

impl fmt::Display for BotKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BotKind::Random => f.write_str("random"),
            BotKind::Greedy => f.write_str("greedy"),
            BotKind::Mcts(Budget::Playings(playings)) => write!(f, "mcts:{playings}"),
            BotKind::Mcts(Budget::Milliseconds(milliseconds)) => write!(f, "mcts:{milliseconds}ms"),
        }
    }
}

/// A bot at a seat.
#[derive(Clone, Debug)]
pub enum Bot {
    /// Answers by chance.
    Random(Random),
    /// Looks one step ahead.
    Greedy(Greedy),
    /// Searches.
    Mcts(Searcher, Budget),
}

impl Bot {
    /// A bot that plays the same for the same seed, unless its budget is one of time.
    #[must_use]
    pub fn new(kind: BotKind, seed: u64) -> Bot {
        match kind {
            BotKind::Random => Bot::Random(Random::new(seed)),
            BotKind::Greedy => Bot::Greedy(Greedy::new(seed)),
            BotKind::Mcts(budget) => Bot::Mcts(Searcher::new(seed), budget),
        }
    }

    /// Begins again with another seed.
    pub fn reseed(&mut self, seed: u64) {
        match self {
            Bot::Random(random) => *random = Random::new(seed),
            Bot::Greedy(greedy) => greedy.reseed(seed),
            Bot::Mcts(searcher, _) => searcher.reseed(seed),
        }
    }

    /// The answer to an open question; nothing if it is not open or has no legal answer. `is_time_up` is asked with the
    /// milliseconds of the budget, where it is one of time.
    pub fn answer(
        &mut self,
        game: &Match,
        input: InputId,
        is_time_up: &mut dyn FnMut(u32) -> bool,
    ) -> Option<Answer> {
        match self {
            Bot::Random(random) => {
                let pending = game.pending().find(|pending| pending.id() == input)?;
                at_random(&pending, random)
            }
            Bot::Greedy(greedy) => greedy.answer(game, input),
            Bot::Mcts(searcher, Budget::Playings(most)) => {
                searcher.answer(game, input, &mut |playings| playings < *most)
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
        assert_eq!(kind("mcts:500"), Ok(BotKind::Mcts(Budget::Playings(500))));
        assert_eq!(kind("mcts:200ms"), Ok(BotKind::Mcts(Budget::Milliseconds(200))));
        for wrong in ["", "mcts:", "mcts:0", "mcts:-1", "mcts:2s", "Greedy", "human"] {
            assert_eq!(kind(wrong), Err(NoSuchBot), "{wrong}");
        }
        for name in ["random", "greedy", "mcts:500", "mcts:200ms"] {
            assert_eq!(kind(name).map(|kind| kind.to_string()), Ok(name.to_owned()));
        }
    }
}
