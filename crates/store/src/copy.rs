//! Copies one store into another, for example from SQLite to PostgreSQL or back.

use crate::Store;
use crate::error::StoreError;
use crate::keys;
use crate::transaction::{
    Append, CommitOutcome, Due, Expect, LogRow, Put, StoredMatch, StoredRecord, Transaction,
};

/// Matches or records read per page.
const PAGE: usize = 1000;

/// Log rows read per page.
const ROW_PAGE: usize = 64;

/// Bytes written per transaction. A single larger item still goes into one transaction.
const BATCH_BYTES: usize = 8 << 20;

/// Number of items copied.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CopyCounts {
    /// Matches, including their snapshots and due times.
    pub matches: u64,
    /// Log rows of all matches.
    pub rows: u64,
    /// Records. Copies get new versions.
    pub records: u64,
}

/// How far a copy is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CopyProgress {
    Copied(CopyCounts),
    /// Read from both stores again and found equal.
    Compared(CopyCounts),
}

/// Copies everything into an empty store, then reads both again and compares every row, snapshot and record. Nobody may
/// use either store meanwhile.
///
/// Calls `progress` after each page. After a failure the destination holds a partial copy and must be emptied
/// before retrying.
pub async fn copy(
    from: &dyn Store,
    to: &dyn Store,
    progress: &mut (dyn FnMut(CopyProgress) + Send),
) -> Result<CopyCounts, StoreError> {
    if !is_empty(to).await? {
        return Err(StoreError::new("the store to copy to is not empty"));
    }
    let mut batch = CopyBatch { to, transaction: Transaction::default(), bytes: 0 };
    let mut copied = CopyCounts::default();
    let mut after = None;
    loop {
        let page = from.matches(after, PAGE).await?;
        let Some(last) = page.last() else { break };
        after = Some(last.match_id);
        for listed in page {
            copied.rows += copy_match(from, listed, &mut batch).await?;
            copied.matches += 1;
        }
        progress(CopyProgress::Copied(copied));
    }
    let mut range = keys::prefix("");
    loop {
        let page = from.scan(range.clone(), PAGE, false).await?;
        let Some((last, _)) = page.last() else { break };
        // The shortest key greater than `last`.
        range.start = format!("{last}\0");
        for (key, record) in page {
            copied.records += 1;
            batch.put(Put { key, expect: Expect::Absent, value: Some(record.value) }).await?;
        }
        progress(CopyProgress::Copied(copied));
    }
    batch.flush().await?;
    let compared = compare(from, to, progress).await?;
    if compared != copied {
        return Err(StoreError::new(format!("copied {copied:?}, but the original now has {compared:?}")));
    }
    Ok(copied)
}

/// Copies one match and returns the number of its rows.
async fn copy_match(
    from: &dyn Store,
    listed: StoredMatch,
    batch: &mut CopyBatch<'_>,
) -> Result<u64, StoreError> {
    let StoredMatch { match_id, head, due_ms } = listed;
    let mut version = 0;
    while version < head {
        let rows = from.rows(match_id, version, ROW_PAGE).await?;
        if rows.is_empty() {
            return Err(StoreError::new(format!("the log of {match_id} ends before version {head}")));
        }
        for LogRow { body, .. } in rows {
            batch.append(Append { match_id, expected: version, rows: vec![body], due: Due::Keep }).await?;
            version += 1;
        }
    }
    let due = due_ms.map_or(Due::Keep, Due::At);
    batch.append(Append { match_id, expected: version, rows: Vec::new(), due }).await?;
    if let Some(snapshot) = from.snapshot(match_id).await? {
        batch.flush_if_full(snapshot.body.len()).await?;
        batch.transaction.snapshots.push(snapshot);
    }
    Ok(version)
}

async fn is_empty(store: &dyn Store) -> Result<bool, StoreError> {
    let has_matches = !store.matches(None, 1).await?.is_empty();
    Ok(!has_matches && store.scan(keys::prefix(""), 1, false).await?.is_empty())
}

