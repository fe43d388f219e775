//! Whether every deadline fires once, not before its time and not long after it.
//!
//! The time for a question is counted from the row that opened it, without the times in which the server was away. For
//! those the siege's own notes count, not the server's.

use std::collections::BTreeMap;

use intermezzo_server::{OpenedQuestion, RowInfo};

use crate::fortress::Absences;
use crate::report::Report;
use crate::table::Played;

/// Clocks of two processes may be read so far apart, in milliseconds.
const EARLY: i64 = 5;
/// So long after its time a question may be closed, with two busy cores.
const LATE: i64 = 2_500;
/// A server does not know to the moment when it was killed.
const LATE_PER_KILL: i64 = 1_100;

/// A question as it stands while the rows are gone through.
struct Open {
    question: OpenedQuestion,
    since: i64,
}

/// Goes through the rows of a match.
pub(crate) fn check(played: &Played, rows: &[RowInfo], absences: &Absences, report: &mut Report) {
    let mut open: BTreeMap<u32, Open> = BTreeMap::new();
    let mut expired: BTreeMap<u32, i64> = BTreeMap::new();
    let mut used: BTreeMap<u8, i64> = BTreeMap::new();
    for row in rows {
        if row.step == "timeout" {
            note_expiry(played, row, &open, &mut expired, absences, report);
        }
        for input in &row.closed {
            let Some(Open { question, since }) = open.remove(input) else { continue };
            let taken = row.at_ms - since - absences.within(since, row.at_ms);
            *used.entry(question.seat).or_default() += taken;
            note_end(played, row, (question, since, taken), absences, report);
        }
        check_bank(played, row, &used, report);
        for question in &row.opened {
            expired.remove(&question.input);
            open.insert(question.input, Open { question: *question, since: row.at_ms });
        }
    }
}

fn note_expiry(
    played: &Played,
    row: &RowInfo,
    open: &BTreeMap<u32, Open>,
    expired: &mut BTreeMap<u32, i64>,
    absences: &Absences,
    report: &mut Report,
) {
    let Some(input) = row.input else { return };
    report.expired += 1;
    if expired.insert(input, row.at_ms).is_some() {
        report.twice += 1;
        report.fault(format!("match {}: the time for question {input} ran out twice", played.match_id));
    }
    let Some(Open { question, since }) = open.get(&input) else { return };
    let Some(limit) = question.deadline_ms else { return };
    let taken = row.at_ms - since - absences.within(*since, row.at_ms);
    if taken + EARLY < limit {
        report.early += 1;
        let id = &played.match_id;
        report.fault(format!("match {id}: question {input} had {limit} ms, and was closed after {taken} ms"));
    }
}

fn note_end(
    played: &Played,
    row: &RowInfo,
    (question, since, taken): (OpenedQuestion, i64, i64),
    absences: &Absences,
    report: &mut Report,
) {
    let Some(limit) = question.deadline_ms else { return };
    let after = taken - limit;
    report.latest_ms = report.latest_ms.max(after);
    let allowed = LATE + LATE_PER_KILL * absences.kills(since, row.at_ms);
    if after > allowed {
        report.late += 1;
        let (id, input) = (&played.match_id, question.input);
        report.fault(format!("match {id}: question {input} was open for {after} ms after its time"));
    }
}

/// A bank that runs out has been used up.
fn check_bank(played: &Played, row: &RowInfo, used: &BTreeMap<u8, i64>, report: &mut Report) {
    let Some(bank) = played.bank_ms else { return };
    if row.step != "leave" || row.sender.is_some() {
        return;
    }
    report.banks += 1;
    let used = row.seat.and_then(|seat| used.get(&seat)).copied().unwrap_or(0);
    if used + EARLY < bank {
        let id = &played.match_id;
        report.fault(format!("match {id}: a bank of {bank} ms ran out after {used} ms of thought"));
    }
}
