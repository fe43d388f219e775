//! All that computing needs: the program, the board and the agenda.
//!
//! [`Core`] computes and, in an event's fold, writes; it never makes anything
//! happen. It serves matches, folding a log and asking what a viewer may see.

use intermezzo_ruleset::{Bound, EventId, FaultCode, NULL, Program, PropId, Reg, RoutineId, Word};

use crate::agenda::{Agenda, Frame, Meter, Stage};
use crate::board::Board;
use crate::interpret;
use crate::linking::Piece;
use crate::tables::Tables;
use crate::typed::Shapes;

type Result<T> = std::result::Result<T, FaultCode>;

/// Room for questions asked one after the other.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Window {
    frame: usize,
    base: usize,
}

/// All that pure code can reach.
pub(crate) struct Core<'a> {
    pub(crate) program: &'a Program,
    pub(crate) tables: &'a Tables,
    pub(crate) board: &'a mut Board,
    pub(crate) agenda: &'a mut Agenda,
    pub(crate) meter: &'a mut Meter,
}

impl Core<'_> {
    pub(crate) fn shapes(&self) -> Shapes<'_> {
        Shapes { program: self.program, seats: self.board.seats }
    }

    /// Calls a function and gives its value. The frames below stay as they are.
    pub(crate) fn evaluate(&mut self, routine: RoutineId, event: Word, args: &[Word]) -> Result<Word> {
        self.evaluate_in(routine, &[NULL, NULL, NULL, event, NULL], args)
    }

    /// The same with all of the context given.
    pub(crate) fn evaluate_in(
        &mut self,
        routine: RoutineId,
        context: &[Word; Reg::CONTEXT as usize],
        args: &[Word],
    ) -> Result<Word> {
        self.evaluate_before(routine, context, args, 0)
    }

    /// The same, looking back on a batch.
    pub(crate) fn evaluate_before(
        &mut self,
        routine: RoutineId,
        context: &[Word; Reg::CONTEXT as usize],
        args: &[Word],
        batch: u32,
    ) -> Result<Word> {
        let floor = self.agenda.frames.len();
        let program = self.program;
        let code = program.routines.get(routine.index()).ok_or(FaultCode::Missing)?;
        self.meter.steps(1)?;
        let base = self.agenda.grow(usize::from(code.registers), program.limits.depth)?;
        self.agenda.regs[base..base + context.len()].copy_from_slice(context);
        let params = usize::from(code.params).min(args.len());
        let first = base + usize::from(Reg::CONTEXT);
        self.agenda.regs[first..first + params].copy_from_slice(&args[..params]);
        self.agenda.frames.push(Frame { batch, ..Frame::code(program, routine, base, Reg::NONE, 0) });
        self.meter.enter()?;
        let ran = self.run_to_end(floor);
        self.meter.nesting -= 1;
        ran?;
        Ok(self.agenda.returned)
    }

    /// Makes room for questions asked one after the other, each of at most that many registers. To be closed.
    pub(crate) fn open_window(&mut self, registers: usize) -> Result<Window> {
        let base = self.agenda.grow(registers, self.program.limits.depth)?;
        self.agenda.frames.push(Frame::bare(Stage::Asked, base));
        self.meter.enter()?;
        Ok(Window { frame: self.agenda.frames.len() - 1, base })
    }

    pub(crate) fn close_window(&mut self, window: Window) {
        self.agenda.frames.truncate(window.frame);
        self.agenda.regs.truncate(window.base);
        self.meter.nesting -= 1;
    }

    /// The value of a function without parameters, computed in a window.
    #[inline]
    pub(crate) fn ask(
        &mut self,
        window: Window,
        routine: RoutineId,
        context: &[Word; Reg::CONTEXT as usize],
    ) -> Result<Word> {
        let code = self.program.routines.get(routine.index()).ok_or(FaultCode::Missing)?;
        self.meter.steps(1)?;
        let used = window.base..window.base + usize::from(code.registers);
        let regs = self.agenda.regs.get_mut(used).ok_or(FaultCode::Missing)?;
        regs.fill(NULL);
        regs[..context.len()].copy_from_slice(context);
        let frame = &mut self.agenda.frames[window.frame];
        (frame.routine, frame.pc) = (routine, code.entry);
        self.run_to_end(window.frame)?;
        Ok(self.agenda.returned)
    }

    /// Runs a piece of added code for a player; gives what it returns. If it fails, its window stays open.
    pub(crate) fn run_piece(&mut self, piece: Piece, player: Word) -> Result<Word> {
        let window = self.open_window(piece.registers)?;
        self.agenda.regs[window.base..][..3].copy_from_slice(&[NULL, player, player]);
        self.agenda.frames[window.frame].pc = piece.entry;
        self.run_to_end(window.frame)?;
        self.close_window(window);
        Ok(self.agenda.returned)
    }

    /// Runs code that cannot make anything happen.
    pub(crate) fn run_to_end(&mut self, floor: usize) -> Result<()> {
        interpret::run(self, floor).map(|_| ())
    }

    /// A value within the bounds of a property.
    pub(crate) fn clamp(&mut self, entity: Word, prop: PropId, value: Word) -> Result<Word> {
        let (min, max) = {
            let prop = &self.program.props[prop.index()];
            (prop.min, prop.max)
        };
        if value == NULL {
            return Ok(value);
        }
        let max = self.bound(max, entity)?;
        let min = self.bound(min, entity)?;
        Ok(within(value, min, max))
    }

    #[inline]
    fn bound(&mut self, bound: Bound, entity: Word) -> Result<Word> {
        match bound {
            Bound::None => Ok(NULL),
            Bound::Word(word) => Ok(word),
            Bound::Computed(routine) => self.evaluate(routine, NULL, &[entity]),
        }
    }

    /// Writes a property as part of an event's fold.
    pub(crate) fn write(&mut self, entity: Word, prop: PropId, value: Word) -> Result<()> {
        let value = self.clamp(entity, prop, value)?;
        let found = &self.program.props[prop.index()];
        if found.derived.is_some() {
            return Err(FaultCode::NoSuchProperty);
        }
        self.board.set_cell(entity, found.column, value)
    }

    pub(crate) fn call_on(&mut self, dst: Reg, routine: RoutineId, entity: Word) -> Result<()> {
        let program = self.program;
        let code = program.routines.get(routine.index()).ok_or(FaultCode::Missing)?;
        self.meter.steps(1)?;
        let base = self.agenda.grow(usize::from(code.registers), program.limits.depth)?;
        if code.params > 0 {
            self.agenda.regs[base + usize::from(Reg::CONTEXT)] = entity;
        }
        let batch = self.agenda.frames.last().map_or(0, Frame::looks_back_on);
        self.agenda.frames.push(Frame { batch, ..Frame::code(program, routine, base, dst, 0) });
        Ok(())
    }

    /// Where in the registers a payload field of an event lies.
    fn payload_at(&self, event: Word, field: u16) -> Result<usize> {
        let frame = self.agenda.event_at(event).ok_or(FaultCode::Missing)?;
        let fields = self.program.events[frame.event.index()].fields.len();
        if usize::from(field) >= fields {
            return Err(FaultCode::NoSuchProperty);
        }
        Ok(frame.base as usize + usize::from(Reg::CONTEXT + field))
    }

    pub(crate) fn set_event_field(&mut self, event: Word, field: u16, value: Word) -> Result<()> {
        let at = self.payload_at(event, field)?;
        let is_pending = self
            .agenda
            .event_at(event)
            .is_some_and(|frame| matches!(frame.stage, Stage::Before | Stage::Planned));
        if is_pending {
            self.agenda.regs[at] = value;
        }
        Ok(())
    }

    pub(crate) fn event_type(agenda_frames: &[Frame], event: Word) -> Option<EventId> {
        let base = u32::try_from(event).ok()?;
        let at = agenda_frames.partition_point(|frame| frame.base < base);
        agenda_frames[at..]
            .iter()
            .take_while(|frame| frame.base == base)
            .find(|frame| frame.is_event())
            .map(|frame| frame.event)
    }
}

/// A bound that needs no computing; null for none.
#[inline]
pub(crate) fn fixed(bound: Bound) -> Option<Word> {
    match bound {
        Bound::None => Some(NULL),
        Bound::Word(word) => Some(word),
        Bound::Computed(_) => None,
    }
}

/// A number within bounds, of which either may be null.
#[inline]
pub(crate) fn within(value: Word, min: Word, max: Word) -> Word {
    let lowered = if max != NULL && value > max { max } else { value };
    if min != NULL && lowered < min { min } else { lowered }
}
