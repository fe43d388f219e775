//! What a group of transactions comes to: all their changes as one, each log and each record once.
//!
//! Transactions of a group happen one after the other, so a later one sees what an
//! earlier one has done. That is found out here, in memory; the database is told the
//! sum, and on what it rests: a [`Plan`] knows for everything it changes how it must
//! be before. It is made either from what was read under locks, or by [guessing](guess)
//! that everything is as the transactions themselves expect it.

use std::collections::{BTreeMap, HashMap};
use std::convert::Infallible;

use crate::judge::{self, Contents, NOT_YET};
use crate::match_id::MatchId;
use crate::transaction::{Append, Due, Expect, Outcome, Put, Snapshot, Transaction};

/// Numbers from here on are in no table, so nothing that expects them can be guessed to happen.
const TOO_LARGE: u64 = 1 << 62;

/// The changes of a group.
#[derive(Default)]
pub(super) struct Plan<'a> {
    pub(super) logs: BTreeMap<MatchId, Log<'a>>,
    pub(super) records: BTreeMap<&'a str, Change<'a>>,
}

/// What becomes of one log.
pub(super) struct Log<'a> {
    /// Where it must end before; `None` if nothing may be known of the match.
    pub(super) before: Option<u64>,
    pub(super) head: u64,
    /// The last rows, up to `head`.
    pub(super) rows: Vec<&'a [u8]>,
    pub(super) due: Due,
    pub(super) snapshot: Option<&'a Snapshot>,
}

/// What becomes of one record.
pub(super) struct Change<'a> {
    pub(super) before: Expect,
    pub(super) value: Option<&'a [u8]>,
}

/// How things are before a group.
#[derive(Default)]
pub(super) struct Basis {
    /// Where logs end, of matches of which anything is known.
    pub(super) heads: HashMap<MatchId, u64>,
    /// The versions of the records that are there.
    pub(super) versions: HashMap<String, u64>,
}

/// All logs that transactions name, each once, in order.
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

/// All keys that transactions name, each once, in order.
pub(super) fn keys_of<'a>(transactions: impl Iterator<Item = &'a Transaction>) -> Vec<&'a str> {
    let mut keys: Vec<&str> =
        transactions.flat_map(|transaction| transaction.puts.iter().map(|put| put.key.as_str())).collect();
    keys.sort_unstable();
    keys.dedup();
    keys
}

/// What transactions come to, and how each turns out if the plan is carried out.
pub(super) fn plan<'a>(
    transactions: impl Iterator<Item = &'a Transaction>,
    basis: Basis,
) -> (Plan<'a>, Vec<Outcome>) {
    let mut planner = Planner { basis, plan: Plan::default() };
    let outcomes = transactions.map(|transaction| planner.take(transaction)).collect();
    (planner.plan, outcomes)
}

/// What transactions come to if everything is as they expect. `None` if that cannot be, or not be known.
pub(super) fn guess<'a>(transactions: impl Iterator<Item = &'a Transaction>) -> Option<Plan<'a>> {
    let mut planner = Planner { basis: Basis::default(), plan: Plan::default() };
    for transaction in transactions {
        planner.assume(transaction)?;
        // Whether something is refused must not be told from a guess.
        if planner.take(transaction) != Outcome::Committed {
            return None;
        }
    }
    Some(planner.plan)
}

struct Planner<'a> {
    basis: Basis,
    plan: Plan<'a>,
}

impl<'a> Planner<'a> {
    /// Adds a transaction, unless it is refused.
    fn take(&mut self, transaction: &'a Transaction) -> Outcome {
        let Ok(refusal) = judge::refusal(transaction, self);
        if let Some(refusal) = refusal {
            return refusal;
        }
        transaction.appends.iter().for_each(|append| self.append(append));
        transaction.puts.iter().for_each(|put| self.put(put));
        transaction.snapshots.iter().for_each(|snapshot| self.keep(snapshot));
        Outcome::Committed
    }

    /// Takes what a transaction expects for true where nothing is known yet.
    fn assume(&mut self, transaction: &'a Transaction) -> Option<()> {
        for append in &transaction.appends {
            if append.expected >= TOO_LARGE {
                return None;
            }
            if append.expected > 0 && !self.plan.logs.contains_key(&append.match_id) {
                self.basis.heads.insert(append.match_id, append.expected);
            }
        }
        for put in &transaction.puts {
            match put.expect {
                Expect::Version(version) if version >= TOO_LARGE || version == 0 => return None,
                Expect::Version(version) if !self.plan.records.contains_key(put.key.as_str()) => {
                    self.basis.versions.insert(put.key.clone(), version);
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

    fn log(&mut self, match_id: MatchId) -> &mut Log<'a> {
        let before = self.basis.heads.get(&match_id).copied();
        let unchanged =
            || Log { before, head: before.unwrap_or(0), rows: Vec::new(), due: Due::Keep, snapshot: None };
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
        let change = self.plan.records.entry(&put.key).or_insert(Change { before: put.expect, value });
        change.value = value;
    }

    fn keep(&mut self, snapshot: &'a Snapshot) {
        let log = self.log(snapshot.match_id);
        if log.snapshot.is_none_or(|kept| kept.version <= snapshot.version) {
            log.snapshot = Some(snapshot);
        }
    }
}

impl Contents for Planner<'_> {
    type Error = Infallible;

    fn head(&mut self, match_id: MatchId) -> Result<u64, Infallible> {
        let planned = self.plan.logs.get(&match_id).map(|log| log.head);
        Ok(planned.or_else(|| self.basis.heads.get(&match_id).copied()).unwrap_or(0))
    }

    fn record_version(&mut self, key: &str) -> Result<Option<u64>, Infallible> {
        Ok(match self.plan.records.get(key) {
            Some(change) => change.value.map(|_| NOT_YET),
            None => self.basis.versions.get(key).copied(),
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
        let plan = guess(group.iter()).unwrap();
        let log = &plan.logs[&MatchId(1)];
        assert_eq!((log.before, log.head), (Some(7), 10));
        assert_eq!(log.rows, [b"a", b"b", b"c"]);
    }

    #[test]
    fn nothing_is_refused_by_a_guess() {
        assert!(guess([appending(7, &["a"]), appending(7, &["b"])].iter()).is_none());
        assert!(guess([putting(Expect::Absent, Some("a")), putting(Expect::Absent, None)].iter()).is_none());
        assert!(guess([appending(u64::MAX, &["a"])].iter()).is_none());
    }

    #[test]
    fn a_record_changed_within_a_group_has_a_version_that_nobody_expects() {
        let group = [
            putting(Expect::Version(3), Some("a")),
            putting(Expect::Version(3), Some("b")),
            putting(Expect::Version(NOT_YET), Some("c")),
            putting(Expect::Anything, None),
            putting(Expect::Absent, Some("d")),
        ];
        let basis = Basis { versions: HashMap::from([("k".to_owned(), 3)]), ..Basis::default() };
        let (plan, outcomes) = plan(group.iter(), basis);
        let happened: Vec<bool> = outcomes.iter().map(|outcome| *outcome == Outcome::Committed).collect();
        assert_eq!(happened, [true, false, false, true, true]);
        let change = &plan.records["k"];
        assert_eq!((change.before, change.value), (Expect::Version(3), Some(&b"d"[..])));
    }
}
