//! A store in PostgreSQL, for any number of servers that are all the same.
//!
//! The database decides, not the server: whoever appends says where the log ends, and
//! a row lock on the match with the primary key of the log make sure that it does.
//! Nobody leads and nobody holds a lease. Changes go through a [queue](crate::queue) to
//! [one task](writer) that commits all it finds there in one transaction of the database: the
//! [plan] is what they come to, the [pen] writes it. Reads use [connections of their
//! own](readers). The [schema] says how the tables are laid out and why.

mod connecting;
mod encryption;
mod pen;
mod plan;
mod readers;
mod reading;
mod schema;
mod sheets;
mod statements;
mod timekeeper;
mod trouble;
mod writer;

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::sync::watch;
use tokio_postgres::Row as SqlRow;
use uuid::Uuid;

use self::connecting::Target;
use self::pen::Pen;
use self::readers::{Param, Readers};
use self::reading::at_most;
use self::timekeeper::Timekeeper;
use self::trouble::in_words;
use self::writer::{Rest, Writer};
use crate::error::StoreError;
use crate::limits;
use crate::match_id::MatchId;
use crate::queue::{Queue, Work};
use crate::transaction::{Listed, Outcome, Record, Row, Snapshot, Transaction};
use crate::{Answer, Store, known};

/// How long the database may take for anything, unless one says otherwise.
const PATIENCE: Duration = Duration::from_secs(10);

/// A store in a PostgreSQL database, or in a schema of one. Any number of processes may have it open.
///
/// While the database is away, changes are refused and reads fail; both work again as soon as it is
/// back. A connection that is lost during a commit is closed, and the outcome is `Unknown`. When this is
/// dropped, what was asked for is still written, as long as the runtime goes on.
pub struct Postgres {
    queue: Arc<Queue>,
    readers: Arc<Readers>,
    timekeeper: Arc<Timekeeper>,
    groups: Arc<AtomicU64>,
    /// Ends when the writer has ended.
    finished: watch::Receiver<()>,
}

impl Postgres {
    /// Opens the store at an address such as `postgres://user:password@host/database`, and makes its tables if need be.
    pub async fn open(url: &str) -> Result<Postgres, StoreError> {
        Postgres::open_with_patience(url, PATIENCE).await
    }

    /// The same, with another limit for how long the database may take for anything.
    pub async fn open_with_patience(url: &str, patience: Duration) -> Result<Postgres, StoreError> {
        let target = Target::new(url, patience)?;
        let failed = |what: String| StoreError::new(format!("{} cannot be opened: {what}", target.name()));
        schema::prepare(&mut target.connect().await?.client).await.map_err(|error| failed(error.what))?;
        let (queue, timekeeper) = (Arc::new(Queue::default()), Arc::new(Timekeeper::new()));
        let groups = Arc::new(AtomicU64::new(0));
        let pen = Pen::take(&target).await?;
        pen.look_at_clock(&timekeeper).await.map_err(|error| failed(in_words(&error)))?;
        let readers = Arc::new(Readers::new(target.clone())?);
        let writer = Writer {
            target,
            queue: Arc::clone(&queue),
            timekeeper: Arc::clone(&timekeeper),
            groups: Arc::clone(&groups),
            pen: Some(pen),
            rest: Rest::default(),
            unsettled: Vec::new(),
        };
        let (finish, finished) = watch::channel(());
        let to_close = Arc::clone(&readers);
        tokio::spawn(async move {
            writer.run().await;
            to_close.close();
            drop(finish);
        });
        Ok(Postgres { queue, readers, timekeeper, groups, finished })
    }

    /// How many times changes were committed together since the store was opened.
    pub fn batches(&self) -> u64 {
        self.groups.load(Ordering::Relaxed)
    }

    /// Reads rows and makes something of them.
    fn read<T: Send + 'static>(
        &self,
        what: String,
        sql: &'static str,
        params: Vec<Param>,
        understand: impl FnOnce(Vec<SqlRow>) -> Result<T, StoreError> + Send + 'static,
    ) -> Answer<Result<T, StoreError>> {
        if let Some(why) = self.queue.refusal() {
            return known(Err(StoreError::new(why)));
        }
        let reading = Arc::clone(&self.readers).read(what, sql, params);
        Box::pin(async move { understand(reading.await?) })
    }

    fn read_all<T: Send + 'static>(
        &self,
        what: String,
        sql: &'static str,
        params: Vec<Param>,
        understand: fn(&SqlRow) -> Result<T, StoreError>,
    ) -> Answer<Result<Vec<T>, StoreError>> {
        self.read(what, sql, params, move |rows| rows.iter().map(understand).collect())
    }
}

fn id(match_id: MatchId) -> Uuid {
    Uuid::from_u128(match_id.0)
}

