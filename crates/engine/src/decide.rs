//! How a group is decided: each member is open to `before` reactions, then all are committed, or none, or those
//! that are left.
//!
//! Members lie on the agenda as frames, the first on top. The driver above
//! them holds the structure of the groups in its registers, so that a decision
//! can wait like anything else.

use std::ops::Range;

use intermezzo_ruleset::{NULL, OnPrevented, Reg, Type, When, Word, native};

use crate::agenda::{Agenda, Fate, Frame, Gives, NO_ROUTINE, Stage};
use crate::applying::name_subject;
use crate::fold::field_type;
use crate::happening::{Machine, Result};

/// One of the groups that are decided together: the outermost, or one inside another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Group {
    pub(crate) parent: Option<usize>,
    pub(crate) simultaneous: bool,
    pub(crate) on_prevented: OnPrevented,
    /// Register of the frame below the members that is told whether it happened.
    pub(crate) ret: Reg,
    /// Whether it will not happen, and who saw to that.
    pub(crate) stopped_by: Option<Word>,
}

/// What is known of a member besides its frame.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Member {
    pub(crate) group: usize,
    /// Preventing it leaves the rest of its group alone.
    pub(crate) is_kept: bool,
    /// Register of the frame below the members that gets its result.
    pub(crate) ret: Reg,
    /// First zone of what it makes, as planned.
    pub(crate) zones: u32,
}

// How the structure lies in the registers of the driver: these two, then the groups, then the members.
const NEXT: usize = 0;
const GROUPS: usize = 1;
const HEAD: usize = 2;
const GROUP_WORDS: usize = 4;
const MEMBER_WORDS: usize = 4;
/// Detail of a driver once one of its members does not happen.
const SOME_LOST: u16 = 1;

impl Group {
    fn words(&self) -> [Word; GROUP_WORDS] {
        let policy = match self.on_prevented {
            OnPrevented::Usual => 0,
            OnPrevented::Drop => 1,
            OnPrevented::Propagate => 2,
        };
        let parent = self.parent.map_or(NULL, |parent| parent as Word);
        let flags = Word::from(self.simultaneous) | policy << 1 | Word::from(self.stopped_by.is_some()) << 3;
        [parent, flags, Word::from(self.ret.0), self.stopped_by.unwrap_or(NULL)]
    }

    fn read(words: &[Word]) -> Option<Group> {
        let flags = words[1];
        let on_prevented = match flags >> 1 & 3 {
            0 => OnPrevented::Usual,
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
        })
    }
}

impl Member {
    fn words(&self) -> [Word; MEMBER_WORDS] {
        let group = self.group as Word;
        [group, Word::from(self.is_kept), Word::from(self.ret.0), Word::from(self.zones)]
    }

    fn read(words: &[Word]) -> Option<Member> {
        Some(Member {
            group: usize::try_from(words[0]).ok()?,
            is_kept: words[1] == 1,
            ret: Reg(u16::try_from(words[2]).ok()?),
            zones: u32::try_from(words[3]).ok()?,
        })
    }
}

/// A decision as it lies in the registers of its driver.
pub(crate) struct Decision {
    next: usize,
    groups: Vec<Group>,
    members: Vec<Member>,
}

impl Decision {
    fn words(&self) -> Vec<Word> {
        let mut words = vec![self.next as Word, self.groups.len() as Word];
        self.groups.iter().for_each(|group| words.extend(group.words()));
        self.members.iter().for_each(|member| words.extend(member.words()));
        words
    }

    /// Reads a decision back; nothing if the words are not one.
    pub(crate) fn read(words: &[Word]) -> Option<Decision> {
        let next = usize::try_from(*words.get(NEXT)?).ok()?;
        let count = usize::try_from(*words.get(GROUPS)?).ok()?;
        let (groups, members) = words.get(HEAD..)?.split_at_checked(count.checked_mul(GROUP_WORDS)?)?;
        let groups = groups.chunks_exact(GROUP_WORDS).map(Group::read).collect::<Option<Vec<Group>>>()?;
        let is_whole = members.len() % MEMBER_WORDS == 0;
        let members =
            members.chunks_exact(MEMBER_WORDS).map(Member::read).collect::<Option<Vec<Member>>>()?;
        let fits = is_whole
            && next <= members.len()
            && groups.iter().enumerate().all(|(at, group)| group.parent.is_none_or(|parent| parent < at))
            && members.iter().all(|member| member.group < groups.len());
        fits.then_some(Decision { next, groups, members })
    }

