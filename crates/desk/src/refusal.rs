//! Why a desk does not do what it is asked.

use std::fmt;

use intermezzo_engine::{Refusal, Rejection};
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
        }
    }
}

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
