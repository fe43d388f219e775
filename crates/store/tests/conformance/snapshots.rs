//! Snapshots: the newest only, and none of what is not in the log.

use intermezzo_store::Transaction;

use crate::subjects::{FIRST, SECOND, Subject, append, appending, keeping, snapshot};

pub(crate) async fn the_newest_snapshot_wins(subject: Subject) {
    subject.commit(appending([append(FIRST, 0, &["a", "b", "c"]), append(SECOND, 0, &["x"])])).await;
    subject.commit(keeping([snapshot(FIRST, 2, "at 2"), snapshot(SECOND, 1, "other")])).await;
    assert_eq!(subject.store.snapshot(FIRST).await, Ok(Some(snapshot(FIRST, 2, "at 2"))));
    subject.commit(keeping([snapshot(FIRST, 3, "at 3")])).await;
    // One that comes late is dropped without a word; one of the same version replaces.
    subject.commit(keeping([snapshot(FIRST, 1, "at 1")])).await;
    assert_eq!(subject.store.snapshot(FIRST).await, Ok(Some(snapshot(FIRST, 3, "at 3"))));
    subject.commit(keeping([snapshot(FIRST, 3, "at 3 again")])).await;
    assert_eq!(subject.store.snapshot(FIRST).await, Ok(Some(snapshot(FIRST, 3, "at 3 again"))));
    assert_eq!(subject.store.snapshot(SECOND).await, Ok(Some(snapshot(SECOND, 1, "other"))));
}

pub(crate) async fn a_snapshot_may_come_with_the_rows_it_includes(subject: Subject) {
    let transaction = Transaction {
        appends: vec![append(FIRST, 0, &["a", "b"])],
        snapshots: vec![snapshot(FIRST, 2, "at 2")],
        ..Transaction::default()
    };
    subject.commit(transaction).await;
    assert_eq!(subject.store.snapshot(FIRST).await, Ok(Some(snapshot(FIRST, 2, "at 2"))));
    subject.commit(keeping([snapshot(SECOND, 0, "before the first row")])).await;
    assert_eq!(subject.store.snapshot(SECOND).await, Ok(Some(snapshot(SECOND, 0, "before the first row"))));
}

pub(crate) async fn a_snapshot_ahead_of_its_log_is_refused(subject: Subject) {
    subject.commit(appending([append(FIRST, 0, &["a"])])).await;
    let why = subject.refusal(keeping([snapshot(FIRST, 2, "ahead")])).await;
    let expected = format!("a snapshot of version 2 is ahead of the log of {FIRST}, which ends at 1");
    assert_eq!(why, expected);
    subject.refusal(keeping([snapshot(SECOND, u64::MAX, "ahead")])).await;
    assert_eq!(subject.store.snapshot(FIRST).await, Ok(None));
}
