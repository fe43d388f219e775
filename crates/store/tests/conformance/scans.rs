//! Scans: order, limits and range ends.

use std::ops::Range;

use intermezzo_store::{Expect, prefix};

use crate::test_stores::{TestStore, put, with_puts};

async fn fill(store: &TestStore, keys: &[&str]) {
    store
        .commit(with_puts(keys.iter().map(|key| put(key, Expect::Absent, &format!("value of {key}")))))
        .await;
}

/// Returns the keys a scan finds, and checks their values.
async fn keys(store: &TestStore, range: Range<String>, limit: usize, newest_first: bool) -> Vec<String> {
    let found = store.inner.scan(range, limit, newest_first).await.unwrap();
    let is_right = |(key, record): &(String, intermezzo_store::StoredRecord)| {
        record.value == format!("value of {key}").into_bytes() && record.version > 0
    };
    assert!(found.iter().all(is_right));
    found.into_iter().map(|(key, _)| key).collect()
}

fn range(start: &str, end: &str) -> Range<String> {
    start.to_owned()..end.to_owned()
}

pub(crate) async fn a_scan_goes_in_order_and_in_reverse(store: TestStore) {
    fill(&store, &["m/3", "m/1", "m/10", "m/2", "n"]).await;
    assert_eq!(keys(&store, range("m", "z"), 10, false).await, ["m/1", "m/10", "m/2", "m/3", "n"]);
    assert_eq!(keys(&store, range("m", "z"), 10, true).await, ["n", "m/3", "m/2", "m/10", "m/1"]);
    assert_eq!(keys(&store, range("m", "z"), 2, false).await, ["m/1", "m/10"]);
    assert_eq!(keys(&store, range("m", "z"), 2, true).await, ["n", "m/3"]);
    assert_eq!(keys(&store, range("m", "z"), 0, true).await, [""; 0]);
    assert_eq!(keys(&store, range("m", "z"), usize::MAX, true).await.len(), 5);
}

pub(crate) async fn a_scan_ends_exactly_where_its_range_ends(store: TestStore) {
    fill(&store, &["a", "a\0", "aa", "b", "b\0", "c"]).await;
    for newest_first in [false, true] {
        let found = async |start, end| {
            let mut found = keys(&store, range(start, end), 10, newest_first).await;
            found.sort();
            found
        };
        assert_eq!(found("a", "b").await, ["a", "a\0", "aa"]);
        assert_eq!(found("a\0", "b\0").await, ["a\0", "aa", "b"]);
        assert_eq!(found("", "a").await, [""; 0]);
        assert_eq!(found("c", "d").await, ["c"]);
    }
}

pub(crate) async fn an_empty_range_holds_nothing(store: TestStore) {
    fill(&store, &["a", "b"]).await;
    for (start, end) in [("a", "a"), ("b", "a"), ("", "")] {
        assert_eq!(keys(&store, range(start, end), 10, false).await, [""; 0]);
        assert_eq!(keys(&store, range(start, end), 10, true).await, [""; 0]);
    }
}

pub(crate) async fn all_records_of_a_prefix_are_found(store: TestStore) {
    fill(&store, &["", "seat", "seat/", "seat/1", "seat/\u{10ffff}", "seat0", "\u{10ffff}"]).await;
    assert_eq!(keys(&store, prefix("seat/"), 10, false).await, ["seat/", "seat/1", "seat/\u{10ffff}"]);
    assert_eq!(keys(&store, prefix("\u{10ffff}"), 10, false).await, ["\u{10ffff}"]);
    assert_eq!(keys(&store, prefix(""), 10, false).await.len(), 7);
    assert_eq!(keys(&store, prefix("sea "), 10, false).await, [""; 0]);
}
