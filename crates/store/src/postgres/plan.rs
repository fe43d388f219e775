//! The merged changes of a group of transactions: each log and each record once.
//!
//! The transactions of a group apply one after another, so a later one sees the changes of an earlier one. The
//! planner works that out in memory; the database receives only the net changes and their preconditions. A plan
//! is based either on versions read under locks, or [optimistically](plan_optimistically) on the versions that
//! the transactions expect.

use std::collections::{BTreeMap, HashMap};
use std::convert::Infallible;

use crate::match_id::MatchId;
use crate::precondition::{self, CurrentVersions, UNASSIGNED_VERSION};
use crate::transaction::{Append, CommitOutcome, Due, Expect, Put, Snapshot, Transaction};

/// Versions from here on do not occur in any table, so an optimistic plan must not assume them.
const TOO_LARGE: u64 = 1 << 62;

/// The net changes of a group.
#[derive(Default)]
pub(super) struct WritePlan<'a> {
    pub(super) logs: BTreeMap<MatchId, LogChange<'a>>,
    pub(super) records: BTreeMap<&'a str, RecordChange<'a>>,
}

/// The net change to one log.
pub(super) struct LogChange<'a> {
    /// The expected head; `None` if the match must not exist yet.
    pub(super) before: Option<u64>,
    pub(super) head: u64,
    /// The appended rows, ending at version `head`.
    pub(super) rows: Vec<&'a [u8]>,
    pub(super) due: Due,
    pub(super) snapshot: Option<&'a Snapshot>,
}

/// The net change to one record.
pub(super) struct RecordChange<'a> {
    pub(super) before: Expect,
    pub(super) value: Option<&'a [u8]>,
}

/// The versions known before a group is applied.
#[derive(Default)]
pub(super) struct KnownVersions {
    /// Heads of the logs of existing matches.
    pub(super) heads: HashMap<MatchId, u64>,
    /// Versions of existing records.
    pub(super) versions: HashMap<String, u64>,
}

/// Returns the ids of all matches that the transactions touch, sorted and without duplicates.
pub(super) fn matches_of<'a>(transactions: impl Iterator<Item = &'a Transaction>) -> Vec<MatchId> {
    let mut ids: Vec<MatchId> = transactions
        .flat_map(|transaction| {
            let appends = transaction.appends.iter().map(|append| append.match_id);
            appends.chain(transaction.snapshots.iter().map(|snapshot| snapshot.match_id))
        })
        .collect();
    ids.sort_unstable();
    ids.dedup();
    ids
}

/// Returns all record keys that the transactions touch, sorted and without duplicates.
pub(super) fn keys_of<'a>(transactions: impl Iterator<Item = &'a Transaction>) -> Vec<&'a str> {
    let mut keys: Vec<&str> =
        transactions.flat_map(|transaction| transaction.puts.iter().map(|put| put.key.as_str())).collect();
    keys.sort_unstable();
    keys.dedup();
    keys
}

/// Returns the plan for the transactions and the outcome of each once the plan is committed.
pub(super) fn plan<'a>(
    transactions: impl Iterator<Item = &'a Transaction>,
    known: KnownVersions,
) -> (WritePlan<'a>, Vec<CommitOutcome>) {
    let mut planner = WritePlanner { known, plan: WritePlan::default() };
    let outcomes = transactions.map(|transaction| planner.add(transaction)).collect();
    (planner.plan, outcomes)
}

/// Returns the plan under the assumption that every expectation holds. `None` if a transaction could still be
/// rejected, or if the result cannot be known without reading.
pub(super) fn plan_optimistically<'a>(
    transactions: impl Iterator<Item = &'a Transaction>,
) -> Option<WritePlan<'a>> {
    let mut planner = WritePlanner { known: KnownVersions::default(), plan: WritePlan::default() };
    for transaction in transactions {
        planner.assume(transaction)?;
        // A conflict must never be reported on the basis of an assumption.
        if planner.add(transaction) != CommitOutcome::Committed {
            return None;
        }
    }
    Some(planner.plan)
}

struct WritePlanner<'a> {
    known: KnownVersions,
    plan: WritePlan<'a>,
}

impl<'a> WritePlanner<'a> {
    /// Adds a transaction to the plan, unless it is rejected.
    fn add(&mut self, transaction: &'a Transaction) -> CommitOutcome {
        let Ok(violation) = precondition::violation(transaction, self);
        if let Some(violation) = violation {
            return violation;
        }
        transaction.appends.iter().for_each(|append| self.append(append));
        transaction.puts.iter().for_each(|put| self.put(put));
        transaction.snapshots.iter().for_each(|snapshot| self.put_snapshot(snapshot));
        CommitOutcome::Committed
    }

