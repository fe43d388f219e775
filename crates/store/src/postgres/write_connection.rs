//! The write connection: one group at a time, in one database transaction.
//!
//! A group is first [written optimistically](PostgresWriteConnection::write_optimistically) with one statement,
//! which checks the preconditions and fails if one does not hold: one round trip. After such a failure it is
//! written again [under locks](PostgresWriteConnection::write_locked): everything it touches is locked and read
//! first, and the common preconditions decide.

use std::time::Instant;

use futures_util::future::{join, join3};
use tokio_postgres::types::ToSql;
use tokio_postgres::{Client, Error};
use uuid::Uuid;

use super::columns::{LogColumns, RecordColumns};
use super::connection::{PostgresConnection, PostgresTarget};
use super::database_clock::DatabaseClock;
use super::errors::{self, WriteFailure, describe};
use super::plan::{self, KnownVersions, WritePlan};
use super::statements::WriteStatements;
use crate::error::StoreError;
use crate::match_id::MatchId;
use crate::transaction::{CommitOutcome, Transaction};

/// Settings of the writing session, in addition to the limits of all sessions.
const SETTINGS: &str = "
    SET plan_cache_mode = force_generic_plan;
    SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'";

const OWN_SESSION: &str =
    "SELECT pid, backend_start::text FROM pg_stat_activity WHERE pid = pg_backend_pid()";

const IS_SESSION_ALIVE: &str =
    "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE pid = $1 AND backend_start::text = $2)";

const CLOCK: &str = "SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::int8";

pub(super) struct PostgresWriteConnection {
    connection: PostgresConnection,
    statements: WriteStatements,
    pub(super) session: BackendSession,
}

/// Identifies a database session, to find out whether it has ended.
#[derive(Clone)]
pub(super) struct BackendSession {
    pid: i32,
    started: String,
}

impl PostgresWriteConnection {
    pub(super) async fn open(target: &PostgresTarget) -> Result<PostgresWriteConnection, StoreError> {
        let connection = target.connect().await?;
        let preparing = async {
            connection.client.batch_execute(SETTINGS).await?;
            let row = connection.client.query_one(OWN_SESSION, &[]).await?;
            let session = BackendSession { pid: row.try_get(0)?, started: row.try_get(1)? };
            Ok::<_, Error>((session, WriteStatements::prepare(&connection.client).await?))
        };
        let why = match tokio::time::timeout(target.max_wait(), preparing).await {
            Ok(Ok((session, statements))) => {
                return Ok(PostgresWriteConnection { connection, statements, session });
            }
            Ok(Err(error)) => describe(&error),
            Err(_) => "it does not respond".to_owned(),
        };
        Err(StoreError::new(format!("{} cannot be written: {why}", target.name())))
    }

    pub(super) fn is_closed(&self) -> bool {
        self.connection.client.is_closed()
    }

    /// Takes a sample of the database clock.
    pub(super) async fn sync_clock(&self, clock: &DatabaseClock) -> Result<(), Error> {
        let asked = Instant::now();
        let row = self.connection.client.query_one(CLOCK, &[]).await?;
        clock.record_sample(row.try_get(0)?, asked, Instant::now());
        Ok(())
    }

    /// Returns whether a database session still exists.
    pub(super) async fn is_alive(&self, session: &BackendSession) -> Result<bool, Error> {
        let row =
            self.connection.client.query_one(IS_SESSION_ALIVE, &[&session.pid, &session.started]).await?;
        row.try_get(0)
    }

    /// Writes a plan without reading first, on the assumption that every expectation holds.
    pub(super) async fn write_optimistically(&self, plan: &WritePlan<'_>) -> Result<(), WriteFailure> {
        self.write(plan).await.map_err(|error| errors::at_commit(&error))
    }

