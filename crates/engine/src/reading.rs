//! Reading the board: facts about entities, zones, players and the flow.

use intermezzo_ruleset::{
    Action, ActionHost, ActionTiming, DefId, EventId, FaultCode, FlowInfo, Info, KindId, NULL, Program,
    PropId, Type, Word, ZoneId, word,
};

use crate::agenda::Meter;
use crate::board::{Board, Entity, NO_DEF, NOBODY};
use crate::tables::{Tables, symbol_word};
use crate::values::present;
use crate::zones::NOWHERE;

type Result<T = Word> = std::result::Result<T, FaultCode>;

pub(crate) fn info(program: &Program, board: &Board, entity: Word, found: &Entity, what: Info) -> Word {
    match what {
        Info::Def if found.def == NO_DEF => NULL,
        Info::Def => symbol_word(program.defs[usize::from(found.def)].name),
        Info::Owner | Info::Controller if found.owner == NOBODY => NULL,
        Info::Owner | Info::Controller => Word::from(found.owner) + 1,
        Info::Zone | Info::Index if found.zone == NOWHERE => NULL,
        Info::Zone => Word::from(found.zone),
        Info::Index => Word::from(found.index),
        Info::Host => found.host,
        Info::Seat if board.is_player(entity) => entity - 1,
        Info::Seat => NULL,
    }
}

/// The property of that name an existing entity has.
pub(crate) fn named(tables: &Tables, board: &Board, entity: Word, name: Word) -> Result<PropId> {
    let kind = board.live(entity)?.kind;
    tables.prop(kind, present(name)?).ok_or(FaultCode::NoSuchProperty)
}

pub(crate) fn zone_host(board: &Board, zone: Word) -> Result {
    let instance = board.instance(zone)?;
    let host = board.zones.head(instance).map_or(NOWHERE, |head| head.host);
    Ok(if host == NOWHERE { NULL } else { board.reference(host) })
}

pub(crate) fn is_zone(board: &Board, value: Word, zone: ZoneId) -> Word {
    let head = u32::try_from(value).ok().and_then(|zone| board.zones.head(zone));
    Word::from(head.is_some_and(|head| head.family == zone))
}

pub(crate) fn zone_get(board: &Board, zone: Word, index: Word) -> Result {
    let rows = board.zones.rows(board.instance(zone)?);
    let row = usize::try_from(index).ok().and_then(|index| rows.get(index));
    Ok(row.map_or(NULL, |row| board.reference(*row)))
}

pub(crate) fn zone_list(board: &mut Board, meter: &mut Meter, zone: Word) -> Result {
    let instance = board.instance(zone)?;
    let Board { rows, zones, heap, .. } = board;
    let inside = zones.rows(instance);
    meter.steps(inside.len())?;
    let reference = |row: &u32| word::entity(rows[*row as usize].generation, *row);
    heap.new_list_of(inside.len(), inside.iter().map(reference))
}

pub(crate) fn all_in_zone(
    tables: &Tables,
    board: &mut Board,
    meter: &mut Meter,
    zone: ZoneId,
    building: &mut Vec<Word>,
) -> Result {
    let single = tables.single(zone);
    if single != NULL {
        return zone_list(board, meter, single);
    }
    let mark = building.len();
    // The players' rows come first.
    let hosts = if tables.is_of_players(zone) { 1 + usize::from(board.seats) } else { board.rows.len() };
    for entity in board.rows[..hosts].iter().filter(|entity| entity.alive) {
        meter.steps(1)?;
        let Some(slot) = tables.slot(entity.kind, zone) else {
            continue;
        };
        let inside = board.zones.rows(entity.zones + slot);
        meter.steps(inside.len())?;
        building.extend(inside.iter().map(|row| board.reference(*row)));
    }
    crate::lists::finish(&mut board.heap, building, mark as Word)
}

pub(crate) fn player_after(board: &Board, player: Word, steps: impl Into<Word>) -> Result {
    let seat = player_seat(board, player)?;
    let seats = Word::from(board.seats);
    Ok((seat + steps.into()).rem_euclid(seats) + 1)
}

pub(crate) fn players_from(board: &mut Board, player: Word) -> Result {
    let first = player_seat(board, player)?;
    let seats = Word::from(board.seats);
    let players = (0..seats).map(|step| (first + step) % seats + 1);
    board.heap.new_list_of(seats as usize, players)
}

fn player_seat(board: &Board, player: Word) -> Result {
    present(player)?;
    if board.is_player(player) { Ok(player - 1) } else { Err(FaultCode::OutOfRange) }
}

pub(crate) fn flow(program: &Program, board: &Board, what: FlowInfo) -> Word {
    let innermost = |pick: fn(&crate::board::PhaseEntry) -> Word| {
        board.phases.iter().rev().map(pick).find(|value| *value != NULL).unwrap_or(NULL)
    };
    match what {
        FlowInfo::Active => innermost(|entry| entry.player),
        FlowInfo::Subject => innermost(|entry| entry.subject),
        FlowInfo::Phase => {
            board.phases.last().map_or(NULL, |entry| symbol_word(program.phases[entry.phase.index()].name))
        }
        FlowInfo::Changes => board.changes,
    }
}

pub(crate) fn in_phase(program: &Program, board: &Board, phase: Word) -> Word {
    let under_way =
        board.phases.iter().any(|entry| symbol_word(program.phases[entry.phase.index()].name) == phase);
    Word::from(under_way)
}

