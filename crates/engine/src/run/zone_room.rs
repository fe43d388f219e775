//! Room in zones for the members of a group that is about to be committed.
//!
//! The plan had room for all of them one after the other. Reactions may have filled a zone since, and members of a
//! simultaneous group were planned without each other. So the room is counted again before the first member
//! happens, and members without room are prevented by nobody.

use std::collections::BTreeMap;

use intermezzo_program::{EventId, NULL, Reg, Word, native};

use crate::run::effects::{Machine, Result};
use crate::run::frames::Disposition;
use crate::run::group_commit::GroupDecision;
use crate::storage::zones::NOWHERE;

/// The contents of zones as far as members of a group have changed them.
#[derive(Default)]
struct RoomCount {
    /// Entities that came minus those that left, by zone.
    changes: BTreeMap<u32, i64>,
    whereabouts: BTreeMap<Word, u32>,
}

impl Machine<'_> {
    /// Prevents the members for which there is no room. `top` is the index of the first member's frame.
    pub(crate) fn prevent_members_without_room(
        &mut self,
        decision: &mut GroupDecision,
        top: usize,
    ) -> Result<()> {
        if self.core.program.zones.iter().all(|zone| zone.max.is_none()) {
            return Ok(());
        }
        // A member that does not happen may leave room for others, or stop its group.
        while let Some(member) = self.find_member_without_room(decision, top)? {
            let frame = self.core.frames.event_mut(top - member)?;
            (frame.disposition, frame.by) = (Disposition::Prevented, NULL);
            decision.note_lost_member(member, NULL);
        }
        Ok(())
    }

    fn find_member_without_room(&mut self, decision: &GroupDecision, top: usize) -> Result<Option<usize>> {
        self.core.meter.charge_steps(decision.member_count())?;
        let mut count = RoomCount::default();
        for member in 0..decision.member_count() {
            let frame = *self.core.frames.event(top - member)?;
            if frame.is_open()
                && !decision.is_stopped(member)
                && !self.count_room(&mut count, frame.event, frame.base as usize)
            {
                return Ok(Some(member));
            }
        }
        Ok(None)
    }

    /// Counts what an event does to the contents of zones. Returns false if its zone is full.
    fn count_room(&self, count: &mut RoomCount, event: EventId, base: usize) -> bool {
        let field = |at: usize| self.core.frames.regs[base + usize::from(Reg::CONTEXT) + at];
        let to = match event {
            native::MOVED => field(2),
            native::CREATED => field(3),
            native::REMOVED => NULL,
            _ => return true,
        };
        let entity = field(0);
        let from = match (event, count.whereabouts.get(&entity)) {
            (native::CREATED, _) => NOWHERE,
            (_, Some(zone)) => *zone,
            (_, None) => self.core.board.entity(entity).map_or(NOWHERE, |entity| entity.zone),
        };
        let to = u32::try_from(to).unwrap_or(NOWHERE);
        if from == to {
            return true;
        }
        // The zones of an entity that the group creates do not exist yet, and are empty then.
        if let Some(head) = self.core.board.zones.head(to) {
            let max = self.core.program.zones[head.family.index()].max;
            let inside = self.core.board.zones.rows(to).len() as i64 + count.changes.get(&to).unwrap_or(&0);
            if max.is_some_and(|max| inside >= i64::from(max)) {
                return false;
            }
        }
        *count.changes.entry(from).or_default() -= 1;
        *count.changes.entry(to).or_default() += 1;
        count.whereabouts.insert(entity, to);
        true
    }
}
