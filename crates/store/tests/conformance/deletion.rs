//! Deletion of matches.

use intermezzo_store::{Append, CommitOutcome, Due, Expect, Transaction};

use crate::test_stores::{FIRST, SECOND, TestStore, append, put, snapshot, with_appends};

pub(crate) async fn a_deleted_match_leaves_nothing_behind(store: TestStore) {
    for match_id in [FIRST, SECOND] {
        let transaction = Transaction {
            appends: vec![Append { due: Due::At(10), ..append(match_id, 0, &["a", "b"]) }],
            snapshots: vec![snapshot(match_id, 1, "at 1")],
            puts: vec![put(&format!("about {match_id}"), Expect::Absent, "x")],
        };
        store.commit(transaction).await;
    }
    assert_eq!(store.inner.delete_match(FIRST).await, CommitOutcome::Committed);
    assert_eq!(store.inner.head(FIRST).await, Ok(0));
    assert_eq!(store.texts(FIRST).await, [""; 0]);
    assert_eq!(store.inner.snapshot(FIRST).await, Ok(None));
    assert_eq!(store.inner.due(i64::MAX, 10).await, Ok(vec![(SECOND, 10)]));
    assert!(store.record(&format!("about {FIRST}")).await.is_some(), "records stay");
    assert_eq!(store.texts(SECOND).await, ["a", "b"]);
    assert_eq!(store.inner.snapshot(SECOND).await, Ok(Some(snapshot(SECOND, 1, "at 1"))));
    store.commit(with_appends([append(FIRST, 0, &["again"])])).await;
    assert_eq!(store.texts(FIRST).await, ["again"]);
    assert_eq!(store.inner.snapshot(FIRST).await, Ok(None));
    assert_eq!(store.inner.due(i64::MAX, 10).await, Ok(vec![(SECOND, 10)]));
}

pub(crate) async fn a_deletion_keeps_its_order_among_other_writes(store: TestStore) {
    let mut answers = Vec::new();
    for round in 0..20 {
        answers.push(store.inner.commit(with_appends([append(FIRST, 0, &[&round.to_string(), "more"])])));
        answers.push(store.inner.commit(with_appends([append(FIRST, 2, &["and more"])])));
        answers.push(store.inner.delete_match(FIRST));
    }
    answers.push(store.inner.commit(with_appends([append(FIRST, 0, &["last"])])));
    for answer in answers {
        assert_eq!(answer.await, CommitOutcome::Committed);
    }
    assert_eq!(store.texts(FIRST).await, ["last"]);
}

pub(crate) async fn deleting_an_unknown_match_succeeds(store: TestStore) {
    assert_eq!(store.inner.delete_match(FIRST).await, CommitOutcome::Committed);
    assert_eq!(store.inner.delete_match(FIRST).await, CommitOutcome::Committed);
}
