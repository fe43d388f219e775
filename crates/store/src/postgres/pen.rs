//! The connection that writes: one group at a time, in one transaction of the database.
//!
//! A group is first [tried](Pen::try_at_once) with everything sent at once, from BEGIN to COMMIT:
//! one round trip. Its statements check what the plan rests on and fail if that is not so; then
//! the database takes the COMMIT for a rollback, and the group is [written](Pen::write_carefully) again:
//! what it names is locked and read first, and judged by the rules all stores have.

use std::pin::Pin;
use std::time::Instant;

use futures_util::future::{join_all, join3};
use tokio_postgres::types::ToSql;
use tokio_postgres::{Client, Error, Statement};
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

type Said<'a> = Pin<Box<dyn Future<Output = Result<(), Error>> + Send + 'a>>;

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
        let (logs, records) = (LogSheet::of(plan), RecordSheet::of(plan));
        let ids: Vec<Uuid> = plan.logs.keys().map(|match_id| Uuid::from_u128(match_id.0)).collect();
        let keys: Vec<&[u8]> = plan.records.keys().map(|key| key.as_bytes()).collect();
        let mut said = vec![self.say_plainly("BEGIN")];
        if ids.len() + keys.len() > 1 {
            said.push(self.say(&self.statements.lock_logs, vec![&ids], ids.len()));
            said.push(self.say(&self.statements.lock_records, vec![&keys], keys.len()));
        }
        self.say_all(&mut said, &logs, &records);
        self.commit(said).await
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
        let (logs, records) = (LogSheet::of(&plan), RecordSheet::of(&plan));
        let mut said = Vec::new();
        self.say_all(&mut said, &logs, &records);
        self.commit(said).await?;
        Ok(outcomes)
    }

    /// Removes a match.
    pub(super) async fn forget(&self, match_id: MatchId) -> Result<(), Failure> {
        let id = Uuid::from_u128(match_id.0);
        let ids = vec![id];
        let said = vec![
            self.say_plainly("BEGIN"),
            self.say(&self.statements.lock_logs, vec![&ids], 1),
            self.say(&self.statements.forget, vec![&id], 1),
        ];
        self.commit(said).await
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

    /// Says what a plan comes to, without BEGIN and COMMIT.
    fn say_all<'a>(&'a self, said: &mut Vec<Said<'a>>, logs: &'a LogSheet<'a>, records: &'a RecordSheet<'a>) {
        let statements = &self.statements;
        let LogSheet { begun, moved, rows, snapshots } = logs;
        let mut say = |statement: &'a Statement, params: Vec<&'a (dyn ToSql + Sync)>, count: usize| {
            if count > 0 {
                said.push(self.say(statement, params, count));
            }
        };
        say(&statements.begin_logs, vec![&begun.ids, &begun.heads, &begun.due_ms], begun.ids.len());
        let params: Vec<&(dyn ToSql + Sync)> =
            vec![&moved.ids, &moved.before, &moved.heads, &moved.how, &moved.due_ms];
        say(&statements.move_logs, params, moved.ids.len());
        say(&statements.add_rows, vec![&rows.ids, &rows.versions, &rows.bodies], rows.ids.len());
        let params: Vec<&(dyn ToSql + Sync)> = vec![&snapshots.ids, &snapshots.versions, &snapshots.bodies];
        say(&statements.keep_snapshots, params, snapshots.ids.len());
        let RecordSheet { made, changed, put, removed } = records;
        say(&statements.make_records, vec![&made.keys, &made.values], made.keys.len());
        let params: Vec<&(dyn ToSql + Sync)> = vec![&changed.keys, &changed.versions, &changed.values];
        say(&statements.change_records, params, changed.keys.len());
        say(&statements.put_records, vec![&put.keys, &put.values], put.keys.len());
        say(&statements.remove_records, vec![&removed.keys, &removed.versions], removed.keys.len());
    }

    /// Sends all that is said and a COMMIT after it, and only then waits for answers.
    async fn commit(&self, mut said: Vec<Said<'_>>) -> Result<(), Failure> {
        said.push(self.say_plainly("COMMIT"));
        let mut answers = join_all(said).await;
        let committed = answers.pop().unwrap_or(Ok(()));
        if let Some(Err(error)) = answers.into_iter().find(Result::is_err) {
            return Err(trouble::with_commit_on_its_way(&error));
        }
        committed.map_err(|error| trouble::at_commit(&error))
    }

    /// Ends a transaction of the database that came to nothing.
    async fn roll_back(&self, failure: Failure) -> Failure {
        // If this fails the connection is gone, and the transaction with it.
        let _ = self.client().batch_execute("ROLLBACK").await;
        failure
    }

    fn say<'a>(
        &'a self,
        statement: &'a Statement,
        params: Vec<&'a (dyn ToSql + Sync)>,
        count: usize,
    ) -> Said<'a> {
        Box::pin(async move {
            if count > 0 {
                self.client().query(statement, &params).await?;
            }
            Ok(())
        })
    }

    fn say_plainly<'a>(&'a self, text: &'a str) -> Said<'a> {
        Box::pin(self.client().batch_execute(text))
    }

    fn client(&self) -> &Client {
        &self.line.client
    }
}
