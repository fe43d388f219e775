//! The read queries and the conversion of their rows.

use tokio_postgres::Row as SqlRow;
use tokio_postgres::types::FromSql;
use uuid::Uuid;

use crate::error::StoreError;
use crate::match_id::MatchId;
use crate::transaction::{LogRow, Snapshot, StoredMatch, StoredRecord};

pub(super) const ROWS: &str =
    "SELECT version, body FROM log WHERE match = $1 AND version > $2 ORDER BY version LIMIT $3";

pub(super) const HEADS: &str = "SELECT match, head FROM matches WHERE match = ANY($1)";

pub(super) const SNAPSHOT: &str = "SELECT version, body FROM snapshots WHERE match = $1";

pub(super) const RECORD: &str = "SELECT version, value FROM records WHERE key = $1";

pub(super) const SCAN: &str =
    "SELECT version, value, key FROM records WHERE key >= $1 AND key < $2 ORDER BY key LIMIT $3";

pub(super) const SCAN_BACKWARDS: &str =
    "SELECT version, value, key FROM records WHERE key >= $1 AND key < $2 ORDER BY key DESC LIMIT $3";

pub(super) const DUE: &str = "
    SELECT match, due_ms FROM matches WHERE wake_ms <= $1 AND due_ms <= $1 ORDER BY due_ms, match LIMIT $2";

pub(super) const MATCHES_AFTER: &str =
    "SELECT match, head, due_ms FROM matches WHERE match > $1 ORDER BY match LIMIT $2";

pub(super) const MATCHES: &str = "SELECT match, head, due_ms FROM matches ORDER BY match LIMIT $1";

/// Corrects stale wake times: of matches that became due later, or never, after `wake_ms` was set.
pub(super) const REARM: &str = "
    WITH picked AS MATERIALIZED (
        SELECT match FROM matches
        WHERE wake_ms <= $1 AND (due_ms IS NULL OR due_ms > $1)
        ORDER BY wake_ms LIMIT 1000 FOR UPDATE SKIP LOCKED)
    UPDATE matches SET wake_ms = due_ms FROM picked WHERE matches.match = picked.match";

/// Claims due matches that nobody has claimed. Rows locked by a writer are skipped for now.
pub(super) const CLAIM: &str = "
    WITH now AS MATERIALIZED (SELECT (extract(epoch FROM clock_timestamp()) * 1000)::int8 AS ms),
    picked AS MATERIALIZED (
        SELECT match FROM matches
        WHERE wake_ms <= $1 AND due_ms <= $1
            AND (held_until_ms IS NULL OR held_until_ms <= (SELECT ms FROM now))
        ORDER BY due_ms, match LIMIT $2 FOR UPDATE SKIP LOCKED),
    claimed AS (
        UPDATE matches SET held_until_ms = (SELECT ms FROM now) + $3
        FROM picked WHERE matches.match = picked.match RETURNING matches.match, matches.due_ms)
    SELECT match, due_ms FROM claimed ORDER BY due_ms, match";

/// Reads one column of a row.
fn column<'a, T: FromSql<'a>>(row: &'a SqlRow, at: usize) -> Result<T, StoreError> {
    row.try_get(at).map_err(|error| StoreError::new(format!("unexpected data in the database: {error}")))
}

fn version(row: &SqlRow, at: usize) -> Result<u64, StoreError> {
    Ok(column::<i64>(row, at)?.cast_unsigned())
}

fn match_id(row: &SqlRow, at: usize) -> Result<MatchId, StoreError> {
    Ok(MatchId(column::<Uuid>(row, at)?.as_u128()))
}

pub(super) fn row(row: &SqlRow) -> Result<LogRow, StoreError> {
    Ok(LogRow { version: version(row, 0)?, body: column(row, 1)? })
}

pub(super) fn head(row: &SqlRow) -> Result<(MatchId, u64), StoreError> {
    Ok((match_id(row, 0)?, version(row, 1)?))
}

pub(super) fn snapshot(match_id: MatchId, row: &SqlRow) -> Result<Snapshot, StoreError> {
    Ok(Snapshot { match_id, version: version(row, 0)?, body: column(row, 1)? })
}

pub(super) fn record(row: &SqlRow) -> Result<StoredRecord, StoreError> {
    Ok(StoredRecord { version: version(row, 0)?, value: column(row, 1)? })
}

pub(super) fn scanned(row: &SqlRow) -> Result<(String, StoredRecord), StoreError> {
    let key = String::from_utf8(column(row, 2)?).map_err(|_| StoreError::new("a key is not valid UTF-8"))?;
    Ok((key, record(row)?))
}

pub(super) fn due(row: &SqlRow) -> Result<(MatchId, i64), StoreError> {
    Ok((match_id(row, 0)?, column(row, 1)?))
}

pub(super) fn stored_match(row: &SqlRow) -> Result<StoredMatch, StoreError> {
    Ok(StoredMatch { match_id: match_id(row, 0)?, head: version(row, 1)?, due_ms: column(row, 2)? })
}

/// Converts a number for a statement, clamped to the largest value.
pub(super) fn clamp_to_i64(number: impl TryInto<i64>) -> i64 {
    number.try_into().unwrap_or(i64::MAX)
}
