//! Reaction order chosen by players (`reactionOrder: chosen`).
//!
//! A player who controls several reactions of one priority to one event is asked which comes first. If an event
//! has a `chooser`, that player decides among the `before` reactions of all players. The chooser of a native event
//! is the controller of the entity it affects.

use intermezzo_program::{EventId, NULL, ReactionTiming, Reg, RoutineId, Visibility, Word, native, word};

use crate::optimize::program_index::symbol_word;
use crate::run::effects::{Machine, Result};
use crate::run::frames::{AfterStep, DueReaction, EventFrame, LifecycleStage};

/// The next step among the reactions before an event.
pub(crate) enum NextReaction {
    /// No reaction is left.
    None,
    Run(DueReaction),
    /// A player is asked which reaction comes next.
    Asked,
}

impl Machine<'_> {
    /// Runs the next reaction before an event. Asks for the next one if several could be.
    pub(crate) fn before_in_chosen_order(
        &mut self,
        frame: &EventFrame,
        is_answered: bool,
        first: RoutineId,
    ) -> Result<()> {
        let applied = frame.reactions as usize;
        match self.next_in_chosen_order(frame, applied, is_answered, first)? {
            NextReaction::None => {
                self.core.frames.reactions.truncate(applied);
                self.commit_top()
            }
            NextReaction::Run(due) => {
                self.top_event()?.stage = LifecycleStage::BEFORE;
                self.react_before(due, frame)
            }
            NextReaction::Asked => {
                // The question is on top, the event below it.
                let event = self.core.frames.stack.len() - 2;
                self.core.frames.event_mut(event)?.stage = LifecycleStage::Before { asks_order: true };
                Ok(())
            }
        }
    }

    /// Finds the next reaction before an event. The reactions applied to it begin at `applied`. Asks with the routine
    /// `first` if a player decides, unless `is_answered`: then the returned value is their answer.
    pub(crate) fn next_in_chosen_order(
        &mut self,
        frame: &EventFrame,
        applied: usize,
        is_answered: bool,
        first: RoutineId,
    ) -> Result<NextReaction> {
        // Testing conditions below overwrites the return value, so save it.
        let answer = self.core.frames.returned;
        let mut open = Vec::new();
        for due in self.candidates(frame, ReactionTiming::Before) {
            let is_new = !self.core.frames.reactions[applied..].contains(&due);
            if is_new && self.is_triggered(due, frame)? {
                open.push(due);
            }
        }
        let Some(next) = open.first().copied() else { return Ok(NextReaction::None) };
        if is_answered {
            let (rule, source) = self.rule_and_source(answer)?;
            let is_chosen = |due: &&DueReaction| self.rule_name(**due) == rule && due.source == source;
            let picked = open.iter().find(is_chosen).copied().unwrap_or(next);
            return Ok(NextReaction::Run(picked));
        }
        let chooser = self.chooser(frame)?;
        if chooser != NULL && !self.is_shown_to(next, chooser) {
            return Ok(NextReaction::Run(next));
        }
        let deciding = if chooser == NULL { self.controller_of(next) } else { chooser };
        let is_rival = |due: &DueReaction| {
            let is_offered = match chooser {
                NULL => self.controller_of(*due) == deciding,
                chooser => self.is_shown_to(*due, chooser),
            };
            is_offered && self.priority_of(*due) == self.priority_of(next)
        };
        let rivals: Vec<DueReaction> = open.iter().copied().filter(is_rival).collect();
        if rivals.len() < 2 || deciding == NULL {
            return Ok(NextReaction::Run(next));
        }
        let options = self.describe_all(&rivals)?;
        self.ask_order(first, deciding, options)?;
        Ok(NextReaction::Asked)
    }

    /// Returns true if a player may see a reaction of another player in a list to choose from: its card is in a zone that
    /// everyone sees. Hidden ones keep their fixed places among the others.
    fn is_shown_to(&self, due: DueReaction, player: Word) -> bool {
        if due.source == NULL || self.controller_of(due) == player {
            return true;
        }
        let source = word::row(due.source);
        let bearer =
            self.core.board.entity(due.source).and_then(|entity| self.core.zone_bearer(source, entity));
        let zone = bearer.map(|(_, entity)| entity.zone);
        match zone.and_then(|zone| self.core.board.zones.head(zone)) {
            Some(head) => matches!(self.core.program.zones[head.family.index()].visible, Visibility::All),
            None => bearer.is_some_and(|(row, _)| self.core.has_no_zone(row)),
        }
    }

    /// Orders the reactions after the event on top, player by player. Returns false while a player is asked.
    pub(crate) fn order_after(&mut self, first: usize) -> Result<bool> {
        let Some(ordering) = self.core.program.ordering else { return Ok(true) };
        let LifecycleStage::After(step) = self.top_event()?.stage else { return Ok(true) };
        let due = self.core.frames.reactions[first..].to_vec();
        // The reactions are counted from the end, which holds the next one to run.
        let mut settled = match step {
            AfterStep::Run { ordered } | AfterStep::OrderAsked { ordered } => ordered as usize,
            _ => 0,
        };
        let is_in_order = matches!(step, AfterStep::InOrder | AfterStep::OfArea { .. });
        if let AfterStep::OrderAsked { ordered } = step {
            let answer = self.core.board.heap.items(self.core.frames.returned)?.to_vec();
            let own = self.same_player_run(&due, settled);
            for (at, record) in answer.iter().enumerate().take(own) {
                let (rule, source) = self.rule_and_source(*record)?;
                let is_chosen = |due: &&DueReaction| self.rule_name(**due) == rule && due.source == source;
                if let Some(found) = due.iter().find(is_chosen) {
                    let place = first + due.len() - settled - 1 - at;
                    self.core.frames.reactions[place] = *found;
                }
            }
            settled += own;
            self.top_event()?.stage = LifecycleStage::After(AfterStep::Run { ordered });
        }
        while !is_in_order && settled < due.len() {
            let own = self.same_player_run(&due, settled);
            let next = due[due.len() - 1 - settled];
            if own > 1 && self.controller_of(next) != NULL {
                let mut rivals: Vec<DueReaction> =
                    due[due.len() - settled - own..due.len() - settled].to_vec();
                rivals.reverse();
                let options = self.describe_all(&rivals)?;
                let step = AfterStep::OrderAsked { ordered: settled as u32 };
                self.top_event()?.stage = LifecycleStage::After(step);
                self.ask_order(ordering.all, self.controller_of(next), options)?;
                return Ok(false);
            }
            settled += own;
        }
        self.top_event()?.stage = LifecycleStage::After(AfterStep::InOrder);
        Ok(true)
    }

    /// Returns the number of reactions of one player and priority, counting back from `settled` before the end.
    /// Reactions for the stack count alone: they are ordered when they go there.
    fn same_player_run(&self, due: &[DueReaction], settled: usize) -> usize {
        let rest = &due[..due.len().saturating_sub(settled)];
        let Some(next) = rest.last() else { return 0 };
        let waits = |due: &DueReaction| self.core.program.reactions[due.reaction.index()].item.is_some();
        if waits(next) {
            return 1;
        }
        let is_own = |other: &&DueReaction| {
            self.priority_of(**other) == self.priority_of(*next)
                && self.controller_of(**other) == self.controller_of(*next)
        };
        rest.iter().rev().take_while(is_own).count()
    }

    /// Returns the player who orders all reactions before an event, or null if each player orders their own.
    fn chooser(&mut self, frame: &EventFrame) -> Result<Word> {
        let kind = &self.core.program.events[frame.event.index()];
        let first = frame.base as usize + usize::from(Reg::CONTEXT);
        let payload = self.core.frames.regs[first..first + kind.fields.len()].to_vec();
        match kind.chooser {
            Some(chooser) => self.core.evaluate(chooser, Word::from(frame.base), &payload),
            None => Ok(self.affected_player(frame.event, &payload)),
        }
    }

    /// Returns the controller of the entity that a native event affects.
    fn affected_player(&self, event: EventId, payload: &[Word]) -> Word {
        match event {
            // The entity does not exist yet.
            native::CREATED if payload[2] == NULL && payload[5] != NULL => self.owner_of(payload[5]),
            native::CREATED => payload[2],
            native::MOVED | native::REMOVED | native::CHANGED => self.owner_of(payload[0]),
            _ => NULL,
        }
    }

    fn owner_of(&self, entity: Word) -> Word {
        self.core.context(entity, NULL)[usize::from(Reg::YOU.0)]
    }

    pub(crate) fn controller_of(&self, due: DueReaction) -> Word {
        self.owner_of(due.source)
    }

    fn priority_of(&self, due: DueReaction) -> i32 {
        self.core.program.reactions[due.reaction.index()].priority
    }

    fn rule_name(&self, due: DueReaction) -> Word {
        symbol_word(self.core.program.reactions[due.reaction.index()].name)
    }

    /// Builds the records of reactions that players see.
    pub(crate) fn describe_all(&mut self, dues: &[DueReaction]) -> Result<Word> {
        let mut records = Vec::with_capacity(dues.len());
        for due in dues {
            let source = self.host_of(due.source);
            records.push(self.core.board.heap.new_record(&[self.rule_name(*due), source, due.source])?);
        }
        self.core.board.heap.new_list(&records)
    }

    /// Returns the entity players know a rule by. A trait is known by the entity it is attached to.
    fn host_of(&self, source: Word) -> Word {
        let host = self.core.board.entity(source).map_or(NULL, |entity| entity.host);
        if host == NULL { source } else { host }
    }

    pub(crate) fn rule_and_source(&self, record: Word) -> Result<(Word, Word)> {
        let heap = &self.core.board.heap;
        Ok((heap.field(record, 0)?, heap.field(record, 2)?))
    }
}
