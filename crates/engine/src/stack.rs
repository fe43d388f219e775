//! The players' stack: taking actions, what waits, resolving.
//!
//! What is on the stack is an entity of its rule's own def in the zone
//! [`ZoneId::STACK`]. A *resolving* frame takes it through its end: the event
//! `Action` or `Reaction`, the effects, `finally`, and the item is removed.

use intermezzo_ruleset::{
    ActionId, DefId, EventId, FaultCode, NULL, ReactionId, Reg, RoutineId, Seat, Word, ZoneId, native, word,
};

use crate::agenda::{Fate, Frame, Gives, Stage};
use crate::board::NOBODY;
use crate::core::Core;
use crate::happening::{Happening, Machine, Result};
use crate::log::Status;
use crate::offers::{self, OFFER_HEAD};
use crate::quick;
use crate::tables::symbol_word;
use crate::values::holds;

/// Columns of what is on the stack: the entity whose rule it is …
pub(crate) const HOST: u16 = 1;
/// … the trait whose rule it is …
pub(crate) const VIA: u16 = 2;
/// … whether it is a copy …
pub(crate) const COPIED: u16 = 3;
/// … for a reaction, the id of what set it off …
pub(crate) const TRIGGER: u16 = 4;
/// … what that event's frame kept as its detail …
pub(crate) const DETAIL: u16 = 5;
/// … the batch it looks back on, or 0 …
pub(crate) const BATCH: u16 = 6;
/// … and that event's payload.
pub(crate) const PAYLOAD: u16 = 7;

