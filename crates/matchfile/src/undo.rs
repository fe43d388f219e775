//! Undo: who may undo, whose consent is needed, and what happens to later inputs. Start with
//! [`Recorder::undo`].
//!
//! A seat undoes its last answer and everything after it. It may do so alone if no hidden information was
//! revealed, nothing random was drawn and nobody else has acted since; otherwise the others must agree. An
//! answer to a question that others still have to answer is undone alone: their answers stay.

use intermezzo_engine::{DisclosureSnapshot, Input, InputId};
use intermezzo_program::{AnswerMode, Seat};

use crate::branches::MAX_BRANCHES;
use crate::recorder::Recorder;

/// Facts about an input that decide how it can be undone.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct UndoFacts {
    /// The seat of the input, if any.
    seat: Option<Seat>,
    /// The question it answered (not by timeout).
    answered: Option<InputId>,
    /// True if a seat left.
    is_leave: bool,
    /// True if undoing it needs consent: randomness was drawn, something was revealed, or others auto-passed.
    needs_consent: bool,
}

/// The state before an input, to derive its [`UndoFacts`].
pub(crate) struct BeforeInput {
    disclosure: DisclosureSnapshot,
    chance_used: u64,
    /// The seat asked by the input's question.
    asked: Option<Seat>,
    /// True if others are asked the same question and all must answer.
    is_joint: bool,
}

/// The effect of an undo.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UndoPlan {
    /// The first undone input, from 1.
    pub number: u32,
    /// The number of undone inputs: later ones of others may stay.
    pub inputs: u32,
    /// The seats that must agree; empty if the seat may undo alone.
    pub needs: Vec<Seat>,
}

/// The reason why an undo is rejected.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum UndoRefusal {
    /// The seat does not exist.
    #[error("seat {} does not exist", .seat.0)]
    NoSuchSeat { seat: Seat },
    #[error("the match is over")]
    MatchOver,
    /// The seat has no answer to undo.
    #[error("you have nothing to undo")]
    NothingToUndo,
    /// A seat has left since and cannot be brought back.
    #[error("a player has left since, which cannot be undone")]
    SeatGone,
    /// Other seats must agree first.
    #[error("hidden information was revealed or others have acted since: {} must agree", seat_list(.of))]
    NeedsConsent {
        /// The seats that have not agreed.
        of: Vec<Seat>,
    },
    /// The match has too many branches.
    #[error("at most {MAX_BRANCHES} undos per match")]
    TooMany,
}

impl UndoRefusal {
    /// Returns the stable code that clients see.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            UndoRefusal::NoSuchSeat { .. } => "no_such_seat",
            UndoRefusal::MatchOver => "match_over",
            UndoRefusal::NothingToUndo => "nothing_to_undo",
            UndoRefusal::SeatGone => "seat_gone",
            UndoRefusal::NeedsConsent { .. } => "needs_consent",
            UndoRefusal::TooMany => "too_many_undos",
        }
    }
}

/// Lists seats for a message: `seat 1`, `seats 1, 2`.
fn seat_list(seats: &[Seat]) -> String {
    let numbers: Vec<String> = seats.iter().map(|seat| seat.0.to_string()).collect();
    let plural = if seats.len() == 1 { "" } else { "s" };
    format!("seat{plural} {}", numbers.join(", "))
}

impl Recorder {
    /// Returns the effect of undoing the last answer of a seat.
    ///
    /// # Errors
    ///
    /// If nothing can be undone.
    pub fn plan_undo(&self, seat: Seat) -> Result<UndoPlan, UndoRefusal> {
        if seat.0 >= self.game().board().seats() {
            return Err(UndoRefusal::NoSuchSeat { seat });
        }
        if self.game().is_over() {
            return Err(UndoRefusal::MatchOver);
        }
        if self.file().branches.len() >= MAX_BRANCHES {
            return Err(UndoRefusal::TooMany);
        }
        let facts = self.undo_facts();
        let is_own = |facts: &UndoFacts| facts.seat == Some(seat) && facts.answered.is_some();
        let at = facts.iter().rposition(is_own).ok_or(UndoRefusal::NothingToUndo)?;
        let (first, since) = (&facts[at], &facts[at + 1..]);
        let number = at as u32 + 1;
        let is_open = first.answered.is_some_and(|question| self.game().waits_for_others(question));
        if since.iter().any(|other| other.is_leave) {
            return Err(UndoRefusal::SeatGone);
        }
        if is_open && since.iter().all(|other| other.seat != Some(seat)) {
            return Ok(UndoPlan { number, inputs: 1, needs: Vec::new() });
        }
        let is_final =
            first.needs_consent || since.iter().any(|other| other.needs_consent || other.seat != Some(seat));
        let needs = if is_final { self.others(seat) } else { Vec::new() };
        Ok(UndoPlan { number, inputs: facts.len() as u32 - at as u32, needs })
    }

