//! What enters a match from outside, and why it may be refused.

use std::fmt;

use intermezzo_ruleset::{FaultCode, Place, RoutineId, Seat, Symbol, native};

use crate::cycle::Cycle;

/// Names one open question to one seat.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct InputId(pub u32);

/// Anything that enters a match from outside.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Input {
    /// A seat answers.
    Answer {
        /// Which question.
        input: InputId,
        /// Who sends it.
        seat: Seat,
        /// What is sent.
        answer: Answer,
    },
    /// A seat shows what it would answer if the clock ran out now.
    Draft {
        /// Which question.
        input: InputId,
        /// Who sends it.
        seat: Seat,
        /// What is sent.
        answer: Answer,
    },
    /// The clock ran out for a question.
    Timeout {
        /// Which question.
        input: InputId,
    },
    /// A seat is gone.
    Leave {
        /// Which seat.
        seat: Seat,
        /// Why.
        cause: LeaveCause,
    },
    /// A seat passes by itself from now on, whenever it is asked what to do and may pass; or no longer.
    AutoPass {
        /// Which seat.
        seat: Seat,
        /// For how long.
        until: PassUntil,
        /// Not while there is something on the stack that others put there.
        stops: bool,
    },
    /// A moderator ends the match.
    Moderate {
        /// Who wins.
        winners: Vec<Seat>,
        /// What becomes of the pot, one of the native `POT_` symbols.
        pot: Symbol,
    },
}

/// For how long a seat passes by itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PassUntil {
    /// No longer.
    Off,
    /// Until the turn is over: the outermost phase under way that is somebody's.
    TurnEnds,
    /// Until it is called off.
    Always,
}

impl PassUntil {
    /// All of them, with the names files use.
    pub const NAMES: [(PassUntil, &'static str); 3] =
        [(PassUntil::Off, "off"), (PassUntil::TurnEnds, "turn"), (PassUntil::Always, "always")];

    /// The name files use.
    #[must_use]
    pub fn name(self) -> &'static str {
        PassUntil::NAMES.iter().find(|(until, _)| *until == self).map_or("", |(_, name)| name)
    }

    /// The one with that name.
    #[must_use]
    pub fn named(name: &str) -> Option<PassUntil> {
        PassUntil::NAMES.iter().find(|(_, known)| *known == name).map(|(until, _)| *until)
    }
}

/// Why a seat left.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LeaveCause {
    /// The connection was lost.
    Disconnect,
    /// The player gave up.
    Concede,
    /// A moderator removed the player.
    Kicked,
    /// The player's time for the whole match is used up, and there is no answer that counts without one.
    OutOfTime,
}

impl LeaveCause {
    /// All of them, with the names files use.
    pub const NAMES: [(LeaveCause, &'static str); 4] = [
        (LeaveCause::Disconnect, "disconnect"),
        (LeaveCause::Concede, "concede"),
        (LeaveCause::Kicked, "kicked"),
        (LeaveCause::OutOfTime, "out_of_time"),
    ];

    /// The symbol rules see.
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

/// What a seat sends back to a question.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    /// Declines.
    Pass,
    /// Numbers of options; −1 is an empty slot.
    Picks(Vec<i32>),
    /// Numbers of branches, each with the options picked there. What is taken of a branch's own branches comes right
    /// after it.
    Branches(Vec<(u16, Vec<i32>)>),
}

/// Why an input has no effect.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Refusal {
    /// The sender's mistake.
    Rejected(Rejection),
    /// The ruleset's mistake.
    Faulted(Fault),
}

/// A rule failed while running; the input that set it off has no effect.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fault {
    /// What went wrong.
    pub code: FaultCode,
    /// Where in the ruleset's files.
    pub place: Option<Place>,
    /// In which routine.
    pub routine: RoutineId,
    /// If a guard tripped: the rules that set each other off without end, where that was the reason.
    pub cycle: Cycle,
}

