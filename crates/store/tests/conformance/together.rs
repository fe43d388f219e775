//! Transactions: all or nothing, and each for itself.

use intermezzo_store::{Conflict, Due, Expect, Outcome, Transaction};

use crate::subjects::{FIRST, SECOND, Subject, append, appending, keeping, put, putting, snapshot};

pub(crate) async fn a_transaction_happens_wholly_or_not_at_all(subject: Subject) {
    subject.commit(appending([append(FIRST, 0, &["a"])])).await;
    subject.commit(putting([put("k", Expect::Absent, "old")])).await;
    let version = subject.version("k").await;
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
        assert_eq!(subject.store.commit(transaction).await, Outcome::Conflict(conflict));
        assert_eq!(subject.texts(FIRST).await, ["a"]);
        assert_eq!(subject.texts(SECOND).await, [""; 0]);
        assert_eq!(subject.version("k").await, version);
        assert_eq!(subject.record("new").await, None);
        assert_eq!(subject.store.snapshot(FIRST).await, Ok(None));
        assert_eq!(subject.store.due(i64::MAX, 10).await, Ok(vec![]));
    }
    subject.commit(whole(1, 0, Expect::Version(version))).await;
    assert_eq!(subject.texts(FIRST).await, ["a", "b"]);
    assert_eq!(subject.texts(SECOND).await, ["x"]);
    assert_eq!(subject.record("k").await.unwrap().value, b"new");
    assert_eq!(subject.record("new").await.unwrap().value, b"1");
    assert_eq!(subject.store.snapshot(FIRST).await.unwrap().unwrap().body, b"after b");
    assert_eq!(subject.store.due(i64::MAX, 10).await, Ok(vec![(FIRST, 5)]));
}

pub(crate) async fn a_conflict_does_not_harm_its_neighbours(subject: Subject) {
    // Every third is stale, every fifth refused; all are asked for before any is answered.
    let mut head = 0;
    let mut asked = Vec::new();
    for number in 0..300 {
        let (stale, refused) = (number % 3 == 0, number % 5 == 0);
        let expected = if stale { head + 1 } else { head };
        let mut transaction = appending([append(FIRST, expected, &[&number.to_string()])]);
        let conflict = Outcome::Conflict(Conflict::Log { match_id: FIRST, head });
        if refused {
            transaction.snapshots = vec![snapshot(FIRST, head + 9, "ahead")];
        }
        head += u64::from(!stale && !refused);
        asked.push((number, stale.then_some(conflict), refused, subject.store.commit(transaction)));
    }
    let mut kept = Vec::new();
    for (number, conflict, refused, answer) in asked {
        match (answer.await, conflict) {
            (outcome, Some(conflict)) => assert_eq!(outcome, conflict, "{number}"),
            (Outcome::DefinitelyNot(_), None) if refused => {}
            (Outcome::Committed, None) if !refused => kept.push(number.to_string()),
            (other, None) => panic!("{number}: {other:?}"),
        }
    }
    assert_eq!(subject.texts(FIRST).await, kept);
}

pub(crate) async fn an_empty_transaction_is_committed(subject: Subject) {
    subject.commit(Transaction::default()).await;
    subject.commit(appending([append(FIRST, 0, &[])])).await;
    assert_eq!(subject.store.head(FIRST).await, Ok(0));
}

pub(crate) async fn nothing_is_named_twice(subject: Subject) {
    let twice = appending([append(FIRST, 0, &["a"]), append(FIRST, 1, &["b"])]);
    assert_eq!(subject.refusal(twice).await, format!("the transaction names the log of {FIRST} twice"));
    let twice = putting([put("k", Expect::Anything, "a"), put("k", Expect::Anything, "b")]);
    assert_eq!(subject.refusal(twice).await, "the transaction names the record `k` twice");
    let twice = keeping([snapshot(FIRST, 0, "a"), snapshot(FIRST, 0, "b")]);
    assert_eq!(subject.refusal(twice).await, format!("the transaction names the snapshot of {FIRST} twice"));
    assert_eq!(subject.texts(FIRST).await, [""; 0]);
    assert_eq!(subject.record("k").await, None);
}

pub(crate) async fn one_transaction_changes_many_logs(subject: Subject) {
    let ids = || (1..=100).map(intermezzo_store::MatchId);
    subject.commit(appending(ids().map(|id| append(id, 0, &["first"])))).await;
    subject.commit(appending(ids().map(|id| append(id, 1, &["second"])))).await;
    for id in ids() {
        assert_eq!(subject.texts(id).await, ["first", "second"]);
    }
}
