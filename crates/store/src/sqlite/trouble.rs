//! What can go wrong inside the SQLite store.

use std::fmt;

/// SQLite failed, or the tables contradict each other.
#[derive(Debug)]
pub(super) enum Trouble {
    Sql(rusqlite::Error),
    Broken(String),
}

impl From<rusqlite::Error> for Trouble {
    fn from(error: rusqlite::Error) -> Trouble {
        Trouble::Sql(error)
    }
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Trouble::Sql(error) => error.fmt(f),
            Trouble::Broken(what) => f.write_str(what),
        }
    }
}