    /// Whether a snapshot's decision goes with the frames below it: its members, and what waits for results.
    pub(crate) fn fits(&self, agenda: &Agenda, count: usize) -> bool {
        let Some(body) = agenda.frames.len().checked_sub(count + 1) else { return false };
        let Some(frame) = agenda.frames.get(body) else { return false };
        let registers = agenda.frames.get(body + 1).map_or(0, |next| next.base - frame.base);
        let takes = |ret: Reg| ret == Reg::NONE || u32::from(ret.0) < registers;
        let members = &agenda.frames[body + 1..];
        self.members.len() == count
            && members.iter().all(|frame| frame.stage == Stage::Planned)
            && self.groups.iter().all(|group| takes(group.ret))
            && self.members.iter().all(|member| takes(member.ret))
    }

    /// Who stopped a group or one around it.
    fn stopped(&self, group: usize) -> Option<Word> {
        let mut at = Some(group);
        while let Some(group) = at {
            if self.groups[group].stopped_by.is_some() {
                return self.groups[group].stopped_by;
            }
            at = self.groups[group].parent;
        }
        None
    }

    /// A member does not happen: says what that means for its group.
    fn lose(&mut self, member: usize, by: Word) {
        let Member { group, is_kept, .. } = self.members[member];
        if !is_kept && !self.groups[group].simultaneous {
            self.stop(group, by);
        }
    }

