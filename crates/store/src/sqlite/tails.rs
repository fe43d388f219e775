//! Where logs end: read from the tables, and remembered by the writer for the logs it writes.

use std::collections::HashMap;

use rusqlite::{Connection, OptionalExtension};

use crate::match_id::MatchId;

/// Where a log ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Tail {
    /// The number that stands for the match in all tables.
    pub(super) number: i64,
    /// The version of the last row; 0 if there is none.
    pub(super) head: u64,
    /// The place of the last row; 0 if there is none.
    pub(super) last: i64,
    /// The place of the last row whose version is a multiple of [`STRIDE`]; 0 if there is none.
    pub(super) landing: i64,
}

/// From each row one can step to the one before it, or to the last landing before it.
///
/// So an early row of a long log is reached in few steps.
pub(super) const STRIDE: u64 = 64;

impl Tail {
    /// The tail once a row was written at `place`.
    pub(super) fn after_a_row_at(self, place: i64) -> Tail {
        let head = self.head + 1;
        let landing = if head.is_multiple_of(STRIDE) { place } else { self.landing };
        Tail { number: self.number, head, last: place, landing }
    }
}

/// Looks for the tail of a match.
pub(super) fn read(connection: &Connection, match_id: MatchId) -> rusqlite::Result<Option<Tail>> {
    let mut statement = connection.prepare_cached(
        "SELECT match, head, last, landing FROM tails JOIN matches ON match = number WHERE id = ?1",
    )?;
    let tail = statement.query_row([match_id.0.to_be_bytes()], |row| {
        let head: i64 = row.get(1)?;
        let (number, last, landing) = (row.get(0)?, row.get(2)?, row.get(3)?);
        Ok(Tail { number, head: head.cast_unsigned(), last, landing })
    });
    tail.optional()
}

/// Remembers the tails that were used lately, a bounded number of them.
///
/// When the younger half is full the older half is forgotten.
#[derive(Default)]
pub(super) struct Remembered {
    younger: HashMap<MatchId, Tail>,
    older: HashMap<MatchId, Tail>,
}

/// How many tails one half holds.
const HALF: usize = 65_536;

impl Remembered {
    pub(super) fn get(&mut self, match_id: MatchId) -> Option<Tail> {
        if let Some(tail) = self.younger.get(&match_id) {
            return Some(*tail);
        }
        let tail = self.older.remove(&match_id)?;
        self.insert(match_id, tail);
        Some(tail)
    }

    pub(super) fn insert(&mut self, match_id: MatchId, tail: Tail) {
        if self.younger.len() >= HALF && !self.younger.contains_key(&match_id) {
            self.older = std::mem::take(&mut self.younger);
        }
        self.younger.insert(match_id, tail);
    }

    pub(super) fn remove(&mut self, match_id: MatchId) {
        self.younger.remove(&match_id);
        self.older.remove(&match_id);
    }

    pub(super) fn clear(&mut self) {
        *self = Remembered::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_used_is_remembered_and_the_rest_forgotten_in_time() {
        let tail = |number| Tail { number, head: 0, last: 0, landing: 0 };
        let mut remembered = Remembered::default();
        remembered.insert(MatchId(0), tail(0));
        remembered.insert(MatchId(1), tail(1));
        for number in 2..4 * HALF {
            remembered.insert(MatchId(number as u128), tail(number as i64));
            assert_eq!(remembered.get(MatchId(0)), Some(tail(0)));
        }
        assert_eq!(remembered.get(MatchId(1)), None);
        assert!(remembered.younger.len() + remembered.older.len() <= 2 * HALF);
    }

    #[test]
    fn a_tail_that_changed_is_not_remembered_as_it_was() {
        let tail = |head| Tail { number: 1, head, last: 0, landing: 0 };
        let mut remembered = Remembered::default();
        remembered.older.insert(MatchId(1), tail(1));
        remembered.insert(MatchId(1), tail(2));
        assert_eq!(remembered.get(MatchId(1)), Some(tail(2)));
        remembered.remove(MatchId(1));
        assert_eq!(remembered.get(MatchId(1)), None);
    }
}
