//! The life cycle of an event: `before` reactions, fold, log, resets, consequences, `after` reactions.
//!
//! An event without listeners is applied and logged at once. Any other gets a frame and advances through its
//! stages, so that reactions may wait for answers.

use intermezzo_program::{FaultCode, Instr, KindId, NULL, PropReset, Reg, Word, native, word};

use crate::run::effects::{EventHeader, Machine, Result};
use crate::run::frames::{AfterStep, Disposition, EventFrame, EventResult, Frame, LifecycleStage, MoveFrame};
use crate::storage::board::Entity;
use crate::values::arithmetic::holds;

/// The origin of an event.
#[derive(Clone, Copy)]
pub(crate) struct EventOrigin {
    /// The event that caused it; 0 for none.
    parent: u32,
    /// Index of the frame of the event it replaces.
    replaced: Option<usize>,
}

impl Machine<'_> {
    /// Begins the life cycle of a native event. `with` holds pairs of property and value.
    pub(crate) fn begin(&mut self, header: EventHeader, payload: &[Word], with: &[Word]) -> Result<()> {
        if self.is_planning() {
            return self.plan(header, payload, with);
        }
        let event = header.event;
        let plain = self.core.program.events[event.index()].routine.is_none();
        if plain && self.core.tables.is_inline(event) {
            return self.apply_at_once(header, payload, with);
        }
        let origin = self.origin(header.ret);
        let base = self.core.push_event(event, with.len())? + usize::from(Reg::CONTEXT);
        let regs = &mut self.core.frames.regs;
        regs[base..base + payload.len()].copy_from_slice(payload);
        let extra = regs.len() - with.len();
        regs[extra..].copy_from_slice(with);
        self.start(header, origin)
    }

    /// Returns the origin of the event about to begin. The caller has already copied the payload out of the
    /// registers, because this may pop frames.
    ///
    /// If the event is the last effect of the last reaction to another event, that event is over. Its frames are
    /// popped, as in a tail call, so that a chain of events may be longer than the depth limit.
    pub(crate) fn origin(&mut self, ret: Reg) -> EventOrigin {
        let origin = EventOrigin { parent: self.cause(), replaced: self.replaced_event() };
        let frames = &mut self.core.frames;
        if let [.., Frame::Event(event), Frame::Code(code)] = frames.stack[..] {
            let is_last = ret == Reg::NONE
                && matches!(self.core.program.code.get(code.pc as usize), Some(Instr::Done {}))
                && code.cause == event.id
                && code.ret == Reg::NONE;
            // Before the reactions are collected, the effects of an action or reaction run.
            let is_over = matches!(event.stage, LifecycleStage::After(step) if step != AfterStep::Collect)
                && event.ret == Reg::NONE
                && event.batch == 0
                && frames.reactions.len() == event.reactions as usize;
            if is_last && is_over {
                frames.history.note_tail_call(frames.stack.len() - 2, &event, &code);
                frames.pop_frame();
                frames.pop_frame();
            }
        }
        origin
    }

    /// Returns the index of the frame of the event that the running code replaces, if any.
    pub(crate) fn replaced_event(&self) -> Option<usize> {
        let frames = &self.core.frames;
        let code = frames.stack.last()?.as_code()?;
        let event = frames.regs[code.base as usize + usize::from(Reg::EVENT.0)];
        let at = frames.event_index(event)?;
        frames.event(at).is_ok_and(|event| event.disposition == Disposition::Replaced).then_some(at)
    }

    /// Marks the reactions already applied to a replaced event as applied to its replacement, so that they do not
    /// apply twice.
    pub(crate) fn inherit_applied(&mut self, replaced: Option<usize>) {
        let Some(at) = replaced else { return };
        let frames = &mut self.core.frames;
        // For a member of a group, the group's frame above it holds the applied reactions.
        let notes = match frames.stack[at].as_event() {
            Some(event) if event.stage == LifecycleStage::Planned => {
                frames.stack[at..].iter().find_map(Frame::as_group).map(|group| group.reactions)
            }
            event => event.map(|event| event.reactions),
        };
        let first = notes.map_or(frames.reactions.len(), |first| first as usize);
        let end = match frames.stack.last() {
            Some(Frame::Event(event)) => event.reactions as usize,
            Some(Frame::Group(group)) => group.reactions as usize,
            _ => first,
        };
        if first < end {
            frames.reactions.extend_from_within(first..end);
        }
    }

    /// Starts the life cycle of the event whose frame is on top, with its payload filled in.
    pub(crate) fn start(&mut self, header: EventHeader, origin: EventOrigin) -> Result<()> {
        let kind = &self.core.program.events[header.event.index()];
        let top = self.core.frames.stack.len() - 1;
        let frame = self.core.frames.event_mut(top)?;
        frame.result = header.result;
        frame.ret = header.ret;
        frame.detail = header.detail;
        frame.parent = origin.parent;
        if let Some(unless) = kind.unless
            && holds(self.core.run_event_code(unless)?)
        {
            return self.finish(false);
        }
        let id = self.core.meter.next_event()?;
        let frame = self.core.frames.event_mut(top)?;
        frame.id = id;
        frame.cause = id;
        frame.stage = LifecycleStage::BEFORE;
        if !self.core.tables.is_inline(header.event) {
            // Several `EventPrevented` events may begin at once. Keep each in its frame until its turn comes.
            let is_open = header.event == native::EVENT_PREVENTED
                || !self.core.tables.before[header.event.index()].is_empty();
            if !is_open {
                return self.commit_top();
            }
            self.inherit_applied(origin.replaced);
            return Ok(());
        }
        match self.apply() {
            Err(FaultCode::ZoneFull) => return self.prevent_top(),
            applied => applied?,
        }
        if self.core.board.end.is_some() && header.event == native::MATCH_ENDED {
            return Ok(());
        }
        self.update_grants()?;
        self.finish(true)
    }

    /// Starts an event without listeners: only its fold runs.
    pub(crate) fn start_fast_path(&mut self, header: EventHeader, apply: Option<u32>) -> Result<()> {
        let id = self.core.meter.next_event()?;
        let top = self.core.frames.stack.len() - 1;
        let parent = top.checked_sub(1).map_or(0, |below| self.core.frames.stack[below].cause());
        let frame = self.core.frames.event_mut(top)?;
        frame.result = header.result;
        frame.ret = header.ret;
        frame.parent = parent;
        frame.id = id;
        frame.cause = id;
        match apply {
            Some(apply) => {
                frame.stage = LifecycleStage::FastPath;
                frame.pc = apply;
                Ok(())
            }
            None => self.finish_fast_path(),
        }
    }

    /// Logs the event on top after its fold and ends its life cycle.
    pub(crate) fn finish_fast_path(&mut self) -> Result<()> {
        self.core.board.count_change();
        let frame = *self.top_event()?;
        let count = self.core.program.events[frame.event.index()].fields.len();
        if self.log.is_off() && self.core.tables.is_flat(frame.event) {
            self.core.meter.charge_words(count)?;
        } else {
            let first = frame.base as usize + usize::from(Reg::CONTEXT);
            let mut payload = std::mem::take(&mut self.core.frames.scratch);
            payload.clear();
            payload.extend_from_slice(&self.core.frames.regs[first..first + count]);
            let outcome = self.record(frame.event, frame.id, frame.parent, &payload, 0, &[]);
            self.core.frames.scratch = payload;
            outcome?;
        }
        self.update_grants()?;
        self.finish(true)
    }

    /// Advances the top frame, which runs no code, by one step.
    pub(crate) fn advance_top(&mut self) -> Result<()> {
        let Some(frame) = self.core.frames.stack.last().copied() else {
            return Ok(());
        };
        if self.is_planning() {
            // The reaction that replaces a member of a group has ended.
            return self.insert_replacement();
        }
        match frame {
            Frame::Event(event) => match event.stage {
                LifecycleStage::Before { asks_order } => self.advance_before(&event, asks_order),
                LifecycleStage::Resets { .. } => self.run_next_reset(&event),
                LifecycleStage::After(step) => self.advance_after(&event, step),
                LifecycleStage::Then
                | LifecycleStage::Fold
                | LifecycleStage::FastPath
                | LifecycleStage::Planned => Err(FaultCode::Missing),
            },
            Frame::MovingList(list) => self.move_next(&list),
            Frame::Group(group) => self.advance_group(&group),
            Frame::Resolving(_) => self.advance_resolution(),
            Frame::Leaving(leave) => self.settle_leave(&leave),
            Frame::Code(_) | Frame::Scratch(_) => Err(FaultCode::Missing),
        }
    }

    pub(crate) fn top(&mut self) -> &mut Frame {
        let top = self.core.frames.stack.len() - 1;
        &mut self.core.frames.stack[top]
    }

    /// Returns the event on top.
    #[inline]
    pub(crate) fn top_event(&mut self) -> Result<&mut EventFrame> {
        self.core.frames.stack.last_mut().and_then(Frame::as_event_mut).ok_or(FaultCode::Missing)
    }

    /// Ends the life cycle of the event on top as prevented by nobody: its zone is full, or its entity is gone.
    pub(crate) fn prevent_top(&mut self) -> Result<()> {
        let top = self.top_event()?;
        (top.stage, top.disposition, top.by) = (LifecycleStage::BEFORE, Disposition::Prevented, NULL);
        let frame = *top;
        self.core.frames.reactions.truncate(frame.reactions as usize);
        self.finish_prevented(&frame)
    }

    /// Commits the event on top and starts its resets or consequences.
    pub(crate) fn commit_top(&mut self) -> Result<()> {
        let base = self.top().base();
        self.core.frames.end_secret_question(base);
        match self.apply() {
            Err(FaultCode::ZoneFull) => return self.prevent_top(),
            applied => applied?,
        }
        if self.core.frames.stack.is_empty() {
            return Ok(());
        }
        self.update_grants()?;
        let top = self.top_event()?;
        top.stage = LifecycleStage::FIRST_RESET;
        let frame = *top;
        let kind = &self.core.program.events[frame.event.index()];
        let payload = frame.base as usize + usize::from(Reg::CONTEXT);
        let fields = &self.core.frames.regs[payload..payload + kind.fields.len()];
        let is_new = frame.event == native::CREATED || self.core.is_renewal(frame.event, fields);
        let is_reset = is_new || !kind.resets.is_empty() || !kind.durations.is_empty();
        if is_reset { Ok(()) } else { self.start_consequences(&frame) }
    }

    /// Runs the next reset of the event on top that has something to do.
    fn run_next_reset(&mut self, frame: &EventFrame) -> Result<()> {
        let mut frame = *frame;
        while let LifecycleStage::Resets { step, row } = frame.stage
            && self.is_reset_over(&frame, usize::from(step), row)?
        {
            let top = self.top_event()?;
            top.stage = LifecycleStage::Resets { step: step + 1, row: 0 };
            frame = *top;
        }
        Ok(())
    }

    /// Runs a reset of the event on top once. Returns true if it has nothing left to do.
    fn is_reset_over(&mut self, frame: &EventFrame, at: usize, row: u32) -> Result<bool> {
        let program = self.core.program;
        let kind = &program.events[frame.event.index()];
        let payload = frame.base as usize + usize::from(Reg::CONTEXT);
        let fields = &self.core.frames.regs[payload..payload + kind.fields.len()];
        // In a group, the traits of a created entity were planned together with it.
        let is_new = match frame.event {
            native::CREATED => frame.batch == 0,
            event => program.copies.is_empty() && self.core.is_renewal(event, fields),
        };
        let given = if is_new { self.initial_trait_count(fields[0]) } else { 0 };
        let Some(step) = at.checked_sub(given) else {
            // A new object gets its traits before any reset.
            self.top_event()?.stage = LifecycleStage::Resets { step: at as u16 + 1, row };
            self.attach_initial_trait(self.core.frames.regs[payload], at)?;
            return Ok(false);
        };
        let number = kind.resets.get(step).map(|at| usize::from(*at));
        let Some((number, reset)) = number.and_then(|at| program.resets.get(at).map(|reset| (at, reset)))
        else {
            return self.expire_next(frame, step - kind.resets.len().min(step), row);
        };
        let Some(entity) = self.next_to_reset(frame, reset, number, row)? else { return Ok(true) };
        if let Some(condition) = reset.condition {
            let mut args = std::mem::take(&mut self.core.frames.scratch);
            args.clear();
            args.push(entity);
            let first = frame.base as usize + usize::from(Reg::CONTEXT);
            args.extend_from_slice(&self.core.frames.regs[first..first + kind.fields.len()]);
            let holding = self.core.evaluate(condition, Word::from(frame.base), &args);
            self.core.frames.scratch = args;
            if !holds(holding?) {
                return Ok(false);
            }
        }
        let value = self.core.evaluate(reset.to, Word::from(frame.base), &[entity])?;
        self.change(entity, reset.prop, value)?;
        Ok(false)
    }

    /// Removes the next trait whose duration ends with this event. Returns true if none is left with this duration.
    fn expire_next(&mut self, frame: &EventFrame, number: usize, next: u32) -> Result<bool> {
        let program = self.core.program;
        let durations = &program.events[frame.event.index()].durations;
        let (rows, timed) = (&self.core.board.rows, self.core.board.sources.timed());
        let Some(duration) = durations.get(number).copied().filter(|_| !timed.is_empty()) else {
            self.start_consequences(frame)?;
            return Ok(false);
        };
        let mut later = timed.iter().copied().filter(|row| *row >= next);
        let Some(row) = later.find(|row| rows[*row as usize].until == duration) else { return Ok(true) };
        self.core.meter.charge_steps((row - next) as usize + 1)?;
        let instance = self.core.board.reference(row);
        self.note_next_row(row + 1)?;
        if let Some(condition) = program.durations[usize::from(duration)].condition {
            let context = self.core.context(instance, Word::from(frame.base));
            if !holds(self.core.evaluate_in(condition, &context, &[])?) {
                return Ok(false);
            }
        }
        self.begin(EventHeader::of(native::REMOVED), &[instance], &[])?;
        Ok(false)
    }

    /// Returns the next entity that a reset applies to and moves the frame past it. A reset of all entities skips
    /// those that already have the value.
    fn next_to_reset(
        &mut self,
        frame: &EventFrame,
        reset: &PropReset,
        number: usize,
        row: u32,
    ) -> Result<Option<Word>> {
        let (program, tables) = (self.core.program, self.core.tables);
        let (value, kinds) = (tables.reset_values[number], &tables.reset_kinds[number][..]);
        let fits = |entity: &Entity| entity.alive && kinds[entity.kind.index()];
        if !reset.concerning.is_empty() {
            if row > 0 {
                return Ok(None);
            }
            self.note_next_row(1)?;
            let first = frame.base as usize + usize::from(Reg::CONTEXT);
            let fields = reset.concerning.iter();
            return Ok(fields
                .map(|field| self.core.frames.regs[first + usize::from(*field)])
                .find(|entity| self.core.board.entity(*entity).is_some_and(fits)));
        }
        let (board, column) = (&*self.core.board, program.props[reset.prop.index()].column);
        let has_it = |entity: &Entity| value.is_some_and(|value| board.cell(entity, column) == Ok(value));
        let first = row as usize;
        let bit = if tables.tracked_resets[number] { 1 << (column & 63) } else { 0 };
        if first == 0 && board.reset_columns & bit != 0 {
            debug_assert!(
                !board.rows.iter().any(|entity| fits(entity) && !has_it(entity)),
                "nothing has changed"
            );
            return Ok(None);
        }
        // Players have the first rows.
        let end = if reset.kind == KindId::PLAYER { 1 + usize::from(board.seats) } else { board.rows.len() };
        let rows = board.rows.get(first..end).unwrap_or_default();
        let Some(passed) = rows.iter().position(|entity| fits(entity) && !has_it(entity)) else {
            if first == 0 {
                self.core.board.reset_columns |= bit;
            }
            return Ok(None);
        };
        let next = first + passed;
        self.core.meter.charge_steps(passed + 1)?;
        self.note_next_row(next as u32 + 1)?;
        Ok(Some(word::entity(self.core.board.rows[next].generation, next as u32)))
    }

    /// Sets the next row that the reset of the event on top considers.
    fn note_next_row(&mut self, next: u32) -> Result<()> {
        if let LifecycleStage::Resets { row, .. } = &mut self.top_event()?.stage {
            *row = next;
        }
        Ok(())
    }

    fn start_consequences(&mut self, frame: &EventFrame) -> Result<()> {
        if matches!(frame.event, native::ACTION | native::REACTION) && frame.ret == Reg::NONE {
            self.top_event()?.stage = LifecycleStage::After(AfterStep::Collect);
            return self.push_effects(frame.id);
        }
        if frame.result == EventResult::Number {
            return self.finish(true);
        }
        let then = self.core.program.events[frame.event.index()].then;
        let top = self.top_event()?;
        match then {
            Some(then) => {
                top.stage = LifecycleStage::Then;
                top.pc = then;
            }
            None => top.stage = LifecycleStage::After(AfterStep::Collect),
        }
        Ok(())
    }

    /// Ends the life cycle of the event on top.
    pub(crate) fn finish(&mut self, applied: bool) -> Result<()> {
        let frame = *self.top_event()?;
        if frame.ret == Reg::NONE || frame.result == EventResult::Number {
            self.core.frames.pop_frame();
            self.set_reg(frame.ret, if applied { Word::from(frame.id) } else { 0 });
            return Ok(());
        }
        let first = frame.base as usize + usize::from(Reg::CONTEXT);
        let count = self.core.program.events[frame.event.index()].fields.len();
        let mut payload = std::mem::take(&mut self.core.frames.scratch);
        payload.clear();
        payload.extend_from_slice(&self.core.frames.regs[first..first + count]);
        self.core.frames.pop_frame();
        let outcome = self.deliver_result(frame.result, frame.ret, &payload, applied);
        self.core.frames.scratch = payload;
        outcome
    }

    /// Writes the result of an event to a register of the top frame, which emitted it.
    pub(crate) fn deliver_result(
        &mut self,
        result: EventResult,
        ret: Reg,
        payload: &[Word],
        applied: bool,
    ) -> Result<()> {
        if ret != Reg::NONE
            && let Some(value) = self.result_of(result, payload, applied)?
        {
            self.set_reg(ret, value);
        }
        Ok(())
    }

    /// Returns the result of an event for the code that emitted it, if it wants one.
    pub(crate) fn result_of(
        &mut self,
        result: EventResult,
        payload: &[Word],
        applied: bool,
    ) -> Result<Option<Word>> {
        Ok(Some(match result {
            EventResult::Nothing => return Ok(None),
            EventResult::Entity => payload[0],
            // The number is delivered by `finish`, which knows it.
            EventResult::Applied | EventResult::Number => Word::from(applied),
            EventResult::Roll => self.core.board.heap.new_record(&payload[1..3])?,
            EventResult::Payload => {
                let record = self.core.board.heap.new_map(payload.len() + 1)?;
                for (index, value) in payload.iter().enumerate() {
                    self.core.board.heap.put(record, index, *value)?;
                }
                self.core.board.heap.put(record, payload.len(), Word::from(applied))?;
                record
            }
        }))
    }

    /// Moves the next entity of a list. Skips entities that no longer exist.
    fn move_next(&mut self, frame: &MoveFrame) -> Result<()> {
        let base = frame.base as usize;
        let regs = &self.core.frames.regs;
        let (list, zone, next, top) = (regs[base], regs[base + 1], regs[base + 2], frame.is_top);
        let items = self.core.board.heap.items(list)?;
        let Some(left) = items.len().checked_sub(next as usize + 1) else {
            self.core.frames.pop_frame();
            return Ok(());
        };
        let entity = items[if top { left } else { next as usize }];
        self.core.frames.regs[base + 2] = next + 1;
        if self.core.board.entity(entity).is_none() {
            return Ok(());
        }
        self.move_entity(entity, zone, top, Reg::NONE)
    }
}
