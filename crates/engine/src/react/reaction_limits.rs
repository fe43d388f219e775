//! Reaction limits: uses within a scope, and one firing per key in a batch.

use intermezzo_program::{
    FaultCode, KindId, LimitKey, LimitScope, NULL, PerBatch, Reaction, ReactionId, ReactionLimit, Reg, Word,
    native, word,
};

use crate::react::last_known::batch_of;
use crate::run::effects::{Machine, Result};
use crate::run::frames::{
    AfterStep, DueReaction, EventFrame, EventResult, FiredReaction, Frame, LifecycleStage, ReactionUse,
};
use crate::run::stack::{BATCH, HOST, TRIGGER, VIA};

/// The key of a use count: reaction and source, index of the limit, and scope.
type UseKey = (DueReaction, u8, u32);

impl Machine<'_> {
    /// Returns true if one of the limits of a reaction is used up.
    pub(crate) fn is_used_up(&self, due: DueReaction, frame: &EventFrame) -> bool {
        self.has_used_up(due, frame, |_| true)
    }

    /// Returns true if a reaction that waited on the stack may not be used any more: others of its kind, which
    /// were triggered at the same time, have used up a limit that counts uses.
    pub(crate) fn is_used_up_on_stack(&self, due: DueReaction, event: Word) -> bool {
        let frame = self.core.frames.event_at(event);
        frame.is_some_and(|frame| self.has_used_up(due, frame, |limit| limit.on_use))
    }

    fn has_used_up(
        &self,
        due: DueReaction,
        frame: &EventFrame,
        counts: impl Fn(&ReactionLimit) -> bool,
    ) -> bool {
        let limits = &self.core.program.reactions[due.reaction.index()].limits;
        limits.iter().enumerate().filter(|(_, limit)| counts(limit)).any(|(at, limit)| {
            let key = self.use_key(due, at, frame);
            let used = self.core.frames.uses.iter().find(|used| used.key() == key);
            used.map_or(0, |used| used.count) >= limit.count
        })
    }

    /// Counts towards the limits of a reaction: those used up by triggering, or those used up by `use`.
    pub(crate) fn count_uses(&mut self, due: DueReaction, frame: &EventFrame, on_use: bool) {
        for at in 0..self.core.program.reactions[due.reaction.index()].limits.len() {
            if self.core.program.reactions[due.reaction.index()].limits[at].on_use == on_use {
                self.count_one(self.use_key(due, at, frame));
            }
        }
    }

    fn count_one(&mut self, (due, limit, scope): UseKey) {
        let mut uses = std::mem::take(&mut self.core.frames.uses);
        // Counts of a scope that is over are never read again.
        uses.retain(|used| self.is_scope_open(used.scope));
        match uses.iter_mut().find(|used| used.key() == (due, limit, scope)) {
            Some(used) => used.count += 1,
            None => uses.push(ReactionUse { due, limit, scope, count: 1 }),
        }
        self.core.frames.uses = uses;
    }

    fn is_scope_open(&self, scope: u32) -> bool {
        if scope & EVENT_SCOPE == 0 {
            return scope == 0 || self.core.board.phases.iter().any(|entry| entry.number == scope);
        }
        let event = scope & !EVENT_SCOPE;
        let is_part = |frame: &EventFrame| [frame.id, frame.batch, area_of_item(frame)].contains(&event);
        self.core.frames.stack.iter().filter_map(Frame::as_event).any(is_part)
            || self.has_waiting_reaction_to(event)
    }

    fn use_key(&self, due: DueReaction, at: usize, frame: &EventFrame) -> UseKey {
        let limit = self.core.program.reactions[due.reaction.index()].limits[at];
        let source = match limit.key {
            LimitKey::Instance => due.source,
            LimitKey::Rule => NULL,
            LimitKey::Source => self.core.context(due.source, NULL)[usize::from(Reg::SELF.0)],
        };
        let scope = match limit.scope {
            LimitScope::Match => 0,
            LimitScope::Event => self.area_event(frame) | EVENT_SCOPE,
            LimitScope::Phase(phase) => {
                let entries = self.core.board.phases.iter().rev();
                entries.into_iter().find(|entry| entry.phase == phase).map_or(0, |entry| entry.number)
            }
        };
        (DueReaction { source, ..due }, at as u8, scope)
    }

    /// Returns the number of the event that counts for limits per event. An area event counts together with all
    /// events that its consequences emit, and so do the events of a batch.
    pub(crate) fn area_event(&self, frame: &EventFrame) -> u32 {
        if area_of_item(frame) != 0 {
            return area_of_item(frame);
        }
        let mut area = *frame;
        let events = || self.core.frames.stack.iter().rev().filter_map(Frame::as_event);
        while let Some(above) = events().find(|below| below.id == area.parent)
            && above.stage == LifecycleStage::Then
        {
            area = *above;
        }
        batch_of(&area)
    }

    /// Returns true if a reaction to the event, or to one of its projections, waits on the stack.
    fn has_waiting_reaction_to(&self, event: u32) -> bool {
        let rows = self.core.board.rows.iter().enumerate();
        let mut items = rows
            .filter(|(_, entity)| entity.alive && self.core.program.is_kind(entity.kind, KindId::REACTION));
        items.any(|(row, entity)| {
            let item = word::entity(entity.generation, row as u32);
            let cell = |column| self.cell(item, column).unwrap_or(0);
            [cell(TRIGGER), cell(BATCH)].contains(&Word::from(event))
        })
    }

    // --- state triggers -----------------------------------------------------------

    /// Returns true if the condition of a state trigger has turned true since it was last tested, and its
    /// reaction does not wait already.
    pub(crate) fn has_turned_true(&mut self, due: DueReaction, frame: &EventFrame) -> Result<bool> {
        if !self.holds_condition(due, frame)? {
            self.core.frames.uses.retain(|used| used.key() != truth_key(due));
            return Ok(false);
        }
        let was_true = self.core.frames.uses.iter().any(|used| used.key() == truth_key(due));
        if was_true || self.is_waiting(due) {
            return Ok(false);
        }
        if self.is_used_up(due, frame) {
            self.remember_truth(due);
            return Ok(false);
        }
        Ok(true)
    }

    /// Remembers that the condition of a state trigger is true, so that it triggers only after it was false.
    pub(crate) fn remember_truth(&mut self, due: DueReaction) {
        let (due, limit, scope) = truth_key(due);
        self.core.frames.uses.push(ReactionUse { due, limit, scope, count: 1 });
    }

    /// Forgets the state triggers that are not in force any more.
    pub(crate) fn forget_absent_triggers(&mut self, candidates: &[DueReaction]) {
        self.core.frames.uses.retain(|used| used.limit != CONDITION || candidates.contains(&used.due));
    }

    /// Returns true if the item of a reaction is on the stack or waits to go there.
    fn is_waiting(&self, due: DueReaction) -> bool {
        let item = self.core.program.reactions[due.reaction.index()].item;
        let rows = self.core.board.rows.iter().enumerate();
        let mut items =
            rows.filter(|(_, entity)| entity.alive && item.is_some_and(|def| def.0 == entity.def));
        items.any(|(row, entity)| {
            let item = word::entity(entity.generation, row as u32);
            let cell = |column| self.cell(item, column).unwrap_or(NULL);
            due.source == if cell(VIA) == NULL { cell(HOST) } else { cell(VIA) }
        })
    }

    /// Executes the `Use` instruction: counts a use of the reaction whose code is running.
    pub(crate) fn note_use(&mut self) -> Result<()> {
        let frame = *self.top();
        let routine = frame.routine(self.core.program);
        let effects = |reaction: &Reaction| Some(reaction.effects) == routine;
        let found = self.core.program.reactions.iter().position(effects).ok_or(FaultCode::Missing)?;
        let register = |reg: Reg| self.core.frames.regs[frame.base() as usize + usize::from(reg.0)];
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
    fn batch_key(&self, due: DueReaction, frame: &EventFrame) -> Option<Vec<Word>> {
        let reaction = &self.core.program.reactions[due.reaction.index()];
        let PerBatch::Key(fields) = &reaction.per else { return None };
        // A single event is a batch of one, to which each reaction happens once anyway.
        let payload = frame.base as usize + usize::from(Reg::CONTEXT);
        let value = |field: &u16| self.core.frames.regs[payload + usize::from(*field)];
        (frame.batch != 0).then(|| fields.iter().map(value).collect())
    }

    /// Returns a list of the events of the batch that fit a reaction, for code that wants it: those from `frame` on, which
    /// is the first.
    pub(crate) fn listed_batch(&mut self, due: DueReaction, frame: &EventFrame) -> Result<Option<Word>> {
        if !self.core.program.reactions[due.reaction.index()].lists_batch {
            return Ok(None);
        }
        let key = self.batch_key(due, frame);
        let is_it = |other: &Frame| matches!(other, Frame::Event(other) if other.base == frame.base);
        let top = self.core.frames.stack.iter().rposition(is_it).unwrap_or(0);
        let mut found = Vec::new();
        for at in (0..=top).rev() {
            let Frame::Event(other) = self.core.frames.stack[at] else { continue };
            let is_member = other.base == frame.base || frame.batch != 0 && other.batch == frame.batch;
            if !is_member || !other.is_open() || other.event != frame.event {
                continue;
            }
            if self.batch_key(due, &other) == key && self.holds_condition(due, &other)? {
                let payload = self.core.frames.regs[self.payload(at)?.0].to_vec();
                found.extend(self.result_of(EventResult::Payload, &payload, true)?);
            }
        }
        self.core.board.heap.new_list(&found).map(Some)
    }

    /// Returns true if a reaction has happened in this batch for an event of the same key.
    pub(crate) fn has_fired(&self, due: DueReaction, frame: &EventFrame) -> bool {
        let Some(key) = self.batch_key(due, frame) else { return false };
        let fired = &self.core.frames.fired;
        fired.iter().any(|fired| fired.batch == frame.batch && fired.due == due && fired.key == key)
    }

    pub(crate) fn note_fired(&mut self, due: DueReaction, frame: &EventFrame) {
        if let Some(key) = self.batch_key(due, frame) {
            self.core.frames.fired.push(FiredReaction { batch: frame.batch, due, key });
        }
    }
}

/// Marks the scope numbers of events, which are numbered separately from phases.
const EVENT_SCOPE: u32 = 1 << 31;

/// In place of the number of a limit: the condition of a state trigger was true when it was last tested.
const CONDITION: u8 = u8::MAX;

fn truth_key(due: DueReaction) -> UseKey {
    (due, CONDITION, 0)
}

/// Returns true for a state trigger: a reaction to `Settled` that waits on the stack. It triggers when its
/// condition turns true, not each time the match comes to rest.
pub(crate) fn is_state_trigger(reaction: &Reaction) -> bool {
    reaction.event == native::SETTLED && reaction.item.is_some()
}

/// Returns the area event that a rebuilt frame of a stack item belongs to; 0 if it is not known.
fn area_of_item(frame: &EventFrame) -> u32 {
    match frame.stage {
        LifecycleStage::After(AfterStep::OfArea { event }) => event,
        _ => 0,
    }
}
