//! Killed, unreachable and unresponsive databases: acknowledged writes survive, and callers get their outcomes
//! in time.

#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use intermezzo_store::{
    Append, CommitOutcome, Due, Expect, MatchId, PostgresStore, Put, Snapshot, Store, Transaction,
};
use intermezzo_test_postgres::{PostgresCluster, PostgresClusterError};

const MATCHES: u128 = 12;
/// Short, so that the test does not wait long for an unresponsive database.
const PATIENCE: Duration = Duration::from_millis(800);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_failing_database() {
    let mut cluster = match PostgresCluster::start() {
        Ok(cluster) => cluster,
        Err(PostgresClusterError::Missing(why)) => return eprintln!("skipped: {why}"),
        Err(failed) => panic!("{failed}"),
    };
    let store: Arc<dyn Store> =
        Arc::new(PostgresStore::open_with_timeout(&cluster.url(), PATIENCE).await.unwrap());
    let mut logs = vec![WriterProgress::default(); MATCHES as usize];
    for round in 0..4 {
        kill_while_it_writes(&mut cluster, &store, &mut logs, round).await;
    }
    an_unreachable_database_rejects_writes_and_recovers(&mut cluster, &store).await;
    an_unresponsive_database_leaves_the_outcome_unknown(&mut cluster, &store).await;
}

