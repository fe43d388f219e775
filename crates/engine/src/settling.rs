//! Coming to rest: state checks, reactions that wait go on the stack, and the stack resolves.

use intermezzo_ruleset::{DefId, FaultCode, KindId, NULL, Reg, RoutineId, Seat, Word, ZoneId, native, word};

use crate::agenda::{Due, Frame, Stage};
use crate::board::NOBODY;
use crate::core::Core;
use crate::happening::{Happening, Machine, Result};
use crate::linking::Piece;
use crate::past::batch_of;
use crate::reads;
use crate::stack::{BATCH, DETAIL, HOST, PAYLOAD, TRIGGER, VIA};
use crate::tables::symbol_word;
use crate::zones::NOWHERE;

impl Machine<'_> {
    /// A reaction that waits: an item that is nowhere yet.
    pub(crate) fn wait_for_stack(&mut self, due: Due, frame: &Frame, item: DefId) -> Result<()> {
        let program = self.core.program;
        let looks_back = program.reactions[due.reaction.index()].looks_back;
        let batch = if looks_back { batch_of(frame) } else { 0 };
        if looks_back {
            self.core.agenda.held.push(batch);
        }
        let [host, you, _, _, via] = self.core.context_before(due.source, NULL, batch);
        let mut with = Vec::new();
        self.hosted_by(item, host, via, &mut with);
        let props = &program.kinds[program.defs[item.index()].kind.index()].props;
        let prop = |column: u16| {
            let found = props.iter().find(|prop| program.props[prop.index()].column == column);
            found.map_or(0, |prop| Word::from(prop.0))
        };
        with.extend([prop(TRIGGER), Word::from(frame.id), prop(DETAIL), Word::from(frame.detail)]);
        with.extend([prop(BATCH), Word::from(batch)]);
        let first = frame.base as usize + usize::from(Reg::CONTEXT);
        for (at, field) in program.events[frame.event.index()].fields.iter().enumerate() {
            let ty = crate::fold::field_type(program, field.ty, frame.detail);
            let is_any = program.types[field.ty.index()] == intermezzo_ruleset::Type::Any;
            // No rule can read a list that a property of any type held.
            let is_lost = is_any && self.core.tables.is_heaped(ty);
            let value = if is_lost { NULL } else { self.core.agenda.regs[first + at] };
            with.extend([prop(PAYLOAD + at as u16), value]);
        }
        self.core.agenda.waiting = true;
        let name = symbol_word(program.defs[item.index()].name);
        self.begin(Happening::of(native::CREATED), &[NULL, name, you, NULL, NULL, NULL, NULL], &with)
    }

    /// The reactions that wait, in order, with what decides: priority and controller.
    fn waiting(&mut self) -> Result<Vec<(i64, u8, Word)>> {
        let rows = &self.core.board.rows;
        self.core.meter.steps(rows.len() / 8)?;
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
            let place = self.place_in_order(reaction, source, entity.owner);
            found.push((place, trigger, row, entity.owner, item));
        }
        found.sort_unstable();
        Ok(found.into_iter().map(|(place, _, _, owner, item)| (place.0, owner, item)).collect())
    }

    /// Settles the order of the reactions that wait; false if a player has to be asked first.
    fn order_waiting(&mut self) -> Result<bool> {
        if std::mem::take(&mut self.core.agenda.asks_order) {
            let answer = self.core.board.heap.items(self.core.agenda.returned)?;
            self.core.agenda.ordered.extend_from_slice(answer);
        }
        let waiting = self.waiting()?;
        loop {
            let ordered = &self.core.agenda.ordered;
            let rest = || waiting.iter().filter(|(_, _, item)| !ordered.contains(item));
            let Some(next) = rest().next().copied() else { return Ok(true) };
            let own: Vec<Word> = rest()
                .take_while(|other| (other.0, other.1) == (next.0, next.1))
                .map(|other| other.2)
                .collect();
            let asked = self.core.program.ordering.filter(|_| own.len() > 1 && next.1 != NOBODY);
            let Some(ordering) = asked else {
                self.core.agenda.ordered.extend(own);
                continue;
            };
            let options = self.core.board.heap.new_list(&own)?;
            self.core.agenda.asks_order = true;
            self.ask_order(ordering.items, word::player(Seat(next.1)), options)?;
            return Ok(false);
        }
    }

    /// Asks a player for an order; the answer is what the routine returns.
    pub(crate) fn ask_order(&mut self, routine: RoutineId, player: Word, options: Word) -> Result<()> {
        let cause = self.cause();
        self.push_routine(routine, &[NULL, player, player, NULL, NULL], &[player, options], cause)?;
        Ok(())
    }

    /// One step towards rest: state checks, then waiting reactions go on the stack, then the stack
    /// resolves down to `floor`. True once there is nothing left to do.
    pub(crate) fn settle_step(&mut self, floor: Option<usize>) -> Result<bool> {
        let changes = self.core.board.changes;
        if self.core.tables.checks_state && self.core.agenda.settled != changes {
            self.core.agenda.settled = changes;
            let height = self.stack_len();
            self.core.agenda.trail.begin_round(height);
            self.check_state()?;
            return Ok(false);
        }
        if self.core.agenda.waiting {
            if (self.core.agenda.ordered.is_empty() || self.core.agenda.asks_order)
                && !self.order_waiting()?
            {
                return Ok(false);
            }
            // What happens first lies on top, so it comes last.
            while let Some(item) = self.core.agenda.ordered.pop() {
                if self.core.board.entity(item).is_none() {
                    continue;
                }
                if self.stack_len() >= self.core.program.limits.depth as usize {
                    return Err(FaultCode::Depth);
                }
                self.relocate(item, self.core.tables.single(ZoneId::STACK), true, Reg::NONE)?;
                return Ok(false);
            }
            self.core.agenda.waiting = false;
        }
        if self.stack_len() == 0 && !self.core.agenda.held.is_empty() {
            // Rules may have removed what looked back.
            self.core.agenda.held.clear();
        }
        let Some(item) = self.next_item().filter(|_| floor.is_some_and(|floor| self.stack_len() > floor))
        else {
            if self.stack_len() == 0 {
                self.core.agenda.trail.rest();
            }
            return Ok(true);
        };
        let height = self.stack_len();
        self.core.agenda.trail.begin_round(height);
        self.push_item(item)?;
        Ok(false)
    }

    /// Lets the event that sets off state checks happen. If nothing can come before it, there is nothing to it but
    /// what comes after it.
    fn check_state(&mut self) -> Result<()> {
        let kind = &self.core.program.events[native::SETTLED.index()];
        let is_bare = kind.before.is_empty() && kind.resets.is_empty() && kind.durations.is_empty();
        if !is_bare || kind.then.is_some() || kind.routine.is_some() {
            return self.begin(Happening::of(native::SETTLED), &[], &[]);
        }
        let (id, parent) = (self.core.meter.next_event()?, self.cause());
        if self.core.is_at_rest() {
            return self.record(native::SETTLED, id, parent, &[], 0, &[]);
        }
        self.core.push_event(native::SETTLED, 0)?;
        let top = self.top();
        (top.id, top.cause, top.parent, top.stage) = (id, id, parent, Stage::After);
        let frame = *top;
        self.record(native::SETTLED, id, parent, &[], 0, &[])?;
        self.after(&frame)
    }

    /// The instruction: comes back to itself until there is rest.
    pub(crate) fn settle_down(&mut self, drain: bool) -> Result<()> {
        let at = self.core.agenda.frames.len() - 1;
        self.core.agenda.frames[at].pc -= 1;
        if self.settle_step(drain.then_some(0))? {
            self.core.agenda.frames[at].pc += 1;
        }
        Ok(())
    }

    /// What a player's leaving has set off comes to rest before anything is asked again.
    pub(crate) fn leaving(&mut self, frame: &Frame) -> Result<()> {
        // A question about the order of what waits is still open below: all of it waits for the answer.
        if self.core.agenda.asks_order || self.settle_step(Some(frame.row as usize))? {
            self.core.agenda.drop_top();
        }
        Ok(())
    }

    /// Pushes the frame that sees to it.
    pub(crate) fn settle_after_leaving(&mut self) -> Result<()> {
        let floor = self.stack_len() as u32;
        let base = self.core.agenda.grow(0, self.core.program.limits.depth)?;
        let mut frame = Frame::bare(Stage::Leaving, base);
        frame.row = floor;
        frame.reactions = self.core.agenda.reactions.len() as u32;
        self.core.agenda.frames.push(frame);
        Ok(())
    }
}

