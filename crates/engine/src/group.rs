//! Groups: several events that happen together. This is how they are planned; [`decide`](crate::decide) says
//! what becomes of them.
//!
//! The body is planned on the board itself under a savepoint, so that later
//! members see what earlier ones would do; then the board is put back. In a
//! simultaneous group, members do not see each other. Groups nest: an inner
//! one is part of the plan of the outer one.

use intermezzo_ruleset::{EventId, NULL, OnPrevented, Reg, Word, native, word};

use crate::agenda::{Agenda, Gives, Stage};
use crate::decide::{Group, Member};
use crate::happening::{Happening, Machine, Result};
use crate::undo::Savepoint;
use crate::values::holds;

/// A group whose body is running.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plan {
    savepoint: Savepoint,
    group: usize,
    simultaneous: bool,
    /// Whether what is planned now may be prevented without harm to the rest.
    keeps: bool,
    /// How many events were planned before it.
    first: usize,
    /// The frame its body runs in.
    frame: usize,
}

/// An event that a group is to bring about; its words are payload, then `with` pairs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Planned {
    event: EventId,
    gives: Gives,
    detail: u16,
    member: Member,
    first: usize,
    fields: usize,
    with: usize,
}

impl Agenda {
    /// Rows that groups have promised to what they are going to make.
    pub(crate) fn promised_rows(&self) -> Vec<u32> {
        if self.members == 0 && self.planned.is_empty() {
            return Vec::new();
        }
        let planned = self.planned.iter().filter(|planned| planned.event == native::CREATED);
        let planned = planned.map(|planned| self.plan_words[planned.first]);
        let open = self
            .frames
            .iter()
            .filter(|frame| frame.stage == Stage::Planned && frame.event == native::CREATED)
            .map(|frame| self.regs[frame.base as usize + usize::from(Reg::CONTEXT)]);
        planned.chain(open).map(word::row).collect()
    }
}

