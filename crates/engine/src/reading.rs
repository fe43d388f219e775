//! Reading the board: facts about entities, zones, players and the flow.

use intermezzo_ruleset::{FaultCode, FlowInfo, Info, NULL, Program, PropId, Word, ZoneId, word};

use crate::agenda::Meter;
use crate::board::{Board, NO_DEF, NOBODY};
use crate::tables::{Tables, symbol_word};
use crate::values::present;
use crate::zones::NOWHERE;

type Result<T = Word> = std::result::Result<T, FaultCode>;

pub(crate) fn info(program: &Program, board: &Board, entity: Word, what: Info) -> Result {
    let found = board.live(entity)?;
    Ok(match what {
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
    })
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
    for entity in board.rows.iter().filter(|entity| entity.alive) {
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
