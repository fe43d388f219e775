//! Taking back: who may, when others have to agree, and what becomes of the rest. Start with [`Recorder::undo`].
//!
//! A seat takes back its last answer with all that followed. It may do so alone if nothing hidden came to light,
//! nothing random was drawn and nobody else has acted since; otherwise the others have to agree. An answer that
//! others are still asked for just like it is taken back alone: theirs stay.

use std::fmt;

use intermezzo_engine::{Input, InputId, Sight};
use intermezzo_ruleset::{How, Seat};

use crate::branches::MAX_BRANCHES;
use crate::recorder::Recorder;

/// What an input has done that cannot be made undone.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Traces {
    /// Whose input it was, if it was anyone's.
    seat: Option<Seat>,
    /// The question it answered by hand.
    answered: Option<InputId>,
    /// Somebody left by it.
    is_leaving: bool,
    /// Chance was used, something came to light, or others passed by themselves.
    is_final: bool,
}

/// What there is to know before an input is taken, to tell its traces.
pub(crate) struct Glance {
    sight: Sight,
    chance: u64,
    /// Whose question the input is about.
    asked: Option<Seat>,
    /// Others are asked the same, and all have to answer.
    is_joint: bool,
}

/// What taking back would do.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Undo {
    /// The first input that is taken back, from 1.
    pub number: u32,
    /// How many inputs are taken back for good: later ones of others may stay.
    pub inputs: u32,
    /// Who has to agree; nobody if the seat may do it alone.
    pub needs: Vec<Seat>,
}

/// Why nothing is taken back.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum UndoRefusal {
    /// The match has no such seat.
    NoSuchSeat {
        /// The seat meant.
        seat: Seat,
    },
    /// The match is over.
    MatchOver,
    /// The seat has not answered anything.
    NothingToUndo,
    /// Somebody has left since, who cannot be brought back.
    SeatGone,
    /// Others have to agree first.
    NeedsConsent {
        /// Those who have not agreed.
        of: Vec<Seat>,
    },
    /// Too much has been taken back in this match.
    TooMany,
}

impl UndoRefusal {
    /// Stable name, as clients see it.
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

impl fmt::Display for UndoRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            UndoRefusal::NoSuchSeat { seat } => write!(f, "there is no seat {}", seat.0),
            UndoRefusal::MatchOver => f.write_str("the match is over"),
            UndoRefusal::NothingToUndo => f.write_str("you have not answered anything yet"),
            UndoRefusal::SeatGone => {
                f.write_str("somebody has left since, and nobody is brought back by taking back")
            }
            UndoRefusal::NeedsConsent { of } => {
                let seats: Vec<String> = of.iter().map(|seat| seat.0.to_string()).collect();
                let plural = if of.len() == 1 { "" } else { "s" };
                write!(
                    f,
                    "something has come to light or others have acted since: seat{plural} {} must agree",
                    seats.join(", ")
                )
            }
            UndoRefusal::TooMany => write!(f, "nothing is taken back more than {MAX_BRANCHES} times"),
        }
    }
}

impl std::error::Error for UndoRefusal {}

impl Recorder {
    /// What taking back the last answer of a seat would do.
    ///
    /// # Errors
    ///
    /// If there is nothing that could be taken back.
    pub fn undo_of(&self, seat: Seat) -> Result<Undo, UndoRefusal> {
        if seat.0 >= self.playing().board().seats() {
            return Err(UndoRefusal::NoSuchSeat { seat });
        }
        if self.playing().is_over() {
            return Err(UndoRefusal::MatchOver);
        }
        if self.file().branches.len() >= MAX_BRANCHES {
            return Err(UndoRefusal::TooMany);
        }
        let traces = self.traces();
        let is_own = |traces: &Traces| traces.seat == Some(seat) && traces.answered.is_some();
        let at = traces.iter().rposition(is_own).ok_or(UndoRefusal::NothingToUndo)?;
        let (first, since) = (&traces[at], &traces[at + 1..]);
        let number = at as u32 + 1;
        let is_open = first.answered.is_some_and(|question| self.playing().waits_for_others(question));
        if since.iter().any(|other| other.is_leaving) {
            return Err(UndoRefusal::SeatGone);
        }
        if is_open && since.iter().all(|other| other.seat != Some(seat)) {
            return Ok(Undo { number, inputs: 1, needs: Vec::new() });
        }
        let is_final = first.is_final || since.iter().any(|other| other.is_final || other.seat != Some(seat));
        let needs = if is_final { self.others(seat) } else { Vec::new() };
        Ok(Undo { number, inputs: traces.len() as u32 - at as u32, needs })
    }

