//! Fast path: changes, moves and other events without listeners happen inside the interpreter's loop.
//!
//! The results equal those of [`Machine::change`](crate::run::effects::Machine::change),
//! [`Machine::move_entity`](crate::run::effects::Machine::move_entity) and the event life cycle, with and without a
//! log. Every payload here consists of single words, so recording it copies them.

use intermezzo_program::{
    Create, EventId, FaultCode, KindId, NULL, PhaseId, Program, Prop, PropId, Symbol, Visibility, Word,
    ZoneId, native, word,
};

use crate::optimize::program_index::{ProgramIndex, symbol_word};
use crate::run::evaluator::{clamp_to, constant_bound};
use crate::run::frames::Meter;
use crate::run::log::{Cause, EventLog, EventStatus};
use crate::storage::board::{Board, Entity, NOBODY, PhaseEntry};
use crate::storage::zones::NOWHERE;

type Result<T> = std::result::Result<T, FaultCode>;

/// Everything that an event without listeners needs.
pub(crate) struct FastPath<'a> {
    pub(crate) program: &'a Program,
    pub(crate) board: &'a mut Board,
    pub(crate) meter: &'a mut Meter,
    /// The log; `None` where no events happen.
    pub(crate) log: Option<&'a mut EventLog>,
    /// The event that causes those that happen here; 0 for none.
    pub(crate) parent: u32,
}

/// Entities that are created one after the other and differ in nothing but their def.
pub(crate) struct EntitySeries {
    owner: Word,
    seat: u8,
    instance: u32,
    family: ZoneId,
    /// A kind that the zone is known to hold.
    holds: Option<KindId>,
}

