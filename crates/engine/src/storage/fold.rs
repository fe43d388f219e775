//! Folds: how events change the board, built-in and from a log.
//!
//! Folding runs no rules except the `apply` code of events and the pure functions for bounds and initial values,
//! so the log alone rebuilds the board.

use std::sync::Arc;

use intermezzo_program::{
    DefId, EventId, FaultCode, InitialValue, KindId, NULL, PhaseId, Program, PropId, Reg, Type, TypeId, Word,
    native, word,
};

use crate::optimize::program_index::ProgramIndex;
use crate::optimize::static_analysis::InitialCells;
use crate::run::evaluator::Evaluator;
use crate::run::frames::{EventFrame, Frame, FrameStack, LifecycleStage, Meter};
use crate::run::log::{EventLog, EventRecord, EventStatus};
use crate::run::match_instance::fault_at;
use crate::run::setup::StartError;
use crate::storage::board::{Board, NOBODY, PhaseEntry, RawEnding};
use crate::values::arithmetic::{holds, present};
use crate::values::typed::Shapes;

type Result<T> = std::result::Result<T, FaultCode>;

impl<'a> Evaluator<'a> {
    /// Changes the board as a native event says. `with` holds pairs of property and value.
    pub(crate) fn fold_native(
        &mut self,
        event: EventId,
        payload: &mut [Word],
        detail: u16,
        with: &[Word],
    ) -> Result<()> {
        let field = |index: usize| payload.get(index).copied().unwrap_or(NULL);
        match event {
            native::MATCH_ENDED => {
                let (outcome, winners, losers, pot) = (field(0), field(1), field(2), field(3));
                let score = field(native::SCORE_FIELD);
                self.board.set_end(RawEnding { outcome, winners, losers, pot, score });
            }
            native::CREATED => {
                let made = match field(0) {
                    NULL => self.board.next_reference(&self.frames.promised_rows()),
                    planned => planned,
                };
                self.create(made, field(1), field(2), with)?;
                if field(3) != NULL {
                    let index = u32::try_from(field(4)).unwrap_or(0);
                    self.board.move_to_zone(self.program, made, field(3), index)?;
                }
                if field(5) != NULL {
                    let named = |at: &intermezzo_program::TraitDuration| Word::from(at.name.0) == field(6);
                    let until = self.program.durations.iter().position(named);
                    self.board.live(field(5))?;
                    self.board.attach(
                        made,
                        field(5),
                        until.map_or(crate::storage::board::NO_DEF, |at| at as u16),
                    );
                }
                self.board.stamp(made, Some(field(1)))?;
                if field(5) != NULL {
                    self.board.start_copy(made)?;
                }
                payload[0] = made;
            }
            native::MOVED => {
                let index = u32::try_from(field(3)).unwrap_or(0);
                let from = self.board.live(field(0))?.zone;
                self.board.move_to_zone(self.program, field(0), field(2), index)?;
                let to = field(2);
                let is_new = self.renews(Word::from(from), to);
                if is_new {
                    payload[0] = self.board.renew(field(0))?;
                }
                if is_new || !self.board.is_same_family(from, to) {
                    // A new object has no traits yet.
                    self.board.stamp(payload[0], is_new.then_some(NULL))?;
                }
            }
            native::REMOVED => self.board.remove(field(0))?,
            native::CHANGED => {
                let prop = self.program.props.get(usize::from(detail)).ok_or(FaultCode::NoSuchProperty)?;
                if prop.derived.is_some() {
                    return Err(FaultCode::NoSuchProperty);
                }
                self.board.set_cell(field(0), prop.column, field(3))?;
            }
            native::SHUFFLED => self.board.reorder(field(0), field(1))?,
            native::PHASE_STARTED => {
                let named = |phase: &intermezzo_program::Phase| Word::from(phase.name.0) == field(0);
                let phase = self.program.phases.iter().position(named).ok_or(FaultCode::Missing)?;
                let (player, subject) = (field(1), field(2));
                let number = (self.board.changes + 1) as u32;
                self.board.enter_phase(PhaseEntry { number, phase: PhaseId(phase as u16), player, subject });
            }
            native::PHASE_ENDED => self.board.leave_phase(),
            native::PLAYER_LEFT if self.board.is_player(field(0)) => {
                self.board.seat_left(word::seat(field(0)));
            }
            _ => {}
        }
        Ok(())
    }

