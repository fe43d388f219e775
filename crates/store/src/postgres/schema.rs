//! The tables, and how older databases get them: numbered steps, each taken once and never changed.

use tokio_postgres::Client;

use super::trouble::in_words;
use crate::error::StoreError;

/// Step n makes format n from format n - 1.
///
/// `matches` decides who may append: its row is locked and moved from one head to
/// the next. What must never happen is two rows for one version: the primary key of
/// the log makes sure of that, whatever else goes wrong.
///
/// `wake_ms` is no later than `due_ms`. It is what is searched, and stays as it is when
/// a match becomes due later, or never, so that most rows change no index; it is put
/// right when somebody looks for matches that are due.
///
/// Keys are bytes since no text of PostgreSQL can hold a zero. Step 2 is how things are written.
const STEPS: &[&str] = &[
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

/// Nodes that start at the same time take turns, and may have to wait for long until it is theirs.
const TURN: &str = "
    SET LOCAL lock_timeout = '1min';
    SET LOCAL statement_timeout = '1min';
    SELECT pg_advisory_xact_lock(5283417723091)";

/// Brings a database to the newest format. One that has tables of others by our names, or that is newer, is left alone.
pub(super) async fn prepare(client: &mut Client) -> Result<(), StoreError> {
    prepare_with(client, STEPS).await
}

async fn prepare_with(client: &mut Client, steps: &[&str]) -> Result<(), StoreError> {
    let failed = |error: tokio_postgres::Error| {
        StoreError::new(format!("its tables cannot be made or looked at: {}", in_words(&error)))
    };
    let transaction = client.transaction().await.map_err(failed)?;
    transaction.batch_execute(TURN).await.map_err(failed)?;
    let row = transaction.query_one("SELECT to_regclass('schema_version') IS NOT NULL, to_regclass('matches') IS NOT NULL OR to_regclass('log') IS NOT NULL OR to_regclass('records') IS NOT NULL", &[]);
    let row = row.await.map_err(failed)?;
    let (is_ours, has_tables): (bool, bool) = (row.get(0), row.get(1));
    if !is_ours && has_tables {
        return Err(StoreError::new("it has tables of another program"));
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
        let what = format!("it has format {format}, but this program knows formats up to {known} only");
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
