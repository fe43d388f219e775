//! Evaluation of positions.

use intermezzo_engine::{Board, Match};
use intermezzo_program::{KindId, NULL, Program, Seat, Type, Visibility, Word, native, word};

/// Value of a win. It exceeds any evaluation of a ruleset.
pub(crate) const WON: i64 = 1 << 50;

/// Value of a rejected answer: worse than a loss.
pub(crate) const REJECTED: i64 = -2 * WON;

/// Default evaluation: value of one point of a public number of a player …
const POINT: i64 = 10;
/// … and of one more thing in a public zone.
const THING: i64 = 3;

/// Returns the value of a finished match for a seat; `None` if it is not over. A score counts as it is: half a
/// point on average is worth as much as one point in every second match. The scores of a team are added.
pub(crate) fn result(game: &Match, seat: Seat) -> Option<i64> {
    let ending = game.ending()?;
    if let Some(score) = &ending.score {
        let sides = Sides::of(game);
        let own = (0u8..).zip(score).filter(|(other, _)| sides.are_together(seat, Seat(*other)));
        let total = own.fold(0_i64, |total, (_, score)| total.saturating_add(*score));
        return Some(total.clamp(-WON + 1, WON - 1));
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
        None => Some(default_evaluation(game, seat)),
    };
    declared.map_or(0, |worth| worth.clamp(-WON + 1, WON - 1))
}

/// Team of each seat; every seat is alone in rulesets without teams.
struct Sides(Option<Vec<u8>>);

impl Sides {
    fn of(game: &Match) -> Sides {
        Sides(game.teams())
    }

    fn are_together(&self, one: Seat, other: Seat) -> bool {
        let same = |teams: &Vec<u8>| teams.get(one.index()) == teams.get(other.index());
        one == other || self.0.as_ref().is_some_and(same)
    }
}

/// Evaluates a position without hints of the ruleset: a seat wants that its team has more than the other seats of public
/// numbers that are not resources, and of things in public zones.
fn default_evaluation(game: &Match, seat: Seat) -> i64 {
    let (program, board) = (game.program(), game.board());
    let sides = Sides::of(game);
    let seats = || (0..board.seats()).map(Seat);
    let (own, others): (Vec<Seat>, Vec<Seat>) = seats().partition(|other| sides.are_together(seat, *other));
    let total = |seats: &[Seat]| {
        let parts = seats.iter().flat_map(|seat| {
            let player = word::player(*seat);
            let team = program.teams.and_then(|rules| {
                let team = board.column(player, program.props[rules.prop.index()].column)?;
                Some(material(program, board, team, rules.kind))
            });
            [Some(material(program, board, player, KindId::PLAYER)), team]
        });
        parts.flatten().fold(0_i64, i64::saturating_add)
    };
    let worth = total(&own).saturating_mul((others.len() as i64).max(1));
    worth.saturating_sub(total(&others).saturating_mul(own.len() as i64))
}

/// Returns the worth of the public numbers and things of a player or team.
fn material(program: &Program, board: &Board, holder: Word, kind: KindId) -> i64 {
    let mut standing = 0_i64;
    for id in &program.kinds[kind.index()].props {
        let prop = &program.props[id.index()];
        let is_open = matches!(prop.visible, Visibility::All) && prop.name != native::KNOWN;
        let is_number = program.types[prop.ty.index()] == Type::Int;
        if is_open && is_number && !prop.resource && prop.derived.is_none() {
            let value = board.column(holder, prop.column).filter(|value| *value != NULL).unwrap_or(0);
            standing = standing.saturating_add(value.saturating_mul(POINT));
        }
    }
    let zones = program.kinds[kind.index()].zones.iter();
    for zone in zones.filter(|zone| matches!(program.zones[zone.index()].visible, Visibility::All)) {
        let name = program.symbol(program.zones[zone.index()].name);
        let count =
            board.zone_named(program, holder, name).map_or(0, |zone| board.zone_contents(zone).count());
        standing = standing.saturating_add(count as i64 * THING);
    }
    standing
}
