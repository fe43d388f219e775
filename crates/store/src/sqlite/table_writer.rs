//! Writes to the tables, inside the transactions that the writer begins and ends.

use rusqlite::{Connection, OptionalExtension, params};

use super::errors::SqliteError;
use super::log_chain::LogChain;
use super::log_heads::{self, LogHead, LogHeadCache};
use crate::match_id::MatchId;
use crate::precondition::{self, CurrentVersions};
use crate::transaction::{Append, CommitOutcome, Due, Put, Snapshot, Transaction};
use crate::write_queue::WriteOp;

/// The write connection and its cached state.
pub(super) struct TableWriter {
    pub(super) connection: Connection,
    heads: LogHeadCache,
    /// The place of the next log row.
    next_place: i64,
    /// Number of record changes: the source of record versions.
    changes: i64,
    saved_changes: i64,
}

impl TableWriter {
    pub(super) fn new(connection: Connection) -> Result<TableWriter, SqliteError> {
        let heads = LogHeadCache::default();
        let mut tables = TableWriter { connection, heads, next_place: 0, changes: 0, saved_changes: 0 };
        tables.reload()?;
        Ok(tables)
    }

    /// Reloads the cached state after a rollback.
    pub(super) fn reload(&mut self) -> Result<(), SqliteError> {
        let number = |sql: &str| self.connection.query_row(sql, [], |row| row.get::<_, i64>(0));
        self.next_place = number("SELECT coalesce(max(place), 0) + 1 FROM log")?;
        self.changes = number("SELECT value FROM counters WHERE name = 'record changes'")?;
        self.saved_changes = self.changes;
        self.heads.clear();
        Ok(())
    }

    /// Applies an operation if its preconditions hold; otherwise writes nothing and returns the reason.
    pub(super) fn apply(&mut self, op: &WriteOp) -> Result<CommitOutcome, SqliteError> {
        match op {
            WriteOp::Commit(transaction) => match precondition::violation(transaction, self)? {
                Some(violation) => return Ok(violation),
                None => self.write(transaction)?,
            },
            WriteOp::DeleteMatch(match_id) => self.delete_match(*match_id)?,
        }
        Ok(CommitOutcome::Committed)
    }

    /// Saves the change counter. Called once before each commit.
    pub(super) fn save_counters(&mut self) -> Result<(), SqliteError> {
        if self.changes != self.saved_changes {
            self.execute("UPDATE counters SET value = ?1 WHERE name = 'record changes'", [self.changes])?;
            self.saved_changes = self.changes;
        }
        Ok(())
    }

    /// Runs one statement and returns the number of changed rows.
    pub(super) fn execute(&self, sql: &str, params: impl rusqlite::Params) -> Result<usize, SqliteError> {
        Ok(self.connection.prepare_cached(sql)?.execute(params)?)
    }

    fn write(&mut self, transaction: &Transaction) -> Result<(), SqliteError> {
        transaction.appends.iter().try_for_each(|append| self.append(append))?;
        transaction.puts.iter().try_for_each(|put| self.put(put))?;
        transaction.snapshots.iter().try_for_each(|snapshot| self.put_snapshot(snapshot))
    }

    fn append(&mut self, append: &Append) -> Result<(), SqliteError> {
        let before = self.log_head_or_insert(append.match_id)?;
        let mut log_head = before;
        for body in &append.rows {
            log_head = self.write_row(log_head, body)?;
        }
        self.update_head(before, log_head, append.due)?;
        self.heads.insert(append.match_id, log_head);
        Ok(())
    }

    fn write_row(&mut self, log_head: LogHead, body: &[u8]) -> Result<LogHead, SqliteError> {
        let place = self.next_place;
        let version = log_head.head.cast_signed() + 1;
        self.execute(
            "INSERT INTO log (place, match, version, before, landing, body) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            params![place, log_head.number, version, log_head.last, log_head.skip, body],
        )?;
        self.next_place += 1;
        Ok(log_head.after_row(place))
    }

