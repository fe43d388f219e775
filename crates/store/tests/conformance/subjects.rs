//! The stores the laws are tried on, and short ways to say what the laws say often.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use intermezzo_cluster::Shared;
use intermezzo_store::{
    Append, Due, Expect, Fault, Faulty, ManualClock, MatchId, Memory, Outcome, Postgres, Put, Rates, Record,
    Snapshot, Sqlite, Store, Transaction,
};

pub(crate) const FIRST: MatchId = MatchId(0xf1);
pub(crate) const SECOND: MatchId = MatchId(0x5ec);
/// What the clock of every subject shows at first.
pub(crate) const START_MS: i64 = 1_000_000;

/// A store to try laws on.
pub(crate) struct Subject {
    pub(crate) store: Arc<dyn Store>,
    /// Some have a clock of their own.
    pub(crate) clock: Option<Arc<ManualClock>>,
    /// Removed after the store is dropped.
    _folder: Option<Folder>,
}

pub(crate) fn memory() -> Subject {
    let clock = Arc::new(ManualClock::new(START_MS));
    Subject { store: Arc::new(Memory::with_clock(clock.clone())), clock: Some(clock), _folder: None }
}

pub(crate) fn sqlite() -> Subject {
    let (clock, folder) = (Arc::new(ManualClock::new(START_MS)), Folder::new());
    let store = Sqlite::open(&folder.0, clock.clone()).unwrap();
    Subject { store: Arc::new(store), clock: Some(clock), _folder: Some(folder) }
}

pub(crate) fn faulty_without_faults() -> Subject {
    let clock = Arc::new(ManualClock::new(START_MS));
    let store = Faulty::scripted(Memory::with_clock(clock.clone()), [Fault::None]);
    Subject { store: Arc::new(store), clock: Some(clock), _folder: None }
}

/// Some of its answers come late, so they come out of order.
pub(crate) fn slow() -> Subject {
    let (clock, folder) = (Arc::new(ManualClock::new(START_MS)), Folder::new());
    let store = Sqlite::open(&folder.0, clock.clone()).unwrap();
    let rates = Rates { delayed: 30, delay: Duration::from_millis(2), ..Rates::default() };
    Subject { store: Arc::new(Faulty::seeded(store, 7, rates)), clock: Some(clock), _folder: Some(folder) }
}

/// Where stores in PostgreSQL are: each in a schema of its own, by the name of a law.
pub(crate) struct House(Shared);

impl House {
    /// None if there is no PostgreSQL.
    pub(crate) fn find() -> Option<House> {
        Shared::find().unwrap().map(House)
    }

    /// A store for each of these laws.
    pub(crate) async fn all(&self, laws: &[&str]) -> Vec<Subject> {
        let names: Vec<String> = laws.iter().map(|law| short(law)).collect();
        let urls = self.0.schemas(&names).unwrap();
        let opened: Vec<_> = urls
            .into_iter()
            .map(|url| tokio::spawn(async move { Postgres::open(&url).await.unwrap() }))
            .collect();
        let mut subjects = Vec::new();
        for store in opened {
            subjects.push(Subject { store: Arc::new(store.await.unwrap()), clock: None, _folder: None });
        }
        subjects
    }

    pub(crate) fn clear(&self, laws: &[&str]) {
        self.0.remove_schemas(&laws.iter().map(|law| short(law)).collect::<Vec<_>>()).unwrap();
    }
}

/// Names of schemas have at most 63 letters, with a number at the end.
fn short(name: &str) -> String {
    let start = name.len().saturating_sub(50);
    format!("of_{}", &name[start..])
}

/// An empty folder that is removed when it is dropped.
pub(crate) struct Folder(pub(crate) PathBuf);

impl Folder {
    pub(crate) fn new() -> Folder {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("conformance-{}-{count}", std::process::id());
        Folder(PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

pub(crate) fn append(match_id: MatchId, expected: u64, rows: &[&str]) -> Append {
    let rows = rows.iter().map(|row| row.as_bytes().to_vec()).collect();
    Append { match_id, expected, rows, due: Due::Keep }
}

pub(crate) fn put(key: &str, expect: Expect, value: &str) -> Put {
    Put { key: key.to_owned(), expect, value: Some(value.as_bytes().to_vec()) }
}

pub(crate) fn remove(key: &str, expect: Expect) -> Put {
    Put { key: key.to_owned(), expect, value: None }
}

pub(crate) fn snapshot(match_id: MatchId, version: u64, body: &str) -> Snapshot {
    Snapshot { match_id, version, body: body.as_bytes().to_vec() }
}

pub(crate) fn appending(appends: impl IntoIterator<Item = Append>) -> Transaction {
    Transaction { appends: appends.into_iter().collect(), ..Transaction::default() }
}

pub(crate) fn putting(puts: impl IntoIterator<Item = Put>) -> Transaction {
    Transaction { puts: puts.into_iter().collect(), ..Transaction::default() }
}

pub(crate) fn keeping(snapshots: impl IntoIterator<Item = Snapshot>) -> Transaction {
    Transaction { snapshots: snapshots.into_iter().collect(), ..Transaction::default() }
}

impl Subject {
    /// Lets time pass.
    pub(crate) async fn wait_ms(&self, time_ms: i64) {
        match &self.clock {
            Some(clock) => clock.advance(time_ms),
            None => tokio::time::sleep(Duration::from_millis(time_ms as u64)).await,
        }
    }

    /// Commits what must succeed.
    pub(crate) async fn commit(&self, transaction: Transaction) {
        assert_eq!(self.store.commit(transaction).await, Outcome::Committed);
    }

    /// Commits what must be refused for a reason that is not a conflict, and gives the reason.
    pub(crate) async fn refusal(&self, transaction: Transaction) -> String {
        match self.store.commit(transaction).await {
            Outcome::DefinitelyNot(why) => why,
            other => panic!("it was not refused: {other:?}"),
        }
    }

    /// The bodies of a log as text, with their versions checked.
    pub(crate) async fn texts(&self, match_id: MatchId) -> Vec<String> {
        let rows = self.store.rows(match_id, 0, usize::MAX).await.unwrap();
        let versions: Vec<u64> = rows.iter().map(|row| row.version).collect();
        assert_eq!(versions, (1..=rows.len() as u64).collect::<Vec<_>>());
        rows.into_iter().map(|row| String::from_utf8(row.body).unwrap()).collect()
    }

    pub(crate) async fn record(&self, key: &str) -> Option<Record> {
        self.store.get(key).await.unwrap()
    }

    /// The version of a record that must be there.
    pub(crate) async fn version(&self, key: &str) -> u64 {
        self.record(key).await.unwrap().version
    }
}
