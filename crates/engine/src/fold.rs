//! How events change the board: the built-in folds, and folding a log.
//!
//! Folding runs no rule but the `apply` code of events (and the pure functions
//! that bounds and initial values are made of), so the log alone rebuilds the
//! board.

use std::sync::Arc;

use intermezzo_ruleset::{
    DefId, EventId, FaultCode, Initial, KindId, NULL, PhaseId, Program, PropId, Reg, Type, TypeId, Word,
    native, word,
};

use crate::agenda::{Agenda, Frame, Gives, Meter, NO_ROUTINE, Stage};
use crate::board::{Board, End, NOBODY, PhaseEntry};
use crate::core::Core;
use crate::log::{Log, Record, Status};
use crate::tables::Tables;
use crate::typed::Shapes;
use crate::values::{holds, present};

type Result<T> = std::result::Result<T, FaultCode>;

impl Core<'_> {
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
                self.board.set_end(End { outcome, winners, losers, pot });
            }
            native::CREATED => {
                let made = match field(0) {
                    NULL => self.board.next_reference(&self.agenda.promised_rows()),
                    planned => planned,
                };
                self.create(made, field(1), field(2), with)?;
                if field(3) != NULL {
                    let index = u32::try_from(field(4)).unwrap_or(0);
                    self.board.put(self.program, made, field(3), index)?;
                }
                if field(5) != NULL {
                    let named = |at: &intermezzo_ruleset::Duration| Word::from(at.name.0) == field(6);
                    let until = self.program.durations.iter().position(named);
                    self.board.live(field(5))?;
                    self.board.attach(made, field(5), until.map_or(crate::board::NO_DEF, |at| at as u16));
                }
                payload[0] = made;
            }
            native::MOVED => {
                let index = u32::try_from(field(3)).unwrap_or(0);
                let from = self.board.live(field(0))?.zone;
                self.board.put(self.program, field(0), field(2), index)?;
                if Word::from(from) != field(2) && self.renews(field(2)) {
                    payload[0] = self.board.renew(field(0))?;
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
                let named = |phase: &intermezzo_ruleset::Phase| Word::from(phase.name.0) == field(0);
                let phase = self.program.phases.iter().position(named).ok_or(FaultCode::Missing)?;
                let (player, subject) = (field(1), field(2));
                let number = (self.board.changes + 1) as u32;
                self.board.enter(PhaseEntry { number, phase: PhaseId(phase as u16), player, subject });
            }
            native::PHASE_ENDED => self.board.leave(),
            native::PLAYER_LEFT if self.board.is_player(field(0)) => {
                self.board.seat_left(word::seat(field(0)));
            }
            _ => {}
        }
        Ok(())
    }

    /// Whether what comes into a zone becomes a new object.
    fn renews(&self, zone: Word) -> bool {
        let head = u32::try_from(zone).ok().and_then(|zone| self.board.zones.head(zone));
        head.is_some_and(|head| self.program.zones[head.family.index()].renews)
    }

    /// Whether something became a new object by an event that has happened.
    pub(crate) fn is_renewal(&self, event: EventId, fields: &[Word]) -> bool {
        event == native::MOVED && fields[1] != fields[2] && self.renews(fields[2])
    }

    /// Makes an entity of a def with the properties of `with`, in no zone.
    fn create(&mut self, made: Word, def: Word, owner: Word, with: &[Word]) -> Result<()> {
        let def = self.tables.def(present(def)?).ok_or(FaultCode::OutOfRange)?;
        let kind = self.program.defs[def.index()].kind;
        if !self.make(made, def, owner)? {
            return self.initialise(made, kind, Some(def), with);
        }
        self.give_properties(made, kind, with)?;
        self.keep_within(made, with)
    }

    /// Makes an entity of a def, in no zone. False if its cells have still to be filled.
    pub(crate) fn make(&mut self, made: Word, def: DefId, owner: Word) -> Result<bool> {
        // Rows of many columns are bounded by their memory.
        let is_crowded = self.board.cells.len() > self.program.limits.heap as usize;
        if self.board.live >= self.program.limits.entities || is_crowded {
            return Err(FaultCode::Entities);
        }
        let owner = if self.board.is_player(owner) { word::seat(owner).0 } else { NOBODY };
        let kind = self.program.defs[def.index()].kind;
        self.board.make(self.program, made, kind, Some(def), owner)?;
        let blank = self.tables.blanks[def.index()].as_ref();
        Ok(blank.inspect(|blank| self.board.fill(made, blank)).is_some())
    }

    /// Fills the row of a new entity: plain values, then `with`, then computed ones in order.
    pub(crate) fn initialise(
        &mut self,
        entity: Word,
        kind: KindId,
        def: Option<DefId>,
        with: &[Word],
    ) -> Result<()> {
        let program = self.program;
        let printed = def.map_or(&[][..], |def| &program.defs[def.index()].props);
        let initial = |prop: PropId| {
            let own = printed.iter().find(|entry| entry.0 == prop).map(|entry| entry.1);
            own.unwrap_or(program.props[prop.index()].initial)
        };
        let props = &program.kinds[kind.index()].props;
        // The first columns of the match are its options, which are set already.
        let options = if kind == KindId::MATCH { program.options.len() } else { 0 };
        let is_stored = |prop: &PropId| {
            let prop = &program.props[prop.index()];
            prop.derived.is_none() && usize::from(prop.column) >= options
        };
        let stored = || props.iter().copied().filter(is_stored);
        for prop in stored() {
            if let Initial::Word(value) = initial(prop) {
                self.board.set_cell(entity, program.props[prop.index()].column, value)?;
            }
        }
        self.give_properties(entity, kind, with)?;
        for prop in stored() {
            if let Initial::Computed(routine) = initial(prop)
                && pairs(with).all(|(other, _)| other != prop)
            {
                let value = self.evaluate(routine, NULL, &[entity])?;
                self.board.set_cell(entity, program.props[prop.index()].column, value)?;
            }
        }
        self.keep_within(entity, with)
    }

    /// Sets the properties of `with`.
    fn give_properties(&mut self, entity: Word, kind: KindId, with: &[Word]) -> Result<()> {
        let program = self.program;
        let props = &program.kinds[kind.index()].props;
        for (prop, value) in pairs(with) {
            if !props.contains(&prop) || program.props[prop.index()].derived.is_some() {
                return Err(FaultCode::NoSuchProperty);
            }
            self.board.set_cell(entity, program.props[prop.index()].column, value)?;
        }
        Ok(())
    }

    /// Brings the properties of `with` within their bounds.
    fn keep_within(&mut self, entity: Word, with: &[Word]) -> Result<()> {
        let program = self.program;
        for (prop, value) in pairs(with) {
            let clamped = self.clamp(entity, prop, value)?;
            if clamped != value {
                self.board.set_cell(entity, program.props[prop.index()].column, clamped)?;
            }
        }
        Ok(())
    }

    /// Lays out an event's registers and pushes a frame for its code.
    pub(crate) fn push_event(&mut self, event: EventId, extra: usize) -> Result<usize> {
        let kind = &self.program.events[event.index()];
        let base = self.agenda.grow(self.tables.window(event) + extra, self.program.limits.depth)?;
        self.agenda.regs[base + usize::from(Reg::EVENT.0)] = base as Word;
        self.agenda.frames.push(Frame {
            stage: Stage::Fold,
            gives: Gives::Nothing,
            routine: kind.routine.unwrap_or(NO_ROUTINE),
            ret: Reg::NONE,
            pc: 0,
            base: base as u32,
            cause: 0,
            fate: crate::agenda::Fate::Open,
            by: NULL,
            event,
            id: 0,
            parent: 0,
            batch: 0,
            reactions: self.agenda.reactions.len() as u32,
            detail: 0,
            step: 0,
            row: 0,
        });
        Ok(base)
    }

    /// Runs a piece of the top event's own code.
    pub(crate) fn run_event_code(&mut self, entry: u32) -> Result<Word> {
        let top = self.agenda.frames.len() - 1;
        let stage = std::mem::replace(&mut self.agenda.frames[top].stage, Stage::Fold);
        self.agenda.frames[top].pc = entry;
        self.run_to_end(top)?;
        self.agenda.frames[top].stage = stage;
        Ok(self.agenda.returned)
    }
}

