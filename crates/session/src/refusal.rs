//! The errors of a session.

use intermezzo_engine::{Datum, Refusal, Rejection, StartError};
use intermezzo_matchfile::UndoRefusal;

use crate::full_history::MAX_RECORDED_EVENTS;
use crate::pre_sent_answers::MAX_PRE_SENT;

/// The reason why a session rejects a request. Its state is unchanged.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum SessionRefusal {
    /// The match has changed since the sender's version.
    #[error("the match has changed; reload it (current version: {version})")]
    Stale {
        /// The current version.
        version: u64,
    },
    /// The engine rejects the input.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// The undo is not possible.
    #[error(transparent)]
    UndoRefused(#[from] UndoRefusal),
    /// The seat has no undo request to agree to.
    #[error("no undo request is waiting for your answer")]
    NotAskedToAgree,
    /// Too many pre-sent answers.
    #[error("at most {MAX_PRE_SENT} answers can be sent in advance")]
    TooManyPreSent,
    /// The entry needs the history, which was not given.
    #[error("this needs the history of the match")]
    NeedsHistory,
    /// The given history belongs to another match.
    #[error("the given history does not lead to this match")]
    WrongHistory,
    /// The action has no `type`.
    #[error("an action needs a `type`; `targets` and `params` are optional")]
    MissingActionType,
    /// The action is not available to the seat now.
    #[error("{}", not_offered(.action, .reasons))]
    NotOffered {
        /// The name of the action.
        action: String,
        /// The reasons, where known.
        reasons: Vec<String>,
        /// The available actions, each as a seat would send it.
        legal: Vec<Datum>,
    },
    /// Several available actions match.
    #[error("`{action}` is ambiguous: {} actions match; specify targets or params", .fits.len())]
    AmbiguousAction {
        /// The name of the action.
        action: String,
        /// All matching actions, each as a seat would send it.
        fits: Vec<Datum>,
    },
}

/// The reason why entries do not make a match file.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum RecordError {
    #[error("the match cannot start: {0}")]
    CannotStart(StartError),
    /// An entry is rejected.
    #[error("entry {number} is rejected: {refusal}")]
    Refused {
        /// The number of the entry, from 1.
        number: usize,
        refusal: SessionRefusal,
    },
    #[error("the match has more than {MAX_RECORDED_EVENTS} events, too many for one file")]
    TooLarge,
}

impl SessionRefusal {
    /// Returns the stable code that clients see.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            SessionRefusal::Stale { .. } => "stale",
            SessionRefusal::Refused(Refusal::Rejected(rejection)) => rejection.name(),
            SessionRefusal::Refused(Refusal::Faulted(_)) => "fault",
            SessionRefusal::UndoRefused(refusal) => refusal.name(),
            SessionRefusal::NotAskedToAgree => "not_asked_to_agree",
            SessionRefusal::TooManyPreSent => "too_far_ahead",
            SessionRefusal::NeedsHistory => "needs_past",
            SessionRefusal::WrongHistory => "wrong_past",
            SessionRefusal::MissingActionType => "no_action",
            SessionRefusal::NotOffered { .. } => "not_offered",
            SessionRefusal::AmbiguousAction { .. } => "means_several",
        }
    }
}

/// Returns the reasons why an action is not available, or a sentence without them.
fn not_offered(action: &str, reasons: &[String]) -> String {
    match reasons {
        [] => format!("`{action}` is not possible like that now"),
        reasons => reasons.join("; "),
    }
}

impl From<Rejection> for SessionRefusal {
    fn from(rejection: Rejection) -> SessionRefusal {
        SessionRefusal::Refused(Refusal::Rejected(rejection))
    }
}
