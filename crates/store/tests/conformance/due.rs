//! Due times and claims.

use std::sync::Arc;

use intermezzo_store::{Append, CommitOutcome, Due, MatchId, Transaction};

use crate::test_stores::{FIRST, SECOND, START_MS, TestStore, append, with_appends};

fn with_due(match_id: MatchId, expected: u64, rows: &[&str], due: Due) -> Transaction {
    with_appends([Append { due, ..append(match_id, expected, rows) }])
}

async fn all_due(store: &TestStore) -> Vec<(MatchId, i64)> {
    store.inner.due(i64::MAX, usize::MAX).await.unwrap()
}

pub(crate) async fn a_match_is_due_from_its_due_time_on(store: TestStore) {
    store.commit(with_due(FIRST, 0, &["a"], Due::At(100))).await;
    assert_eq!(store.inner.due(99, 10).await, Ok(vec![]));
    assert_eq!(store.inner.due(100, 10).await, Ok(vec![(FIRST, 100)]));
    assert_eq!(store.inner.due(101, 10).await, Ok(vec![(FIRST, 100)]));
}

pub(crate) async fn a_due_time_changes_with_the_rows_or_not_at_all(store: TestStore) {
    store.commit(with_due(FIRST, 0, &["a"], Due::At(100))).await;
    store.commit(with_due(FIRST, 1, &["b"], Due::Keep)).await;
    assert_eq!(all_due(&store).await, [(FIRST, 100)]);
    store.commit(with_due(FIRST, 2, &["c"], Due::At(50))).await;
    assert_eq!(all_due(&store).await, [(FIRST, 50)]);
    for due in [Due::Never, Due::At(7)] {
        let outcome = store.inner.commit(with_due(FIRST, 2, &["stale"], due)).await;
        assert!(matches!(outcome, CommitOutcome::Conflict(_)));
        assert_eq!(all_due(&store).await, [(FIRST, 50)]);
    }
    store.commit(with_due(FIRST, 3, &["d"], Due::Never)).await;
    assert_eq!(all_due(&store).await, []);
    store.commit(with_due(FIRST, 4, &["e"], Due::Keep)).await;
    assert_eq!(all_due(&store).await, []);
}

pub(crate) async fn the_earliest_come_first_up_to_a_limit(store: TestStore) {
    for (number, due_ms) in [(1, 30), (2, i64::MIN), (3, 20), (4, i64::MAX), (5, 0)] {
        store.commit(with_due(MatchId(number), 0, &["a"], Due::At(due_ms))).await;
    }
    store.commit(with_due(MatchId(6), 0, &["a"], Due::Keep)).await;
    let due = |number, due_ms| (MatchId(number), due_ms);
    let expected = [due(2, i64::MIN), due(5, 0), due(3, 20), due(1, 30), due(4, i64::MAX)];
    assert_eq!(all_due(&store).await, expected);
    assert_eq!(store.inner.due(i64::MAX, 2).await.unwrap(), expected[..2]);
    assert_eq!(store.inner.due(20, 10).await.unwrap(), expected[..3]);
    assert_eq!(store.inner.due(20, 0).await, Ok(vec![]));
}

pub(crate) async fn a_due_time_needs_no_rows(store: TestStore) {
    store.commit(with_due(FIRST, 0, &["a"], Due::At(10))).await;
    store.commit(with_due(FIRST, 1, &[], Due::At(20))).await;
    store.commit(with_due(SECOND, 0, &[], Due::At(30))).await;
    assert_eq!(all_due(&store).await, [(FIRST, 20), (SECOND, 30)]);
    let stale = store.inner.commit(with_due(FIRST, 0, &[], Due::Never)).await;
    assert!(matches!(stale, CommitOutcome::Conflict(_)));
    store.commit(with_due(FIRST, 1, &[], Due::Never)).await;
    assert_eq!(all_due(&store).await, [(SECOND, 30)]);
    assert_eq!(store.texts(FIRST).await, ["a"]);
}

const HOUR_MS: i64 = 3_600_000;

pub(crate) async fn a_claim_is_exclusive_until_it_expires(store: TestStore) {
    store.commit(with_due(FIRST, 0, &["a"], Due::At(100))).await;
    assert_eq!(store.inner.claim_due(99, 10, HOUR_MS).await, Ok(vec![]));
    assert_eq!(store.inner.claim_due(100, 10, 20).await, Ok(vec![(FIRST, 100)]));
    store.wait_ms(30).await;
    assert_eq!(store.inner.claim_due(i64::MAX, 10, HOUR_MS).await, Ok(vec![(FIRST, 100)]));
    assert_eq!(store.inner.claim_due(i64::MAX, 10, HOUR_MS).await, Ok(vec![]));
    // The match is still due, and any server with the right version may append.
    assert_eq!(all_due(&store).await, [(FIRST, 100)]);
    store.commit(with_due(FIRST, 1, &["b"], Due::Keep)).await;
    assert_eq!(store.inner.claim_due(i64::MAX, 10, HOUR_MS).await, Ok(vec![]));
}