    /// A group does not happen, and perhaps those around it neither.
    fn stop(&mut self, mut group: usize, by: Word) {
        while self.groups[group].stopped_by.is_none() {
            self.groups[group].stopped_by = Some(by);
            let Some(parent) = self.groups[group].parent else { return };
            let goes_on = match self.groups[group].on_prevented {
                OnPrevented::Usual => !self.groups[parent].simultaneous,
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

impl Machine<'_> {
    /// The frame above the members that takes them through their reactions.
    pub(crate) fn push_driver(&mut self, groups: &[Group], members: &[Member], cause: u32) -> Result<()> {
        let decision = Decision { next: 0, groups: groups.to_vec(), members: members.to_vec() };
        let words = decision.words();
        let base = self.core.agenda.grow(words.len(), self.core.program.limits.depth)?;
        self.core.agenda.regs[base..].copy_from_slice(&words);
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
            batch: 0,
            reactions: self.core.agenda.reactions.len() as u32,
            detail: 0,
            step: 0,
            row: members.len() as u32,
        });
        Ok(())
    }

    /// Takes the group whose driver is on top one step further.
    pub(crate) fn drive(&mut self, driver: &Frame) -> Result<()> {
        let base = driver.base as usize;
        let top = self.core.agenda.frames.len() - 1;
        let next = self.core.agenda.regs[base + NEXT] as usize;
        if next == driver.row as usize {
            return self.decide(driver);
        }
        let mut member = self.core.agenda.frames[top - 1 - next];
        if member.fate == Fate::Open
            && driver.detail == SOME_LOST
            && let Some(by) = self.lost_cause(base, next, top)?
        {
            (member.fate, member.by) = (Fate::Prevented, by);
            self.core.agenda.frames[top - 1 - next] = member;
        }
        let applied = driver.reactions as usize;
        if member.fate == Fate::Open {
            for due in self.candidates(&member, When::Before) {
                let is_new = !self.core.agenda.reactions[applied..].contains(&due);
                if is_new && self.is_set_off(due, &member)? {
                    self.note_reaction(due, applied)?;
                    return self.set_off(due, &member);
                }
            }
        }
        // What was applied to an event this group replaces stays applied for all members.
        self.core.agenda.reactions.truncate(applied + usize::from(driver.step));
        if member.fate != Fate::Open {
            self.top().detail = SOME_LOST;
        }
        self.pass(base, next, &member);
        Ok(())
    }

    /// Goes on to the next member, having noted what the fate of this one means.
    fn pass(&mut self, base: usize, at: usize, member: &Frame) {
        let words = &mut self.core.agenda.regs[base..];
        words[NEXT] += 1;
        if member.fate != Fate::Open
            && let Some(mut decision) = Decision::read(words)
        {
            decision.lose(at, member.by);
            words.copy_from_slice(&decision.words());
        }
    }

    /// Who saw to it that a member cannot happen any more: its group is stopped, or what it is about is not made.
    fn lost_cause(&mut self, base: usize, at: usize, top: usize) -> Result<Option<Word>> {
        let Some(decision) = Decision::read(&self.core.agenda.regs[base..]) else { return Ok(None) };
        self.core.meter.steps(decision.members.len() / 32)?;
        Ok(decision.stopped(decision.members[at].group).or_else(|| self.not_made(&decision, at, top)))
    }

    /// Who prevented the making of what a member is about, if that was prevented.
    fn not_made(&self, decision: &Decision, at: usize, top: usize) -> Option<Word> {
        let member = self.core.agenda.frames[top - 1 - at];
        let program = self.core.program;
        let payload = self.payload(top - 1 - at).0;
        let fields = &program.events[member.event.index()].fields;
        for earlier in 0..at {
            let frame = self.core.agenda.frames[top - 1 - earlier];
            let stopped = decision.stopped(decision.members[earlier].group);
            if frame.event != native::CREATED || (frame.fate == Fate::Open && stopped.is_none()) {
                continue;
            }
            let made = &self.core.agenda.regs[self.payload(top - 1 - earlier).0];
            let zones = self.zones_of(made[1], decision.members[earlier].zones);
            let is_lost = |(field, value): (&intermezzo_ruleset::Field, &Word)| match program.types
                [field_type(program, field.ty, member.detail).index()]
            {
                Type::Entity | Type::Kind(_) => *value == made[0],
                Type::Zone => u32::try_from(*value).is_ok_and(|zone| zones.contains(&zone)),
                _ => false,
            };
            if fields.iter().zip(&self.core.agenda.regs[payload.clone()]).any(is_lost) {
                return stopped.or(Some(frame.by));
            }
        }
        None
    }

    /// The zones an entity of the def would have, beginning with `first`.
    fn zones_of(&self, def: Word, first: u32) -> Range<u32> {
        let program = self.core.program;
        let kind = self.core.tables.def(def).map(|def| program.defs[def.index()].kind);
        first..first + kind.map_or(0, |kind| program.kinds[kind.index()].zones.len() as u32)
    }

    /// All members have been reacted to: they happen, or not.
    fn decide(&mut self, driver: &Frame) -> Result<()> {
        let words = self.core.agenda.regs[driver.base as usize..].to_vec();
        self.core.agenda.drop_top();
        self.core.agenda.reactions.truncate(driver.reactions as usize);
        let Some(decision) = Decision::read(&words) else { return Ok(()) };
        let count = decision.members.len();
        let (top, body) = (self.core.agenda.frames.len() - 1, self.core.agenda.frames.len() - 1 - count);
        for (number, member) in decision.members.iter().enumerate() {
            let frame = &mut self.core.agenda.frames[top - number];
            if let (Fate::Open, Some(by)) = (frame.fate, decision.stopped(member.group)) {
                (frame.fate, frame.by) = (Fate::Prevented, by);
            }
        }
        if self.core.tables.anyone_looks_back {
            (0..count).try_for_each(|number| self.look_before_member(top - number))?;
        }
        let mut happened = vec![false; count];
        for (number, member) in decision.members.iter().enumerate() {
            let at = top - number;
            happened[number] = self.core.agenda.frames[at].fate == Fate::Open;
            if happened[number] {
                self.commit_member(at, member, body)?;
                let frame = &mut self.core.agenda.frames[at];
                (frame.stage, frame.step, frame.row) = (Stage::Resets, 0, 0);
            } else {
                // What is left of its life is to be told that it is prevented.
                self.core.agenda.frames[at].stage = Stage::Before;
                if self.core.agenda.frames[at].event == native::CREATED {
                    let made = self.payload(at).0.start;
                    self.core.agenda.regs[made] = NULL;
                }
            }
            self.tell_member(at, member, body, happened[number])?;
        }
        let happened: Vec<usize> = (0..count).filter(|at| happened[*at]).collect();
        let groups: Vec<usize> = happened.iter().map(|at| decision.members[*at].group).collect();
        self.tell_groups(&decision.groups, &groups, body)
    }

    /// Remembers what leaves by a member that is going to happen.
    fn look_before_member(&mut self, at: usize) -> Result<()> {
        let frame = self.core.agenda.frames[at];
        let payload = self.payload(at).0;
        match (frame.fate, self.core.agenda.regs[payload].first().copied()) {
            (Fate::Open, Some(subject)) => self.look_before(frame.event, frame.batch, subject),
            _ => Ok(()),
        }
    }

    /// Gives a member's result to the code below.
    fn tell_member(&mut self, at: usize, member: &Member, body: usize, applied: bool) -> Result<()> {
        if member.ret == Reg::NONE {
            return Ok(());
        }
        let payload = self.core.agenda.regs[self.payload(at).0].to_vec();
        let gives = self.core.agenda.frames[at].gives;
        if let Some(value) = self.outcome_of(gives, &payload, applied)? {
            self.set_reg_of(body, member.ret, value);
        }
        Ok(())
    }

    /// Tells the code below which groups happened; `happened` are the groups of members that did.
    pub(crate) fn tell_groups(&mut self, groups: &[Group], happened: &[usize], body: usize) -> Result<()> {
        let decision = Decision { next: 0, groups: groups.to_vec(), members: Vec::new() };
        for (at, group) in groups.iter().enumerate().filter(|(_, group)| group.ret != Reg::NONE) {
            let is_inside = |inner: &usize| {
                let mut around = Some(*inner);
                while around.is_some_and(|around| around != at) {
                    around = around.and_then(|around| groups[around].parent);
                }
                around.is_some()
            };
            let applied = match group.simultaneous {
                true => happened.iter().any(is_inside),
                false => decision.stopped(at).is_none(),
            };
            let record = self.core.board.heap.new_record(&[Word::from(applied)])?;
            self.set_reg_of(body, group.ret, record);
        }
        Ok(())
    }

    fn set_reg_of(&mut self, frame: usize, reg: Reg, value: Word) {
        let at = self.core.agenda.frames.get(frame).map(|frame| frame.base as usize + usize::from(reg.0));
        if let Some(place) = at.and_then(|at| self.core.agenda.regs.get_mut(at)) {
            *place = value;
        }
    }

    /// Where the payload and the `with` pairs of an event's frame lie.
    fn payload(&self, at: usize) -> (Range<usize>, Range<usize>) {
        let agenda = &self.core.agenda;
        let frame = &agenda.frames[at];
        let first = frame.base as usize + usize::from(Reg::CONTEXT);
        let fields = first..first + self.core.program.events[frame.event.index()].fields.len();
        let end = agenda.frames.get(at + 1).map_or(agenda.regs.len(), |next| next.base as usize);
        let extra = if frame.event == native::CREATED { self.with_start(frame)..end } else { 0..0 };
        (fields, extra)
    }

    /// Applies and logs a member.
    fn commit_member(&mut self, at: usize, member: &Member, body: usize) -> Result<()> {
        let frame = self.core.agenda.frames[at];
        let (fields_at, with_at) = self.payload(at);
        let mut fields = self.core.agenda.regs[fields_at.clone()].to_vec();
        let with = self.core.agenda.regs[with_at].to_vec();
        self.settle_native(frame.event, &mut fields, frame.detail)?;
        let subject = fields.first().copied();
        self.bring_about(frame.event, &mut fields, frame.detail, &with)?;
        self.core.board.count_event(frame.event);
        let new = name_subject(frame.event, &mut fields, subject);
        self.record(frame.event, frame.id, frame.parent, &fields, frame.detail, &with)?;
        name_subject(frame.event, &mut fields, new);
        if let (true, Some(subject)) = (self.core.tables.anyone_looks_back, subject) {
            self.look_after(frame.event, frame.batch, subject, fields[0]);
        }
        if let (Some(old), Some(new)) = (subject, new) {
            self.rename_subject(body, old, new);
        }
        if frame.event == native::CREATED {
            let zones = self.core.board.live(fields[0])?.zone_block();
            self.correct_zones(at, body, member.zones, zones);
        }
        self.core.agenda.regs[fields_at].copy_from_slice(&fields);
        Ok(())
    }

    /// What has become a new object is called so in the whole batch.
    fn rename_subject(&mut self, body: usize, old: Word, new: Word) {
        if old == new {
            return;
        }
        let program = self.core.program;
        for member in body + 1..self.core.agenda.frames.len() {
            let (first, frame) = (self.payload(member).0.start, self.core.agenda.frames[member]);
            for (field, info) in program.events[frame.event.index()].fields.iter().enumerate() {
                let ty = field_type(program, info.ty, frame.detail);
                let is_entity = matches!(program.types[ty.index()], Type::Entity | Type::Kind(_));
                let value = &mut self.core.agenda.regs[first + field];
                if is_entity && *value == old {
                    *value = new;
                }
            }
        }
    }

    /// What was made may have got other zones than planned, if a reaction made something in the meantime:
    /// the members that follow, and the code below, mean the zones it has now.
    fn correct_zones(&mut self, at: usize, body: usize, planned: u32, zones: Range<u32>) {
        if planned == zones.start {
            return;
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
        let is_zone = |ty: intermezzo_ruleset::TypeId| program.types[ty.index()] == Type::Zone;
        for follower in body + 1..at {
            let first = self.payload(follower).0.start;
            let event = self.core.agenda.frames[follower].event;
            for (field, info) in program.events[event.index()].fields.iter().enumerate() {
                if is_zone(info.ty) {
                    correct(&mut self.core.agenda.regs[first + field]);
                }
            }
        }
        let frame = self.core.agenda.frames[body];
        let locals = program.routines.get(frame.routine.index()).map_or(&[][..], |routine| &routine.locals);
        for (local, _) in locals.iter().enumerate().filter(|(_, ty)| is_zone(**ty)) {
            correct(&mut self.core.agenda.regs[frame.base as usize + local]);
        }
    }
}