impl Core<'_> {
    /// Whether no state check would do anything, as far as that can be told without letting them. Those about which
    /// nothing has changed since they had nothing to do are not asked again.
    fn is_at_rest(&mut self) -> bool {
        let checks = &self.tables.linked.rest;
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

    /// Finds out before an input whether the match is at rest. Between inputs it is that or it is unknown, so that
    /// it makes no difference whether a match was stored meanwhile.
    pub(crate) fn know_rest(&mut self) {
        let is_settled = self.agenda.settled == self.board.changes;
        if !is_settled || self.board.touched != 0 {
            let is_at_rest = is_settled && !self.tables.linked.rest.is_empty() && self.has_all_at_rest();
            self.board.touched = if is_at_rest { 0 } else { reads::ALL };
        }
    }

    /// A check was left out: it must have had nothing to do.
    pub(crate) fn assert_rest(&mut self) {
        assert!(self.has_all_at_rest(), "a check was left out that has something to do");
    }

    /// Whether no state check would do anything, none left out. Leaves no trace.
    fn has_all_at_rest(&mut self) -> bool {
        let steps = self.meter.steps;
        let has_all = self.tables.linked.rest.iter().all(|(check, _)| self.has_nothing_to_do(*check));
        self.meter.steps = steps;
        has_all
    }

    fn has_nothing_to_do(&mut self, check: Piece) -> bool {
        let before = (self.agenda.frames.len(), self.agenda.regs.len(), self.agenda.building.len());
        let (heap, steps, nesting) = (self.board.heap.len(), self.meter.steps, self.meter.nesting);
        let has_nothing = self.run_piece(check, NULL).is_ok_and(|flag| flag == NULL);
        self.board.heap.truncate(heap);
        if !has_nothing {
            // All is done again where it counts.
            self.agenda.frames.truncate(before.0);
            self.agenda.regs.truncate(before.1);
            self.agenda.building.truncate(before.2);
            (self.meter.steps, self.meter.nesting) = (steps, nesting);
        }
        has_nothing
    }
}
