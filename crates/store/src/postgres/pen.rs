//! The connection that writes: one group at a time, in one transaction of the database.
//!
//! A group is first [tried](Pen::try_at_once) in one statement, which checks what the plan rests on and
//! fails if that is not so: one round trip. Then it is [written](Pen::write_carefully) again: what it names
//! is locked and read first, and judged by the rules all stores have.

use std::time::Instant;

use futures_util::future::{join, join3};
use tokio_postgres::types::ToSql;
use tokio_postgres::{Client, Error};
use uuid::Uuid;

use super::connecting::{Line, Target};
use super::plan::{self, Basis, Plan};
use super::sheets::{LogSheet, RecordSheet};
use super::statements::Statements;
use super::timekeeper::Timekeeper;
use super::trouble::{self, Failure, in_words};
use crate::error::StoreError;
use crate::match_id::MatchId;
use crate::transaction::{Outcome, Transaction};

/// What the session that writes needs besides the limits that all sessions have.
const SETTINGS: &str = "
    SET plan_cache_mode = force_generic_plan;
    SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'";

const WHO_AM_I: &str = "SELECT pid, backend_start::text FROM pg_stat_activity WHERE pid = pg_backend_pid()";

const IS_THERE: &str =
    "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE pid = $1 AND backend_start::text = $2)";

const CLOCK: &str = "SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::int8";

/// The connection that writes.
pub(super) struct Pen {
    line: Line,
    statements: Statements,
    pub(super) session: Session,
}

/// Names a session of the database, so that one can see whether it has ended.
#[derive(Clone)]
pub(super) struct Session {
    pid: i32,
    begun: String,
}

impl Pen {
    pub(super) async fn take(target: &Target) -> Result<Pen, StoreError> {
        let line = target.connect().await?;
        let preparing = async {
            line.client.batch_execute(SETTINGS).await?;
            let row = line.client.query_one(WHO_AM_I, &[]).await?;
            let session = Session { pid: row.try_get(0)?, begun: row.try_get(1)? };
            Ok::<_, Error>((session, Statements::prepare(&line.client).await?))
        };
        let why = match tokio::time::timeout(target.longest(), preparing).await {
            Ok(Ok((session, statements))) => return Ok(Pen { line, statements, session }),
            Ok(Err(error)) => in_words(&error),
            Err(_) => "it does not answer".to_owned(),
        };
        Err(StoreError::new(format!("{} cannot be written: {why}", target.name())))
    }

    pub(super) fn is_closed(&self) -> bool {
        self.line.client.is_closed()
    }

    /// Asks what time it is.
    pub(super) async fn look_at_clock(&self, timekeeper: &Timekeeper) -> Result<(), Error> {
        let asked = Instant::now();
        let row = self.line.client.query_one(CLOCK, &[]).await?;
        timekeeper.learn(row.try_get(0)?, asked, Instant::now());
        Ok(())
    }

    /// Whether a session of the database is still there.
    pub(super) async fn sees(&self, session: &Session) -> Result<bool, Error> {
        let row = self.line.client.query_one(IS_THERE, &[&session.pid, &session.begun]).await?;
        row.try_get(0)
    }

    /// Writes what transactions come to if everything is as they expect, without looking first.
    pub(super) async fn try_at_once(&self, plan: &Plan<'_>) -> Result<(), Failure> {
        self.write(plan).await.map_err(|error| trouble::at_commit(&error))
    }

    /// Locks and reads what transactions name, judges them, and writes those that may happen.
    pub(super) async fn write_carefully(
        &self,
        transactions: &[&Transaction],
    ) -> Result<Vec<Outcome>, Failure> {
        let basis = self.look(transactions).await;
        let basis = match basis {
            Ok(basis) => basis,
            Err(error) => return Err(self.roll_back(trouble::before_commit(&error)).await),
        };
        let (plan, outcomes) = plan::plan(transactions.iter().copied(), basis);
        // Both are sent at once: if the first fails, the database takes the second for a rollback.
        let (written, committed) = join(self.write(&plan), self.client().batch_execute("COMMIT")).await;
        written.map_err(|error| trouble::with_commit_on_its_way(&error))?;
        committed.map_err(|error| trouble::at_commit(&error))?;
        Ok(outcomes)
    }

    /// Removes a match.
    pub(super) async fn forget(&self, match_id: MatchId) -> Result<(), Failure> {
        let forgotten = self.client().execute(&self.statements.forget, &[&Uuid::from_u128(match_id.0)]).await;
        forgotten.map(|_| ()).map_err(|error| trouble::at_commit(&error))
    }

    /// Begins a transaction of the database, and locks and reads all that transactions name.
    async fn look(&self, transactions: &[&Transaction]) -> Result<Basis, Error> {
        let ids = plan::matches_of(transactions.iter().copied());
        let ids: Vec<Uuid> = ids.iter().map(|match_id| Uuid::from_u128(match_id.0)).collect();
        let keys = plan::keys_of(transactions.iter().copied());
        let keys: Vec<&[u8]> = keys.iter().map(|key| key.as_bytes()).collect();
        let client = self.client();
        let (ids, keys): ([&(dyn ToSql + Sync); 1], [&(dyn ToSql + Sync); 1]) = ([&ids], [&keys]);
        let (begun, logs, records) = join3(
            client.batch_execute("BEGIN"),
            client.query(&self.statements.lock_logs, &ids),
            client.query(&self.statements.lock_records, &keys),
        )
        .await;
        begun?;
        let mut basis = Basis::default();
        for row in logs? {
            let head: i64 = row.try_get(1)?;
            basis.heads.insert(MatchId(row.try_get::<_, Uuid>(0)?.as_u128()), head.cast_unsigned());
        }
        for row in records? {
            let version: i64 = row.try_get(1)?;
            let key = String::from_utf8_lossy(row.try_get::<_, &[u8]>(0)?).into_owned();
            basis.versions.insert(key, version.cast_unsigned());
        }
        Ok(basis)
    }

    /// Writes a plan in one statement.
    async fn write(&self, plan: &Plan<'_>) -> Result<(), Error> {
        let LogSheet { begun, moved, rows, snapshots } = &LogSheet::of(plan);
        let RecordSheet { made, changed, put, removed } = &RecordSheet::of(plan);
        let params: [&(dyn ToSql + Sync); 23] = [
            &begun.ids,
            &begun.heads,
            &begun.due_ms,
            &moved.ids,
            &moved.before,
            &moved.heads,
            &moved.how,
            &moved.due_ms,
            &rows.ids,
            &rows.versions,
            &rows.bodies,
            &snapshots.ids,
            &snapshots.versions,
            &snapshots.bodies,
            &made.keys,
            &made.values,
            &changed.keys,
            &changed.versions,
            &changed.values,
            &put.keys,
            &put.values,
            &removed.keys,
            &removed.versions,
        ];
        self.client().execute(&self.statements.write, &params).await.map(|_| ())
    }

    /// Ends a transaction of the database that came to nothing.
    async fn roll_back(&self, failure: Failure) -> Failure {
        // If this fails the connection is gone, and the transaction with it.
        let _ = self.client().batch_execute("ROLLBACK").await;
        failure
    }

    fn client(&self) -> &Client {
        &self.line.client
    }
}