    /// Moves the head, but only if the table still has the expected one, whatever is cached: so no version is
    /// ever written twice.
    fn update_head(&self, before: LogHead, log_head: LogHead, due: Due) -> Result<(), SqliteError> {
        let LogHead { number, head, last, skip } = log_head;
        let expected = before.head.cast_signed();
        let head = head.cast_signed();
        let due_ms = match due {
            Due::Keep => None,
            Due::At(due_ms) => Some(Some(due_ms)),
            Due::Never => Some(None),
        };
        let moved = match due_ms {
            None if log_head == before => 1,
            None => self.execute(
                "UPDATE tails SET head = ?3, last = ?4, landing = ?5 WHERE match = ?1 AND head = ?2",
                params![number, expected, head, last, skip],
            )?,
            Some(due_ms) => self.execute(
                "UPDATE tails SET head = ?3, last = ?4, landing = ?5, due_ms = ?6 WHERE match = ?1 AND head = ?2",
                params![number, expected, head, last, skip, due_ms],
            )?,
        };
        let lost = || {
            SqliteError::Corrupt(format!("the head of the log of match {number} is not version {expected}"))
        };
        (moved == 1).then_some(()).ok_or_else(lost)
    }

    fn put(&mut self, put: &Put) -> Result<(), SqliteError> {
        self.changes += 1;
        let key = put.key.as_bytes();
        match &put.value {
            Some(value) => self.execute(
                "INSERT INTO records (key, version, value) VALUES (?1, ?2, ?3)
                 ON CONFLICT (key) DO UPDATE SET version = excluded.version, value = excluded.value",
                params![key, self.changes, value],
            ),
            None => self.execute("DELETE FROM records WHERE key = ?1", [key]),
        }?;
        Ok(())
    }

    fn put_snapshot(&mut self, snapshot: &Snapshot) -> Result<(), SqliteError> {
        let log_head = self.log_head_or_insert(snapshot.match_id)?;
        self.execute(
            "INSERT INTO snapshots (match, version, body) VALUES (?1, ?2, ?3)
             ON CONFLICT (match) DO UPDATE SET version = excluded.version, body = excluded.body
             WHERE excluded.version >= version",
            params![log_head.number, snapshot.version.cast_signed(), snapshot.body],
        )?;
        Ok(())
    }

    fn delete_match(&mut self, match_id: MatchId) -> Result<(), SqliteError> {
        let Some(log_head) = self.log_head(match_id)? else { return Ok(()) };
        for place in LogChain::from_head(&self.connection, log_head).places()? {
            self.execute("DELETE FROM log WHERE place = ?1", [place])?;
        }
        self.execute("DELETE FROM snapshots WHERE match = ?1", [log_head.number])?;
        self.execute("DELETE FROM tails WHERE match = ?1", [log_head.number])?;
        self.execute("DELETE FROM matches WHERE number = ?1", [log_head.number])?;
        self.heads.remove(match_id);
        Ok(())
    }

    fn log_head(&mut self, match_id: MatchId) -> Result<Option<LogHead>, SqliteError> {
        if let Some(log_head) = self.heads.get(match_id) {
            return Ok(Some(log_head));
        }
        let log_head = log_heads::read(&self.connection, match_id)?;
        log_head.inspect(|log_head| self.heads.insert(match_id, *log_head));
        Ok(log_head)
    }

    fn log_head_or_insert(&mut self, match_id: MatchId) -> Result<LogHead, SqliteError> {
        if let Some(log_head) = self.log_head(match_id)? {
            return Ok(log_head);
        }
        self.execute("INSERT INTO matches (id) VALUES (?1)", [match_id.0.to_be_bytes()])?;
        let number = self.connection.last_insert_rowid();
        self.execute("INSERT INTO tails (match, head, last, landing) VALUES (?1, 0, 0, 0)", [number])?;
        let log_head = LogHead { number, head: 0, last: 0, skip: 0 };
        self.heads.insert(match_id, log_head);
        Ok(log_head)
    }
}

impl CurrentVersions for TableWriter {
    type Error = SqliteError;

    fn head(&mut self, match_id: MatchId) -> Result<u64, SqliteError> {
        Ok(self.log_head(match_id)?.map_or(0, |log_head| log_head.head))
    }

    fn record_version(&mut self, key: &str) -> Result<Option<u64>, SqliteError> {
        let mut statement = self.connection.prepare_cached("SELECT version FROM records WHERE key = ?1")?;
        let version = statement.query_row([key.as_bytes()], |row| row.get::<_, i64>(0)).optional()?;
        Ok(version.map(i64::cast_unsigned))
    }
}
