//! What is special about the store in PostgreSQL: others who write at the same time, and how databases are opened.

#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

use std::sync::Arc;

use intermezzo_cluster::{Shared, psql};
use intermezzo_store::{
    Append, Conflict, Due, Expect, MatchId, Outcome, Postgres, Put, Store, StoreError, Transaction,
};

/// All stories share one PostgreSQL; each has a schema of its own.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn servers_that_are_all_the_same() {
    let Some(shared) = Shared::find().unwrap() else { return };
    let names = ["racing", "paying", "promising", "starting", "theirs", "newer", "timing"].map(str::to_owned);
    let [racing, paying, promising, starting, theirs, newer, timing] =
        shared.schemas(&names).unwrap().try_into().unwrap();
    nodes_that_race_for_a_version_share_one_log(&racing).await;
    nothing_is_lost_or_made_by_paying(&paying).await;
    what_is_promised_not_to_be_there_is_not(&promising).await;
    many_nodes_start_at_once(&starting).await;
    a_database_of_another_program_is_left_alone(&theirs).await;
    a_newer_format_is_refused(&newer).await;
    the_clock_is_that_of_the_database(&timing).await;
    let encrypted = refusal(&format!("{timing}&sslmode=require")).await;
    assert!(encrypted.contains("TLS"), "{encrypted}");
    shared.remove_schemas(&names).unwrap();
}

async fn open(url: &str) -> Arc<dyn Store> {
    Arc::new(Postgres::open(url).await.unwrap())
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
                        Outcome::Committed => won.push((match_id, head + 1, row)),
                        Outcome::Conflict(Conflict::Log { head: now, .. }) => assert!(now > head),
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

/// Purses in different orders, with rows for two logs: whoever locked them as they come would wait for ever.
async fn nothing_is_lost_or_made_by_paying(url: &str) {
    let first = open(url).await;
    let purses = (0..4).map(|purse| put(&format!("purse/{purse}"), Expect::Absent, "100")).collect();
    let filled = first.commit(Transaction { puts: purses, ..Transaction::default() }).await;
    assert_eq!(filled, Outcome::Committed);
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

/// Pays one coin, if nobody else gets ahead.
async fn pay(store: &dyn Store, from: u64, to: u64) -> bool {
    let ((has, from_version), (gets, to_version)) = (purse_of(store, from).await, purse_of(store, to).await);
    let note = format!("paid/{from} {from_version} {to} {to_version}");
    let puts = vec![
        put(&format!("purse/{from}"), Expect::Version(from_version), &(has - 1).to_string()),
        put(&note, Expect::Absent, ""),
        put(&format!("purse/{to}"), Expect::Version(to_version), &(gets + 1).to_string()),
    ];
    match store.commit(Transaction { puts, ..Transaction::default() }).await {
        Outcome::Committed => true,
        Outcome::Conflict(_) => false,
        other => panic!("{other:?}"),
    }
}

/// Two who each make what the other wants not to be there: one of them must be told.
async fn what_is_promised_not_to_be_there_is_not(url: &str) {
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
        let committed = outcomes.iter().filter(|outcome| **outcome == Outcome::Committed).count();
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
                let store = Postgres::open(&url).await.unwrap();
                store.commit(append(MatchId(node), 0, "hello")).await
            })
        })
        .collect();
    for node in starting {
        assert_eq!(node.await.unwrap(), Outcome::Committed);
    }
}

async fn refusal(url: &str) -> String {
    let StoreError { what } = Postgres::open(url).await.err().unwrap();
    what
}

async fn a_database_of_another_program_is_left_alone(url: &str) {
    psql(url, "CREATE TABLE matches (home text, guest text)").unwrap();
    let what = refusal(url).await;
    assert!(what.ends_with("cannot be opened: it has tables of another program"), "{what}");
    assert_eq!(psql(url, "SELECT to_regclass('schema_version') IS NULL").unwrap().trim(), "t");
}

async fn a_newer_format_is_refused(url: &str) {
    drop(open(url).await);
    psql(url, "UPDATE schema_version SET format = 99").unwrap();
    let what = refusal(url).await;
    assert!(what.contains("it has format 99, but this program knows formats up to "), "{what}");
}

async fn the_clock_is_that_of_the_database(url: &str) {
    let store = open(url).await;
    let ask = || psql(url, "SELECT (extract(epoch FROM clock_timestamp()) * 1000)::int8").unwrap();
    let (before, now, after): (i64, i64, i64) =
        (ask().trim().parse().unwrap(), store.now(), ask().trim().parse().unwrap());
    // It is right to within half a round trip, which is a second at most.
    assert!((before - 500..=after + 500).contains(&now), "{before} {now} {after}");
}

#[tokio::test]
async fn an_address_that_is_none_is_told() {
    let what = refusal("postgres//nowhere").await;
    assert!(what.contains("it should look like `postgres://user@host/database`"), "{what}");
    let what = refusal("postgres://nobody:secret@127.0.0.1:1/nothing").await;
    assert!(what.starts_with("the database `nothing` at `127.0.0.1` is not reachable: "), "{what}");
    assert!(!what.contains("secret"));
}