/// All entities an item on the stack is aimed at.
pub(crate) fn targets(
    program: &Program,
    tables: &Tables,
    board: &mut Board,
    item: Word,
    building: &mut Vec<Word>,
) -> Result {
    let found = *board.live(item)?;
    let mark = building.len();
    let params =
        tables.action_of(found.def).map_or(&[][..], |action| &program.actions[action.index()].params);
    for param in params {
        let value = board.cell(&found, program.props[param.prop.index()].column)?;
        let is_entity = |ty: &Type| matches!(ty, Type::Entity | Type::Kind(_));
        match &program.types[param.ty.index()] {
            Type::List(of) if is_entity(&program.types[of.index()]) => {
                building.extend_from_slice(board.heap.list(value).unwrap_or(&[]));
            }
            ty if is_entity(ty) && value != NULL => building.push(value),
            _ => {}
        }
    }
    crate::lists::finish(&mut board.heap, building, mark as Word)
}

/// Whether what an item on the stack does can bring about the event.
pub(crate) fn does(program: &Program, tables: &Tables, board: &Board, item: Word, event: EventId) -> Result {
    let def = board.live(item)?.def;
    let emits = tables.action_of(def).map_or(&[][..], |action| &program.actions[action.index()].emits);
    Ok(Word::from(emits.contains(&event)))
}

/// The abilities of an entity, by name.
pub(crate) fn abilities(
    program: &Program,
    board: &mut Board,
    entity: Word,
    building: &mut Vec<Word>,
) -> Result {
    let def = board.live(entity)?.def;
    let mark = building.len();
    let is_own = |action: &&Action| {
        action.timing == ActionTiming::Called && action.host == ActionHost::Def(DefId(def))
    };
    building.extend(program.actions.iter().filter(is_own).map(|action| symbol_word(action.name)));
    crate::lists::finish(&mut board.heap, building, mark as Word)
}

pub(crate) fn has_tag(program: &Program, ability: Word, tag: Word) -> Word {
    let found = crate::offers::ability(program, ability).map(|at| &program.actions[at.index()]);
    let is_tag = |symbol: &intermezzo_ruleset::Symbol| symbol_word(*symbol) == tag;
    Word::from(found.is_some_and(|action| action.tags.iter().any(is_tag)))
}

/// The zone of the family with that name that belongs to entity, or to nobody.
pub(crate) fn zone_named(
    program: &Program,
    tables: &Tables,
    board: &Board,
    entity: Word,
    name: Word,
) -> Result {
    let is_it = |zone: &intermezzo_ruleset::Zone| symbol_word(zone.name) == name;
    let family = program.zones.iter().position(is_it).ok_or(FaultCode::OutOfRange)?;
    let family = ZoneId(family as u16);
    match tables.single(family) {
        NULL => board.zone_of(tables, entity, family),
        single => Ok(single),
    }
}

pub(crate) fn is_zone_named(program: &Program, board: &Board, value: Word, name: Word) -> Word {
    let head = u32::try_from(value).ok().and_then(|zone| board.zones.head(zone));
    Word::from(head.is_some_and(|head| symbol_word(program.zones[head.family.index()].name) == name))
}

/// The instances of a zone family that is the players' or nobody's by number, the player's own first.
#[inline]
pub(crate) fn instance_of(
    tables: &Tables,
    board: &Board,
    zone: ZoneId,
    player: Word,
    number: usize,
) -> Option<u32> {
    let single = tables.single(zone);
    if single != NULL {
        return (number == 0).then_some(single as u32);
    }
    let slot = tables.slot(KindId::PLAYER, zone)?;
    // Players come in order: the others are those before and those after the player.
    let own = word::row(player);
    let row = match number as u32 {
        0 => own,
        number if number < own => number,
        number => number + 1,
    };
    (number < usize::from(board.seats)).then(|| board.rows[row as usize].zones + slot)
}

/// The next thing a player owns in the instances of a zone that is the players' or nobody's, for which there is something
/// to do, and where that is. The loop is the number of the instance, the next place in it, and the instance itself; nulls
/// are where it begins, and how it is left. Gates that are known to be shut are passed over.
pub(crate) fn next_host(
    tables: &Tables,
    board: &Board,
    (zone, table): (ZoneId, u16),
    player: Word,
    iter: &mut [Word; 3],
    gates: &[Word],
) -> Option<(Word, u32)> {
    let turns = tables.linked.switches.get(usize::from(table))?;
    let seat = player.wrapping_sub(1) as u8;
    loop {
        if iter[2] != NULL {
            let rows = board.zones.rows(iter[2] as u32);
            let mut at = iter[1] as usize;
            while at < rows.len() {
                let row = rows[at];
                at += 1;
                let entity = &board.rows[row as usize];
                if entity.owner != seat {
                    continue;
                }
                let Some(turn) = turns.get(usize::from(entity.def)) else { continue };
                let place = match gates.get(usize::from(turn.gate)) {
                    Some(0) => continue,
                    Some(1) => turn.open,
                    _ => turn.place,
                };
                if place != u32::MAX {
                    iter[1] = at as Word;
                    return Some((word::entity(entity.generation, row), place));
                }
            }
        }
        if !next_instance(tables, board, zone, player, iter) {
            return None;
        }
    }
}

/// Goes on to the next instance of a zone that holds something of the player's; false if there is none.
#[inline(never)]
fn next_instance(tables: &Tables, board: &Board, zone: ZoneId, player: Word, iter: &mut [Word; 3]) -> bool {
    let mut number = if iter[2] == NULL { 0 } else { iter[0] as usize + 1 };
    while let Some(found) = instance_of(tables, board, zone, player, number) {
        let is_own = |row: &u32| Word::from(board.rows[*row as usize].owner) + 1 == player;
        if board.zones.rows(found).iter().any(is_own) {
            *iter = [number as Word, 0, Word::from(found)];
            return true;
        }
        number += 1;
    }
    *iter = [NULL; 3];
    false
}
