//! Evaluation of positions.

use intermezzo_engine::{Board, Match};
use intermezzo_program::{KindId, NULL, Program, Seat, Type, Visibility, native, word};

/// Value of a win. It exceeds any evaluation of a ruleset.
pub(crate) const WON: i64 = 1 << 50;

/// Value of a rejected answer: worse than a loss.
pub(crate) const REJECTED: i64 = -2 * WON;

/// Default evaluation: value of one point of a public number of a player …
const POINT: i64 = 10;
/// … and of one more thing in a public zone.
const THING: i64 = 3;

/// Returns the value of a finished match for a seat; `None` if it is not over. A score counts as it is: half a
/// point on average is worth as much as one point in every second match.
pub(crate) fn result(game: &Match, seat: Seat) -> Option<i64> {
    let ending = game.ending()?;
    if let Some(score) = ending.score.as_ref().and_then(|score| score.get(seat.index())) {
        return Some((*score).clamp(-WON + 1, WON - 1));
    }
    Some(match (ending.winners.contains(&seat), ending.losers.contains(&seat)) {
        (true, _) => WON,
        (false, true) => -WON,
        (false, false) => 0,
    })
}

/// Evaluates a match for a seat: its result, the evaluation of the ruleset, or the default evaluation.
pub(crate) fn evaluate(game: &Match, seat: Seat) -> i64 {
    if let Some(result) = result(game, seat) {
        return result;
    }
    let declared = match game.program().evaluation {
        Some(routine) => game.evaluate(routine, &[word::player(seat)]).ok().map(|(worth, _)| worth),
        None => Some(default_evaluation(game.program(), game.board(), seat)),
    };
    declared.map_or(0, |worth| worth.clamp(-WON + 1, WON - 1))
}

/// Evaluates a position without hints of the ruleset: a seat wants more than the others of public numbers
/// that are not resources, and of things in public zones.
fn default_evaluation(program: &Program, board: &Board, seat: Seat) -> i64 {
    let seats = i64::from(board.seats());
    let own = material(program, board, seat).saturating_mul(seats - 1);
    let others = (0..board.seats()).map(Seat).filter(|other| *other != seat);
    others.fold(own, |worth, other| worth.saturating_sub(material(program, board, other)))
}

fn material(program: &Program, board: &Board, seat: Seat) -> i64 {
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