pub(crate) async fn a_new_time_ends_a_claim(store: TestStore) {
    store.commit(with_due(FIRST, 0, &["a"], Due::At(100))).await;
    for (version, due_ms) in [(1, 50), (2, 50), (3, 300)] {
        assert_eq!(store.inner.claim_due(i64::MAX, 10, HOUR_MS).await.unwrap().len(), 1);
        store.commit(with_due(FIRST, version, &["b"], Due::At(due_ms))).await;
        assert_eq!(store.inner.claim_due(due_ms - 1, 10, HOUR_MS).await, Ok(vec![]));
        assert_eq!(store.inner.claim_due(due_ms, 10, 0).await, Ok(vec![(FIRST, due_ms)]));
    }
    store.commit(with_due(FIRST, 4, &["c"], Due::Never)).await;
    assert_eq!(store.inner.claim_due(i64::MAX, 10, HOUR_MS).await, Ok(vec![]));
}

pub(crate) async fn the_earliest_are_claimed_first_up_to_a_limit(store: TestStore) {
    for (number, due_ms) in [(1, 30), (2, 10), (3, 20), (4, i64::MAX), (5, 0)] {
        store.commit(with_due(MatchId(number), 0, &["a"], Due::At(due_ms))).await;
    }
    let due = |number, due_ms| (MatchId(number), due_ms);
    assert_eq!(store.inner.claim_due(30, 0, HOUR_MS).await, Ok(vec![]));
    assert_eq!(store.inner.claim_due(30, 2, HOUR_MS).await, Ok(vec![due(5, 0), due(2, 10)]));
    assert_eq!(store.inner.claim_due(30, 9, HOUR_MS).await, Ok(vec![due(3, 20), due(1, 30)]));
    assert_eq!(store.inner.claim_due(30, 9, HOUR_MS).await, Ok(vec![]));
}

pub(crate) async fn a_match_that_becomes_due_later_is_not_claimed_before(store: TestStore) {
    store.commit(with_due(FIRST, 0, &["a"], Due::At(100))).await;
    store.commit(with_due(FIRST, 1, &["b"], Due::At(200))).await;
    assert_eq!(store.inner.due(150, 10).await, Ok(vec![]));
    for _ in 0..2 {
        assert_eq!(store.inner.claim_due(150, 10, HOUR_MS).await, Ok(vec![]));
    }
    assert_eq!(store.inner.claim_due(200, 10, HOUR_MS).await, Ok(vec![(FIRST, 200)]));
    store.commit(with_due(FIRST, 2, &["c"], Due::Never)).await;
    assert_eq!(store.inner.claim_due(i64::MAX, 10, HOUR_MS).await, Ok(vec![]));
    store.commit(with_due(FIRST, 3, &["d"], Due::At(70))).await;
    assert_eq!(store.inner.claim_due(70, 10, HOUR_MS).await, Ok(vec![(FIRST, 70)]));
}

pub(crate) async fn concurrent_claims_share_the_due_matches(store: TestStore) {
    for number in 0..60 {
        store.commit(with_due(MatchId(number), 0, &["a"], Due::At(number as i64))).await;
    }
    let claiming = (0..4).map(|_| {
        let store = Arc::clone(&store.inner);
        tokio::spawn(async move {
            let mut claimed = Vec::new();
            // A caller may find nothing while others are claiming.
            for _ in 0..60 {
                claimed.extend(store.claim_due(i64::MAX, 5, HOUR_MS).await.unwrap());
            }
            claimed
        })
    });
    let mut claimed = Vec::new();
    for claims in claiming.collect::<Vec<_>>() {
        claimed.extend(claims.await.unwrap().into_iter().map(|(match_id, _)| match_id));
    }
    claimed.sort();
    assert_eq!(claimed, (0..60).map(MatchId).collect::<Vec<_>>(), "each is claimed once");
}

pub(crate) async fn the_clock_is_the_one_it_was_given(store: TestStore) {
    let clock = store.clock.as_ref().unwrap();
    assert_eq!(store.inner.now(), START_MS);
    clock.advance(5);
    assert_eq!(store.inner.now(), START_MS + 5);
    clock.set(3);
    assert_eq!(store.inner.now(), 3);
}
