//! The tables and their numbered migrations. Each migration runs once and never changes.

use tokio_postgres::Client;

use super::errors::describe;
use crate::error::StoreError;

/// Migration n turns format n - 1 into format n.
///
/// `matches` decides who may append: its row is locked and moved from one head to the next. Two rows with the
/// same version must never exist; the primary key of the log guarantees that, whatever else goes wrong.
///
/// `wake_ms` is never later than `due_ms`. It is the indexed column, and it is left unchanged when a match
/// becomes due later, or never, so that most updates touch no index. Claiming due matches corrects it.
///
/// Keys are bytes because PostgreSQL text cannot contain a zero byte. Migration 2 creates the functions that
/// write.
const MIGRATIONS: &[&str] = &[
    "
    CREATE TABLE matches (
        match uuid PRIMARY KEY,
        head bigint NOT NULL,
        due_ms bigint,
        wake_ms bigint,
        held_until_ms bigint
    ) WITH (fillfactor = 70);
    CREATE INDEX matches_by_wake ON matches (wake_ms) WHERE wake_ms IS NOT NULL;
    CREATE TABLE log (
        match uuid NOT NULL,
        version bigint NOT NULL,
        body bytea NOT NULL,
        PRIMARY KEY (match, version)
    );
    CREATE TABLE snapshots (
        match uuid PRIMARY KEY,
        version bigint NOT NULL,
        body bytea NOT NULL
    );
    CREATE TABLE records (
        key bytea PRIMARY KEY,
        version bigint NOT NULL,
        value bytea NOT NULL
    );
    CREATE SEQUENCE record_changes;
",
    include_str!("functions.sql"),
];

/// Serialises servers that start at the same time. One may have to wait long for its turn, hence the timeouts.
const TAKE_MIGRATION_LOCK: &str = "
    SET LOCAL lock_timeout = '1min';
    SET LOCAL statement_timeout = '1min';
    SELECT pg_advisory_xact_lock(5283417723091)";

/// Migrates a database to the newest format. Rejects a newer one, and one in which another program uses our
/// table names.
pub(super) async fn prepare(client: &mut Client) -> Result<(), StoreError> {
    prepare_with(client, MIGRATIONS).await
}

async fn prepare_with(client: &mut Client, steps: &[&str]) -> Result<(), StoreError> {
    let failed = |error: tokio_postgres::Error| {
        StoreError::new(format!("its tables cannot be created or read: {}", describe(&error)))
    };
    let transaction = client.transaction().await.map_err(failed)?;
    transaction.batch_execute(TAKE_MIGRATION_LOCK).await.map_err(failed)?;
    let row = transaction.query_one("SELECT to_regclass('schema_version') IS NOT NULL, to_regclass('matches') IS NOT NULL OR to_regclass('log') IS NOT NULL OR to_regclass('records') IS NOT NULL", &[]);
    let row = row.await.map_err(failed)?;
    let (is_ours, has_tables): (bool, bool) = (row.get(0), row.get(1));
    if !is_ours && has_tables {
        return Err(StoreError::new("it contains tables of another program"));
    }
    if !is_ours {
        let make =
            "CREATE TABLE schema_version (format bigint NOT NULL); INSERT INTO schema_version VALUES (0)";
        transaction.batch_execute(make).await.map_err(failed)?;
    }
    let row = transaction.query_one("SELECT format FROM schema_version", &[]).await.map_err(failed)?;
    let format = usize::try_from(row.get::<_, i64>(0)).unwrap_or(usize::MAX);
    if format > steps.len() {
        let known = steps.len();
        let what = format!("its format is {format}, but this version supports formats up to {known}");
        return Err(StoreError::new(what));
    }
    for step in &steps[format..] {
        transaction.batch_execute(step).await.map_err(failed)?;
    }
    if format < steps.len() {
        let steps = steps.len() as i64;
        transaction.execute("UPDATE schema_version SET format = $1", &[&steps]).await.map_err(failed)?;
    }
    transaction.commit().await.map_err(failed)
}