impl FastPath<'_> {
    /// Sets a property with constant bounds, unless it already has that value.
    #[inline]
    pub(crate) fn change(&mut self, id: PropId, prop: &Prop, entity: Word, value: Word) -> Result<()> {
        let bounds = (constant_bound(prop.min).unwrap_or(NULL), constant_bound(prop.max).unwrap_or(NULL));
        let value = if value == NULL { value } else { clamp_to(value, bounds.0, bounds.1) };
        let place = self.board.cell_place(entity, prop.column)?;
        let old = self.board.cells[place.0 as usize];
        if old == value {
            return Ok(());
        }
        self.meter.next_event()?;
        self.board.set_cell_at(entity, prop.column, place, value);
        self.board.count_change();
        // The number of the property is not part of the payload and costs nothing.
        self.meter.charge_words(4)?;
        let name = symbol_word(prop.name);
        self.record(native::CHANGED, &[Word::from(id.0), entity, name, old, value]);
        Ok(())
    }

    /// Moves an entity to the front or the end of a zone that has room and does not renew. Returns false and changes
    /// nothing if the general path has to move it or report a fault.
    pub(crate) fn relocate(&mut self, entity: Word, zone: Word, top: bool) -> Result<bool> {
        let Some((instance, head)) =
            u32::try_from(zone).ok().and_then(|zone| Some((zone, self.board.zones.head(zone)?)))
        else {
            return Ok(false);
        };
        let Some(&Entity { zone: from, index, kind, def, .. }) = self.board.entity(entity) else {
            return Ok(false);
        };
        let family = &self.program.zones[head.family.index()];
        let others = head.len() - u32::from(from == instance);
        let is_full = family.max.is_some_and(|max| others >= max);
        if family.renews || is_full || !self.board.may_hold(self.program, instance, kind, def) {
            return Ok(false);
        }
        self.meter.next_event()?;
        let at = if top { 0 } else { others };
        self.board.transfer(word::row(entity), (from, index), (instance, at));
        if !matches!(family.visible, Visibility::All) {
            self.board.clear_known(word::row(entity));
        }
        self.board.count_change();
        let from = if from == NOWHERE { NULL } else { Word::from(from) };
        self.charge_and_record(native::MOVED, &[entity, from, zone, Word::from(at)])?;
        Ok(true)
    }

    /// Creates an entity whose cells are known, in no zone or in one that has room. Returns `None` and changes nothing if
    /// the general path has to create it or report a fault. `args` are the def, owner, zone, host and duration.
    pub(crate) fn create(
        &mut self,
        tables: &ProgramIndex,
        create: &Create,
        args: &[Word],
    ) -> Result<Option<Word>> {
        let &[def, owner, zone, NULL, NULL, ..] = args else { return Ok(None) };
        let Some(def) = tables.def(def) else { return Ok(None) };
        let Some(blank) = tables.blanks[def.index()].as_ref().filter(|_| create.with.is_empty()) else {
            return Ok(None);
        };
        let instance = match zone {
            NULL => NOWHERE,
            zone => match self.board.instance(zone) {
                Ok(instance)
                    if self.board.has_room(self.program, instance, NULL)
                        && self.board.may_hold(self.program, instance, blank.kind(), def.0) =>
                {
                    instance
                }
                _ => return Ok(None),
            },
        };
        self.meter.next_event()?;
        self.board.check_entity_limit(&self.program.limits)?;
        let owner = if self.board.is_player(owner) { word::seat(owner).0 } else { NOBODY };
        let made = self.board.make_blank(self.program, blank, owner);
        let (mut index, mut place) = (0, NULL);
        if instance != NOWHERE {
            place = zone;
            if create.top {
                self.board.move_to_zone(self.program, made, zone, 0)?;
            } else {
                index = self.board.append_new(word::row(made), instance);
            }
        }
        let name = symbol_word(self.program.defs[def.index()].name);
        // The last word is the number of properties set; it costs nothing.
        let payload = [made, name, args[1], place, Word::from(index), NULL, NULL, 0];
        self.board.count_change();
        self.meter.charge_words(payload.len() - 1)?;
        self.record(native::CREATED, &payload);
        Ok(Some(made))
    }

    /// Begins to create entities that differ in nothing but their def, at the end of a zone. `args` are those of
    /// [`FastPath::create`], but for the zone. Returns `None` if each needs checks of its own.
    pub(crate) fn begin_series(
        &mut self,
        create: &Create,
        args: &[Word],
        zone: Word,
    ) -> Option<EntitySeries> {
        let &[_, owner, _, NULL, NULL, ..] = args else { return None };
        let instance = self.board.instance(zone).ok()?;
        let family = self.board.zones.head(instance)?.family;
        let has_room = self.program.zones[family.index()].max.is_none();
        let is_plain = has_room && create.with.is_empty() && !create.top;
        is_plain.then(|| {
            self.board.begin_series(family);
            let seat = if self.board.is_player(owner) { word::seat(owner).0 } else { NOBODY };
            EntitySeries { owner, seat, instance, family, holds: None }
        })
    }

    /// Creates the next entity of a series. Returns false and changes nothing if [`FastPath::create`] has to do it.
    #[inline]
    pub(crate) fn create_next(
        &mut self,
        tables: &ProgramIndex,
        series: &mut EntitySeries,
        name: Word,
    ) -> Result<bool> {
        let def = tables.def(name);
        let Some((def, blank)) = def.and_then(|def| Some((def, tables.blanks[def.index()].as_ref()?))) else {
            return Ok(false);
        };
        if !self.board.fits_series(blank) {
            return Ok(false);
        }
        // Defs of the same kind fit into the same zones.
        if series.holds != Some(blank.kind()) {
            if !self.board.may_hold(self.program, series.instance, blank.kind(), def.0) {
                return Ok(false);
            }
            let is_of_kind = self.program.zones[series.family.index()].holds.is_some();
            series.holds = is_of_kind.then_some(blank.kind());
        }
        self.meter.next_event()?;
        self.board.check_entity_limit(&self.program.limits)?;
        let (made, index) = self.board.append_blank(blank, series.seat, (series.instance, series.family));
        self.board.count_change();
        self.meter.charge_words(7)?;
        let place = Word::from(series.instance);
        self.record(native::CREATED, &[made, name, series.owner, place, Word::from(index), NULL, NULL, 0]);
        Ok(true)
    }

    /// Emits an event that changes nothing else on the board.
    #[inline]
    pub(crate) fn emit(&mut self, event: EventId, payload: &[Word]) -> Result<()> {
        self.meter.next_event()?;
        self.finish_event(event, payload)
    }

    /// Ends the newest event, which has been applied.
    #[inline]
    pub(crate) fn finish_event(&mut self, event: EventId, payload: &[Word]) -> Result<()> {
        self.board.count_change();
        self.charge_and_record(event, payload)
    }

    /// Starts a phase.
    pub(crate) fn enter_phase(&mut self, phase: PhaseId, player: Word, subject: Word) -> Result<()> {
        // An event refers to its phase by name, which means the first phase with that name.
        let name = self.program.phases[phase.index()].name;
        let first = self.program.phases.iter().position(|other| other.name == name);
        let first = PhaseId(first.ok_or(FaultCode::Missing)? as u16);
        let number = (self.board.changes + 1) as u32;
        self.board.enter_phase(PhaseEntry { number, phase: first, player, subject });
        self.emit(native::PHASE_STARTED, &[symbol_word(name), player, subject])
    }

    /// Ends the innermost phase, if any.
    pub(crate) fn leave_phase(&mut self) -> Result<()> {
        let Some(entry) = self.board.phases.last().copied() else { return Ok(()) };
        let name = self.program.phases[entry.phase.index()].name;
        self.board.leave_phase();
        self.emit(native::PHASE_ENDED, &[symbol_word(name), entry.player, entry.subject])
    }

    /// Announces an action.
    #[inline]
    pub(crate) fn announce(&mut self, action: Symbol, actor: Word, host: Word) -> Result<()> {
        self.emit(native::ANNOUNCED, &[symbol_word(action), actor, host])
    }

    /// Removes a stack item.
    pub(crate) fn remove(&mut self, item: Word) -> Result<()> {
        self.board.remove(item)?;
        self.emit(native::REMOVED, &[item])
    }

    #[inline]
    fn charge_and_record(&mut self, event: EventId, payload: &[Word]) -> Result<()> {
        self.meter.charge_words(payload.len())?;
        self.record(event, payload);
        Ok(())
    }

    /// Records the newest event, if a log is kept.
    #[inline]
    pub(crate) fn record(&mut self, event: EventId, payload: &[Word]) {
        if let Some(log) = self.log.as_mut().filter(|log| !log.is_off()) {
            let cause = match self.parent {
                0 => Cause::Input(self.meter.input),
                parent => Cause::Event(parent),
            };
            log.append(event, self.meter.newest, cause, EventStatus::Applied, payload);
        }
    }
}

/// Returns the number of items on the stack.
#[inline]
pub(crate) fn stack_height(tables: &ProgramIndex, board: &Board) -> usize {
    let zone = u32::try_from(tables.single_zone(ZoneId::STACK));
    zone.map_or(0, |zone| board.zones.rows(zone).len())
}
