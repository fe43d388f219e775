//! Keys, sizes and numbers that nobody sends by mistake.

use intermezzo_store::{
    Append, Due, Expect, MAX_BODY_BYTES, MAX_KEY_BYTES, MatchId, Outcome, Put, Snapshot, StoreError,
};

use crate::subjects::{FIRST, Subject, append, appending, keeping, put, putting};

pub(crate) async fn any_text_is_a_key(subject: Subject) {
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
        subject.commit(putting([put(key, Expect::Absent, key)])).await;
    }
    for key in keys {
        assert_eq!(subject.record(key).await.unwrap().value, key.as_bytes(), "{key:?}");
    }
    let mut sorted = keys.map(str::to_owned);
    sorted.sort();
    let found = subject.store.scan(intermezzo_store::prefix(""), 100, false).await.unwrap();
    assert_eq!(found.into_iter().map(|(key, _)| key).collect::<Vec<_>>(), sorted);
}

pub(crate) async fn the_longest_key_is_taken_and_a_longer_one_refused(subject: Subject) {
    let longest = "ä".repeat(MAX_KEY_BYTES / 2);
    subject.commit(putting([put(&longest, Expect::Absent, "here")])).await;
    assert_eq!(subject.record(&longest).await.unwrap().value, b"here");
    let why = subject.refusal(putting([put(&format!("{longest}x"), Expect::Anything, "no")])).await;
    assert_eq!(why, "a key of 513 bytes is too long: at most 512");
    assert_eq!(subject.record(&format!("{longest}x")).await, None);
}

pub(crate) async fn large_bodies_are_kept(subject: Subject) {
    let body = |salt: u8| {
        (0..1 << 20).map(|at: u32| at.wrapping_mul(2_654_435_761) as u8 ^ salt).collect::<Vec<u8>>()
    };
    let mut transaction = keeping([Snapshot { match_id: FIRST, version: 2, body: body(1) }]);
    transaction.puts = vec![Put { key: "large".into(), expect: Expect::Absent, value: Some(body(2)) }];
    transaction.appends =
        vec![Append { match_id: FIRST, expected: 0, rows: vec![body(3), body(4)], due: Due::Keep }];
    subject.commit(transaction).await;
    let rows = subject.store.rows(FIRST, 0, 10).await.unwrap();
    assert!(rows[0].body == body(3) && rows[1].body == body(4));
    assert!(subject.record("large").await.unwrap().value == body(2));
    assert!(subject.store.snapshot(FIRST).await.unwrap().unwrap().body == body(1));
}

pub(crate) async fn a_body_that_is_too_large_is_refused(subject: Subject) {
    let rows = vec![vec![0; MAX_BODY_BYTES + 1]];
    let why =
        subject.refusal(appending([Append { match_id: FIRST, expected: 0, rows, due: Due::Keep }])).await;
    assert_eq!(why, "16777217 bytes are too many for one body: at most 16777216");
    assert_eq!(subject.store.head(FIRST).await, Ok(0));
}

pub(crate) async fn a_transaction_that_is_too_large_is_refused(subject: Subject) {
    let rows = vec![vec![0; MAX_BODY_BYTES]; 5];
    let why =
        subject.refusal(appending([Append { match_id: FIRST, expected: 0, rows, due: Due::Keep }])).await;
    assert_eq!(why, "a transaction of 83886080 bytes is too large: at most 67108864");
    assert_eq!(subject.store.head(FIRST).await, Ok(0));
}

pub(crate) async fn bodies_may_be_empty(subject: Subject) {
    let mut transaction = appending([append(FIRST, 0, &["", ""])]);
    transaction.puts = vec![put("empty", Expect::Absent, "")];
    transaction.snapshots = vec![Snapshot { match_id: FIRST, version: 1, body: vec![] }];
    subject.commit(transaction).await;
    assert_eq!(subject.texts(FIRST).await, ["", ""]);
    assert_eq!(subject.record("empty").await.unwrap().value, b"");
    assert_eq!(subject.store.snapshot(FIRST).await.unwrap().unwrap().body, b"");
}

pub(crate) async fn numbers_at_their_limits_do_no_harm(subject: Subject) {
    for match_id in [MatchId(0), MatchId(u128::MAX)] {
        subject.commit(appending([append(match_id, 0, &["a"])])).await;
        let outcome = subject.store.commit(appending([append(match_id, u64::MAX, &["b"])])).await;
        assert!(matches!(outcome, Outcome::Conflict(_)));
        assert_eq!(subject.store.rows(match_id, u64::MAX, usize::MAX).await, Ok(vec![]));
        assert_eq!(subject.texts(match_id).await, ["a"]);
    }
    let outcome = subject.store.commit(putting([put("k", Expect::Version(u64::MAX), "a")])).await;
    assert!(matches!(outcome, Outcome::Conflict(_)));
}

pub(crate) async fn a_closed_store_refuses_everything(subject: Subject) {
    let closed = || "the store is closed".to_owned();
    let begun = subject.store.commit(appending([append(FIRST, 0, &["a"])]));
    let closing = subject.store.close();
    let late = subject.store.commit(appending([append(FIRST, 1, &["b"])]));
    assert_eq!(begun.await, Outcome::Committed);
    assert_eq!(late.await, Outcome::DefinitelyNot(closed()));
    closing.await;
    subject.store.close().await;
    assert_eq!(subject.store.forget(FIRST).await, Outcome::DefinitelyNot(closed()));
    let error = StoreError { what: closed() };
    assert_eq!(subject.store.head(FIRST).await, Err(error.clone()));
    assert_eq!(subject.store.rows(FIRST, 0, 1).await, Err(error.clone()));
    assert_eq!(subject.store.snapshot(FIRST).await, Err(error.clone()));
    assert_eq!(subject.store.get("k").await, Err(error.clone()));
    assert_eq!(subject.store.scan("a".to_owned().."b".to_owned(), 1, false).await, Err(error.clone()));
    assert_eq!(subject.store.scan("b".to_owned().."a".to_owned(), 1, false).await, Err(error.clone()));
    assert_eq!(subject.store.due(0, 1).await, Err(error));
}
