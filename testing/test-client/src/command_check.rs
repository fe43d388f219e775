//! Check that every acknowledged command is in the log exactly once.

use std::collections::BTreeMap;

use intermezzo_server::{RowInfo, command_digest};
use serde_json::Value;

use crate::findings::ClientFindings;
use crate::journal::{ClientJournal, CommandResult, SentCommand};

/// Compares the journals of a match's clients with its rows. Without any journal, the commands in the rows are not
/// checked.
pub fn compare(match_id: &str, journals: &[ClientJournal], rows: &[RowInfo], found: &mut ClientFindings) {
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
        found.add_problem(format!(
            "match {match_id}: row {} holds a command that nobody sent",
            rows[0].version
        ));
    }
}

/// Returns the content of one version, which is the same over the socket and in the record.
#[must_use]
pub fn step_content(step: &Value) -> String {
    format!("{}{}", step["events"], step.get("notices").unwrap_or(&Value::Null))
}

fn add_up(journal: &ClientJournal, found: &mut ClientFindings) {
    found.reopened += journal.reopened;
    found.connections += journal.connections;
    found.gaps += journal.gaps;
    found.repeats += journal.repeats;
    found.commands += journal.commands.len();
    found.retried += journal.commands.values().filter(|sent| sent.times > 1).count();
    found.problems.extend(journal.problems.iter().cloned());
}

/// Checks that timestamps do not decrease, and that no row follows the end.
fn check_order(id: &str, rows: &[RowInfo], found: &mut ClientFindings) {
    for pair in rows.windows(2) {
        if pair[0].is_over {
            found.add_problem(format!("match {id}: row {} comes after the end", pair[1].version));
        }
        if pair[1].at_ms < pair[0].at_ms {
            found.add_problem(format!("match {id}: row {} is older than the one before it", pair[1].version));
        }
    }
}

fn check_command(
    journal: &ClientJournal,
    (id, sent): (&String, &SentCommand),
    rows: &[&RowInfo],
    found: &mut ClientFindings,
) {
    let name = format!("match {} seat {}: command {id}", journal.match_id, journal.seat);
    if rows.len() > 1 {
        found.doubled += 1;
        found.add_problem(format!("{name} was accepted {} times", rows.len()));
    }
    match (&sent.answer, rows.first()) {
        (Some(CommandResult::Acknowledged(version)), Some(row)) => {
            found.acknowledged += 1;
            let seen = row.seen.get(usize::from(journal.seat));
            if seen != Some(version) {
                found.add_problem(format!(
                    "{name} was acknowledged at version {version}, but led to {seen:?}"
                ));
            }
        }
        (Some(CommandResult::Acknowledged(_)), None) => {
            found.acknowledged += 1;
            found.lost += 1;
            found.add_problem(format!("{name} was acknowledged but is lost"));
        }
        (Some(CommandResult::Refused(code)), row) => {
            *found.refused.entry(code.clone()).or_default() += 1;
            if let Some(row) = row {
                let row = row.version;
                found.add_problem(format!("{name} was refused ({code}) but is row {row} of the log"));
            }
        }
        (None, _) => found.add_problem(format!("{name} was never answered")),
    }
}
