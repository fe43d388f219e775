//! Edge cases: unusual keys, sizes at the limits, extreme numbers, closed stores.

use intermezzo_store::{
    Append, CommitOutcome, Due, Expect, MAX_BODY_BYTES, MAX_KEY_BYTES, MatchId, Put, Snapshot, StoreError,
};

use crate::test_stores::{FIRST, TestStore, append, put, with_appends, with_puts, with_snapshots};

pub(crate) async fn any_text_is_a_key(store: TestStore) {
    let keys = [
        "",
        "\0",
        "a\0b",
        "a\0",
        "'; DROP TABLE log; --",
        "\"`%_*?",
        "ключ",
        "🂡",
        "e\u{301}",
        "\u{e9}",
        "\n",
    ];
    for key in keys {
        store.commit(with_puts([put(key, Expect::Absent, key)])).await;
    }
    for key in keys {
        assert_eq!(store.record(key).await.unwrap().value, key.as_bytes(), "{key:?}");
    }
    let mut sorted = keys.map(str::to_owned);
    sorted.sort();
    let found = store.inner.scan(intermezzo_store::prefix(""), 100, false).await.unwrap();
    assert_eq!(found.into_iter().map(|(key, _)| key).collect::<Vec<_>>(), sorted);
}

pub(crate) async fn the_longest_key_is_accepted_and_a_longer_one_rejected(store: TestStore) {
    let longest = "ä".repeat(MAX_KEY_BYTES / 2);
    store.commit(with_puts([put(&longest, Expect::Absent, "here")])).await;
    assert_eq!(store.record(&longest).await.unwrap().value, b"here");
    let why = store.reject(with_puts([put(&format!("{longest}x"), Expect::Anything, "no")])).await;
    assert_eq!(why, "a key of 513 bytes is too long: at most 512");
    assert_eq!(store.record(&format!("{longest}x")).await, None);
}

pub(crate) async fn large_bodies_are_stored(store: TestStore) {
    let body = |salt: u8| {
        (0..1 << 20).map(|at: u32| at.wrapping_mul(2_654_435_761) as u8 ^ salt).collect::<Vec<u8>>()
    };
    let mut transaction = with_snapshots([Snapshot { match_id: FIRST, version: 2, body: body(1) }]);
    transaction.puts = vec![Put { key: "large".into(), expect: Expect::Absent, value: Some(body(2)) }];
    transaction.appends =
        vec![Append { match_id: FIRST, expected: 0, rows: vec![body(3), body(4)], due: Due::Keep }];
    store.commit(transaction).await;
    let rows = store.inner.rows(FIRST, 0, 10).await.unwrap();
    assert!(rows[0].body == body(3) && rows[1].body == body(4));
    assert!(store.record("large").await.unwrap().value == body(2));
    assert!(store.inner.snapshot(FIRST).await.unwrap().unwrap().body == body(1));
}

pub(crate) async fn a_body_that_is_too_large_is_rejected(store: TestStore) {
    let rows = vec![vec![0; MAX_BODY_BYTES + 1]];
    let why =
        store.reject(with_appends([Append { match_id: FIRST, expected: 0, rows, due: Due::Keep }])).await;
    assert_eq!(why, "a body of 16777217 bytes is too large: at most 16777216");
    assert_eq!(store.inner.head(FIRST).await, Ok(0));
}

pub(crate) async fn a_transaction_that_is_too_large_is_rejected(store: TestStore) {
    let rows = vec![vec![0; MAX_BODY_BYTES]; 5];
    let why =
        store.reject(with_appends([Append { match_id: FIRST, expected: 0, rows, due: Due::Keep }])).await;
    assert_eq!(why, "a transaction of 83886080 bytes is too large: at most 67108864");
    assert_eq!(store.inner.head(FIRST).await, Ok(0));
}

pub(crate) async fn bodies_may_be_empty(store: TestStore) {
    let mut transaction = with_appends([append(FIRST, 0, &["", ""])]);
    transaction.puts = vec![put("empty", Expect::Absent, "")];
    transaction.snapshots = vec![Snapshot { match_id: FIRST, version: 1, body: vec![] }];
    store.commit(transaction).await;
    assert_eq!(store.texts(FIRST).await, ["", ""]);
    assert_eq!(store.record("empty").await.unwrap().value, b"");
    assert_eq!(store.inner.snapshot(FIRST).await.unwrap().unwrap().body, b"");
}

pub(crate) async fn extreme_numbers_are_handled(store: TestStore) {
    for match_id in [MatchId(0), MatchId(u128::MAX)] {
        store.commit(with_appends([append(match_id, 0, &["a"])])).await;
        let outcome = store.inner.commit(with_appends([append(match_id, u64::MAX, &["b"])])).await;
        assert!(matches!(outcome, CommitOutcome::Conflict(_)));
        assert_eq!(store.inner.rows(match_id, u64::MAX, usize::MAX).await, Ok(vec![]));
        assert_eq!(store.texts(match_id).await, ["a"]);
    }
    let outcome = store.inner.commit(with_puts([put("k", Expect::Version(u64::MAX), "a")])).await;
    assert!(matches!(outcome, CommitOutcome::Conflict(_)));
}

pub(crate) async fn a_closed_store_rejects_everything(store: TestStore) {
    let closed = || "the store is closed".to_owned();
    let begun = store.inner.commit(with_appends([append(FIRST, 0, &["a"])]));
    let closing = store.inner.close();
    let late = store.inner.commit(with_appends([append(FIRST, 1, &["b"])]));
    assert_eq!(begun.await, CommitOutcome::Committed);
    assert_eq!(late.await, CommitOutcome::NotCommitted(closed()));
    closing.await;
    store.inner.close().await;
    assert_eq!(store.inner.delete_match(FIRST).await, CommitOutcome::NotCommitted(closed()));
    let error = StoreError { message: closed() };
    assert_eq!(store.inner.head(FIRST).await, Err(error.clone()));
    assert_eq!(store.inner.rows(FIRST, 0, 1).await, Err(error.clone()));
    assert_eq!(store.inner.snapshot(FIRST).await, Err(error.clone()));
    assert_eq!(store.inner.get("k").await, Err(error.clone()));
    assert_eq!(store.inner.scan("a".to_owned().."b".to_owned(), 1, false).await, Err(error.clone()));
    assert_eq!(store.inner.scan("b".to_owned().."a".to_owned(), 1, false).await, Err(error.clone()));
    assert_eq!(store.inner.due(0, 1).await, Err(error));
}
