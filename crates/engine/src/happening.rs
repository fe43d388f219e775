//! What programs make happen: each statement becomes an event that begins its life here.

use intermezzo_ruleset::{
    CreateId, EventId, FaultCode, Instr, KindId, NULL, PhaseId, PropId, Reg, RollId, Symbol, Word, ZoneId,
    native, word,
};

use crate::agenda::{Gives, Stage};
use crate::board::NOBODY;
use crate::chance::Chance;
use crate::core::Core;
use crate::interpret::{self, Host};
use crate::legal::Step;
use crate::log::{Cause, Log};
use crate::reading;
use crate::request::Requests;
use crate::tables::symbol_word;
use crate::values::{self, present};

pub(crate) type Result<T> = std::result::Result<T, FaultCode>;

/// Numbers given out so far.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Counters {
    /// Events.
    pub(crate) events: u32,
    /// Questions.
    pub(crate) questions: u32,
    /// Inputs taken.
    pub(crate) inputs: u32,
}

/// A match at work on one input.
pub(crate) struct Machine<'a> {
    pub(crate) core: Core<'a>,
    pub(crate) requests: &'a mut Requests,
    pub(crate) chance: &'a mut Chance,
    pub(crate) counters: &'a mut Counters,
    pub(crate) log: &'a mut Log,
    /// Number of the input being handled.
    pub(crate) input: u32,
    /// Items on the stack that are known to fail, by the number of events before them; twice: to their very end.
    pub(crate) doomed: &'a [u32],
}

/// What an event needs besides its payload.
#[derive(Clone, Copy)]
pub(crate) struct Happening {
    pub(crate) event: EventId,
    pub(crate) gives: Gives,
    pub(crate) ret: Reg,
    pub(crate) detail: u16,
}

impl Happening {
    pub(crate) fn of(event: EventId) -> Happening {
        Happening { event, gives: Gives::Nothing, ret: Reg::NONE, detail: 0 }
    }
}

impl<'a> Host<'a> for Machine<'a> {
    const IS_MATCH: bool = true;

    #[inline]
    fn core(&mut self) -> &mut Core<'a> {
        &mut self.core
    }

    #[inline(never)]
    fn happen(&mut self, instr: Instr) -> Result<bool> {
        match instr {
            Instr::Roll { .. }
            | Instr::Draw { .. }
            | Instr::Shuffle { .. }
            | Instr::EnterPhase { .. }
            | Instr::LeavePhase {}
            | Instr::End { .. }
            | Instr::Open { .. }
            | Instr::Take { .. }
            | Instr::Perform { .. }
            | Instr::Stack { .. }
            | Instr::Resolve {}
            | Instr::Counter { .. }
            | Instr::Settle { .. }
                if self.is_planning() =>
            {
                return Err(FaultCode::Group);
            }
            Instr::Change { entity, prop, value } => self.change(self.reg(entity), prop, self.reg(value))?,
            Instr::ChangeNamed { entity, name, value } => {
                let entity = self.reg(entity);
                let prop = reading::named(self.core.tables, self.core.board, entity, self.reg(name))?;
                self.change(entity, prop, self.reg(value))?;
            }
            Instr::Emit { dst, event, args } => self.emit(dst, event, args)?,
            Instr::Create { dst, create, args } => self.create(dst, create, args)?,
            Instr::Duplicate { dst, create, args } => self.duplicate(dst, create, args)?,
            Instr::Move { dst, entity, zone, top } => {
                self.relocate(self.reg(entity), self.reg(zone), top, dst)?;
            }
            Instr::MoveAll { list, zone, top } => {
                self.relocate_all(self.reg(list), self.reg(zone), top)?;
            }
            Instr::Remove { entity } => {
                let entity = self.reg(entity);
                self.core.board.live(entity)?;
                self.begin(Happening::of(native::REMOVED), &[entity], &[])?;
            }
            Instr::Shuffle { zone } => {
                let zone = self.reg(zone);
                self.core.board.instance(zone)?;
                self.begin(Happening::of(native::SHUFFLED), &[zone, 0], &[])?;
            }
            Instr::Roll { dst, roll, args } => self.roll(dst, roll, args)?,
            Instr::Draw { dst, roll, args } => self.draw(dst, roll, args)?,
            Instr::EnterPhase { phase, player, subject } => {
                self.enter(phase, self.reg(player), self.reg(subject))?;
            }
            Instr::LeavePhase {} => self.leave()?,
            Instr::End { args } => {
                let at = |n| self.reg(args.offset(n));
                let (outcome, winners, losers, pot) = (at(0), at(1), at(2), at(3));
                self.end(outcome, winners, losers, pot)?;
            }
            Instr::BeginGroup { simultaneous, on_prevented } => {
                let at = self.core.agenda.frames.last().map_or(0, |frame| frame.pc.wrapping_sub(1));
                if self.is_planning() || !self.core.tables.is_plain_group(at) {
                    self.begin_group(simultaneous, on_prevented);
                }
            }
            Instr::Take { offer } => self.take(self.reg(offer))?,
            Instr::Announce { dst, action } => self.announce(dst, action)?,
            Instr::Perform { action, params } => self.perform(action, params)?,
            Instr::Stack { action, params } => self.stack(action, params)?,
            Instr::Resolve {} => self.resolve_top()?,
            Instr::Counter { item } => self.counter(self.reg(item))?,
            Instr::Settle { drain } => self.settle_down(drain)?,
            Instr::Invoke { args, pays, acts } => self.invoke(args, pays, acts)?,
            Instr::Use {} => self.used()?,
            Instr::Keep { on } => self.keep(on),
            Instr::EndGroup { dst } => self.end_group(dst)?,
            Instr::Prevent { event, silent } => self.prevent(self.reg(event), silent)?,
            Instr::Open { choice } => self.open(choice),
            Instr::Ask { choice, args } => self.ask(choice, args)?,
            Instr::Await { dst, choice } => return self.wait(dst, choice),
            _ => return Err(FaultCode::Missing),
        }
        Ok(false)
    }

    #[inline(never)]
    fn live(&mut self) -> Result<()> {
        self.live_on()
    }

    #[inline(never)]
    fn applied(&mut self) -> Result<()> {
        self.close_quick()
    }
}

