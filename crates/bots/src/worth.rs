//! What a position is worth to a seat.

use intermezzo_engine::Match;
use intermezzo_ruleset::{Seat, word};

/// Winning is worth more than anything a ruleset can count, losing less.
const WON: i64 = 1 << 50;

/// Worse than losing: the answer is not taken.
pub(crate) const REFUSED: i64 = -2 * WON;

/// What the ruleset says, or how it ended if it has.
pub(crate) fn worth(game: &Match, seat: Seat) -> i64 {
    if let Some(ending) = game.ending() {
        return match (ending.winners.contains(&seat), ending.losers.contains(&seat)) {
            (true, _) => WON,
            (false, true) => -WON,
            (false, false) => 0,
        };
    }
    let declared =
        game.program().worth.and_then(|routine| game.evaluate(routine, &[word::player(seat)]).ok());
    declared.map_or(0, |(worth, _)| worth.clamp(-WON + 1, WON - 1))
}
