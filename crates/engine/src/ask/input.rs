//! Inputs to a match, and the reasons for rejecting them.

use std::fmt;

use intermezzo_program::{FaultCode, RoutineId, Seat, SourceLocation, Symbol, native};

use crate::run::cycle::Cycle;

/// Id of one open question to one seat.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct InputId(pub u32);

/// An input to a match.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Input {
    /// A seat answers a question.
    Answer { input: InputId, seat: Seat, answer: Answer },
    /// A seat sends a draft: the answer to use if the clock runs out.
    Draft { input: InputId, seat: Seat, answer: Answer },
    /// The clock ran out for a question.
    Timeout { input: InputId },
    /// A seat leaves.
    Leave { seat: Seat, cause: LeaveCause },
    /// A seat turns auto-pass on or off: it passes whenever it is asked to act and may pass.
    AutoPass {
        seat: Seat,
        until: PassUntil,
        /// Suspends auto-pass while something that others put there is on the stack.
        stops: bool,
    },
    Moderate {
        winners: Vec<Seat>,
        /// Use of the pot, one of the native `POT_` symbols.
        pot: Symbol,
    },
}

/// Duration of an auto-pass.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PassUntil {
    Off,
    /// Until the turn ends: the outermost active phase that belongs to a player.
    TurnEnds,
    /// Until the seat turns it off.
    Always,
}

impl PassUntil {
    /// All values with their names in files.
    pub const NAMES: [(PassUntil, &'static str); 3] =
        [(PassUntil::Off, "off"), (PassUntil::TurnEnds, "turn"), (PassUntil::Always, "always")];

    /// Returns the name used in files.
    #[must_use]
    pub fn name(self) -> &'static str {
        PassUntil::NAMES.iter().find(|(until, _)| *until == self).map_or("", |(_, name)| name)
    }

    /// Finds the value with that name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<PassUntil> {
        PassUntil::NAMES.iter().find(|(_, known)| *known == name).map(|(until, _)| *until)
    }
}

/// Reason why a seat left.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LeaveCause {
    Disconnect,
    /// The player conceded.
    Concede,
    Kicked,
    /// The player's time for the whole match ran out, and nothing counts in place of an answer.
    OutOfTime,
}

impl LeaveCause {
    /// All values with their names in files.
    pub const NAMES: [(LeaveCause, &'static str); 4] = [
        (LeaveCause::Disconnect, "disconnect"),
        (LeaveCause::Concede, "concede"),
        (LeaveCause::Kicked, "kicked"),
        (LeaveCause::OutOfTime, "out_of_time"),
    ];

    /// Returns the symbol that rules see.
    #[must_use]
    pub fn symbol(self) -> Symbol {
        match self {
            LeaveCause::Disconnect => native::DISCONNECT,
            LeaveCause::Concede => native::CONCEDE,
            LeaveCause::Kicked => native::KICKED,
            LeaveCause::OutOfTime => native::OUT_OF_TIME,
        }
    }
}

/// A seat's answer to a question.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    Pass,
    /// Indexes of options; −1 is an empty slot.
    Picks(Vec<i32>),
    /// Indexes of branches, each with the options picked there. The child branches taken follow right after
    /// their parent.
    Branches(Vec<(u16, Vec<i32>)>),
}

/// Reason why an input has no effect.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Refusal {
    /// The sender made a mistake.
    Rejected(Rejection),
    /// The ruleset has a bug.
    Faulted(RuleFault),
}

/// A rule failed while running. The input that triggered it has no effect.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RuleFault {
    pub code: FaultCode,
    pub location: Option<SourceLocation>,
    /// Name of the file of the location; empty without one.
    pub file: String,
    pub routine: RoutineId,
    /// The rules that triggered each other in an endless loop, if that made a guard trip.
    pub cycle: Cycle,
}

