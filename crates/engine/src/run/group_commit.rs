//! Commit of a group: each member is open to `before` reactions, then all members are committed, or none, or
//! those that were not prevented.
//!
//! The members are frames, the first on top. The group's frame above them holds the structure of the groups in
//! its registers, so that a commit can wait for answers like anything else.

use std::ops::Range;

use intermezzo_program::{
    EventId, FaultCode, NULL, OnPrevented, Program, ReactionTiming, Reg, Type, Word, native,
};

use crate::react::chosen_order::NextReaction;
use crate::run::commit::swap_subject;
use crate::run::effects::{Machine, Result};
use crate::run::frames::{
    Disposition, EventFrame, EventResult, Frame, FrameStack, GroupFrame, LifecycleStage,
};
use crate::storage::fold::field_type;

/// One of the groups that are committed together: the outermost, or one nested in it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Group {
    pub(crate) parent: Option<usize>,
    pub(crate) simultaneous: bool,
    pub(crate) on_prevented: OnPrevented,
    /// Register of the frame below the members that receives `applied`.
    pub(crate) ret: Reg,
    /// The entity that stopped the group, if it will not happen.
    pub(crate) stopped_by: Option<Word>,
    /// Type of the events that its result lists.
    pub(crate) collects: Option<EventId>,
}

/// The data of a member besides its frame.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct GroupMember {
    pub(crate) group: usize,
    /// True if preventing it does not stop the rest of its group.
    pub(crate) is_kept: bool,
    /// For a member that replaces another: the number of reactions that count as applied to it.
    pub(crate) applied: u32,
    /// Register of the frame below the members that receives its result.
    pub(crate) ret: Reg,
    /// First zone instance of the entity it creates, as planned.
    pub(crate) zones: u32,
    /// The number it adds to a property; null if it sets a value or is not about a property.
    pub(crate) added: Word,
}

// Layout of the structure in the registers of the group's frame: these two words, then the groups, then the
// members.
const NEXT: usize = 0;
const GROUPS: usize = 1;
const HEAD: usize = 2;
const GROUP_WORDS: usize = 4;
const MEMBER_WORDS: usize = 5;

impl Group {
    pub(crate) fn new(parent: Option<usize>, simultaneous: bool, on_prevented: OnPrevented) -> Group {
        Group { parent, simultaneous, on_prevented, ret: Reg::NONE, stopped_by: None, collects: None }
    }

    fn words(&self) -> [Word; GROUP_WORDS] {
        let policy = match self.on_prevented {
            OnPrevented::ByGroupKind => 0,
            OnPrevented::Drop => 1,
            OnPrevented::Propagate => 2,
        };
        let parent = self.parent.map_or(NULL, |parent| parent as Word);
        let collects = self.collects.map_or(0, |event| Word::from(event.0) + 1);
        let flags = Word::from(self.simultaneous)
            | policy << 1
            | Word::from(self.stopped_by.is_some()) << 3
            | collects << 4;
        [parent, flags, Word::from(self.ret.0), self.stopped_by.unwrap_or(NULL)]
    }

    fn read(words: &[Word]) -> Option<Group> {
        let flags = words[1];
        let on_prevented = match flags >> 1 & 3 {
            0 => OnPrevented::ByGroupKind,
            1 => OnPrevented::Drop,
            2 => OnPrevented::Propagate,
            _ => return None,
        };
        Some(Group {
            parent: if words[0] == NULL { None } else { Some(usize::try_from(words[0]).ok()?) },
            simultaneous: flags & 1 == 1,
            on_prevented,
            ret: Reg(u16::try_from(words[2]).ok()?),
            stopped_by: (flags & 8 != 0).then_some(words[3]),
            collects: match flags >> 4 {
                0 => None,
                event => Some(EventId(u16::try_from(event - 1).ok()?)),
            },
        })
    }
}

impl GroupMember {
    fn words(&self) -> [Word; MEMBER_WORDS] {
        let group = self.group as Word;
        let flags = Word::from(self.is_kept) | Word::from(self.applied) << 1;
        [group, flags, Word::from(self.ret.0), Word::from(self.zones), self.added]
    }

