//! The players' stack: announcing actions, stack items, resolving.
//!
//! A stack item is an entity of its rule's own def in the zone [`ZoneId::STACK`]. A *resolving* frame takes it to
//! its end: the event `Action` or `Reaction`, the effects, `finally`, and removal of the item.

use intermezzo_program::{
    ActionId, DefId, EventId, FaultCode, NULL, ReactionId, Reg, RoutineId, Seat, Word, ZoneId, native, word,
};

use crate::ask::offers::{self, OFFER_HEAD};
use crate::optimize::fast_path::FastPath;
use crate::optimize::program_index::symbol_word;
use crate::run::effects::{EventHeader, Machine, Result};
use crate::run::evaluator::Evaluator;
use crate::run::frames::{
    AfterStep, CodeFrame, DueReaction, EventResult, Frame, ItemRule, LifecycleStage, ResolvingFrame,
};
use crate::run::log::EventStatus;
use crate::storage::board::NOBODY;
use crate::values::arithmetic::holds;

/// Column of a stack item: the entity whose rule it is.
pub(crate) const HOST: u16 = 1;
/// Column of a stack item: the trait whose rule it is.
pub(crate) const VIA: u16 = 2;
/// Column of a stack item: true for a copy.
pub(crate) const COPIED: u16 = 3;
/// Column of a reaction on the stack: the id of the event that triggered it.
pub(crate) const TRIGGER: u16 = 4;
/// Column of a reaction on the stack: the `detail` of the triggering event's frame.
pub(crate) const DETAIL: u16 = 5;
/// Column of a reaction on the stack: the batch whose last known information it reads, or the area event whose
/// limits it counts towards; 0 for neither.
pub(crate) const BATCH: u16 = 6;
/// First column of the triggering event's payload.
pub(crate) const PAYLOAD: u16 = 7;

