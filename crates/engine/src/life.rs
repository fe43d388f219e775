//! The life of an event: before reactions, the fold, the log, resets, consequences, after reactions.
//!
//! An event nobody listens to is applied and logged at once; any other gets a
//! frame and goes through its stages, so that reactions may wait.

use intermezzo_ruleset::{FaultCode, Instr, Reg, Reset, Word, native, word};

use crate::agenda::{Fate, Frame, Gives, Stage};
use crate::board::Entity;
use crate::happening::{Happening, Machine, Result};
use crate::values::holds;

/// What an event comes from.
#[derive(Clone, Copy)]
pub(crate) struct Origin {
    /// The event whose life it is part of; 0 for none.
    parent: u32,
    /// The frame of the event it happens instead of.
    replaced: Option<usize>,
}

impl Machine<'_> {
    /// Begins the life of a native event. `with` holds pairs of property and value.
    pub(crate) fn begin(&mut self, happening: Happening, payload: &[Word], with: &[Word]) -> Result<()> {
        if self.is_planning() {
            return self.plan(happening, payload, with);
        }
        let event = happening.event;
        let plain = self.core.program.events[event.index()].routine.is_none();
        if plain && self.core.tables.is_inline(event) {
            return self.apply_at_once(happening, payload, with);
        }
        let origin = self.origin(happening.ret);
        let base = self.core.push_event(event, with.len())? + usize::from(Reg::CONTEXT);
        let regs = &mut self.core.agenda.regs;
        regs[base..base + payload.len()].copy_from_slice(payload);
        let extra = regs.len() - with.len();
        regs[extra..].copy_from_slice(with);
        self.start(happening, origin)
    }

    /// What the event about to begin comes from. Its payload has been taken out of the registers.
    ///
    /// If it is the last thing the last reaction to an event does, that event is over: a chain of
    /// events may be longer than rules may be deep.
    pub(crate) fn origin(&mut self, ret: Reg) -> Origin {
        let origin = Origin { parent: self.cause(), replaced: self.replaced_event() };
        let agenda = &mut self.core.agenda;
        if let [.., event, code] = agenda.frames[..] {
            let is_last = ret == Reg::NONE
                && code.stage == Stage::Code
                && matches!(self.core.program.code.get(code.pc as usize), Some(Instr::Done {}))
                && code.cause == event.id
                && code.ret == Reg::NONE;
            let is_over = event.stage == Stage::After
                && event.ret == Reg::NONE
                && event.batch == 0
                && agenda.reactions.len() == event.reactions as usize;
            if is_last && is_over {
                agenda.trail.pass(agenda.frames.len() - 2, &event, &code);
                agenda.drop_top();
                agenda.drop_top();
            }
        }
        origin
    }

    /// The frame of the event that the running code replaces, if it does.
    pub(crate) fn replaced_event(&self) -> Option<usize> {
        let agenda = &self.core.agenda;
        let code = agenda.frames.last().filter(|frame| frame.stage == Stage::Code)?;
        let event = agenda.regs[code.base as usize + usize::from(Reg::EVENT.0)];
        let base = agenda.event_at(event).filter(|frame| frame.fate == Fate::Replaced)?.base;
        agenda.frames.iter().position(|frame| frame.base == base && frame.is_event())
    }

    /// What has been applied to an event has been applied to what happens instead of it.
    pub(crate) fn inherit_applied(&mut self, replaced: Option<usize>) {
        let Some(at) = replaced else { return };
        let agenda = &mut self.core.agenda;
        // A member's are noted by the driver above it.
        let notes = match agenda.frames[at].stage {
            Stage::Planned => agenda.frames[at..].iter().find(|frame| frame.stage == Stage::Group).copied(),
            _ => agenda.frames.get(at).copied(),
        };
        let first = notes.map_or(agenda.reactions.len(), |frame| frame.reactions as usize);
        let end = agenda.frames.last().map_or(first, |frame| frame.reactions as usize);
        if first < end {
            agenda.reactions.extend_from_within(first..end);
        }
    }

    /// Starts the life of the event whose frame is on top, payload filled in.
    pub(crate) fn start(&mut self, happening: Happening, origin: Origin) -> Result<()> {
        let kind = &self.core.program.events[happening.event.index()];
        let top = self.core.agenda.frames.len() - 1;
        let frame = &mut self.core.agenda.frames[top];
        frame.gives = happening.gives;
        frame.ret = happening.ret;
        frame.detail = happening.detail;
        frame.parent = origin.parent;
        if let Some(unless) = kind.unless
            && holds(self.core.run_event_code(unless)?)
        {
            return self.finish(false);
        }
        let id = self.core.meter.next_event()?;
        let frame = &mut self.core.agenda.frames[top];
        frame.id = id;
        frame.cause = id;
        frame.stage = Stage::Before;
        if !self.core.tables.is_inline(happening.event) {
            // Several prevented events may be told of at once: each waits for its turn.
            let is_open = happening.event == native::EVENT_PREVENTED
                || !self.core.tables.before[happening.event.index()].is_empty();
            if !is_open {
                return self.happens();
            }
            self.inherit_applied(origin.replaced);
            return Ok(());
        }
        self.apply()?;
        if self.core.board.end.is_some() && happening.event == native::MATCH_ENDED {
            return Ok(());
        }
        self.finish(true)
    }

    /// Starts an event that nobody listens to: all there is to it is its fold.
    pub(crate) fn start_quick(&mut self, happening: Happening, apply: Option<u32>) -> Result<()> {
        let id = self.core.meter.next_event()?;
        let top = self.core.agenda.frames.len() - 1;
        let parent = top.checked_sub(1).map_or(0, |below| self.core.agenda.frames[below].cause);
        let frame = &mut self.core.agenda.frames[top];
        frame.gives = happening.gives;
        frame.ret = happening.ret;
        frame.parent = parent;
        frame.id = id;
        frame.cause = id;
        match apply {
            Some(apply) => {
                frame.stage = Stage::Quick;
                frame.pc = apply;
                Ok(())
            }
            None => self.close_quick(),
        }
    }

    /// Logs the event on top, whose fold is done, and ends its life.
    pub(crate) fn close_quick(&mut self) -> Result<()> {
        self.core.board.count_change();
        let frame = *self.top();
        let count = self.core.program.events[frame.event.index()].fields.len();
        if self.log.is_off() && self.core.tables.is_flat(frame.event) {
            self.core.meter.words(count)?;
        } else {
            let first = frame.base as usize + usize::from(Reg::CONTEXT);
            let mut payload = std::mem::take(&mut self.core.agenda.scratch);
            payload.clear();
            payload.extend_from_slice(&self.core.agenda.regs[first..first + count]);
            let outcome = self.record(frame.event, frame.id, frame.parent, &payload, 0, &[]);
            self.core.agenda.scratch = payload;
            outcome?;
        }
        self.finish(true)
    }

    /// Takes the frame on top, which is not code, one step further.
    pub(crate) fn live_on(&mut self) -> Result<()> {
        let Some(frame) = self.core.agenda.frames.last().copied() else {
            return Ok(());
        };
        match frame.stage {
            Stage::Before => self.before(&frame),
            Stage::Resets => self.resets(&frame),
            Stage::After => self.after(&frame),
            Stage::Moving => self.keep_moving(&frame),
            Stage::Group => self.drive(&frame),
            Stage::Resolving => self.resolving(),
            Stage::Leaving => self.leaving(&frame),
            Stage::Code | Stage::Then | Stage::Fold | Stage::Quick | Stage::Asked | Stage::Planned => {
                Err(FaultCode::Missing)
            }
        }
    }

    pub(crate) fn top(&mut self) -> &mut Frame {
        let top = self.core.agenda.frames.len() - 1;
        &mut self.core.agenda.frames[top]
    }

    /// The event on top happens now.
    pub(crate) fn happens(&mut self) -> Result<()> {
        self.apply()?;
        if self.core.agenda.frames.is_empty() {
            return Ok(());
        }
        let top = self.top();
        top.stage = Stage::Resets;
        top.step = 0;
        top.row = 0;
        let frame = *top;
        let kind = &self.core.program.events[frame.event.index()];
        let payload = frame.base as usize + usize::from(Reg::CONTEXT);
        let fields = &self.core.agenda.regs[payload..payload + kind.fields.len()];
        let is_new = frame.event == native::CREATED || self.core.is_renewal(frame.event, fields);
        let is_reset = is_new || !kind.resets.is_empty() || !kind.durations.is_empty();
        if is_reset { Ok(()) } else { self.consequences(&frame) }
    }

    /// Sets back the next property the event on top is to set back.
    fn resets(&mut self, frame: &Frame) -> Result<()> {
        let program = self.core.program;
        let kind = &program.events[frame.event.index()];
        let payload = frame.base as usize + usize::from(Reg::CONTEXT);
        let fields = &self.core.agenda.regs[payload..payload + kind.fields.len()];
        // In a group they were planned with it.
        let is_new = match frame.event {
            native::CREATED => frame.batch == 0,
            event => self.core.is_renewal(event, fields),
        };
        let given = if is_new { self.given_traits(fields[0]) } else { 0 };
        let Some(step) = usize::from(frame.step).checked_sub(given) else {
            // A new object gets its traits first.
            self.top().step += 1;
            return self.give_trait(self.core.agenda.regs[payload], usize::from(frame.step));
        };
        let number = kind.resets.get(step).map(|at| usize::from(*at));
        let Some((number, reset)) = number.and_then(|at| program.resets.get(at).map(|reset| (at, reset)))
        else {
            return self.expire(frame, step - kind.resets.len().min(step));
        };
        let Some(entity) = self.next_to_reset(frame, reset, number)? else {
            let top = self.top();
            top.step += 1;
            top.row = 0;
            return Ok(());
        };
        if let Some(condition) = reset.condition {
            let mut args = std::mem::take(&mut self.core.agenda.scratch);
            args.clear();
            args.push(entity);
            let first = frame.base as usize + usize::from(Reg::CONTEXT);
            args.extend_from_slice(&self.core.agenda.regs[first..first + kind.fields.len()]);
            let holding = self.core.evaluate(condition, Word::from(frame.base), &args);
            self.core.agenda.scratch = args;
            if !holds(holding?) {
                return Ok(());
            }
        }
        let value = self.core.evaluate(reset.to, Word::from(frame.base), &[entity])?;
        self.change(entity, reset.prop, value)
    }

    /// Removes the next trait whose time is up.
    fn expire(&mut self, frame: &Frame, number: usize) -> Result<()> {
        let program = self.core.program;
        let durations = &program.events[frame.event.index()].durations;
        let Some(duration) = durations.get(number).copied().filter(|_| self.core.board.attaches) else {
            return self.consequences(frame);
        };
        let rows = &self.core.board.rows;
        let is_due = |row: &usize| rows[*row].alive && rows[*row].until == duration;
        let Some(row) = (frame.row as usize..rows.len()).find(is_due) else {
            let top = self.top();
            top.step += 1;
            top.row = 0;
            return Ok(());
        };
        self.core.meter.steps(row - frame.row as usize + 1)?;
        let instance = word::entity(self.core.board.rows[row].generation, row as u32);
        self.top().row = row as u32 + 1;
        if let Some(condition) = program.durations[usize::from(duration)].condition {
            let context = self.core.context(instance, Word::from(frame.base));
            if !holds(self.core.evaluate_in(condition, &context, &[])?) {
                return Ok(());
            }
        }
        self.begin(Happening::of(native::REMOVED), &[instance], &[])
    }

    /// The next entity a reset concerns; moves the frame past it. If it concerns all, those that have
    /// the value it sets are passed over.
    fn next_to_reset(&mut self, frame: &Frame, reset: &Reset, number: usize) -> Result<Option<Word>> {
        let (program, tables) = (self.core.program, self.core.tables);
        let (value, kinds) = (tables.reset_values[number], &tables.reset_kinds[number][..]);
        let fits = |entity: &Entity| entity.alive && kinds[entity.kind.index()];
        if !reset.concerning.is_empty() {
            if frame.row > 0 {
                return Ok(None);
            }
            self.top().row = 1;
            let first = frame.base as usize + usize::from(Reg::CONTEXT);
            let fields = reset.concerning.iter();
            return Ok(fields
                .map(|field| self.core.agenda.regs[first + usize::from(*field)])
                .find(|entity| self.core.board.entity(*entity).is_some_and(fits)));
        }
        let (board, column) = (&*self.core.board, program.props[reset.prop.index()].column);
        let has_it = |entity: &Entity| value.is_some_and(|value| board.cell(entity, column) == Ok(value));
        let first = frame.row as usize;
        let rows = board.rows.get(first..).unwrap_or_default();
        let Some(passed) = rows.iter().position(|entity| fits(entity) && !has_it(entity)) else {
            return Ok(None);
        };
        let next = first + passed;
        self.core.meter.steps(passed + 1)?;
        self.top().row = next as u32 + 1;
        Ok(Some(word::entity(self.core.board.rows[next].generation, next as u32)))
    }

    fn consequences(&mut self, frame: &Frame) -> Result<()> {
        if matches!(frame.event, native::ACTION | native::REACTION) {
            let top = self.top();
            (top.stage, top.step) = (Stage::After, 0);
            return self.push_effects(frame.id);
        }
        let then = self.core.program.events[frame.event.index()].then;
        let top = self.top();
        top.step = 0;
        match then {
            Some(then) => {
                top.stage = Stage::Then;
                top.pc = then;
            }
            None => top.stage = Stage::After,
        }
        Ok(())
    }

    /// Ends the life of the event on top.
    pub(crate) fn finish(&mut self, applied: bool) -> Result<()> {
        let frame = *self.top();
        if frame.ret == Reg::NONE {
            self.core.agenda.drop_top();
            return Ok(());
        }
        let first = frame.base as usize + usize::from(Reg::CONTEXT);
        let count = self.core.program.events[frame.event.index()].fields.len();
        let mut payload = std::mem::take(&mut self.core.agenda.scratch);
        payload.clear();
        payload.extend_from_slice(&self.core.agenda.regs[first..first + count]);
        self.core.agenda.drop_top();
        let outcome = self.give(frame.gives, frame.ret, &payload, applied);
        self.core.agenda.scratch = payload;
        outcome
    }

    /// Hands the result of an event to the frame that emitted it, which is on top.
    pub(crate) fn give(&mut self, gives: Gives, ret: Reg, payload: &[Word], applied: bool) -> Result<()> {
        if ret != Reg::NONE
            && let Some(value) = self.outcome_of(gives, payload, applied)?
        {
            self.set_reg(ret, value);
        }
        Ok(())
    }

    /// What an event gives to the code that emitted it, if anything.
    pub(crate) fn outcome_of(
        &mut self,
        gives: Gives,
        payload: &[Word],
        applied: bool,
    ) -> Result<Option<Word>> {
        Ok(Some(match gives {
            Gives::Nothing => return Ok(None),
            Gives::Entity => payload[0],
            Gives::Applied => Word::from(applied),
            Gives::Roll => self.core.board.heap.new_record(&payload[1..3])?,
            Gives::Payload => {
                let record = self.core.board.heap.new_map(payload.len() + 1)?;
                for (index, value) in payload.iter().enumerate() {
                    self.core.board.heap.put(record, index, *value)?;
                }
                self.core.board.heap.put(record, payload.len(), Word::from(applied))?;
                record
            }
        }))
    }

    /// Moves the next entity of a list; those that vanished meanwhile are passed over.
    fn keep_moving(&mut self, frame: &Frame) -> Result<()> {
        let base = frame.base as usize;
        let regs = &self.core.agenda.regs;
        let (list, zone, next, top) = (regs[base], regs[base + 1], regs[base + 2], frame.detail != 0);
        let items = self.core.board.heap.items(list)?;
        let Some(left) = items.len().checked_sub(next as usize + 1) else {
            self.core.agenda.drop_top();
            return Ok(());
        };
        let entity = items[if top { left } else { next as usize }];
        self.core.agenda.regs[base + 2] = next + 1;
        if self.core.board.entity(entity).is_none() {
            return Ok(());
        }
        self.relocate(entity, zone, top, Reg::NONE)
    }
}
