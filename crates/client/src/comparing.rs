//! Whether every command is in the log exactly once, as its sender was told.

use std::collections::BTreeMap;

use intermezzo_server::{RowInfo, command_digest};
use serde_json::Value;

use crate::findings::Findings;
use crate::journal::{Answer, Journal, Sent};

/// Compares what the clients of a match have noted with its rows. Without a journal of anybody, commands in the rows
/// cannot be known.
pub fn compare(match_id: &str, journals: &[Journal], rows: &[RowInfo], found: &mut Findings) {
    check_order(match_id, rows, found);
    let mut by_command: BTreeMap<u64, Vec<&RowInfo>> = BTreeMap::new();
    let commands = rows.iter().filter(|row| row.command != 0);
    commands.for_each(|row| by_command.entry(row.command).or_default().push(row));
    for journal in journals {
        add_up(journal, found);
        for (id, sent) in &journal.commands {
            let account = u128::from_str_radix(&journal.account, 16).unwrap_or(0);
            let rows = by_command.remove(&command_digest(account, Some(journal.seat), id));
            check_command(journal, (id, sent), &rows.unwrap_or_default(), found);
        }
    }
    for rows in by_command.values().filter(|_| !journals.is_empty()) {
        found.fault(format!("match {match_id}: row {} holds a command nobody sent", rows[0].version));
    }
}

/// What one version has brought, the same over the socket as from the record.
#[must_use]
pub fn step_content(step: &Value) -> String {
    format!("{}{}", step["events"], step.get("notices").unwrap_or(&Value::Null))
}

fn add_up(journal: &Journal, found: &mut Findings) {
    found.reopened += journal.reopened;
    found.connections += journal.connections;
    found.gaps += journal.gaps;
    found.repeats += journal.repeats;
    found.commands += journal.commands.len();
    found.retried += journal.commands.values().filter(|sent| sent.times > 1).count();
    found.faults.extend(journal.faults.iter().cloned());
}

/// Time goes forward, and nothing comes after the end.
fn check_order(id: &str, rows: &[RowInfo], found: &mut Findings) {
    for pair in rows.windows(2) {
        if pair[0].is_over {
            found.fault(format!("match {id}: row {} comes after the end", pair[1].version));
        }
        if pair[1].at_ms < pair[0].at_ms {
            found.fault(format!("match {id}: row {} is older than the one before it", pair[1].version));
        }
    }
}

fn check_command(journal: &Journal, (id, sent): (&String, &Sent), rows: &[&RowInfo], found: &mut Findings) {
    let name = format!("match {} seat {}: command {id}", journal.match_id, journal.seat);
    if rows.len() > 1 {
        found.doubled += 1;
        found.fault(format!("{name} was taken {} times", rows.len()));
    }
    match (&sent.answer, rows.first()) {
        (Some(Answer::Taken(version)), Some(row)) => {
            found.acknowledged += 1;
            let seen = row.seen.get(usize::from(journal.seat));
            if seen != Some(version) {
                found.fault(format!("{name} was acknowledged at version {version}, but led to {seen:?}"));
            }
        }
        (Some(Answer::Taken(_)), None) => {
            found.acknowledged += 1;
            found.lost += 1;
            found.fault(format!("{name} was acknowledged and is lost"));
        }
        (Some(Answer::Refused(code)), row) => {
            *found.refused.entry(code.clone()).or_default() += 1;
            if row.is_some() {
                found.fault(format!("{name} was refused ({code}) and is there"));
            }
        }
        (None, _) => found.fault(format!("{name} was never answered")),
    }
}
