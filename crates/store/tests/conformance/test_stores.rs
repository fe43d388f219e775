//! The stores under test, and helpers for the tests.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use intermezzo_store::{
    Append, CommitOutcome, Due, Expect, FaultInjector, InjectedFault, ManualClock, MatchId, MemoryStore,
    PostgresStore, Put, Snapshot, SqliteStore, Store, StoreFaultRates, StoredRecord, Transaction,
};
use intermezzo_test_postgres::SharedPostgres;

pub(crate) const FIRST: MatchId = MatchId(0xf1);
pub(crate) const SECOND: MatchId = MatchId(0x5ec);
/// The initial time of every manual clock.
pub(crate) const START_MS: i64 = 1_000_000;

/// A store under test.
pub(crate) struct TestStore {
    pub(crate) inner: Arc<dyn Store>,
    /// The manual clock, unless the store uses its own.
    pub(crate) clock: Option<Arc<ManualClock>>,
    /// Removed after the store is dropped (fields drop in order).
    _folder: Option<ScratchFolder>,
}

pub(crate) fn memory() -> TestStore {
    let clock = Arc::new(ManualClock::new(START_MS));
    TestStore { inner: Arc::new(MemoryStore::with_clock(clock.clone())), clock: Some(clock), _folder: None }
}

pub(crate) fn sqlite() -> TestStore {
    let (clock, folder) = (Arc::new(ManualClock::new(START_MS)), ScratchFolder::new());
    let store = SqliteStore::open(&folder.0, clock.clone()).unwrap();
    TestStore { inner: Arc::new(store), clock: Some(clock), _folder: Some(folder) }
}

pub(crate) fn faulty_without_faults() -> TestStore {
    let clock = Arc::new(ManualClock::new(START_MS));
    let store = FaultInjector::scripted(MemoryStore::with_clock(clock.clone()), [InjectedFault::None]);
    TestStore { inner: Arc::new(store), clock: Some(clock), _folder: None }
}

/// A store that delays some outcomes, so that they arrive out of order.
pub(crate) fn slow() -> TestStore {
    let (clock, folder) = (Arc::new(ManualClock::new(START_MS)), ScratchFolder::new());
    let store = SqliteStore::open(&folder.0, clock.clone()).unwrap();
    let rates =
        StoreFaultRates { delayed: 30, delay: Duration::from_millis(2), ..StoreFaultRates::default() };
    TestStore {
        inner: Arc::new(FaultInjector::seeded(store, 7, rates)),
        clock: Some(clock),
        _folder: Some(folder),
    }
}

/// PostgreSQL stores for the tests, each in its own schema named after the test.
pub(crate) struct PostgresStores(SharedPostgres);

impl PostgresStores {
    /// Returns `None` if PostgreSQL is not installed.
    pub(crate) fn find() -> Option<PostgresStores> {
        SharedPostgres::find_or_start().unwrap().map(PostgresStores)
    }

    /// Opens one store per test.
    pub(crate) async fn all(&self, laws: &[&str]) -> Vec<TestStore> {
        let names: Vec<String> = laws.iter().map(|law| short(law)).collect();
        let urls = self.0.create_schemas(&names).unwrap();
        let opened: Vec<_> = urls
            .into_iter()
            .map(|url| tokio::spawn(async move { PostgresStore::open(&url).await.unwrap() }))
            .collect();
        let mut stores = Vec::new();
        for store in opened {
            stores.push(TestStore { inner: Arc::new(store.await.unwrap()), clock: None, _folder: None });
        }
        stores
    }

    pub(crate) fn clear(&self, laws: &[&str]) {
        self.0.remove_schemas(&laws.iter().map(|law| short(law)).collect::<Vec<_>>()).unwrap();
    }
}

/// Shortens a name: schema names have at most 63 characters, including a number at the end.
fn short(name: &str) -> String {
    let start = name.len().saturating_sub(50);
    format!("of_{}", &name[start..])
}

/// A folder that is removed when dropped.
pub(crate) struct ScratchFolder(pub(crate) PathBuf);

impl ScratchFolder {
    pub(crate) fn new() -> ScratchFolder {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("conformance-{}-{count}", std::process::id());
        ScratchFolder(PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name))
    }
}

impl Drop for ScratchFolder {
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

pub(crate) fn with_appends(appends: impl IntoIterator<Item = Append>) -> Transaction {
    Transaction { appends: appends.into_iter().collect(), ..Transaction::default() }
}

pub(crate) fn with_puts(puts: impl IntoIterator<Item = Put>) -> Transaction {
    Transaction { puts: puts.into_iter().collect(), ..Transaction::default() }
}

pub(crate) fn with_snapshots(snapshots: impl IntoIterator<Item = Snapshot>) -> Transaction {
    Transaction { snapshots: snapshots.into_iter().collect(), ..Transaction::default() }
}

impl TestStore {
    pub(crate) async fn wait_ms(&self, time_ms: i64) {
        match &self.clock {
            Some(clock) => clock.advance(time_ms),
            None => tokio::time::sleep(Duration::from_millis(time_ms as u64)).await,
        }
    }

    /// Commits a transaction that must succeed.
    pub(crate) async fn commit(&self, transaction: Transaction) {
        assert_eq!(self.inner.commit(transaction).await, CommitOutcome::Committed);
    }

    /// Commits a transaction that must be rejected for a reason other than a conflict, and returns the reason.
    pub(crate) async fn reject(&self, transaction: Transaction) -> String {
        match self.inner.commit(transaction).await {
            CommitOutcome::NotCommitted(why) => why,
            other => panic!("it was not refused: {other:?}"),
        }
    }

    /// Returns the bodies of a log as text, and checks their versions.
    pub(crate) async fn texts(&self, match_id: MatchId) -> Vec<String> {
        let rows = self.inner.rows(match_id, 0, usize::MAX).await.unwrap();
        let versions: Vec<u64> = rows.iter().map(|row| row.version).collect();
        assert_eq!(versions, (1..=rows.len() as u64).collect::<Vec<_>>());
        rows.into_iter().map(|row| String::from_utf8(row.body).unwrap()).collect()
    }

    pub(crate) async fn record(&self, key: &str) -> Option<StoredRecord> {
        self.inner.get(key).await.unwrap()
    }

    /// Returns the version of a record that must exist.
    pub(crate) async fn version(&self, key: &str) -> u64 {
        self.record(key).await.unwrap().version
    }
}
