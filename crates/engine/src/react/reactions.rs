//! Reactions to an event: which apply, in which order, and how they run.
//!
//! A reaction may enable another or remove its reason, so candidates are collected again after each. The order is
//! total: priority, distance of the controller from the active player (APNAP), id of the rule, source.

use intermezzo_program::{
    FaultCode, KindId, NULL, Reaction, ReactionId, ReactionTiming, Reg, Word, native, word,
};

use crate::optimize::program_index::{Listener, NO_FIELD};
use crate::react::last_known::batch_of;
use crate::react::reaction_limits::is_state_trigger;
use crate::run::effects::{EventHeader, Machine, Result};
use crate::run::frames::{
    AfterStep, CodeFrame, Disposition, DueReaction, EventFrame, EventResult, Frame, ItemRule, LifecycleStage,
};
use crate::run::log::EventStatus;
use crate::storage::board::{Entity, NO_DEF, NOBODY};
use crate::storage::zones::NOWHERE;
use crate::values::arithmetic::holds;

impl Machine<'_> {
    /// Returns the reactions to the event on top, in order, without testing their conditions. Of secret reactions, only
    /// those that their controllers use.
    pub(crate) fn candidates(&mut self, frame: &EventFrame, when: ReactionTiming) -> Vec<DueReaction> {
        let mut found = self.all_candidates(frame, when);
        if self.core.program.secret_question.is_some() {
            found.retain(|due| self.is_open_or_taken(*due, frame));
        }
        found
    }

    /// Returns the first of the reactions before an event that has not been applied yet and whose condition holds. The
    /// reactions applied to it begin at `applied`.
    pub(crate) fn next_candidate(
        &mut self,
        frame: &EventFrame,
        applied: usize,
    ) -> Result<Option<DueReaction>> {
        let candidates = self.candidates(frame, ReactionTiming::Before);
        let mut next = Ok(None);
        for due in &candidates {
            let is_new = !self.core.frames.reactions[applied..].contains(due);
            if is_new {
                match self.is_triggered(*due, frame) {
                    Ok(false) => continue,
                    Ok(true) => next = Ok(Some(*due)),
                    Err(code) => next = Err(code),
                }
                break;
            }
        }
        self.core.frames.spare_candidates = candidates;
        next
    }

    /// Returns the reactions to the event on top, in order, with all secret ones.
    pub(crate) fn all_candidates(&mut self, frame: &EventFrame, when: ReactionTiming) -> Vec<DueReaction> {
        let tables = self.core.tables;
        let mut found = std::mem::take(&mut self.core.frames.spare_candidates);
        found.clear();
        let mut listeners = tables.listeners(frame.event, when);
        // Most rules of cards are about the card itself. Those of other cards are skipped.
        while let Some(&Listener { field, .. }) = listeners.first().filter(|first| first.field != NO_FIELD) {
            let (own, others) = listeners.split_at(listeners.partition_point(|other| other.field <= field));
            let subject = self.def_in_field(frame, field);
            let first = own.partition_point(|listener| listener.def < subject);
            for listener in own[first..].iter().take_while(|listener| listener.def == subject) {
                self.push_sources(frame, *listener, &mut found);
            }
            listeners = others;
        }
        for listener in listeners {
            self.push_sources(frame, *listener, &mut found);
        }
        if found.len() > 1 {
            let batch = batch_of(frame);
            found.sort_by_cached_key(|due| self.order_of(*due, batch));
        }
        found
    }

    /// Collects the sources of a rule that are or were there.
    fn push_sources(&self, frame: &EventFrame, listener: Listener, found: &mut Vec<DueReaction>) {
        let Listener { reaction: id, def, .. } = listener;
        let reaction = &self.core.program.reactions[id.index()];
        if def == NO_DEF {
            found.push(DueReaction { reaction: id, source: NULL });
        } else if self.core.board.sources.of(def).is_empty()
            && (!reaction.looks_back || self.core.frames.last_known.is_empty())
            && self.moved_row(frame, def).is_none()
        {
            // Nobody has the rule where it is active.
        } else if reaction.looks_back {
            let sources = self.core.sources_before(reaction, batch_of(frame), def);
            found.extend(sources.into_iter().map(|source| DueReaction { reaction: id, source }));
        } else {
            self.push_active_sources(frame, id, reaction, def, found);
        }
    }

    /// Returns the row of the entity that the event moves, if it is of the def. Its rules may have been active before.
    fn moved_row(&self, frame: &EventFrame, def: u16) -> Option<u32> {
        if frame.event != native::MOVED {
            return None;
        }
        let moved = self.core.frames.regs.get(frame.base as usize + usize::from(Reg::CONTEXT)).copied()?;
        self.core.board.entity(moved).filter(|entity| entity.def == def).map(|_| word::row(moved))
    }

    /// Returns the def of the entity in a payload field, or [`NO_DEF`].
    fn def_in_field(&self, frame: &EventFrame, field: u16) -> u16 {
        let at = frame.base as usize + usize::from(Reg::CONTEXT + field);
        let entity = self.core.frames.regs.get(at).copied().unwrap_or(NULL);
        self.core.board.entity(entity).map_or(NO_DEF, |entity| entity.def)
    }

    fn order_of(&self, due: DueReaction, batch: u32) -> (i64, u8, u16, u32) {
        let looks_back = self.core.program.reactions[due.reaction.index()].looks_back;
        let batch = if looks_back { batch } else { 0 };
        let owner = match self.core.context_before(due.source, NULL, batch)[usize::from(Reg::YOU.0)] {
            NULL => NOBODY,
            you => word::seat(you).0,
        };
        self.order_key(due.reaction, due.source, owner)
    }

    /// Returns the sort key of a reaction.
    pub(crate) fn order_key(&self, id: ReactionId, source: Word, owner: u8) -> (i64, u8, u16, u32) {
        let reaction = &self.core.program.reactions[id.index()];
        let distance = match self.core.program.active_last && owner != NOBODY {
            true => self.core.board.seats - self.seat_distance(owner),
            false => self.seat_distance(owner),
        };
        let row = if source == NULL { 0 } else { word::row(source) };
        (-i64::from(reaction.priority), distance, reaction.rank, row)
    }

    /// Returns the number of seats from the active player to a player.
    fn seat_distance(&self, owner: u8) -> u8 {
        let seats = self.core.board.seats;
        let active = crate::run::state_reads::flow(
            self.core.program,
            self.core.board,
            intermezzo_program::FlowInfo::Active,
        );
        let first = if active == NULL { 0 } else { word::seat(active).0 };
        if owner == NOBODY || seats == 0 { 0 } else { (owner + seats - first % seats) % seats }
    }

    /// Collects the entities of a def whose rule is active.
    fn push_active_sources(
        &self,
        frame: &EventFrame,
        id: ReactionId,
        reaction: &Reaction,
        def: u16,
        found: &mut Vec<DueReaction>,
    ) {
        let board = &self.core.board;
        let mut consider = |row: u32, entity: &Entity| {
            // A trait's rules depend on the zone of its host.
            let Some((at, place)) = self.core.zone_bearer(row, entity) else { return };
            let is_in_force = self.core.has_no_zone(at) || self.is_rule_active(frame, reaction, at, place);
            if entity.alive && entity.def == def && is_in_force && !board.is_silenced(entity) {
                let source = word::entity(entity.generation, row);
                found.push(DueReaction { reaction: id, source });
            }
        };
        if let Some(key) = reaction.key {
            let at = frame.base as usize + usize::from(Reg::CONTEXT + key);
            let host = self.core.frames.regs.get(at).copied().unwrap_or(NULL);
            if self.core.program.defs[usize::from(def)].is_trait {
                let rows = board.sources.of(def).iter().map(|row| (*row, &board.rows[*row as usize]));
                let attached = rows.filter(|(_, entity)| entity.host == host && host != NULL);
                attached.for_each(|(row, entity)| consider(row, entity));
            } else if let Some(entity) = board.entity(host) {
                consider(word::row(host), entity);
            }
            return;
        }
        let rows = board.sources.of(def);
        let moved = self.moved_row(frame, def).filter(|moved| !rows.contains(moved));
        for row in rows.iter().copied().chain(moved) {
            consider(row, &board.rows[row as usize]);
        }
        debug_assert!(
            board.rows.iter().enumerate().all(|(row, entity)| {
                let is_listed = rows.contains(&(row as u32)) || moved == Some(row as u32);
                let is_it = entity.alive && entity.def == def && entity.host == NULL && !is_listed;
                !is_it || !self.is_rule_active(frame, reaction, row as u32, entity)
            }),
            "entities that are not listed have no active rule"
        );
    }

    /// Returns true if a rule of the entity is active: the entity is in the right zone, or has just left it by this
    /// very event.
    fn is_rule_active(&self, frame: &EventFrame, reaction: &Reaction, row: u32, entity: &Entity) -> bool {
        if self.core.is_active(&reaction.zones, entity.zone) {
            return true;
        }
        let payload = frame.base as usize + usize::from(Reg::CONTEXT);
        let regs = &self.core.frames.regs;
        frame.event == native::MOVED
            && regs[payload] == word::entity(entity.generation, row)
            && u32::try_from(regs[payload + 1]).is_ok_and(|from| self.core.is_active(&reaction.zones, from))
    }

    /// Runs the first reaction that has not been applied yet and whose condition holds. If none is left, commits the
    /// event.
    pub(crate) fn advance_before(&mut self, frame: &EventFrame, asks_order: bool) -> Result<()> {
        self.core.frames.history.end_rule(self.core.meter.newest);
        if frame.disposition != Disposition::Open {
            return self.finish_prevented(frame);
        }
        if self.has_lost_subject(frame) {
            return self.prevent_top();
        }
        self.preview_payload(frame)?;
        if !self.decide_secret_reactions(frame, ReactionTiming::Before)? {
            return Ok(());
        }
        let applied = frame.reactions as usize;
        if let Some(ordering) = self.core.program.ordering {
            return self.before_in_chosen_order(frame, asks_order, ordering.first);
        }
        if let Some(due) = self.next_candidate(frame, applied)? {
            return self.react_before(due, frame);
        }
        self.core.frames.reactions.truncate(applied);
        self.commit_top()
    }

    pub(crate) fn react_before(&mut self, due: DueReaction, frame: &EventFrame) -> Result<()> {
        self.note_reaction(due, frame.reactions as usize)?;
        self.trigger(due, frame)
    }

    /// Adds a reaction to the event whose reactions begin at `first`.
    ///
    /// # Errors
    ///
    /// Returns an error if the event already has as many reactions as the limit allows.
    pub(crate) fn note_reaction(&mut self, due: DueReaction, first: usize) -> Result<()> {
        if self.core.frames.reactions.len() - first >= self.core.program.limits.reactions as usize {
            return Err(FaultCode::Reactions);
        }
        self.core.frames.reactions.push(due);
        Ok(())
    }

    /// Ends the life cycle of an event that was prevented or replaced.
    pub(crate) fn finish_prevented(&mut self, frame: &EventFrame) -> Result<()> {
        self.core.frames.end_secret_question(frame.base);
        let program = self.core.program;
        let first = frame.base as usize + usize::from(Reg::CONTEXT);
        let count = program.events[frame.event.index()].fields.len();
        let mut payload: Vec<Word> = self.core.frames.regs[first..first + count].to_vec();
        match frame.event {
            // The entity was never created.
            native::CREATED if frame.batch != 0 => payload[0] = NULL,
            // What a single event would have filled in was only a preview.
            native::CREATED => (payload[0], payload[4]) = (NULL, NULL),
            native::MOVED if frame.batch == 0 => (payload[1], payload[3]) = (NULL, NULL),
            _ => {}
        }
        let with: Vec<Word> = match frame.event {
            native::CREATED => self.core.frames.regs[self.with_start(frame)..].to_vec(),
            _ => Vec::new(),
        };
        let origin = (frame.id, frame.parent);
        self.record_as(EventStatus::Prevented, frame.event, origin, &payload, frame.detail, &with)?;
        if frame.batch != 0 {
            // The batch is not over before the last of its events is reported as prevented.
            self.core.frames.held_batches.push(frame.batch);
        }
        self.finish(false)?;
        if matches!(frame.event, native::ACTION | native::REACTION)
            && frame.ret == Reg::NONE
            && let Some(Frame::Resolving(item)) = self.core.frames.stack.last_mut()
        {
            // Only a prevented action is refunded. One that was replaced has happened in another form.
            item.is_prevented = frame.disposition == Disposition::Prevented;
        }
        // A reaction that does not come to the stack is lost. If its item went on waiting, it would try forever.
        let lost = payload
            .first()
            .copied()
            .filter(|item| frame.event == native::MOVED && self.is_unplaced_item(*item));
        if frame.disposition == Disposition::Replaced {
            self.release_batch(frame.batch);
            return lost.map_or(Ok(()), |item| self.begin(EventHeader::of(native::REMOVED), &[item], &[]));
        }
        let name = crate::optimize::program_index::symbol_word(program.events[frame.event.index()].symbol);
        let prevented = [Word::from(frame.id), name, frame.by];
        self.begin(EventHeader::of(native::EVENT_PREVENTED), &prevented, &[])?;
        if frame.batch != 0 && !self.core.tables.is_inline(native::EVENT_PREVENTED) {
            // The events that report a batch as prevented are a batch themselves.
            self.top().set_batch(frame.batch);
            self.core.frames.member_count += 1;
        }
        self.release_batch(frame.batch);
        lost.map_or(Ok(()), |item| self.begin(EventHeader::of(native::REMOVED), &[item], &[]))
    }

    fn is_item(&self, entity: Word) -> bool {
        let entity = self.core.board.entity(entity);
        entity.is_some_and(|entity| self.core.program.is_kind(entity.kind, KindId::ITEM))
    }

    /// Returns true if an entity is an item that has not come to the stack yet.
    fn is_unplaced_item(&self, entity: Word) -> bool {
        self.is_item(entity) && self.core.board.entity(entity).is_some_and(|entity| entity.zone == NOWHERE)
    }

    /// Marks the event whose registers begin at `event` as prevented, or as replaced if `silent`.
    pub(crate) fn prevent(&mut self, event: Word, silent: bool) -> Result<()> {
        let by = self.reg_of_self();
        let base = u32::try_from(event).map_err(|_| FaultCode::Missing)?;
        let at = self.core.frames.event_index(event).ok_or(FaultCode::Missing)?;
        // An item that has resolved leaves the stack in any case, or it would resolve again.
        let is_item_removed = self.core.frames.event(at)?.event == native::REMOVED
            && self.is_item(self.core.frames.regs[base as usize + usize::from(Reg::CONTEXT)]);
        let frame = self.core.frames.event_mut(at)?;
        if !frame.stage.is_pending() || !frame.is_open() || is_item_removed {
            return Ok(());
        }
        frame.disposition = if silent { Disposition::Replaced } else { Disposition::Prevented };
        frame.by = by;
        if silent && frame.stage == LifecycleStage::Planned { self.begin_replacement(at) } else { Ok(()) }
    }

    /// Returns true if a reaction to the event of `frame` may run: its limits leave room, it has not fired for the same
    /// key in this batch, and its condition holds.
    pub(crate) fn is_triggered(&mut self, due: DueReaction, frame: &EventFrame) -> Result<bool> {
        let reaction = &self.core.program.reactions[due.reaction.index()];
        if is_state_trigger(reaction) {
            return self.has_turned_true(due, frame);
        }
        if self.is_used_up(due, frame) || self.has_fired(due, frame) {
            return Ok(false);
        }
        self.holds_condition(due, frame)
    }

    /// Returns true if the condition of a reaction to the event of `frame` holds.
    pub(crate) fn holds_condition(&mut self, due: DueReaction, frame: &EventFrame) -> Result<bool> {
        let reaction = &self.core.program.reactions[due.reaction.index()];
        match reaction.condition {
            None => Ok(true),
            Some(condition) => {
                let batch = if reaction.looks_back { batch_of(frame) } else { 0 };
                let context = self.core.context_before(due.source, Word::from(frame.base), batch);
                Ok(holds(self.core.evaluate_looking_back(condition, &context, &[], batch)?))
            }
        }
    }

    /// Runs a reaction to the event of `frame`, or creates its stack item.
    pub(crate) fn trigger(&mut self, due: DueReaction, frame: &EventFrame) -> Result<()> {
        self.count_uses(due, frame, false);
        self.note_fired(due, frame);
        let program = self.core.program;
        let reaction = &program.reactions[due.reaction.index()];
        if is_state_trigger(reaction) {
            self.remember_truth(due);
        }
        if let Some(item) = reaction.item {
            return self.create_waiting_item(due, frame, item);
        }
        let (routine, batch) = (reaction.effects, if reaction.looks_back { batch_of(frame) } else { 0 });
        let code = program.routines.get(routine.index()).ok_or(FaultCode::Missing)?;
        self.core.meter.charge_steps(1)?;
        self.core.frames.history.note_reaction(due.reaction, self.core.meter.newest);
        let context = self.core.context_before(due.source, Word::from(frame.base), batch);
        let listed = self.listed_batch(due, frame)?;
        let base = self.core.frames.push_call(code, &context, listed.as_slice(), program.limits.depth)?;
        let code = CodeFrame::new(program, routine, base, Reg::NONE, frame.id);
        self.core.frames.stack.push(Frame::Code(CodeFrame { batch, ..code }));
        if self.is_announced(reaction) && !reaction.announces_itself {
            self.mark_resolving(ItemRule::Reaction(due.reaction), NULL, batch);
        }
        Ok(())
    }

    /// Returns true if a reaction is announced by an event `Reaction`, so that rules can prevent it: it comes before
    /// another event, and some rule listens. Reactions to `Reaction` itself are not announced, or one that listens to
    /// all of them would announce itself forever.
    fn is_announced(&self, reaction: &Reaction) -> bool {
        let tables = self.core.tables;
        let at = native::REACTION.index();
        reaction.when == ReactionTiming::Before
            && reaction.event != native::REACTION
            && !(tables.before[at].is_empty() && tables.after[at].is_empty())
    }

    /// Announces the reaction whose code is on top, after its controller has agreed to it. A reaction that is declined is
    /// never announced: that would betray a hidden card.
    pub(crate) fn announce_reaction(&mut self, dst: Reg) -> Result<()> {
        let frame = *self.top();
        let routine = frame.routine(self.core.program);
        let is_own = |reaction: &&Reaction| Some(reaction.effects) == routine;
        let reaction = self.core.program.reactions.iter().find(is_own).ok_or(FaultCode::Missing)?;
        if !self.is_announced(reaction) {
            self.set_reg(dst, 1);
            return Ok(());
        }
        let register = |reg: Reg| self.core.frames.regs[frame.base() as usize + usize::from(reg.0)];
        let name = crate::optimize::program_index::symbol_word(reaction.name);
        let payload = [name, register(Reg::ACTOR), register(Reg::SELF), NULL];
        let header =
            EventHeader { result: EventResult::Applied, ret: dst, ..EventHeader::of(native::REACTION) };
        self.begin(header, &payload, &[])
    }

    /// Runs the `after` reactions. All are collected before the first runs; each is tested again when its turn comes.
    pub(crate) fn advance_after(&mut self, frame: &EventFrame, step: AfterStep) -> Result<()> {
        self.core.frames.history.end_rule(self.core.meter.newest);
        let first = frame.reactions as usize;
        let mut is_tested = false;
        if step == AfterStep::Collect && !self.decide_secret_reactions(frame, ReactionTiming::After)? {
            return Ok(());
        }
        if step == AfterStep::Collect {
            is_tested = true;
            let tables = self.core.tables;
            match &tables.unconditional_after[frame.event.index()] {
                Some(always) => always.iter().try_for_each(|due| self.note_reaction(*due, first))?,
                None => {
                    let candidates = self.candidates(frame, ReactionTiming::After);
                    if frame.event == native::SETTLED {
                        self.forget_absent_triggers(&candidates);
                    }
                    for due in candidates.iter().rev() {
                        if self.is_triggered(*due, frame)? {
                            self.note_reaction(*due, first)?;
                        }
                    }
                    self.core.frames.spare_candidates = candidates;
                }
            }
            if self.core.program.ordering.is_some() {
                // Reactions for the stack are ordered when they go there.
                let reactions = &self.core.program.reactions;
                self.core.frames.reactions[first..]
                    .sort_by_key(|due| reactions[due.reaction.index()].item.is_some());
            }
            self.top_event()?.stage = LifecycleStage::After(AfterStep::Run { ordered: 0 });
        }
        if self.core.program.ordering.is_some() && !self.order_after(first)? {
            return Ok(());
        }
        while self.core.frames.reactions.len() > first {
            let Some(due) = self.core.frames.reactions.pop() else { break };
            // The first one was tested just now; nothing has happened since.
            if std::mem::take(&mut is_tested) || self.is_triggered(due, frame)? {
                return self.trigger(due, frame);
            }
        }
        self.finish(true)
    }
}