/// What was wrong with an input.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Rejection {
    /// Nothing can happen any more.
    MatchOver,
    /// Nobody was ever asked that.
    NoSuchInput {
        /// The question meant.
        input: InputId,
    },
    /// The question has been answered or withdrawn.
    InputClosed {
        /// The question meant.
        input: InputId,
    },
    /// Another seat is asked.
    NotYourInput {
        /// The seat that is.
        asked: Seat,
    },
    /// The answer says it is somebody else's.
    WrongActor {
        /// Who is asked.
        expected: String,
        /// Whom the answer names.
        got: String,
    },
    /// The answer names another question.
    WrongTitle {
        /// The title of what is asked.
        expected: String,
        /// The title sent.
        got: String,
    },
    /// Too few or too many picks.
    WrongCount {
        /// Least number.
        expected_min: u32,
        /// Greatest number.
        expected_max: u32,
        /// Number sent.
        got: u32,
    },
    /// A pick that is not among the options.
    NoSuchOption {
        /// The number sent.
        pick: i64,
    },
    /// A pick by name that is not among the options.
    NoSuchSelection {
        /// What was sent.
        selection: String,
    },
    /// The same option more than once.
    PickedTwice {
        /// The number sent.
        pick: i64,
    },
    /// A slot that has to be filled is not.
    SlotEmpty {
        /// The slot, from 0.
        slot: u32,
    },
    /// An exclusive branch together with others.
    ExclusiveMixed,
    /// What was picked in a branch would not do.
    InBranch {
        /// The title of the branch.
        title: String,
        /// What is wrong there.
        rejection: Box<Rejection>,
    },
    /// Declining is not offered.
    CannotPass,
    /// The question takes no drafts.
    DraftsNotTaken,
    /// The question has no deadline that could pass, and the ruleset gives nobody time for a whole match.
    NoDeadline,
    /// The deadline passed, but nothing says what happens then.
    NoDefault,
    /// Picks where branches were expected, or the other way round.
    WrongShape,
    /// The match has no such seat.
    NoSuchSeat {
        /// The seat sent.
        seat: Seat,
    },
    /// That seat has left before.
    SeatGone {
        /// The seat sent.
        seat: Seat,
    },
    /// No turn is under way that could end.
    NoTurn,
    /// Not one of the things that can be done with a pot.
    NoSuchPot,
    /// The seat is not asked what to do.
    NotAskedToAct,
    /// No action of the ruleset says which drag means it.
    NoDrags,
    /// No action that can be taken now is meant by the drag.
    DragRefused {
        /// Why what was dragged cannot be used, where that is known.
        reason: Option<String>,
    },
}

impl Rejection {
    /// The same, of what was picked in the branch with that title. If it names a branch already, that one is nearer.
    #[must_use]
    pub(crate) fn in_branch(self, title: &str) -> Rejection {
        match self {
            Rejection::InBranch { .. } => self,
            _ => Rejection::InBranch { title: title.to_owned(), rejection: Box::new(self) },
        }
    }

    /// What is wrong, wherever it is.
    #[must_use]
    pub fn itself(&self) -> &Rejection {
        match self {
            Rejection::InBranch { rejection, .. } => rejection.itself(),
            _ => self,
        }
    }

    /// Stable name, as clients see it.
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
            Rejection::PickedTwice { .. } => "picked_twice",
            Rejection::SlotEmpty { .. } => "slot_empty",
            Rejection::ExclusiveMixed => "exclusive_mixed",
            Rejection::InBranch { rejection, .. } => rejection.name(),
            Rejection::CannotPass => "cannot_pass",
            Rejection::DraftsNotTaken => "drafts_not_taken",
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
            Rejection::NoSuchInput { input } => write!(f, "there is no input {}", input.0),
            Rejection::InputClosed { input } => write!(f, "input {} is no longer open", input.0),
            Rejection::NotYourInput { asked } => write!(f, "seat {} is asked", asked.0),
            Rejection::WrongActor { expected, got } => {
                write!(f, "the answer of `{expected}` is asked for, not that of `{got}`")
            }
            Rejection::WrongTitle { expected, got } => {
                write!(f, "an answer to `{expected}` is asked for, not one to `{got}`")
            }
            Rejection::WrongCount { expected_min, expected_max, got } => write!(
                f,
                "Invalid number of options selected: expected {expected_min}-{expected_max}, got {got}"
            ),
            Rejection::NoSuchOption { pick } => {
                write!(f, "Selection {pick} didn't exist in the choices")
            }
            Rejection::NoSuchSelection { selection } => {
                write!(f, "Selection {selection} didn't exist in the choices")
            }
            Rejection::PickedTwice { pick } => write!(f, "option {pick} was picked twice"),
            Rejection::SlotEmpty { slot } => write!(f, "slot {slot} must not be empty"),
            Rejection::ExclusiveMixed => f.write_str("Exclusive choice mixed with other choices"),
            Rejection::InBranch { title, rejection } => write!(f, "{title}: {rejection}"),
            Rejection::CannotPass => f.write_str("passing is not offered"),
            Rejection::DraftsNotTaken => f.write_str("this input takes no drafts"),
            Rejection::NoDeadline => f.write_str("this input has no deadline"),
            Rejection::NoDefault => f.write_str("this input has no default"),
            Rejection::WrongShape => f.write_str("the answer has the wrong shape"),
            Rejection::NoSuchSeat { seat } => write!(f, "there is no seat {}", seat.0),
            Rejection::SeatGone { seat } => write!(f, "seat {} has left", seat.0),
            Rejection::NoTurn => f.write_str("no turn is under way"),
            Rejection::NotAskedToAct => f.write_str("you are not asked what to do"),
            Rejection::NoDrags => {
                f.write_str("in this game nothing is done by dragging; pick an action instead")
            }
            Rejection::DragRefused { reason: Some(reason) } => f.write_str(reason),
            Rejection::DragRefused { reason: None } => f.write_str("that cannot be moved there now"),
            Rejection::NoSuchPot => f.write_str("a pot goes to winners, is split, burnt or refunded"),
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a rule failed: {} ({})", self.code, self.code.name())?;
        if let Some(place) = self.place {
            write!(f, " at line {} of file {}", place.line, place.file)?;
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
impl std::error::Error for Fault {}

impl From<Rejection> for Refusal {
    fn from(rejection: Rejection) -> Refusal {
        Refusal::Rejected(rejection)
    }
}
