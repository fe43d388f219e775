//! Writes into the tables: one piece of work at a time, within a transaction that the writer begins and ends.

use rusqlite::{Connection, OptionalExtension, params};

use super::chain::Chain;
use super::tails::{self, Remembered, Tail};
use super::trouble::Trouble;
use crate::judge::{self, Contents};
use crate::match_id::MatchId;
use crate::queue::Work;
use crate::transaction::{Append, Due, Outcome, Put, Snapshot, Transaction};

/// The connection that writes, and what it remembers of the tables.
pub(super) struct Pen {
    pub(super) connection: Connection,
    tails: Remembered,
    /// Where the next row goes.
    next_place: i64,
    /// Counts the changes of all records.
    changes: i64,
    saved_changes: i64,
}

impl Pen {
    pub(super) fn new(connection: Connection) -> Result<Pen, Trouble> {
        let tails = Remembered::default();
        let mut pen = Pen { connection, tails, next_place: 0, changes: 0, saved_changes: 0 };
        pen.look_again()?;
        Ok(pen)
    }

    /// Forgets what it remembers, after what it wrote was taken back.
    pub(super) fn look_again(&mut self) -> Result<(), Trouble> {
        let number = |sql: &str| self.connection.query_row(sql, [], |row| row.get::<_, i64>(0));
        self.next_place = number("SELECT coalesce(max(place), 0) + 1 FROM log")?;
        self.changes = number("SELECT value FROM counters WHERE name = 'record changes'")?;
        self.saved_changes = self.changes;
        self.tails.clear();
        Ok(())
    }

    /// Does what is asked for if the rules allow it; otherwise it writes nothing and says why.
    pub(super) fn carry_out(&mut self, work: &Work) -> Result<Outcome, Trouble> {
        match work {
            Work::Commit(transaction) => match judge::refusal(transaction, self)? {
                Some(refusal) => return Ok(refusal),
                None => self.write(transaction)?,
            },
            Work::Forget(match_id) => self.forget(*match_id)?,
        }
        Ok(Outcome::Committed)
    }

    /// Writes down what was only counted so far. Once before each end of a batch.
    pub(super) fn save_counters(&mut self) -> Result<(), Trouble> {
        if self.changes != self.saved_changes {
            self.execute("UPDATE counters SET value = ?1 WHERE name = 'record changes'", [self.changes])?;
            self.saved_changes = self.changes;
        }
        Ok(())
    }

    /// Runs one statement and tells how many rows it changed.
    pub(super) fn execute(&self, sql: &str, params: impl rusqlite::Params) -> Result<usize, Trouble> {
        Ok(self.connection.prepare_cached(sql)?.execute(params)?)
    }

    fn write(&mut self, transaction: &Transaction) -> Result<(), Trouble> {
        transaction.appends.iter().try_for_each(|append| self.append(append))?;
        transaction.puts.iter().try_for_each(|put| self.put(put))?;
        transaction.snapshots.iter().try_for_each(|snapshot| self.keep(snapshot))
    }

    fn append(&mut self, append: &Append) -> Result<(), Trouble> {
        let before = self.tail_or_new(append.match_id)?;
        let mut tail = before;
        for body in &append.rows {
            tail = self.write_row(tail, body)?;
        }
        self.move_tail(before, tail, append.due)?;
        self.tails.insert(append.match_id, tail);
        Ok(())
    }

    fn write_row(&mut self, tail: Tail, body: &[u8]) -> Result<Tail, Trouble> {
        let place = self.next_place;
        let version = tail.head.cast_signed() + 1;
        self.execute(
            "INSERT INTO log (place, match, version, before, landing, body) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            params![place, tail.number, version, tail.last, tail.landing, body],
        )?;
        self.next_place += 1;
        Ok(tail.after_a_row_at(place))
    }

