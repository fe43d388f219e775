//! Groups: several events that happen together.
//!
//! The body is planned on the board itself under a savepoint, so that later
//! members see what earlier ones would do; then the board is put back, every
//! planned event is open to `before` reactions, and all are committed, or none.
//! In a simultaneous group, members do not see each other, and those that are
//! prevented are left out.

use intermezzo_ruleset::{EventId, FaultCode, NULL, Reg, When, Word, native};

use crate::agenda::{Fate, Frame, Gives, NO_ROUTINE, Stage};
use crate::happening::{Happening, Machine, Result};
use crate::log::Status;
use crate::undo::Savepoint;
use crate::values::holds;

/// A group whose body is running.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plan {
    savepoint: Savepoint,
    simultaneous: bool,
}

/// An event that a group is to bring about; its words are payload, then `with` pairs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Planned {
    event: EventId,
    detail: u16,
    first: usize,
    fields: usize,
    with: usize,
}

impl Machine<'_> {
    pub(crate) fn is_planning(&self) -> bool {
        !self.core.agenda.plans.is_empty()
    }

    pub(crate) fn begin_group(&mut self, simultaneous: bool) {
        let savepoint = self.core.board.mark();
        self.core.agenda.plans.push(Plan { savepoint, simultaneous });
    }

    /// Notes an event that the group under way is to bring about.
    pub(crate) fn plan(&mut self, happening: Happening, payload: &[Word], with: &[Word]) -> Result<()> {
        let event = happening.event;
        self.core.meter.event()?;
        let mut fields = payload.to_vec();
        if self.test_unless(event, &fields)? {
            return self.give(happening.gives, happening.ret, &fields, false);
        }
        let is_seen = self.core.agenda.plans.last().is_some_and(|plan| !plan.simultaneous);
        if event.index() < native::EVENTS.len() {
            self.settle(event, &mut fields, happening.detail)?;
        }
        if is_seen || event == native::CREATED {
            self.bring_about(event, &mut fields, happening.detail, with)?;
        }
        let agenda = &mut self.core.agenda;
        let first = agenda.plan_words.len();
        agenda.plan_words.extend_from_slice(&fields);
        agenda.plan_words.extend_from_slice(with);
        let planned =
            Planned { event, detail: happening.detail, first, fields: fields.len(), with: with.len() };
        agenda.planned.push(planned);
        self.give(happening.gives, happening.ret, &fields, true)?;
        let created = if event == native::CREATED { self.given_traits(fields[0]) } else { 0 };
        (0..created).try_for_each(|number| self.give_trait(fields[0], number))
    }

    fn test_unless(&mut self, event: EventId, fields: &[Word]) -> Result<bool> {
        let Some(unless) = self.core.program.events[event.index()].unless else { return Ok(false) };
        Ok(holds(self.run_apart(event, fields, unless)?))
    }

    /// Runs a piece of an event's own code on a frame of its own.
    fn run_apart(&mut self, event: EventId, fields: &[Word], entry: u32) -> Result<Word> {
        let base = self.core.push_event(event, 0)? + usize::from(Reg::CONTEXT);
        self.core.agenda.regs[base..base + fields.len()].copy_from_slice(fields);
        let value = self.core.run_event_code(entry)?;
        self.core.agenda.drop_top();
        Ok(value)
    }

    /// Folds an event into the board.
    fn bring_about(&mut self, event: EventId, fields: &mut [Word], detail: u16, with: &[Word]) -> Result<()> {
        if event.index() < native::EVENTS.len() {
            self.core.fold_native(event, fields, detail, with)?;
        }
        if let Some(apply) = self.core.program.events[event.index()].apply {
            self.run_apart(event, fields, apply)?;
        }
        Ok(())
    }

    /// The body is done: the board is put back, and the planned events come up for reactions.
    pub(crate) fn end_group(&mut self) -> Result<()> {
        let Some(plan) = self.core.agenda.plans.pop() else { return Ok(()) };
        if self.is_planning() {
            // A group inside a group is part of it.
            self.core.board.commit(plan.savepoint);
            return Ok(());
        }
        self.core.board.rollback_keeping_heap(plan.savepoint);
        let planned = std::mem::take(&mut self.core.agenda.planned);
        let words = std::mem::take(&mut self.core.agenda.plan_words);
        let (parent, first_id) = (self.cause(), self.counters.events + 1);
        self.counters.events += planned.len() as u32;
        // The first is on top, so that consequences come in order.
        for (number, event) in planned.iter().enumerate().rev() {
            let base = self.core.push_event(event.event, event.with)? + usize::from(Reg::CONTEXT);
            let (fields, with) = words[event.first..].split_at(event.fields);
            let regs = &mut self.core.agenda.regs;
            regs[base..base + event.fields].copy_from_slice(fields);
            let extra = regs.len() - event.with;
            regs[extra..].copy_from_slice(&with[..event.with]);
            let id = first_id + number as u32;
            let frame = self.top();
            frame.stage = Stage::Planned;
            frame.detail = event.detail;
            frame.parent = parent;
            frame.id = id;
            frame.cause = id;
        }
        let members = planned.len() as u32;
        self.core.agenda.planned = planned;
        self.core.agenda.planned.clear();
        self.core.agenda.plan_words = words;
        self.core.agenda.plan_words.clear();
        if members > 0 {
            self.push_driver(members, plan.simultaneous, parent)?;
        }
        Ok(())
    }

    /// The frame above the members that takes them through their reactions.
    fn push_driver(&mut self, members: u32, simultaneous: bool, cause: u32) -> Result<()> {
        let base = self.core.agenda.grow(0, self.core.program.limits.depth)?;
        self.core.agenda.frames.push(Frame {
            stage: Stage::Group,
            gives: Gives::Nothing,
            routine: NO_ROUTINE,
            ret: Reg::NONE,
            pc: 0,
            base: base as u32,
            cause,
            fate: Fate::Open,
            by: NULL,
            event: native::MATCH_STARTED,
            id: 0,
            parent: 0,
            reactions: self.core.agenda.reactions.len() as u32,
            detail: u16::from(simultaneous),
            step: 0,
            row: members,
        });
        Ok(())
    }

    /// Takes the group whose driver is on top one step further.
    pub(crate) fn drive(&mut self, driver: &Frame) -> Result<()> {
        let top = self.core.agenda.frames.len() - 1;
        if u32::from(driver.step) == driver.row {
            return self.decide(driver, top);
        }
        let member = self.core.agenda.frames[top - 1 - usize::from(driver.step)];
        let applied = driver.reactions as usize;
        if member.fate == Fate::Open {
            for due in self.candidates(&member, When::Before) {
                let is_new = !self.core.agenda.reactions[applied..].contains(&due);
                if is_new && self.is_set_off(due, &member)? {
                    self.note_reaction(due, applied)?;
                    self.count_use(due, &member);
                    return self.react(due, &member);
                }
            }
        }
        self.core.agenda.reactions.truncate(applied);
        self.top().step += 1;
        Ok(())
    }

    /// All members have been reacted to: they happen, or not.
    fn decide(&mut self, driver: &Frame, top: usize) -> Result<()> {
        let simultaneous = driver.detail != 0;
        let members: Vec<usize> = (0..driver.row as usize).map(|number| top - 1 - number).collect();
        let stopped =
            members.iter().map(|at| self.core.agenda.frames[*at]).find(|member| member.fate != Fate::Open);
        self.core.agenda.drop_top();
        let mut prevented = Vec::new();
        for at in members.iter().copied() {
            let member = self.core.agenda.frames[at];
            let fate = match (member.fate, stopped) {
                (Fate::Open, Some(stopped)) if !simultaneous => {
                    self.core.agenda.frames[at].by = stopped.by;
                    Fate::Prevented
                }
                (fate, _) => fate,
            };
            if fate == Fate::Open {
                self.commit_member(at)?;
                let frame = &mut self.core.agenda.frames[at];
                (frame.stage, frame.step, frame.row) = (Stage::Resets, 0, 0);
                continue;
            }
            self.record_member(at)?;
            if fate == Fate::Prevented {
                prevented.push(self.told(at));
            }
            // Nothing is left of it but to be taken away.
            let frame = &mut self.core.agenda.frames[at];
            (frame.stage, frame.step) = (Stage::After, 1);
        }
        self.tell_prevented(prevented)
    }

    fn payload(&self, at: usize) -> (std::ops::Range<usize>, std::ops::Range<usize>) {
        let frame = &self.core.agenda.frames[at];
        let first = frame.base as usize + usize::from(Reg::CONTEXT);
        let fields = first..first + self.core.program.events[frame.event.index()].fields.len();
        let end = self
            .core
            .agenda
            .frames
            .get(at + 1)
            .map_or(self.core.agenda.regs.len(), |next| next.base as usize);
        let extra = if frame.event == native::CREATED { self.with_start(frame)..end } else { 0..0 };
        (fields, extra)
    }

    /// Applies and logs a member.
    fn commit_member(&mut self, at: usize) -> Result<()> {
        let frame = self.core.agenda.frames[at];
        let (fields_at, with_at) = self.payload(at);
        let mut fields = self.core.agenda.regs[fields_at.clone()].to_vec();
        let with = self.core.agenda.regs[with_at].to_vec();
        let planned = fields.first().copied();
        if frame.event.index() < native::EVENTS.len() {
            self.settle(frame.event, &mut fields, frame.detail)?;
        }
        self.bring_about(frame.event, &mut fields, frame.detail, &with)?;
        if frame.event == native::CREATED && fields.first().copied() != planned {
            // A reaction made something in the meantime; the other members name what was planned.
            return Err(FaultCode::Group);
        }
        self.core.board.count_event(frame.event);
        self.record(frame.event, frame.id, frame.parent, &fields, frame.detail, &with)?;
        self.core.agenda.regs[fields_at].copy_from_slice(&fields);
        Ok(())
    }

    /// Logs a member that does not happen.
    fn record_member(&mut self, at: usize) -> Result<()> {
        let frame = self.core.agenda.frames[at];
        let (fields_at, with_at) = self.payload(at);
        let mut fields = self.core.agenda.regs[fields_at].to_vec();
        let with = self.core.agenda.regs[with_at].to_vec();
        if frame.event == native::CREATED {
            fields[0] = NULL;
        }
        let origin = (frame.id, frame.parent);
        self.record_as(Status::Prevented, frame.event, origin, &fields, frame.detail, &with)
    }

    fn told(&self, at: usize) -> [Word; 3] {
        let frame = &self.core.agenda.frames[at];
        let name = crate::tables::symbol_word(self.core.program.events[frame.event.index()].symbol);
        [Word::from(frame.id), name, frame.by]
    }

    /// One `EventPrevented` for each, in order.
    fn tell_prevented(&mut self, mut prevented: Vec<[Word; 3]>) -> Result<()> {
        if !self.core.tables.is_inline(native::EVENT_PREVENTED) {
            // Their frames lie on each other: the last one pushed comes first.
            prevented.reverse();
        }
        prevented.iter().try_for_each(|told| self.begin(Happening::of(native::EVENT_PREVENTED), told, &[]))
    }
}