/// Properties and their values.
fn pairs(with: &[Word]) -> impl Iterator<Item = (PropId, Word)> {
    with.chunks_exact(2).map(|pair| (PropId(pair[0] as u16), pair[1]))
}

/// Type of a payload field, given the property a `Changed` event is about.
pub(crate) fn field_type(program: &Program, ty: TypeId, prop: u16) -> TypeId {
    match program.types[ty.index()] {
        Type::Any => program.props.get(usize::from(prop)).map_or(ty, |prop| prop.ty),
        _ => ty,
    }
}

/// What an event of a log says, read back.
#[derive(Clone, Debug, Default)]
pub(crate) struct Payload {
    pub(crate) fields: Vec<Word>,
    pub(crate) detail: u16,
    pub(crate) with: Vec<Word>,
}

/// Folds logs into boards; keeps what it needs between events.
#[derive(Debug)]
pub struct Folder {
    pub(crate) program: Arc<Program>,
    pub(crate) tables: Arc<Tables>,
    agenda: Agenda,
}

impl Clone for Folder {
    /// What it keeps between events is only memory.
    fn clone(&self) -> Folder {
        Folder::with_tables(Arc::clone(&self.program), Arc::clone(&self.tables))
    }
}

impl Folder {
    /// A folder for logs of matches of `program`.
    #[must_use]
    pub fn new(program: Arc<Program>) -> Folder {
        let tables = program.notes.get_or(|| Tables::new(&program));
        Folder::with_tables(program, tables)
    }