    /// Only from where the log really ends, whatever is remembered: so no version is ever written twice.
    fn move_tail(&self, before: Tail, tail: Tail, due: Due) -> Result<(), Trouble> {
        let Tail { number, head, last, landing } = tail;
        let expected = before.head.cast_signed();
        let head = head.cast_signed();
        let due_ms = match due {
            Due::Keep => None,
            Due::At(due_ms) => Some(Some(due_ms)),
            Due::Never => Some(None),
        };
        let moved = match due_ms {
            None if tail == before => 1,
            None => self.execute(
                "UPDATE tails SET head = ?3, last = ?4, landing = ?5 WHERE match = ?1 AND head = ?2",
                params![number, expected, head, last, landing],
            )?,
            Some(due_ms) => self.execute(
                "UPDATE tails SET head = ?3, last = ?4, landing = ?5, due_ms = ?6 WHERE match = ?1 AND head = ?2",
                params![number, expected, head, last, landing, due_ms],
            )?,
        };
        let lost =
            || Trouble::Broken(format!("the log of match {number} does not end at version {expected}"));
        (moved == 1).then_some(()).ok_or_else(lost)
    }

    fn put(&mut self, put: &Put) -> Result<(), Trouble> {
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

    fn keep(&mut self, snapshot: &Snapshot) -> Result<(), Trouble> {
        let tail = self.tail_or_new(snapshot.match_id)?;
        self.execute(
            "INSERT INTO snapshots (match, version, body) VALUES (?1, ?2, ?3)
             ON CONFLICT (match) DO UPDATE SET version = excluded.version, body = excluded.body
             WHERE excluded.version >= version",
            params![tail.number, snapshot.version.cast_signed(), snapshot.body],
        )?;
        Ok(())
    }

    fn forget(&mut self, match_id: MatchId) -> Result<(), Trouble> {
        let Some(tail) = self.tail(match_id)? else { return Ok(()) };
        for place in Chain::at_the_end(&self.connection, tail).places()? {
            self.execute("DELETE FROM log WHERE place = ?1", [place])?;
        }
        self.execute("DELETE FROM snapshots WHERE match = ?1", [tail.number])?;
        self.execute("DELETE FROM tails WHERE match = ?1", [tail.number])?;
        self.execute("DELETE FROM matches WHERE number = ?1", [tail.number])?;
        self.tails.remove(match_id);
        Ok(())
    }

    fn tail(&mut self, match_id: MatchId) -> Result<Option<Tail>, Trouble> {
        if let Some(tail) = self.tails.get(match_id) {
            return Ok(Some(tail));
        }
        let tail = tails::read(&self.connection, match_id)?;
        tail.inspect(|tail| self.tails.insert(match_id, *tail));
        Ok(tail)
    }

    fn tail_or_new(&mut self, match_id: MatchId) -> Result<Tail, Trouble> {
        if let Some(tail) = self.tail(match_id)? {
            return Ok(tail);
        }
        self.execute("INSERT INTO matches (id) VALUES (?1)", [match_id.0.to_be_bytes()])?;
        let number = self.connection.last_insert_rowid();
        self.execute("INSERT INTO tails (match, head, last, landing) VALUES (?1, 0, 0, 0)", [number])?;
        let tail = Tail { number, head: 0, last: 0, landing: 0 };
        self.tails.insert(match_id, tail);
        Ok(tail)
    }
}

impl Contents for Pen {
    type Error = Trouble;

    fn head(&mut self, match_id: MatchId) -> Result<u64, Trouble> {
        Ok(self.tail(match_id)?.map_or(0, |tail| tail.head))
    }

    fn record_version(&mut self, key: &str) -> Result<Option<u64>, Trouble> {
        let mut statement = self.connection.prepare_cached("SELECT version FROM records WHERE key = ?1")?;
        let version = statement.query_row([key.as_bytes()], |row| row.get::<_, i64>(0)).optional()?;
        Ok(version.map(i64::cast_unsigned))
    }
}
