//! What is read from the tables.

use std::ops::Range;

use rusqlite::{Connection, OptionalExtension, params};

use super::chain::Chain;
use super::tails;
use super::trouble::Trouble;
use crate::match_id::MatchId;
use crate::transaction::{Listed, Record, Row, Snapshot};

pub(super) fn rows(
    connection: &Connection,
    match_id: MatchId,
    after: u64,
    limit: usize,
) -> Result<Vec<Row>, Trouble> {
    // All steps must see the same tables, even if the match is being forgotten.
    let transaction = connection.unchecked_transaction()?;
    let Some(tail) = tails::read(&transaction, match_id)? else { return Ok(Vec::new()) };
    let last = tail.head.min(after.saturating_add(limit as u64));
    if last <= after {
        return Ok(Vec::new());
    }
    let mut chain = Chain::at_the_end(&transaction, tail);
    chain.go_back_to(last)?;
    chain.rows_after(after)
}

pub(super) fn head(connection: &Connection, match_id: MatchId) -> Result<u64, Trouble> {
    Ok(tails::read(connection, match_id)?.map_or(0, |tail| tail.head))
}

pub(super) fn snapshot(connection: &Connection, match_id: MatchId) -> Result<Option<Snapshot>, Trouble> {
    let mut statement = connection
        .prepare_cached("SELECT version, body FROM snapshots JOIN matches ON match = number WHERE id = ?1")?;
    let found = statement.query_row([match_id.0.to_be_bytes()], |row| {
        let version: i64 = row.get(0)?;
        Ok(Snapshot { match_id, version: version.cast_unsigned(), body: row.get(1)? })
    });
    Ok(found.optional()?)
}

pub(super) fn record(connection: &Connection, key: &str) -> Result<Option<Record>, Trouble> {
    let mut statement = connection.prepare_cached("SELECT version, value FROM records WHERE key = ?1")?;
    let found = statement.query_row([key.as_bytes()], |row| record_at(row, 0));
    Ok(found.optional()?)
}

pub(super) fn scan(
    connection: &Connection,
    range: &Range<String>,
    limit: usize,
    newest_first: bool,
) -> Result<Vec<(String, Record)>, Trouble> {
    let mut statement = connection.prepare_cached(if newest_first {
        "SELECT key, version, value FROM records WHERE key >= ?1 AND key < ?2 ORDER BY key DESC LIMIT ?3"
    } else {
        "SELECT key, version, value FROM records WHERE key >= ?1 AND key < ?2 ORDER BY key LIMIT ?3"
    })?;
    let bounds = params![range.start.as_bytes(), range.end.as_bytes(), at_most(limit)];
    let found = statement.query_map(bounds, |row| Ok((row.get::<_, Vec<u8>>(0)?, record_at(row, 1)?)))?;
    let read_key =
        |key: Vec<u8>| String::from_utf8(key).map_err(|_| Trouble::Broken("a key is no text".into()));
    found
        .map(|found| found.map_err(Trouble::from).and_then(|(key, record)| Ok((read_key(key)?, record))))
        .collect()
}

pub(super) fn due(
    connection: &Connection,
    until_ms: i64,
    limit: usize,
) -> Result<Vec<(MatchId, i64)>, Trouble> {
    let mut statement = connection.prepare_cached(
        "SELECT id, due_ms FROM tails JOIN matches ON match = number WHERE due_ms <= ?1 ORDER BY due_ms LIMIT ?2",
    )?;
    let found = statement.query_map(params![until_ms, at_most(limit)], |row| {
        Ok((MatchId(u128::from_be_bytes(row.get(0)?)), row.get(1)?))
    })?;
    found.map(|found| Ok(found?)).collect()
}

pub(super) fn listed(
    connection: &Connection,
    after: Option<MatchId>,
    limit: usize,
) -> Result<Vec<Listed>, Trouble> {
    let mut statement = connection.prepare_cached(
        "SELECT id, head, due_ms FROM matches JOIN tails ON match = number
         WHERE ?1 IS NULL OR id > ?1 ORDER BY id LIMIT ?2",
    )?;
    let after = after.map(|after| after.0.to_be_bytes());
    let found = statement.query_map(params![after, at_most(limit)], |row| {
        let head: i64 = row.get(1)?;
        let match_id = MatchId(u128::from_be_bytes(row.get(0)?));
        Ok(Listed { match_id, head: head.cast_unsigned(), due_ms: row.get(2)? })
    })?;
    found.map(|found| Ok(found?)).collect()
}

/// The record in the columns `first` (its version) and the next (its value).
fn record_at(row: &rusqlite::Row<'_>, first: usize) -> rusqlite::Result<Record> {
    let version: i64 = row.get(first)?;
    Ok(Record { version: version.cast_unsigned(), value: row.get(first + 1)? })
}

fn at_most(limit: usize) -> i64 {
    i64::try_from(limit).unwrap_or(i64::MAX)
}
