//! Snapshots: only the newest is stored, and none ahead of its log.

use intermezzo_store::Transaction;

use crate::test_stores::{FIRST, SECOND, TestStore, append, snapshot, with_appends, with_snapshots};

pub(crate) async fn the_newest_snapshot_wins(store: TestStore) {
    store.commit(with_appends([append(FIRST, 0, &["a", "b", "c"]), append(SECOND, 0, &["x"])])).await;
    store.commit(with_snapshots([snapshot(FIRST, 2, "at 2"), snapshot(SECOND, 1, "other")])).await;
    assert_eq!(store.inner.snapshot(FIRST).await, Ok(Some(snapshot(FIRST, 2, "at 2"))));
    store.commit(with_snapshots([snapshot(FIRST, 3, "at 3")])).await;
    // An older snapshot is ignored silently; one of the same version replaces.
    store.commit(with_snapshots([snapshot(FIRST, 1, "at 1")])).await;
    assert_eq!(store.inner.snapshot(FIRST).await, Ok(Some(snapshot(FIRST, 3, "at 3"))));
    store.commit(with_snapshots([snapshot(FIRST, 3, "at 3 again")])).await;
    assert_eq!(store.inner.snapshot(FIRST).await, Ok(Some(snapshot(FIRST, 3, "at 3 again"))));
    assert_eq!(store.inner.snapshot(SECOND).await, Ok(Some(snapshot(SECOND, 1, "other"))));
}

pub(crate) async fn a_snapshot_may_come_with_the_rows_it_includes(store: TestStore) {
    let transaction = Transaction {
        appends: vec![append(FIRST, 0, &["a", "b"])],
        snapshots: vec![snapshot(FIRST, 2, "at 2")],
        ..Transaction::default()
    };
    store.commit(transaction).await;
    assert_eq!(store.inner.snapshot(FIRST).await, Ok(Some(snapshot(FIRST, 2, "at 2"))));
    store.commit(with_snapshots([snapshot(SECOND, 0, "before the first row")])).await;
    assert_eq!(store.inner.snapshot(SECOND).await, Ok(Some(snapshot(SECOND, 0, "before the first row"))));
}

pub(crate) async fn a_snapshot_ahead_of_its_log_is_rejected(store: TestStore) {
    store.commit(with_appends([append(FIRST, 0, &["a"])])).await;
    let why = store.reject(with_snapshots([snapshot(FIRST, 2, "ahead")])).await;
    let expected = format!("a snapshot of version 2 is ahead of the log of {FIRST}, which ends at 1");
    assert_eq!(why, expected);
    store.reject(with_snapshots([snapshot(SECOND, u64::MAX, "ahead")])).await;
    assert_eq!(store.inner.snapshot(FIRST).await, Ok(None));
}
