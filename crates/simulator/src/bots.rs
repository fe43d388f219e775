//! Bots by their names, for seats of simulated matches: those that play the same for the same seed.

use intermezzo_bots::{Bot, BotKind, Budget, NoSuchBot};

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
    match long.parse::<BotKind>()? {
        // What is found must not depend on how busy the machine was.
        BotKind::Mcts(Budget::Milliseconds(_)) => Err(NoSuchBot),
        kind => Ok(kind.to_string()),
    }
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