    /// Returns true if an entity becomes a new object when it goes from one zone to another.
    pub(crate) fn renews(&self, from: Word, to: Word) -> bool {
        let family = |zone: Word| {
            let head = u32::try_from(zone).ok().and_then(|zone| self.board.zones.head(zone));
            head.map(|head| head.family)
        };
        let Some(zone) = family(to).filter(|_| from != to) else { return false };
        let declared = &self.program.zones[zone.index()];
        declared.renews && !(declared.renews_from_outside && family(from) == Some(zone))
    }

    /// Returns true if an event that has happened turned an entity into a new object.
    pub(crate) fn is_renewal(&self, event: EventId, fields: &[Word]) -> bool {
        event == native::MOVED && self.renews(fields[1], fields[2])
    }

    /// Creates an entity of a def with the properties of `with`, in no zone.
    fn create(&mut self, made: Word, def: Word, owner: Word, with: &[Word]) -> Result<()> {
        let def = self.tables.def(present(def)?).ok_or(FaultCode::OutOfRange)?;
        let kind = self.program.defs[def.index()].kind;
        let Some(initial) = self.make(made, def, owner)? else {
            return self.initialise(made, kind, Some(def), with);
        };
        self.set_properties(made, kind, with)?;
        self.without_memo(|core| {
            for (prop, column, routine) in &initial.computed {
                if pairs(with).all(|(other, _)| other != *prop) {
                    let value = core.evaluate(*routine, NULL, &[made])?;
                    core.board.init_cell(made, *column, value)?;
                }
            }
            core.clamp_properties(made, with)
        })
    }

    /// Fills the cells of a new entity. What is computed meanwhile is not remembered, because the entity is not complete.
    pub(crate) fn initialise(
        &mut self,
        entity: Word,
        kind: KindId,
        def: Option<DefId>,
        with: &[Word],
    ) -> Result<()> {
        self.without_memo(|core| core.fill_cells(entity, kind, def, with))
    }

    fn without_memo(&mut self, work: impl FnOnce(&mut Self) -> Result<()>) -> Result<()> {
        let was_paused = std::mem::replace(&mut self.board.memo.is_paused, true);
        let outcome = work(self);
        self.board.memo.is_paused = was_paused;
        outcome
    }

