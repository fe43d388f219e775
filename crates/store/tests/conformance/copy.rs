//! Copies between stores.

use intermezzo_store::{
    Append, CopyCounts, CopyProgress, Due, Expect, LogRow, MatchId, Snapshot, StoreError, StoredMatch,
    StoredRecord, Transaction, copy, prefix,
};

use crate::test_stores::{self, PostgresStores, TestStore, append, put, snapshot};

/// The contents of a store, without the versions of records.
#[derive(Debug, PartialEq)]
struct StoreContents {
    matches: Vec<(StoredMatch, Vec<LogRow>, Option<Snapshot>)>,
    records: Vec<(String, Vec<u8>)>,
}

async fn everything_in(store: &TestStore) -> StoreContents {
    let mut matches = Vec::new();
    for listed in store.inner.matches(None, usize::MAX).await.unwrap() {
        let rows = store.inner.rows(listed.match_id, 0, usize::MAX).await.unwrap();
        matches.push((listed, rows, store.inner.snapshot(listed.match_id).await.unwrap()));
    }
    let records = store.inner.scan(prefix(""), usize::MAX, false).await.unwrap();
    let records = records.into_iter().map(|(key, StoredRecord { value, .. })| (key, value)).collect();
    StoreContents { matches, records }
}

async fn fill(store: &TestStore) {
    for id in 0..1200_u128 {
        let texts: Vec<String> = (0..id % 7).map(|row| format!("row {row} of {id}")).collect();
        let rows: Vec<&str> = texts.iter().map(String::as_str).collect();
        let due = if id % 3 == 0 { Due::At(id as i64) } else { Due::Keep };
        let transaction = Transaction {
            appends: vec![Append { due, ..append(MatchId(id << 90), 0, &rows) }],
            puts: vec![put(&format!("k/{id}\0"), Expect::Absent, &id.to_string())],
            snapshots: (id % 5 == 0)
                .then(|| snapshot(MatchId(id << 90), id as u64 % 7, "as it was"))
                .into_iter()
                .collect(),
        };
        drop(store.inner.commit(transaction));
    }
    let large = vec![vec![7; 3 << 20]; 5];
    let append = Append { match_id: MatchId(9), expected: 0, rows: large, due: Due::At(1) };
    store.commit(test_stores::with_appends([append])).await;
    let long: Vec<String> = (0..500).map(|row| row.to_string()).collect();
    let long: Vec<&str> = long.iter().map(String::as_str).collect();
    store.commit(test_stores::with_appends([test_stores::append(MatchId(10), 0, &long)])).await;
}

#[tokio::test]
async fn a_copy_through_every_store_is_complete() {
    let first = test_stores::memory();
    fill(&first).await;
    let everything = everything_in(&first).await;
    let rows = everything.matches.iter().map(|(_, rows, _)| rows.len() as u64).sum();
    let copied = CopyCounts { matches: 1202, rows, records: 1200 };
    let postgres = PostgresStores::find();
    let mut destinations = vec![test_stores::sqlite()];
    if let Some(postgres) = &postgres {
        destinations.extend(postgres.all(&["copying"]).await);
    }
    destinations.extend([test_stores::sqlite(), test_stores::memory()]);
    let mut from = first;
    for to in destinations {
        let mut reported = Vec::new();
        assert_eq!(copy(&*from.inner, &*to.inner, &mut |counts| reported.push(counts)).await, Ok(copied));
        assert!(reported.contains(&CopyProgress::Copied(copied)));
        assert_eq!(reported.last(), Some(&CopyProgress::Compared(copied)));
        assert!(everything_in(&to).await == everything, "the same is there");
        from = to;
    }
    if let Some(postgres) = postgres {
        postgres.clear(&["copying"]);
    }
}

#[tokio::test]
async fn a_copy_that_differs_from_the_original_is_an_error() {
    type Change = fn() -> Transaction;
    let changes: [(&str, Change); 3] = [
        ("record `k`", || test_stores::with_puts([put("k", Expect::Anything, "changed")])),
        ("record `j`", || test_stores::with_puts([put("j", Expect::Absent, "new")])),
        ("other matches", || test_stores::with_appends([append(MatchId(1), 1, &["late"])])),
    ];
    for (difference, change) in changes {
        let (from, to) = (test_stores::memory(), test_stores::memory());
        from.commit(test_stores::with_puts([put("k", Expect::Absent, "mine")])).await;
        from.commit(test_stores::with_appends([append(MatchId(1), 0, &["row"])])).await;
        // Somebody still uses the original: it changes after the last page was copied.
        let mut change_late = |progress| {
            if matches!(progress, CopyProgress::Copied(CopyCounts { records: 1, .. })) {
                drop(from.inner.commit(change()));
            }
        };
        let copied = copy(&*from.inner, &*to.inner, &mut change_late).await;
        let error = copied.expect_err("the difference is noticed");
        assert!(error.message.contains(difference), "{error}");
    }
}

#[tokio::test]
async fn a_copy_needs_an_empty_destination() {
    let (from, with_a_match, with_a_record) =
        (test_stores::memory(), test_stores::memory(), test_stores::sqlite());
    from.commit(test_stores::with_puts([put("k", Expect::Absent, "mine")])).await;
    with_a_match.commit(test_stores::with_appends([append(MatchId(1), 0, &[])])).await;
    with_a_record.commit(test_stores::with_puts([put("k", Expect::Absent, "theirs")])).await;
    for to in [with_a_match, with_a_record] {
        let refusal = copy(&*from.inner, &*to.inner, &mut |_| {}).await;
        assert_eq!(refusal, Err(StoreError { message: "the store to copy to is not empty".to_owned() }));
    }
}
