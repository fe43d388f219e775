//! The SQLite store beyond the common conformance tests: its files, and its behaviour when they fail.

#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

use std::path::{Path, PathBuf};
use std::sync::Arc;

use intermezzo_store::{
    Append, CommitOutcome, Conflict, Due, Expect, MatchId, Put, Snapshot, SqliteStore, Store, StoreError,
    SystemClock, Transaction,
};

const ID: MatchId = MatchId(7);

/// Returns an empty folder for one test.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("sqlite-{name}"));
    let _ = std::fs::remove_dir_all(&folder);
    folder
}

fn open(folder: &Path) -> Result<SqliteStore, StoreError> {
    SqliteStore::open(folder, Arc::new(SystemClock))
}

/// Returns the error of opening the store.
fn refusal(folder: &Path) -> String {
    open(folder).err().expect("it cannot be opened").to_string()
}

/// Runs SQL on a second connection to the same file, to simulate outside changes.
fn meddle(folder: &Path, sql: &str) {
    let connection = rusqlite::Connection::open(folder.join("store.db")).unwrap();
    connection.busy_timeout(std::time::Duration::from_secs(5)).unwrap();
    connection.execute_batch(sql).unwrap();
}

fn row(match_id: MatchId, expected: u64) -> Transaction {
    let append = Append { match_id, expected, rows: vec![vec![1; 100]], due: Due::At(5) };
    Transaction { appends: vec![append], ..Transaction::default() }
}

fn put(key: &str, value: Option<&[u8]>) -> Put {
    Put { key: key.to_owned(), expect: Expect::Anything, value: value.map(<[u8]>::to_vec) }
}

#[tokio::test]
async fn everything_is_there_after_it_is_opened_again() {
    let folder = folder("reopened");
    let mut version = 0;
    for round in 0..5 {
        let store = open(&folder).unwrap();
        assert_eq!(store.head(ID).await, Ok(round));
        let mut transaction = row(ID, round);
        transaction.puts = vec![put("k", Some(b"v")), put("gone", None)];
        transaction.snapshots = vec![Snapshot { match_id: ID, version: round + 1, body: b"s".to_vec() }];
        assert_eq!(store.commit(transaction).await, CommitOutcome::Committed);
        assert_eq!(store.rows(ID, 0, 10).await.unwrap().len() as u64, round + 1);
        assert_eq!(store.snapshot(ID).await.unwrap().unwrap().version, round + 1);
        assert_eq!(store.due(5, 10).await, Ok(vec![(ID, 5)]));
        let record = store.get("k").await.unwrap().unwrap();
        assert!(record.version > version, "versions of records go on");
        version = record.version;
        if round % 2 == 0 {
            store.close().await;
        }
    }
}

#[tokio::test]
async fn a_version_of_a_record_is_not_reused_after_opening_again() {
    let folder = folder("counter");
    let change = |put| Transaction { puts: vec![put], ..Transaction::default() };
    let store = open(&folder).unwrap();
    assert_eq!(store.commit(change(put("k", Some(b"1")))).await, CommitOutcome::Committed);
    let before = store.get("k").await.unwrap().unwrap().version;
    assert_eq!(store.commit(change(put("k", None))).await, CommitOutcome::Committed);
    drop(store);
    let store = open(&folder).unwrap();
    assert_eq!(store.commit(change(put("k", Some(b"2")))).await, CommitOutcome::Committed);
    assert!(store.get("k").await.unwrap().unwrap().version > before);
}

#[tokio::test]
async fn a_closed_store_leaves_one_file_and_can_be_opened_while_its_owner_lives() {
    let folder = folder("closed");
    let store = open(&folder).unwrap();
    assert_eq!(store.commit(row(ID, 0)).await, CommitOutcome::Committed);
    assert_eq!(store.head(ID).await, Ok(1));
    store.close().await;
    assert!(!folder.join("store.db-wal").exists());
    let again = open(&folder).unwrap();
    assert_eq!(again.head(ID).await, Ok(1));
}

#[test]
fn a_store_that_is_open_cannot_be_opened_again() {
    let folder = folder("locked");
    let first = open(&folder).unwrap();
    let expected = format!("the store in `{}` is in use, possibly by another process", folder.display());
    assert_eq!(refusal(&folder), expected);
    drop(first);
    open(&folder).unwrap();
}