    /// Creates an entity of a def, in no zone. Returns what its cells were filled with, unless they must still be filled.
    pub(crate) fn make(&mut self, made: Word, def: DefId, owner: Word) -> Result<Option<&'a InitialCells>> {
        self.board.check_entity_limit(&self.program.limits)?;
        let owner = if self.board.is_player(owner) { word::seat(owner).0 } else { NOBODY };
        let kind = self.program.defs[def.index()].kind;
        self.board.make(self.program, made, kind, Some(def), owner)?;
        let initial = self.tables.initial_cells[def.index()].as_ref();
        Ok(initial.inspect(|initial| self.board.fill(made, &initial.words)))
    }

    /// Fills the cells of a new entity: constants, then `with`, then computed values in order.
    fn fill_cells(&mut self, entity: Word, kind: KindId, def: Option<DefId>, with: &[Word]) -> Result<()> {
        let program = self.program;
        let printed = def.map_or(&[][..], |def| &program.defs[def.index()].props);
        let initial = |prop: PropId| {
            let own = printed.iter().find(|entry| entry.0 == prop).map(|entry| entry.1);
            own.unwrap_or(program.props[prop.index()].initial)
        };
        let props = &program.kinds[kind.index()].props;
        // The first columns of the match are its options, which are already set.
        let options = if kind == KindId::MATCH { program.options.len() } else { 0 };
        let is_stored = |prop: &PropId| {
            let prop = &program.props[prop.index()];
            prop.derived.is_none() && usize::from(prop.column) >= options
        };
        let stored = || props.iter().copied().filter(is_stored);
        for prop in stored() {
            if let InitialValue::Word(value) = initial(prop) {
                self.board.init_cell(entity, program.props[prop.index()].column, value)?;
            }
        }
        self.set_properties(entity, kind, with)?;
        for prop in stored() {
            if let InitialValue::Computed(routine) = initial(prop)
                && pairs(with).all(|(other, _)| other != prop)
            {
                let value = self.evaluate(routine, NULL, &[entity])?;
                self.board.init_cell(entity, program.props[prop.index()].column, value)?;
            }
        }
        self.clamp_properties(entity, with)
    }

    /// Sets the properties of `with`.
    fn set_properties(&mut self, entity: Word, kind: KindId, with: &[Word]) -> Result<()> {
        let program = self.program;
        let props = &program.kinds[kind.index()].props;
        for (prop, value) in pairs(with) {
            if !props.contains(&prop) || program.props[prop.index()].derived.is_some() {
                return Err(FaultCode::NoSuchProperty);
            }
            self.board.init_cell(entity, program.props[prop.index()].column, value)?;
        }
        Ok(())
    }

    /// Clamps the properties of `with` to their bounds. Computed bounds may read other properties, so this comes
    /// last.
    fn clamp_properties(&mut self, entity: Word, with: &[Word]) -> Result<()> {
        let program = self.program;
        for (prop, value) in pairs(with) {
            let clamped = self.clamp(entity, prop, value)?;
            if clamped != value {
                self.board.init_cell(entity, program.props[prop.index()].column, clamped)?;
            }
        }
        Ok(())
    }

    /// Pushes a frame for an event's code and returns the index of its first register.
    pub(crate) fn push_event(&mut self, event: EventId, extra: usize) -> Result<usize> {
        let depth = self.program.limits.depth;
        let base = self.frames.push_registers(self.tables.window(event) + extra, depth)?;
        self.frames.regs[base + usize::from(Reg::EVENT.0)] = base as Word;
        let frame = EventFrame::new(event, base, self.frames.reactions.len());
        self.frames.stack.push(Frame::Event(frame));
        Ok(base)
    }

    /// Runs a piece of the top event's own code.
    pub(crate) fn run_event_code(&mut self, entry: u32) -> Result<Word> {
        let top = self.frames.stack.len() - 1;
        let frame = self.frames.event_mut(top)?;
        let stage = std::mem::replace(&mut frame.stage, LifecycleStage::Fold);
        frame.pc = entry;
        self.run_to_end(top)?;
        self.frames.event_mut(top)?.stage = stage;
        Ok(self.frames.returned)
    }
}

/// Returns pairs of property and value.
fn pairs(with: &[Word]) -> impl Iterator<Item = (PropId, Word)> {
    with.chunks_exact(2).map(|pair| (PropId(pair[0] as u16), pair[1]))
}

/// Returns the type of a payload field. A field of type `any` has the type of the changed property.
pub(crate) fn field_type(program: &Program, ty: TypeId, prop: u16) -> TypeId {
    match program.types[ty.index()] {
        Type::Any => program.props.get(usize::from(prop)).map_or(ty, |prop| prop.ty),
        _ => ty,
    }
}

/// The payload of a log record, read back.
#[derive(Clone, Debug, Default)]
pub(crate) struct EventPayload {
    pub(crate) fields: Vec<Word>,
    pub(crate) detail: u16,
    pub(crate) with: Vec<Word>,
}

/// A fold of event logs into boards. Holds the program index and buffers between events.
#[derive(Debug)]
pub struct LogFold {
    pub(crate) program: Arc<Program>,
    pub(crate) tables: Arc<ProgramIndex>,
    frames: FrameStack,
}

impl Clone for LogFold {
    /// Clones the program index. The rest is only buffers.
    fn clone(&self) -> LogFold {
        LogFold::with_tables(Arc::clone(&self.program), Arc::clone(&self.tables))
    }
}

impl LogFold {
    /// Creates a fold for logs of matches of `program`.
    #[must_use]
    pub fn new(program: Arc<Program>) -> LogFold {
        let tables = program.cached_analysis.get_or_compute(|| ProgramIndex::new(&program));
        LogFold::with_tables(program, tables)
    }

    pub(crate) fn with_tables(program: Arc<Program>, tables: Arc<ProgramIndex>) -> LogFold {
        LogFold { program, tables, frames: FrameStack::default() }
    }

