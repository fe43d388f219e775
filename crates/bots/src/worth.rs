//! What a position is worth to a seat.

use intermezzo_engine::{Board, Match};
use intermezzo_ruleset::{KindId, NULL, Program, Seat, Type, Visibility, native, word};

/// Winning is worth more than anything a ruleset can count, losing less.
pub(crate) const WON: i64 = 1 << 50;

/// Worse than losing: the answer is not taken.
pub(crate) const REFUSED: i64 = -2 * WON;

/// A point of a number that players have, where nobody has said what things are worth …
const POINT: i64 = 10;
/// … against having one thing more in sight of all.
const THING: i64 = 3;

/// How a match that is over ended for the seat; nothing if it is not over.
pub(crate) fn result(game: &Match, seat: Seat) -> Option<i64> {
    let ending = game.ending()?;
    Some(match (ending.winners.contains(&seat), ending.losers.contains(&seat)) {
        (true, _) => WON,
        (false, true) => -WON,
        (false, false) => 0,
    })
}

/// How it ended if it has; else what the ruleset says, or what can be said of any.
pub(crate) fn worth(game: &Match, seat: Seat) -> i64 {
    if let Some(result) = result(game, seat) {
        return result;
    }
    let declared = match game.program().worth {
        Some(routine) => game.evaluate(routine, &[word::player(seat)]).ok().map(|(worth, _)| worth),
        None => Some(generic(game.program(), game.board(), seat)),
    };
    declared.map_or(0, |worth| worth.clamp(-WON + 1, WON - 1))
}

/// What anybody would guess: it is good to have more than the others of what players are seen to have, numbers that are
/// not spent and things that lie open.
fn generic(program: &Program, board: &Board, seat: Seat) -> i64 {
    let seats = i64::from(board.seats());
    let own = standing(program, board, seat).saturating_mul(seats - 1);
    let others = (0..board.seats()).map(Seat).filter(|other| *other != seat);
    others.fold(own, |worth, other| worth.saturating_sub(standing(program, board, other)))
}

fn standing(program: &Program, board: &Board, seat: Seat) -> i64 {
    let player = word::player(seat);
    let mut standing = 0_i64;
    for id in &program.kinds[KindId::PLAYER.index()].props {
        let prop = &program.props[id.index()];
        let is_open = matches!(prop.visible, Visibility::All) && prop.name != native::KNOWN;
        let is_number = program.types[prop.ty.index()] == Type::Int;
        if is_open && is_number && !prop.resource && prop.derived.is_none() {
            let value = board.column(player, prop.column).filter(|value| *value != NULL).unwrap_or(0);
            standing = standing.saturating_add(value.saturating_mul(POINT));
        }
    }
    let zones = program.kinds[KindId::PLAYER.index()].zones.iter();
    for zone in zones.filter(|zone| matches!(program.zones[zone.index()].visible, Visibility::All)) {
        let name = program.symbol(program.zones[zone.index()].name);
        let count =
            board.zone_named(program, player, name).map_or(0, |zone| board.zone_contents(zone).count());
        standing = standing.saturating_add(count as i64 * THING);
    }
    standing
}