impl Store for Postgres {
    fn commit(&self, transaction: Transaction) -> Answer<Outcome> {
        match limits::measure(&transaction) {
            Ok(size) => self.queue.ask(Work::Commit(transaction), size),
            Err(why) => known(Outcome::DefinitelyNot(why)),
        }
    }

    fn rows(&self, match_id: MatchId, after: u64, limit: usize) -> Answer<Result<Vec<Row>, StoreError>> {
        let params: Vec<Param> =
            vec![Box::new(id(match_id)), Box::new(at_most(after)), Box::new(at_most(limit))];
        self.read_all(format!("the log of {match_id}"), reading::ROWS, params, reading::row)
    }

    fn head(&self, match_id: MatchId) -> Answer<Result<u64, StoreError>> {
        let heads = self.heads(vec![match_id]);
        Box::pin(async move { Ok(heads.await?.first().copied().unwrap_or(0)) })
    }

    fn heads(&self, match_ids: Vec<MatchId>) -> Answer<Result<Vec<u64>, StoreError>> {
        let ids: Vec<Uuid> = match_ids.iter().copied().map(id).collect();
        let what = "where logs end".to_owned();
        self.read(what, reading::HEADS, vec![Box::new(ids)], move |rows| {
            let heads = rows.iter().map(reading::head).collect::<Result<HashMap<_, _>, _>>()?;
            Ok(match_ids.iter().map(|match_id| heads.get(match_id).copied().unwrap_or(0)).collect())
        })
    }

    fn snapshot(&self, match_id: MatchId) -> Answer<Result<Option<Snapshot>, StoreError>> {
        let what = format!("the snapshot of {match_id}");
        self.read(what, reading::SNAPSHOT, vec![Box::new(id(match_id))], move |rows| {
            rows.first().map(|row| reading::snapshot(match_id, row)).transpose()
        })
    }

    fn get(&self, key: &str) -> Answer<Result<Option<Record>, StoreError>> {
        let params: Vec<Param> = vec![Box::new(key.as_bytes().to_vec())];
        self.read(format!("the record `{key}`"), reading::RECORD, params, |rows| {
            rows.first().map(reading::record).transpose()
        })
    }

    fn scan(
        &self,
        range: Range<String>,
        limit: usize,
        newest_first: bool,
    ) -> Answer<Result<Vec<(String, Record)>, StoreError>> {
        let what = format!("the records from `{}` to `{}`", range.start, range.end);
        let sql = if newest_first { reading::SCAN_BACKWARDS } else { reading::SCAN };
        let params: Vec<Param> = vec![
            Box::new(range.start.into_bytes()),
            Box::new(range.end.into_bytes()),
            Box::new(at_most(limit)),
        ];
        self.read_all(what, sql, params, reading::scanned)
    }

    fn due(&self, until_ms: i64, limit: usize) -> Answer<Result<Vec<(MatchId, i64)>, StoreError>> {
        let params: Vec<Param> = vec![Box::new(until_ms), Box::new(at_most(limit))];
        self.read_all("the matches that are due".to_owned(), reading::DUE, params, reading::due)
    }

    fn claim_due(
        &self,
        until_ms: i64,
        limit: usize,
        hold_ms: i64,
    ) -> Answer<Result<Vec<(MatchId, i64)>, StoreError>> {
        let what = || "the matches that are due".to_owned();
        let armed = self.read(what(), reading::ARM, vec![Box::new(until_ms)], |_| Ok(()));
        let params: Vec<Param> = vec![Box::new(until_ms), Box::new(at_most(limit)), Box::new(hold_ms)];
        let claimed = self.read_all(what(), reading::CLAIM, params, reading::due);
        Box::pin(async move {
            armed.await?;
            claimed.await
        })
    }

    fn matches(&self, after: Option<MatchId>, limit: usize) -> Answer<Result<Vec<Listed>, StoreError>> {
        let limit: Param = Box::new(at_most(limit));
        let what = "the list of matches".to_owned();
        match after {
            None => self.read_all(what, reading::LISTED_FROM_THE_FIRST, vec![limit], reading::listed),
            Some(after) => {
                self.read_all(what, reading::LISTED, vec![Box::new(id(after)), limit], reading::listed)
            }
        }
    }

    fn forget(&self, match_id: MatchId) -> Answer<Outcome> {
        self.queue.ask(Work::Forget(match_id), 0)
    }

    fn now(&self) -> i64 {
        self.timekeeper.now_ms()
    }

    fn close(&self) -> Answer<()> {
        self.queue.close("the store is closed");
        let mut finished = self.finished.clone();
        Box::pin(async move { while finished.changed().await.is_ok() {} })
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        self.queue.close("the store is closed");
    }
}
