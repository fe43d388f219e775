//! Heads and lists of several matches.

use intermezzo_store::{Append, Due, MatchId, StoredMatch};

use crate::test_stores::{FIRST, SECOND, TestStore, append, snapshot, with_appends, with_snapshots};

pub(crate) async fn heads_come_in_the_order_in_which_they_are_asked_for(store: TestStore) {
    store.commit(with_appends([append(FIRST, 0, &["a", "b"]), append(SECOND, 0, &["x"])])).await;
    let unknown = MatchId(7);
    let asked = vec![SECOND, unknown, FIRST, SECOND];
    assert_eq!(store.inner.heads(asked).await, Ok(vec![1, 0, 2, 1]));
    assert_eq!(store.inner.heads(vec![]).await, Ok(vec![]));
}

pub(crate) async fn all_matches_are_listed_in_pages(store: TestStore) {
    assert_eq!(store.inner.matches(None, 10).await, Ok(vec![]));
    let ids = [0, 3, 200, u128::MAX / 2, u128::MAX];
    for id in ids {
        let due = if id == 3 { Due::At(5) } else { Due::Keep };
        store.commit(with_appends([Append { due, ..append(MatchId(id), 0, &["a", "b"]) }])).await;
    }
    store.commit(with_snapshots([snapshot(MatchId(100), 0, "nothing else")])).await;
    let mut found = Vec::new();
    loop {
        let page =
            store.inner.matches(found.last().map(|listed: &StoredMatch| listed.match_id), 2).await.unwrap();
        assert!(page.len() <= 2);
        if page.is_empty() {
            break;
        }
        found.extend(page);
    }
    let listed = |id, head, due_ms| StoredMatch { match_id: MatchId(id), head, due_ms };
    let [first, second, third, fourth, last] = ids;
    let expected = [
        listed(first, 2, None),
        listed(second, 2, Some(5)),
        listed(100, 0, None),
        listed(third, 2, None),
        listed(fourth, 2, None),
        listed(last, 2, None),
    ];
    assert_eq!(found, expected);
    assert_eq!(store.inner.matches(None, usize::MAX).await.unwrap(), expected);
}
