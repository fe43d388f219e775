//! Acknowledged writes survive a killed process, and nothing is torn.
//!
//! The test runs itself as a child process that writes and prints every acknowledgement, and kills it in the
//! middle of writing, several times on the same folder.

#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use intermezzo_store::{
    Append, CommitOutcome, Due, Expect, MatchId, Put, Snapshot, SqliteStore, Store, SystemClock, Transaction,
};

/// The environment variable that gives the child its folder.
const FOLDER: &str = "INTERMEZZO_TEST_FOLDER";
const MATCHES: u128 = 16;

#[tokio::test]
async fn acknowledged_writes_survive_a_kill() {
    if let Ok(folder) = std::env::var(FOLDER) {
        return write_until_killed(Path::new(&folder)).await;
    }
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("killed");
    let _ = std::fs::remove_dir_all(&folder);
    let mut acknowledged = BTreeMap::new();
    for round in 0..6 {
        let before: u64 = acknowledged.values().sum();
        run_and_kill(&folder, Duration::from_millis(100 + 37 * round), &mut acknowledged);
        assert!(acknowledged.values().sum::<u64>() > before, "round {round} wrote something");
        check(&folder, &acknowledged).await;
    }
}

/// Runs a child for a while, kills it, and records the last version it acknowledged for each match.
fn run_and_kill(folder: &Path, time: Duration, acknowledged: &mut BTreeMap<u128, u64>) {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "acknowledged_writes_survive_a_kill", "--nocapture"])
        .env(FOLDER, folder)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    // The time starts at the first line, so the child is writing when it is killed.
    let mut kill_at = None;
    for line in lines.map_while(Result::ok) {
        if let Some((id, version)) = read_acknowledged(&line) {
            acknowledged.insert(id, version);
        }
        if Instant::now() >= *kill_at.get_or_insert_with(|| Instant::now() + time) {
            let _ = child.kill();
        }
    }
    let status = child.wait().unwrap();
    assert!(!status.success(), "the child was killed");
}

/// Parses a line of the child into match and version. Its last line may be torn.
fn read_acknowledged(line: &str) -> Option<(u128, u64)> {
    let (id, version) = line.strip_prefix("acknowledged ")?.strip_suffix('.')?.split_once(' ')?;
    Some((id.parse().ok()?, version.parse().ok()?))
}

async fn write_until_killed(folder: &Path) {
    let store = Arc::new(SqliteStore::open(folder, Arc::new(SystemClock)).unwrap());
    let mut tasks = Vec::new();
    for id in 0..MATCHES {
        let store = Arc::clone(&store);
        tasks.push(tokio::spawn(async move { write_one_match(&*store, id).await }));
    }
    for task in tasks {
        task.await.unwrap();
    }
}

/// Writes three rows at a time before waiting, each with a record that counts them.
async fn write_one_match(store: &dyn Store, id: u128) {
    let mut version = store.head(MatchId(id)).await.unwrap();
    loop {
        let answers = [1, 2, 3].map(|more| (version + more, store.commit(change(id, version + more))));
        for (written, answer) in answers {
            assert_eq!(answer.await, CommitOutcome::Committed);
            version = written;
            let mut out = std::io::stdout();
            writeln!(out, "acknowledged {id} {version}.").unwrap();
        }
    }
}

fn change(id: u128, version: u64) -> Transaction {
    let match_id = MatchId(id);
    let append = Append {
        match_id,
        expected: version - 1,
        rows: vec![body(id, version)],
        due: Due::At(version as i64),
    };
    let value = Some(version.to_string().into_bytes());
    let put = Put { key: format!("count/{id}"), expect: Expect::Anything, value };
    let snapshot = version.is_multiple_of(5).then(|| Snapshot { match_id, version, body: body(id, version) });
    Transaction { appends: vec![append], puts: vec![put], snapshots: snapshot.into_iter().collect() }
}

/// Returns the body of a row, with a length that depends on the version.
fn body(id: u128, version: u64) -> Vec<u8> {
    format!("row {version} of {id} ").repeat((version % 40) as usize * 10 + 1).into_bytes()
}

async fn check(folder: &Path, acknowledged: &BTreeMap<u128, u64>) {
    let store = SqliteStore::open(folder, Arc::new(SystemClock)).unwrap();
    let due: BTreeMap<MatchId, i64> = store.due(i64::MAX, usize::MAX).await.unwrap().into_iter().collect();
    for (id, acknowledged) in acknowledged {
        let match_id = MatchId(*id);
        let head = store.head(match_id).await.unwrap();
        assert!(head >= *acknowledged, "{acknowledged} rows of {id} were acknowledged, {head} are there");
        let rows = store.rows(match_id, 0, usize::MAX).await.unwrap();
        assert_eq!(rows.len() as u64, head);
        for (version, row) in (1..).zip(&rows) {
            assert!(row.version == version && row.body == body(*id, version), "row {version} of {id}");
        }
        let record = store.get(&format!("count/{id}")).await.unwrap().unwrap();
        assert_eq!(record.value, head.to_string().into_bytes(), "the record of {id} matches its rows");
        assert_eq!(due.get(&match_id), Some(&(head as i64)));
        let snapshot = store.snapshot(match_id).await.unwrap();
        assert_eq!(snapshot.map_or(0, |snapshot| snapshot.version), head / 5 * 5);
    }
}
