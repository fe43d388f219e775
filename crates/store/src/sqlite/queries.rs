//! The read queries.

use std::ops::Range;

use rusqlite::{Connection, OptionalExtension, params};

use super::errors::SqliteError;
use super::log_chain::LogChain;
use super::log_heads;
use crate::match_id::MatchId;
use crate::transaction::{LogRow, Snapshot, StoredMatch, StoredRecord};

pub(super) fn rows(
    connection: &Connection,
    match_id: MatchId,
    after: u64,
    limit: usize,
) -> Result<Vec<LogRow>, SqliteError> {
    // All steps must see the same tables, even if the match is being deleted.
    let transaction = connection.unchecked_transaction()?;
    let Some(log_head) = log_heads::read(&transaction, match_id)? else { return Ok(Vec::new()) };
    let last = log_head.head.min(after.saturating_add(limit as u64));
    if last <= after {
        return Ok(Vec::new());
    }
    let mut chain = LogChain::from_head(&transaction, log_head);
    chain.seek_back_to(last)?;
    chain.rows_after(after)
}

pub(super) fn head(connection: &Connection, match_id: MatchId) -> Result<u64, SqliteError> {
    Ok(log_heads::read(connection, match_id)?.map_or(0, |log_head| log_head.head))
}

pub(super) fn snapshot(connection: &Connection, match_id: MatchId) -> Result<Option<Snapshot>, SqliteError> {
    let mut statement = connection
        .prepare_cached("SELECT version, body FROM snapshots JOIN matches ON match = number WHERE id = ?1")?;
    let found = statement.query_row([match_id.0.to_be_bytes()], |row| {
        let version: i64 = row.get(0)?;
        Ok(Snapshot { match_id, version: version.cast_unsigned(), body: row.get(1)? })
    });
    Ok(found.optional()?)
}

pub(super) fn record(connection: &Connection, key: &str) -> Result<Option<StoredRecord>, SqliteError> {
    let mut statement = connection.prepare_cached("SELECT version, value FROM records WHERE key = ?1")?;
    let found = statement.query_row([key.as_bytes()], |row| record_at(row, 0));
    Ok(found.optional()?)
}

pub(super) fn scan(
    connection: &Connection,
    range: &Range<String>,
    limit: usize,
    newest_first: bool,
) -> Result<Vec<(String, StoredRecord)>, SqliteError> {
    let mut statement = connection.prepare_cached(if newest_first {
        "SELECT key, version, value FROM records WHERE key >= ?1 AND key < ?2 ORDER BY key DESC LIMIT ?3"
    } else {
        "SELECT key, version, value FROM records WHERE key >= ?1 AND key < ?2 ORDER BY key LIMIT ?3"
    })?;
    let bounds = params![range.start.as_bytes(), range.end.as_bytes(), clamp_to_i64(limit)];
    let found = statement.query_map(bounds, |row| Ok((row.get::<_, Vec<u8>>(0)?, record_at(row, 1)?)))?;
    let read_key = |key: Vec<u8>| {
        String::from_utf8(key).map_err(|_| SqliteError::Corrupt("a key is not valid UTF-8".into()))
    };
    found
        .map(|found| found.map_err(SqliteError::from).and_then(|(key, record)| Ok((read_key(key)?, record))))
        .collect()
}

pub(super) fn due(
    connection: &Connection,
    until_ms: i64,
    limit: usize,
) -> Result<Vec<(MatchId, i64)>, SqliteError> {
    let mut statement = connection.prepare_cached(
        "SELECT id, due_ms FROM tails JOIN matches ON match = number WHERE due_ms <= ?1 ORDER BY due_ms LIMIT ?2",
    )?;
    let found = statement.query_map(params![until_ms, clamp_to_i64(limit)], |row| {
        Ok((MatchId(u128::from_be_bytes(row.get(0)?)), row.get(1)?))
    })?;
    found.map(|found| Ok(found?)).collect()
}

pub(super) fn matches(
    connection: &Connection,
    after: Option<MatchId>,
    limit: usize,
) -> Result<Vec<StoredMatch>, SqliteError> {
    let mut statement = connection.prepare_cached(
        "SELECT id, head, due_ms FROM matches JOIN tails ON match = number
         WHERE ?1 IS NULL OR id > ?1 ORDER BY id LIMIT ?2",
    )?;
    let after = after.map(|after| after.0.to_be_bytes());
    let found = statement.query_map(params![after, clamp_to_i64(limit)], |row| {
        let head: i64 = row.get(1)?;
        let match_id = MatchId(u128::from_be_bytes(row.get(0)?));
        Ok(StoredMatch { match_id, head: head.cast_unsigned(), due_ms: row.get(2)? })
    })?;
    found.map(|found| Ok(found?)).collect()
}

/// Reads a record from column `first` (its version) and the next (its value).
fn record_at(row: &rusqlite::Row<'_>, first: usize) -> rusqlite::Result<StoredRecord> {
    let version: i64 = row.get(first)?;
    Ok(StoredRecord { version: version.cast_unsigned(), value: row.get(first + 1)? })
}

fn clamp_to_i64(limit: usize) -> i64 {
    i64::try_from(limit).unwrap_or(i64::MAX)
}
