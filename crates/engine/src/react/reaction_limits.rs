//! Reaction limits: uses within a scope, and one firing per key in a batch.

use intermezzo_program::{FaultCode, LimitKey, LimitScope, NULL, PerBatch, ReactionId, Reg, Word};

use crate::run::effects::{Machine, Result};
use crate::run::frames::{DueReaction, FiredReaction, Frame, ReactionUse};

/// The key of a use count: reaction and source, index of the limit, and scope.
type UseKey = (DueReaction, u8, u32);

impl Machine<'_> {
    /// Returns true if one of the limits of a reaction is used up.
    pub(crate) fn is_used_up(&self, due: DueReaction, frame: &Frame) -> bool {
        let limits = &self.core.program.reactions[due.reaction.index()].limits;
        limits.iter().enumerate().any(|(at, limit)| {
            let key = self.use_key(due, at, frame);
            let used = self.core.frames.uses.iter().find(|used| used.key() == key);
            used.map_or(0, |used| used.count) >= limit.count
        })
    }

    /// Counts towards the limits of a reaction: those used up by triggering, or those used up by `use`.
    pub(crate) fn count_uses(&mut self, due: DueReaction, frame: &Frame, on_use: bool) {
        for at in 0..self.core.program.reactions[due.reaction.index()].limits.len() {
            if self.core.program.reactions[due.reaction.index()].limits[at].on_use == on_use {
                self.count_one(self.use_key(due, at, frame));
            }
        }
    }

    fn count_one(&mut self, (due, limit, scope): UseKey) {
        let (frames, phases) = (&self.core.frames.stack, &self.core.board.phases);
        let is_open = |scope: u32| {
            scope == 0
                || frames.iter().any(|frame| frame.is_event() && event_scope(frame) == scope)
                || phases.iter().any(|entry| entry.number == scope)
        };
        let mut uses = std::mem::take(&mut self.core.frames.uses);
        // Counts of a scope that is over are never read again.
        uses.retain(|used| is_open(used.scope));
        match uses.iter_mut().find(|used| used.key() == (due, limit, scope)) {
            Some(used) => used.count += 1,
            None => uses.push(ReactionUse { due, limit, scope, count: 1 }),
        }
        self.core.frames.uses = uses;
    }

    fn use_key(&self, due: DueReaction, at: usize, frame: &Frame) -> UseKey {
        let limit = self.core.program.reactions[due.reaction.index()].limits[at];
        let source = match limit.key {
            LimitKey::Instance => due.source,
            LimitKey::Rule => NULL,
            LimitKey::Source => self.core.context(due.source, NULL)[usize::from(Reg::SELF.0)],
        };
        let scope = match limit.scope {
            LimitScope::Match => 0,
            LimitScope::Event => event_scope(frame),
            LimitScope::Phase(phase) => {
                let entries = self.core.board.phases.iter().rev();
                entries.into_iter().find(|entry| entry.phase == phase).map_or(0, |entry| entry.number)
            }
        };
        (DueReaction { source, ..due }, at as u8, scope)
    }

    /// Executes the `Use` instruction: counts a use of the reaction whose code is running.
    pub(crate) fn note_use(&mut self) -> Result<()> {
        let frame = *self.top();
        let effects = |reaction: &intermezzo_program::Reaction| reaction.effects == frame.routine;
        let found = self.core.program.reactions.iter().position(effects).ok_or(FaultCode::Missing)?;
        let register = |reg: Reg| self.core.frames.regs[frame.base as usize + usize::from(reg.0)];
        let source = match register(Reg::TRAIT) {
            NULL => register(Reg::SELF),
            instance => instance,
        };
        let event = *self.core.frames.event_at(register(Reg::EVENT)).ok_or(FaultCode::Missing)?;
        self.count_uses(DueReaction { reaction: ReactionId(found as u16), source }, &event, true);
        Ok(())
    }

    // --- batches ----------------------------------------------------------------

    /// Returns the key that tells firings of a reaction in a batch apart, or `None` if it fires for each event.
    fn batch_key(&self, due: DueReaction, frame: &Frame) -> Option<Vec<Word>> {
        let reaction = &self.core.program.reactions[due.reaction.index()];
        let PerBatch::Key(fields) = &reaction.per else { return None };
        // A single event is a batch of one, to which each reaction happens once anyway.
        let payload = frame.base as usize + usize::from(Reg::CONTEXT);
        let value = |field: &u16| self.core.frames.regs[payload + usize::from(*field)];
        (frame.batch != 0).then(|| fields.iter().map(value).collect())
    }

    /// Returns true if a reaction has happened in this batch for an event of the same key.
    pub(crate) fn has_fired(&self, due: DueReaction, frame: &Frame) -> bool {
        let Some(key) = self.batch_key(due, frame) else { return false };
        let fired = &self.core.frames.fired;
        fired.iter().any(|fired| fired.batch == frame.batch && fired.due == due && fired.key == key)
    }

    pub(crate) fn note_fired(&mut self, due: DueReaction, frame: &Frame) {
        if let Some(key) = self.batch_key(due, frame) {
            self.core.frames.fired.push(FiredReaction { batch: frame.batch, due, key });
        }
    }
}

/// Returns the scope number of an event. Events and phases are numbered separately; the highest bit tells them
/// apart.
fn event_scope(frame: &Frame) -> u32 {
    frame.id | 1 << 31
}
