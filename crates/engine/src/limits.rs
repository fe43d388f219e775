//! How often reactions happen: limits that are used up, and one firing for each key in a batch.

use intermezzo_ruleset::{FaultCode, LimitKey, NULL, Per, ReactionId, Reg, Scope, Word};

use crate::agenda::{Due, Fired, Frame, Use};
use crate::happening::{Machine, Result};

/// What a use is counted under: reaction and source, which of the reaction's limits, and the scope.
type Key = (Due, u8, u32);

impl Machine<'_> {
    /// Whether one of the limits of a reaction leaves no room for it.
    pub(crate) fn is_used_up(&self, due: Due, frame: &Frame) -> bool {
        let limits = &self.core.program.reactions[due.reaction.index()].limits;
        limits.iter().enumerate().any(|(at, limit)| {
            let key = self.use_key(due, at, frame);
            let used = self.core.agenda.uses.iter().find(|used| used.key() == key);
            used.map_or(0, |used| used.count) >= limit.count
        })
    }

    /// Counts towards the limits of a reaction that are used up by being set off, or by being used.
    pub(crate) fn count_uses(&mut self, due: Due, frame: &Frame, on_use: bool) {
        for at in 0..self.core.program.reactions[due.reaction.index()].limits.len() {
            if self.core.program.reactions[due.reaction.index()].limits[at].on_use == on_use {
                self.count_one(self.use_key(due, at, frame));
            }
        }
    }

    fn count_one(&mut self, (due, limit, scope): Key) {
        let (frames, phases) = (&self.core.agenda.frames, &self.core.board.phases);
        let is_open = |scope: u32| {
            scope == 0
                || frames.iter().any(|frame| frame.is_event() && event_scope(frame) == scope)
                || phases.iter().any(|entry| entry.number == scope)
        };
        let mut uses = std::mem::take(&mut self.core.agenda.uses);
        // What was counted within something that is over never counts again.
        uses.retain(|used| is_open(used.scope));
        match uses.iter_mut().find(|used| used.key() == (due, limit, scope)) {
            Some(used) => used.count += 1,
            None => uses.push(Use { due, limit, scope, count: 1 }),
        }
        self.core.agenda.uses = uses;
    }

    fn use_key(&self, due: Due, at: usize, frame: &Frame) -> Key {
        let limit = self.core.program.reactions[due.reaction.index()].limits[at];
        let source = match limit.key {
            LimitKey::Instance => due.source,
            LimitKey::Rule => NULL,
            LimitKey::Source => self.core.context(due.source, NULL)[usize::from(Reg::SELF.0)],
        };
        let scope = match limit.scope {
            Scope::Match => 0,
            Scope::Event => event_scope(frame),
            Scope::Phase(phase) => {
                let entries = self.core.board.phases.iter().rev();
                entries.into_iter().find(|entry| entry.phase == phase).map_or(0, |entry| entry.number)
            }
        };
        (Due { source, ..due }, at as u8, scope)
    }

    /// The reaction whose code is running is used.
    pub(crate) fn used(&mut self) -> Result<()> {
        let frame = *self.top();
        let effects = |reaction: &intermezzo_ruleset::Reaction| reaction.effects == frame.routine;
        let found = self.core.program.reactions.iter().position(effects).ok_or(FaultCode::Missing)?;
        let register = |reg: Reg| self.core.agenda.regs[frame.base as usize + usize::from(reg.0)];
        let source = match register(Reg::TRAIT) {
            NULL => register(Reg::SELF),
            instance => instance,
        };
        let event = *self.core.agenda.event_at(register(Reg::EVENT)).ok_or(FaultCode::Missing)?;
        self.count_uses(Due { reaction: ReactionId(found as u16), source }, &event, true);
        Ok(())
    }

    // --- batches ----------------------------------------------------------------

    /// What tells the firings of a reaction in a batch apart; nothing if each event is for itself.
    fn batch_key(&self, due: Due, frame: &Frame) -> Option<Vec<Word>> {
        let reaction = &self.core.program.reactions[due.reaction.index()];
        let Per::Key(fields) = &reaction.per else { return None };
        // An event by itself is a batch of one, to which each reaction happens once anyway.
        let payload = frame.base as usize + usize::from(Reg::CONTEXT);
        let value = |field: &u16| self.core.agenda.regs[payload + usize::from(*field)];
        (frame.batch != 0).then(|| fields.iter().map(value).collect())
    }

    /// Whether a reaction has happened in this batch for an event of the same key.
    pub(crate) fn has_fired(&self, due: Due, frame: &Frame) -> bool {
        let Some(key) = self.batch_key(due, frame) else { return false };
        let fired = &self.core.agenda.fired;
        fired.iter().any(|fired| fired.batch == frame.batch && fired.due == due && fired.key == key)
    }

    pub(crate) fn note_fired(&mut self, due: Due, frame: &Frame) {
        if let Some(key) = self.batch_key(due, frame) {
            self.core.agenda.fired.push(Fired { batch: frame.batch, due, key });
        }
    }
}

/// Events and phases are numbered apart: the highest bit tells them from each other.
fn event_scope(frame: &Frame) -> u32 {
    frame.id | 1 << 31
}
