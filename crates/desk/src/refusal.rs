//! Why a desk does not do what it is asked.

use std::fmt;

use intermezzo_engine::{Datum, Refusal, Rejection, StartError};
use intermezzo_journal::UndoRefusal;

use crate::ahead::MAX_AHEAD;

/// Why a desk does not do what it is asked. Nothing has changed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum DeskRefusal {
    /// The match has gone on since the sender looked at it.
    Stale {
        /// The version it has now.
        version: u64,
    },
    /// The match does not take the input.
    Refused(Refusal),
    /// Nothing is taken back.
    NotTakenBack(UndoRefusal),
    /// Nobody asks the seat whether something may be taken back.
    NotAskedToAgree,
    /// More was sent ahead than a desk keeps.
    TooFarAhead,
    /// The entries so far are needed to decide this, and were not given.
    NeedsPast,
    /// The entries that were given are not those of this match.
    WrongPast,
    /// What was sent does not say which action it is.
    NoAction,
    /// The action is not among those the seat can take now.
    NotOffered {
        /// The action meant.
        action: String,
        /// Why it cannot be taken, where that is known.
        reasons: Vec<String>,
        /// What can be taken instead, each as it would be sent.
        legal: Vec<Datum>,
    },
    /// More than one thing the seat can do is meant by it.
    MeansSeveral {
        /// The action meant.
        action: String,
        /// All that fit, each as it would be sent.
        fits: Vec<Datum>,
    },
}

/// Why entries make no match file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RecordError {
    /// The match does not begin.
    CannotStart(StartError),
    /// An entry is refused.
    Refused {
        /// Which, from 1.
        number: usize,
        /// Why.
        refusal: DeskRefusal,
    },
}

impl DeskRefusal {
    /// Stable name, as clients see it.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            DeskRefusal::Stale { .. } => "stale",
            DeskRefusal::Refused(Refusal::Rejected(rejection)) => rejection.name(),
            DeskRefusal::Refused(Refusal::Faulted(_)) => "fault",
            DeskRefusal::NotTakenBack(refusal) => refusal.name(),
            DeskRefusal::NotAskedToAgree => "not_asked_to_agree",
            DeskRefusal::TooFarAhead => "too_far_ahead",
            DeskRefusal::NeedsPast => "needs_past",
            DeskRefusal::WrongPast => "wrong_past",
            DeskRefusal::NoAction => "no_action",
            DeskRefusal::NotOffered { .. } => "not_offered",
            DeskRefusal::MeansSeveral { .. } => "means_several",
        }
    }
}

impl fmt::Display for DeskRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DeskRefusal::Stale { version } => {
                write!(f, "the match has gone on; look at it again (its version is {version} now)")
            }
            DeskRefusal::Refused(refusal) => refusal.fmt(f),
            DeskRefusal::NotTakenBack(refusal) => refusal.fmt(f),
            DeskRefusal::NotAskedToAgree => f.write_str("nobody wants to take anything back"),
            DeskRefusal::TooFarAhead => write!(f, "at most {MAX_AHEAD} answers are sent ahead"),
            DeskRefusal::NeedsPast => f.write_str("what was taken before is needed for this"),
            DeskRefusal::WrongPast => f.write_str("what was taken before leads elsewhere"),
            DeskRefusal::NoAction => {
                f.write_str("an action has a `type`, and perhaps `targets` and `params`")
            }
            DeskRefusal::NotOffered { action, reasons, .. } if reasons.is_empty() => {
                write!(f, "`{action}` cannot be done like that now")
            }
            DeskRefusal::NotOffered { reasons, .. } => f.write_str(&reasons.join("; ")),
            DeskRefusal::MeansSeveral { action, fits } => {
                write!(f, "`{action}` can mean {} things now; say which", fits.len())
            }
        }
    }
}

impl fmt::Display for RecordError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RecordError::CannotStart(error) => write!(f, "the match does not begin: {error}"),
            RecordError::Refused { number, refusal } => write!(f, "entry {number} is refused: {refusal}"),
        }
    }
}

impl std::error::Error for RecordError {}

impl std::error::Error for DeskRefusal {}

impl From<Refusal> for DeskRefusal {
    fn from(refusal: Refusal) -> DeskRefusal {
        DeskRefusal::Refused(refusal)
    }
}

impl From<Rejection> for DeskRefusal {
    fn from(rejection: Rejection) -> DeskRefusal {
        DeskRefusal::Refused(Refusal::Rejected(rejection))
    }
}

impl From<UndoRefusal> for DeskRefusal {
    fn from(refusal: UndoRefusal) -> DeskRefusal {
        DeskRefusal::NotTakenBack(refusal)
    }
}
