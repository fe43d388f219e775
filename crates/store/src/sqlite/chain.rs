//! The rows of one log, from its end backwards: each row knows the place of the one before it.

use rusqlite::{Connection, OptionalExtension};

use super::tails::{STRIDE, Tail};
use super::trouble::Trouble;
use crate::transaction::Row;

/// A place in a log, found from its tail.
pub(super) struct Chain<'a> {
    connection: &'a Connection,
    number: i64,
    /// The version of the row at hand; 0 before the first.
    version: u64,
    place: i64,
}

impl<'a> Chain<'a> {
    /// The last row of a log.
    pub(super) fn at_the_end(connection: &'a Connection, tail: Tail) -> Chain<'a> {
        Chain { connection, number: tail.number, version: tail.head, place: tail.last }
    }

    /// Goes back to the row with this version, by as few steps as there are.
    pub(super) fn go_back_to(&mut self, version: u64) -> Result<(), Trouble> {
        while self.version > version {
            let landing_version = (self.version - 1) / STRIDE * STRIDE;
            let (before, landing) = self.neighbours()?;
            if landing_version >= version {
                (self.version, self.place) = (landing_version, landing);
            } else {
                (self.version, self.place) = (self.version - 1, before);
            }
        }
        Ok(())
    }

    /// Takes the row at hand and those before it down to, but without, version `after`; oldest first.
    pub(super) fn rows_after(&mut self, after: u64) -> Result<Vec<Row>, Trouble> {
        let mut rows = Vec::new();
        while self.version > after {
            let (body, before) = self.body_and_before()?;
            rows.push(Row { version: self.version, body });
            (self.version, self.place) = (self.version - 1, before);
        }
        rows.reverse();
        Ok(rows)
    }

    /// The places of the row at hand and of all before it.
    pub(super) fn places(&mut self) -> Result<Vec<i64>, Trouble> {
        let mut places = Vec::new();
        while self.version > 0 {
            places.push(self.place);
            let (before, _) = self.neighbours()?;
            (self.version, self.place) = (self.version - 1, before);
        }
        Ok(places)
    }

    fn neighbours(&self) -> Result<(i64, i64), Trouble> {
        let mut statement = self.connection.prepare_cached(
            "SELECT before, landing FROM log WHERE place = ?1 AND match = ?2 AND version = ?3",
        )?;
        let key = (self.place, self.number, self.version.cast_signed());
        let found = statement.query_row(key, |row| Ok((row.get(0)?, row.get(1)?))).optional()?;
        found.ok_or_else(|| self.broken())
    }

    fn body_and_before(&self) -> Result<(Vec<u8>, i64), Trouble> {
        let mut statement = self.connection.prepare_cached(
            "SELECT body, before FROM log WHERE place = ?1 AND match = ?2 AND version = ?3",
        )?;
        let key = (self.place, self.number, self.version.cast_signed());
        let found = statement.query_row(key, |row| Ok((row.get(0)?, row.get(1)?))).optional()?;
        found.ok_or_else(|| self.broken())
    }

    fn broken(&self) -> Trouble {
        let Chain { version, place, .. } = self;
        Trouble::Broken(format!("the log is broken: version {version} is not at place {place}"))
    }
}
