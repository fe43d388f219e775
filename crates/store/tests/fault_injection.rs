//! Fault injection: the wrapped store is touched or left alone exactly as the fault says.

#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

use std::sync::Arc;
use std::time::Duration;

use intermezzo_store::{
    Append, CommitOutcome, Due, FaultInjector, InjectedFault, MatchId, MemoryStore, SqliteStore, Store,
    StoreFaultRates, SystemClock, Transaction,
};

const ID: MatchId = MatchId(7);

fn row(expected: u64, text: &str) -> Transaction {
    let append = Append { match_id: ID, expected, rows: vec![text.as_bytes().to_vec()], due: Due::Keep };
    Transaction { appends: vec![append], ..Transaction::default() }
}

/// Returns one character per kind of outcome.
fn letter(outcome: &CommitOutcome) -> char {
    match outcome {
        CommitOutcome::Committed => 'c',
        CommitOutcome::Conflict(_) => 'x',
        CommitOutcome::NotCommitted(_) => 'n',
        CommitOutcome::Unknown(_) => '?',
    }
}

#[tokio::test]
async fn a_script_says_what_fails_and_how() {
    let script = [
        InjectedFault::None,
        InjectedFault::NotCommitted,
        InjectedFault::UnknownNotCommitted,
        InjectedFault::UnknownCommitted,
    ];
    let store = FaultInjector::scripted(MemoryStore::new(), script);
    let expected = [("a", 0, 'c', 1), ("b", 1, 'n', 1), ("c", 1, '?', 1), ("d", 1, '?', 2), ("e", 2, 'c', 3)];
    for (text, version, outcome, head) in expected {
        assert_eq!(letter(&store.commit(row(version, text)).await), outcome, "{text}");
        assert_eq!(store.head(ID).await, Ok(head), "{text}");
    }
    store.push_fault(InjectedFault::UnknownCommitted);
    assert_eq!(letter(&store.commit(row(0, "stale")).await), '?');
    assert_eq!(store.head(ID).await, Ok(3), "what conflicts does not land");
    store.push_fault(InjectedFault::UnknownNotCommitted);
    assert_eq!(letter(&store.delete_match(ID).await), '?');
    assert_eq!(store.head(ID).await, Ok(3));
}

#[tokio::test(start_paused = true)]
async fn a_delay_affects_the_outcome_and_not_the_order() {
    let delay = Duration::from_secs(60);
    let store = FaultInjector::scripted(MemoryStore::new(), [InjectedFault::Delay(delay)]);
    let begun = tokio::time::Instant::now();
    let (first, second) = (store.commit(row(0, "a")), store.commit(row(1, "b")));
    assert_eq!(second.await, CommitOutcome::Committed);
    assert_eq!(begun.elapsed(), Duration::ZERO);
    assert_eq!(first.await, CommitOutcome::Committed);
    assert_eq!(begun.elapsed(), delay);
}

#[tokio::test]
async fn reads_fail_the_requested_number_of_times() {
    let store = FaultInjector::scripted(MemoryStore::new(), []);
    store.fail_reads(2);
    assert!(store.head(ID).await.is_err());
    assert!(store.get("k").await.is_err());
    assert_eq!(store.head(ID).await, Ok(0));
}

#[tokio::test]
async fn the_same_seed_fails_in_the_same_way() {
    let rates = StoreFaultRates {
        not_committed: 10,
        unknown_committed: 20,
        unknown_not_committed: 30,
        ..StoreFaultRates::default()
    };
    let letters = async |seed| {
        let store = FaultInjector::seeded(MemoryStore::new(), seed, rates);
        let mut letters = String::new();
        for _ in 0..1000 {
            letters.push(letter(&store.commit(Transaction::default()).await));
        }
        letters
    };
    let first = letters(1).await;
    assert_eq!(first, letters(1).await);
    assert_ne!(first, letters(2).await);
    let count = |letter| first.chars().filter(|other| *other == letter).count();
    assert!((60..140).contains(&count('n')), "{}", count('n'));
    assert!((430..570).contains(&count('?')), "{}", count('?'));
}

/// Appends until the row is stored, as a server does: after an unknown outcome it reads to find out.
async fn append_surely(store: &dyn Store, version: u64) {
    loop {
        match store.commit(row(version, &version.to_string())).await {
            CommitOutcome::Committed => return,
            CommitOutcome::NotCommitted(_) => {}
            CommitOutcome::Conflict(conflict) => panic!("nobody else writes: {conflict:?}"),
            CommitOutcome::Unknown(_) => match store.head(ID).await {
                Ok(head) if head == version + 1 => return,
                Ok(head) => assert_eq!(head, version),
                Err(error) => panic!("{error}"),
            },
        }
    }
}

#[tokio::test]
async fn reading_after_an_unknown_outcome_writes_everything_once() {
    let rates = StoreFaultRates {
        not_committed: 20,
        unknown_committed: 20,
        unknown_not_committed: 20,
        delayed: 5,
        delay: Duration::from_millis(1),
    };
    for seed in 0..5 {
        let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("faulty-{seed}"));
        let _ = std::fs::remove_dir_all(&folder);
        let sqlite = SqliteStore::open(&folder, Arc::new(SystemClock)).unwrap();
        let stores: [Box<dyn Store>; 2] = [
            Box::new(FaultInjector::seeded(MemoryStore::new(), seed, rates)),
            Box::new(FaultInjector::seeded(sqlite, seed, rates)),
        ];
        for store in stores {
            for version in 0..100 {
                append_surely(&*store, version).await;
            }
            let rows = store.rows(ID, 0, 1000).await.unwrap();
            let texts: Vec<String> =
                rows.into_iter().map(|row| String::from_utf8(row.body).unwrap()).collect();
            assert_eq!(texts, (0..100).map(|version| version.to_string()).collect::<Vec<_>>(), "seed {seed}");
        }
    }
}
