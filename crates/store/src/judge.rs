//! Whether a transaction may happen: the rules, the same for every store.

use crate::match_id::MatchId;
use crate::transaction::{Conflict, Expect, Outcome, Put, Snapshot, Transaction};

/// What the rules need to see of a store, as it is just before the transaction.
pub(crate) trait Contents {
    /// What can go wrong when looking.
    type Error;
    /// The version of the last row of a log; 0 if there is none.
    fn head(&mut self, match_id: MatchId) -> Result<u64, Self::Error>;
    /// The version of a record, if it is there.
    fn record_version(&mut self, key: &str) -> Result<Option<u64>, Self::Error>;
}

/// Stands for the version of a record that was changed but has none yet: whoever changes it next cannot expect it.
pub(crate) const NOT_YET: u64 = u64::MAX;

/// Says why a transaction must not happen; `None` if it may.
pub(crate) fn refusal<C: Contents>(
    transaction: &Transaction,
    contents: &mut C,
) -> Result<Option<Outcome>, C::Error> {
    for append in &transaction.appends {
        let head = contents.head(append.match_id)?;
        if head != append.expected {
            let conflict = Conflict::Log { match_id: append.match_id, head };
            return Ok(Some(Outcome::Conflict(conflict)));
        }
    }
    for put in &transaction.puts {
        if !is_as_expected(put, contents)? {
            return Ok(Some(Outcome::Conflict(Conflict::Record { key: put.key.clone() })));
        }
    }
    for snapshot in &transaction.snapshots {
        let head = head_afterwards(transaction, snapshot.match_id, contents)?;
        if snapshot.version > head {
            return Ok(Some(Outcome::DefinitelyNot(ahead_of_its_log(snapshot, head))));
        }
    }
    Ok(None)
}

fn is_as_expected<C: Contents>(put: &Put, contents: &mut C) -> Result<bool, C::Error> {
    Ok(match put.expect {
        Expect::Anything => true,
        Expect::Absent => contents.record_version(&put.key)?.is_none(),
        Expect::Version(NOT_YET) => false,
        Expect::Version(version) => contents.record_version(&put.key)? == Some(version),
    })
}

/// Where a log ends once the transaction has happened.
fn head_afterwards<C: Contents>(
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

fn ahead_of_its_log(snapshot: &Snapshot, head: u64) -> String {
    let Snapshot { match_id, version, .. } = snapshot;
    format!("a snapshot of version {version} is ahead of the log of {match_id}, which ends at {head}")
}
