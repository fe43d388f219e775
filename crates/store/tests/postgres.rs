//! The PostgreSQL store: concurrent writers, and how databases are opened.

#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

use std::sync::Arc;

use intermezzo_store::{
    Append, CommitOutcome, Conflict, Due, Expect, MatchId, PostgresStore, Put, Store, StoreError, Transaction,
};
use intermezzo_test_postgres::{SharedPostgres, psql};

/// All cases share one PostgreSQL; each has its own schema.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn equal_servers() {
    let Some(shared) = SharedPostgres::find_or_start().unwrap() else { return };
    let names = ["racing", "paying", "promising", "starting", "theirs", "newer", "timing"].map(str::to_owned);
    let [racing, paying, promising, starting, theirs, newer, timing] =
        shared.create_schemas(&names).unwrap().try_into().unwrap();
    nodes_that_race_for_a_version_share_one_log(&racing).await;
    transfers_keep_the_total(&paying).await;
    an_absent_precondition_holds_against_concurrent_inserts(&promising).await;
    many_nodes_start_at_once(&starting).await;
    a_database_of_another_program_is_left_alone(&theirs).await;
    a_newer_format_is_refused(&newer).await;
    the_clock_is_that_of_the_database(&timing).await;
    let encrypted = refusal(&format!("{timing}&sslmode=require")).await;
    assert!(encrypted.contains("TLS"), "{encrypted}");
    shared.remove_schemas(&names).unwrap();
}

async fn open(url: &str) -> Arc<dyn Store> {
    Arc::new(PostgresStore::open(url).await.unwrap())
}

fn append(match_id: MatchId, expected: u64, row: &str) -> Transaction {
    let append = Append { match_id, expected, rows: vec![row.as_bytes().to_vec()], due: Due::Keep };
    Transaction { appends: vec![append], ..Transaction::default() }
}

fn put(key: &str, expect: Expect, value: &str) -> Put {
    Put { key: key.to_owned(), expect, value: Some(value.as_bytes().to_vec()) }
}

async fn nodes_that_race_for_a_version_share_one_log(url: &str) {
    let mut writers = Vec::new();
    for node in 0..3 {
        let store = open(url).await;
        for writer in 0..4 {
            let store = Arc::clone(&store);
            writers.push(tokio::spawn(async move {
                let mut won = Vec::new();
                while won.len() < 20 {
                    let match_id = MatchId(won.len() as u128 % 3);
                    let head = store.head(match_id).await.unwrap();
                    let row = format!("{node} {writer} {}", won.len());
                    match store.commit(append(match_id, head, &row)).await {
                        CommitOutcome::Committed => won.push((match_id, head + 1, row)),
                        CommitOutcome::Conflict(Conflict::Log { head: now, .. }) => assert!(now > head),
                        other => panic!("{other:?}"),
                    }
                }
                won
            }));
        }
    }
    let mut won = Vec::new();
    for writer in writers {
        won.extend(writer.await.unwrap());
    }
    let store = open(url).await;
    let heads = store.heads((0..3).map(MatchId).collect()).await.unwrap();
    assert_eq!(heads.iter().sum::<u64>(), won.len() as u64);
    for (match_id, version, row) in won {
        let rows = store.rows(match_id, version - 1, 1).await.unwrap();
        assert_eq!(rows[0].body, row.as_bytes(), "row {version} of {match_id}");
    }
}

/// Transfers lock purses in different orders: without a fixed lock order this would deadlock.
async fn transfers_keep_the_total(url: &str) {
    let first = open(url).await;
    let purses = (0..4).map(|purse| put(&format!("purse/{purse}"), Expect::Absent, "100")).collect();
    let filled = first.commit(Transaction { puts: purses, ..Transaction::default() }).await;
    assert_eq!(filled, CommitOutcome::Committed);
    let mut payers = Vec::new();
    for payer in 0..6_u64 {
        let store = open(url).await;
        payers.push(tokio::spawn(async move {
            let mut paid = 0;
            for round in 0..40_u64 {
                let (from, to) = ((payer + round) % 4, (payer * 3 + round * 7 + 1) % 4);
                if from != to {
                    paid += u64::from(pay(&*store, from, to).await);
                }
            }
            paid
        }));
    }
    let mut paid = 0;
    for payer in payers {
        paid += payer.await.unwrap();
    }
    let mut sum = 0;
    for purse in 0..4 {
        sum += purse_of(&*first, purse).await.0;
    }
    assert_eq!(sum, 400);
    let notes = first.scan(intermezzo_store::prefix("paid/"), usize::MAX, false).await.unwrap();
    assert!(paid > 0 && notes.len() as u64 == paid, "{paid} were paid, {} are noted", notes.len());
}

