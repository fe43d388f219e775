//! Table of several reports of one ruleset with different options.

use super::{ExperimentReport, ReportTable, TableCell, mean, share};

/// Returns a table with one row for each report.
#[must_use]
pub fn sweep(reports: &[ExperimentReport<'_>]) -> ReportTable {
    let seats = reports.iter().map(|report| usize::from(report.experiment.seats)).max().unwrap_or(0);
    let names: Vec<String> = (0..seats).map(|seat| format!("seat {seat} wins (95 % interval)")).collect();
    let mut columns = vec!["options", "matches"];
    columns.extend(names.iter().map(String::as_str));
    let has_scores = |seat: &usize| {
        let mut totals = reports.iter().filter_map(|report| report.findings.totals.scores.get(*seat));
        totals.any(|scores| scores.matches() > 0)
    };
    let scored: Vec<usize> = (0..seats).filter(has_scores).collect();
    let score_names: Vec<String> = scored.iter().map(|seat| format!("score of seat {seat}")).collect();
    columns.extend(score_names.iter().map(String::as_str));
    columns.extend(["nobody", "inputs", "legal answers", "not over", "faults"]);
    let mut table = ReportTable::new("Sweep", "The same seeds with different options.", &columns);
    for report in reports {
        let totals = &report.findings.totals;
        let mut row = vec![TableCell::Text(report.options()), TableCell::Count(totals.matches)];
        for seat in 0..seats {
            let wins = totals.wins.get(seat).copied();
            row.push(wins.map_or(TableCell::Nothing, |wins| TableCell::Share(share(wins, totals.matches))));
        }
        for seat in &scored {
            let score = totals.scores.get(*seat).and_then(mean);
            row.push(score.map_or(TableCell::Nothing, TableCell::Mean));
        }
        row.push(TableCell::Percent(totals.draws as f64 / totals.matches.max(1) as f64));
        row.push(TableCell::Number(totals.inputs.mean(), 1));
        row.push(TableCell::Number(totals.branching(), 1));
        row.extend([TableCell::Count(totals.unfinished), TableCell::Count(totals.faulty)]);
        table.rows.push(row);
    }
    table
}
