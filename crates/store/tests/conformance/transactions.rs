//! Transactions: all or nothing, and independent of each other.

use intermezzo_store::{CommitOutcome, Conflict, Due, Expect, Transaction};

use crate::test_stores::{
    FIRST, SECOND, TestStore, append, put, snapshot, with_appends, with_puts, with_snapshots,
};

pub(crate) async fn a_transaction_happens_wholly_or_not_at_all(store: TestStore) {
    store.commit(with_appends([append(FIRST, 0, &["a"])])).await;
    store.commit(with_puts([put("k", Expect::Absent, "old")])).await;
    let version = store.version("k").await;
    let whole = |first, second, expect| Transaction {
        appends: vec![
            intermezzo_store::Append { due: Due::At(5), ..append(FIRST, first, &["b"]) },
            append(SECOND, second, &["x"]),
        ],
        puts: vec![put("new", Expect::Absent, "1"), put("k", expect, "new")],
        snapshots: vec![snapshot(FIRST, 2, "after b")],
    };
    let log = |match_id, head| Conflict::Log { match_id, head };
    let record = Conflict::Record { key: "k".to_owned() };
    let refused = [
        (whole(0, 0, Expect::Version(version)), log(FIRST, 1)),
        (whole(1, 1, Expect::Version(version)), log(SECOND, 0)),
        (whole(1, 0, Expect::Version(version + 1)), record.clone()),
        (whole(1, 0, Expect::Absent), record),
    ];
    for (transaction, conflict) in refused {
        assert_eq!(store.inner.commit(transaction).await, CommitOutcome::Conflict(conflict));
        assert_eq!(store.texts(FIRST).await, ["a"]);
        assert_eq!(store.texts(SECOND).await, [""; 0]);
        assert_eq!(store.version("k").await, version);
        assert_eq!(store.record("new").await, None);
        assert_eq!(store.inner.snapshot(FIRST).await, Ok(None));
        assert_eq!(store.inner.due(i64::MAX, 10).await, Ok(vec![]));
    }
    store.commit(whole(1, 0, Expect::Version(version))).await;
    assert_eq!(store.texts(FIRST).await, ["a", "b"]);
    assert_eq!(store.texts(SECOND).await, ["x"]);
    assert_eq!(store.record("k").await.unwrap().value, b"new");
    assert_eq!(store.record("new").await.unwrap().value, b"1");
    assert_eq!(store.inner.snapshot(FIRST).await.unwrap().unwrap().body, b"after b");
    assert_eq!(store.inner.due(i64::MAX, 10).await, Ok(vec![(FIRST, 5)]));
}

pub(crate) async fn a_conflict_does_not_affect_its_neighbours(store: TestStore) {
    // Every third is stale, every fifth is rejected; all are requested before any outcome is known.
    let mut head = 0;
    let mut asked = Vec::new();
    for number in 0..300 {
        let (stale, refused) = (number % 3 == 0, number % 5 == 0);
        let expected = if stale { head + 1 } else { head };
        let mut transaction = with_appends([append(FIRST, expected, &[&number.to_string()])]);
        let conflict = CommitOutcome::Conflict(Conflict::Log { match_id: FIRST, head });
        if refused {
            transaction.snapshots = vec![snapshot(FIRST, head + 9, "ahead")];
        }
        head += u64::from(!stale && !refused);
        asked.push((number, stale.then_some(conflict), refused, store.inner.commit(transaction)));
    }
    let mut kept = Vec::new();
    for (number, conflict, refused, answer) in asked {
        match (answer.await, conflict) {
            (outcome, Some(conflict)) => assert_eq!(outcome, conflict, "{number}"),
            (CommitOutcome::NotCommitted(_), None) if refused => {}
            (CommitOutcome::Committed, None) if !refused => kept.push(number.to_string()),
            (other, None) => panic!("{number}: {other:?}"),
        }
    }
    assert_eq!(store.texts(FIRST).await, kept);
}

pub(crate) async fn an_empty_transaction_is_committed(store: TestStore) {
    store.commit(Transaction::default()).await;
    store.commit(with_appends([append(FIRST, 0, &[])])).await;
    assert_eq!(store.inner.head(FIRST).await, Ok(0));
}

pub(crate) async fn nothing_is_named_twice(store: TestStore) {
    let twice = with_appends([append(FIRST, 0, &["a"]), append(FIRST, 1, &["b"])]);
    assert_eq!(store.reject(twice).await, format!("the transaction names the log of {FIRST} twice"));
    let twice = with_puts([put("k", Expect::Anything, "a"), put("k", Expect::Anything, "b")]);
    assert_eq!(store.reject(twice).await, "the transaction names the record `k` twice");
    let twice = with_snapshots([snapshot(FIRST, 0, "a"), snapshot(FIRST, 0, "b")]);
    assert_eq!(store.reject(twice).await, format!("the transaction names the snapshot of {FIRST} twice"));
    assert_eq!(store.texts(FIRST).await, [""; 0]);
    assert_eq!(store.record("k").await, None);
}

pub(crate) async fn one_transaction_changes_many_logs(store: TestStore) {
    let ids = || (1..=100).map(intermezzo_store::MatchId);
    store.commit(with_appends(ids().map(|id| append(id, 0, &["first"])))).await;
    store.commit(with_appends(ids().map(|id| append(id, 1, &["second"])))).await;
    for id in ids() {
        assert_eq!(store.texts(id).await, ["first", "second"]);
    }
}
