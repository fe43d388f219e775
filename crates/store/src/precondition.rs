//! The preconditions of transactions, the same for every store.

use crate::match_id::MatchId;
use crate::transaction::{CommitOutcome, Conflict, Expect, Put, Snapshot, Transaction};

/// The current versions of a store, as they are just before a transaction.
pub(crate) trait CurrentVersions {
    /// The error of a lookup.
    type Error;
    /// Returns the version of the last row of a log; 0 for an empty log.
    fn head(&mut self, match_id: MatchId) -> Result<u64, Self::Error>;
    /// Returns the version of a record, if it exists.
    fn record_version(&mut self, key: &str) -> Result<Option<u64>, Self::Error>;
}

/// The version of a record that was changed earlier in the same group and has no real version yet. No
/// transaction can expect it.
pub(crate) const UNASSIGNED_VERSION: u64 = u64::MAX;

/// Returns the reason why a transaction must not happen; `None` if it may.
pub(crate) fn violation<C: CurrentVersions>(
    transaction: &Transaction,
    contents: &mut C,
) -> Result<Option<CommitOutcome>, C::Error> {
    for append in &transaction.appends {
        let head = contents.head(append.match_id)?;
        if head != append.expected {
            let conflict = Conflict::Log { match_id: append.match_id, head };
            return Ok(Some(CommitOutcome::Conflict(conflict)));
        }
    }
    for put in &transaction.puts {
        if !meets_expectation(put, contents)? {
            return Ok(Some(CommitOutcome::Conflict(Conflict::Record { key: put.key.clone() })));
        }
    }
    for snapshot in &transaction.snapshots {
        let head = head_after(transaction, snapshot.match_id, contents)?;
        if snapshot.version > head {
            return Ok(Some(CommitOutcome::NotCommitted(ahead_of_log_message(snapshot, head))));
        }
    }
    Ok(None)
}

fn meets_expectation<C: CurrentVersions>(put: &Put, contents: &mut C) -> Result<bool, C::Error> {
    Ok(match put.expect {
        Expect::Anything => true,
        Expect::Absent => contents.record_version(&put.key)?.is_none(),
        Expect::Version(UNASSIGNED_VERSION) => false,
        Expect::Version(version) => contents.record_version(&put.key)? == Some(version),
    })
}

/// Returns the head of a log after the transaction.
fn head_after<C: CurrentVersions>(
    transaction: &Transaction,
    match_id: MatchId,
    contents: &mut C,
) -> Result<u64, C::Error> {
    let append = transaction.appends.iter().find(|append| append.match_id == match_id);
    match append {
        Some(append) => Ok(append.expected + append.rows.len() as u64),
        None => contents.head(match_id),
    }
}

fn ahead_of_log_message(snapshot: &Snapshot, head: u64) -> String {
    let Snapshot { match_id, version, .. } = snapshot;
    format!("a snapshot of version {version} is ahead of the log of {match_id}, which ends at {head}")
}
