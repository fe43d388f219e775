//! Errors of the asking side: selectors that cannot be answered, and records of another match.

use std::fmt;

use crate::name::ChoiceName;
use crate::response_error::InvalidResponse;

/// The reason why a selector is invalid.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum InvalidSelector {
    /// More picks are required than possible.
    #[error("`{}`: at least {min} must be picked, but only {available} can be", TitlePath(.path))]
    TooFewChoices {
        /// The path of titles to the choices.
        path: Vec<ChoiceName>,
        /// The minimum number of picks.
        min: u32,
        /// The number of choices that can be picked at once.
        available: usize,
    },
    /// The minimum exceeds the maximum.
    #[error("`{}`: min is {min}, but max is {max}", TitlePath(.path))]
    MinAboveMax {
        /// The path of titles to the choices.
        path: Vec<ChoiceName>,
        /// The minimum number of picks.
        min: u32,
        /// The maximum number of picks.
        max: u32,
    },
    /// Two choices of a list have the same id.
    #[error("`{}` has two choices with the id `{id}`", TitlePath(.path))]
    DuplicateId {
        /// The path of titles to the choices.
        path: Vec<ChoiceName>,
        id: ChoiceName,
    },
    /// A free-form request has choices.
    #[error("`{}` is a free-form request, but lists choices", TitlePath(.path))]
    ActionWithChoices {
        /// The title of the selector.
        path: Vec<ChoiceName>,
    },
}

/// A mistake in the match function.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum LogicError {
    /// It makes an invalid selector.
    #[error(transparent)]
    InvalidSelector(#[from] InvalidSelector),
    /// Two players have the same name.
    #[error("two players are named `{actor}`")]
    DuplicateName { actor: String },
    /// It asks a player who does not exist.
    #[error("no player is named `{actor}`")]
    UnknownActor { actor: String },
    /// One request asks the same player twice.
    #[error("one request asks `{actor}` twice")]
    AskedTwice { actor: String },
    /// It asks nobody for the first response.
    #[error("a request for the first response asks nobody")]
    NobodyAsked,
}

/// The reason why the match function stopped.
///
/// The function returns it with `?`; [`FunctionMatch`](crate::FunctionMatch) handles it.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Suspension {
    /// A player must answer first.
    #[error("the match waits for players")]
    Waiting,
    #[error(transparent)]
    LogicError(#[from] LogicError),
    /// The record belongs to another match.
    #[error(transparent)]
    RecordMismatch(RecordMismatch),
}

/// A recorded response that does not fit the match function.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("response {index} of the record does not fit: {reason}")]
pub struct RecordMismatch {
    /// Its index in the record.
    pub index: usize,
    /// The reason.
    pub reason: RecordMismatchReason,
}

/// The reason why a recorded response does not fit.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum RecordMismatchReason {
    /// Another question or another player was asked.
    #[error("no open request matches it")]
    NotAsked,
    /// It does not match the selector.
    #[error(transparent)]
    Invalid(InvalidResponse),
    #[error("the match was over")]
    MatchOver,
}

/// The reason why a match cannot be run.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum RunError {
    /// The match function made a mistake.
    #[error(transparent)]
    LogicError(LogicError),
    /// The record belongs to another match.
    #[error(transparent)]
    RecordMismatch(RecordMismatch),
}

/// A path of titles, for messages.
struct TitlePath<'a>(&'a [ChoiceName]);

impl fmt::Display for TitlePath<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, title) in self.0.iter().enumerate() {
            let before = if place == 0 { "" } else { " › " };
            write!(f, "{before}{title}")?;
        }
        Ok(())
    }
}

impl From<InvalidSelector> for Suspension {
    fn from(error: InvalidSelector) -> Suspension {
        Suspension::LogicError(error.into())
    }
}