    /// Undoes the last answer of a seat and everything after it. The undone inputs are kept as a branch.
    ///
    /// # Errors
    ///
    /// If nothing can be undone, or consent is missing; then nothing changes.
    pub fn undo(&mut self, seat: Seat, agreed: &[Seat]) -> Result<UndoPlan, UndoRefusal> {
        let undo = self.plan_undo(seat)?;
        let missing: Vec<Seat> = undo.needs.iter().filter(|seat| !agreed.contains(seat)).copied().collect();
        if !missing.is_empty() {
            return Err(UndoRefusal::NeedsConsent { of: missing });
        }
        let kept = undo.number - 1;
        let again = self.inputs((kept + undo.inputs) as usize..self.undo_facts().len());
        self.roll_back_to(kept, seat, &undo.needs);
        for input in again {
            // The answers of others to the same question do not depend on the undone one.
            self.submit(&input).expect("the answers of others are still valid");
        }
        Ok(undo)
    }

    /// Returns all other seats that have not left.
    fn others(&self, seat: Seat) -> Vec<Seat> {
        let board = self.game().board();
        (0..board.seats()).map(Seat).filter(|other| *other != seat && !board.has_left(*other)).collect()
    }

    /// Captures the state before an input.
    pub(crate) fn before_input(&mut self, input: &Input) -> BeforeInput {
        let chance = self.game().chance_used();
        let sight = self.disclosure_snapshot();
        let pending = question(input)
            .and_then(|question| self.game().pending().find(|pending| pending.id() == question));
        BeforeInput {
            disclosure: sight,
            chance_used: chance,
            asked: pending.map(|pending| pending.seat()),
            is_joint: pending.is_some_and(|pending| pending.choice().mode == AnswerMode::Each),
        }
    }

    /// Returns the undo facts of an input that was just applied.
    pub(crate) fn undo_facts_of(&mut self, before: &BeforeInput, input: &Input) -> UndoFacts {
        let seat = match input {
            Input::Answer { seat, .. }
            | Input::Draft { seat, .. }
            | Input::Leave { seat, .. }
            | Input::AutoPass { seat, .. } => Some(*seat),
            Input::Timeout { .. } => before.asked,
            Input::Moderate { .. } => None,
        };
        let answered = question(input).filter(|_| matches!(input, Input::Answer { .. }));
        // Once all have answered, the result reveals the answers of the others.
        let is_draft = matches!(input, Input::Draft { .. });
        let is_still_open = question(input).is_some_and(|question| self.game().waits_for_others(question));
        let tells_of_others = before.is_joint && !is_draft && !is_still_open;
        let has_drawn = self.game().chance_used() != before.chance_used;
        let others_passed = self.game().auto_passed().iter().any(|other| Some(*other) != seat);
        let is_final =
            tells_of_others || has_drawn || others_passed || self.has_disclosed_since(&before.disclosure);
        let is_leaving = matches!(input, Input::Leave { .. });
        UndoFacts { seat, answered, is_leave: is_leaving, needs_consent: is_final }
    }
}

/// Returns the question an input is about.
fn question(input: &Input) -> Option<InputId> {
    match input {
        Input::Answer { input, .. } | Input::Draft { input, .. } | Input::Timeout { input } => Some(*input),
        Input::Leave { .. } | Input::AutoPass { .. } | Input::Moderate { .. } => None,
    }
}
