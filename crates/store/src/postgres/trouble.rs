//! What can go wrong on the way to a database, and what is then known of a commit.

use tokio_postgres::Error;
use tokio_postgres::error::{Severity, SqlState};

/// What the checks within our statements raise.
const NOT_AS_EXPECTED: &str = "IM001";

/// Why a group was not committed, as far as one can tell.
#[derive(Debug)]
pub(super) enum Failure {
    /// Nothing of it happened: others were quicker. It can be tried again at once.
    Stale(String),
    /// Nothing of it happened.
    RolledBack(String),
    /// It may have happened, or may happen yet.
    Unknown(String),
}

/// What the failure of a statement before the commit means.
pub(super) fn before_commit(error: &Error) -> Failure {
    match error.code() {
        Some(code) if is_stale(code) => Failure::Stale(in_words(error)),
        _ => Failure::RolledBack(in_words(error)),
    }
}

/// What the failure of a statement means if the commit was sent right after it, without waiting.
pub(super) fn with_commit_on_its_way(error: &Error) -> Failure {
    // If the database refused the statement, it takes the commit for a rollback.
    if error.as_db_error().is_some() { before_commit(error) } else { Failure::Unknown(in_words(error)) }
}

/// What the failure of a commit means, or of a statement that is a transaction by itself.
pub(super) fn at_commit(error: &Error) -> Failure {
    let refused =
        error.as_db_error().is_some_and(|refusal| refusal.parsed_severity() == Some(Severity::Error));
    if refused { before_commit(error) } else { Failure::Unknown(in_words(error)) }
}

fn is_stale(code: &SqlState) -> bool {
    let retried =
        [SqlState::UNIQUE_VIOLATION, SqlState::T_R_SERIALIZATION_FAILURE, SqlState::T_R_DEADLOCK_DETECTED];
    code.code() == NOT_AS_EXPECTED || retried.contains(code)
}

/// An error with what the database says about it.
pub(super) fn in_words(error: &Error) -> String {
    match error.as_db_error() {
        Some(refusal) => format!("{} ({})", refusal.message(), refusal.code().code()),
        None => match std::error::Error::source(error) {
            Some(source) => format!("{error}: {source}"),
            None => error.to_string(),
        },
    }
}
