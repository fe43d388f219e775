//! Database errors, and what each one implies about a commit.

use tokio_postgres::Error;
use tokio_postgres::error::{Severity, SqlState};

/// The SQLSTATE raised by the checks in `functions.sql`.
const NOT_AS_EXPECTED: &str = "IM001";

/// The reason why a group may not have been committed.
#[derive(Debug)]
pub(super) enum WriteFailure {
    /// Rolled back because another server was faster. Can be retried at once.
    Stale(String),
    /// Rolled back.
    RolledBack(String),
    /// Possibly committed, or still being committed.
    Unknown(String),
}

/// Classifies the failure of a statement before the commit.
pub(super) fn before_commit(error: &Error) -> WriteFailure {
    match error.code() {
        Some(code) if is_stale(code) => WriteFailure::Stale(describe(error)),
        _ => WriteFailure::RolledBack(describe(error)),
    }
}

/// Classifies the failure of a statement when the commit was sent right after it, without waiting.
pub(super) fn with_commit_in_flight(error: &Error) -> WriteFailure {
    // After a failed statement the database treats COMMIT as ROLLBACK.
    if error.as_db_error().is_some() { before_commit(error) } else { WriteFailure::Unknown(describe(error)) }
}

/// Classifies the failure of a commit, or of a statement that is its own transaction.
pub(super) fn at_commit(error: &Error) -> WriteFailure {
    let is_rejected =
        error.as_db_error().is_some_and(|db_error| db_error.parsed_severity() == Some(Severity::Error));
    if is_rejected { before_commit(error) } else { WriteFailure::Unknown(describe(error)) }
}

fn is_stale(code: &SqlState) -> bool {
    let retried =
        [SqlState::UNIQUE_VIOLATION, SqlState::T_R_SERIALIZATION_FAILURE, SqlState::T_R_DEADLOCK_DETECTED];
    code.code() == NOT_AS_EXPECTED || retried.contains(code)
}

/// Formats an error with the message and code of the database.
pub(super) fn describe(error: &Error) -> String {
    match error.as_db_error() {
        Some(db_error) => format!("{} ({})", db_error.message(), db_error.code().code()),
        None => match std::error::Error::source(error) {
            Some(source) => format!("{error}: {source}"),
            None => error.to_string(),
        },
    }
}