    fn read(words: &[Word]) -> Option<GroupMember> {
        Some(GroupMember {
            group: usize::try_from(words[0]).ok()?,
            is_kept: words[1] & 1 == 1,
            applied: u32::try_from(words[1] >> 1).ok()?,
            ret: Reg(u16::try_from(words[2]).ok()?),
            zones: u32::try_from(words[3]).ok()?,
            added: words[4],
        })
    }
}

/// The structure held in the registers of a group's frame.
pub(crate) struct GroupDecision {
    pub(crate) next: usize,
    pub(crate) groups: Vec<Group>,
    pub(crate) members: Vec<GroupMember>,
}

impl GroupDecision {
    pub(crate) fn words(&self) -> Vec<Word> {
        let mut words = vec![self.next as Word, self.groups.len() as Word];
        self.groups.iter().for_each(|group| words.extend(group.words()));
        self.members.iter().for_each(|member| words.extend(member.words()));
        words
    }

    /// Reads the structure back. Returns `None` if the words are invalid.
    pub(crate) fn read(words: &[Word]) -> Option<GroupDecision> {
        let next = usize::try_from(*words.get(NEXT)?).ok()?;
        let count = usize::try_from(*words.get(GROUPS)?).ok()?;
        let (groups, members) = words.get(HEAD..)?.split_at_checked(count.checked_mul(GROUP_WORDS)?)?;
        let groups = groups.chunks_exact(GROUP_WORDS).map(Group::read).collect::<Option<Vec<Group>>>()?;
        let is_whole = members.len() % MEMBER_WORDS == 0;
        let members = members
            .chunks_exact(MEMBER_WORDS)
            .map(GroupMember::read)
            .collect::<Option<Vec<GroupMember>>>()?;
        let fits = is_whole
            && next <= members.len()
            && groups.iter().enumerate().all(|(at, group)| group.parent.is_none_or(|parent| parent < at))
            && members.iter().all(|member| member.group < groups.len());
        fits.then_some(GroupDecision { next, groups, members })
    }

    /// Returns true if the structure in a snapshot matches the frames below it: the members, and the code that waits
    /// for results.
    pub(crate) fn fits(&self, program: &Program, frames: &FrameStack, count: usize) -> bool {
        let Some(body) = frames.stack.len().checked_sub(count + 1) else { return false };
        let Some(frame) = frames.stack.get(body) else { return false };
        let registers = frames.stack.get(body + 1).map_or(0, |next| next.base() - frame.base());
        let exists = |ret: Reg| ret == Reg::NONE || u32::from(ret.0) < registers;
        let members = &frames.stack[body + 1..];
        self.members.len() == count
            && members
                .iter()
                .all(|frame| matches!(frame, Frame::Event(event) if event.stage == LifecycleStage::Planned))
            && self.groups.iter().all(|group| exists(group.ret))
            && self
                .groups
                .iter()
                .filter_map(|group| group.collects)
                .all(|event| event.index() < program.events.len())
            && self.members.iter().all(|member| exists(member.ret))
    }

    /// Returns the entity that stopped a group or one around it.
    fn stopper_of(&self, group: usize) -> Option<Word> {
        let mut at = Some(group);
        while let Some(group) = at {
            if self.groups[group].stopped_by.is_some() {
                return self.groups[group].stopped_by;
            }
            at = self.groups[group].parent;
        }
        None
    }

    /// Returns true if a group is another one or around it.
    fn is_around(&self, group: usize, inner: usize) -> bool {
        let mut at = Some(inner);
        while at.is_some_and(|at| at != group) {
            at = at.and_then(|at| self.groups[at].parent);
        }
        at.is_some()
    }

    pub(crate) fn member_count(&self) -> usize {
        self.members.len()
    }

    /// Returns true if the group of a member, or one around it, will not happen.
    pub(crate) fn is_stopped(&self, member: usize) -> bool {
        self.stopper_of(self.members[member].group).is_some()
    }

    /// Notes that a member does not happen, and stops its group if that is the policy.
    pub(crate) fn note_lost_member(&mut self, member: usize, by: Word) {
        let GroupMember { group, is_kept, .. } = self.members[member];
        if !is_kept && !self.groups[group].simultaneous {
            self.stop_group(group, by);
        }
    }

