//! A reader for the rows of one log, from the end backwards: each row stores the place of its predecessor.

use rusqlite::{Connection, OptionalExtension};

use super::errors::SqliteError;
use super::log_heads::{LogHead, STRIDE};
use crate::transaction::LogRow;

/// A cursor in a log.
pub(super) struct LogChain<'a> {
    connection: &'a Connection,
    number: i64,
    /// The version of the current row; 0 before the first.
    version: u64,
    place: i64,
}

impl<'a> LogChain<'a> {
    /// Creates a cursor at the last row of a log.
    pub(super) fn from_head(connection: &'a Connection, head: LogHead) -> LogChain<'a> {
        LogChain { connection, number: head.number, version: head.head, place: head.last }
    }

    /// Moves back to the row with this version, using skip pointers where possible.
    pub(super) fn seek_back_to(&mut self, version: u64) -> Result<(), SqliteError> {
        while self.version > version {
            let skip_version = (self.version - 1) / STRIDE * STRIDE;
            let (before, skip) = self.links()?;
            if skip_version >= version {
                (self.version, self.place) = (skip_version, skip);
            } else {
                (self.version, self.place) = (self.version - 1, before);
            }
        }
        Ok(())
    }

    /// Reads the current row and its predecessors down to version `after`, exclusive; returns them oldest
    /// first.
    pub(super) fn rows_after(&mut self, after: u64) -> Result<Vec<LogRow>, SqliteError> {
        let mut rows = Vec::new();
        while self.version > after {
            let (body, before) = self.body_and_before()?;
            rows.push(LogRow { version: self.version, body });
            (self.version, self.place) = (self.version - 1, before);
        }
        rows.reverse();
        Ok(rows)
    }

    /// Returns the places of the current row and all its predecessors.
    pub(super) fn places(&mut self) -> Result<Vec<i64>, SqliteError> {
        let mut places = Vec::new();
        while self.version > 0 {
            places.push(self.place);
            let (before, _) = self.links()?;
            (self.version, self.place) = (self.version - 1, before);
        }
        Ok(places)
    }

    fn links(&self) -> Result<(i64, i64), SqliteError> {
        let mut statement = self.connection.prepare_cached(
            "SELECT before, landing FROM log WHERE place = ?1 AND match = ?2 AND version = ?3",
        )?;
        let key = (self.place, self.number, self.version.cast_signed());
        let found = statement.query_row(key, |row| Ok((row.get(0)?, row.get(1)?))).optional()?;
        found.ok_or_else(|| self.corrupt())
    }

    fn body_and_before(&self) -> Result<(Vec<u8>, i64), SqliteError> {
        let mut statement = self.connection.prepare_cached(
            "SELECT body, before FROM log WHERE place = ?1 AND match = ?2 AND version = ?3",
        )?;
        let key = (self.place, self.number, self.version.cast_signed());
        let found = statement.query_row(key, |row| Ok((row.get(0)?, row.get(1)?))).optional()?;
        found.ok_or_else(|| self.corrupt())
    }

    fn corrupt(&self) -> SqliteError {
        let LogChain { version, place, .. } = self;
        SqliteError::Corrupt(format!("the log is corrupt: version {version} is not at place {place}"))
    }
}
