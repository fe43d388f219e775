//! Reading the board: facts about entities, zones, players and the flow.

use intermezzo_ruleset::{
    Action, ActionHost, ActionTiming, DefId, EventId, FaultCode, FlowInfo, Info, KindId, NULL, Program,
    PropId, Type, Word, ZoneId, word,
};

use crate::agenda::Meter;
use crate::board::{Board, Entity, NO_DEF, NOBODY};
use crate::linking::Candidate;
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

/// Adds what a player owns in the instances of a zone that is the players' or nobody's, if there is something to do for it.
pub(crate) fn hosts(
    tables: &Tables,
    board: &Board,
    (zone, table): (ZoneId, u16),
    player: Word,
    out: &mut Vec<Candidate>,
) {
    let turns = &tables.linked.switches[usize::from(table)][..];
    let seat = player.wrapping_sub(1) as u8;
    let mut number = 0;
    while let Some(instance) = instance_of(tables, board, zone, player, number) {
        for row in board.zones.rows(instance) {
            let entity = &board.rows[*row as usize];
            if entity.owner == seat
                && let Some(turn) = turns.get(usize::from(entity.def)).filter(|turn| turn.place != u32::MAX)
            {
                out.push(Candidate { host: word::entity(entity.generation, *row), turn: *turn });
            }
        }
        number += 1;
    }
}
