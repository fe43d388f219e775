//! A store in one SQLite file, for a server on one machine.
//!
//! Changes go through a [queue](crate::queue) to [one thread](writer) that commits all it
//! finds there together, with one sync of the disk, and answers afterwards. Reads
//! use [connections of their own](readers). The [schema] says how logs are laid out
//! and why; the [chain] is how they are read.

mod chain;
mod folder;
mod pen;
mod readers;
mod reading;
mod schema;
mod tails;
mod trouble;
mod writer;

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::JoinHandle;

use rusqlite::Connection;
use tokio::sync::watch;

use self::folder::Lock;
use self::pen::Pen;
use self::readers::Readers;
use self::trouble::Trouble;
use crate::claims::Claims;
use crate::clock::Clock;
use crate::error::StoreError;
use crate::limits;
use crate::match_id::MatchId;
use crate::queue::{Queue, Work};
use crate::transaction::{Listed, Outcome, Record, Row, Snapshot, Transaction};
use crate::{Answer, Store, known};

/// A store in a folder of its own.
///
/// If a commit fails so that its fate is unknown, the store stops: it refuses
/// everything until it is opened anew, which settles what was committed.
/// Dropping it waits until everything that was asked for is written.
pub struct Sqlite {
    queue: Arc<Queue>,
    readers: Arc<Readers>,
    clock: Arc<dyn Clock>,
    claims: Arc<Claims>,
    batches: Arc<AtomicU64>,
    writer: Option<JoinHandle<()>>,
    /// Ends when the writer has let go of its files.
    finished: watch::Receiver<()>,
}

impl Sqlite {
    /// Opens the store in a folder, or makes it. Only one process can have it open.
    pub fn open(folder: &Path, clock: Arc<dyn Clock>) -> Result<Sqlite, StoreError> {
        let lock = folder::take(folder)?;
        let connection = folder::open_to_write(folder)?;
        let failed = |what: String| {
            StoreError::new(format!("the store in `{}` cannot be opened: {what}", folder.display()))
        };
        let pen = Pen::new(connection).map_err(|trouble| failed(trouble.to_string()))?;
        let (queue, batches) = (Arc::new(Queue::default()), Arc::new(AtomicU64::new(0)));
        let (finish, finished) = watch::channel(());
        let readers = Arc::new(Readers::new(folder::database_in(folder)));
        let writer = Writer { pen, lock, queue: Arc::clone(&queue), readers: Arc::clone(&readers), finish };
        let writer = writer.start(Arc::clone(&batches)).map_err(|error| failed(error.to_string()))?;
        let claims = Arc::default();
        Ok(Sqlite { queue, readers, clock, claims, batches, writer: Some(writer), finished })
    }

    /// How many times changes were committed together since the store was opened.
    pub fn batches(&self) -> u64 {
        self.batches.load(Ordering::Relaxed)
    }

    fn read<T: Send + 'static>(
        &self,
        what: String,
        read: impl FnOnce(&Connection) -> Result<T, Trouble> + Send + 'static,
    ) -> Answer<Result<T, StoreError>> {
        match self.queue.refusal() {
            Some(why) => known(Err(StoreError::new(why))),
            None => Box::pin(Arc::clone(&self.readers).read(what, read)),
        }
    }
}

/// What the thread that writes has to itself.
struct Writer {
    pen: Pen,
    lock: Lock,
    queue: Arc<Queue>,
    readers: Arc<Readers>,
    finish: watch::Sender<()>,
}

impl Writer {
    /// Starts the thread. In the end it is the last to let go of the file: it tidies up, which readers cannot.
    fn start(self, batches: Arc<AtomicU64>) -> std::io::Result<JoinHandle<()>> {
        let Writer { mut pen, lock, queue, readers, finish } = self;
        std::thread::Builder::new().name("store".to_owned()).spawn(move || {
            writer::run(&mut pen, &queue, &batches);
            readers.close();
            drop(pen);
            drop(lock);
            drop(finish);
        })
    }
}

impl Store for Sqlite {
    fn commit(&self, transaction: Transaction) -> Answer<Outcome> {
        self.claims.release(&transaction);
        match limits::measure(&transaction) {
            Ok(size) => self.queue.ask(Work::Commit(transaction), size),
            Err(why) => known(Outcome::DefinitelyNot(why)),
        }
    }

    fn rows(&self, match_id: MatchId, after: u64, limit: usize) -> Answer<Result<Vec<Row>, StoreError>> {
        let what = format!("the log of {match_id}");
        self.read(what, move |connection| reading::rows(connection, match_id, after, limit))
    }

    fn head(&self, match_id: MatchId) -> Answer<Result<u64, StoreError>> {
        let what = format!("the end of the log of {match_id}");
        self.read(what, move |connection| reading::head(connection, match_id))
    }

    fn heads(&self, match_ids: Vec<MatchId>) -> Answer<Result<Vec<u64>, StoreError>> {
        self.read("where logs end".to_owned(), move |connection| {
            match_ids.iter().map(|match_id| reading::head(connection, *match_id)).collect()
        })
    }

    fn snapshot(&self, match_id: MatchId) -> Answer<Result<Option<Snapshot>, StoreError>> {
        let what = format!("the snapshot of {match_id}");
        self.read(what, move |connection| reading::snapshot(connection, match_id))
    }

    fn get(&self, key: &str) -> Answer<Result<Option<Record>, StoreError>> {
        let key = key.to_owned();
        self.read(format!("the record `{key}`"), move |connection| reading::record(connection, &key))
    }

    fn scan(
        &self,
        range: Range<String>,
        limit: usize,
        newest_first: bool,
    ) -> Answer<Result<Vec<(String, Record)>, StoreError>> {
        let what = format!("the records from `{}` to `{}`", range.start, range.end);
        self.read(what, move |connection| reading::scan(connection, &range, limit, newest_first))
    }

    fn due(&self, until_ms: i64, limit: usize) -> Answer<Result<Vec<(MatchId, i64)>, StoreError>> {
        let what = "the matches that are due".to_owned();
        self.read(what, move |connection| reading::due(connection, until_ms, limit))
    }

    fn claim_due(
        &self,
        until_ms: i64,
        limit: usize,
        hold_ms: i64,
    ) -> Answer<Result<Vec<(MatchId, i64)>, StoreError>> {
        let due = self.due(until_ms, limit.saturating_add(self.claims.count()));
        let (claims, now_ms) = (Arc::clone(&self.claims), self.now());
        Box::pin(async move { Ok(claims.take(due.await?, now_ms, limit, hold_ms)) })
    }

    fn matches(&self, after: Option<MatchId>, limit: usize) -> Answer<Result<Vec<Listed>, StoreError>> {
        let what = "the list of matches".to_owned();
        self.read(what, move |connection| reading::listed(connection, after, limit))
    }

    fn forget(&self, match_id: MatchId) -> Answer<Outcome> {
        self.queue.ask(Work::Forget(match_id), 0)
    }

    fn now(&self) -> i64 {
        self.clock.now_ms()
    }

    fn close(&self) -> Answer<()> {
        self.queue.close("the store is closed");
        let mut finished = self.finished.clone();
        Box::pin(async move { while finished.changed().await.is_ok() {} })
    }
}

impl Drop for Sqlite {
    fn drop(&mut self) {
        self.queue.close("the store is closed");
        if let Some(writer) = self.writer.take() {
            // A panic of the writer was told to everyone who waited for it.
            let _ = writer.join();
        }
    }
}
