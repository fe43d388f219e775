//! The evaluator: all that pure code needs, which is the program, the board and the frames.
//!
//! [`Evaluator`] computes and, in an event's fold, writes; it never emits events. Matches, log folds and visibility
//! checks all use it.

use intermezzo_program::{FaultCode, KindId, NULL, Program, PropBound, PropId, Reg, RoutineId, Word, native};

use crate::optimize::program_index::ProgramIndex;
use crate::optimize::specializer::CodePiece;
use crate::react::modifiers::RuleContext;
use crate::run::frames::{CodeFrame, Frame, FrameStack, Meter, NO_ROUTINE};
use crate::run::interpreter;
use crate::storage::board::Board;
use crate::values::typed::Shapes;

type Result<T> = std::result::Result<T, FaultCode>;

/// A frame that is reused for several evaluations in a row.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ScratchFrame {
    frame: usize,
    base: usize,
}

/// All that pure code can reach.
pub(crate) struct Evaluator<'a> {
    pub(crate) program: &'a Program,
    pub(crate) tables: &'a ProgramIndex,
    pub(crate) board: &'a mut Board,
    pub(crate) frames: &'a mut FrameStack,
    pub(crate) meter: &'a mut Meter,
}

impl Evaluator<'_> {
    pub(crate) fn shapes(&self) -> Shapes<'_> {
        Shapes { program: self.program, seats: self.board.seats }
    }

    /// Calls a function and returns its value. The frames below are unchanged.
    pub(crate) fn evaluate(&mut self, routine: RoutineId, event: Word, args: &[Word]) -> Result<Word> {
        self.evaluate_in(routine, &[NULL, NULL, NULL, event, NULL], args)
    }

    /// Calls a function with all context registers given.
    pub(crate) fn evaluate_in(
        &mut self,
        routine: RoutineId,
        context: &RuleContext,
        args: &[Word],
    ) -> Result<Word> {
        self.evaluate_looking_back(routine, context, args, 0)
    }

    /// Calls a function that reads last known information: the state just before batch `batch`, or the current state
    /// for 0.
    pub(crate) fn evaluate_looking_back(
        &mut self,
        routine: RoutineId,
        context: &RuleContext,
        args: &[Word],
        batch: u32,
    ) -> Result<Word> {
        if batch == 0 && self.tables.straight.covers(routine) {
            let steps = self.meter.all_steps();
            let straight = self.evaluate_straight(&self.program.routines[routine.index()], context, args);
            if let Some(value) = straight {
                if cfg!(debug_assertions) {
                    self.assert_straight(routine, context, args, (value, steps - self.meter.all_steps()));
                }
                return Ok(value);
            }
        }
        self.evaluate_in_frame(routine, context, args, batch)
    }

    /// Asserts that a frame gives a straight routine the same value at the same cost.
    fn assert_straight(
        &mut self,
        routine: RoutineId,
        context: &RuleContext,
        args: &[Word],
        straight: (Word, u32),
    ) {
        let steps = self.meter.steps_left();
        self.meter.grant_all_steps(self.program);
        let full = self.meter.all_steps();
        let value = self.evaluate_in_frame(routine, context, args, 0);
        assert!(
            self.meter.is_interrupted
                || value == Ok(straight.0) && full - self.meter.all_steps() == straight.1,
            "straight code gives {straight:?}, and {value:?} in a frame"
        );
        self.meter.restore_steps(steps);
    }

    fn evaluate_in_frame(
        &mut self,
        routine: RoutineId,
        context: &RuleContext,
        args: &[Word],
        batch: u32,
    ) -> Result<Word> {
        let floor = self.frames.stack.len();
        let program = self.program;
        let code = program.routines.get(routine.index()).ok_or(FaultCode::Missing)?;
        self.meter.charge_steps(1)?;
        let base = self.frames.push_call(code, context, args, program.limits.depth)?;
        let code = CodeFrame::new(program, routine, base, Reg::NONE, 0);
        self.frames.stack.push(Frame::Code(CodeFrame { batch, ..code }));
        self.meter.enter_nested()?;
        let ran = self.run_to_end(floor);
        self.meter.nesting -= 1;
        ran?;
        Ok(self.frames.returned)
    }

    /// Opens a scratch frame with room for `registers` registers. The caller must close it.
    pub(crate) fn open_scratch_frame(&mut self, registers: usize) -> Result<ScratchFrame> {
        let base = self.frames.push_registers(registers, self.program.limits.depth)?;
        let code =
            CodeFrame { base: base as u32, cause: 0, pc: 0, batch: 0, routine: NO_ROUTINE, ret: Reg::NONE };
        self.frames.stack.push(Frame::Scratch(code));
        self.meter.enter_nested()?;
        Ok(ScratchFrame { frame: self.frames.stack.len() - 1, base })
    }

    pub(crate) fn close_scratch_frame(&mut self, window: ScratchFrame) {
        self.frames.stack.truncate(window.frame);
        self.frames.regs.truncate(window.base);
        self.meter.nesting -= 1;
    }

    /// Evaluates a function without parameters in a scratch frame.
    #[inline]
    pub(crate) fn evaluate_in_scratch(
        &mut self,
        window: ScratchFrame,
        routine: RoutineId,
        context: &RuleContext,
    ) -> Result<Word> {
        let code = self.program.routines.get(routine.index()).ok_or(FaultCode::Missing)?;
        self.meter.charge_steps(1)?;
        let used = window.base..window.base + usize::from(code.registers);
        let regs = self.frames.regs.get_mut(used).ok_or(FaultCode::Missing)?;
        regs.fill(NULL);
        regs[..context.len()].copy_from_slice(context);
        if let Some(Frame::Scratch(frame)) = self.frames.stack.get_mut(window.frame) {
            (frame.routine, frame.pc) = (routine, code.entry);
        }
        self.run_to_end(window.frame)?;
        Ok(self.frames.returned)
    }

    /// Runs a piece of added code for a player and returns its value. If it fails, its scratch frame stays open; the
    /// caller rolls the frames back.
    pub(crate) fn run_piece(&mut self, piece: CodePiece, player: Word) -> Result<Word> {
        let window = self.open_scratch_frame(piece.registers)?;
        self.frames.regs[window.base..][..3].copy_from_slice(&[NULL, player, player]);
        self.frames.stack[window.frame].set_pc(piece.entry);
        self.run_to_end(window.frame)?;
        self.close_scratch_frame(window);
        Ok(self.frames.returned)
    }

    /// Runs code that cannot emit events.
    pub(crate) fn run_to_end(&mut self, floor: usize) -> Result<()> {
        interpreter::run(self, floor).map(|_| ())
    }

    /// Clamps a value to the bounds of a property.
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
        Ok(clamp_to(value, min, max))
    }

    #[inline]
    fn bound(&mut self, bound: PropBound, entity: Word) -> Result<Word> {
        match bound {
            PropBound::None => Ok(NULL),
            PropBound::Word(word) => Ok(word),
            PropBound::Computed(routine) => self.evaluate(routine, NULL, &[entity]),
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
        self.meter.charge_steps(1)?;
        let base = self.frames.push_registers(usize::from(code.registers), program.limits.depth)?;
        if code.params > 0 {
            self.frames.regs[base + usize::from(Reg::CONTEXT)] = entity;
        }
        let batch = self.frames.stack.last().map_or(0, Frame::looks_back_on);
        let code = CodeFrame::new(program, routine, base, dst, 0);
        self.frames.stack.push(Frame::Code(CodeFrame { batch, ..code }));
        Ok(())
    }

    /// Returns the index of the register that holds a payload field of an event.
    fn payload_at(&self, event: Word, field: u16) -> Result<usize> {
        let frame = self.frames.event_at(event).ok_or(FaultCode::Missing)?;
        let fields = self.program.events[frame.event.index()].fields.len();
        if usize::from(field) >= fields {
            return Err(FaultCode::NoSuchProperty);
        }
        Ok(frame.base as usize + usize::from(Reg::CONTEXT + field))
    }

    /// Changes a payload field of an event that has not happened yet. Later changes have no effect.
    pub(crate) fn set_event_field(&mut self, event: Word, field: u16, value: Word) -> Result<()> {
        let at = self.payload_at(event, field)?;
        let is_pending = self.frames.event_at(event).is_some_and(|frame| frame.stage.is_pending());
        if is_pending {
            self.check_rewrite(event, field, self.frames.regs[at], value)?;
            self.frames.regs[at] = value;
        }
        Ok(())
    }

    /// Rejects a new value of a native event's field that does not fit the rest of the event: an entity of another kind
    /// would lack the properties that the event and the rule that caused it rely on.
    fn check_rewrite(&self, event: Word, field: u16, old: Word, new: Word) -> Result<()> {
        let fits = match (self.frames.event_at(event).map(|frame| frame.event), field) {
            (Some(native::MOVED | native::REMOVED | native::CHANGED), 0) => {
                let kind = |entity| self.board.entity(entity).map(|entity| entity.kind);
                match (kind(old), kind(new)) {
                    (Some(old), Some(new)) => self.program.is_kind(new, old),
                    // Nothing happens to an entity that no longer exists.
                    _ => true,
                }
            }
            (Some(native::CREATED), 1) => {
                let kind = |name| {
                    let def = &self.program.defs[self.tables.def(name)?.index()];
                    Some((def.kind, def.is_trait))
                };
                match (kind(old), kind(new)) {
                    (Some(old), Some(new)) => old.1 == new.1 && self.program.is_kind(new.0, old.0),
                    _ => false,
                }
            }
            (Some(native::MOVED), 2) => {
                let moved = self.board.entity(self.frames.regs[self.payload_at(event, 0)?]);
                moved.is_none_or(|entity| self.is_held(new, entity.kind, entity.def))
            }
            (Some(native::CREATED), 3) if new != NULL => {
                let def = self.tables.def(self.frames.regs[self.payload_at(event, 1)?]);
                def.is_none_or(|def| self.is_held(new, self.program.defs[def.index()].kind, def.0))
            }
            // What the engine fills in. Rulesets that were published before may still write it.
            (Some(native::CREATED | native::PLAYER_LEFT), 0) | (Some(native::CHANGED), 1) => false,
            // A trait stays a trait, and nothing else gets a host.
            (Some(native::CREATED), 5) => (old == NULL) == (new == NULL),
            _ => true,
        };
        if fits { Ok(()) } else { Err(FaultCode::WrongKind) }
    }

    fn is_held(&self, zone: Word, kind: KindId, def: u16) -> bool {
        self.board.instance(zone).is_ok_and(|zone| self.board.may_hold(self.program, zone, kind, def))
    }
}

/// Returns a bound that needs no computing, or null if the property is unbounded.
#[inline]
pub(crate) fn constant_bound(bound: PropBound) -> Option<Word> {
    match bound {
        PropBound::None => Some(NULL),
        PropBound::Word(word) => Some(word),
        PropBound::Computed(_) => None,
    }
}

/// Clamps a number to bounds, either of which may be null.
#[inline]
pub(crate) fn clamp_to(value: Word, min: Word, max: Word) -> Word {
    let lowered = if max != NULL && value > max { max } else { value };
    if min != NULL && lowered < min { min } else { lowered }
}