    pub(crate) fn with_tables(program: Arc<Program>, tables: Arc<Tables>) -> Folder {
        Folder { program, tables, agenda: Agenda::default() }
    }

    /// Runs `work` with all that pure code needs.
    pub(crate) fn with_core<T>(&mut self, board: &mut Board, work: impl FnOnce(&mut Core<'_>) -> T) -> T {
        self.agenda.clear();
        let mut meter = Meter::full(&self.program);
        board.heap.allow(self.program.limits.heap);
        let mut core = Core {
            program: &self.program,
            tables: &self.tables,
            board,
            agenda: &mut self.agenda,
            meter: &mut meter,
        };
        work(&mut core)
    }

    /// Brings the board up to date with one event of a log.
    ///
    /// # Errors
    ///
    /// If the record cannot be an event of this board.
    pub fn fold(
        &mut self,
        board: &mut Board,
        log: &Log,
        record: &Record,
    ) -> std::result::Result<(), FaultCode> {
        if record.status != Status::Applied {
            return Ok(());
        }
        let mut payload = self.read(board, log, record).ok_or(FaultCode::Missing)?;
        self.with_core(board, |core| core.fold(record.event, &mut payload))
    }

    /// The payload of a record, its lists built on the board's heap.
    pub(crate) fn read(&self, board: &mut Board, log: &Log, record: &Record) -> Option<Payload> {
        let event = self.program.events.get(record.event.index())?;
        let shapes = Shapes { program: &self.program, seats: board.seats };
        board.heap.allow(self.program.limits.heap);
        let mut words = log.payload(record);
        let mut payload = Payload::default();
        if record.event == native::CHANGED {
            payload.detail = u16::try_from(*words.split_off_first()?).ok()?;
        }
        for (index, field) in event.fields.iter().enumerate() {
            // A created entity does not exist yet, so its reference is taken as it is.
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

impl Core<'_> {
    fn fold(&mut self, event: EventId, payload: &mut Payload) -> Result<()> {
        if event == native::CREATED && payload.fields.first() == Some(&NULL) {
            return Err(FaultCode::Gone);
        }
        self.fold_native(event, &mut payload.fields, payload.detail, &payload.with)?;
        if let Some(apply) = self.program.events[event.index()].apply {
            let base = self.push_event(event, 0)? + usize::from(Reg::CONTEXT);
            let fields = &payload.fields;
            self.agenda.regs[base..base + fields.len()].copy_from_slice(fields);
            self.run_event_code(apply)?;
            self.agenda.drop_top();
        }
        self.board.count_event(event);
        Ok(())
    }

    /// Whether a pure test holds; one that fails does not.
    pub(crate) fn test(&mut self, routine: intermezzo_ruleset::RoutineId, args: &[Word]) -> bool {
        let frames = self.agenda.frames.len();
        let outcome = self.evaluate(routine, NULL, args);
        while self.agenda.frames.len() > frames {
            self.agenda.drop_top();
        }
        self.agenda.building.clear();
        outcome.is_ok_and(holds)
    }
}

impl Board {
    /// Brings the board up to date with one event of a log. To fold many, keep a [`Folder`].
    ///
    /// # Errors
    ///
    /// If the record cannot be an event of this board.
    pub fn fold(
        &mut self,
        program: &Arc<Program>,
        log: &Log,
        record: &Record,
    ) -> std::result::Result<(), FaultCode> {
        Folder::new(Arc::clone(program)).fold(self, log, record)
    }
}