    /// Stops a group, and the groups around it as far as their policies say.
    fn stop_group(&mut self, mut group: usize, by: Word) {
        while self.groups[group].stopped_by.is_none() {
            self.groups[group].stopped_by = Some(by);
            let Some(parent) = self.groups[group].parent else { return };
            let goes_on = match self.groups[group].on_prevented {
                OnPrevented::ByGroupKind => !self.groups[parent].simultaneous,
                OnPrevented::Drop => false,
                OnPrevented::Propagate => true,
            };
            if !goes_on {
                return;
            }
            group = parent;
        }
    }
}

/// Returns the number of reactions that count as applied to a member because they were applied to the one it
/// replaces. `words` begins with the structure of the groups.
fn applied_to(words: &[Word], member: usize) -> usize {
    let at = HEAD + words[GROUPS] as usize * GROUP_WORDS + member * MEMBER_WORDS;
    words.get(at + 1).map_or(0, |flags| (flags >> 1) as usize)
}

impl Machine<'_> {
    /// Pushes the group's frame, which leads the members through their reactions.
    pub(crate) fn push_driver(
        &mut self,
        groups: &[Group],
        members: &[GroupMember],
        cause: u32,
    ) -> Result<()> {
        let decision = GroupDecision { next: 0, groups: groups.to_vec(), members: members.to_vec() };
        let words = decision.words();
        let base = self.core.frames.push_registers(words.len(), self.core.program.limits.depth)?;
        self.core.frames.regs[base..].copy_from_slice(&words);
        self.core.frames.stack.push(Frame::Group(GroupFrame {
            base: base as u32,
            cause,
            members: members.len() as u32,
            reactions: self.core.frames.reactions.len() as u32,
            inherited: 0,
            has_lost: false,
            asks_order: false,
        }));
        Ok(())
    }

    /// Returns the group on top.
    pub(crate) fn top_group(&mut self) -> Result<&mut GroupFrame> {
        match self.core.frames.stack.last_mut() {
            Some(Frame::Group(group)) => Ok(group),
            _ => Err(FaultCode::Missing),
        }
    }

    /// Advances the group whose frame is on top by one step.
    pub(crate) fn advance_group(&mut self, driver: &GroupFrame) -> Result<()> {
        let base = driver.base as usize;
        let top = self.core.frames.stack.len() - 1;
        let next = self.core.frames.regs[base + NEXT] as usize;
        if next == driver.members as usize {
            return self.commit_group(driver);
        }
        let mut member = *self.core.frames.event(top - 1 - next)?;
        if member.disposition == Disposition::Open
            && driver.has_lost
            && let Some(lost) = self.find_preventer(base, next, top)?
        {
            (member.disposition, member.by) = lost;
            *self.core.frames.event_mut(top - 1 - next)? = member;
        }
        if member.disposition == Disposition::Open && self.has_member_lost_subject(top, next)? {
            (member.disposition, member.by) = (Disposition::Prevented, NULL);
            *self.core.frames.event_mut(top - 1 - next)? = member;
        }
        let applied = driver.reactions as usize;
        if member.disposition == Disposition::Open {
            match self.next_before_member(driver, &member)? {
                NextReaction::Asked => return Ok(()),
                NextReaction::Run(due) => {
                    self.note_reaction(due, applied)?;
                    return self.trigger(due, &member);
                }
                NextReaction::None => {}
            }
        }
        // Reactions applied to an event that this group replaces count as applied to all members, those applied to a
        // member count as applied to the members that replace it.
        let inherited =
            applied_to(&self.core.frames.regs[base..], next + 1).max(usize::from(driver.inherited));
        self.core.frames.reactions.truncate(applied + inherited);
        if member.disposition != Disposition::Open {
            self.top_group()?.has_lost = true;
        }
        self.finish_member(base, next, &member);
        Ok(())
    }

    /// Finds the next reaction before a member.
    fn next_before_member(&mut self, driver: &GroupFrame, member: &EventFrame) -> Result<NextReaction> {
        let applied = driver.reactions as usize;
        if !self.decide_secret_reactions(member, ReactionTiming::Before)? {
            return Ok(NextReaction::Asked);
        }
        if let Some(ordering) = self.core.program.ordering {
            let at = self.core.frames.stack.len() - 1;
            let next = self.next_in_chosen_order(member, applied, driver.asks_order, ordering.first)?;
            if let Some(Frame::Group(group)) = self.core.frames.stack.get_mut(at) {
                group.asks_order = matches!(next, NextReaction::Asked);
            }
            return Ok(next);
        }
        Ok(self.next_candidate(member, applied)?.map_or(NextReaction::None, NextReaction::Run))
    }

    /// Advances to the next member, after noting the disposition of this one.
    fn finish_member(&mut self, base: usize, at: usize, member: &EventFrame) {
        self.core.frames.end_secret_question(member.base);
        let words = &mut self.core.frames.regs[base..];
        words[NEXT] += 1;
        if member.disposition == Disposition::Prevented
            && let Some(mut decision) = GroupDecision::read(words)
        {
            decision.note_lost_member(at, member.by);
            words.copy_from_slice(&decision.words());
        }
    }

    /// Returns what became of a member that is impossible because its group is stopped or the entity it refers to is
    /// not created, and the entity whose rule did that.
    fn find_preventer(&mut self, base: usize, at: usize, top: usize) -> Result<Option<(Disposition, Word)>> {
        let Some(decision) = GroupDecision::read(&self.core.frames.regs[base..]) else { return Ok(None) };
        self.core.meter.charge_steps(decision.members.len() / 32)?;
        match decision.stopper_of(decision.members[at].group) {
            Some(by) => Ok(Some((Disposition::Prevented, by))),
            None => self.preventer_of_creation(&decision, at, top),
        }
    }

    /// Returns what became of the creation of an entity or zone that a member refers to, if it does not happen, and
    /// the entity whose rule did that. A member about an entity whose creation was replaced counts as replaced too.
    fn preventer_of_creation(
        &self,
        decision: &GroupDecision,
        at: usize,
        top: usize,
    ) -> Result<Option<(Disposition, Word)>> {
        let member = self.core.frames.event(top - 1 - at)?;
        let program = self.core.program;
        let payload = self.payload(top - 1 - at)?.0;
        let fields = &program.events[member.event.index()].fields;
        for earlier in 0..at {
            let frame = self.core.frames.event(top - 1 - earlier)?;
            let stopped = decision.stopper_of(decision.members[earlier].group);
            if frame.event != native::CREATED || (frame.disposition == Disposition::Open && stopped.is_none())
            {
                continue;
            }
            let made = &self.core.frames.regs[self.payload(top - 1 - earlier)?.0];
            let zones = self.zones_of(made[1], decision.members[earlier].zones);
            let is_lost = |(field, value): (&intermezzo_program::PayloadField, &Word)| match program.types
                [field_type(program, field.ty, member.detail).index()]
            {
                Type::Entity | Type::Kind(_) => *value == made[0],
                Type::Zone => u32::try_from(*value).is_ok_and(|zone| zones.contains(&zone)),
                _ => false,
            };
            if fields.iter().zip(&self.core.frames.regs[payload.clone()]).any(is_lost) {
                return Ok(match stopped {
                    Some(by) => Some((Disposition::Prevented, by)),
                    None => Some((frame.disposition, frame.by)),
                });
            }
        }
        Ok(None)
    }

    /// Returns the zones an entity of the def would have, beginning with `first`.
    fn zones_of(&self, def: Word, first: u32) -> Range<u32> {
        let program = self.core.program;
        let kind = self.core.tables.def(def).map(|def| program.defs[def.index()].kind);
        first..first + kind.map_or(0, |kind| program.kinds[kind.index()].zones.len() as u32)
    }

    /// Commits the group after all members were open to reactions.
    fn commit_group(&mut self, driver: &GroupFrame) -> Result<()> {
        let words = self.core.frames.regs[driver.base as usize..].to_vec();
        self.core.frames.pop_frame();
        self.core.frames.reactions.truncate(driver.reactions as usize);
        let Some(mut decision) = GroupDecision::read(&words) else { return Ok(()) };
        let count = decision.members.len();
        let (top, body) = (self.core.frames.stack.len() - 1, self.core.frames.stack.len() - 1 - count);
        self.prevent_members_without_subject(&mut decision, top)?;
        self.prevent_members_without_room(&mut decision, top)?;
        for (number, member) in decision.members.iter().enumerate() {
            let frame = self.core.frames.event_mut(top - number)?;
            if let (Disposition::Open, Some(by)) = (frame.disposition, decision.stopper_of(member.group)) {
                (frame.disposition, frame.by) = (Disposition::Prevented, by);
            }
        }
        if self.core.tables.anyone_looks_back {
            (0..count).try_for_each(|number| self.remember_before_member(top - number))?;
        }
        let mut happened = vec![false; count];
        for (number, member) in decision.members.iter().enumerate() {
            let at = top - number;
            happened[number] = self.core.frames.event(at)?.is_open();
            if happened[number] {
                self.commit_member(at, member, body)?;
                self.core.frames.event_mut(at)?.stage = LifecycleStage::FIRST_RESET;
            } else {
                // In stage `Before`, the frame will log that the event was prevented.
                let frame = self.core.frames.event_mut(at)?;
                frame.stage = LifecycleStage::BEFORE;
                if frame.event == native::CREATED {
                    let made = self.payload(at)?.0.start;
                    self.core.frames.regs[made] = NULL;
                }
            }
            self.deliver_member_result(at, member, body, happened[number])?;
        }
        self.update_grants()?;
        // A member that was replaced has happened in another form.
        let has_happened = |number: &usize| {
            let frame = self.core.frames.event(top - number);
            happened[*number] || frame.is_ok_and(|frame| frame.disposition == Disposition::Replaced)
        };
        let members: Vec<(usize, usize)> =
            (0..count).filter(has_happened).map(|at| (decision.members[at].group, top - at)).collect();
        self.deliver_group_results(&decision.groups, &members, body)
    }

    /// Saves last known information about the entity that a member is going to move or remove.
    fn remember_before_member(&mut self, at: usize) -> Result<()> {
        let frame = *self.core.frames.event(at)?;
        let payload = self.payload(at)?.0;
        match (frame.disposition, self.core.frames.regs[payload].first().copied()) {
            (Disposition::Open, Some(subject)) => self.remember_before(frame.event, frame.batch, subject),
            _ => Ok(()),
        }
    }

    /// Writes a member's result to the code below.
    fn deliver_member_result(
        &mut self,
        at: usize,
        member: &GroupMember,
        body: usize,
        applied: bool,
    ) -> Result<()> {
        if member.ret == Reg::NONE {
            return Ok(());
        }
        let payload = self.core.frames.regs[self.payload(at)?.0].to_vec();
        let result = self.core.frames.event(at)?.result;
        if let Some(value) = self.result_of(result, &payload, applied)? {
            self.set_reg_of(body, member.ret, value);
        }
        Ok(())
    }

    /// Writes to the code below which groups happened. `members` lists the members that did: their group and the
    /// index of their frame.
    pub(crate) fn deliver_group_results(
        &mut self,
        groups: &[Group],
        members: &[(usize, usize)],
        body: usize,
    ) -> Result<()> {
        let decision = GroupDecision { next: 0, groups: groups.to_vec(), members: Vec::new() };
        for (at, group) in groups.iter().enumerate().filter(|(_, group)| group.ret != Reg::NONE) {
            let is_inside = |member: &&(usize, usize)| decision.is_around(at, member.0);
            let applied = match group.simultaneous {
                true => members.iter().any(|member| is_inside(&member)),
                false => decision.stopper_of(at).is_none(),
            };
            let mut fields = vec![Word::from(applied)];
            if let Some(event) = group.collects {
                let inside = members.iter().filter(is_inside).map(|(_, frame)| *frame);
                fields.push(self.collect_events(event, inside)?);
            }
            let record = self.core.board.heap.new_record(&fields)?;
            self.set_reg_of(body, group.ret, record);
        }
        Ok(())
    }

    /// Returns a list of the results of those frames that are events of a type and have happened.
    fn collect_events(&mut self, event: EventId, frames: impl Iterator<Item = usize>) -> Result<Word> {
        let mut results = Vec::new();
        for at in frames {
            let frame = self.core.frames.event(at)?;
            if frame.event == event && frame.is_open() {
                let payload = self.core.frames.regs[self.payload(at)?.0].to_vec();
                results.extend(self.result_of(EventResult::Payload, &payload, true)?);
            }
        }
        self.core.board.heap.new_list(&results)
    }

    fn set_reg_of(&mut self, frame: usize, reg: Reg, value: Word) {
        let at = self.core.frames.stack.get(frame).map(|frame| frame.base() as usize + usize::from(reg.0));
        if let Some(place) = at.and_then(|at| self.core.frames.regs.get_mut(at)) {
            *place = value;
        }
    }

    /// Returns the registers of the payload and of the `with` pairs of an event's frame.
    pub(crate) fn payload(&self, at: usize) -> Result<(Range<usize>, Range<usize>)> {
        let frames = &self.core.frames;
        let frame = frames.event(at)?;
        let first = frame.base as usize + usize::from(Reg::CONTEXT);
        let fields = first..first + self.core.program.events[frame.event.index()].fields.len();
        let end = frames.stack.get(at + 1).map_or(frames.regs.len(), |next| next.base() as usize);
        let extra = if frame.event == native::CREATED { self.with_start(frame)..end } else { 0..0 };
        Ok((fields, extra))
    }

    /// Applies and logs a member.
    fn commit_member(&mut self, at: usize, member: &GroupMember, body: usize) -> Result<()> {
        let frame = *self.core.frames.event(at)?;
        let (fields_at, with_at) = self.payload(at)?;
        let mut fields = self.core.frames.regs[fields_at.clone()].to_vec();
        let with = self.core.frames.regs[with_at].to_vec();
        self.add_to_present_value(frame.event, member, &mut fields, frame.detail)?;
        self.complete_native_payload(frame.event, &mut fields, frame.detail)?;
        let subject = fields.first().copied();
        self.fold_event(frame.event, &mut fields, frame.detail, &with)?;
        self.core.board.count_event(frame.event);
        let new = swap_subject(frame.event, &mut fields, subject);
        self.record(frame.event, frame.id, frame.parent, &fields, frame.detail, &with)?;
        swap_subject(frame.event, &mut fields, new);
        if let (true, Some(subject)) = (self.core.tables.anyone_looks_back, subject) {
            self.remember_after(frame.event, frame.batch, subject, fields[0]);
        }
        if let (Some(old), Some(new)) = (subject, new) {
            self.rename_subject(body, old, new)?;
        }
        if frame.event == native::CREATED {
            let zones = self.core.board.live(fields[0])?.zone_block();
            self.correct_zones(at, body, member.zones, zones)?;
        }
        self.core.frames.regs[fields_at].copy_from_slice(&fields);
        Ok(())
    }

    /// Updates references to an entity that has become a new object, in all members of the batch.
    fn rename_subject(&mut self, body: usize, old: Word, new: Word) -> Result<()> {
        if old == new {
            return Ok(());
        }
        let program = self.core.program;
        for member in body + 1..self.core.frames.stack.len() {
            let (first, frame) = (self.payload(member)?.0.start, *self.core.frames.event(member)?);
            for (field, info) in program.events[frame.event.index()].fields.iter().enumerate() {
                let ty = field_type(program, info.ty, frame.detail);
                let is_entity = matches!(program.types[ty.index()], Type::Entity | Type::Kind(_));
                let value = &mut self.core.frames.regs[first + field];
                if is_entity && *value == old {
                    *value = new;
                }
            }
        }
        Ok(())
    }

    /// Updates references to the zones of a created entity, in the members that follow and in the code below. The
    /// zones may differ from the plan if a reaction created something in the meantime.
    fn correct_zones(&mut self, at: usize, body: usize, planned: u32, zones: Range<u32>) -> Result<()> {
        if planned == zones.start {
            return Ok(());
        }
        let program = self.core.program;
        let count = zones.len() as u32;
        let correct = |value: &mut Word| {
            if let Some(slot) = u32::try_from(*value).ok().and_then(|zone| zone.checked_sub(planned))
                && slot < count
            {
                *value = Word::from(zones.start + slot);
            }
        };
        let is_zone = |ty: intermezzo_program::TypeId| program.types[ty.index()] == Type::Zone;
        for follower in body + 1..at {
            let first = self.payload(follower)?.0.start;
            let event = self.core.frames.event(follower)?.event;
            for (field, info) in program.events[event.index()].fields.iter().enumerate() {
                if is_zone(info.ty) {
                    correct(&mut self.core.frames.regs[first + field]);
                }
            }
        }
        let frame = self.core.frames.stack[body];
        let routine = frame.routine(program).and_then(|routine| program.routines.get(routine.index()));
        let locals = routine.map_or(&[][..], |routine| &routine.locals);
        for (local, _) in locals.iter().enumerate().filter(|(_, ty)| is_zone(**ty)) {
            correct(&mut self.core.frames.regs[frame.base() as usize + local]);
        }
        Ok(())
    }
}
