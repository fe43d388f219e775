//! Records: versions and what a change may expect.

use intermezzo_store::{Conflict, Expect, Outcome, Put};

use crate::subjects::{Subject, put, putting, remove};

async fn conflicts(subject: &Subject, change: Put) {
    let conflict = Outcome::Conflict(Conflict::Record { key: change.key.clone() });
    let expect = change.expect;
    assert_eq!(subject.store.commit(putting([change])).await, conflict, "expecting {expect:?}");
}

pub(crate) async fn a_record_is_read_as_it_was_put(subject: Subject) {
    assert_eq!(subject.record("k").await, None);
    subject.commit(putting([put("k", Expect::Anything, "value"), put("l", Expect::Anything, "other")])).await;
    assert_eq!(subject.record("k").await.unwrap().value, b"value");
    subject.commit(putting([put("k", Expect::Anything, "changed")])).await;
    assert_eq!(subject.record("k").await.unwrap().value, b"changed");
    assert_eq!(subject.record("l").await.unwrap().value, b"other");
}

pub(crate) async fn every_change_gives_a_new_version(subject: Subject) {
    let mut last = 0;
    for _ in 0..5 {
        subject
            .commit(putting([put("k", Expect::Anything, "the same"), put("l", Expect::Anything, "x")]))
            .await;
        let version = subject.version("k").await;
        assert!(version > last, "{version} comes after {last}");
        last = version;
    }
}

pub(crate) async fn a_record_made_again_does_not_reuse_a_version(subject: Subject) {
    subject.commit(putting([put("k", Expect::Absent, "first")])).await;
    let first = subject.version("k").await;
    subject.commit(putting([remove("k", Expect::Version(first))])).await;
    subject.commit(putting([put("k", Expect::Absent, "second")])).await;
    assert!(subject.version("k").await > first);
    conflicts(&subject, put("k", Expect::Version(first), "stale")).await;
}

pub(crate) async fn a_record_is_put_only_where_it_is_expected(subject: Subject) {
    conflicts(&subject, put("k", Expect::Version(0), "a")).await;
    conflicts(&subject, put("k", Expect::Version(1), "a")).await;
    subject.commit(putting([put("k", Expect::Absent, "a")])).await;
    conflicts(&subject, put("k", Expect::Absent, "b")).await;
    let version = subject.version("k").await;
    conflicts(&subject, put("k", Expect::Version(version + 1), "b")).await;
    conflicts(&subject, put("k", Expect::Version(version - 1), "b")).await;
    subject.commit(putting([put("k", Expect::Version(version), "b")])).await;
    conflicts(&subject, put("k", Expect::Version(version), "c")).await;
    subject.commit(putting([put("k", Expect::Anything, "d")])).await;
    assert_eq!(subject.record("k").await.unwrap().value, b"d");
}

pub(crate) async fn removing_is_checked_like_changing(subject: Subject) {
    subject.commit(putting([remove("k", Expect::Anything), remove("l", Expect::Absent)])).await;
    conflicts(&subject, remove("k", Expect::Version(1))).await;
    subject.commit(putting([put("k", Expect::Absent, "a")])).await;
    let version = subject.version("k").await;
    conflicts(&subject, remove("k", Expect::Absent)).await;
    conflicts(&subject, remove("k", Expect::Version(version + 1))).await;
    assert!(subject.record("k").await.is_some());
    subject.commit(putting([remove("k", Expect::Version(version))])).await;
    assert_eq!(subject.record("k").await, None);
}
