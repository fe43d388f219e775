//! Replacement of a group's member: the statements of `instead` are planned, and their events take the member's
//! place in the group.
//!
//! The reaction that replaces the member runs above the group's frame. Its events are planned under a savepoint, as
//! those of a group's body are. When it has ended, the board is rolled back and each planned event gets a frame
//! right after the member it replaces, in the same batch.

use std::ops::Range;

use intermezzo_program::{OnPrevented, Reg, Word};

use crate::run::effects::{Machine, Result};
use crate::run::frames::{EventFrame, Frame, FrameStack};
use crate::run::group::{GroupPlan, PlannedEvent};
use crate::run::group_commit::{Group, GroupDecision, GroupMember};

impl Machine<'_> {
    /// Begins to plan the events that replace the member at index `replaced` of the frames, unless the running code
    /// may do something that cannot be planned. Then it runs at once, before the group.
    pub(crate) fn begin_replacement(&mut self, replaced: usize) -> Result<()> {
        let at = self.core.frames.stack.last().map_or(0, |frame| frame.pc().wrapping_sub(1));
        if !self.core.tables.is_planned_replacement(at) {
            return Ok(());
        }
        let savepoint = self.core.board.mark();
        let frames = &mut self.core.frames;
        // Stands for the group of the replaced member.
        frames.groups.push(Group::new(None, false, OnPrevented::ByGroupKind));
        frames.plans.push(GroupPlan::of_replacement(savepoint));
        self.fold_members_before(replaced)
    }

    /// Folds the members of which the replaced one would have seen the effects, so that its replacement sees them.
    fn fold_members_before(&mut self, replaced: usize) -> Result<()> {
        let frames = &self.core.frames;
        let is_group = |at: &usize| frames.stack[*at].as_group().is_some();
        let Some(driver) = (replaced..frames.stack.len()).find(is_group) else {
            return Ok(());
        };
        let number = driver - 1 - replaced;
        let words = frames.registers_of(driver);
        let Some(decision) = GroupDecision::read(&frames.regs[words]) else { return Ok(()) };
        self.core.meter.charge_steps(number)?;
        for earlier in 0..number {
            let at = driver - 1 - earlier;
            let frame = *self.core.frames.event(at)?;
            if !frame.is_open() || !decision.is_seen_by(earlier, number) {
                continue;
            }
            let (fields, with) = self.payload(at)?;
            let (mut fields, with) =
                (self.core.frames.regs[fields].to_vec(), self.core.frames.regs[with].to_vec());
            let member = &decision.members[earlier];
            self.add_to_present_value(frame.event, member, &mut fields, frame.detail)?;
            self.complete_native_payload(frame.event, &mut fields, frame.detail)?;
            self.fold_event(frame.event, &mut fields, frame.detail, &with)?;
        }
        Ok(())
    }

    /// Ends the plan of a replacement: its events become members of the innermost group, right after the member that
    /// was open to reactions.
    pub(crate) fn insert_replacement(&mut self) -> Result<()> {
        let frames = &mut self.core.frames;
        let Some(plan) = frames.plans.pop() else { return Ok(()) };
        self.core.board.rollback_keeping_heap(plan.savepoint);
        let planned = std::mem::take(&mut frames.planned);
        let groups = std::mem::take(&mut frames.groups);
        let Some(driver) = frames.innermost_group() else { return Ok(()) };
        let Some(mut decision) = GroupDecision::read(&frames.regs[frames.registers_of(driver)]) else {
            return Ok(());
        };
        let Some(Frame::Group(group)) = frames.stack.get_mut(driver) else { return Ok(()) };
        let applied = frames.reactions.len() - group.reactions as usize;
        let replaced = decision.replace_next(&groups, planned.iter().map(|planned| planned.member), applied);
        group.members += planned.len() as u32;
        let member = *frames.event(driver - 1 - replaced)?;
        let moved = frames.lift(driver - 1 - replaced);
        let first_id = self.core.meter.newest + 1;
        self.core.meter.newest += planned.len() as u32;
        for (number, event) in planned.iter().enumerate().rev() {
            self.push_planned(event, first_id + number as u32, &member)?;
        }
        self.core.frames.plan_words.clear();
        self.core.frames.lower(moved, &decision.words());
        Ok(())
    }

    /// Pushes the frame of an event that replaces a member.
    fn push_planned(&mut self, event: &PlannedEvent, id: u32, replaced: &EventFrame) -> Result<()> {
        self.push_member(event)?;
        let frame = self.top_event()?;
        (frame.id, frame.cause, frame.parent) = (id, id, replaced.id);
        (frame.batch, frame.reactions) = (replaced.batch, replaced.reactions);
        Ok(())
    }
}