/// Reads both stores again and compares everything. Returns what was compared.
async fn compare(
    from: &dyn Store,
    to: &dyn Store,
    progress: &mut (dyn FnMut(CopyProgress) + Send),
) -> Result<CopyCounts, StoreError> {
    let mut compared = CopyCounts::default();
    let mut after = None;
    loop {
        let (original, copied) = (from.matches(after, PAGE).await?, to.matches(after, PAGE).await?);
        if original != copied {
            return Err(StoreError::new("the copy has other matches than the original"));
        }
        let Some(last) = original.last() else { break };
        after = Some(last.match_id);
        for listed in &original {
            compare_match(from, to, listed).await?;
            compared.matches += 1;
            compared.rows += listed.head;
        }
        progress(CopyProgress::Compared(compared));
    }
    let mut range = keys::prefix("");
    loop {
        let (original, copied) =
            (from.scan(range.clone(), PAGE, false).await?, to.scan(range.clone(), PAGE, false).await?);
        let values = |page: &[(String, StoredRecord)]| -> Vec<(String, Vec<u8>)> {
            page.iter().map(|(key, record)| (key.clone(), record.value.clone())).collect()
        };
        if let Some(key) = first_difference(&values(&original), &values(&copied)) {
            return Err(StoreError::new(format!("the copy differs from the original at record `{key}`")));
        }
        let Some((last, _)) = original.last() else { break };
        range.start = format!("{last}\0");
        compared.records += original.len() as u64;
        progress(CopyProgress::Compared(compared));
    }
    Ok(compared)
}

fn first_difference(original: &[(String, Vec<u8>)], copied: &[(String, Vec<u8>)]) -> Option<String> {
    let differing = original.iter().zip(copied).find(|(original, copied)| original != copied);
    let missing = || original.get(copied.len()).or_else(|| copied.get(original.len()));
    differing.map(|(original, _)| original).or_else(missing).map(|(key, _)| key.clone())
}

async fn compare_match(from: &dyn Store, to: &dyn Store, listed: &StoredMatch) -> Result<(), StoreError> {
    let match_id = listed.match_id;
    let differs = |what: &str| StoreError::new(format!("the copy of match {match_id} has {what}"));
    let mut version = 0;
    while version < listed.head {
        let (original, copied) =
            (from.rows(match_id, version, ROW_PAGE).await?, to.rows(match_id, version, ROW_PAGE).await?);
        if original != copied || original.is_empty() {
            return Err(differs(&format!("other rows after version {version}")));
        }
        version += original.len() as u64;
    }
    match from.snapshot(match_id).await? == to.snapshot(match_id).await? {
        true => Ok(()),
        false => Err(differs("another snapshot")),
    }
}

/// Changes collected into one transaction on the destination.
struct CopyBatch<'a> {
    to: &'a dyn Store,
    transaction: Transaction,
    bytes: usize,
}

impl CopyBatch<'_> {
    async fn append(&mut self, append: Append) -> Result<(), StoreError> {
        self.flush_if_full(append.rows.iter().map(Vec::len).sum::<usize>()).await?;
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
        self.flush_if_full(put.key.len() + put.value.as_ref().map_or(0, Vec::len)).await?;
        self.transaction.puts.push(put);
        Ok(())
    }

    /// Writes the collected changes first if adding `bytes` would exceed the limit.
    async fn flush_if_full(&mut self, bytes: usize) -> Result<(), StoreError> {
        if self.bytes > 0 && self.bytes + bytes > BATCH_BYTES {
            self.flush().await?;
        }
        self.bytes += bytes.max(1);
        Ok(())
    }

    async fn flush(&mut self) -> Result<(), StoreError> {
        self.bytes = 0;
        match self.to.commit(std::mem::take(&mut self.transaction)).await {
            CommitOutcome::Committed => Ok(()),
            other => Err(StoreError::new(format!("the copy failed: {other:?}"))),
        }
    }
}