    /// Locks and reads everything the transactions touch, checks their preconditions, and writes those that
    /// pass.
    pub(super) async fn write_locked(
        &self,
        transactions: &[&Transaction],
    ) -> Result<Vec<CommitOutcome>, WriteFailure> {
        let known = self.lock_and_read(transactions).await;
        let known = match known {
            Ok(known) => known,
            Err(error) => return Err(self.roll_back(errors::before_commit(&error)).await),
        };
        let (plan, outcomes) = plan::plan(transactions.iter().copied(), known);
        // Both are sent at once: if the first fails, the database treats the second as a rollback.
        let (written, committed) = join(self.write(&plan), self.client().batch_execute("COMMIT")).await;
        written.map_err(|error| errors::with_commit_in_flight(&error))?;
        committed.map_err(|error| errors::at_commit(&error))?;
        Ok(outcomes)
    }

    pub(super) async fn delete_match(&self, match_id: MatchId) -> Result<(), WriteFailure> {
        let forgotten =
            self.client().execute(&self.statements.delete_match, &[&Uuid::from_u128(match_id.0)]).await;
        forgotten.map(|_| ()).map_err(|error| errors::at_commit(&error))
    }

    /// Begins a database transaction, and locks and reads everything the transactions touch.
    async fn lock_and_read(&self, transactions: &[&Transaction]) -> Result<KnownVersions, Error> {
        let ids = plan::matches_of(transactions.iter().copied());
        let ids: Vec<Uuid> = ids.iter().map(|match_id| Uuid::from_u128(match_id.0)).collect();
        let keys = plan::keys_of(transactions.iter().copied());
        let keys: Vec<&[u8]> = keys.iter().map(|key| key.as_bytes()).collect();
        let client = self.client();
        let (ids, keys): ([&(dyn ToSql + Sync); 1], [&(dyn ToSql + Sync); 1]) = ([&ids], [&keys]);
        let (began, logs, records) = join3(
            client.batch_execute("BEGIN"),
            client.query(&self.statements.lock_logs, &ids),
            client.query(&self.statements.lock_records, &keys),
        )
        .await;
        began?;
        let mut known = KnownVersions::default();
        for row in logs? {
            let head: i64 = row.try_get(1)?;
            known.heads.insert(MatchId(row.try_get::<_, Uuid>(0)?.as_u128()), head.cast_unsigned());
        }
        for row in records? {
            let version: i64 = row.try_get(1)?;
            let key = String::from_utf8_lossy(row.try_get::<_, &[u8]>(0)?).into_owned();
            known.versions.insert(key, version.cast_unsigned());
        }
        Ok(known)
    }

    async fn write(&self, plan: &WritePlan<'_>) -> Result<(), Error> {
        let LogColumns { created: new_matches, updated: updated_matches, rows, snapshots } =
            &LogColumns::from_plan(plan);
        let RecordColumns { created: new_records, updated: updated_records, put, removed } =
            &RecordColumns::from_plan(plan);
        let params: [&(dyn ToSql + Sync); 23] = [
            &new_matches.ids,
            &new_matches.heads,
            &new_matches.due_ms,
            &updated_matches.ids,
            &updated_matches.before,
            &updated_matches.heads,
            &updated_matches.due_modes,
            &updated_matches.due_ms,
            &rows.ids,
            &rows.versions,
            &rows.bodies,
            &snapshots.ids,
            &snapshots.versions,
            &snapshots.bodies,
            &new_records.keys,
            &new_records.values,
            &updated_records.keys,
            &updated_records.versions,
            &updated_records.values,
            &put.keys,
            &put.values,
            &removed.keys,
            &removed.versions,
        ];
        self.client().execute(&self.statements.write, &params).await.map(|_| ())
    }

    /// Rolls back the current database transaction.
    async fn roll_back(&self, failure: WriteFailure) -> WriteFailure {
        // If this fails, the connection is gone and its transaction with it.
        let _ = self.client().batch_execute("ROLLBACK").await;
        failure
    }

    fn client(&self) -> &Client {
        &self.connection.client
    }
}
