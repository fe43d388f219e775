//! Secret reactions (`secret: true`): reactions of cards in hidden zones that do not betray their holders.
//!
//! Before any reaction to an event runs, everybody who could hold such a card, by what everyone knows, is asked in one
//! question with hidden answers: which of their secret reactions they use. Players without a usable one get the same
//! question without options, and can only pass. Once all answers are in, the reactions that were picked take their turns
//! among the others, in the usual order; all other secret reactions to this event are out.
//!
//! The questions of a match, their number and whom they ask depend on public information alone: the size of zones, and the test
//! in `when`, which the compiler checks.

use intermezzo_program::{NULL, ReactionId, ReactionTiming, Reg, RoutineId, Seat, Word, word};

use crate::ask::request::{ChoiceRequest, RequestState};
use crate::optimize::program_index::symbol_word;
use crate::run::effects::{Machine, Result};
use crate::run::frames::{DueReaction, EventFrame, Frame, FrameStack};
use crate::values::arithmetic::holds;

/// A question about the secret reactions to an event under way.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct SecretQuestion {
    /// First register of the event.
    pub(crate) base: u32,
    pub(crate) is_answered: bool,
}

/// A secret reaction to an event under way that its controller uses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct TakenReaction {
    /// First register of the event.
    pub(crate) base: u32,
    pub(crate) due: DueReaction,
}