impl Machine<'_> {
    /// Takes an offer: its code asks for what is open, announces and pays.
    pub(crate) fn take(&mut self, offer: Word) -> Result<()> {
        let &[action, actor, host, via, stamp, ..] = self.core.board.heap.items(offer)? else {
            return Err(FaultCode::NotOffered);
        };
        if stamp != self.core.board.changes && !self.is_still_offered(offer)? {
            return Err(FaultCode::NotOffered);
        }
        let action = self.core.program.actions.get(action as usize).ok_or(FaultCode::NotOffered)?;
        let context = [host, actor, actor, NULL, via];
        let cause = self.cause();
        let base = self.push_routine(action.take, &context, &[], cause)?;
        let params = &self.core.board.heap.items(offer)?[OFFER_HEAD..];
        let wanted = usize::from(self.core.program.routines[action.take.index()].params);
        let count = wanted.min(params.len());
        let first = base + context.len();
        self.core.agenda.regs[first..first + count].copy_from_slice(&params[..count]);
        Ok(())
    }

    fn is_still_offered(&mut self, offer: Word) -> Result<bool> {
        let mut words = self.core.agenda.borrow();
        words.extend_from_slice(self.core.board.heap.items(offer)?);
        let is_offered = self.core.is_offered(&words);
        self.core.agenda.give_back(words);
        is_offered
    }

    /// Runs a routine as code of the frame on top.
    fn push_code(&mut self, routine: RoutineId, context: &[Word; 5], params: &[Word]) -> Result<()> {
        let cause = self.cause();
        self.push_routine(routine, context, params, cause)?;
        Ok(())
    }

    pub(crate) fn push_routine(
        &mut self,
        routine: RoutineId,
        context: &[Word; 5],
        params: &[Word],
        cause: u32,
    ) -> Result<usize> {
        let program = self.core.program;
        let code = program.routines.get(routine.index()).ok_or(FaultCode::Missing)?;
        self.core.meter.steps(1)?;
        let base = self.core.agenda.grow(usize::from(code.registers), program.limits.depth)?;
        let regs = &mut self.core.agenda.regs;
        regs[base..base + context.len()].copy_from_slice(context);
        let count = usize::from(code.params).min(params.len());
        let first = base + context.len();
        regs[first..first + count].copy_from_slice(&params[..count]);
        self.core.agenda.frames.push(Frame::code(program, routine, base, Reg::NONE, cause));
        Ok(base)
    }

    /// The context registers of the code that runs.
    fn own_context(&self) -> [Word; 5] {
        let base = self.core.agenda.frames.last().map_or(0, |frame| frame.base as usize);
        let mut context = [NULL; 5];
        context.copy_from_slice(&self.core.agenda.regs[base..base + 5]);
        context
    }

    fn own_params(&self, first: Reg, count: usize) -> impl Iterator<Item = Word> {
        let base = self.core.agenda.frames.last().map_or(0, |frame| frame.base as usize);
        let at = base + usize::from(first.0);
        (at..at + count).map(|at| self.core.agenda.regs.get(at).copied().unwrap_or(NULL))
    }

    pub(crate) fn announce(&mut self, dst: Reg, action: ActionId) -> Result<()> {
        let name = symbol_word(self.core.program.actions[action.index()].name);
        let [host, _, actor, ..] = self.own_context();
        let happening = Happening { gives: Gives::Applied, ret: dst, ..Happening::of(native::ANNOUNCED) };
        self.begin(happening, &[name, actor, host], &[])
    }

    /// Does an action at once.
    pub(crate) fn perform(&mut self, action: ActionId, params: Reg) -> Result<()> {
        let found = &self.core.program.actions[action.index()];
        let mut words = self.core.agenda.borrow();
        words.push(NULL);
        words.extend(self.own_params(params, found.params.len()));
        let context = self.own_context();
        let cause = self.cause();
        let pushed = self.push_routine(found.perform, &context, &words, cause);
        self.core.agenda.give_back(words);
        pushed?;
        self.become_resolving(native::ACTION, action.0, NULL);
        self.resolving()
    }

    /// Puts an action on the stack.
    pub(crate) fn stack(&mut self, action: ActionId, params: Reg) -> Result<()> {
        let found = &self.core.program.actions[action.index()];
        let [host, _, actor, _, via] = self.own_context();
        let zone = self.core.tables.single(ZoneId::STACK);
        if self.stack_len() >= self.core.program.limits.depth as usize {
            return Err(FaultCode::Depth);
        }
        if self.core.meter.is_quiet && self.core.tables.quick_items[action.index()] {
            return self.stack_quietly(action, params);
        }
        let mut with = self.core.agenda.borrow();
        self.hosted_by(found.def, host, via, &mut with);
        for (param, value) in found.params.iter().zip(self.own_params(params, found.params.len())) {
            with.extend([Word::from(param.prop.0), value]);
        }
        let name = symbol_word(self.core.program.defs[found.def.index()].name);
        let happening = Happening { detail: 1, ..Happening::of(native::CREATED) };
        let begun = self.begin(happening, &[NULL, name, actor, zone, NULL, NULL, NULL], &with);
        self.core.agenda.give_back(with);
        begun
    }

    /// The same if nobody listens to that and nobody keeps the log.
    fn stack_quietly(&mut self, action: ActionId, params: Reg) -> Result<()> {
        let program = self.core.program;
        let found = &program.actions[action.index()];
        let [host, _, actor, _, via] = self.own_context();
        self.core.meter.next_event()?;
        let zone = self.core.tables.single(ZoneId::STACK);
        if !self.core.board.has_room(program, self.core.board.instance(zone)?, NULL) {
            return Err(FaultCode::ZoneFull);
        }
        let item = self.core.board.next_reference(&self.core.agenda.promised_rows());
        self.core.make(item, found.def, actor)?;
        self.core.board.set_cell(item, HOST, host)?;
        if via != NULL {
            self.core.board.set_cell(item, VIA, via)?;
        }
        let first = self.core.agenda.frames.last().map_or(0, |frame| frame.base as usize);
        let first = first + usize::from(params.0);
        for (at, param) in found.params.iter().enumerate() {
            let value = self.core.agenda.regs.get(first + at).copied().unwrap_or(NULL);
            self.core.board.set_cell(item, program.props[param.prop.index()].column, value)?;
        }
        self.core.board.put(program, item, zone, 0)?;
        self.core.board.count_change();
        let pairs = 1 + usize::from(via != NULL) + found.params.len();
        let fields = program.events[native::CREATED.index()].fields.len();
        self.core.meter.words(fields + 1 + 2 * pairs)
    }

    /// The first properties of a new item: whose rule it is.
    pub(crate) fn hosted_by(&self, def: DefId, host: Word, via: Word, with: &mut Vec<Word>) {
        let kind = self.core.program.defs[def.index()].kind;
        let prop = |name| self.core.tables.prop(kind, symbol_word(name)).map_or(0, |prop| Word::from(prop.0));
        with.extend([prop(native::HOST), host]);
        if via != NULL {
            with.extend([prop(native::VIA), via]);
        }
    }

    fn stack_rows(&self) -> &[u32] {
        let zone = self.core.tables.single(ZoneId::STACK);
        u32::try_from(zone).map_or(&[], |zone| self.core.board.zones.rows(zone))
    }

    pub(crate) fn stack_len(&self) -> usize {
        self.stack_rows().len()
    }

    /// Whether an item is being taken to its end already.
    fn is_resolving(&self, item: Word) -> bool {
        let frames = self.core.agenda.frames.iter();
        frames.filter(|frame| frame.stage == Stage::Resolving).any(|frame| frame.by == item)
    }

    /// The topmost item that is not resolving yet.
    pub(crate) fn next_item(&self) -> Option<Word> {
        let mut items = self.stack_rows().iter().map(|row| self.core.board.reference(*row));
        items.find(|item| !self.is_resolving(*item))
    }

    /// Resolves the top of the stack, if there is one.
    pub(crate) fn resolve_top(&mut self) -> Result<()> {
        match self.next_item() {
            Some(item) => {
                self.push_item(item)?;
                self.resolving()
            }
            None => Ok(()),
        }
    }

    pub(crate) fn cell(&self, item: Word, column: u16) -> Result<Word> {
        self.core.board.cell(self.core.board.live(item)?, column)
    }

    /// Pushes the frame that takes an item to its end.
    pub(crate) fn push_item(&mut self, item: Word) -> Result<()> {
        let found = *self.core.board.live(item)?;
        let (host, via) = (self.cell(item, HOST)?, self.cell(item, VIA)?);
        let actor = if found.owner == NOBODY { NULL } else { word::player(Seat(found.owner)) };
        let context = [host, actor, actor, NULL, via];
        if let Some(action) = self.core.tables.action_of(found.def) {
            let program = self.core.program;
            let mut params = self.core.agenda.borrow();
            params.push(item);
            for param in &program.actions[action.index()].params {
                params.push(self.cell(item, program.props[param.prop.index()].column)?);
            }
            let cause = self.cause();
            let pushed = self.push_routine(program.actions[action.index()].perform, &context, &params, cause);
            self.core.agenda.give_back(params);
            pushed?;
            self.become_resolving(native::ACTION, action.0, item);
            return Ok(());
        }
        match self.core.tables.reaction_of(found.def) {
            Some(reaction) => self.push_reaction_item(item, reaction, context),
            None => Err(FaultCode::Missing),
        }
    }

    /// A reaction finds the event that set it off in a frame below it, which is over.
    fn push_reaction_item(&mut self, item: Word, reaction: ReactionId, mut context: [Word; 5]) -> Result<()> {
        let program = self.core.program;
        let found = &program.reactions[reaction.index()];
        let trigger = self.cell(item, TRIGGER)? as u32;
        let base = self.core.push_event(found.event, 0)?;
        for field in 0..program.events[found.event.index()].fields.len() {
            let value = self.cell(item, PAYLOAD + field as u16)?;
            self.core.agenda.regs[base + usize::from(Reg::CONTEXT) + field] = value;
        }
        let detail = self.cell(item, DETAIL)? as u16;
        let frame = self.top();
        (frame.stage, frame.step, frame.detail) = (Stage::After, 1, detail);
        (frame.id, frame.cause) = (trigger, trigger);
        context[usize::from(Reg::EVENT.0)] = base as Word;
        self.core.agenda.trail.note(reaction);
        self.push_routine(found.effects, &context, &[], trigger)?;
        self.become_resolving(native::REACTION, reaction.0, item);
        let batch = self.cell(item, BATCH)? as u32;
        self.top().batch = batch;
        Ok(())
    }

    fn become_resolving(&mut self, event: EventId, rule: u16, item: Word) {
        let frame = self.top();
        frame.stage = Stage::Resolving;
        frame.event = event;
        frame.detail = rule;
        frame.by = item;
        let number = self.core.meter.newest;
        self.top().id = number;
    }

    /// How often the item has failed in this input so far.
    fn failures_of(&self, frame: &Frame) -> usize {
        self.doomed.iter().filter(|doomed| **doomed == frame.id).count()
    }

    /// An item that was under way when the input came and is known to fail: what it was doing is given up.
    /// True if there was one.
    pub(crate) fn fail_started(&mut self) -> Result<bool> {
        let frames = &self.core.agenda.frames;
        let is_doomed = |frame: &Frame| {
            frame.stage == Stage::Resolving && self.doomed.contains(&frame.id) && frame.step > 0
        };
        let Some(at) = frames.iter().position(is_doomed) else { return Ok(false) };
        while self.core.agenda.frames.len() > at + 1 {
            self.core.agenda.drop_top();
        }
        while self.requests.stack.last().is_some_and(|request| request.frame as usize > at) {
            self.requests.drop_top();
        }
        let frame = *self.top();
        self.fail(&frame)?;
        Ok(true)
    }

    /// The item on top fails: it is logged, and only its end is left.
    fn fail(&mut self, frame: &Frame) -> Result<()> {
        let is_twice = self.failures_of(frame) > 1;
        let top = self.top();
        top.fate = Fate::Prevented;
        top.step = if is_twice { 2 } else { 1 };
        let origin = (self.core.meter.next_event()?, frame.cause);
        let payload = self.item_payload(frame);
        self.record_as(Status::Failed, frame.event, origin, &payload, 0, &[])
    }

    /// Takes the item whose frame is on top further, until something else is on top.
    pub(crate) fn resolving(&mut self) -> Result<()> {
        let depth = self.core.agenda.frames.len();
        while self.core.agenda.frames.len() == depth {
            let frame = *self.top();
            self.top().step += 1;
            match frame.step {
                0 => self.come_about(&frame)?,
                1 => self.afterwards(&frame)?,
                2 if self.core.board.entity(frame.by).is_some() => self.remove_item(frame.by)?,
                _ => {
                    self.core.agenda.drop_top();
                    self.look_back_no_more(frame.batch);
                }
            }
        }
        Ok(())
    }

    fn remove_item(&mut self, item: Word) -> Result<()> {
        if self.is_quick(native::REMOVED) {
            let Core { program, board, meter, .. } = &mut self.core;
            return quick::remove(program, board, meter, item);
        }
        self.begin(Happening::of(native::REMOVED), &[item], &[])
    }

    /// Whether nobody listens to a native event and nobody keeps the log.
    fn is_quick(&self, event: EventId) -> bool {
        self.core.meter.is_quiet && self.core.tables.quick_natives[event.index()] && !self.is_planning()
    }

    /// One item less looks back on the batch.
    fn look_back_no_more(&mut self, batch: u32) {
        let held = &mut self.core.agenda.held;
        if let Some(place) = held.iter().position(|other| *other == batch) {
            held.swap_remove(place);
            self.core.agenda.close_batch(batch);
        }
    }

    /// The event of the item on top: what it does follows from it.
    fn come_about(&mut self, frame: &Frame) -> Result<()> {
        if self.failures_of(frame) > 0 {
            return self.fail(frame);
        }
        if !self.is_still_meant(frame)? {
            return self.fall_through(NULL);
        }
        if self.is_quick(frame.event) {
            let Core { program, board, meter, .. } = &mut self.core;
            quick::happen(program, board, meter, frame.event)?;
            let id = self.core.meter.newest;
            return self.push_effects(id);
        }
        let payload = self.item_payload(frame);
        self.begin(Happening::of(frame.event), &payload, &[])?;
        if self.core.tables.is_inline(frame.event) {
            let id = self.core.meter.newest;
            self.push_effects(id)?;
        }
        Ok(())
    }

    fn item_payload(&self, frame: &Frame) -> [Word; 4] {
        let program = self.core.program;
        let base = frame.base as usize;
        let [host, actor] =
            [Reg::SELF, Reg::ACTOR].map(|reg| self.core.agenda.regs[base + usize::from(reg.0)]);
        let name = match frame.event {
            native::ACTION => program.actions[usize::from(frame.detail)].name,
            _ => program.reactions[usize::from(frame.detail)].name,
        };
        [symbol_word(name), actor, host, frame.by]
    }

    /// Whether the targets of an action, or the condition of a reaction, are still there.
    fn is_still_meant(&mut self, frame: &Frame) -> Result<bool> {
        let program = self.core.program;
        let base = frame.base as usize;
        let mut context = [NULL; 5];
        context.copy_from_slice(&self.core.agenda.regs[base..base + 5]);
        if frame.event == native::REACTION {
            let condition = program.reactions[usize::from(frame.detail)].condition;
            return match condition {
                Some(condition) => {
                    Ok(holds(self.core.evaluate_before(condition, &context, &[], frame.batch)?))
                }
                None => Ok(true),
            };
        }
        let action = &program.actions[usize::from(frame.detail)];
        let Some(recheck) = action.recheck else { return Ok(true) };
        let first = base + usize::from(Reg::CONTEXT) + 1;
        let mut params = self.core.agenda.borrow();
        params.extend_from_slice(&self.core.agenda.regs[first..first + action.params.len()]);
        let left = self.core.evaluate_in(recheck, &context, &params);
        self.core.agenda.give_back(params);
        let left = left?;
        if left == NULL {
            return Ok(false);
        }
        for at in 0..action.params.len() {
            let value = self.core.board.heap.field(left, at)?;
            self.core.agenda.regs[first + at] = value;
        }
        Ok(true)
    }

    /// The item on top does not happen.
    fn fall_through(&mut self, by: Word) -> Result<()> {
        let frame = *self.top();
        self.top().fate = Fate::Prevented;
        let origin = (self.core.meter.next_event()?, frame.cause);
        let payload = self.item_payload(&frame);
        self.record_as(Status::Prevented, frame.event, origin, &payload, 0, &[])?;
        let name = symbol_word(self.core.program.events[frame.event.index()].symbol);
        let told = [Word::from(origin.0), name, by];
        self.begin(Happening::of(native::EVENT_PREVENTED), &told, &[])
    }

    /// Runs what the item below the event on top does. The event may have no frame: then the item is on top.
    pub(crate) fn push_effects(&mut self, cause: u32) -> Result<()> {
        let frames = &self.core.agenda.frames;
        let driver = frames.iter().rposition(|frame| frame.stage == Stage::Resolving);
        let driver = frames[driver.ok_or(FaultCode::Missing)?];
        let program = self.core.program;
        let registers = usize::from(program.routines[driver.routine.index()].registers);
        self.core.meter.steps(1)?;
        let base = self.core.agenda.grow(registers, program.limits.depth)?;
        let from = driver.base as usize;
        self.core.agenda.regs.copy_within(from..from + registers, base);
        let code = Frame::code(program, driver.routine, base, Reg::NONE, cause);
        self.core.agenda.frames.push(Frame { batch: driver.batch, ..code });
        Ok(())
    }

    /// What comes last: giving back, and what always happens.
    fn afterwards(&mut self, frame: &Frame) -> Result<()> {
        if frame.event != native::ACTION {
            return Ok(());
        }
        let action = &self.core.program.actions[usize::from(frame.detail)];
        let is_copy = frame.by != NULL && self.cell(frame.by, COPIED).is_ok_and(holds);
        if is_copy {
            return Ok(());
        }
        let base = frame.base as usize;
        let mut context = [NULL; 5];
        context.copy_from_slice(&self.core.agenda.regs[base..base + 5]);
        let first = base + usize::from(Reg::CONTEXT);
        let refund = action.refund.filter(|_| frame.fate == Fate::Prevented);
        // The one pushed last runs first.
        let mut params = self.core.agenda.borrow();
        params.extend_from_slice(&self.core.agenda.regs[first..first + 1 + action.params.len()]);
        let mut all = action.finally.into_iter().chain(refund);
        let pushed = all.try_for_each(|routine| self.push_code(routine, &context, &params));
        self.core.agenda.give_back(params);
        pushed
    }

    /// Prevents what is on the stack.
    pub(crate) fn counter(&mut self, item: Word) -> Result<()> {
        let by = self.reg_of_self();
        let Some(found) = self.core.board.entity(item).copied() else { return Ok(()) };
        let zone = self.core.tables.single(ZoneId::STACK);
        let is_there = Word::from(found.zone) == zone && !self.is_resolving(item);
        let action = self.core.tables.action_of(found.def);
        let may_be = action.is_none_or(|action| self.core.program.actions[action.index()].preventable);
        if !is_there || !may_be {
            return Ok(());
        }
        self.push_item(item)?;
        let frame = *self.top();
        if self.failures_of(&frame) > 0 {
            return self.fail(&frame);
        }
        self.top().step = 1;
        self.fall_through(by)
    }

    // --- abilities -----------------------------------------------------------------

    /// Runs an ability of an entity.
    pub(crate) fn invoke(&mut self, args: Reg, pays: bool, acts: bool) -> Result<()> {
        let words: Vec<Word> = self.own_params(args, 3).collect();
        let id = offers::ability(self.core.program, words[0]).ok_or(FaultCode::OutOfRange)?;
        let action = &self.core.program.actions[id.index()];
        let mut params = vec![NULL];
        // What an ability is aimed at it asks for itself.
        params.resize(1 + action.params.len(), NULL);
        let [_, _, _, event, _] = self.own_context();
        let (host, actor) = (words[1], words[2]);
        let context = [host, actor, actor, event, NULL];
        // The one pushed last runs first.
        if acts {
            self.push_code(action.perform, &context, &params)?;
        }
        if pays { self.push_code(action.pay, &context, &params) } else { Ok(()) }
    }
}