impl Machine<'_> {
    /// Does what an input asks for, and all that comes of it.
    #[inline(never)]
    pub(crate) fn carry_out(&mut self, step: &Step) -> Result<()> {
        let is_dropped = self.fail_started()?;
        match *step {
            Step::Answer { .. } if is_dropped => {}
            Step::Answer { at, value, how } => self.requests.asks[at].take(value, how),
            Step::Leave { seat, cause } => self.player_leaves(seat, symbol_word(cause))?,
            Step::Moderate { winners, losers, pot } => {
                self.end(symbol_word(native::MODERATOR), winners, losers, symbol_word(pot))?;
            }
            Step::Loop => {
                self.end(symbol_word(native::LOOP), NULL, NULL, symbol_word(native::POT_REFUND))?;
            }
            Step::Draft { .. } | Step::AutoPass { .. } => {}
        }
        self.run()
    }

    /// Runs until the match waits or is over.
    pub(crate) fn run(&mut self) -> Result<()> {
        loop {
            if interpret::run(self, 0)? || self.core.board.end.is_some() {
                return Ok(());
            }
            let outcome = symbol_word(native::FINISHED);
            self.end(outcome, 0, 0, symbol_word(native::POT_REFUND))?;
        }
    }

    /// The entity whose rule is running.
    pub(crate) fn reg_of_self(&self) -> Word {
        self.reg(Reg::SELF)
    }

    fn top_base(&self) -> usize {
        self.core.agenda.frames.last().map_or(0, |frame| frame.base as usize)
    }

    #[inline]
    fn reg(&self, reg: Reg) -> Word {
        self.core.agenda.regs[self.top_base() + usize::from(reg.0)]
    }

    #[inline]
    pub(crate) fn set_reg(&mut self, reg: Reg, value: Word) {
        if reg != Reg::NONE {
            let at = self.top_base() + usize::from(reg.0);
            if let Some(place) = self.core.agenda.regs.get_mut(at) {
                *place = value;
            }
        }
    }

    /// Sets a property, unless it has that value already.
    pub(crate) fn change(&mut self, entity: Word, prop: PropId, value: Word) -> Result<()> {
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
            // Nobody listens: the write is all there is to it.
            let (id, parent) = (self.core.meter.next_event()?, self.cause());
            self.core.board.set_cell(entity, column, value)?;
            self.core.board.count_change();
            return self.record(native::CHANGED, id, parent, &[entity, name, old, value], prop.0, &[]);
        }
        let happening = Happening { detail: prop.0, ..Happening::of(native::CHANGED) };
        self.begin(happening, &[entity, name, old, value], &[])
    }

    fn emit(&mut self, dst: Reg, event: EventId, args: Reg) -> Result<()> {
        let count = self.core.program.events[event.index()].fields.len();
        let from = self.top_base() + usize::from(args.0);
        let mut happening = Happening { gives: Gives::Payload, ret: dst, ..Happening::of(event) };
        if event.index() < native::EVENTS.len() {
            let mut payload = std::mem::take(&mut self.core.agenda.scratch);
            payload.clear();
            payload.extend_from_slice(&self.core.agenda.regs[from..from + count]);
            if event == native::CHANGED {
                let prop = reading::named(self.core.tables, self.core.board, payload[0], payload[1]);
                happening.detail = prop?.0;
            }
            let outcome = self.begin(happening, &payload, &[]);
            self.core.agenda.scratch = payload;
            return outcome;
        }
        if self.is_planning() {
            let payload = self.core.agenda.regs[from..from + count].to_vec();
            return self.plan(happening, &payload, &[]);
        }
        let kind = &self.core.program.events[event.index()];
        let is_silent = self.core.tables.is_inline(event) && kind.unless.is_none();
        let payload = &self.core.agenda.regs[from..from + count];
        if is_silent || self.core.tables.is_unheard(self.core.board, event, payload) {
            let base = self.core.push_event(event, 0)? + usize::from(Reg::CONTEXT);
            self.core.agenda.regs.copy_within(from..from + count, base);
            return self.start_quick(happening, kind.apply);
        }
        let mut payload = std::mem::take(&mut self.core.agenda.scratch);
        payload.clear();
        payload.extend_from_slice(&self.core.agenda.regs[from..from + count]);
        let origin = self.origin(dst);
        let base = self.core.push_event(event, 0)? + usize::from(Reg::CONTEXT);
        self.core.agenda.regs[base..base + count].copy_from_slice(&payload);
        self.core.agenda.scratch = payload;
        self.start(happening, origin)
    }

    fn create(&mut self, dst: Reg, create: CreateId, args: Reg) -> Result<()> {
        let create = &self.core.program.creates[create.index()];
        let at = |n: usize| self.reg(args.offset(n as u16));
        let (def, owner, zone, host, until) = (present(at(0))?, at(1), at(2), at(3), at(4));
        let kind = self.core.tables.def(def).map(|def| self.core.program.defs[def.index()].kind);
        let kind = kind.ok_or(FaultCode::OutOfRange)?;
        let mut with = std::mem::take(&mut self.core.agenda.scratch);
        with.clear();
        self.given(kind, &create.with, args, &mut with)?;
        let happening = Happening {
            gives: Gives::Entity,
            ret: dst,
            detail: u16::from(create.top),
            ..Happening::of(native::CREATED)
        };
        let outcome = self.begin(happening, &[NULL, def, owner, zone, NULL, host, until], &with);
        self.core.agenda.scratch = with;
        outcome
    }

    /// The properties a `create` gives, as pairs.
    fn given(&self, kind: KindId, names: &[Symbol], args: Reg, with: &mut Vec<Word>) -> Result<()> {
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

    /// Makes a copy of an entity: all its values, but nobody knows it and nothing is attached to it.
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
        self.given(found.kind, &create.with, args, &mut with)?;
        if is_item && zone == NULL {
            zone = self.core.tables.single(ZoneId::STACK);
            if self.stack_len() >= self.core.program.limits.depth as usize {
                return Err(FaultCode::Depth);
            }
        }
        let owner = match (owner, found.owner) {
            (NULL, NOBODY) => NULL,
            (NULL, seat) => Word::from(seat) + 1,
            (owner, _) => owner,
        };
        let happening = Happening {
            gives: Gives::Entity,
            ret: dst,
            detail: u16::from(create.top || is_item),
            ..Happening::of(native::CREATED)
        };
        self.begin(happening, &[NULL, symbol_word(def.name), owner, zone, NULL, NULL, NULL], &with)
    }

    pub(crate) fn relocate(&mut self, entity: Word, zone: Word, top: bool, ret: Reg) -> Result<()> {
        self.core.board.live(entity)?;
        self.core.board.instance(zone)?;
        let (gives, detail) = (Gives::Entity, u16::from(top));
        let happening = Happening { gives, ret, detail, ..Happening::of(native::MOVED) };
        self.begin(happening, &[entity, NULL, zone, NULL], &[])
    }

    /// Moves a list one by one: at once if nobody listens, else by a frame that does it step by step.
    fn relocate_all(&mut self, list: Word, zone: Word, top: bool) -> Result<()> {
        let count = self.core.board.heap.items(list)?.len();
        self.core.meter.steps(count)?;
        for index in 0..count {
            self.core.board.live(self.core.board.heap.items(list)?[index])?;
        }
        if self.core.tables.is_inline(native::MOVED) || self.is_planning() {
            for index in 0..count {
                let index = if top { count - 1 - index } else { index };
                let entity = self.core.board.heap.items(list)?[index];
                self.relocate(entity, zone, top, Reg::NONE)?;
            }
            return Ok(());
        }
        let cause = self.cause();
        let base = self.core.push_event(native::MOVED, 0)?;
        let regs = &mut self.core.agenda.regs;
        regs[base] = list;
        regs[base + 1] = zone;
        regs[base + 2] = 0;
        regs[base + usize::from(Reg::EVENT.0)] = NULL;
        if let Some(frame) = self.core.agenda.frames.last_mut() {
            frame.stage = Stage::Moving;
            frame.detail = u16::from(top);
            frame.cause = cause;
        }
        Ok(())
    }

    fn roll(&mut self, dst: Reg, roll: RollId, args: Reg) -> Result<()> {
        let label = self.core.program.rolls[roll.index()].label;
        let (dice, keep, by) = (self.reg(args), self.reg(args.offset(1)), self.reg(args.offset(2)));
        let (count, sides) = word::dice_parts(present(dice)?);
        self.core.meter.steps(count as usize)?;
        let mut faces = std::mem::take(&mut self.core.agenda.scratch);
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
        self.core.agenda.scratch = faces;
        rolled?;
        let label = label.map_or(NULL, symbol_word);
        let happening = Happening { gives: Gives::Roll, ret: dst, ..Happening::of(native::ROLLED) };
        self.begin(happening, &[dice, list?, total, label, by], &[])
    }

    /// Picks items of a list: the faces are their places, counted from 1.
    fn draw(&mut self, dst: Reg, roll: RollId, args: Reg) -> Result<()> {
        let label = self.core.program.rolls[roll.index()].label.map_or(NULL, symbol_word);
        let (wanted, list, by) = (self.reg(args), self.reg(args.offset(1)), self.reg(args.offset(2)));
        let len = self.core.board.heap.items(list)?.len();
        let wanted = values::count(wanted)?;
        if wanted > len || len > i32::MAX as usize {
            return Err(FaultCode::BadCount);
        }
        self.core.meter.steps(len)?;
        let mut places = std::mem::take(&mut self.core.agenda.scratch);
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
        self.core.agenda.scratch = places;
        self.set_reg(dst, drawn?);
        let dice = word::dice(wanted as u32, len as u32);
        self.begin(Happening::of(native::ROLLED), &[dice, faces?, total, label, by], &[])
    }

    fn enter(&mut self, phase: PhaseId, player: Word, subject: Word) -> Result<()> {
        let name = symbol_word(self.core.program.phases[phase.index()].name);
        self.begin(Happening::of(native::PHASE_STARTED), &[name, player, subject], &[])
    }

    fn leave(&mut self) -> Result<()> {
        let Some(entry) = self.core.board.phases.last().copied() else {
            return Ok(());
        };
        let name = symbol_word(self.core.program.phases[entry.phase.index()].name);
        self.begin(Happening::of(native::PHASE_ENDED), &[name, entry.player, entry.subject], &[])
    }

    /// Ends the match. What is not said: it finished, nobody won, everyone gets the stakes back.
    pub(crate) fn end(&mut self, outcome: Word, winners: Word, losers: Word, pot: Word) -> Result<()> {
        let or = |value: Word, usual: Word| if value == NULL { usual } else { value };
        let outcome = or(outcome, symbol_word(native::FINISHED));
        let pot = or(pot, symbol_word(native::POT_REFUND));
        self.begin(Happening::of(native::MATCH_ENDED), &[outcome, or(winners, 0), or(losers, 0), pot], &[])
    }

    /// The event whose life the running frame belongs to; 0 for none.
    pub(crate) fn cause(&self) -> u32 {
        self.core.agenda.frames.last().map_or(0, |frame| frame.cause)
    }

    /// The cause as logs tell it.
    pub(crate) fn logged_cause(&self, cause: u32) -> Cause {
        if cause == 0 { Cause::Input(self.input) } else { Cause::Event(cause) }
    }
}
