//! Fast path without a log: changes, moves and other native events without listeners, while no log is
//! recorded.
//!
//! The results equal those of [`Machine::change`](crate::run::effects::Machine::change),
//! [`Machine::move_entity`](crate::run::effects::Machine::move_entity) and the event life cycle, but the code stays
//! inside the interpreter's loop.

use intermezzo_program::{EventId, FaultCode, NULL, PhaseId, Program, Prop, Word, ZoneId, native};

use crate::optimize::program_index::ProgramIndex;
use crate::run::evaluator::{clamp_to, constant_bound};
use crate::run::frames::Meter;
use crate::storage::board::{Board, PhaseEntry};
use crate::storage::zones::NOWHERE;

type Result<T> = std::result::Result<T, FaultCode>;

/// Number of payload words.
const CHANGED_WORDS: usize = 4;
const MOVED_WORDS: usize = 4;

/// Sets a property with constant bounds, unless it already has that value.
#[inline]
pub(crate) fn change(
    board: &mut Board,
    meter: &mut Meter,
    prop: &Prop,
    entity: Word,
    value: Word,
) -> Result<()> {
    let bounds = (constant_bound(prop.min).unwrap_or(NULL), constant_bound(prop.max).unwrap_or(NULL));
    let value = if value == NULL { value } else { clamp_to(value, bounds.0, bounds.1) };
    let old = board.cell(board.live(entity)?, prop.column)?;
    if old == value {
        return Ok(());
    }
    meter.next_event()?;
    board.set_cell(entity, prop.column, value)?;
    board.count_change();
    meter.charge_words(CHANGED_WORDS)
}

/// Tells whether an entity fits into a zone. A move into a full zone is prevented, which is more than a move.
#[inline]
pub(crate) fn has_room(program: &Program, board: &Board, entity: Word, zone: Word) -> bool {
    board.instance(zone).is_ok_and(|instance| board.has_room(program, instance, entity))
}

/// Moves an entity to the front or the end of a zone that has room and does not renew.
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
    let inside = from == instance && from != NOWHERE;
    let len = board.zones.rows(instance).len() as u32 - u32::from(inside);
    board.move_to_zone(program, entity, zone, if top { 0 } else { len })?;
    board.count_change();
    meter.charge_words(MOVED_WORDS)
}

/// Counts a native event that changes nothing on the board.
#[inline]
pub(crate) fn count_event(
    program: &Program,
    board: &mut Board,
    meter: &mut Meter,
    event: EventId,
) -> Result<()> {
    meter.next_event()?;
    board.count_change();
    meter.charge_words(program.events[event.index()].fields.len())
}

/// Starts a phase.
pub(crate) fn enter_phase(
    program: &Program,
    board: &mut Board,
    meter: &mut Meter,
    phase: PhaseId,
    player: Word,
    subject: Word,
) -> Result<()> {
    // An event refers to its phase by name, which means the first phase with that name.
    let name = program.phases[phase.index()].name;
    let first = program.phases.iter().position(|other| other.name == name).ok_or(FaultCode::Missing)?;
    let number = (board.changes + 1) as u32;
    board.enter_phase(PhaseEntry { number, phase: PhaseId(first as u16), player, subject });
    count_event(program, board, meter, native::PHASE_STARTED)
}

/// Ends the innermost phase, if any.
pub(crate) fn leave_phase(program: &Program, board: &mut Board, meter: &mut Meter) -> Result<()> {
    if board.phases.is_empty() {
        return Ok(());
    }
    board.leave_phase();
    count_event(program, board, meter, native::PHASE_ENDED)
}

/// Removes a stack item.
pub(crate) fn remove(program: &Program, board: &mut Board, meter: &mut Meter, item: Word) -> Result<()> {
    board.remove(item)?;
    count_event(program, board, meter, native::REMOVED)
}

/// Tells whether an entity that enters the zone stays the same object.
#[inline]
pub(crate) fn keeps_identity(program: &Program, board: &Board, zone: Word) -> bool {
    let head = u32::try_from(zone).ok().and_then(|zone| board.zones.head(zone));
    head.is_some_and(|head| !program.zones[head.family.index()].renews)
}

/// Returns the number of items on the stack.
#[inline]
pub(crate) fn stack_height(tables: &ProgramIndex, board: &Board) -> usize {
    let zone = u32::try_from(tables.single_zone(ZoneId::STACK));
    zone.map_or(0, |zone| board.zones.rows(zone).len())
}
