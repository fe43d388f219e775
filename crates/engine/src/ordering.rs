//! Where players put their own reactions in order (`reactionOrder: chosen`).
//!
//! Whoever controls several reactions of one priority to one event is asked
//! which comes first. Before an event that says who its `chooser` is, that
//! player decides among the reactions of all.

use intermezzo_ruleset::{NULL, Reg, RoutineId, When, Word};

use crate::agenda::{Due, Frame};
use crate::happening::{Machine, Result};
use crate::tables::symbol_word;

impl Machine<'_> {
    /// Runs the next reaction before an event, after asking which if there are several.
    pub(crate) fn before_in_chosen_order(&mut self, frame: &Frame, first: RoutineId) -> Result<()> {
        let applied = frame.reactions as usize;
        // Testing conditions below leaves nothing of what was returned.
        let answer = self.core.agenda.returned;
        let mut open = Vec::new();
        for due in self.candidates(frame, When::Before) {
            let is_new = !self.core.agenda.reactions[applied..].contains(&due);
            if is_new && self.is_set_off(due, frame)? {
                open.push(due);
            }
        }
        let Some(next) = open.first().copied() else {
            self.core.agenda.reactions.truncate(applied);
            return self.happens();
        };
        if frame.step == 1 {
            // The answer to the question asked before.
            self.top().step = 0;
            let (rule, source) = self.described(answer)?;
            let is_meant = |due: &&Due| self.rule_name(**due) == rule && due.source == source;
            let picked = open.iter().find(is_meant).copied().unwrap_or(next);
            return self.react_before(picked, frame);
        }
        let chooser = self.chooser(frame)?;
        let deciding = if chooser == NULL { self.controller_of(next) } else { chooser };
        let is_rival = |due: &Due| {
            self.priority_of(*due) == self.priority_of(next)
                && (chooser != NULL || self.controller_of(*due) == deciding)
        };
        let rivals: Vec<Due> = open.iter().copied().filter(is_rival).collect();
        if rivals.len() < 2 || deciding == NULL {
            return self.react_before(next, frame);
        }
        let options = self.describe_all(&rivals)?;
        self.top().step = 1;
        self.ask_order(first, deciding, options)
    }

    /// Puts the reactions after the event on top in order, player by player; false while one is asked.
    pub(crate) fn order_after(&mut self, first: usize) -> Result<bool> {
        let Some(ordering) = self.core.program.ordering else { return Ok(true) };
        let frame = *self.top();
        let due = self.core.agenda.reactions[first..].to_vec();
        // `row` counts those whose order is settled, from the end, where the next to come stands.
        let mut settled = frame.row as usize;
        if frame.step == 2 {
            let answer = self.core.board.heap.items(self.core.agenda.returned)?.to_vec();
            let own = self.own_at(&due, settled);
            for (at, record) in answer.iter().enumerate().take(own) {
                let (rule, source) = self.described(*record)?;
                let is_meant = |due: &&Due| self.rule_name(**due) == rule && due.source == source;
                if let Some(found) = due.iter().find(is_meant) {
                    let place = first + due.len() - settled - 1 - at;
                    self.core.agenda.reactions[place] = *found;
                }
            }
            settled += own;
            self.top().step = 1;
        }
        while frame.step < 3 && settled < due.len() {
            let own = self.own_at(&due, settled);
            let next = due[due.len() - 1 - settled];
            if own > 1 && self.controller_of(next) != NULL {
                let mut rivals: Vec<Due> = due[due.len() - settled - own..due.len() - settled].to_vec();
                rivals.reverse();
                let options = self.describe_all(&rivals)?;
                let top = self.top();
                (top.step, top.row) = (2, settled as u32);
                self.ask_order(ordering.all, self.controller_of(next), options)?;
                return Ok(false);
            }
            settled += own;
        }
        let top = self.top();
        (top.step, top.row) = (3, 0);
        Ok(true)
    }

    /// How many reactions, from the one `settled` places before the end on, are of one player and priority.
    fn own_at(&self, due: &[Due], settled: usize) -> usize {
        let rest = &due[..due.len().saturating_sub(settled)];
        let Some(next) = rest.last() else { return 0 };
        let waits = |due: &Due| self.core.program.reactions[due.reaction.index()].item.is_some();
        if waits(next) {
            return 1;
        }
        let is_own = |other: &&Due| {
            self.priority_of(**other) == self.priority_of(*next)
                && self.controller_of(**other) == self.controller_of(*next)
        };
        rest.iter().rev().take_while(is_own).count()
    }

    fn chooser(&mut self, frame: &Frame) -> Result<Word> {
        let kind = &self.core.program.events[frame.event.index()];
        let Some(chooser) = kind.chooser else { return Ok(NULL) };
        let first = frame.base as usize + usize::from(Reg::CONTEXT);
        let payload = self.core.agenda.regs[first..first + kind.fields.len()].to_vec();
        self.core.evaluate(chooser, Word::from(frame.base), &payload)
    }

    fn controller_of(&self, due: Due) -> Word {
        self.core.context(due.source, NULL)[usize::from(Reg::YOU.0)]
    }

    fn priority_of(&self, due: Due) -> i32 {
        self.core.program.reactions[due.reaction.index()].priority
    }

    fn rule_name(&self, due: Due) -> Word {
        symbol_word(self.core.program.reactions[due.reaction.index()].name)
    }

    /// Reactions as the records players are shown.
    fn describe_all(&mut self, dues: &[Due]) -> Result<Word> {
        let mut records = Vec::with_capacity(dues.len());
        for due in dues {
            let source = self.host_of(due.source);
            records.push(self.core.board.heap.new_record(&[self.rule_name(*due), source, due.source])?);
        }
        self.core.board.heap.new_list(&records)
    }

    /// The entity players know a rule by: a trait is known by what it is attached to.
    fn host_of(&self, source: Word) -> Word {
        let host = self.core.board.entity(source).map_or(NULL, |entity| entity.host);
        if host == NULL { source } else { host }
    }

    fn described(&self, record: Word) -> Result<(Word, Word)> {
        let heap = &self.core.board.heap;
        Ok((heap.field(record, 0)?, heap.field(record, 2)?))
    }
}
