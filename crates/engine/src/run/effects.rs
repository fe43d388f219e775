//! Effect dispatch: turns each statement of a program into an event and begins the event's life cycle.

use intermezzo_program::{
    ActionId, CreateId, EventId, FaultCode, Instr, InstrClass, KindId, NULL, PhaseId, PropId, Reg, RollId,
    Symbol, Word, ZoneId, native, word,
};

use crate::ask::input_validation::ValidatedInput;
use crate::ask::request::Requests;
use crate::optimize::program_index::symbol_word;
use crate::run::chance::Chance;
use crate::run::evaluator::Evaluator;
use crate::run::frames::{EventResult, Frame, MoveFrame};
use crate::run::interpreter::{self, Executor, MatchParts};
use crate::run::log::{Cause, EventLog};
use crate::run::state_reads;
use crate::storage::board::NOBODY;
use crate::values::arithmetic::{self, present};

pub(crate) type Result<T> = std::result::Result<T, FaultCode>;

/// The last numbers assigned.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Counters {
    pub(crate) events: u32,
    pub(crate) questions: u32,
    pub(crate) inputs: u32,
}

/// A match at work on one input.
pub(crate) struct Machine<'a> {
    pub(crate) core: Evaluator<'a>,
    pub(crate) requests: &'a mut Requests,
    pub(crate) chance: &'a mut Chance,
    pub(crate) counters: &'a mut Counters,
    pub(crate) log: &'a mut EventLog,
    /// Stack items known to fail, identified by the number of events before them. An item listed twice also fails in
    /// its refund and `finally` code, so that is skipped too.
    pub(crate) failed_items: &'a [u32],
}

/// Everything an event needs besides its payload.
#[derive(Clone, Copy)]
pub(crate) struct EventHeader {
    pub(crate) event: EventId,
    pub(crate) result: EventResult,
    pub(crate) ret: Reg,
    pub(crate) detail: u16,
    /// Of a `Changed` event, the number that it adds to the property; null if it sets a value.
    pub(crate) added: Word,
}

impl EventHeader {
    pub(crate) fn of(event: EventId) -> EventHeader {
        EventHeader { event, result: EventResult::Nothing, ret: Reg::NONE, detail: 0, added: NULL }
    }
}