    /// Runs `work` with an evaluator on `board`.
    pub(crate) fn with_evaluator<T>(
        &mut self,
        board: &mut Board,
        work: impl FnOnce(&mut Evaluator<'_>) -> T,
    ) -> T {
        self.frames.clear();
        let mut meter = Meter::for_reading(&self.program, board);
        board.heap.allow(self.program.limits.heap);
        let mut core = Evaluator {
            program: &self.program,
            tables: &self.tables,
            board,
            frames: &mut self.frames,
            meter: &mut meter,
        };
        work(&mut core)
    }

    /// Reports that [`with_evaluator`](Self::with_evaluator) failed before the match began. Its frames still say where.
    pub(crate) fn start_fault(&self, code: FaultCode) -> StartError {
        StartError::Fault(fault_at(&self.program, &self.tables, &self.frames, code))
    }

    /// Applies one event of a log to the board.
    ///
    /// # Errors
    ///
    /// Returns an error if the record cannot be an event of this board.
    pub fn fold(
        &mut self,
        board: &mut Board,
        log: &EventLog,
        record: &EventRecord,
    ) -> std::result::Result<(), FaultCode> {
        if record.status != EventStatus::Applied {
            return Ok(());
        }
        let mut payload = self.read_payload(board, log, record).ok_or(FaultCode::Missing)?;
        self.fold_payload(board, record.event, &mut payload)
    }

    /// Applies an applied event whose payload was read already.
    pub(crate) fn fold_payload(
        &mut self,
        board: &mut Board,
        event: EventId,
        payload: &mut EventPayload,
    ) -> std::result::Result<(), FaultCode> {
        self.with_evaluator(board, |core| core.fold(event, payload))
    }

    /// Reads the payload of a record. Its lists are built on the board's heap.
    pub(crate) fn read_payload(
        &self,
        board: &mut Board,
        log: &EventLog,
        record: &EventRecord,
    ) -> Option<EventPayload> {
        let event = self.program.events.get(record.event.index())?;
        let shapes = Shapes { program: &self.program, seats: board.seats };
        board.heap.allow(self.program.limits.heap);
        let mut words = log.payload(record);
        let mut payload = EventPayload::default();
        if record.event == native::CHANGED {
            payload.detail = u16::try_from(*words.split_off_first()?).ok()?;
        }
        for (index, field) in event.fields.iter().enumerate() {
            // A created entity does not exist yet, so its reference cannot be checked.
            if record.event == native::CREATED && index == 0 {
                payload.fields.push(*words.split_off_first()?);
                continue;
            }
            let ty = field_type(&self.program, field.ty, payload.detail);
            payload.fields.push(shapes.unflatten(board, ty, &mut words)?);
        }
        if record.event == native::CREATED {
            for _ in 0..*words.split_off_first()? {
                let prop = *words.split_off_first()?;
                let ty = self.program.props.get(usize::try_from(prop).ok()?)?.ty;
                let value = shapes.unflatten(board, ty, &mut words)?;
                payload.with.extend([prop, value]);
            }
        }
        Some(payload)
    }
}

impl Evaluator<'_> {
    fn fold(&mut self, event: EventId, payload: &mut EventPayload) -> Result<()> {
        if event == native::CREATED && payload.fields.first() == Some(&NULL) {
            return Err(FaultCode::Gone);
        }
        self.fold_native(event, &mut payload.fields, payload.detail, &payload.with)?;
        if let Some(apply) = self.program.events[event.index()].apply {
            let base = self.push_event(event, 0)? + usize::from(Reg::CONTEXT);
            let fields = &payload.fields;
            self.frames.regs[base..base + fields.len()].copy_from_slice(fields);
            self.run_event_code(apply)?;
            self.frames.pop_frame();
        }
        self.board.count_event(event);
        Ok(())
    }

    /// Returns true if a pure condition holds. A condition that fails does not hold.
    pub(crate) fn test_condition(&mut self, routine: intermezzo_program::RoutineId, args: &[Word]) -> bool {
        let frames = self.frames.stack.len();
        let outcome = self.evaluate(routine, NULL, args);
        while self.frames.stack.len() > frames {
            self.frames.pop_frame();
        }
        self.frames.building.clear();
        outcome.is_ok_and(holds)
    }
}

impl Board {
    /// Applies one event of a log to the board. To fold many, use a [`LogFold`].
    ///
    /// # Errors
    ///
    /// Returns an error if the record cannot be an event of this board.
    pub fn fold(
        &mut self,
        program: &Arc<Program>,
        log: &EventLog,
        record: &EventRecord,
    ) -> std::result::Result<(), FaultCode> {
        LogFold::new(Arc::clone(program)).fold(self, log, record)
    }
}
