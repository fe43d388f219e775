//! Planning of groups, which are several events that happen together. The
//! [`group_commit`](crate::run::group_commit) module commits them.
//!
//! The body runs on the board itself under a savepoint, so that later members see the effect of earlier ones;
//! then the board is rolled back. Members of a simultaneous group do not see each other. Groups nest: an inner
//! group is part of the plan of the outer one.

use intermezzo_program::{EventId, FaultCode, Instr, NULL, OnPrevented, Reg, Word, native, word};

use crate::run::effects::{EventHeader, Machine, Result};
use crate::run::frames::{Disposition, EventResult, Frame, FrameStack, LifecycleStage};
use crate::run::group_commit::{Group, GroupMember};
use crate::storage::undo::Savepoint;
use crate::values::arithmetic::{self, holds};

/// A group whose body is running.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GroupPlan {
    pub(crate) savepoint: Savepoint,
    group: usize,
    simultaneous: bool,
    /// True if the events planned now may be prevented without stopping the rest of the group.
    keeps: bool,
    /// Number of events planned before it.
    first: usize,
    /// The number of frames while its body runs.
    frame: usize,
}

/// An event planned by a group. Its words are the payload, then the `with` pairs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PlannedEvent {
    event: EventId,
    result: EventResult,
    detail: u16,
    pub(crate) member: GroupMember,
    /// True if it cannot happen: its zone is full.
    is_lost: bool,
    first: usize,
    fields: usize,
    with: usize,
}

impl GroupPlan {
    /// Creates the plan of events that replace a member of a group. No code waits for their results.
    pub(crate) fn of_replacement(savepoint: Savepoint) -> GroupPlan {
        GroupPlan { savepoint, group: 0, simultaneous: false, keeps: false, first: 0, frame: usize::MAX }
    }
}

impl FrameStack {
    /// Returns the rows that groups have reserved for the entities they will create.
    pub(crate) fn promised_rows(&self) -> Vec<u32> {
        if self.member_count == 0 && self.planned.is_empty() {
            return Vec::new();
        }
        let planned = self.planned.iter().filter(|planned| planned.event == native::CREATED);
        let planned = planned.map(|planned| self.plan_words[planned.first]);
        let open = self
            .stack
            .iter()
            .filter_map(Frame::as_event)
            .filter(|frame| frame.stage == LifecycleStage::Planned && frame.event == native::CREATED)
            .map(|frame| self.regs[frame.base as usize + usize::from(Reg::CONTEXT)]);
        planned.chain(open).map(word::row).collect()
    }
}