impl<'a> Executor<'a> for Machine<'a> {
    const IS_MATCH: bool = true;

    #[inline]
    fn core(&mut self) -> &mut Evaluator<'a> {
        &mut self.core
    }

    #[inline]
    fn parts(&mut self) -> (&mut Evaluator<'a>, Option<MatchParts<'_>>) {
        let Machine { core, log, requests, counters, .. } = self;
        (core, Some(MatchParts { log, requests, counters }))
    }

    #[inline(never)]
    fn execute_effect(&mut self, instr: Instr) -> Result<bool> {
        match instr {
            instr if instr.class() == InstrClass::Exclusive && self.is_planning() => {
                return Err(FaultCode::Group);
            }
            Instr::Shuffle { .. } | Instr::Roll { .. } | Instr::Draw { .. } if self.holds_before_draw() => {
                return Ok(true);
            }
            Instr::Change { entity, prop, value } => self.change(self.reg(entity), prop, self.reg(value))?,
            Instr::ChangeNamed { entity, name, value } => {
                let (entity, prop) = self.named_prop(entity, name)?;
                self.change(entity, prop, self.reg(value))?;
            }
            Instr::Increase { entity, prop, value } => {
                self.increase(self.reg(entity), prop, self.reg(value))?;
            }
            Instr::IncreaseNamed { entity, name, value } => {
                let (entity, prop) = self.named_prop(entity, name)?;
                self.increase(entity, prop, self.reg(value))?;
            }
            Instr::Emit { dst, event, args } => self.emit(dst, event, args)?,
            Instr::Create { dst, create, args } => self.create(dst, create, args)?,
            Instr::Duplicate { dst, create, args } => self.duplicate(dst, create, args)?,
            Instr::Become { create, args, of_def } => self.become_copy(create, args, of_def)?,
            Instr::Move { dst, entity, zone, top } => {
                self.move_entity(self.reg(entity), self.reg(zone), top, dst)?;
            }
            Instr::MoveAll { list, zone, top } => {
                self.move_list(self.reg(list), self.reg(zone), top)?;
            }
            Instr::Remove { entity } => {
                let entity = self.reg(entity);
                self.core.board.live(entity)?;
                self.begin(EventHeader::of(native::REMOVED), &[entity], &[])?;
            }
            Instr::Shuffle { zone } => {
                let zone = self.reg(zone);
                self.core.board.instance(zone)?;
                self.begin(EventHeader::of(native::SHUFFLED), &[zone, 0], &[])?;
            }
            Instr::Roll { dst, roll, args } => self.roll(dst, roll, args)?,
            Instr::Draw { dst, roll, args } => self.draw(dst, roll, args)?,
            Instr::EnterPhase { phase, player, subject } => {
                let header = EventHeader::of(native::PHASE_STARTED);
                self.enter_phase(header, phase, self.reg(player), self.reg(subject))?;
            }
            Instr::TryPhase { dst, phase, args } => {
                let started = EventHeader::of(native::PHASE_STARTED);
                let header = EventHeader { result: EventResult::Applied, ret: dst, ..started };
                self.enter_phase(header, phase, self.reg(args), self.reg(args.offset(1)))?;
            }
            Instr::LeavePhase {} => self.leave_phase()?,
            Instr::ExitPhase { phase } => self.exit_phase(phase)?,
            Instr::CloseInner { phase } => self.close_phases_within(phase)?,
            Instr::End { args } => {
                let at = |n| self.reg(args.offset(n));
                let score = self.core.program.score_type().map(|_| at(native::SCORE_FIELD as u16));
                self.end_match([at(0), at(1), at(2), at(3)], score)?;
            }
            Instr::BeginGroup { simultaneous, on_prevented } => {
                let at = self.core.frames.stack.last().map_or(0, |frame| frame.pc().wrapping_sub(1));
                if self.is_planning() || !self.core.tables.is_plain_group(at) {
                    self.begin_group(simultaneous, on_prevented);
                }
            }
            Instr::Take { offer } => self.accept_offer(self.reg(offer))?,
            Instr::Announce { dst, action } => self.announce(dst, action)?,
            Instr::Announced { event, action } => self.react_to_announcement(self.reg(event), action)?,
            Instr::AnnounceReaction { dst } => self.announce_reaction(dst)?,
            Instr::Perform { action, params } => self.perform(action, params)?,
            Instr::Stack { action, params } => _ = self.put_action_on_stack(action, params)?,
            Instr::Resolve {} => self.resolve_top()?,
            Instr::Counter { item } => self.counter_item(self.reg(item))?,
            Instr::Settle { drain } => self.settle_until_rest(drain)?,
            Instr::Invoke { args, pays, acts } => self.invoke_ability(args, pays, acts)?,
            Instr::Use {} => self.note_use()?,
            Instr::Remember { value, many } => self.remember_payment(self.reg(value), many)?,
            Instr::Paid { dst, value, many } => {
                let paid = self.settle_payment(self.reg(value), many)?;
                self.set_reg(dst, paid);
            }
            Instr::Keep { on } => self.set_kept(on),
            Instr::EndGroup { dst } => self.end_group(dst)?,
            Instr::Prevent { event, silent } => self.prevent(self.reg(event), silent)?,
            Instr::Open { choice } => self.open_request(choice),
            Instr::Ask { choice, args } => self.ask_player(choice, args)?,
            Instr::Await { dst, choice } => return self.deliver_answers(dst, choice),
            _ => return Err(FaultCode::Missing),
        }
        Ok(false)
    }

    #[inline(never)]
    fn advance_frame(&mut self) -> Result<()> {
        loop {
            self.advance_top()?;
            // The next step follows at once unless it is code.
            match self.core.frames.stack.last() {
                Some(frame) if !frame.runs_code() => {}
                _ => return Ok(()),
            }
        }
    }

    #[inline(never)]
    fn finish_applied_event(&mut self) -> Result<()> {
        self.finish_fast_path()
    }

    #[inline]
    fn put_on_stack(&mut self, action: ActionId, params: Reg) -> Result<bool> {
        self.put_action_on_stack(action, params)
    }
}