#[test]
fn a_newer_store_is_refused() {
    let folder = folder("newer");
    drop(open(&folder).unwrap());
    meddle(&folder, "PRAGMA user_version = 99");
    let error = refusal(&folder);
    assert!(error.starts_with(&format!("the store in `{}` cannot be opened: ", folder.display())), "{error}");
    assert!(error.contains("its format is 99, but this version supports formats up to"), "{error}");
}

#[test]
fn a_database_of_another_program_is_refused() {
    let folder = folder("foreign");
    std::fs::create_dir_all(&folder).unwrap();
    meddle(&folder, "CREATE TABLE theirs (a)");
    let error = refusal(&folder);
    assert!(error.ends_with("it belongs to another program"), "{error}");
}

#[test]
fn garbage_is_refused() {
    let folder = folder("garbage");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("store.db"), vec![0x5a; 10_000]).unwrap();
    let error = refusal(&folder);
    assert!(error.ends_with("cannot be opened: it cannot be read: file is not a database"), "{error}");
}

#[tokio::test]
async fn a_torn_file_is_refused() {
    let folder = folder("torn");
    let store = open(&folder).unwrap();
    for version in 0..200 {
        assert_eq!(store.commit(row(ID, version)).await, CommitOutcome::Committed);
    }
    store.close().await;
    drop(store);
    let file = std::fs::File::options().write(true).open(folder.join("store.db")).unwrap();
    let length = file.metadata().unwrap().len();
    file.set_len(length / 2).unwrap();
    let error = refusal(&folder);
    assert!(error.ends_with("database disk image is malformed"), "{error}");
}

#[test]
fn a_folder_that_cannot_be_created_is_reported() {
    let folder = folder("beneath-a-file");
    std::fs::write(&folder, b"a file").unwrap();
    let error = refusal(&folder.join("store"));
    assert!(error.contains("cannot be created"), "{error}");
    std::fs::remove_file(&folder).unwrap();
}

#[tokio::test]
async fn a_log_that_someone_else_moved_is_a_conflict_and_never_written_over() {
    for (name, due) in [("moved", Due::Keep), ("moved-with-due", Due::Never)] {
        let folder = folder(name);
        let store = open(&folder).unwrap();
        assert_eq!(store.commit(row(ID, 0)).await, CommitOutcome::Committed);
        meddle(&folder, "UPDATE tails SET head = 5");
        let mut stale = row(ID, 1);
        stale.appends[0].due = due;
        // The writer's cache is stale. It notices on the first write at the latest, and is correct from then
        // on.
        let conflict = CommitOutcome::Conflict(Conflict::Log { match_id: ID, head: 5 });
        let (first, neighbour) = (store.commit(stale.clone()), store.commit(row(MatchId(8), 0)));
        let first = first.await;
        assert!(matches!(&first, CommitOutcome::NotCommitted(_)) || first == conflict, "{first:?}");
        assert_eq!(neighbour.await, CommitOutcome::Committed);
        assert_eq!(store.commit(stale).await, conflict);
        let error = store.rows(ID, 0, 10).await.unwrap_err().to_string();
        assert!(error.contains("the log is corrupt: version 5 is not at place 1"), "{error}");
    }
}

#[tokio::test]
async fn a_failing_write_does_not_affect_its_neighbours() {
    let folder = folder("poisoned");
    drop(open(&folder).unwrap());
    meddle(
        &folder,
        "CREATE TRIGGER poison BEFORE INSERT ON records WHEN new.key = CAST('poison' AS BLOB)
         BEGIN SELECT raise(ABORT, 'poisoned'); END",
    );
    let store = open(&folder).unwrap();
    let mut answers = Vec::new();
    for version in 0..50 {
        let mut poisoned = row(ID, version);
        poisoned.puts = vec![put("poison", Some(b""))];
        answers.push((store.commit(poisoned), CommitOutcome::NotCommitted("poisoned".to_owned())));
        answers.push((store.commit(row(ID, version)), CommitOutcome::Committed));
    }
    for (answer, outcome) in answers {
        assert_eq!(answer.await, outcome);
    }
    assert_eq!(store.rows(ID, 0, 100).await.unwrap().len(), 50);
}

