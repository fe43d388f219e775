//! State checks and settling: runs state checks, puts waiting reactions on the stack and resolves the stack,
//! until the match is at rest.

use intermezzo_program::{
    DefId, FaultCode, KindId, LimitScope, NULL, ReactionLimit, Reg, RoutineId, Seat, Word, ZoneId, native,
    word,
};

use crate::optimize::dependencies;
use crate::optimize::program_index::symbol_word;
use crate::optimize::specializer::CodePiece;
use crate::react::last_known::batch_of;
use crate::run::effects::{EventHeader, Machine, Result};
use crate::run::evaluator::Evaluator;
use crate::run::frames::{AfterStep, DueReaction, EventFrame, Frame, LeaveFrame, LifecycleStage};
use crate::run::stack::{BATCH, DETAIL, HOST, PAYLOAD, TRIGGER, VIA};
use crate::storage::board::NOBODY;
use crate::storage::zones::NOWHERE;

impl Machine<'_> {
    /// Creates the stack item of a reaction. It waits in no zone until the match settles.
    pub(crate) fn create_waiting_item(
        &mut self,
        due: DueReaction,
        frame: &EventFrame,
        item: DefId,
    ) -> Result<()> {
        let program = self.core.program;
        let reaction = &program.reactions[due.reaction.index()];
        let counts_per_event = |limit: &ReactionLimit| limit.on_use && limit.scope == LimitScope::Event;
        let batch = if reaction.looks_back { batch_of(frame) } else { 0 };
        if reaction.looks_back {
            self.core.frames.held_batches.push(batch);
        }
        // The item also remembers the area event that its limits count for, unless that is the event itself.
        let area = if reaction.limits.iter().any(counts_per_event) { self.area_event(frame) } else { 0 };
        let area = if area == frame.id { 0 } else { area };
        let [host, you, _, _, via] = self.core.context_before(due.source, NULL, batch);
        let mut with = Vec::new();
        self.push_host_props(item, host, via, &mut with);
        let props = &program.kinds[program.defs[item.index()].kind.index()].props;
        let prop = |column: u16| {
            let found = props.iter().find(|prop| program.props[prop.index()].column == column);
            found.map_or(0, |prop| Word::from(prop.0))
        };
        with.extend([prop(TRIGGER), Word::from(frame.id), prop(DETAIL), Word::from(frame.detail)]);
        with.extend([prop(BATCH), Word::from(if reaction.looks_back { batch } else { area })]);
        let first = frame.base as usize + usize::from(Reg::CONTEXT);
        for (at, field) in program.events[frame.event.index()].fields.iter().enumerate() {
            let ty = crate::storage::fold::field_type(program, field.ty, frame.detail);
            let is_any = program.types[field.ty.index()] == intermezzo_program::Type::Any;
            // No rule can read a list from a payload field of type `any`, so it is dropped.
            let is_lost = is_any && self.core.tables.is_heaped(ty);
            let value = if is_lost { NULL } else { self.core.frames.regs[first + at] };
            with.extend([prop(PAYLOAD + at as u16), value]);
        }
        if let Some(listed) = self.listed_batch(due, frame)?
            && let Some(prop) = reaction.batch_prop
        {
            with.extend([Word::from(prop.0), listed]);
        }
        self.core.frames.has_waiting = true;
        let name = symbol_word(program.defs[item.index()].name);
        self.begin(EventHeader::of(native::CREATED), &[NULL, name, you, NULL, NULL, NULL, NULL], &with)
    }

    /// Returns the waiting reactions in order, each with its negated priority and its controller.
    fn waiting_reactions(&mut self) -> Result<Vec<(i64, u8, Word)>> {
        let rows = &self.core.board.rows;
        self.core.meter.charge_steps(rows.len() / 8)?;
        let mut found = Vec::new();
        for (row, entity) in rows.iter().enumerate() {
            let is_waiting = entity.alive
                && entity.zone == NOWHERE
                && self.core.program.is_kind(entity.kind, KindId::REACTION);
            let Some(reaction) = self.core.tables.reaction_of(entity.def).filter(|_| is_waiting) else {
                continue;
            };
            let item = word::entity(entity.generation, row as u32);
            let trigger = self.cell(item, TRIGGER)?;
            let (host, via) = (self.cell(item, HOST)?, self.cell(item, VIA)?);
            let source = if via == NULL { host } else { via };
            let place = self.order_key(reaction, source, entity.owner);
            found.push((place, trigger, row, entity.owner, item));
        }
        found.sort_unstable();
        Ok(found.into_iter().map(|(place, _, _, owner, item)| (place.0, owner, item)).collect())
    }

    /// Decides the order of the waiting reactions. Returns false if a player must be asked first.
    fn order_waiting(&mut self) -> Result<bool> {
        if std::mem::take(&mut self.core.frames.asks_order) {
            let answer = self.core.board.heap.items(self.core.frames.returned)?;
            self.core.frames.ordered_items.extend_from_slice(answer);
        }
        let waiting = self.waiting_reactions()?;
        loop {
            let ordered = &self.core.frames.ordered_items;
            let rest = || waiting.iter().filter(|(_, _, item)| !ordered.contains(item));
            let Some(next) = rest().next().copied() else { return Ok(true) };
            let own: Vec<Word> = rest()
                .take_while(|other| (other.0, other.1) == (next.0, next.1))
                .map(|other| other.2)
                .collect();
            let asked = self.core.program.ordering.filter(|_| own.len() > 1 && next.1 != NOBODY);
            let Some(ordering) = asked else {
                self.core.frames.ordered_items.extend(own);
                continue;
            };
            let options = self.core.board.heap.new_list(&own)?;
            self.core.frames.asks_order = true;
            self.ask_order(ordering.items, word::player(Seat(next.1)), options)?;
            return Ok(false);
        }
    }

    /// Asks a player for an order. The routine returns the answer.
    pub(crate) fn ask_order(&mut self, routine: RoutineId, player: Word, options: Word) -> Result<()> {
        let cause = self.cause();
        self.push_routine(routine, &[NULL, player, player, NULL, NULL], &[player, options], cause)?;
        Ok(())
    }

    /// Takes one step towards rest: state checks first, then waiting reactions go on the stack, then the stack
    /// resolves down to `floor`. Returns true once nothing is left to do.
    pub(crate) fn settle_step(&mut self, floor: Option<usize>) -> Result<bool> {
        self.core.frames.history.end_rule(self.core.meter.newest);
        let changes = self.core.board.changes;
        if self.core.tables.checks_state && self.core.frames.checked_changes != changes {
            self.core.frames.checked_changes = changes;
            let height = self.stack_len();
            self.core.frames.history.begin_round(height, self.core.meter.newest);
            self.check_state()?;
            return Ok(false);
        }
        if self.core.frames.has_waiting {
            if (self.core.frames.ordered_items.is_empty() || self.core.frames.asks_order)
                && !self.order_waiting()?
            {
                return Ok(false);
            }
            // The item that resolves first must be on top, so it goes on the stack last.
            while let Some(item) = self.core.frames.ordered_items.pop() {
                if self.core.board.entity(item).is_none() {
                    continue;
                }
                if self.stack_len() >= self.core.program.limits.depth as usize {
                    return Err(FaultCode::Depth);
                }
                if self.push_aim(item)? {
                    return Ok(false);
                }
                self.move_entity(item, self.core.tables.single_zone(ZoneId::STACK), true, Reg::NONE)?;
                return Ok(false);
            }
            self.core.frames.has_waiting = false;
        }
        if self.stack_len() == 0 && !self.core.frames.held_batches.is_empty() {
            // Rules may have removed the items that held these batches.
            self.core.frames.held_batches.clear();
        }
        let Some(item) = self.next_item().filter(|_| floor.is_some_and(|floor| self.stack_len() > floor))
        else {
            if self.stack_len() == 0 {
                self.core.frames.history.clear_rounds();
            }
            return Ok(true);
        };
        let height = self.stack_len();
        self.core.frames.history.begin_round(height, self.core.meter.newest);
        self.push_resolution(item)?;
        Ok(false)
    }

    /// Emits the event that triggers state checks. If nothing can happen before it, only the reactions after it
    /// remain.
    fn check_state(&mut self) -> Result<()> {
        let kind = &self.core.program.events[native::SETTLED.index()];
        let is_bare = kind.before.is_empty() && kind.resets.is_empty() && kind.durations.is_empty();
        if !is_bare || kind.then.is_some() || kind.routine.is_some() {
            return self.begin(EventHeader::of(native::SETTLED), &[], &[]);
        }
        let (id, parent) = (self.core.meter.next_event()?, self.cause());
        if self.core.is_at_rest() {
            return self.record(native::SETTLED, id, parent, &[], 0, &[]);
        }
        self.core.push_event(native::SETTLED, 0)?;
        let top = self.top_event()?;
        let step = AfterStep::Collect;
        (top.id, top.cause, top.parent, top.stage) = (id, id, parent, LifecycleStage::After(step));
        let frame = *top;
        self.record(native::SETTLED, id, parent, &[], 0, &[])?;
        self.advance_after(&frame, step)
    }

    /// Executes the `Settle` instruction, which repeats itself until the match is at rest.
    pub(crate) fn settle_until_rest(&mut self, drain: bool) -> Result<()> {
        let at = self.core.frames.stack.len() - 1;
        let after = self.core.frames.stack[at].pc();
        self.core.frames.stack[at].set_pc(after - 1);
        if self.settle_step(drain.then_some(0))? {
            self.core.frames.stack[at].set_pc(after);
        }
        Ok(())
    }

    /// Settles the consequences of a player leaving, before the match asks anything again.
    pub(crate) fn settle_leave(&mut self, frame: &LeaveFrame) -> Result<()> {
        // If a question about waiting reactions, their order or their targets, is still open below, everything waits for
        // its answer.
        if self.core.frames.asks_order || self.is_aiming() || self.settle_step(Some(frame.floor as usize))? {
            self.core.frames.pop_frame();
        }
        Ok(())
    }

    /// Pushes the frame that settles the consequences of a player leaving.
    pub(crate) fn push_leave_frame(&mut self) -> Result<()> {
        let floor = self.stack_len() as u32;
        let base = self.core.frames.push_registers(0, self.core.program.limits.depth)?;
        self.core.frames.stack.push(Frame::Leaving(LeaveFrame { base: base as u32, cause: 0, floor }));
        Ok(())
    }
}

