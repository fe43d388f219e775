//! Everything from one store to another, such as from a file to a database or back.

use crate::error::StoreError;
use crate::transaction::{Append, Due, Expect, Listed, Outcome, Put, Row, Transaction};
use crate::{Store, keys};

/// How many matches or records are read at once.
const PAGE: usize = 1000;

/// How many rows of a log are read at once.
const ROWS: usize = 64;

/// How many bytes are on their way at once, unless a single thing has more.
const LOT_BYTES: usize = 8 << 20;

/// How much has been copied.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Copied {
    /// Matches, with their snapshots and times.
    pub matches: u64,
    /// Rows of their logs.
    pub rows: u64,
    /// Records. They get new versions.
    pub records: u64,
}

/// Copies everything to a store that must be empty, and counts it again there. Nobody else may use either store meanwhile.
///
/// `tell` hears now and then how far it is. If it fails, the other store has a part of it and must be
/// emptied before one tries again.
pub async fn copy(
    from: &dyn Store,
    to: &dyn Store,
    tell: &mut (dyn FnMut(Copied) + Send),
) -> Result<Copied, StoreError> {
    if !is_empty(to).await? {
        return Err(StoreError::new("the store to copy to is not empty"));
    }
    let mut lot = Lot { to, transaction: Transaction::default(), bytes: 0 };
    let mut copied = Copied::default();
    let mut after = None;
    loop {
        let page = from.matches(after, PAGE).await?;
        let Some(last) = page.last() else { break };
        after = Some(last.match_id);
        for listed in page {
            copied.rows += copy_match(from, listed, &mut lot).await?;
            copied.matches += 1;
        }
        tell(copied);
    }
    let mut range = keys::prefix("");
    loop {
        let page = from.scan(range.clone(), PAGE, false).await?;
        let Some((last, _)) = page.last() else { break };
        // Nothing comes between a key and the same key with a zero after it.
        range.start = format!("{last}\0");
        for (key, record) in page {
            copied.records += 1;
            lot.put(Put { key, expect: Expect::Absent, value: Some(record.value) }).await?;
        }
        tell(copied);
    }
    lot.send().await?;
    let found = count(to).await?;
    if found != copied {
        return Err(StoreError::new(format!("copied were {copied:?}, but {found:?} are there")));
    }
    Ok(copied)
}

/// Copies one match and tells how many rows it has.
async fn copy_match(from: &dyn Store, listed: Listed, lot: &mut Lot<'_>) -> Result<u64, StoreError> {
    let Listed { match_id, head, due_ms } = listed;
    let mut version = 0;
    while version < head {
        let rows = from.rows(match_id, version, ROWS).await?;
        if rows.is_empty() {
            return Err(StoreError::new(format!("the log of {match_id} ends before version {head}")));
        }
        for Row { body, .. } in rows {
            lot.append(Append { match_id, expected: version, rows: vec![body], due: Due::Keep }).await?;
            version += 1;
        }
    }
    let due = due_ms.map_or(Due::Keep, Due::At);
    lot.append(Append { match_id, expected: version, rows: Vec::new(), due }).await?;
    if let Some(snapshot) = from.snapshot(match_id).await? {
        lot.make_room(snapshot.body.len()).await?;
        lot.transaction.snapshots.push(snapshot);
    }
    Ok(version)
}

async fn is_empty(store: &dyn Store) -> Result<bool, StoreError> {
    let has_matches = !store.matches(None, 1).await?.is_empty();
    Ok(!has_matches && store.scan(keys::prefix(""), 1, false).await?.is_empty())
}

/// Counts what is in a store.
async fn count(store: &dyn Store) -> Result<Copied, StoreError> {
    let mut counted = Copied::default();
    let mut after = None;
    loop {
        let page = store.matches(after, PAGE).await?;
        let Some(last) = page.last() else { break };
        after = Some(last.match_id);
        counted.matches += page.len() as u64;
        counted.rows += page.iter().map(|listed| listed.head).sum::<u64>();
    }
    let mut range = keys::prefix("");
    loop {
        let page = store.scan(range.clone(), PAGE, false).await?;
        let Some((last, _)) = page.last() else { break };
        range.start = format!("{last}\0");
        counted.records += page.len() as u64;
    }
    Ok(counted)
}

/// Changes that go to the other store together.
struct Lot<'a> {
    to: &'a dyn Store,
    transaction: Transaction,
    bytes: usize,
}

impl Lot<'_> {
    async fn append(&mut self, append: Append) -> Result<(), StoreError> {
        self.make_room(append.rows.iter().map(Vec::len).sum::<usize>()).await?;
        match self.transaction.appends.last_mut() {
            Some(last) if last.match_id == append.match_id => {
                last.rows.extend(append.rows);
                last.due = append.due;
            }
            _ => self.transaction.appends.push(append),
        }
        Ok(())
    }

    async fn put(&mut self, put: Put) -> Result<(), StoreError> {
        self.make_room(put.key.len() + put.value.as_ref().map_or(0, Vec::len)).await?;
        self.transaction.puts.push(put);
        Ok(())
    }

    /// Sends what there is if so much more would be too much.
    async fn make_room(&mut self, bytes: usize) -> Result<(), StoreError> {
        if self.bytes > 0 && self.bytes + bytes > LOT_BYTES {
            self.send().await?;
        }
        self.bytes += bytes.max(1);
        Ok(())
    }

    async fn send(&mut self) -> Result<(), StoreError> {
        self.bytes = 0;
        match self.to.commit(std::mem::take(&mut self.transaction)).await {
            Outcome::Committed => Ok(()),
            other => Err(StoreError::new(format!("something could not be copied: {other:?}"))),
        }
    }
}
