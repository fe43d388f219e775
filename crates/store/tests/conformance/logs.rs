//! Logs: versions, conflicts, reading, order.

use std::sync::Arc;

use intermezzo_store::{CommitOutcome, Conflict, LogRow, MatchId};

use crate::test_stores::{FIRST, SECOND, TestStore, append, with_appends};

fn ends_at(match_id: MatchId, head: u64) -> CommitOutcome {
    CommitOutcome::Conflict(Conflict::Log { match_id, head })
}

pub(crate) async fn a_new_log_is_empty(store: TestStore) {
    assert_eq!(store.inner.head(FIRST).await, Ok(0));
    assert_eq!(store.inner.rows(FIRST, 0, 10).await, Ok(vec![]));
    assert_eq!(store.inner.snapshot(FIRST).await, Ok(None));
}

pub(crate) async fn rows_get_the_versions_after_the_expected_one(store: TestStore) {
    store.commit(with_appends([append(FIRST, 0, &["a"])])).await;
    store.commit(with_appends([append(FIRST, 1, &["b", "c"])])).await;
    assert_eq!(store.inner.head(FIRST).await, Ok(3));
    assert_eq!(store.texts(FIRST).await, ["a", "b", "c"]);
}

pub(crate) async fn a_stale_append_gets_the_current_head(store: TestStore) {
    assert_eq!(store.inner.commit(with_appends([append(FIRST, 1, &["a"])])).await, ends_at(FIRST, 0));
    store.commit(with_appends([append(FIRST, 0, &["a", "b"])])).await;
    for expected in [0, 1, 3] {
        let outcome = store.inner.commit(with_appends([append(FIRST, expected, &["x"])])).await;
        assert_eq!(outcome, ends_at(FIRST, 2), "expecting {expected}");
    }
    assert_eq!(store.texts(FIRST).await, ["a", "b"]);
}

pub(crate) async fn any_part_of_a_log_can_be_read(store: TestStore) {
    for version in 0..200 {
        store.commit(with_appends([append(FIRST, version, &[&format!("row {}", version + 1)])])).await;
    }
    let row = |version| LogRow { version, body: format!("row {version}").into_bytes() };
    for after in (0..=201).step_by(3) {
        for limit in [0, 1, 2, 63, 64, 65, 130, 200, 1000] {
            let rows = store.inner.rows(FIRST, after, limit).await.unwrap();
            let expected: Vec<LogRow> = (after + 1..=200).take(limit).map(row).collect();
            assert_eq!(rows, expected, "after {after}, at most {limit}");
        }
    }
}

pub(crate) async fn logs_do_not_mix(store: TestStore) {
    store.commit(with_appends([append(FIRST, 0, &["a"])])).await;
    store.commit(with_appends([append(SECOND, 0, &["x"])])).await;
    store.commit(with_appends([append(FIRST, 1, &["b"])])).await;
    store.commit(with_appends([append(SECOND, 1, &["y"])])).await;
    assert_eq!(store.texts(FIRST).await, ["a", "b"]);
    assert_eq!(store.texts(SECOND).await, ["x", "y"]);
}

pub(crate) async fn commits_happen_in_the_order_in_which_they_were_asked_for(store: TestStore) {
    let ask =
        |version: u64| store.inner.commit(with_appends([append(FIRST, version, &[&version.to_string()])]));
    let mut answers: Vec<_> = (0..500).map(ask).collect();
    // Awaiting them in reverse order must make no difference.
    while let Some(answer) = answers.pop() {
        assert_eq!(answer.await, CommitOutcome::Committed);
    }
    let expected: Vec<String> = (0..500).map(|version| version.to_string()).collect();
    assert_eq!(store.texts(FIRST).await, expected);
}

pub(crate) async fn a_commit_nobody_awaits_still_happens(store: TestStore) {
    drop(store.inner.commit(with_appends([append(FIRST, 0, &["a"])])));
    store.commit(with_appends([append(FIRST, 1, &["b"])])).await;
    assert_eq!(store.texts(FIRST).await, ["a", "b"]);
}

pub(crate) async fn of_writers_that_race_for_a_version_one_wins(store: TestStore) {
    let writers = (0..8).map(|writer| {
        let store = Arc::clone(&store.inner);
        tokio::spawn(async move {
            let mut won = 0;
            for round in 0..25 {
                let head = store.head(FIRST).await.unwrap();
                let row = format!("{writer} in round {round}");
                match store.commit(with_appends([append(FIRST, head, &[&row])])).await {
                    CommitOutcome::Committed => won += 1,
                    CommitOutcome::Conflict(Conflict::Log { head: now, .. }) => assert!(now > head),
                    other => panic!("{other:?}"),
                }
            }
            won
        })
    });
    let mut won = 0;
    for writer in writers.collect::<Vec<_>>() {
        won += writer.await.unwrap();
    }
    assert!(won >= 25, "in each round someone wins");
    assert_eq!(store.texts(FIRST).await.len(), won);
}