    /// Assumes that the expectations of a transaction hold where nothing is known yet.
    fn assume(&mut self, transaction: &'a Transaction) -> Option<()> {
        for append in &transaction.appends {
            if append.expected >= TOO_LARGE {
                return None;
            }
            if append.expected > 0 && !self.plan.logs.contains_key(&append.match_id) {
                self.known.heads.insert(append.match_id, append.expected);
            }
        }
        for put in &transaction.puts {
            match put.expect {
                Expect::Version(version) if version >= TOO_LARGE || version == 0 => return None,
                Expect::Version(version) if !self.plan.records.contains_key(put.key.as_str()) => {
                    self.known.versions.insert(put.key.clone(), version);
                }
                _ => {}
            }
        }
        let mut snapshots = transaction.snapshots.iter();
        let is_known = |snapshot: &Snapshot| {
            let is_named = |append: &Append| append.match_id == snapshot.match_id;
            self.plan.logs.contains_key(&snapshot.match_id) || transaction.appends.iter().any(is_named)
        };
        snapshots.all(is_known).then_some(())
    }

    fn log(&mut self, match_id: MatchId) -> &mut LogChange<'a> {
        let before = self.known.heads.get(&match_id).copied();
        let unchanged = || LogChange {
            before,
            head: before.unwrap_or(0),
            rows: Vec::new(),
            due: Due::Keep,
            snapshot: None,
        };
        self.plan.logs.entry(match_id).or_insert_with(unchanged)
    }

    fn append(&mut self, append: &'a Append) {
        let log = self.log(append.match_id);
        log.head += append.rows.len() as u64;
        log.rows.extend(append.rows.iter().map(Vec::as_slice));
        if append.due != Due::Keep {
            log.due = append.due;
        }
    }

    fn put(&mut self, put: &'a Put) {
        let value = put.value.as_deref();
        let change = self.plan.records.entry(&put.key).or_insert(RecordChange { before: put.expect, value });
        change.value = value;
    }

    fn put_snapshot(&mut self, snapshot: &'a Snapshot) {
        let log = self.log(snapshot.match_id);
        if log.snapshot.is_none_or(|stored| stored.version <= snapshot.version) {
            log.snapshot = Some(snapshot);
        }
    }
}

impl CurrentVersions for WritePlanner<'_> {
    type Error = Infallible;

    fn head(&mut self, match_id: MatchId) -> Result<u64, Infallible> {
        let planned = self.plan.logs.get(&match_id).map(|log| log.head);
        Ok(planned.or_else(|| self.known.heads.get(&match_id).copied()).unwrap_or(0))
    }

    fn record_version(&mut self, key: &str) -> Result<Option<u64>, Infallible> {
        Ok(match self.plan.records.get(key) {
            Some(change) => change.value.map(|_| UNASSIGNED_VERSION),
            None => self.known.versions.get(key).copied(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn appending(expected: u64, rows: &[&str]) -> Transaction {
        let rows = rows.iter().map(|row| row.as_bytes().to_vec()).collect();
        let append = Append { match_id: MatchId(1), expected, rows, due: Due::Keep };
        Transaction { appends: vec![append], ..Transaction::default() }
    }

    fn putting(expect: Expect, value: Option<&str>) -> Transaction {
        let value = value.map(|value| value.as_bytes().to_vec());
        Transaction { puts: vec![Put { key: "k".to_owned(), expect, value }], ..Transaction::default() }
    }

    #[test]
    fn appends_that_follow_each_other_become_one() {
        let group = [appending(7, &["a", "b"]), appending(9, &["c"])];
        let plan = plan_optimistically(group.iter()).unwrap();
        let log = &plan.logs[&MatchId(1)];
        assert_eq!((log.before, log.head), (Some(7), 10));
        assert_eq!(log.rows, [b"a", b"b", b"c"]);
    }

    #[test]
    fn an_optimistic_plan_rejects_nothing() {
        assert!(plan_optimistically([appending(7, &["a"]), appending(7, &["b"])].iter()).is_none());
        assert!(
            plan_optimistically([putting(Expect::Absent, Some("a")), putting(Expect::Absent, None)].iter())
                .is_none()
        );
        assert!(plan_optimistically([appending(u64::MAX, &["a"])].iter()).is_none());
    }

    #[test]
    fn a_record_changed_within_a_group_has_a_version_that_nobody_expects() {
        let group = [
            putting(Expect::Version(3), Some("a")),
            putting(Expect::Version(3), Some("b")),
            putting(Expect::Version(UNASSIGNED_VERSION), Some("c")),
            putting(Expect::Anything, None),
            putting(Expect::Absent, Some("d")),
        ];
        let known =
            KnownVersions { versions: HashMap::from([("k".to_owned(), 3)]), ..KnownVersions::default() };
        let (plan, outcomes) = plan(group.iter(), known);
        let happened: Vec<bool> =
            outcomes.iter().map(|outcome| *outcome == CommitOutcome::Committed).collect();
        assert_eq!(happened, [true, false, false, true, true]);
        let change = &plan.records["k"];
        assert_eq!((change.before, change.value), (Expect::Version(3), Some(&b"d"[..])));
    }
}
