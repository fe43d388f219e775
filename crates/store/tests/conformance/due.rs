//! When matches want to be woken.

use intermezzo_store::{Append, Due, MatchId, Outcome, Transaction};

use crate::subjects::{FIRST, SECOND, START_MS, Subject, append, appending};

fn with_due(match_id: MatchId, expected: u64, rows: &[&str], due: Due) -> Transaction {
    appending([Append { due, ..append(match_id, expected, rows) }])
}

async fn all_due(subject: &Subject) -> Vec<(MatchId, i64)> {
    subject.store.due(i64::MAX, usize::MAX).await.unwrap()
}

pub(crate) async fn a_match_is_due_when_its_time_has_come(subject: Subject) {
    subject.commit(with_due(FIRST, 0, &["a"], Due::At(100))).await;
    assert_eq!(subject.store.due(99, 10).await, Ok(vec![]));
    assert_eq!(subject.store.due(100, 10).await, Ok(vec![(FIRST, 100)]));
    assert_eq!(subject.store.due(101, 10).await, Ok(vec![(FIRST, 100)]));
}

pub(crate) async fn a_due_time_changes_with_the_rows_or_not_at_all(subject: Subject) {
    subject.commit(with_due(FIRST, 0, &["a"], Due::At(100))).await;
    subject.commit(with_due(FIRST, 1, &["b"], Due::Keep)).await;
    assert_eq!(all_due(&subject).await, [(FIRST, 100)]);
    subject.commit(with_due(FIRST, 2, &["c"], Due::At(50))).await;
    assert_eq!(all_due(&subject).await, [(FIRST, 50)]);
    for due in [Due::Never, Due::At(7)] {
        let outcome = subject.store.commit(with_due(FIRST, 2, &["stale"], due)).await;
        assert!(matches!(outcome, Outcome::Conflict(_)));
        assert_eq!(all_due(&subject).await, [(FIRST, 50)]);
    }
    subject.commit(with_due(FIRST, 3, &["d"], Due::Never)).await;
    assert_eq!(all_due(&subject).await, []);
    subject.commit(with_due(FIRST, 4, &["e"], Due::Keep)).await;
    assert_eq!(all_due(&subject).await, []);
}

pub(crate) async fn the_earliest_come_first_up_to_a_limit(subject: Subject) {
    for (number, due_ms) in [(1, 30), (2, i64::MIN), (3, 20), (4, i64::MAX), (5, 0)] {
        subject.commit(with_due(MatchId(number), 0, &["a"], Due::At(due_ms))).await;
    }
    subject.commit(with_due(MatchId(6), 0, &["a"], Due::Keep)).await;
    let due = |number, due_ms| (MatchId(number), due_ms);
    let expected = [due(2, i64::MIN), due(5, 0), due(3, 20), due(1, 30), due(4, i64::MAX)];
    assert_eq!(all_due(&subject).await, expected);
    assert_eq!(subject.store.due(i64::MAX, 2).await.unwrap(), expected[..2]);
    assert_eq!(subject.store.due(20, 10).await.unwrap(), expected[..3]);
    assert_eq!(subject.store.due(20, 0).await, Ok(vec![]));
}

pub(crate) async fn a_due_time_needs_no_rows(subject: Subject) {
    subject.commit(with_due(FIRST, 0, &["a"], Due::At(10))).await;
    subject.commit(with_due(FIRST, 1, &[], Due::At(20))).await;
    subject.commit(with_due(SECOND, 0, &[], Due::At(30))).await;
    assert_eq!(all_due(&subject).await, [(FIRST, 20), (SECOND, 30)]);
    let stale = subject.store.commit(with_due(FIRST, 0, &[], Due::Never)).await;
    assert!(matches!(stale, Outcome::Conflict(_)));
    subject.commit(with_due(FIRST, 1, &[], Due::Never)).await;
    assert_eq!(all_due(&subject).await, [(SECOND, 30)]);
    assert_eq!(subject.texts(FIRST).await, ["a"]);
}

pub(crate) async fn the_clock_is_the_one_it_was_given(subject: Subject) {
    assert_eq!(subject.store.now(), START_MS);
    subject.clock.advance(5);
    assert_eq!(subject.store.now(), START_MS + 5);
    subject.clock.set(3);
    assert_eq!(subject.store.now(), 3);
}
