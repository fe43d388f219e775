//! Rejected responses. The messages come from the engine.

use intermezzo_engine::Rejection;

use crate::errors::RunError;
use crate::name::ChoiceName;

/// The reason why a response is rejected.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ResponseError {
    /// It cannot be parsed.
    #[error("{reason}")]
    Malformed {
        /// The problem and its position.
        reason: String,
    },
    /// It comes from the wrong seat, or too late.
    #[error(transparent)]
    Rejected(#[from] Rejection),
    /// It does not match the selector.
    #[error(transparent)]
    Invalid(#[from] InvalidResponse),
    /// It is valid, but the match function fails after it.
    #[error(transparent)]
    Failed(RunError),
}

impl ResponseError {
    /// Returns the sender's mistake, if the response could be parsed.
    #[must_use]
    pub fn rejection(&self) -> Option<&Rejection> {
        match self {
            ResponseError::Rejected(rejection) => Some(rejection),
            ResponseError::Invalid(invalid) => Some(&invalid.rejection),
            ResponseError::Malformed { .. } | ResponseError::Failed(_) => None,
        }
    }
}

/// Picks that do not match the choices.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{rejection}")]
pub struct InvalidResponse {
    /// The path of titles to those choices: of the selector, then of each choice entered.
    pub path: Vec<ChoiceName>,
    /// The problem.
    pub rejection: Rejection,
}

impl InvalidResponse {
    /// Returns the title above the choices.
    #[must_use]
    pub fn title(&self) -> &ChoiceName {
        self.path.last().expect("a path begins with the title of the selector")
    }
}