impl Machine<'_> {
    /// Executes an input with all of its consequences.
    #[inline(never)]
    pub(crate) fn execute_step(&mut self, step: &ValidatedInput) -> Result<()> {
        let is_dropped = self.fail_items_under_way()?;
        match *step {
            ValidatedInput::Answer { .. } if is_dropped => {}
            ValidatedInput::Answer { at, value, how } => {
                self.requests.questions[at].record_answer(value, how);
            }
            ValidatedInput::Leave { seat, cause } => self.player_leaves(seat, symbol_word(cause))?,
            ValidatedInput::Moderate { winners, losers, pot } => {
                self.end_match([symbol_word(native::MODERATOR), winners, losers, symbol_word(pot)], None)?;
            }
            ValidatedInput::Loop => {
                self.end_match(
                    [symbol_word(native::LOOP), NULL, NULL, symbol_word(native::POT_REFUND)],
                    None,
                )?;
            }
            ValidatedInput::Draft { .. } | ValidatedInput::AutoPass { .. } => {}
        }
        self.run()
    }

    /// Runs until the match waits or is over.
    pub(crate) fn run(&mut self) -> Result<()> {
        loop {
            if interpreter::run(self, 0)? || self.core.board.end.is_some() {
                return Ok(());
            }
            let outcome = symbol_word(native::FINISHED);
            self.end_match([outcome, 0, 0, symbol_word(native::POT_REFUND)], None)?;
        }
    }

    /// Returns the entity whose rule is running.
    pub(crate) fn reg_of_self(&self) -> Word {
        self.reg(Reg::SELF)
    }

    fn top_base(&self) -> usize {
        self.core.frames.stack.last().map_or(0, |frame| frame.base() as usize)
    }

    #[inline]
    pub(crate) fn reg(&self, reg: Reg) -> Word {
        self.core.frames.regs[self.top_base() + usize::from(reg.0)]
    }

    #[inline]
    pub(crate) fn set_reg(&mut self, reg: Reg, value: Word) {
        if reg != Reg::NONE {
            let at = self.top_base() + usize::from(reg.0);
            if let Some(place) = self.core.frames.regs.get_mut(at) {
                *place = value;
            }
        }
    }

    /// Returns an entity and its property of a name, both in registers.
    fn named_prop(&self, entity: Reg, name: Reg) -> Result<(Word, PropId)> {
        let entity = self.reg(entity);
        let prop = state_reads::prop_named(self.core.tables, self.core.board, entity, self.reg(name))?;
        Ok((entity, prop))
    }

    /// Sets a property to a value computed from its present one.
    fn increase(&mut self, entity: Word, prop: PropId, value: Word) -> Result<()> {
        if !self.is_planning() {
            return self.change(entity, prop, value);
        }
        let column = self.core.program.props[prop.index()].column;
        let old = self.core.board.cell(self.core.board.live(entity)?, column)?;
        let added = if old == NULL || value == NULL { NULL } else { arithmetic::sub(value, old)? };
        self.change_by(entity, prop, value, added)
    }

    /// Sets a property, unless it already has that value.
    pub(crate) fn change(&mut self, entity: Word, prop: PropId, value: Word) -> Result<()> {
        self.change_by(entity, prop, value, NULL)
    }

    fn change_by(&mut self, entity: Word, prop: PropId, value: Word, added: Word) -> Result<()> {
        let value = self.core.clamp(entity, prop, value)?;
        let found = &self.core.program.props[prop.index()];
        let old = self.core.board.cell(self.core.board.live(entity)?, found.column)?;
        let (ty, name, column) = (found.ty, symbol_word(found.name), found.column);
        let is_same = old == value
            || (self.core.tables.is_heaped(ty)
                && self.core.shapes().same(&self.core.board.heap, ty, old, value));
        if is_same {
            return Ok(());
        }
        if self.core.tables.is_inline(native::CHANGED) && !self.is_planning() {
            // Without listeners, the event is just the write.
            let (id, parent) = (self.core.meter.next_event()?, self.cause());
            self.core.board.set_cell(entity, column, value)?;
            self.core.board.count_change();
            self.record(native::CHANGED, id, parent, &[entity, name, old, value], prop.0, &[])?;
            return self.update_grants();
        }
        let header = EventHeader { detail: prop.0, added, ..EventHeader::of(native::CHANGED) };
        self.begin(header, &[entity, name, old, value], &[])
    }

    fn emit(&mut self, dst: Reg, event: EventId, args: Reg) -> Result<()> {
        let count = self.core.program.events[event.index()].fields.len();
        let from = self.top_base() + usize::from(args.0);
        let mut header = EventHeader { result: EventResult::Payload, ret: dst, ..EventHeader::of(event) };
        if event.index() < native::EVENTS.len() {
            let mut payload = std::mem::take(&mut self.core.frames.scratch);
            payload.clear();
            payload.extend_from_slice(&self.core.frames.regs[from..from + count]);
            if event == native::CHANGED {
                let prop = state_reads::prop_named(self.core.tables, self.core.board, payload[0], payload[1]);
                header.detail = prop?.0;
            }
            let outcome = self.begin(header, &payload, &[]);
            self.core.frames.scratch = payload;
            return outcome;
        }
        if self.is_planning() {
            let payload = self.core.frames.regs[from..from + count].to_vec();
            return self.plan(header, &payload, &[]);
        }
        let kind = &self.core.program.events[event.index()];
        let is_silent = self.core.tables.is_inline(event) && kind.unless.is_none();
        let payload = &self.core.frames.regs[from..from + count];
        if is_silent || self.core.tables.has_no_listener(self.core.board, event, payload) {
            let base = self.core.push_event(event, 0)? + usize::from(Reg::CONTEXT);
            self.core.frames.regs.copy_within(from..from + count, base);
            return self.start_fast_path(header, kind.apply);
        }
        let mut payload = std::mem::take(&mut self.core.frames.scratch);
        payload.clear();
        payload.extend_from_slice(&self.core.frames.regs[from..from + count]);
        let origin = self.origin(dst);
        let base = self.core.push_event(event, 0)? + usize::from(Reg::CONTEXT);
        self.core.frames.regs[base..base + count].copy_from_slice(&payload);
        self.core.frames.scratch = payload;
        self.start(header, origin)
    }

    fn create(&mut self, dst: Reg, create: CreateId, args: Reg) -> Result<()> {
        let create = &self.core.program.creates[create.index()];
        let at = |n: usize| self.reg(args.offset(n as u16));
        let (def, owner, zone, host, until) = (present(at(0))?, at(1), at(2), at(3), at(4));
        let id = self.core.tables.def(def).ok_or(FaultCode::OutOfRange)?;
        let kind = self.core.program.defs[id.index()].kind;
        let mut with = std::mem::take(&mut self.core.frames.scratch);
        with.clear();
        self.collect_with_pairs(kind, &create.with, args, &mut with)?;
        let header = EventHeader {
            result: EventResult::Entity,
            ret: dst,
            detail: u16::from(create.top),
            ..EventHeader::of(native::CREATED)
        };
        let outcome = self.begin(header, &[NULL, def, owner, zone, NULL, host, until], &with);
        self.core.frames.scratch = with;
        outcome
    }

    /// Collects the properties that a `create` sets, as pairs. A later pair replaces an earlier one of the same
    /// property.
    pub(crate) fn collect_with_pairs(
        &self,
        kind: KindId,
        names: &[Symbol],
        args: Reg,
        with: &mut Vec<Word>,
    ) -> Result<()> {
        for (index, name) in names.iter().enumerate() {
            let prop = self.core.tables.prop(kind, symbol_word(*name));
            let prop = Word::from(prop.ok_or(FaultCode::NoSuchProperty)?.0);
            let value = self.reg(args.offset(5 + index as u16));
            match with.chunks_exact_mut(2).find(|pair| pair[0] == prop) {
                Some(pair) => pair[1] = value,
                None => with.extend([prop, value]),
            }
        }
        Ok(())
    }

    /// Creates a copy of an entity with all its values. No player knows the copy, and nothing is attached to it.
    fn duplicate(&mut self, dst: Reg, create: CreateId, args: Reg) -> Result<()> {
        let create = &self.core.program.creates[create.index()];
        let at = |n: usize| self.reg(args.offset(n as u16));
        let (model, owner, mut zone) = (present(at(0))?, at(1), at(2));
        let found = *self.core.board.live(model)?;
        let def = self.core.program.defs.get(usize::from(found.def)).ok_or(FaultCode::OutOfRange)?;
        let is_item = self.core.program.is_kind(found.kind, KindId::ITEM);
        let mut with = Vec::new();
        for prop in &self.core.program.kinds[found.kind.index()].props {
            let stored = &self.core.program.props[prop.index()];
            if stored.derived.is_none() && stored.name != native::KNOWN {
                let copied = is_item && stored.name == native::COPIED;
                let value = if copied { 1 } else { self.core.board.cell(&found, stored.column)? };
                with.extend([Word::from(prop.0), value]);
            }
        }
        self.collect_with_pairs(found.kind, &create.with, args, &mut with)?;
        if is_item && zone == NULL {
            zone = self.core.tables.single_zone(ZoneId::STACK);
            if self.stack_len() >= self.core.program.limits.depth as usize {
                return Err(FaultCode::Depth);
            }
        }
        let owner = match (owner, found.owner) {
            (NULL, NOBODY) => NULL,
            (NULL, seat) => Word::from(seat) + 1,
            (owner, _) => owner,
        };
        let header = EventHeader {
            result: EventResult::Entity,
            ret: dst,
            detail: u16::from(create.top || is_item),
            ..EventHeader::of(native::CREATED)
        };
        self.begin(header, &[NULL, symbol_word(def.name), owner, zone, NULL, NULL, NULL], &with)
    }

    pub(crate) fn move_entity(&mut self, entity: Word, zone: Word, top: bool, ret: Reg) -> Result<()> {
        self.core.board.live(entity)?;
        self.core.board.instance(zone)?;
        let (result, detail) = (EventResult::Entity, u16::from(top));
        let header = EventHeader { result, ret, detail, ..EventHeader::of(native::MOVED) };
        self.begin(header, &[entity, NULL, zone, NULL], &[])
    }

    /// Moves a list one by one: at once if `Moved` has no listeners or a group is being planned, else with a frame,
    /// so that reactions to each move may wait.
    fn move_list(&mut self, list: Word, zone: Word, top: bool) -> Result<()> {
        let count = self.core.board.heap.items(list)?.len();
        self.core.meter.charge_steps(count)?;
        for index in 0..count {
            self.core.board.live(self.core.board.heap.items(list)?[index])?;
        }
        if self.core.tables.is_inline(native::MOVED) || self.is_planning() {
            for index in 0..count {
                let index = if top { count - 1 - index } else { index };
                let entity = self.core.board.heap.items(list)?[index];
                self.move_entity(entity, zone, top, Reg::NONE)?;
            }
            return Ok(());
        }
        let cause = self.cause();
        let depth = self.core.program.limits.depth;
        let base = self.core.frames.push_registers(self.core.tables.window(native::MOVED), depth)?;
        self.core.frames.regs[base..base + 3].copy_from_slice(&[list, zone, 0]);
        let frame = MoveFrame { base: base as u32, cause, is_top: top };
        self.core.frames.stack.push(Frame::MovingList(frame));
        Ok(())
    }

    fn roll(&mut self, dst: Reg, roll: RollId, args: Reg) -> Result<()> {
        let label = self.core.program.rolls[roll.index()].label;
        let (dice, keep, by) = (self.reg(args), self.reg(args.offset(1)), self.reg(args.offset(2)));
        let (count, sides) = word::dice_parts(present(dice)?);
        self.core.meter.charge_steps(count as usize)?;
        let mut faces = std::mem::take(&mut self.core.frames.scratch);
        faces.clear();
        let rolled = self.chance.roll(label, count, sides, &mut faces);
        let total = if keep == symbol_word(native::HIGHEST) {
            faces.iter().copied().max().unwrap_or(0)
        } else if keep == symbol_word(native::LOWEST) {
            faces.iter().copied().min().unwrap_or(0)
        } else {
            faces.iter().sum()
        };
        let list = self.core.board.heap.new_list(&faces);
        self.core.frames.scratch = faces;
        rolled?;
        let label = label.map_or(NULL, symbol_word);
        let header = EventHeader { result: EventResult::Roll, ret: dst, ..EventHeader::of(native::ROLLED) };
        self.begin_roll(header, [dice, list?, total, label, by], args)
    }

    /// Begins the event of a roll, with the players who see it if the rules hide rolls.
    fn begin_roll(
        &mut self,
        header: EventHeader,
        roll: [Word; native::ROLL_SEEN_FIELD],
        args: Reg,
    ) -> Result<()> {
        if !self.core.program.hides_rolls() {
            return self.begin(header, &roll, &[]);
        }
        let [dice, faces, total, label, by] = roll;
        let seen_by = self.reg(args.offset(3));
        self.begin(header, &[dice, faces, total, label, by, seen_by], &[])
    }

    /// Picks random items of a list. The faces of the logged roll are their positions, counted from 1.
    fn draw(&mut self, dst: Reg, roll: RollId, args: Reg) -> Result<()> {
        let label = self.core.program.rolls[roll.index()].label.map_or(NULL, symbol_word);
        let (wanted, list, by) = (self.reg(args), self.reg(args.offset(1)), self.reg(args.offset(2)));
        let len = self.core.board.heap.items(list)?.len();
        let wanted = arithmetic::count(wanted)?;
        if wanted > len || len > i32::MAX as usize {
            return Err(FaultCode::BadCount);
        }
        self.core.meter.charge_steps(len)?;
        let mut places = std::mem::take(&mut self.core.frames.scratch);
        places.clear();
        places.extend(1..=len as Word);
        for place in 0..wanted {
            let other = place + self.chance.below((len - place) as u32) as usize;
            places.swap(place, other);
        }
        let total = places[..wanted].iter().sum();
        let faces = self.core.board.heap.new_list(&places[..wanted]);
        for place in &mut places[..wanted] {
            *place = self.core.board.heap.items(list)?[*place as usize - 1];
        }
        let drawn = self.core.board.heap.new_list(&places[..wanted]);
        self.core.frames.scratch = places;
        self.set_reg(dst, drawn?);
        let dice = word::dice(wanted as u32, len as u32);
        self.begin_roll(EventHeader::of(native::ROLLED), [dice, faces?, total, label, by], args)
    }

    fn enter_phase(
        &mut self,
        header: EventHeader,
        phase: PhaseId,
        player: Word,
        subject: Word,
    ) -> Result<()> {
        let name = symbol_word(self.core.program.phases[phase.index()].name);
        self.begin(header, &[name, player, subject], &[])
    }

    pub(crate) fn leave_phase(&mut self) -> Result<()> {
        let Some(entry) = self.core.board.phases.last().copied() else {
            return Ok(());
        };
        let name = symbol_word(self.core.program.phases[entry.phase.index()].name);
        self.begin(EventHeader::of(native::PHASE_ENDED), &[name, entry.player, entry.subject], &[])
    }

    /// Ends the match with an outcome, winners, losers and the rule for the pot. Defaults: the outcome is `finished`,
    /// nobody wins or loses, stakes are refunded, and nobody has a score.
    pub(crate) fn end_match(&mut self, ending: [Word; 4], score: Option<Word>) -> Result<()> {
        let [outcome, winners, losers, pot] = ending;
        let or = |value: Word, default: Word| if value == NULL { default } else { value };
        let outcome = or(outcome, symbol_word(native::FINISHED));
        let pot = or(pot, symbol_word(native::POT_REFUND));
        let payload = [outcome, or(winners, 0), or(losers, 0), pot, score.unwrap_or(NULL)];
        let fields = self.core.program.events[native::MATCH_ENDED.index()].fields.len();
        self.begin(EventHeader::of(native::MATCH_ENDED), &payload[..fields.min(payload.len())], &[])
    }

    /// Returns the event that the running frame is part of; 0 for none.
    pub(crate) fn cause(&self) -> u32 {
        self.core.frames.stack.last().map_or(0, Frame::cause)
    }

    /// Converts a cause to the form used in logs.
    pub(crate) fn logged_cause(&self, cause: u32) -> Cause {
        if cause == 0 { Cause::Input(self.core.meter.input) } else { Cause::Event(cause) }
    }
}
