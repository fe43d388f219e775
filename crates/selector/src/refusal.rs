//! Why a response does not count. The sentences are the engine's.

use std::fmt;

use intermezzo_engine::Rejection;

use crate::flaw::Trouble;
use crate::name::Name;

/// Why a response has no effect.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Refusal {
    /// It cannot be read.
    Malformed {
        /// What is wrong, and where.
        reason: String,
    },
    /// It comes from the wrong seat, or too late.
    Rejected(Rejection),
    /// It does not fit what is asked.
    Invalid(Invalid),
    /// It would do, but the match cannot go on from there.
    Failed(Trouble),
}

impl Refusal {
    /// What the sender did wrong, if the response could be read.
    #[must_use]
    pub fn rejection(&self) -> Option<&Rejection> {
        match self {
            Refusal::Rejected(rejection) => Some(rejection),
            Refusal::Invalid(invalid) => Some(&invalid.rejection),
            Refusal::Malformed { .. } | Refusal::Failed(_) => None,
        }
    }
}

/// Picks that do not fit the choices they were made from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Invalid {
    /// The titles that lead to those choices: that of the selector, then that of each choice entered.
    pub path: Vec<Name>,
    /// What is wrong with the picks.
    pub rejection: Rejection,
}

impl Invalid {
    /// The title the choices stand under.
    #[must_use]
    pub fn title(&self) -> &Name {
        self.path.last().expect("a path begins with the title of the selector")
    }
}

impl fmt::Display for Invalid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.rejection.fmt(f)
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::Malformed { reason } => f.write_str(reason),
            Refusal::Rejected(rejection) => rejection.fmt(f),
            Refusal::Invalid(invalid) => invalid.fmt(f),
            Refusal::Failed(trouble) => trouble.fmt(f),
        }
    }
}

impl std::error::Error for Invalid {}
impl std::error::Error for Refusal {}

impl From<Rejection> for Refusal {
    fn from(rejection: Rejection) -> Refusal {
        Refusal::Rejected(rejection)
    }
}

impl From<Invalid> for Refusal {
    fn from(invalid: Invalid) -> Refusal {
        Refusal::Invalid(invalid)
    }
}