impl Machine<'_> {
    /// Returns true if it is decided which secret reactions to an event run. Asks the players and returns false otherwise.
    pub(crate) fn decide_secret_reactions(
        &mut self,
        frame: &EventFrame,
        when: ReactionTiming,
    ) -> Result<bool> {
        let Some(question) = self.core.program.secret_question else { return Ok(true) };
        let rules = self.secret_rules(frame, when);
        if rules.is_empty() {
            return Ok(true);
        }
        let known = self.core.frames.secret_questions.iter_mut().find(|known| known.base == frame.base);
        match known {
            Some(known) if known.is_answered => Ok(true),
            Some(known) => {
                known.is_answered = true;
                self.note_taken(frame)?;
                Ok(true)
            }
            None => self.ask_secretly(question, frame, when, &rules),
        }
    }

    fn secret_rules(&self, frame: &EventFrame, when: ReactionTiming) -> Vec<ReactionId> {
        let tables = self.core.tables;
        let listeners = match when {
            ReactionTiming::Before => &tables.before[frame.event.index()],
            ReactionTiming::After => &tables.after[frame.event.index()],
        };
        let is_secret = |id: &&ReactionId| self.core.program.reactions[id.index()].is_secret;
        listeners.iter().filter(is_secret).copied().collect()
    }

    /// Asks all players who could have a secret reaction. Returns true if there are none.
    fn ask_secretly(
        &mut self,
        question: RoutineId,
        frame: &EventFrame,
        when: ReactionTiming,
        rules: &[ReactionId],
    ) -> Result<bool> {
        let candidates: Vec<DueReaction> = (self.all_candidates(frame, when).into_iter())
            .filter(|due| self.core.program.reactions[due.reaction.index()].is_secret)
            .collect();
        let offers = self.core.board.heap.new_map(usize::from(self.core.board.seats))?;
        let mut asked = Vec::new();
        for seat in (0..self.core.board.seats).map(Seat) {
            let player = word::player(seat);
            if self.core.board.has_left(seat) || !self.could_react(frame, rules, player)? {
                continue;
            }
            let mut usable = Vec::new();
            for due in &candidates {
                if self.controller_of(*due) == player && self.is_triggered(*due, frame)? {
                    usable.push(*due);
                }
            }
            let options = self.describe_all(&usable)?;
            self.core.board.heap.put(offers, usize::from(seat.0), options)?;
            asked.push(player);
        }
        let is_answered = asked.is_empty();
        self.core.frames.secret_questions.push(SecretQuestion { base: frame.base, is_answered });
        if is_answered {
            self.drop_withdrawn_request();
            return Ok(true);
        }
        let asked = self.core.board.heap.new_list(&asked)?;
        let (context, cause) = ([NULL, NULL, NULL, Word::from(frame.base), NULL], self.cause());
        self.push_routine(question, &context, &[asked, offers], cause)?;
        Ok(false)
    }

    /// Drops the request of a withdrawn question if nobody is left to be asked it again.
    fn drop_withdrawn_request(&mut self) {
        let depth = self.core.frames.stack.len() as u32;
        let is_withdrawn = |top: &ChoiceRequest| top.state == RequestState::Aside && top.frame == depth;
        if self.requests.stack.last().is_some_and(is_withdrawn) {
            self.requests.drop_top();
        }
    }

    /// Returns true if a player could have a card with one of these rules, as far as everyone knows: one of the zones it
    /// works in is not empty, and the public test holds.
    fn could_react(&mut self, frame: &EventFrame, rules: &[ReactionId], player: Word) -> Result<bool> {
        let program = self.core.program;
        for reaction in rules.iter().map(|id| &program.reactions[id.index()]) {
            let mut is_possible = false;
            for zone in &reaction.zones {
                let zone = self.core.board.zone_of(self.core.tables, player, *zone)?;
                is_possible |=
                    u32::try_from(zone).is_ok_and(|zone| !self.core.board.zones.rows(zone).is_empty());
            }
            if !is_possible {
                continue;
            }
            let Some(test) = reaction.public_condition else { return Ok(true) };
            let mut context = self.core.context(NULL, Word::from(frame.base));
            context[usize::from(Reg::YOU.0)] = player;
            if holds(self.core.evaluate_in(test, &context, &[])?) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Notes the reactions that players picked. Their answers are the value returned last.
    fn note_taken(&mut self, frame: &EventFrame) -> Result<()> {
        let answers = self.core.frames.returned;
        for seat in 0..usize::from(self.core.board.seats) {
            let heap = &self.core.board.heap;
            let picks = match heap.field(answers, seat)? {
                NULL => NULL,
                answer => heap.field(answer, 0)?,
            };
            if picks == NULL {
                continue;
            }
            for pick in heap.items(picks)?.to_vec() {
                let (rule, source) = self.rule_and_source(pick)?;
                let is_it = |reaction: &intermezzo_program::Reaction| symbol_word(reaction.name) == rule;
                if let Some(at) = self.core.program.reactions.iter().position(is_it) {
                    let due = DueReaction { reaction: ReactionId(at as u16), source };
                    self.core.frames.taken_reactions.push(TakenReaction { base: frame.base, due });
                }
            }
        }
        Ok(())
    }

    /// Returns true unless a reaction is a secret one that its controller does not use.
    pub(crate) fn is_open_or_taken(&self, due: DueReaction, frame: &EventFrame) -> bool {
        !self.core.program.reactions[due.reaction.index()].is_secret
            || self.core.frames.taken_reactions.contains(&TakenReaction { base: frame.base, due })
    }
}

impl FrameStack {
    /// Forgets the secret reactions to the event whose registers begin at `base`, and to all above it.
    pub(crate) fn end_secret_question(&mut self, base: u32) {
        if !self.secret_questions.is_empty() {
            self.secret_questions.retain(|question| question.base < base);
            self.taken_reactions.retain(|taken| taken.base < base);
        }
    }

    /// Withdraws the question about secret reactions that frame `at` asks, so that it is asked again. Returns false if
    /// that frame asks something else.
    pub(crate) fn withdraw_secret_question(&mut self, at: usize, question: Option<RoutineId>) -> bool {
        let is_asked =
            self.stack.get(at).and_then(Frame::as_code).is_some_and(|code| Some(code.routine) == question);
        if is_asked && at + 1 == self.stack.len() {
            self.pop_frame();
            self.secret_questions.pop();
            return true;
        }
        false
    }
}
