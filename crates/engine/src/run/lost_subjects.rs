//! Native events about an entity that no longer exists when they should happen.
//!
//! A reaction before the event, or an earlier member of its group, may have removed the entity or turned it into a new
//! object. Such an event is prevented by nobody, as a move into a full zone is.

use std::collections::BTreeSet;

use intermezzo_program::{EventId, NULL, Word, native, word};

use crate::run::effects::{Machine, Result};
use crate::run::frames::{Disposition, EventFrame};
use crate::run::group_commit::GroupDecision;

impl Machine<'_> {
    /// Returns true if the entity that a single event is about no longer exists.
    pub(crate) fn has_lost_subject(&self, frame: &EventFrame) -> bool {
        let subject = self.subject_of(frame.event, frame.base);
        subject.is_some_and(|subject| self.core.board.entity(subject).is_none())
    }

    /// Returns the entity that must exist for an event to happen.
    fn subject_of(&self, event: EventId, base: u32) -> Option<Word> {
        let first = base as usize + usize::from(intermezzo_program::Reg::CONTEXT);
        let field = |at: usize| self.core.frames.regs.get(first + at).copied().unwrap_or(NULL);
        let subject = match event {
            native::MOVED | native::REMOVED | native::CHANGED => field(0),
            // The host of a trait.
            native::CREATED => field(5),
            _ => NULL,
        };
        (subject != NULL).then_some(subject)
    }

    /// Returns true if the entity that a member of a group is about no longer exists, and is not one that the group
    /// creates. `driver` is the index of the group's frame.
    pub(crate) fn has_member_lost_subject(&self, driver: usize, member: usize) -> Result<bool> {
        let frame = self.core.frames.event(driver - 1 - member)?;
        let Some(subject) = self.subject_of(frame.event, frame.base) else { return Ok(false) };
        if self.core.board.entity(subject).is_some() {
            return Ok(false);
        }
        for earlier in 0..member {
            if self.row_of_new_object(driver - 1 - earlier)? == Some(word::row(subject)) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Returns the row of the entity that the event of a frame creates, or turns into a new object.
    fn row_of_new_object(&self, at: usize) -> Result<Option<u32>> {
        let frame = self.core.frames.event(at)?;
        let fields = &self.core.frames.regs[self.payload(at)?.0];
        let is_new = match frame.event {
            native::CREATED => true,
            native::MOVED => self.core.renews(fields[1], fields[2]),
            _ => false,
        };
        Ok(is_new.then(|| word::row(fields[0])))
    }

    /// Prevents the members of a group about entities that do not exist when their turn comes. `top` is the index of the
    /// first member's frame.
    pub(crate) fn prevent_members_without_subject(
        &mut self,
        decision: &mut GroupDecision,
        top: usize,
    ) -> Result<()> {
        while let Some(member) = self.find_member_without_subject(decision, top)? {
            let frame = self.core.frames.event_mut(top - member)?;
            (frame.disposition, frame.by) = (Disposition::Prevented, NULL);
            decision.note_lost_member(member, NULL);
        }
        Ok(())
    }

    fn find_member_without_subject(&mut self, decision: &GroupDecision, top: usize) -> Result<Option<usize>> {
        self.core.meter.charge_steps(decision.member_count() / 8)?;
        let (mut made, mut removed) = (BTreeSet::new(), BTreeSet::new());
        for member in 0..decision.member_count() {
            let frame = *self.core.frames.event(top - member)?;
            if !frame.is_open() || decision.is_stopped(member) {
                continue;
            }
            if let Some(subject) = self.subject_of(frame.event, frame.base) {
                let entity = self.core.board.entity(subject);
                let is_there = entity.is_some() || made.contains(&word::row(subject));
                let is_removed =
                    removed.contains(&subject) || entity.is_some_and(|entity| removed.contains(&entity.host));
                if !is_there || is_removed {
                    return Ok(Some(member));
                }
                if frame.event == native::REMOVED {
                    removed.insert(subject);
                }
            }
            made.extend(self.row_of_new_object(top - member)?);
        }
        Ok(None)
    }
}