/// Waits until a write succeeds: the store may be pausing after a failed connection attempt.
async fn wait_until_writable(store: &dyn Store) {
    while store.commit(Transaction::default()).await != CommitOutcome::Committed {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// A writer's knowledge of its log.
#[derive(Clone, Default)]
struct WriterProgress {
    acknowledged: u64,
    /// The highest version that may be stored.
    perhaps: u64,
}

async fn kill_while_it_writes(
    cluster: &mut PostgresCluster,
    store: &Arc<dyn Store>,
    logs: &mut [WriterProgress],
    round: u64,
) {
    wait_until_writable(&**store).await;
    let is_over = Arc::new(AtomicBool::new(false));
    let writers: Vec<_> = (0..MATCHES)
        .zip(logs.iter())
        .map(|(id, known)| tokio::spawn(write(Arc::clone(store), id, known.clone(), Arc::clone(&is_over))))
        .collect();
    tokio::time::sleep(Duration::from_millis(150 + 70 * round)).await;
    cluster.kill().unwrap();
    is_over.store(true, Ordering::Relaxed);
    let before: u64 = logs.iter().map(|known| known.acknowledged).sum();
    for (known, writer) in logs.iter_mut().zip(writers) {
        *known = writer.await.unwrap();
    }
    assert!(
        logs.iter().map(|known| known.acknowledged).sum::<u64>() > before,
        "round {round} wrote something"
    );
    cluster.run().unwrap();
    for (id, known) in (0..MATCHES).zip(logs) {
        let head = check(&**store, id).await;
        assert!(
            head >= known.acknowledged,
            "{} rows of {id} were acknowledged, {head} are there",
            known.acknowledged
        );
        assert!(head <= known.perhaps, "row {head} of {id} was never written");
        *known = WriterProgress { acknowledged: head, perhaps: head };
    }
}

/// Writes three rows at a time, each with a record that counts them, until `is_over` is set or a write fails.
async fn write(
    store: Arc<dyn Store>,
    id: u128,
    mut known: WriterProgress,
    is_over: Arc<AtomicBool>,
) -> WriterProgress {
    loop {
        let version = known.acknowledged;
        let answers = [1, 2, 3].map(|more| (version + more, store.commit(change(id, version + more))));
        let mut has_failed = false;
        for (written, answer) in answers {
            match answer.await {
                CommitOutcome::Committed => {
                    assert!(!has_failed, "a write after a failed one cannot be committed");
                    known = WriterProgress { acknowledged: written, perhaps: written };
                }
                CommitOutcome::Unknown(_) => {
                    has_failed = true;
                    known.perhaps = written;
                }
                // A write after an unknown outcome may find that the earlier one was lost.
                CommitOutcome::Conflict(_) | CommitOutcome::NotCommitted(_) => has_failed = true,
            }
        }
        if has_failed || is_over.load(Ordering::Relaxed) {
            return known;
        }
    }
}

fn change(id: u128, version: u64) -> Transaction {
    let match_id = MatchId(id);
    let rows = vec![body(id, version)];
    let append = Append { match_id, expected: version - 1, rows, due: Due::At(version as i64) };
    let value = Some(version.to_string().into_bytes());
    let put = Put { key: format!("count/{id}"), expect: Expect::Anything, value };
    let snapshot = version.is_multiple_of(5).then(|| Snapshot { match_id, version, body: body(id, version) });
    Transaction { appends: vec![append], puts: vec![put], snapshots: snapshot.into_iter().collect() }
}

/// Returns the body of a row, with a length that depends on the version.
fn body(id: u128, version: u64) -> Vec<u8> {
    format!("row {version} of {id} ").repeat((version % 40) as usize * 10 + 1).into_bytes()
}

/// Checks that everything about a match is consistent, and returns the head of its log.
async fn check(store: &dyn Store, id: u128) -> u64 {
    let match_id = MatchId(id);
    let head = store.head(match_id).await.unwrap();
    let rows = store.rows(match_id, 0, usize::MAX).await.unwrap();
    assert_eq!(rows.len() as u64, head);
    for (version, row) in (1..).zip(&rows) {
        assert!(row.version == version && row.body == body(id, version), "row {version} of {id}");
    }
    let record = store.get(&format!("count/{id}")).await.unwrap();
    let counted = record.map_or_else(|| "0".to_owned(), |record| String::from_utf8(record.value).unwrap());
    assert_eq!(counted, head.to_string(), "the record of {id} matches its rows");
    let due = store.due(i64::MAX, usize::MAX).await.unwrap();
    let due = due.into_iter().find(|(due, _)| *due == match_id).map(|(_, due_ms)| due_ms);
    assert_eq!(due, (head > 0).then_some(head as i64));
    let snapshot = store.snapshot(match_id).await.unwrap();
    assert_eq!(snapshot.map_or(0, |snapshot| snapshot.version), head / 5 * 5);
    head
}

async fn an_unreachable_database_rejects_writes_and_recovers(
    cluster: &mut PostgresCluster,
    store: &Arc<dyn Store>,
) {
    let head = check(&**store, 0).await;
    cluster.kill().unwrap();
    let mut outcome = store.commit(change(0, head + 1)).await;
    if matches!(outcome, CommitOutcome::Unknown(_)) {
        // The write was in flight when the connection broke. The next one is not.
        outcome = store.commit(change(0, head + 1)).await;
    }
    let CommitOutcome::NotCommitted(why) = outcome else { panic!("{outcome:?}") };
    assert!(why.contains("is not reachable"), "{why}");
    let unread = store.head(MatchId(0)).await.unwrap_err();
    assert!(unread.message.contains("cannot be read from the database `postgres`"), "{unread}");
    cluster.run().unwrap();
    assert_eq!(check(&**store, 0).await, head);
    while matches!(store.commit(change(0, head + 1)).await, CommitOutcome::NotCommitted(_)) {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert_eq!(check(&**store, 0).await, head + 1);
}

async fn an_unresponsive_database_leaves_the_outcome_unknown(
    cluster: &mut PostgresCluster,
    store: &Arc<dyn Store>,
) {
    let head = check(&**store, 0).await;
    // Only a connected store can lose a write in flight.
    wait_until_writable(&**store).await;
    cluster.freeze(true).unwrap();
    let outcome = store.commit(change(0, head + 1)).await;
    assert!(matches!(outcome, CommitOutcome::Unknown(_)), "{outcome:?}");
    cluster.freeze(false).unwrap();
    // The write in flight may still be committed; continuing from the current head either succeeds or
    // conflicts.
    let mut now = head;
    while now < head + 2 {
        match store.commit(change(0, now + 1)).await {
            CommitOutcome::Committed => now += 1,
            _ => now = store.head(MatchId(0)).await.unwrap_or(now),
        }
    }
    assert_eq!(check(&**store, 0).await, head + 2);
}