#[tokio::test]
async fn a_store_with_an_unknown_commit_stops_until_reopened() {
    let folder = folder("unknown");
    drop(open(&folder).unwrap());
    // A deferred constraint is checked by COMMIT itself, so the commit fails.
    meddle(
        &folder,
        "CREATE TABLE parents (id INTEGER PRIMARY KEY);
         CREATE TABLE children (parent INTEGER REFERENCES parents DEFERRABLE INITIALLY DEFERRED);
         CREATE TRIGGER fails AFTER INSERT ON log WHEN new.version = 3
         BEGIN INSERT INTO children VALUES (1); END",
    );
    let store = open(&folder).unwrap();
    for version in 0..2 {
        assert_eq!(store.commit(row(ID, version)).await, CommitOutcome::Committed);
    }
    let unknown = store.commit(row(ID, 2)).await;
    assert_eq!(unknown, CommitOutcome::Unknown("a commit failed: FOREIGN KEY constraint failed".to_owned()));
    let stopped = "the store has stopped and must be reopened: \
                   a commit failed: FOREIGN KEY constraint failed";
    assert_eq!(store.commit(row(ID, 2)).await, CommitOutcome::NotCommitted(stopped.to_owned()));
    assert_eq!(store.head(ID).await, Err(StoreError { message: stopped.to_owned() }));
    store.close().await;
    drop(store);
    assert_eq!(open(&folder).unwrap().head(ID).await, Ok(2));
}

#[tokio::test]
async fn a_batch_that_sqlite_rolled_back_by_itself_is_written_again_without_the_culprit() {
    let folder = folder("rolled-back");
    drop(open(&folder).unwrap());
    meddle(
        &folder,
        "CREATE TRIGGER culprit BEFORE INSERT ON records BEGIN SELECT raise(ROLLBACK, 'rolled back'); END",
    );
    let store = open(&folder).unwrap();
    let mut culprit = row(ID, 1);
    culprit.puts = vec![put("k", Some(b""))];
    let answers = [store.commit(row(ID, 0)), store.commit(culprit), store.commit(row(ID, 1))];
    let not = CommitOutcome::NotCommitted("rolled back".to_owned());
    for (answer, outcome) in
        answers.into_iter().zip([CommitOutcome::Committed, not, CommitOutcome::Committed])
    {
        assert_eq!(answer.await, outcome);
    }
    assert_eq!(store.head(ID).await, Ok(2));
}

#[test]
fn only_the_owner_may_read_the_data() {
    use std::os::unix::fs::PermissionsExt;
    let folder = std::env::temp_dir().join(format!("intermezzo-store-modes-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let open = || drop(SqliteStore::open(&folder, Arc::new(SystemClock)).unwrap());
    open();
    assert_eq!(mode(&folder), 0o700);
    assert_eq!(mode(&folder.join("store.db")), 0o600);
    assert_eq!(mode(&folder.join("store.lock")), 0o600);
    // Data of earlier versions is taken away from others.
    std::fs::set_permissions(&folder, std::fs::Permissions::from_mode(0o755)).unwrap();
    std::fs::set_permissions(folder.join("store.db"), std::fs::Permissions::from_mode(0o644)).unwrap();
    // A server that was killed leaves its socket behind.
    std::fs::write(folder.join("admin.sock"), b"").unwrap();
    open();
    assert_eq!(mode(&folder), 0o700);
    assert_eq!(mode(&folder.join("store.db")), 0o600);
    // So are backups, which may be moved elsewhere.
    let backup = folder.with_extension("backup");
    let _ = std::fs::remove_dir_all(&backup);
    SqliteStore::back_up(&folder, &backup).unwrap();
    assert_eq!(mode(&backup), 0o700);
    assert_eq!(mode(&backup.join("store.db")), 0o600);
    std::fs::remove_dir_all(&backup).unwrap();
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn an_empty_database_is_refused() {
    let folder = std::env::temp_dir().join(format!("intermezzo-store-empty-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("store.db"), b"").unwrap();
    let error = SqliteStore::open(&folder, Arc::new(SystemClock)).err().unwrap().to_string();
    assert!(error.contains("its contents are lost"), "{error}");
    // A server that was killed while it created the file starts again.
    std::fs::rename(folder.join("store.db"), folder.join("store.new")).unwrap();
    drop(SqliteStore::open(&folder, Arc::new(SystemClock)).unwrap());
    std::fs::remove_dir_all(&folder).unwrap();
}
