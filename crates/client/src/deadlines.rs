//! Whether every deadline fires once, not before its time and not long after it.
//!
//! The time for a question is counted from the row that opened it, without the times in which the server was away. For
//! those the notes of whoever kills it count, not the server's.

use std::collections::BTreeMap;

use intermezzo_server::{OpenedQuestion, RowInfo};

use crate::absences::Absences;
use crate::findings::Findings;

/// How far from its time a question may be closed, in milliseconds.
#[derive(Clone, Copy, Debug)]
pub struct Patience {
    /// So much before it: clocks are not read at the same moment.
    pub early: i64,
    /// So much after it.
    pub late: i64,
    /// So much more for every kill: a server does not know to the moment when it was killed.
    pub late_per_kill: i64,
}

/// A match whose deadlines are looked at.
struct Looked<'a> {
    id: &'a str,
    bank_ms: Option<i64>,
    absences: &'a Absences,
    patience: Patience,
}

/// A question as it stands while the rows are gone through.
struct Open {
    question: OpenedQuestion,
    since: i64,
}

/// Goes through the rows of a match in which everyone has `bank_ms` for all of it, if there is such a thing.
pub fn check(
    (id, bank_ms): (&str, Option<i64>),
    rows: &[RowInfo],
    absences: &Absences,
    patience: Patience,
    found: &mut Findings,
) {
    let looked = &Looked { id, bank_ms, absences, patience };
    let mut open: BTreeMap<u32, Open> = BTreeMap::new();
    let mut expired: BTreeMap<u32, i64> = BTreeMap::new();
    let mut used: BTreeMap<u8, i64> = BTreeMap::new();
    for row in rows {
        if row.step == "timeout" {
            note_expiry(looked, row, &open, &mut expired, found);
        }
        for input in &row.closed {
            let Some(Open { question, since }) = open.remove(input) else { continue };
            let taken = row.at_ms - since - absences.within(since, row.at_ms);
            *used.entry(question.seat).or_default() += taken;
            note_end(looked, row, (question, since, taken), found);
        }
        check_bank(looked, row, &used, found);
        for question in &row.opened {
            expired.remove(&question.input);
            open.insert(question.input, Open { question: *question, since: row.at_ms });
        }
    }
}

fn note_expiry(
    looked: &Looked<'_>,
    row: &RowInfo,
    open: &BTreeMap<u32, Open>,
    expired: &mut BTreeMap<u32, i64>,
    found: &mut Findings,
) {
    let Some(input) = row.input else { return };
    found.expired += 1;
    if expired.insert(input, row.at_ms).is_some() {
        found.twice += 1;
        found.fault(format!("match {}: the time for question {input} ran out twice", looked.id));
    }
    let Some(Open { question, since }) = open.get(&input) else { return };
    let Some(limit) = question.deadline_ms else { return };
    let taken = row.at_ms - since - looked.absences.within(*since, row.at_ms);
    if taken + looked.patience.early < limit {
        found.early += 1;
        let id = looked.id;
        found.fault(format!("match {id}: question {input} had {limit} ms, and was closed after {taken} ms"));
    }
}

fn note_end(
    looked: &Looked<'_>,
    row: &RowInfo,
    (question, since, taken): (OpenedQuestion, i64, i64),
    found: &mut Findings,
) {
    let Some(limit) = question.deadline_ms else { return };
    let after = taken - limit;
    found.latest_ms = found.latest_ms.max(after);
    let Patience { late, late_per_kill, .. } = looked.patience;
    let allowed = late + late_per_kill * looked.absences.kills(since, row.at_ms);
    if after > allowed {
        found.late += 1;
        let (id, input) = (looked.id, question.input);
        found.fault(format!("match {id}: question {input} was open for {after} ms after its time"));
    }
}

/// A bank that runs out has been used up.
fn check_bank(looked: &Looked<'_>, row: &RowInfo, used: &BTreeMap<u8, i64>, found: &mut Findings) {
    let Some(bank) = looked.bank_ms else { return };
    if row.step != "leave" || row.sender.is_some() {
        return;
    }
    found.banks += 1;
    let used = row.seat.and_then(|seat| used.get(&seat)).copied().unwrap_or(0);
    if used + looked.patience.early < bank {
        let id = looked.id;
        found.fault(format!("match {id}: a bank of {bank} ms ran out after {used} ms of thought"));
    }
}
