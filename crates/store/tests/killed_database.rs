//! A database that is killed, away, or does not answer: nothing acknowledged is lost, and everyone is told in time.

#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use intermezzo_cluster::{Cluster, NoCluster};
use intermezzo_store::{Append, Due, Expect, MatchId, Outcome, Postgres, Put, Snapshot, Store, Transaction};

const MATCHES: u128 = 12;
/// Short, so that nobody waits long for a database that does not answer.
const PATIENCE: Duration = Duration::from_millis(800);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_database_in_trouble() {
    let mut cluster = match Cluster::start() {
        Ok(cluster) => cluster,
        Err(NoCluster::Missing(why)) => return eprintln!("left out: {why}"),
        Err(failed) => panic!("{failed}"),
    };
    let store: Arc<dyn Store> =
        Arc::new(Postgres::open_with_patience(&cluster.url(), PATIENCE).await.unwrap());
    let mut logs = vec![Known::default(); MATCHES as usize];
    for round in 0..4 {
        kill_while_it_writes(&mut cluster, &store, &mut logs, round).await;
    }
    a_database_that_is_away_refuses_and_comes_back(&mut cluster, &store).await;
    a_database_that_does_not_answer_leaves_it_unknown(&mut cluster, &store).await;
}

/// What whoever writes a log knows of it.
#[derive(Clone, Default)]
struct Known {
    acknowledged: u64,
    /// The last version that may be there.
    perhaps: u64,
}

async fn kill_while_it_writes(cluster: &mut Cluster, store: &Arc<dyn Store>, logs: &mut [Known], round: u64) {
    // It may be at rest after it could not connect.
    while store.commit(Transaction::default()).await != Outcome::Committed {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
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
        assert!(head <= known.perhaps, "nobody wrote row {head} of {id}");
        *known = Known { acknowledged: head, perhaps: head };
    }
}

/// Writes rows three at a time, each with a record that counts them, until it is told to end and something fails.
async fn write(store: Arc<dyn Store>, id: u128, mut known: Known, is_over: Arc<AtomicBool>) -> Known {
    loop {
        let version = known.acknowledged;
        let answers = [1, 2, 3].map(|more| (version + more, store.commit(change(id, version + more))));
        let mut has_failed = false;
        for (written, answer) in answers {
            match answer.await {
                Outcome::Committed => {
                    assert!(!has_failed, "what follows something that failed cannot happen");
                    known = Known { acknowledged: written, perhaps: written };
                }
                Outcome::Unknown(_) => {
                    has_failed = true;
                    known.perhaps = written;
                }
                // What comes after something unknown may find that it was lost.
                Outcome::Conflict(_) | Outcome::DefinitelyNot(_) => has_failed = true,
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

/// What the row of a match at a version says, at a length that varies.
fn body(id: u128, version: u64) -> Vec<u8> {
    format!("row {version} of {id} ").repeat((version % 40) as usize * 10 + 1).into_bytes()
}

/// Checks that everything about a match goes together, and tells where its log ends.
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
    assert_eq!(counted, head.to_string(), "the record of {id} goes with its rows");
    let due = store.due(i64::MAX, usize::MAX).await.unwrap();
    let due = due.into_iter().find(|(due, _)| *due == match_id).map(|(_, due_ms)| due_ms);
    assert_eq!(due, (head > 0).then_some(head as i64));
    let snapshot = store.snapshot(match_id).await.unwrap();
    assert_eq!(snapshot.map_or(0, |snapshot| snapshot.version), head / 5 * 5);
    head
}

async fn a_database_that_is_away_refuses_and_comes_back(cluster: &mut Cluster, store: &Arc<dyn Store>) {
    let head = check(&**store, 0).await;
    cluster.kill().unwrap();
    let mut outcome = store.commit(change(0, head + 1)).await;
    if matches!(outcome, Outcome::Unknown(_)) {
        // It was on its way when the connection broke. The next one is not.
        outcome = store.commit(change(0, head + 1)).await;
    }
    let Outcome::DefinitelyNot(why) = outcome else { panic!("{outcome:?}") };
    assert!(why.contains("is not reachable"), "{why}");
    let unread = store.head(MatchId(0)).await.unwrap_err();
    assert!(unread.what.contains("cannot be read from the database `postgres`"), "{unread}");
    cluster.run().unwrap();
    assert_eq!(check(&**store, 0).await, head);
    while matches!(store.commit(change(0, head + 1)).await, Outcome::DefinitelyNot(_)) {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert_eq!(check(&**store, 0).await, head + 1);
}

async fn a_database_that_does_not_answer_leaves_it_unknown(cluster: &mut Cluster, store: &Arc<dyn Store>) {
    let head = check(&**store, 0).await;
    cluster.freeze(true).unwrap();
    let outcome = store.commit(change(0, head + 1)).await;
    assert!(matches!(outcome, Outcome::Unknown(_)), "{outcome:?}");
    cluster.freeze(false).unwrap();
    // What was on its way may land yet; whoever goes on from what is there is right or is told.
    let mut now = head;
    while now < head + 2 {
        match store.commit(change(0, now + 1)).await {
            Outcome::Committed => now += 1,
            _ => now = store.head(MatchId(0)).await.unwrap_or(now),
        }
    }
    assert_eq!(check(&**store, 0).await, head + 2);
}
