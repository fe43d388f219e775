//! Size limits and validity of transactions, checked before a store reads its contents.

use std::collections::HashSet;
use std::hash::Hash;

use crate::transaction::Transaction;

/// The longest key of a record, in bytes.
pub const MAX_KEY_BYTES: usize = 512;

/// The largest row, value or snapshot.
pub const MAX_BODY_BYTES: usize = 16 << 20;

/// The largest transaction: its keys and bodies together.
pub const MAX_TRANSACTION_BYTES: usize = 64 << 20;

/// Returns the size of a transaction in bytes, or the reason why no store can apply it.
pub(crate) fn measure(transaction: &Transaction) -> Result<usize, String> {
    if let Some(put) = transaction.puts.iter().find(|put| put.key.len() > MAX_KEY_BYTES) {
        return Err(format!("a key of {} bytes is too long: at most {MAX_KEY_BYTES}", put.key.len()));
    }
    if let Some(body) = bodies(transaction).find(|body| body.len() > MAX_BODY_BYTES) {
        return Err(format!("a body of {} bytes is too large: at most {MAX_BODY_BYTES}", body.len()));
    }
    if let Some(duplicate) = find_duplicate(transaction) {
        return Err(format!("the transaction names {duplicate} twice"));
    }
    let keys: usize = transaction.puts.iter().map(|put| put.key.len()).sum();
    let size = keys + bodies(transaction).map(<[u8]>::len).sum::<usize>();
    if size > MAX_TRANSACTION_BYTES {
        return Err(format!("a transaction of {size} bytes is too large: at most {MAX_TRANSACTION_BYTES}"));
    }
    Ok(size)
}

fn bodies(transaction: &Transaction) -> impl Iterator<Item = &[u8]> {
    let rows = transaction.appends.iter().flat_map(|append| &append.rows);
    let values = transaction.puts.iter().filter_map(|put| put.value.as_ref());
    let snapshots = transaction.snapshots.iter().map(|snapshot| &snapshot.body);
    rows.chain(values).chain(snapshots).map(Vec::as_slice)
}

fn find_duplicate(transaction: &Transaction) -> Option<String> {
    let log = first_duplicate(transaction.appends.iter().map(|append| append.match_id));
    let snapshot = first_duplicate(transaction.snapshots.iter().map(|snapshot| snapshot.match_id));
    let record = first_duplicate(transaction.puts.iter().map(|put| &put.key));
    let log = log.map(|match_id| format!("the log of {match_id}"));
    let snapshot = snapshot.map(|match_id| format!("the snapshot of {match_id}"));
    log.or(snapshot).or_else(|| record.map(|key| format!("the record `{key}`")))
}

/// Returns the first name that occurs a second time.
fn first_duplicate<T: Hash + Eq + Copy>(mut names: impl ExactSizeIterator<Item = T>) -> Option<T> {
    if names.len() < 2 {
        return None;
    }
    let mut seen = HashSet::new();
    names.find(|name| !seen.insert(*name))
}
