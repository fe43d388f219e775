//! Errors inside the SQLite store.

/// A SQLite error, or tables that contradict each other.
#[derive(Debug, thiserror::Error)]
pub(super) enum SqliteError {
    #[error(transparent)]
    Sql(#[from] rusqlite::Error),
    #[error("{0}")]
    Corrupt(String),
}