async fn purse_of(store: &dyn Store, purse: u64) -> (i64, u64) {
    let record = store.get(&format!("purse/{purse}")).await.unwrap().unwrap();
    (String::from_utf8(record.value).unwrap().parse().unwrap(), record.version)
}

/// Transfers one coin, unless another payer is faster.
async fn pay(store: &dyn Store, from: u64, to: u64) -> bool {
    let ((has, from_version), (gets, to_version)) = (purse_of(store, from).await, purse_of(store, to).await);
    let note = format!("paid/{from} {from_version} {to} {to_version}");
    let puts = vec![
        put(&format!("purse/{from}"), Expect::Version(from_version), &(has - 1).to_string()),
        put(&note, Expect::Absent, ""),
        put(&format!("purse/{to}"), Expect::Version(to_version), &(gets + 1).to_string()),
    ];
    match store.commit(Transaction { puts, ..Transaction::default() }).await {
        CommitOutcome::Committed => true,
        CommitOutcome::Conflict(_) => false,
        other => panic!("{other:?}"),
    }
}

/// Two writers each create the key that the other requires to be absent: exactly one may succeed.
async fn an_absent_precondition_holds_against_concurrent_inserts(url: &str) {
    let (one, other) = (open(url).await, open(url).await);
    let change = |absent: &str, made: &str| {
        let absent = Put { key: absent.to_owned(), expect: Expect::Absent, value: None };
        Transaction { puts: vec![absent, put(made, Expect::Absent, "here")], ..Transaction::default() }
    };
    for round in 0..40 {
        let (left, right) = (format!("left {round}"), format!("right {round}"));
        let answers = (one.commit(change(&left, &right)), other.commit(change(&right, &left)));
        let (first, second) = (tokio::spawn(answers.0), tokio::spawn(answers.1));
        let outcomes = [first.await.unwrap(), second.await.unwrap()];
        let committed = outcomes.iter().filter(|outcome| **outcome == CommitOutcome::Committed).count();
        assert_eq!(committed, 1, "{outcomes:?}");
        let found = [one.get(&left).await.unwrap(), one.get(&right).await.unwrap()];
        assert_eq!(found.iter().flatten().count(), 1);
    }
}

async fn many_nodes_start_at_once(url: &str) {
    let starting: Vec<_> = (0..8)
        .map(|node| {
            let url = url.to_owned();
            tokio::spawn(async move {
                let store = PostgresStore::open(&url).await.unwrap();
                store.commit(append(MatchId(node), 0, "hello")).await
            })
        })
        .collect();
    for node in starting {
        assert_eq!(node.await.unwrap(), CommitOutcome::Committed);
    }
}

async fn refusal(url: &str) -> String {
    let StoreError { message: what } = PostgresStore::open(url).await.err().unwrap();
    what
}

async fn a_database_of_another_program_is_left_alone(url: &str) {
    psql(url, "CREATE TABLE matches (home text, guest text)").unwrap();
    let what = refusal(url).await;
    assert!(what.ends_with("cannot be opened: it contains tables of another program"), "{what}");
    assert_eq!(psql(url, "SELECT to_regclass('schema_version') IS NULL").unwrap().trim(), "t");
}

async fn a_newer_format_is_refused(url: &str) {
    drop(open(url).await);
    psql(url, "UPDATE schema_version SET format = 99").unwrap();
    let what = refusal(url).await;
    assert!(what.contains("its format is 99, but this version supports formats up to "), "{what}");
}

async fn the_clock_is_that_of_the_database(url: &str) {
    let store = open(url).await;
    let ask = || psql(url, "SELECT (extract(epoch FROM clock_timestamp()) * 1000)::int8").unwrap();
    let (before, now, after): (i64, i64, i64) =
        (ask().trim().parse().unwrap(), store.now(), ask().trim().parse().unwrap());
    // The estimate is right to within half a round trip, which is a second at most.
    assert!((before - 500..=after + 500).contains(&now), "{before} {now} {after}");
}

#[tokio::test]
async fn an_invalid_address_is_reported() {
    let what = refusal("postgres//nowhere").await;
    assert!(what.contains("it should look like `postgres://user@host/database`"), "{what}");
    let what = refusal("postgres://nobody:secret@127.0.0.1:1/nothing").await;
    assert!(what.starts_with("the database `nothing` at `127.0.0.1` is not reachable: "), "{what}");
    assert!(!what.contains("secret"));
}