/// Error in an input.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Rejection {
    MatchOver,
    /// No question with this id was ever asked.
    NoSuchInput {
        input: InputId,
    },
    /// The question has been answered or withdrawn.
    InputClosed {
        input: InputId,
    },
    /// The question is for another seat.
    NotYourInput {
        asked: Seat,
    },
    /// The answer names another player.
    WrongActor {
        /// Player asked.
        expected: String,
        /// Player named in the answer.
        got: String,
    },
    /// The answer names another question.
    WrongTitle {
        expected: String,
        got: String,
    },
    /// Too few or too many picks.
    WrongCount {
        expected_min: u32,
        expected_max: u32,
        got: u32,
    },
    /// A pick that is not among the options.
    NoSuchOption {
        pick: i64,
    },
    /// A pick by name that is not among the options.
    NoSuchSelection {
        selection: String,
    },
    /// A short form that fits several different options.
    AmbiguousOption {
        selection: String,
        /// Number of options it fits.
        count: u32,
    },
    /// An option picked more than once.
    PickedTwice {
        pick: i64,
    },
    /// A branch taken more than once.
    BranchTwice {
        title: String,
    },
    /// A selection that fails one of the rules' tests.
    SelectionRefused {
        /// The reason that the rules give, as a text for players.
        reason: String,
    },
    /// A required slot is empty.
    SlotEmpty {
        /// The slot, from 0.
        slot: u32,
    },
    /// An exclusive branch combined with others.
    ExclusiveMixed,
    /// Invalid picks inside a branch.
    InBranch {
        title: String,
        rejection: Box<Rejection>,
    },
    /// Passing is not offered.
    CannotPass,
    DraftsNotAccepted,
    /// The question has no deadline, and the ruleset has no time bank.
    NoDeadline,
    /// The deadline passed, but nothing counts in place of an answer.
    NoDefault,
    /// Picks instead of branches, or the other way round.
    WrongShape,
    NoSuchSeat {
        seat: Seat,
    },
    /// The seat has already left.
    SeatGone {
        seat: Seat,
    },
    /// No turn is active that could end.
    NoTurn,
    /// Not a valid use of a pot.
    NoSuchPot,
    /// The seat is not asked to act.
    NotAskedToAct,
    /// No action of the ruleset has a drag gesture.
    NoDrags,
    /// The drag matches no action that can be taken now.
    DragRefused {
        /// Reason why the dragged entity cannot be used, if known.
        reason: Option<String>,
    },
}

impl Rejection {
    /// Adds the title of the branch the error is in. An inner branch, if already named, wins.
    #[must_use]
    pub(crate) fn in_branch(self, title: &str) -> Rejection {
        match self {
            Rejection::InBranch { .. } => self,
            _ => Rejection::InBranch { title: title.to_owned(), rejection: Box::new(self) },
        }
    }

    /// Returns the error without the branches around it.
    #[must_use]
    pub fn innermost(&self) -> &Rejection {
        match self {
            Rejection::InBranch { rejection, .. } => rejection.innermost(),
            _ => self,
        }
    }

    /// Returns the stable name that clients see.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Rejection::MatchOver => "match_over",
            Rejection::NoSuchInput { .. } => "no_such_input",
            Rejection::InputClosed { .. } => "input_closed",
            Rejection::NotYourInput { .. } => "not_your_input",
            Rejection::WrongActor { .. } => "wrong_actor",
            Rejection::WrongTitle { .. } => "wrong_title",
            Rejection::WrongCount { .. } => "wrong_count",
            Rejection::NoSuchOption { .. } => "no_such_option",
            Rejection::NoSuchSelection { .. } => "no_such_option",
            Rejection::AmbiguousOption { .. } => "means_several",
            Rejection::PickedTwice { .. } | Rejection::BranchTwice { .. } => "picked_twice",
            Rejection::SelectionRefused { .. } => "selection_refused",
            Rejection::SlotEmpty { .. } => "slot_empty",
            Rejection::ExclusiveMixed => "exclusive_mixed",
            Rejection::InBranch { rejection, .. } => rejection.name(),
            Rejection::CannotPass => "cannot_pass",
            Rejection::DraftsNotAccepted => "drafts_not_taken",
            Rejection::NoDeadline => "no_deadline",
            Rejection::NoDefault => "no_default",
            Rejection::WrongShape => "wrong_shape",
            Rejection::NoSuchSeat { .. } => "no_such_seat",
            Rejection::SeatGone { .. } => "seat_gone",
            Rejection::NoTurn => "no_turn",
            Rejection::NoSuchPot => "no_such_pot",
            Rejection::NotAskedToAct => "not_asked_to_act",
            Rejection::NoDrags => "no_drags",
            Rejection::DragRefused { .. } => "drag_refused",
        }
    }
}

