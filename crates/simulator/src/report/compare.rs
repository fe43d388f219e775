//! Comparison of two reports, before and after a change of the rules.

use std::collections::BTreeSet;

use super::numbers::{Estimate, mean_difference, share_difference};
use super::usage::GROUPS;
use super::{ExperimentReport, ReportTable, TableCell};
use crate::experiment::UsageStatistics;

const NOTE: &str = "Both use the same seeds. ▲ and ▼ mark significant changes: 0 lies outside the 95 % interval. Of many \
    rows without a real change, about one in twenty is marked by chance.";

/// Returns tables of the changes in results, lengths and usage.
#[must_use]
pub fn compare(before: &ExperimentReport<'_>, after: &ExperimentReport<'_>) -> Vec<ReportTable> {
    let mut tables = vec![results(before, after), lengths(before, after)];
    tables.push(uses("Things", "thing", &before.things(), &after.things(), (before, after)));
    for (title, what, kind) in GROUPS {
        tables.push(uses(title, what, &before.rules(kind), &after.rules(kind), (before, after)));
    }
    tables.retain(|table| !table.rows.is_empty());
    tables
}

fn results(before: &ExperimentReport<'_>, after: &ExperimentReport<'_>) -> ReportTable {
    let mut table = ReportTable::new("Results", NOTE, &["", "before", "after", "change in points"]);
    let (old, new) = (&before.findings.totals, &after.findings.totals);
    let mut row = |name: String, one: u64, other: u64| {
        let (of, now_of) = (old.matches, new.matches);
        let change = share_difference((other, now_of), (one, of));
        let shares =
            [(one, of), (other, now_of)].map(|(part, of)| TableCell::Percent(part as f64 / of.max(1) as f64));
        let cells = [TableCell::Text(name)].into_iter().chain(shares);
        table.rows.push(cells.chain([change.map_or(TableCell::Nothing, TableCell::Points)]).collect());
    };
    for seat in 0..old.wins.len().max(new.wins.len()) {
        let wins = |wins: &[u64]| wins.get(seat).copied().unwrap_or(0);
        row(format!("seat {seat} wins"), wins(&old.wins), wins(&new.wins));
    }
    row("nobody wins".to_owned(), old.draws, new.draws);
    let endings = |report: &ExperimentReport<'_>| -> Vec<(String, u64)> {
        let outcomes = report.findings.totals.outcomes.iter();
        outcomes.map(|(name, count)| (report.program().symbol(*name).to_owned(), *count)).collect()
    };
    let (one, other) = (endings(before), endings(after));
    let count = |list: &[(String, u64)], name: &str| {
        list.iter().find(|(other, _)| other == name).map_or(0, |(_, count)| *count)
    };
    let names: BTreeSet<&str> = one.iter().chain(&other).map(|(name, _)| name.as_str()).collect();
    for name in names {
        row(format!("ends {name}"), count(&one, name), count(&other, name));
    }
    row("not over".to_owned(), old.unfinished, new.unfinished);
    row("a rule failed".to_owned(), old.faulty, new.faulty);
    table
}

fn lengths(before: &ExperimentReport<'_>, after: &ExperimentReport<'_>) -> ReportTable {
    let mut table = ReportTable::new("Length", NOTE, &["in a match", "before", "after", "change"]);
    let (old, new) = (before.findings, after.findings);
    let mut rows = vec![
        ("inputs".to_owned(), &old.totals.inputs, &new.totals.inputs),
        ("events".to_owned(), &old.totals.events, &new.totals.events),
    ];
    for (seat, (one, other)) in old.decisions.iter().zip(&new.decisions).enumerate() {
        rows.push((format!("decisions of seat {seat}"), one, other));
    }
    for (seat, (one, other)) in old.first_play.iter().zip(&new.first_play).enumerate() {
        rows.push((format!("decisions before seat {seat} plays"), one, other));
    }
    let scores = old.totals.scores.iter().zip(&new.totals.scores).enumerate();
    for (seat, (one, other)) in scores.filter(|(_, (one, other))| one.matches() + other.matches() > 0) {
        let change = mean_difference(other, one).map_or(TableCell::Nothing, TableCell::Difference);
        let means = [one, other].map(|scores| TableCell::Number(scores.mean(), 2));
        let name = TableCell::Text(format!("score of seat {seat}"));
        table.rows.push([name].into_iter().chain(means).chain([change]).collect());
    }
    for (name, one, other) in rows {
        let change = mean_difference(other, one).map_or(TableCell::Nothing, TableCell::Difference);
        let means = [one, other].map(|lengths| TableCell::Number(lengths.mean(), 2));
        table.rows.push([TableCell::Text(name)].into_iter().chain(means).chain([change]).collect());
    }
    let branching = [&old.totals, &new.totals].map(|totals| TableCell::Number(totals.branching(), 2));
    let name = TableCell::Text("legal answers to a question".to_owned());
    table.rows.push([name].into_iter().chain(branching).chain([TableCell::Nothing]).collect());
    table
}

/// Returns a table of changes in usage, and in the wins of seats that used something.
fn uses(
    title: &str,
    what: &str,
    one: &[(String, UsageStatistics)],
    other: &[(String, UsageStatistics)],
    (before, after): (&ExperimentReport<'_>, &ExperimentReport<'_>),
) -> ReportTable {
    let columns =
        [what, "used before", "used after", "change in use", "wins before", "wins after", "change in wins"];
    let mut table = ReportTable::new(title, NOTE, &columns);
    let find = |list: &[(String, UsageStatistics)], name: &str| {
        list.iter().find(|(other, _)| other == name).map(|(_, found)| *found)
    };
    let names: BTreeSet<&str> = one.iter().chain(other).map(|(name, _)| name.as_str()).collect();
    let mut rows: Vec<(f64, Vec<TableCell>)> = Vec::new();
    for name in names {
        let (old, new) = (find(one, name), find(other, name));
        let of = [before.findings.totals.matches, after.findings.totals.matches];
        let used = [(old.map(|old| old.matches), of[0]), (new.map(|new| new.matches), of[1])];
        let won = [old, new]
            .map(|found| found.map_or((None, 0), |found| (Some(found.with.won), found.with.played)));
        let (mut row, mut weight) = (vec![TableCell::Text(name.to_owned())], 0.0f64);
        for [(old, old_of), (new, new_of)] in [used, won] {
            let share = |part: Option<u64>, of: u64| match (part, of) {
                (Some(_), 0) | (None, _) => TableCell::Nothing,
                (Some(part), of) => TableCell::Percent(part as f64 / of as f64),
            };
            let change = match (old, new) {
                (Some(old), Some(new)) => share_difference((new, new_of), (old, old_of)),
                _ => None,
            };
            weight = weight.max(change.map_or(0.0, importance));
            row.extend([share(old, old_of), share(new, new_of)]);
            row.push(match (old, new, change) {
                (None, Some(_), _) => TableCell::Text("new".to_owned()),
                (Some(_), None, _) => TableCell::Text("gone".to_owned()),
                (_, _, Some(change)) => TableCell::Points(change),
                _ => TableCell::Nothing,
            });
        }
        rows.push((weight, row));
    }
    rows.sort_by(|(one, _), (other, _)| other.total_cmp(one));
    table.rows = rows.into_iter().map(|(_, row)| row).collect();
    table
}

/// Returns the sort key of a row: significant changes first, then by size.
fn importance(change: Estimate) -> f64 {
    change.value.abs() + if change.is_significant() { 10.0 } else { 0.0 }
}
