//! Bots for simulated matches, by name. They play the same for the same seed.

use intermezzo_bots::{Bot, BotKind, Budget, NoSuchBot};

/// Name of the bot that answers at random.
pub const RANDOM_BOT: &str = "random";

/// Returns the full name of a bot, which may be abbreviated to its first letter.
///
/// # Errors
///
/// Fails if no bot has that name.
pub fn full_name(name: &str) -> Result<String, NoSuchBot> {
    let (first, budget) = name.split_once(':').map_or((name, None), |(first, budget)| (first, Some(budget)));
    let long = match first {
        "r" => RANDOM_BOT,
        "g" => "greedy",
        "m" => "mcts",
        other => other,
    };
    let long = budget.map_or_else(|| long.to_owned(), |budget| format!("{long}:{budget}"));
    match long.parse::<BotKind>()? {
        // Results must not depend on the load of the machine, so a time budget is not allowed.
        BotKind::Mcts(Budget::Milliseconds(_)) => Err(NoSuchBot),
        kind => Ok(kind.to_string()),
    }
}

/// Creates the bot of that name; `None` for the random bot, which needs no state.
///
/// # Errors
///
/// Fails if no bot has that name.
pub(crate) fn bot_named(name: &str) -> Result<Option<Bot>, NoSuchBot> {
    Ok(match name.parse::<BotKind>()? {
        BotKind::Random => None,
        kind => Some(Bot::new(kind, 0)),
    })
}
