//! Records: versions and preconditions.

use intermezzo_store::{CommitOutcome, Conflict, Expect, Put};

use crate::test_stores::{TestStore, put, remove, with_puts};

async fn conflicts(store: &TestStore, change: Put) {
    let conflict = CommitOutcome::Conflict(Conflict::Record { key: change.key.clone() });
    let expect = change.expect;
    assert_eq!(store.inner.commit(with_puts([change])).await, conflict, "expecting {expect:?}");
}

pub(crate) async fn a_record_is_read_as_it_was_put(store: TestStore) {
    assert_eq!(store.record("k").await, None);
    store.commit(with_puts([put("k", Expect::Anything, "value"), put("l", Expect::Anything, "other")])).await;
    assert_eq!(store.record("k").await.unwrap().value, b"value");
    store.commit(with_puts([put("k", Expect::Anything, "changed")])).await;
    assert_eq!(store.record("k").await.unwrap().value, b"changed");
    assert_eq!(store.record("l").await.unwrap().value, b"other");
}

pub(crate) async fn every_change_gives_a_new_version(store: TestStore) {
    let mut last = 0;
    for _ in 0..5 {
        store
            .commit(with_puts([put("k", Expect::Anything, "the same"), put("l", Expect::Anything, "x")]))
            .await;
        let version = store.version("k").await;
        assert!(version > last, "{version} comes after {last}");
        last = version;
    }
}

pub(crate) async fn a_record_made_again_does_not_reuse_a_version(store: TestStore) {
    store.commit(with_puts([put("k", Expect::Absent, "first")])).await;
    let first = store.version("k").await;
    store.commit(with_puts([remove("k", Expect::Version(first))])).await;
    store.commit(with_puts([put("k", Expect::Absent, "second")])).await;
    assert!(store.version("k").await > first);
    conflicts(&store, put("k", Expect::Version(first), "stale")).await;
}

pub(crate) async fn a_record_is_put_only_if_its_precondition_holds(store: TestStore) {
    conflicts(&store, put("k", Expect::Version(0), "a")).await;
    conflicts(&store, put("k", Expect::Version(1), "a")).await;
    store.commit(with_puts([put("k", Expect::Absent, "a")])).await;
    conflicts(&store, put("k", Expect::Absent, "b")).await;
    let version = store.version("k").await;
    conflicts(&store, put("k", Expect::Version(version + 1), "b")).await;
    conflicts(&store, put("k", Expect::Version(version - 1), "b")).await;
    store.commit(with_puts([put("k", Expect::Version(version), "b")])).await;
    conflicts(&store, put("k", Expect::Version(version), "c")).await;
    store.commit(with_puts([put("k", Expect::Anything, "d")])).await;
    assert_eq!(store.record("k").await.unwrap().value, b"d");
}

pub(crate) async fn removing_is_checked_like_changing(store: TestStore) {
    store.commit(with_puts([remove("k", Expect::Anything), remove("l", Expect::Absent)])).await;
    conflicts(&store, remove("k", Expect::Version(1))).await;
    store.commit(with_puts([put("k", Expect::Absent, "a")])).await;
    let version = store.version("k").await;
    conflicts(&store, remove("k", Expect::Absent)).await;
    conflicts(&store, remove("k", Expect::Version(version + 1))).await;
    assert!(store.record("k").await.is_some());
    store.commit(with_puts([remove("k", Expect::Version(version))])).await;
    assert_eq!(store.record("k").await, None);
}