impl Machine<'_> {
    pub(crate) fn is_planning(&self) -> bool {
        !self.core.frames.plans.is_empty()
    }

    pub(crate) fn begin_group(&mut self, simultaneous: bool, on_prevented: OnPrevented) {
        let savepoint = self.core.board.mark();
        let frames = &mut self.core.frames;
        let parent = frames.plans.last().map(|outer| outer.group);
        frames.groups.push(Group::new(parent, simultaneous, on_prevented));
        frames.plans.push(GroupPlan {
            savepoint,
            group: frames.groups.len() - 1,
            simultaneous,
            keeps: false,
            first: frames.planned.len(),
            frame: frames.stack.len(),
        });
    }

    /// Sets whether events planned from here on may be prevented without stopping the rest of the group.
    pub(crate) fn set_kept(&mut self, on: bool) {
        if let Some(plan) = self.core.frames.plans.last_mut() {
            plan.keeps = on;
        }
    }

    /// Returns the register for a result once the outermost group is committed, or none if the result belongs to code
    /// that has ended by then.
    fn result_register(&self, ret: Reg) -> Reg {
        let outermost = self.core.frames.plans.first().map(|plan| plan.frame);
        if outermost == Some(self.core.frames.stack.len()) { ret } else { Reg::NONE }
    }

    /// Adds an event to the plan of the current group.
    pub(crate) fn plan(&mut self, header: EventHeader, payload: &[Word], with: &[Word]) -> Result<()> {
        let event = header.event;
        self.core.meter.charge_event()?;
        let mut fields = payload.to_vec();
        if self.test_unless(event, &fields)? {
            return self.deliver_result(header.result, header.ret, &fields, false);
        }
        let Some(plan) = self.core.frames.plans.last().copied() else { return Ok(()) };
        let ret = self.result_register(header.ret);
        let is_lost = self.lacks_room(event, &mut fields, header.detail)?;
        let mut seen = fields.clone();
        if !plan.simultaneous && !is_lost {
            self.fold_event(event, &mut seen, header.detail, with)?;
        } else if event == native::CREATED {
            self.create_outside_zones(&mut seen, with)?;
        }
        if event == native::CREATED {
            fields[0] = seen[0];
        }
        let zones = match event {
            native::CREATED => self.core.board.live(fields[0])?.zones,
            _ => 0,
        };
        let frames = &mut self.core.frames;
        let first = frames.plan_words.len();
        frames.plan_words.extend_from_slice(&fields);
        frames.plan_words.extend_from_slice(with);
        let (detail, result) = (header.detail, header.result);
        let (group, is_kept, added) = (plan.group, plan.keeps, header.added);
        let member = GroupMember { group, is_kept, applied: 0, ret, zones, added };
        frames.planned.push(PlannedEvent {
            event,
            result,
            detail,
            member,
            is_lost,
            first,
            fields: fields.len(),
            with: with.len(),
        });
        self.deliver_result(header.result, header.ret, &seen, !is_lost)?;
        let created =
            if event == native::CREATED && !is_lost { self.initial_trait_count(fields[0]) } else { 0 };
        (0..created).try_for_each(|number| self.attach_initial_trait(fields[0], number))
    }

    fn test_unless(&mut self, event: EventId, fields: &[Word]) -> Result<bool> {
        let Some(unless) = self.core.program.events[event.index()].unless else { return Ok(false) };
        Ok(holds(self.run_event_code_apart(event, fields, unless)?))
    }

    /// Runs a piece of an event's own code on a separate frame.
    fn run_event_code_apart(&mut self, event: EventId, fields: &[Word], entry: u32) -> Result<Word> {
        let base = self.core.push_event(event, 0)? + usize::from(Reg::CONTEXT);
        self.core.frames.regs[base..base + fields.len()].copy_from_slice(fields);
        let value = self.core.run_event_code(entry)?;
        self.core.frames.pop_frame();
        Ok(value)
    }

    /// Fills in the payload of a planned event. Returns true if its zone is full.
    fn lacks_room(&mut self, event: EventId, fields: &mut [Word], detail: u16) -> Result<bool> {
        match self.complete_native_payload(event, fields, detail) {
            Err(FaultCode::ZoneFull) => Ok(true),
            completed => completed.map(|()| false),
        }
    }

    /// Lets a planned change that adds to a property start from the value the property has now. Earlier members, or
    /// what took their place, may have changed it since the plan.
    pub(crate) fn add_to_present_value(
        &mut self,
        event: EventId,
        member: &GroupMember,
        fields: &mut [Word],
        detail: u16,
    ) -> Result<()> {
        if event != native::CHANGED || member.added == NULL {
            return Ok(());
        }
        let prop = intermezzo_program::PropId(detail);
        let column = self.core.program.props[prop.index()].column;
        let now = self.core.board.cell(self.core.board.live(fields[0])?, column)?;
        if now == fields[2] || now == NULL {
            return Ok(());
        }
        let planned = self.core.clamp(fields[0], prop, arithmetic::add(fields[2], member.added)?)?;
        // A reaction that has rewritten the new value has changed the difference.
        let added = match fields[3] == planned {
            true => member.added,
            false => arithmetic::sub(fields[3], fields[2])?,
        };
        fields[3] = arithmetic::add(now, added)?;
        Ok(())
    }

    pub(crate) fn complete_native_payload(
        &mut self,
        event: EventId,
        fields: &mut [Word],
        detail: u16,
    ) -> Result<()> {
        if event.index() < native::EVENTS.len() {
            self.complete_payload(event, fields, detail)
        } else {
            Ok(())
        }
    }

    /// Folds an event into the board.
    pub(crate) fn fold_event(
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
            self.run_event_code_apart(event, fields, apply)?;
        }
        Ok(())
    }

    /// Creates an entity in no zone. Other members of a simultaneous group may refer to it but cannot find it.
    fn create_outside_zones(&mut self, fields: &mut [Word], with: &[Word]) -> Result<()> {
        let mut apart = [fields[0], fields[1], fields[2], NULL, 0, NULL, NULL];
        self.core.fold_native(native::CREATED, &mut apart, 0, with)?;
        fields[0] = apart[0];
        Ok(())
    }

    /// Ends the body of a group. An inner group stays part of the plan; the outermost one proceeds to reactions.
    pub(crate) fn end_group(&mut self, dst: Reg) -> Result<()> {
        if !self.is_planning() {
            // No member has listeners, so each was applied as it came.
            if dst != Reg::NONE {
                let record = self.core.board.heap.new_record(&[1])?;
                self.set_reg(dst, record);
            }
            return Ok(());
        }
        let ret = self.result_register(dst);
        let Some(plan) = self.core.frames.plans.pop() else { return Ok(()) };
        let next = self.core.frames.stack.last().map_or(0, |frame| frame.pc() as usize);
        let collects = match self.core.program.code.get(next) {
            Some(Instr::Collect { event }) => Some(*event),
            _ => None,
        };
        let group = &mut self.core.frames.groups[plan.group];
        (group.ret, group.collects) = (ret, collects);
        if dst != Reg::NONE {
            // In the plan, every group succeeds.
            let mut fields = vec![1];
            if let Some(event) = collects {
                fields.push(self.collect_planned(event, plan.first)?);
            }
            let record = self.core.board.heap.new_record(&fields)?;
            self.set_reg(dst, record);
        }
        match self.core.frames.plans.last().copied() {
            Some(outer) => self.close_inner(plan, outer),
            None => {
                self.core.board.rollback_keeping_heap(plan.savepoint);
                self.push_decision()
            }
        }
    }

    /// Ends an inner group. Members of an atomic group see the effect of earlier groups; members of a simultaneous
    /// group do not.
    fn close_inner(&mut self, plan: GroupPlan, outer: GroupPlan) -> Result<()> {
        if plan.simultaneous == outer.simultaneous {
            self.core.board.commit(plan.savepoint);
            return Ok(());
        }
        self.core.board.rollback_keeping_heap(plan.savepoint);
        for at in plan.first..self.core.frames.planned.len() {
            let planned = self.core.frames.planned[at];
            let (mut fields, with) = self.words_of(planned);
            if !outer.simultaneous {
                self.add_to_present_value(planned.event, &planned.member, &mut fields, planned.detail)?;
            }
            let is_lost = planned.is_lost
                || !outer.simultaneous && self.lacks_room(planned.event, &mut fields, planned.detail)?;
            self.core.frames.planned[at].is_lost = is_lost;
            if !outer.simultaneous && !is_lost {
                self.fold_event(planned.event, &mut fields, planned.detail, &with)?;
            } else if planned.event == native::CREATED {
                self.create_outside_zones(&mut fields, &with)?;
            }
        }
        Ok(())
    }

    /// Returns a list of the planned events of a type from `first` on.
    fn collect_planned(&mut self, event: EventId, first: usize) -> Result<Word> {
        let mut results = Vec::new();
        for at in first..self.core.frames.planned.len() {
            let planned = self.core.frames.planned[at];
            if planned.event == event {
                let fields = self.words_of(planned).0;
                results.extend(self.result_of(EventResult::Payload, &fields, true)?);
            }
        }
        self.core.board.heap.new_list(&results)
    }

    fn words_of(&self, planned: PlannedEvent) -> (Vec<Word>, Vec<Word>) {
        let words = &self.core.frames.plan_words[planned.first..];
        let (fields, rest) = words.split_at(planned.fields);
        (fields.to_vec(), rest[..planned.with].to_vec())
    }

    /// Pushes a frame for each planned event, the first on top, and the group's frame above them.
    fn push_decision(&mut self) -> Result<()> {
        let planned = std::mem::take(&mut self.core.frames.planned);
        let groups = std::mem::take(&mut self.core.frames.groups);
        let (parent, first_id) = (self.cause(), self.core.meter.newest + 1);
        let replaced = self.replaced_event();
        self.core.meter.newest += planned.len() as u32;
        for (number, event) in planned.iter().enumerate().rev() {
            self.push_member(event)?;
            let id = first_id + number as u32;
            let frame = self.top_event()?;
            frame.parent = parent;
            frame.id = id;
            frame.cause = id;
            frame.batch = first_id;
            if event.is_lost {
                frame.disposition = Disposition::Prevented;
            }
        }
        self.core.frames.plan_words.clear();
        let members: Vec<GroupMember> = planned.iter().map(|planned| planned.member).collect();
        if members.is_empty() {
            return self.deliver_group_results(&groups, &[], self.core.frames.stack.len() - 1);
        }
        self.push_driver(&groups, &members, parent)?;
        self.inherit_applied(replaced);
        let applied = self.core.frames.reactions.len();
        let driver = self.top_group()?;
        driver.inherited = (applied - driver.reactions as usize) as u16;
        Ok(())
    }

    /// Pushes the frame of a planned event.
    pub(crate) fn push_member(&mut self, event: &PlannedEvent) -> Result<()> {
        let (fields, with) = self.words_of(*event);
        let base = self.core.push_event(event.event, with.len())? + usize::from(Reg::CONTEXT);
        let regs = &mut self.core.frames.regs;
        regs[base..base + fields.len()].copy_from_slice(&fields);
        let extra = regs.len() - with.len();
        regs[extra..].copy_from_slice(&with);
        self.core.frames.member_count += 1;
        let frame = self.top_event()?;
        frame.stage = LifecycleStage::Planned;
        frame.result = event.result;
        frame.detail = event.detail;
        Ok(())
    }
}