impl FrameStack {
    fn registers_of(&self, at: usize) -> Range<usize> {
        let end = self.stack.get(at + 1).map_or(self.regs.len(), |next| next.base() as usize);
        self.stack[at].base() as usize..end
    }

    /// Takes the frames from index `first` on off the stack, with their registers.
    fn lift(&mut self, first: usize) -> Vec<(Frame, Vec<Word>)> {
        let frames = (first..self.stack.len()).map(|at| {
            let registers = self.regs[self.registers_of(at)].to_vec();
            (self.stack[at], registers)
        });
        let frames: Vec<(Frame, Vec<Word>)> = frames.collect();
        self.member_count -= frames.iter().filter(|(frame, _)| frame.is_member()).count();
        self.regs.truncate(self.stack[first].base() as usize);
        self.stack.truncate(first);
        frames
    }

    /// Puts frames back on the stack. The group's frame gets new registers. References to events among the frames
    /// follow their new places.
    fn lower(&mut self, frames: Vec<(Frame, Vec<Word>)>, group: &[Word]) {
        let mut places: Vec<(Word, Word)> = Vec::new();
        for (mut frame, mut registers) in frames {
            let base = self.regs.len();
            if frame.as_group().is_some() {
                registers = group.to_vec();
            } else {
                places.push((Word::from(frame.base()), base as Word));
                if let Some(event) = registers.get_mut(usize::from(Reg::EVENT.0)) {
                    *event = places.iter().find(|place| place.0 == *event).map_or(*event, |place| place.1);
                }
            }
            self.regs.push_nulls(registers.len());
            self.regs[base..].copy_from_slice(&registers);
            self.member_count += usize::from(frame.is_member());
            frame.set_base(base as u32);
            self.stack.push(frame);
        }
        let moved = |base: u32| {
            let place = places.iter().find(|place| place.0 == Word::from(base));
            place.and_then(|place| u32::try_from(place.1).ok()).unwrap_or(base)
        };
        self.secret_questions.iter_mut().for_each(|question| question.base = moved(question.base));
        self.taken_reactions.iter_mut().for_each(|taken| taken.base = moved(taken.base));
    }
}

impl GroupDecision {
    /// Inserts the members that replace the next one, and the groups they are in. `applied` is the number of
    /// reactions that have been applied to the replaced member. Returns its number.
    fn replace_next(
        &mut self,
        groups: &[Group],
        members: impl Iterator<Item = GroupMember>,
        applied: usize,
    ) -> usize {
        let number = self.next;
        let replaced = self.members[number];
        let added = self.groups.len();
        // The first of the new groups stands for the one of the replaced member.
        let place = |group: usize| if group == 0 { replaced.group } else { added + group - 1 };
        for group in groups.iter().skip(1) {
            let is_outermost = group.parent == Some(0);
            let on_prevented = match group.on_prevented {
                OnPrevented::ByGroupKind if is_outermost && replaced.is_kept => OnPrevented::Drop,
                policy => policy,
            };
            self.groups.push(Group { parent: group.parent.map(place), on_prevented, ..*group });
        }
        let members = members.map(|member| GroupMember {
            group: place(member.group),
            is_kept: member.is_kept || (member.group == 0 && replaced.is_kept),
            applied: applied as u32,
            ..member
        });
        let members: Vec<GroupMember> = members.collect();
        self.members.splice(number + 1..number + 1, members);
        number
    }

    /// Returns true if a member sees the effects of an earlier one: the innermost group around both is atomic.
    fn is_seen_by(&self, earlier: usize, later: usize) -> bool {
        let around = |mut group: usize| {
            let mut all = vec![group];
            while let Some(parent) = self.groups[group].parent {
                all.push(parent);
                group = parent;
            }
            all
        };
        let groups = around(self.members[earlier].group);
        let common = around(self.members[later].group).into_iter().find(|group| groups.contains(group));
        common.is_some_and(|group| !self.groups[group].simultaneous)
    }
}
