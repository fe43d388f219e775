//! Check that every deadline fires once, neither early nor late.
//!
//! A question's time runs from the row that opened it, without the server's downtime. The downtime is recorded by the
//! test that kills the server, not by the server.

use std::collections::BTreeMap;

use intermezzo_server::{OpenedQuestion, RowInfo};

use crate::downtime::ServerDowntime;
use crate::findings::ClientFindings;

/// Tolerance for the time at which a question closes, in milliseconds.
#[derive(Clone, Copy, Debug)]
pub struct DeadlineTolerance {
    /// Before the deadline, since clocks are read at different moments.
    pub early: i64,
    /// After the deadline.
    pub late: i64,
    /// After the deadline, for every kill: a server does not know exactly when it was killed.
    pub late_per_kill: i64,
}

/// Match under check.
struct DeadlineContext<'a> {
    id: &'a str,
    bank_ms: Option<i64>,
    downtime: &'a ServerDowntime,
    tolerance: DeadlineTolerance,
}

/// Open question.
struct OpenDeadline {
    question: OpenedQuestion,
    since: i64,
}

/// Checks the deadlines in the rows of a match, and its time banks of `bank_ms` per seat, if any.
pub fn check(
    (id, bank_ms): (&str, Option<i64>),
    rows: &[RowInfo],
    downtime: &ServerDowntime,
    tolerance: DeadlineTolerance,
    found: &mut ClientFindings,
) {
    let context = &DeadlineContext { id, bank_ms, downtime, tolerance };
    let mut open: BTreeMap<u32, OpenDeadline> = BTreeMap::new();
    let mut expired: BTreeMap<u32, i64> = BTreeMap::new();
    let mut used: BTreeMap<u8, i64> = BTreeMap::new();
    for row in rows {
        if row.step == "timeout" {
            check_expiry(context, row, &open, &mut expired, found);
        }
        for input in &row.closed {
            let Some(OpenDeadline { question, since }) = open.remove(input) else { continue };
            let taken = row.at_ms - since - downtime.duration_within(since, row.at_ms);
            *used.entry(question.seat).or_default() += taken;
            check_close(context, row, (question, since), found);
        }
        check_bank(context, row, &used, found);
        for question in &row.opened {
            expired.remove(&question.input);
            open.insert(question.input, OpenDeadline { question: *question, since: row.at_ms });
        }
    }
}

fn check_expiry(
    context: &DeadlineContext<'_>,
    row: &RowInfo,
    open: &BTreeMap<u32, OpenDeadline>,
    expired: &mut BTreeMap<u32, i64>,
    found: &mut ClientFindings,
) {
    let Some(input) = row.input else { return };
    found.expired += 1;
    if expired.insert(input, row.at_ms).is_some() {
        found.twice += 1;
        found.add_problem(format!("match {}: the deadline of question {input} fired twice", context.id));
    }
    let Some(OpenDeadline { question, since }) = open.get(&input) else { return };
    let Some(limit) = question.deadline_ms else { return };
    let taken = row.at_ms - since - context.downtime.duration_within(*since, row.at_ms);
    if taken + context.tolerance.early < limit {
        found.early += 1;
        let id = context.id;
        found.add_problem(format!(
            "match {id}: question {input} had {limit} ms but was closed after {taken} ms"
        ));
    }
}

fn check_close(
    context: &DeadlineContext<'_>,
    row: &RowInfo,
    (question, since): (OpenedQuestion, i64),
    found: &mut ClientFindings,
) {
    let Some(limit) = question.deadline_ms else { return };
    let after = row.at_ms - since - context.downtime.longest_within(since, row.at_ms) - limit;
    found.latest_ms = found.latest_ms.max(after);
    let DeadlineTolerance { late, late_per_kill, .. } = context.tolerance;
    let allowed = late + late_per_kill * context.downtime.kill_count(since, row.at_ms);
    if after > allowed {
        found.late += 1;
        let (id, input) = (context.id, question.input);
        found.add_problem(format!(
            "match {id}: question {input} stayed open for {after} ms after its deadline"
        ));
    }
}

/// Checks that a time bank that ran out was used up.
fn check_bank(
    context: &DeadlineContext<'_>,
    row: &RowInfo,
    used: &BTreeMap<u8, i64>,
    found: &mut ClientFindings,
) {
    let Some(bank) = context.bank_ms else { return };
    if row.step != "leave" || row.sender.is_some() {
        return;
    }
    found.banks += 1;
    let used = row.seat.and_then(|seat| used.get(&seat)).copied().unwrap_or(0);
    if used + context.tolerance.early < bank {
        let id = context.id;
        found.add_problem(format!("match {id}: a bank of {bank} ms ran out after only {used} ms"));
    }
}
