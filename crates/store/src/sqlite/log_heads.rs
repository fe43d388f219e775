//! Log heads: read from the tables, and cached by the writer.

use std::collections::HashMap;

use rusqlite::{Connection, OptionalExtension};

use crate::match_id::MatchId;

/// The head of a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LogHead {
    /// The number of the match in all tables.
    pub(super) number: i64,
    /// The version of the last row; 0 for an empty log.
    pub(super) head: u64,
    /// The place of the last row; 0 for an empty log.
    pub(super) last: i64,
    /// The skip pointer: the place of the last row whose version is a multiple of [`STRIDE`]; 0 if none.
    pub(super) skip: i64,
}

/// Distance between skip targets. Each row links to its predecessor and to the last skip target before it.
///
/// An early row of a long log is therefore reached in few steps.
pub(super) const STRIDE: u64 = 64;

impl LogHead {
    /// Returns the head after a row was written at `place`.
    pub(super) fn after_row(self, place: i64) -> LogHead {
        let head = self.head + 1;
        let skip = if head.is_multiple_of(STRIDE) { place } else { self.skip };
        LogHead { number: self.number, head, last: place, skip }
    }
}

/// Reads the head of a match from the tables.
pub(super) fn read(connection: &Connection, match_id: MatchId) -> rusqlite::Result<Option<LogHead>> {
    let mut statement = connection.prepare_cached(
        "SELECT match, head, last, landing FROM tails JOIN matches ON match = number WHERE id = ?1",
    )?;
    let log_head = statement.query_row([match_id.0.to_be_bytes()], |row| {
        let head: i64 = row.get(1)?;
        let (number, last, skip) = (row.get(0)?, row.get(2)?, row.get(3)?);
        Ok(LogHead { number, head: head.cast_unsigned(), last, skip })
    });
    log_head.optional()
}

/// A bounded cache of recently used log heads.
///
/// When the recent half is full, the old half is dropped and the recent half becomes old. A hit moves an entry
/// back to the recent half.
#[derive(Default)]
pub(super) struct LogHeadCache {
    recent: HashMap<MatchId, LogHead>,
    old: HashMap<MatchId, LogHead>,
}

/// Entries in one half.
const HALF_CAPACITY: usize = 65_536;

impl LogHeadCache {
    pub(super) fn get(&mut self, match_id: MatchId) -> Option<LogHead> {
        if let Some(log_head) = self.recent.get(&match_id) {
            return Some(*log_head);
        }
        let log_head = self.old.remove(&match_id)?;
        self.insert(match_id, log_head);
        Some(log_head)
    }

    pub(super) fn insert(&mut self, match_id: MatchId, log_head: LogHead) {
        if self.recent.len() >= HALF_CAPACITY && !self.recent.contains_key(&match_id) {
            self.old = std::mem::take(&mut self.recent);
        }
        self.recent.insert(match_id, log_head);
    }

    pub(super) fn remove(&mut self, match_id: MatchId) {
        self.recent.remove(&match_id);
        self.old.remove(&match_id);
    }

    pub(super) fn clear(&mut self) {
        *self = LogHeadCache::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn used_heads_stay_cached_and_the_rest_is_dropped() {
        let log_head = |number| LogHead { number, head: 0, last: 0, skip: 0 };
        let mut cache = LogHeadCache::default();
        cache.insert(MatchId(0), log_head(0));
        cache.insert(MatchId(1), log_head(1));
        for number in 2..4 * HALF_CAPACITY {
            cache.insert(MatchId(number as u128), log_head(number as i64));
            assert_eq!(cache.get(MatchId(0)), Some(log_head(0)));
        }
        assert_eq!(cache.get(MatchId(1)), None);
        assert!(cache.recent.len() + cache.old.len() <= 2 * HALF_CAPACITY);
    }

    #[test]
    fn a_changed_head_replaces_the_cached_one() {
        let log_head = |head| LogHead { number: 1, head, last: 0, skip: 0 };
        let mut cache = LogHeadCache::default();
        cache.old.insert(MatchId(1), log_head(1));
        cache.insert(MatchId(1), log_head(2));
        assert_eq!(cache.get(MatchId(1)), Some(log_head(2)));
        cache.remove(MatchId(1));
        assert_eq!(cache.get(MatchId(1)), None);
    }
}
