//! What happens in the midst of code: changes, moves and the like that nobody listens to while nobody keeps the log.
//!
//! It is what [`Machine::change`](crate::happening::Machine::change),
//! [`Machine::relocate`](crate::happening::Machine::relocate) and the lives of other native events come to then,
//! without leaving the interpreter's loop.

use intermezzo_ruleset::{EventId, FaultCode, NULL, PhaseId, Program, Prop, Word, ZoneId, native};

use crate::agenda::Meter;
use crate::board::{Board, PhaseEntry};
use crate::core::{fixed, within};
use crate::tables::Tables;
use crate::zones::NOWHERE;

type Result<T> = std::result::Result<T, FaultCode>;

/// Words of the payloads.
const CHANGED_WORDS: usize = 4;
const MOVED_WORDS: usize = 4;

/// Sets a property whose bounds are fixed, unless it has that value already.
#[inline]
pub(crate) fn change(
    board: &mut Board,
    meter: &mut Meter,
    prop: &Prop,
    entity: Word,
    value: Word,
) -> Result<()> {
    let bounds = (fixed(prop.min).unwrap_or(NULL), fixed(prop.max).unwrap_or(NULL));
    let value = if value == NULL { value } else { within(value, bounds.0, bounds.1) };
    let old = board.cell(board.live(entity)?, prop.column)?;
    if old == value {
        return Ok(());
    }
    meter.next_event()?;
    board.set_cell(entity, prop.column, value)?;
    board.count_change();
    meter.words(CHANGED_WORDS)
}

/// Moves an entity to the front or the end of a zone that renews nothing.
pub(crate) fn relocate(
    program: &Program,
    board: &mut Board,
    meter: &mut Meter,
    entity: Word,
    zone: Word,
    top: bool,
) -> Result<()> {
    let from = board.live(entity)?.zone;
    let instance = board.instance(zone)?;
    meter.next_event()?;
    if !board.has_room(program, instance, entity) {
        return Err(FaultCode::ZoneFull);
    }
    let inside = from == instance && from != NOWHERE;
    let len = board.zones.rows(instance).len() as u32 - u32::from(inside);
    board.put(program, entity, zone, if top { 0 } else { len })?;
    board.count_change();
    meter.words(MOVED_WORDS)
}

/// A native event that changes nothing on the board.
#[inline]
pub(crate) fn happen(program: &Program, board: &mut Board, meter: &mut Meter, event: EventId) -> Result<()> {
    meter.next_event()?;
    board.count_change();
    meter.words(program.events[event.index()].fields.len())
}

/// Begins a phase.
pub(crate) fn enter(
    program: &Program,
    board: &mut Board,
    meter: &mut Meter,
    phase: PhaseId,
    player: Word,
    subject: Word,
) -> Result<()> {
    // An event names its phase: it is the first of that name.
    let name = program.phases[phase.index()].name;
    let first = program.phases.iter().position(|other| other.name == name).ok_or(FaultCode::Missing)?;
    let number = (board.changes + 1) as u32;
    board.enter(PhaseEntry { number, phase: PhaseId(first as u16), player, subject });
    happen(program, board, meter, native::PHASE_STARTED)
}

/// Ends the innermost phase, if there is one.
pub(crate) fn leave(program: &Program, board: &mut Board, meter: &mut Meter) -> Result<()> {
    if board.phases.is_empty() {
        return Ok(());
    }
    board.leave();
    happen(program, board, meter, native::PHASE_ENDED)
}

/// Removes what lies on the stack.
pub(crate) fn remove(program: &Program, board: &mut Board, meter: &mut Meter, item: Word) -> Result<()> {
    board.remove(item)?;
    happen(program, board, meter, native::REMOVED)
}

/// Whether what comes into the zone stays what it is.
#[inline]
pub(crate) fn keeps(program: &Program, board: &Board, zone: Word) -> bool {
    let head = u32::try_from(zone).ok().and_then(|zone| board.zones.head(zone));
    head.is_some_and(|head| !program.zones[head.family.index()].renews)
}

/// How many items lie on the stack.
#[inline]
pub(crate) fn stack_height(tables: &Tables, board: &Board) -> usize {
    let zone = u32::try_from(tables.single(ZoneId::STACK));
    zone.map_or(0, |zone| board.zones.rows(zone).len())
}