impl Evaluator<'_> {
    /// Returns true if no state check would change anything, as far as can be known without running them. Skips
    /// checks whose inputs have not changed since they last had nothing to do.
    fn is_at_rest(&mut self) -> bool {
        let checks = &self.tables.specialized.state_checks;
        let touched = self.board.touched;
        let is_at_rest = !checks.is_empty()
            && checks.iter().all(|(check, reads)| reads & touched == 0 || self.has_nothing_to_do(*check));
        if is_at_rest {
            if cfg!(debug_assertions) {
                self.assert_rest();
            }
            self.board.touched = 0;
        }
        is_at_rest
    }

    /// Determines before an input if the match is at rest. Recomputes anything but a known rest, so that a match
    /// restored from a snapshot, which knows nothing, behaves like one that stayed in memory.
    pub(crate) fn update_rest(&mut self) {
        let is_settled = self.frames.checked_changes == self.board.changes;
        if !is_settled || self.board.touched != 0 {
            let is_at_rest =
                is_settled && !self.tables.specialized.state_checks.is_empty() && self.all_checks_at_rest();
            self.board.touched = if is_at_rest { 0 } else { dependencies::ALL };
        }
    }

    /// Asserts that the skipped checks had nothing to do.
    pub(crate) fn assert_rest(&mut self) {
        assert!(self.all_checks_at_rest(), "a skipped state check had something to do");
    }

    /// Returns true if no state check would change anything, without skipping any. Charges no steps.
    fn all_checks_at_rest(&mut self) -> bool {
        let steps = self.meter.steps_left();
        self.meter.grant_all_steps(self.program);
        let has_all =
            self.tables.specialized.state_checks.iter().all(|(check, _)| self.has_nothing_to_do(*check));
        self.meter.restore_steps(steps);
        has_all || self.meter.is_interrupted
    }

    fn has_nothing_to_do(&mut self, check: CodePiece) -> bool {
        let before = (self.frames.stack.len(), self.frames.regs.len(), self.frames.building.len());
        let (heap, steps, nesting) = (self.board.heap.mark(), self.meter.steps_left(), self.meter.nesting);
        let has_nothing = self.run_piece(check, NULL).is_ok_and(|flag| flag == NULL);
        self.board.heap.rollback(heap);
        if !has_nothing {
            // The checks will run again as real events, so undo what the test left behind.
            self.frames.stack.truncate(before.0);
            self.frames.regs.truncate(before.1);
            self.frames.building.truncate(before.2);
            self.meter.restore_steps(steps);
            self.meter.nesting = nesting;
        }
        has_nothing
    }
}
