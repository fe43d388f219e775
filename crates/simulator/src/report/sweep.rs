//! Several reports of one ruleset, each with other options: one row each.

use super::{Cell, Report, Table, share};

/// One row for each report.
#[must_use]
pub fn sweep(reports: &[Report<'_>]) -> Table {
    let seats = reports.iter().map(|report| usize::from(report.study.seats)).max().unwrap_or(0);
    let names: Vec<String> = (0..seats).map(|seat| format!("seat {seat} wins (95 % interval)")).collect();
    let mut columns = vec!["options", "matches"];
    columns.extend(names.iter().map(String::as_str));
    columns.extend(["nobody", "inputs", "legal answers", "not over", "faults"]);
    let mut table = Table::new("Sweep", "The same seeds with other options.", &columns);
    for report in reports {
        let tally = &report.findings.tally;
        let mut row = vec![Cell::Text(report.options()), Cell::Count(tally.matches)];
        for seat in 0..seats {
            let wins = tally.wins.get(seat).copied();
            row.push(wins.map_or(Cell::Nothing, |wins| Cell::Share(share(wins, tally.matches))));
        }
        row.push(Cell::Percent(tally.draws as f64 / tally.matches.max(1) as f64));
        row.push(Cell::Number(tally.inputs.mean(), 1));
        row.push(Cell::Number(tally.branching(), 1));
        row.extend([Cell::Count(tally.unfinished), Cell::Count(tally.faulty)]);
        table.rows.push(row);
    }
    table
}