impl Machine<'_> {
    pub(crate) fn is_planning(&self) -> bool {
        !self.core.agenda.plans.is_empty()
    }

    pub(crate) fn begin_group(&mut self, simultaneous: bool, on_prevented: OnPrevented) {
        let savepoint = self.core.board.mark();
        let agenda = &mut self.core.agenda;
        let parent = agenda.plans.last().map(|outer| outer.group);
        agenda.groups.push(Group { parent, simultaneous, on_prevented, ret: Reg::NONE, stopped_by: None });
        agenda.plans.push(Plan {
            savepoint,
            group: agenda.groups.len() - 1,
            simultaneous,
            keeps: false,
            first: agenda.planned.len(),
            frame: agenda.frames.len(),
        });
    }

    /// Says whether what is planned from here on may be prevented without harm to the rest.
    pub(crate) fn keep(&mut self, on: bool) {
        if let Some(plan) = self.core.agenda.plans.last_mut() {
            plan.keeps = on;
        }
    }

    /// Where a result goes once the outermost group is decided: nowhere if it belongs to code that is over by then.
    fn kept_result(&self, ret: Reg) -> Reg {
        let outermost = self.core.agenda.plans.first().map(|plan| plan.frame);
        if outermost == Some(self.core.agenda.frames.len()) { ret } else { Reg::NONE }
    }

    /// Notes an event that the group under way is to bring about.
    pub(crate) fn plan(&mut self, happening: Happening, payload: &[Word], with: &[Word]) -> Result<()> {
        let event = happening.event;
        self.core.meter.event()?;
        let mut fields = payload.to_vec();
        if self.test_unless(event, &fields)? {
            return self.give(happening.gives, happening.ret, &fields, false);
        }
        let Some(plan) = self.core.agenda.plans.last().copied() else { return Ok(()) };
        let ret = self.kept_result(happening.ret);
        self.settle_native(event, &mut fields, happening.detail)?;
        let mut seen = fields.clone();
        if !plan.simultaneous {
            self.bring_about(event, &mut seen, happening.detail, with)?;
        } else if event == native::CREATED {
            self.bring_to_limbo(&mut seen, with)?;
        }
        if event == native::CREATED {
            fields[0] = seen[0];
        }
        let zones = match event {
            native::CREATED => self.core.board.live(fields[0])?.zones,
            _ => 0,
        };
        let agenda = &mut self.core.agenda;
        let first = agenda.plan_words.len();
        agenda.plan_words.extend_from_slice(&fields);
        agenda.plan_words.extend_from_slice(with);
        let (detail, gives) = (happening.detail, happening.gives);
        let member = Member { group: plan.group, is_kept: plan.keeps, ret, zones };
        agenda.planned.push(Planned {
            event,
            gives,
            detail,
            member,
            first,
            fields: fields.len(),
            with: with.len(),
        });
        self.give(happening.gives, happening.ret, &seen, true)?;
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

    pub(crate) fn settle_native(&mut self, event: EventId, fields: &mut [Word], detail: u16) -> Result<()> {
        if event.index() < native::EVENTS.len() { self.settle(event, fields, detail) } else { Ok(()) }
    }

    /// Folds an event into the board.
    pub(crate) fn bring_about(
        &mut self,
        event: EventId,
        fields: &mut [Word],
        detail: u16,
        with: &[Word],
    ) -> Result<()> {
        if event.index() < native::EVENTS.len() {
            self.core.fold_native(event, fields, detail, with)?;
        }
        if let Some(apply) = self.core.program.events[event.index()].apply {
            self.run_apart(event, fields, apply)?;
        }
        Ok(())
    }

    /// Makes an entity that the others of a simultaneous group may name, but find nowhere.
    fn bring_to_limbo(&mut self, fields: &mut [Word], with: &[Word]) -> Result<()> {
        let mut apart = [fields[0], fields[1], fields[2], NULL, 0, NULL, NULL];
        self.core.fold_native(native::CREATED, &mut apart, 0, with)?;
        fields[0] = apart[0];
        Ok(())
    }

    /// The body is done. An inner group stays part of the plan; the outermost one comes up for reactions.
    pub(crate) fn end_group(&mut self, dst: Reg) -> Result<()> {
        if !self.is_planning() {
            // Nobody listens, so its members have happened as they came.
            if dst != Reg::NONE {
                let record = self.core.board.heap.new_record(&[1])?;
                self.set_reg(dst, record);
            }
            return Ok(());
        }
        let ret = self.kept_result(dst);
        let Some(plan) = self.core.agenda.plans.pop() else { return Ok(()) };
        self.core.agenda.groups[plan.group].ret = ret;
        if dst != Reg::NONE {
            // As far as the plan goes, it happens.
            let record = self.core.board.heap.new_record(&[1])?;
            self.set_reg(dst, record);
        }
        match self.core.agenda.plans.last().copied() {
            Some(outer) => self.close_inner(plan, outer),
            None => {
                self.core.board.rollback_keeping_heap(plan.savepoint);
                self.open_decision()
            }
        }
    }

    /// Members of an atomic group see what a group before them does; those of a simultaneous one do not.
    fn close_inner(&mut self, plan: Plan, outer: Plan) -> Result<()> {
        if plan.simultaneous == outer.simultaneous {
            self.core.board.commit(plan.savepoint);
            return Ok(());
        }
        self.core.board.rollback_keeping_heap(plan.savepoint);
        for at in plan.first..self.core.agenda.planned.len() {
            let planned = self.core.agenda.planned[at];
            let (mut fields, with) = self.words_of(planned);
            if !outer.simultaneous {
                self.settle_native(planned.event, &mut fields, planned.detail)?;
                self.bring_about(planned.event, &mut fields, planned.detail, &with)?;
            } else if planned.event == native::CREATED {
                self.bring_to_limbo(&mut fields, &with)?;
            }
        }
        Ok(())
    }

    fn words_of(&self, planned: Planned) -> (Vec<Word>, Vec<Word>) {
        let words = &self.core.agenda.plan_words[planned.first..];
        let (fields, rest) = words.split_at(planned.fields);
        (fields.to_vec(), rest[..planned.with].to_vec())
    }

    /// Leaves a frame for each planned event, the first on top, and above them the driver.
    fn open_decision(&mut self) -> Result<()> {
        let planned = std::mem::take(&mut self.core.agenda.planned);
        let groups = std::mem::take(&mut self.core.agenda.groups);
        let (parent, first_id) = (self.cause(), self.core.meter.newest + 1);
        let replaced = self.replaced_event();
        self.core.meter.newest += planned.len() as u32;
        for (number, event) in planned.iter().enumerate().rev() {
            let (fields, with) = self.words_of(*event);
            let base = self.core.push_event(event.event, with.len())? + usize::from(Reg::CONTEXT);
            let regs = &mut self.core.agenda.regs;
            regs[base..base + fields.len()].copy_from_slice(&fields);
            let extra = regs.len() - with.len();
            regs[extra..].copy_from_slice(&with);
            let id = first_id + number as u32;
            self.core.agenda.members += 1;
            let frame = self.top();
            frame.stage = Stage::Planned;
            frame.gives = event.gives;
            frame.detail = event.detail;
            frame.parent = parent;
            frame.id = id;
            frame.cause = id;
            frame.batch = first_id;
        }
        self.core.agenda.plan_words.clear();
        let members: Vec<Member> = planned.iter().map(|planned| planned.member).collect();
        if members.is_empty() {
            return self.tell_groups(&groups, &[], self.core.agenda.frames.len() - 1);
        }
        self.push_driver(&groups, &members, parent)?;
        self.inherit_applied(replaced);
        let agenda = &self.core.agenda;
        let inherited =
            agenda.reactions.len() - agenda.frames.last().map_or(0, |driver| driver.reactions as usize);
        self.top().step = inherited as u16;
        Ok(())
    }
}
