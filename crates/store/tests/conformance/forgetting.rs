//! Forgetting a match.

use intermezzo_store::{Append, Due, Expect, Outcome, Transaction};

use crate::subjects::{FIRST, SECOND, Subject, append, appending, put, snapshot};

pub(crate) async fn a_forgotten_match_is_as_if_it_had_never_been(subject: Subject) {
    for match_id in [FIRST, SECOND] {
        let transaction = Transaction {
            appends: vec![Append { due: Due::At(10), ..append(match_id, 0, &["a", "b"]) }],
            snapshots: vec![snapshot(match_id, 1, "at 1")],
            puts: vec![put(&format!("about {match_id}"), Expect::Absent, "x")],
        };
        subject.commit(transaction).await;
    }
    assert_eq!(subject.store.forget(FIRST).await, Outcome::Committed);
    assert_eq!(subject.store.head(FIRST).await, Ok(0));
    assert_eq!(subject.texts(FIRST).await, [""; 0]);
    assert_eq!(subject.store.snapshot(FIRST).await, Ok(None));
    assert_eq!(subject.store.due(i64::MAX, 10).await, Ok(vec![(SECOND, 10)]));
    assert!(subject.record(&format!("about {FIRST}")).await.is_some(), "records stay");
    assert_eq!(subject.texts(SECOND).await, ["a", "b"]);
    assert_eq!(subject.store.snapshot(SECOND).await, Ok(Some(snapshot(SECOND, 1, "at 1"))));
    subject.commit(appending([append(FIRST, 0, &["anew"])])).await;
    assert_eq!(subject.texts(FIRST).await, ["anew"]);
    assert_eq!(subject.store.snapshot(FIRST).await, Ok(None));
    assert_eq!(subject.store.due(i64::MAX, 10).await, Ok(vec![(SECOND, 10)]));
}

pub(crate) async fn forgetting_keeps_its_place_among_other_changes(subject: Subject) {
    let mut answers = Vec::new();
    for round in 0..20 {
        answers.push(subject.store.commit(appending([append(FIRST, 0, &[&round.to_string(), "more"])])));
        answers.push(subject.store.commit(appending([append(FIRST, 2, &["and more"])])));
        answers.push(subject.store.forget(FIRST));
    }
    answers.push(subject.store.commit(appending([append(FIRST, 0, &["last"])])));
    for answer in answers {
        assert_eq!(answer.await, Outcome::Committed);
    }
    assert_eq!(subject.texts(FIRST).await, ["last"]);
}

pub(crate) async fn forgetting_what_is_not_there_is_fine(subject: Subject) {
    assert_eq!(subject.store.forget(FIRST).await, Outcome::Committed);
    assert_eq!(subject.store.forget(FIRST).await, Outcome::Committed);
}
