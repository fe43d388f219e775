//! Bots by their names, for seats of simulated matches.

use std::time::{Duration, Instant};

use intermezzo_bots::{Bot, BotKind, NoSuchBot};
use intermezzo_engine::{Answer, InputId, Match};

/// The name of a bot that answers by chance.
pub const BY_CHANCE: &str = "random";

/// The full name of a bot that may be called by its first letter.
///
/// # Errors
///
/// If there is none of that name.
pub fn full_name(name: &str) -> Result<String, NoSuchBot> {
    let (first, budget) = name.split_once(':').map_or((name, None), |(first, budget)| (first, Some(budget)));
    let long = match first {
        "r" => BY_CHANCE,
        "g" => "greedy",
        "m" => "mcts",
        other => other,
    };
    let long = budget.map_or_else(|| long.to_owned(), |budget| format!("{long}:{budget}"));
    long.parse::<BotKind>().map(|kind| kind.to_string())
}

/// The bot of that name; nothing for one that does not think.
///
/// # Errors
///
/// If there is none of that name.
pub(crate) fn thinker(name: &str) -> Result<Option<Bot>, NoSuchBot> {
    Ok(match name.parse::<BotKind>()? {
        BotKind::Random => None,
        kind => Some(Bot::new(kind, 0)),
    })
}

/// The answer of a bot, by the clock if its budget is one of time.
pub(crate) fn answer(bot: &mut Bot, game: &Match, input: InputId) -> Option<Answer> {
    let begun = Instant::now();
    let mut is_up = |most: u32| begun.elapsed() >= Duration::from_millis(u64::from(most));
    bot.answer(game, input, &mut is_up)
}