impl Machine<'_> {
    /// Accepts an offer: runs the code that asks for open parameters, announces the action and pays its costs. An
    /// offer from an earlier state must still be legal.
    pub(crate) fn accept_offer(&mut self, offer: Word) -> Result<()> {
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
        self.core.frames.regs[first..first + count].copy_from_slice(&params[..count]);
        Ok(())
    }

    fn is_still_offered(&mut self, offer: Word) -> Result<bool> {
        let mut words = self.core.frames.borrow_buffer();
        words.extend_from_slice(self.core.board.heap.items(offer)?);
        let is_offered = self.core.is_offered(&words);
        self.core.frames.return_buffer(words);
        is_offered
    }

    /// Runs a routine on behalf of the frame on top.
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
        self.core.meter.charge_steps(1)?;
        let base = self.core.frames.push_call(code, context, params, program.limits.depth)?;
        self.core.frames.stack.push(Frame::code(program, routine, base, Reg::NONE, cause));
        Ok(base)
    }

    /// Returns the context registers of the running code.
    fn own_context(&self) -> [Word; 5] {
        let base = self.core.frames.stack.last().map_or(0, |frame| frame.base() as usize);
        let mut context = [NULL; 5];
        context.copy_from_slice(&self.core.frames.regs[base..base + 5]);
        context
    }

    fn own_params(&self, first: Reg, count: usize) -> impl Iterator<Item = Word> {
        let base = self.core.frames.stack.last().map_or(0, |frame| frame.base() as usize);
        let at = base + usize::from(first.0);
        (at..at + count).map(|at| self.core.frames.regs.get(at).copied().unwrap_or(NULL))
    }

    pub(crate) fn announce(&mut self, dst: Reg, action: ActionId) -> Result<()> {
        let name = symbol_word(self.core.program.actions[action.index()].name);
        let [host, _, actor, ..] = self.own_context();
        let is_heard = !self.core.tables.after[native::ANNOUNCED.index()].is_empty();
        let result = if is_heard { EventResult::Number } else { EventResult::Applied };
        let header = EventHeader { result, ret: dst, ..EventHeader::of(native::ANNOUNCED) };
        self.begin(header, &[name, actor, host], &[])
    }

    /// Runs the reactions after an announcement, once the action is paid for. The event itself is over, so its
    /// frame is rebuilt.
    pub(crate) fn react_to_announcement(&mut self, event: Word, action: ActionId) -> Result<()> {
        let name = symbol_word(self.core.program.actions[action.index()].name);
        let [host, _, actor, ..] = self.own_context();
        let (id, parent) = (u32::try_from(event).map_err(|_| FaultCode::Missing)?, self.cause());
        let first = self.core.push_event(native::ANNOUNCED, 0)? + usize::from(Reg::CONTEXT);
        self.core.frames.regs[first..first + 3].copy_from_slice(&[name, actor, host]);
        let stage = LifecycleStage::After(AfterStep::Collect);
        let top = self.top_event()?;
        (top.id, top.cause, top.parent, top.stage) = (id, id, parent, stage);
        Ok(())
    }

    /// Performs an action at once, without the stack.
    pub(crate) fn perform(&mut self, action: ActionId, params: Reg) -> Result<()> {
        let found = &self.core.program.actions[action.index()];
        let batch = if found.payment.is_some() { self.top().batch() } else { 0 };
        let mut words = self.core.frames.borrow_buffer();
        words.push(NULL);
        words.extend(self.own_params(params, found.params.len()));
        let context = self.own_context();
        let cause = self.cause();
        let pushed = self.push_routine(found.perform, &context, &words, cause);
        self.core.frames.return_buffer(words);
        pushed?;
        self.mark_resolving(ItemRule::Action(action), NULL, batch);
        self.advance_resolution()
    }

    /// Puts an action on the stack. Returns true if that needed no frame.
    pub(crate) fn put_action_on_stack(&mut self, action: ActionId, params: Reg) -> Result<bool> {
        let found = &self.core.program.actions[action.index()];
        let [host, _, actor, _, via] = self.own_context();
        let zone = self.core.tables.single_zone(ZoneId::STACK);
        if self.stack_len() >= self.core.program.limits.depth as usize {
            return Err(FaultCode::Depth);
        }
        let is_plain = found.payment.is_none();
        if is_plain && self.core.meter.is_fast && self.core.tables.fast_items[action.index()] {
            return self.put_on_stack_fast(action, params).map(|()| true);
        }
        let mut with = self.core.frames.borrow_buffer();
        self.push_host_props(found.def, host, via, &mut with);
        for (param, value) in found.params.iter().zip(self.own_params(params, found.params.len())) {
            with.extend([Word::from(param.prop.0), value]);
        }
        if let Some(payment) = found.payment {
            let batch = self.core.frames.stack.last().map_or(0, Frame::batch);
            with.extend([Word::from(payment.0), Word::from(batch)]);
        }
        let name = symbol_word(self.core.program.defs[found.def.index()].name);
        let header = EventHeader { detail: 1, ..EventHeader::of(native::CREATED) };
        let begun = self.begin(header, &[NULL, name, actor, zone, NULL, NULL, NULL], &with);
        self.core.frames.return_buffer(with);
        begun.map(|()| false)
    }

    /// Puts an action on the stack without a frame. Charges what the general path charges.
    fn put_on_stack_fast(&mut self, action: ActionId, params: Reg) -> Result<()> {
        let program = self.core.program;
        let found = &program.actions[action.index()];
        let [host, _, actor, _, via] = self.own_context();
        self.core.meter.next_event()?;
        let zone = self.core.tables.single_zone(ZoneId::STACK);
        if !self.core.board.has_room(program, self.core.board.instance(zone)?, NULL) {
            return Err(FaultCode::ZoneFull);
        }
        let has_promised = self.core.frames.member_count > 0 || !self.core.frames.planned.is_empty();
        let item = match &self.core.tables.blanks[found.def.index()] {
            Some(blank) if !has_promised => {
                self.core.board.check_entity_limit(&program.limits)?;
                let is_owned = self.core.board.is_player(actor);
                let owner = if is_owned { word::seat(actor).0 } else { NOBODY };
                self.core.board.make_blank(program, blank, owner)
            }
            _ => {
                let item = self.core.board.next_reference(&self.core.frames.promised_rows());
                self.core.make(item, found.def, actor)?;
                item
            }
        };
        self.core.board.init_cell(item, HOST, host)?;
        if via != NULL {
            self.core.board.init_cell(item, VIA, via)?;
        }
        let first = self.core.frames.stack.last().map_or(0, |frame| frame.base() as usize);
        let first = first + usize::from(params.0);
        for (at, param) in found.params.iter().enumerate() {
            let value = self.core.frames.regs.get(first + at).copied().unwrap_or(NULL);
            self.core.board.init_cell(item, program.props[param.prop.index()].column, value)?;
        }
        self.core.board.move_to_zone(program, item, zone, 0)?;
        self.core.board.count_change();
        let pairs = 1 + usize::from(via != NULL) + found.params.len();
        let fields = program.events[native::CREATED.index()].fields.len();
        self.core.meter.charge_words(fields + 1 + 2 * pairs)?;
        if !self.log.is_off() {
            self.record_item(item, action, params);
        }
        Ok(())
    }

    /// Records the creation of an action's stack item. All its values are single words.
    fn record_item(&mut self, item: Word, action: ActionId, params: Reg) {
        let program = self.core.program;
        let found = &program.actions[action.index()];
        let [host, _, actor, _, via] = self.own_context();
        let mut with = self.core.frames.borrow_buffer();
        self.push_host_props(found.def, host, via, &mut with);
        for (param, value) in found.params.iter().zip(self.own_params(params, found.params.len())) {
            with.extend([Word::from(param.prop.0), value]);
        }
        let name = symbol_word(program.defs[found.def.index()].name);
        let zone = self.core.tables.single_zone(ZoneId::STACK);
        let (id, cause) = (self.core.meter.newest, self.logged_cause(self.cause()));
        let words = self.log.words();
        let start = words.len();
        words.extend([item, name, actor, zone, 0, NULL, NULL, with.len() as Word / 2]);
        words.extend_from_slice(&with);
        self.log.close(native::CREATED, id, cause, EventStatus::Applied, start);
        self.core.frames.return_buffer(with);
    }

    /// Returns the fast path for events caused by `parent`.
    pub(crate) fn fast_path(&mut self, parent: u32) -> FastPath<'_> {
        let Evaluator { program, board, meter, .. } = &mut self.core;
        FastPath { program, board, meter, log: Some(&mut *self.log), parent }
    }

    /// Adds the first properties of a new stack item: the entity and the trait whose rule it is.
    pub(crate) fn push_host_props(&self, def: DefId, host: Word, via: Word, with: &mut Vec<Word>) {
        let kind = self.core.program.defs[def.index()].kind;
        let prop = |name| self.core.tables.prop(kind, symbol_word(name)).map_or(0, |prop| Word::from(prop.0));
        with.extend([prop(native::HOST), host]);
        if via != NULL {
            with.extend([prop(native::VIA), via]);
        }
    }

    fn stack_rows(&self) -> &[u32] {
        let zone = self.core.tables.single_zone(ZoneId::STACK);
        u32::try_from(zone).map_or(&[], |zone| self.core.board.zones.rows(zone))
    }

    pub(crate) fn stack_len(&self) -> usize {
        self.stack_rows().len()
    }

    fn is_resolving(&self, item: Word) -> bool {
        let frames = self.core.frames.stack.iter();
        frames.filter_map(Frame::as_resolving).any(|frame| frame.item == item)
    }

    /// Returns the topmost stack item that is not resolving yet.
    pub(crate) fn next_item(&self) -> Option<Word> {
        let mut items = self.stack_rows().iter().map(|row| self.core.board.reference(*row));
        items.find(|item| !self.is_resolving(*item))
    }

    /// Resolves the top of the stack, if the stack is not empty.
    pub(crate) fn resolve_top(&mut self) -> Result<()> {
        match self.next_item() {
            Some(item) => {
                self.push_resolution(item)?;
                self.advance_resolution()
            }
            None => Ok(()),
        }
    }

    pub(crate) fn cell(&self, item: Word, column: u16) -> Result<Word> {
        self.core.board.cell(self.core.board.live(item)?, column)
    }

    /// Pushes the frame that resolves a stack item.
    pub(crate) fn push_resolution(&mut self, item: Word) -> Result<()> {
        let found = *self.core.board.live(item)?;
        let (host, via) = (self.cell(item, HOST)?, self.cell(item, VIA)?);
        let actor = if found.owner == NOBODY { NULL } else { word::player(Seat(found.owner)) };
        let context = [host, actor, actor, NULL, via];
        if let Some(action) = self.core.tables.action_of(found.def) {
            let program = self.core.program;
            let mut params = self.core.frames.borrow_buffer();
            params.push(item);
            for param in &program.actions[action.index()].params {
                params.push(self.cell(item, program.props[param.prop.index()].column)?);
            }
            let cause = self.cause();
            let pushed = self.push_routine(program.actions[action.index()].perform, &context, &params, cause);
            self.core.frames.return_buffer(params);
            pushed?;
            self.mark_resolving(ItemRule::Action(action), item, self.payment_of(item));
            return Ok(());
        }
        match self.core.tables.reaction_of(found.def) {
            Some(reaction) => self.push_reaction_item(item, reaction, context),
            None => Err(FaultCode::Missing),
        }
    }

    /// Pushes the frames of a reaction on the stack. Below the resolving frame lies a finished event frame, rebuilt
    /// from the item, in which the code finds the event that triggered it.
    fn push_reaction_item(&mut self, item: Word, reaction: ReactionId, mut context: [Word; 5]) -> Result<()> {
        let program = self.core.program;
        let found = &program.reactions[reaction.index()];
        let (trigger, batch) = (self.cell(item, TRIGGER)? as u32, self.cell(item, BATCH)? as u32);
        let base = self.push_trigger(item, reaction)?;
        context[usize::from(Reg::EVENT.0)] = base as Word;
        self.core.frames.history.note_reaction(reaction, self.core.meter.newest);
        let mut params = self.core.frames.borrow_buffer();
        if let Some(prop) = found.batch_prop {
            params.push(self.cell(item, program.props[prop.index()].column)?);
        }
        for target in &found.targets {
            params.push(self.cell(item, program.props[target.prop.index()].column)?);
        }
        let pushed = self.push_routine(found.effects, &context, &params, trigger);
        self.core.frames.return_buffer(params);
        pushed?;
        self.mark_resolving(ItemRule::Reaction(reaction), item, if found.looks_back { batch } else { 0 });
        Ok(())
    }

    /// Pushes a finished event frame: the event that triggered a reaction, rebuilt from the reaction's stack item.
    /// Returns where its registers begin.
    fn push_trigger(&mut self, item: Word, reaction: ReactionId) -> Result<usize> {
        let program = self.core.program;
        let found = &program.reactions[reaction.index()];
        let (trigger, batch) = (self.cell(item, TRIGGER)? as u32, self.cell(item, BATCH)? as u32);
        let base = self.core.push_event(found.event, 0)?;
        for field in 0..program.events[found.event.index()].fields.len() {
            let value = self.cell(item, PAYLOAD + field as u16)?;
            self.core.frames.regs[base + usize::from(Reg::CONTEXT) + field] = value;
        }
        let detail = self.cell(item, DETAIL)? as u16;
        let step = match batch != 0 && !found.limits.is_empty() {
            true => AfterStep::OfArea { event: batch },
            false => AfterStep::Run { ordered: 0 },
        };
        let frame = self.top_event()?;
        (frame.stage, frame.detail) = (LifecycleStage::After(step), detail);
        (frame.id, frame.cause) = (trigger, trigger);
        Ok(base)
    }

    /// Pushes the code that asks for the targets of a waiting reaction and then puts it on the stack. Returns false if
    /// the reaction has none.
    pub(crate) fn push_aim(&mut self, item: Word) -> Result<bool> {
        let program = self.core.program;
        let entity = *self.core.board.live(item)?;
        let Some(reaction) = self.core.tables.reaction_of(entity.def) else { return Ok(false) };
        let found = &program.reactions[reaction.index()];
        let Some(aim) = found.aim else { return Ok(false) };
        let (host, via) = (self.cell(item, HOST)?, self.cell(item, VIA)?);
        let (trigger, batch) = (self.cell(item, TRIGGER)? as u32, self.cell(item, BATCH)? as u32);
        let you = if entity.owner == NOBODY { NULL } else { word::player(Seat(entity.owner)) };
        let base = self.push_trigger(item, reaction)?;
        self.push_routine(aim, &[host, you, you, base as Word, via], &[item], trigger)?;
        self.top().set_batch(if found.looks_back { batch } else { 0 });
        Ok(true)
    }

    /// Returns true while a player is asked for the targets of a waiting reaction.
    pub(crate) fn is_aiming(&self) -> bool {
        let mut aims = self.core.program.reactions.iter().filter_map(|reaction| reaction.aim);
        aims.any(|aim| {
            self.core.frames.stack.iter().any(|frame| frame.as_code().is_some_and(|code| code.routine == aim))
        })
    }

    /// Makes the code frame on top a frame that first emits the event of its action or reaction. `item` is its stack
    /// item, or null if it is not on the stack.
    pub(crate) fn mark_resolving(&mut self, rule: ItemRule, item: Word, batch: u32) {
        let id = self.core.meter.newest;
        let top = self.top();
        let (base, cause) = (top.base(), top.cause());
        *top = Frame::Resolving(ResolvingFrame {
            base,
            cause,
            id,
            batch,
            rule,
            step: 0,
            is_prevented: false,
            item,
        });
    }

    /// Returns the resolving item on top.
    fn top_item(&mut self) -> Result<&mut ResolvingFrame> {
        match self.core.frames.stack.last_mut() {
            Some(Frame::Resolving(frame)) => Ok(frame),
            _ => Err(FaultCode::Missing),
        }
    }

    /// Returns the number of times the item has failed during this input.
    fn failures_of(&self, frame: &ResolvingFrame) -> usize {
        self.failed_items.iter().filter(|failed| **failed == frame.id).count()
    }

    /// Fails an item that was already resolving when the input came and is known to fail. Drops the frames and
    /// questions above it. Returns true if there was one.
    pub(crate) fn fail_items_under_way(&mut self) -> Result<bool> {
        let frames = &self.core.frames.stack;
        let has_failed = |frame: &Frame| {
            frame.as_resolving().is_some_and(|item| self.failed_items.contains(&item.id) && item.step > 0)
        };
        let Some(at) = frames.iter().position(has_failed) else { return Ok(false) };
        while self.core.frames.stack.len() > at + 1 {
            self.core.frames.pop_frame();
        }
        while self.requests.stack.last().is_some_and(|request| request.frame as usize > at) {
            self.requests.drop_top();
        }
        let frame = *self.top_item()?;
        self.fail_item(&frame)?;
        Ok(true)
    }

    /// Logs that the item on top failed. Only its refund, `finally` and removal are left, or just the removal if
    /// those failed too.
    fn fail_item(&mut self, frame: &ResolvingFrame) -> Result<()> {
        let is_twice = self.failures_of(frame) > 1;
        let top = self.top_item()?;
        top.is_prevented = true;
        top.step = if is_twice { 2 } else { 1 };
        let origin = (self.core.meter.next_event()?, frame.cause);
        let payload = self.item_payload(frame);
        self.record_as(EventStatus::Failed, frame.rule.event(), origin, &payload, 0, &[])
    }

    /// Advances the item on top until another frame is on top.
    pub(crate) fn advance_resolution(&mut self) -> Result<()> {
        let depth = self.core.frames.stack.len();
        while self.core.frames.stack.len() == depth {
            let top = self.top_item()?;
            let frame = *top;
            top.step += 1;
            match frame.step {
                0 => self.start_item_event(&frame)?,
                1 => self.push_refund_and_finally(&frame)?,
                2 if self.core.board.entity(frame.item).is_some() => self.remove_item(frame.item)?,
                _ => {
                    self.core.frames.pop_frame();
                    self.release_batch(frame.batch);
                }
            }
        }
        Ok(())
    }

    fn remove_item(&mut self, item: Word) -> Result<()> {
        if self.is_fast_path(native::REMOVED) {
            let parent = self.cause();
            return self.fast_path(parent).remove(item);
        }
        self.begin(EventHeader::of(native::REMOVED), &[item], &[])
    }

    /// Returns true if a native event has no listeners and nobody stops the match in the middle of an input.
    pub(crate) fn is_fast_path(&self, event: EventId) -> bool {
        self.core.meter.is_fast && self.core.tables.fast_natives[event.index()] && !self.is_planning()
    }

    /// Notes that one item less needs the last known information of the batch.
    pub(crate) fn release_batch(&mut self, batch: u32) {
        let held = &mut self.core.frames.held_batches;
        if let Some(place) = held.iter().position(|other| *other == batch) {
            held.swap_remove(place);
            self.core.frames.close_batch(batch);
        }
    }

    /// Emits the event of the item on top, whose consequence is the item's effects.
    fn start_item_event(&mut self, frame: &ResolvingFrame) -> Result<()> {
        if self.failures_of(frame) > 0 {
            return self.fail_item(frame);
        }
        if !self.is_still_legal(frame)? {
            return self.prevent_item(NULL);
        }
        let event = frame.rule.event();
        let payload = self.item_payload(frame);
        if self.is_fast_path(event) {
            self.fast_path(frame.cause).emit(event, &payload)?;
            let id = self.core.meter.newest;
            return self.push_effects(id);
        }
        self.begin(EventHeader::of(event), &payload, &[])?;
        if self.core.tables.is_inline(event) {
            let id = self.core.meter.newest;
            self.push_effects(id)?;
        }
        Ok(())
    }

    fn item_payload(&self, frame: &ResolvingFrame) -> [Word; 4] {
        let base = frame.base as usize;
        let [host, actor] =
            [Reg::SELF, Reg::ACTOR].map(|reg| self.core.frames.regs[base + usize::from(reg.0)]);
        let name = frame.rule.name_and_effects(self.core.program);
        [name.map_or(NULL, |(name, _)| symbol_word(name)), actor, host, frame.item]
    }

    /// Returns true if an action still has legal targets, or the condition of a reaction still holds. Updates the
    /// targets to those still legal.
    fn is_still_legal(&mut self, frame: &ResolvingFrame) -> Result<bool> {
        let program = self.core.program;
        let base = frame.base as usize;
        let mut context = [NULL; 5];
        context.copy_from_slice(&self.core.frames.regs[base..base + 5]);
        let first = base + usize::from(Reg::CONTEXT);
        match frame.rule {
            ItemRule::Reaction(id) => {
                let source = if context[4] == NULL { context[0] } else { context[4] };
                let due = DueReaction { reaction: id, source };
                if self.is_used_up_on_stack(due, context[usize::from(Reg::EVENT.0)]) {
                    return Ok(false);
                }
                let reaction = &program.reactions[id.index()];
                let is_met = match reaction.condition {
                    Some(condition) => {
                        holds(self.core.evaluate_looking_back(condition, &context, &[], frame.batch)?)
                    }
                    None => true,
                };
                Ok(is_met && self.recheck_targets(reaction.recheck, frame, first, reaction.targets.len())?)
            }
            ItemRule::Action(id) => {
                let action = &program.actions[id.index()];
                self.recheck_targets(action.recheck, frame, first + 1, action.params.len())
            }
        }
    }

    /// Checks the `count` parameters of the item on top, whose first register is `first`. Returns false if a target was
    /// lost; otherwise only those still legal are left.
    fn recheck_targets(
        &mut self,
        recheck: Option<RoutineId>,
        frame: &ResolvingFrame,
        first: usize,
        count: usize,
    ) -> Result<bool> {
        let Some(recheck) = recheck else { return Ok(true) };
        let base = frame.base as usize;
        let mut context = [NULL; 5];
        context.copy_from_slice(&self.core.frames.regs[base..base + 5]);
        let mut params = self.core.frames.borrow_buffer();
        params.extend_from_slice(&self.core.frames.regs[first..first + count]);
        let batch = if matches!(frame.rule, ItemRule::Reaction(_)) { frame.batch } else { 0 };
        let left = self.core.evaluate_looking_back(recheck, &context, &params, batch);
        self.core.frames.return_buffer(params);
        let left = left?;
        if left == NULL {
            return Ok(false);
        }
        for at in 0..count {
            let value = self.core.board.heap.field(left, at)?;
            self.core.frames.regs[first + at] = value;
        }
        Ok(true)
    }

    /// Logs that the item on top was prevented, and emits `EventPrevented`.
    fn prevent_item(&mut self, by: Word) -> Result<()> {
        let top = self.top_item()?;
        top.is_prevented = true;
        let frame = *top;
        let event = frame.rule.event();
        let origin = (self.core.meter.next_event()?, frame.cause);
        let payload = self.item_payload(&frame);
        self.record_as(EventStatus::Prevented, event, origin, &payload, 0, &[])?;
        let name = symbol_word(self.core.program.events[event.index()].symbol);
        let prevented = [Word::from(origin.0), name, by];
        self.begin(EventHeader::of(native::EVENT_PREVENTED), &prevented, &[])
    }

    /// Pushes a frame for the item's effects. The resolving frame may be on top, or below the item's event.
    pub(crate) fn push_effects(&mut self, cause: u32) -> Result<()> {
        let frames = &self.core.frames.stack;
        let driver = *frames.iter().rev().find_map(Frame::as_resolving).ok_or(FaultCode::Missing)?;
        let program = self.core.program;
        let (_, effects) = driver.rule.name_and_effects(program).ok_or(FaultCode::Missing)?;
        let registers = usize::from(program.routines[effects.index()].registers);
        self.core.meter.charge_steps(1)?;
        let base = self.core.frames.push_registers(registers, program.limits.depth)?;
        let from = driver.base as usize;
        self.core.frames.regs.copy_within(from..from + registers, base);
        let code = CodeFrame::new(program, effects, base, Reg::NONE, cause);
        self.core.frames.stack.push(Frame::Code(CodeFrame { batch: driver.batch, ..code }));
        Ok(())
    }

    /// Pushes the refund of a prevented action, and its `finally` code. Copies have neither.
    fn push_refund_and_finally(&mut self, frame: &ResolvingFrame) -> Result<()> {
        let ItemRule::Action(action) = frame.rule else { return Ok(()) };
        let action = &self.core.program.actions[action.index()];
        let is_copy = frame.item != NULL && self.cell(frame.item, COPIED).is_ok_and(holds);
        if is_copy {
            return Ok(());
        }
        let base = frame.base as usize;
        let mut context = [NULL; 5];
        context.copy_from_slice(&self.core.frames.regs[base..base + 5]);
        let first = base + usize::from(Reg::CONTEXT);
        let refund = action.refund.filter(|_| frame.is_prevented);
        // The frame pushed last runs first.
        let mut params = self.core.frames.borrow_buffer();
        params.extend_from_slice(&self.core.frames.regs[first..first + 1 + action.params.len()]);
        let mut all = action.finally.into_iter().chain(refund);
        let pushed = all.try_for_each(|routine| self.push_code(routine, &context, &params));
        self.core.frames.return_buffer(params);
        pushed
    }

    /// Counters a stack item, unless it is resolving or not preventable.
    pub(crate) fn counter_item(&mut self, item: Word) -> Result<()> {
        // In an action of the game itself, the first target stands for `self`. It does not prevent itself.
        let by = Some(self.reg_of_self()).filter(|by| *by != item).unwrap_or(NULL);
        let Some(found) = self.core.board.entity(item).copied() else { return Ok(()) };
        let zone = self.core.tables.single_zone(ZoneId::STACK);
        let is_there = Word::from(found.zone) == zone && !self.is_resolving(item);
        let action = self.core.tables.action_of(found.def);
        let may_be = action.is_none_or(|action| self.core.program.actions[action.index()].preventable);
        if !is_there || !may_be {
            return Ok(());
        }
        self.push_resolution(item)?;
        let frame = *self.top_item()?;
        if self.failures_of(&frame) > 0 {
            return self.fail_item(&frame);
        }
        self.top_item()?.step = 1;
        self.prevent_item(by)
    }

    // --- abilities -----------------------------------------------------------------

    /// Runs an ability of an entity.
    pub(crate) fn invoke_ability(&mut self, args: Reg, pays: bool, acts: bool) -> Result<()> {
        let words: Vec<Word> = self.own_params(args, 3).collect();
        let id = offers::find_ability(self.core.program, words[0]).ok_or(FaultCode::OutOfRange)?;
        let action = &self.core.program.actions[id.index()];
        let mut params = vec![NULL];
        // An ability asks for its targets itself.
        params.resize(1 + action.params.len(), NULL);
        let [_, _, _, event, _] = self.own_context();
        let (host, actor) = (words[1], words[2]);
        let context = [host, actor, actor, event, NULL];
        match (pays, acts) {
            (true, true) => self.push_code(action.take, &context, &params),
            (true, false) => self.push_code(action.pay, &context, &params),
            (false, true) => self.push_code(action.perform, &context, &params),
            (false, false) => Ok(()),
        }
    }
}