impl fmt::Display for Rejection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Rejection::MatchOver => f.write_str("the match is over"),
            Rejection::NoSuchInput { input } => write!(f, "input {} does not exist", input.0),
            Rejection::InputClosed { input } => write!(f, "input {} is no longer open", input.0),
            Rejection::NotYourInput { asked } => write!(f, "this question is for seat {}", asked.0),
            Rejection::WrongActor { expected, got } => {
                write!(f, "expected an answer from `{expected}`, not from `{got}`")
            }
            Rejection::WrongTitle { expected, got } => {
                write!(f, "expected an answer to `{expected}`, not to `{got}`")
            }
            Rejection::WrongCount { expected_min, expected_max, got } => write!(
                f,
                "Invalid number of options selected: expected {expected_min}-{expected_max}, got {got}"
            ),
            // A repeated number has no option left.
            Rejection::NoSuchOption { pick } | Rejection::PickedTwice { pick } => {
                write!(f, "Selection {pick} didn't exist in the choices")
            }
            Rejection::NoSuchSelection { selection } | Rejection::BranchTwice { title: selection } => {
                write!(f, "Selection {selection} didn't exist in the choices")
            }
            Rejection::AmbiguousOption { selection, count } => {
                write!(f, "`{selection}` is ambiguous: {count} options match; write one of them in full")
            }
            Rejection::SelectionRefused { reason } => f.write_str(reason),
            Rejection::SlotEmpty { slot } => write!(f, "slot {slot} must not be empty"),
            Rejection::ExclusiveMixed => f.write_str("Exclusive choice mixed with other choices"),
            Rejection::InBranch { title, rejection } => write!(f, "{title}: {rejection}"),
            Rejection::CannotPass => f.write_str("passing is not allowed"),
            Rejection::DraftsNotAccepted => f.write_str("this input does not accept drafts"),
            Rejection::NoDeadline => f.write_str("this input has no deadline"),
            Rejection::NoDefault => f.write_str("this input has no default"),
            Rejection::WrongShape => f.write_str("the answer has the wrong shape"),
            Rejection::NoSuchSeat { seat } => write!(f, "seat {} does not exist", seat.0),
            Rejection::SeatGone { seat } => write!(f, "seat {} has left", seat.0),
            Rejection::NoTurn => f.write_str("no turn is active"),
            Rejection::NotAskedToAct => f.write_str("you are not asked to act"),
            Rejection::NoDrags => f.write_str("this game has no drag actions; pick an action instead"),
            Rejection::DragRefused { reason: Some(reason) } => f.write_str(reason),
            Rejection::DragRefused { reason: None } => f.write_str("that cannot be moved there now"),
            Rejection::NoSuchPot => f.write_str("the pot must be winners, split, burn or refund"),
        }
    }
}

impl fmt::Display for RuleFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a rule failed: {} ({})", self.code, self.code.name())?;
        if let Some(place) = self.location {
            write!(f, " at {}:{}", self.file, place.line)?;
        }
        match self.cycle.is_empty() {
            true => Ok(()),
            false => write!(f, "; rules set each other off without end: {}", self.cycle),
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::Rejected(rejection) => rejection.fmt(f),
            Refusal::Faulted(fault) => fault.fmt(f),
        }
    }
}

impl std::error::Error for Refusal {}
impl std::error::Error for Rejection {}
impl std::error::Error for RuleFault {}

impl From<Rejection> for Refusal {
    fn from(rejection: Rejection) -> Refusal {
        Refusal::Rejected(rejection)
    }
}