    /// Takes back the last answer of a seat and what followed. What is taken back is kept as a branch.
    ///
    /// # Errors
    ///
    /// If there is nothing to take back, or someone who has to agree does not; then nothing changes.
    pub fn undo(&mut self, seat: Seat, agreed: &[Seat]) -> Result<Undo, UndoRefusal> {
        let undo = self.undo_of(seat)?;
        let missing: Vec<Seat> = undo.needs.iter().filter(|seat| !agreed.contains(seat)).copied().collect();
        if !missing.is_empty() {
            return Err(UndoRefusal::NeedsConsent { of: missing });
        }
        let kept = undo.number - 1;
        let again = self.inputs((kept + undo.inputs) as usize..self.traces().len());
        self.go_back(kept, seat, &undo.needs);
        for input in again {
            // What others think of the same question does not depend on it.
            self.submit(&input).expect("the answers of others are as good as before");
        }
        Ok(undo)
    }

    /// Everyone else who is still there.
    fn others(&self, seat: Seat) -> Vec<Seat> {
        let board = self.playing().board();
        (0..board.seats()).map(Seat).filter(|other| *other != seat && !board.has_left(*other)).collect()
    }

    /// Looks around before an input is taken.
    pub(crate) fn glance(&mut self, input: &Input) -> Glance {
        let chance = self.playing().chance_used();
        let sight = self.look_around();
        let pending = question(input)
            .and_then(|question| self.playing().pending().find(|pending| pending.id() == question));
        Glance {
            sight,
            chance,
            asked: pending.map(|pending| pending.seat()),
            is_joint: pending.is_some_and(|pending| pending.choice().how == How::Each),
        }
    }

    /// What an input that was just taken has done.
    pub(crate) fn traces_of(&mut self, before: &Glance, input: &Input) -> Traces {
        let seat = match input {
            Input::Answer { seat, .. }
            | Input::Draft { seat, .. }
            | Input::Leave { seat, .. }
            | Input::AutoPass { seat, .. } => Some(*seat),
            Input::Timeout { .. } => before.asked,
            Input::Moderate { .. } => None,
        };
        let answered = question(input).filter(|_| matches!(input, Input::Answer { .. }));
        // What follows from the answers of all tells of the others'.
        let is_draft = matches!(input, Input::Draft { .. });
        let is_still_open = question(input).is_some_and(|question| self.playing().waits_for_others(question));
        let tells_of_others = before.is_joint && !is_draft && !is_still_open;
        let has_drawn = self.playing().chance_used() != before.chance;
        let others_passed = self.playing().passed_by_themselves().iter().any(|other| Some(*other) != seat);
        let is_final = tells_of_others || has_drawn || others_passed || self.has_come_to_light(&before.sight);
        let is_leaving = matches!(input, Input::Leave { .. });
        Traces { seat, answered, is_leaving, is_final }
    }
}

/// The question an input is about.
fn question(input: &Input) -> Option<InputId> {
    match input {
        Input::Answer { input, .. } | Input::Draft { input, .. } | Input::Timeout { input } => Some(*input),
        Input::Leave { .. } | Input::AutoPass { .. } | Input::Moderate { .. } => None,
    }
}
