//! What happens in the midst of code: changes and moves that nobody listens to while nobody keeps the log.
//!
//! It is what [`Machine::change`](crate::happening::Machine::change) and
//! [`Machine::relocate`](crate::happening::Machine::relocate) come to then, without leaving the interpreter's loop.

use intermezzo_ruleset::{FaultCode, NULL, Program, Prop, Word, ZoneId};

use crate::agenda::Meter;
use crate::board::Board;
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
