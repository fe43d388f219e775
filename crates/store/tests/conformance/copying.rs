//! Everything from one store to another.

use intermezzo_store::{
    Append, Copied, Due, Expect, Listed, MatchId, Record, Row, Snapshot, StoreError, Transaction, copy,
    prefix,
};

use crate::subjects::{self, House, Subject, append, put, snapshot};

/// All that is in a store, but for the versions of records.
#[derive(Debug, PartialEq)]
struct Everything {
    matches: Vec<(Listed, Vec<Row>, Option<Snapshot>)>,
    records: Vec<(String, Vec<u8>)>,
}

async fn everything_in(subject: &Subject) -> Everything {
    let mut matches = Vec::new();
    for listed in subject.store.matches(None, usize::MAX).await.unwrap() {
        let rows = subject.store.rows(listed.match_id, 0, usize::MAX).await.unwrap();
        matches.push((listed, rows, subject.store.snapshot(listed.match_id).await.unwrap()));
    }
    let records = subject.store.scan(prefix(""), usize::MAX, false).await.unwrap();
    let records = records.into_iter().map(|(key, Record { value, .. })| (key, value)).collect();
    Everything { matches, records }
}

async fn fill(subject: &Subject) {
    for id in 0..1200_u128 {
        let texts: Vec<String> = (0..id % 7).map(|row| format!("row {row} of {id}")).collect();
        let rows: Vec<&str> = texts.iter().map(String::as_str).collect();
        let due = if id % 3 == 0 { Due::At(id as i64) } else { Due::Keep };
        let transaction = Transaction {
            appends: vec![Append { due, ..append(MatchId(id << 90), 0, &rows) }],
            puts: vec![put(&format!("k/{id}\0"), Expect::Absent, &id.to_string())],
            snapshots: (id % 5 == 0)
                .then(|| snapshot(MatchId(id << 90), id as u64 % 7, "as it was"))
                .into_iter()
                .collect(),
        };
        drop(subject.store.commit(transaction));
    }
    let large = vec![vec![7; 3 << 20]; 5];
    let append = Append { match_id: MatchId(9), expected: 0, rows: large, due: Due::At(1) };
    subject.commit(subjects::appending([append])).await;
    let long: Vec<String> = (0..500).map(|row| row.to_string()).collect();
    let long: Vec<&str> = long.iter().map(String::as_str).collect();
    subject.commit(subjects::appending([subjects::append(MatchId(10), 0, &long)])).await;
}

#[tokio::test]
async fn everything_arrives_in_every_store_and_comes_back() {
    let first = subjects::memory();
    fill(&first).await;
    let everything = everything_in(&first).await;
    let rows = everything.matches.iter().map(|(_, rows, _)| rows.len() as u64).sum();
    let copied = Copied { matches: 1202, rows, records: 1200 };
    let house = House::find();
    let mut stations = vec![subjects::sqlite()];
    if let Some(house) = &house {
        stations.extend(house.all(&["copying"]).await);
    }
    stations.extend([subjects::sqlite(), subjects::memory()]);
    let mut from = first;
    for to in stations {
        let mut told = Vec::new();
        assert_eq!(copy(&*from.store, &*to.store, &mut |so_far| told.push(so_far)).await, Ok(copied));
        assert_eq!(told.last(), Some(&copied));
        assert!(everything_in(&to).await == everything, "the same is there");
        from = to;
    }
    if let Some(house) = house {
        house.clear(&["copying"]);
    }
}

#[tokio::test]
async fn nothing_is_copied_onto_something_else() {
    let (from, with_a_match, with_a_record) = (subjects::memory(), subjects::memory(), subjects::sqlite());
    from.commit(subjects::putting([put("k", Expect::Absent, "mine")])).await;
    with_a_match.commit(subjects::appending([append(MatchId(1), 0, &[])])).await;
    with_a_record.commit(subjects::putting([put("k", Expect::Absent, "theirs")])).await;
    for to in [with_a_match, with_a_record] {
        let refusal = copy(&*from.store, &*to.store, &mut |_| {}).await;
        assert_eq!(refusal, Err(StoreError { what: "the store to copy to is not empty".to_owned() }));
    }
}
