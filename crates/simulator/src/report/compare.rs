//! What a change of the rules did: two reports side by side.

use std::collections::BTreeSet;

use super::numbers::{Estimate, mean_difference, share_difference};
use super::uses::GROUPS;
use super::{Cell, Report, Table};
use crate::study::Use;

const NOTE: &str = "The same seeds under both. ▲ and ▼ mark what is hardly chance: 0 lies outside the 95 % interval. Of many \
    rows, one in twenty is marked by chance.";

/// What is different after the change: shares, lengths, and what is used.
#[must_use]
pub fn compare(before: &Report<'_>, after: &Report<'_>) -> Vec<Table> {
    let mut tables = vec![results(before, after), lengths(before, after)];
    tables.push(uses("Things", "thing", &before.things(), &after.things(), (before, after)));
    for (title, what, kind) in GROUPS {
        tables.push(uses(title, what, &before.rules(kind), &after.rules(kind), (before, after)));
    }
    tables.retain(|table| !table.rows.is_empty());
    tables
}

fn results(before: &Report<'_>, after: &Report<'_>) -> Table {
    let mut table = Table::new("Results", NOTE, &["", "before", "after", "change in points"]);
    let (old, new) = (&before.findings.tally, &after.findings.tally);
    let mut row = |name: String, one: u64, other: u64| {
        let (of, now_of) = (old.matches, new.matches);
        let change = share_difference((other, now_of), (one, of));
        let shares =
            [(one, of), (other, now_of)].map(|(part, of)| Cell::Percent(part as f64 / of.max(1) as f64));
        let cells = [Cell::Text(name)].into_iter().chain(shares);
        table.rows.push(cells.chain([change.map_or(Cell::Nothing, Cell::Points)]).collect());
    };
    for seat in 0..old.wins.len().max(new.wins.len()) {
        let wins = |wins: &[u64]| wins.get(seat).copied().unwrap_or(0);
        row(format!("seat {seat} wins"), wins(&old.wins), wins(&new.wins));
    }
    row("nobody wins".to_owned(), old.draws, new.draws);
    let endings = |report: &Report<'_>| -> Vec<(String, u64)> {
        let outcomes = report.findings.tally.outcomes.iter();
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

fn lengths(before: &Report<'_>, after: &Report<'_>) -> Table {
    let mut table = Table::new("Length", NOTE, &["in a match", "before", "after", "change"]);
    let (old, new) = (before.findings, after.findings);
    let mut rows = vec![
        ("inputs".to_owned(), &old.tally.inputs, &new.tally.inputs),
        ("events".to_owned(), &old.tally.events, &new.tally.events),
    ];
    for (seat, (one, other)) in old.decisions.iter().zip(&new.decisions).enumerate() {
        rows.push((format!("decisions of seat {seat}"), one, other));
    }
    for (seat, (one, other)) in old.first_play.iter().zip(&new.first_play).enumerate() {
        rows.push((format!("decisions before seat {seat} plays"), one, other));
    }
    for (name, one, other) in rows {
        let change = mean_difference(other, one).map_or(Cell::Nothing, Cell::Difference);
        let means = [one, other].map(|lengths| Cell::Number(lengths.mean(), 2));
        table.rows.push([Cell::Text(name)].into_iter().chain(means).chain([change]).collect());
    }
    let branching = [&old.tally, &new.tally].map(|tally| Cell::Number(tally.branching(), 2));
    let name = Cell::Text("legal answers to a question".to_owned());
    table.rows.push([name].into_iter().chain(branching).chain([Cell::Nothing]).collect());
    table
}

/// How much more often something is used, and how much more often those win who use it.
fn uses(
    title: &str,
    what: &str,
    one: &[(String, Use)],
    other: &[(String, Use)],
    (before, after): (&Report<'_>, &Report<'_>),
) -> Table {
    let columns =
        [what, "used before", "used after", "change in use", "wins before", "wins after", "change in wins"];
    let mut table = Table::new(title, NOTE, &columns);
    let find = |list: &[(String, Use)], name: &str| {
        list.iter().find(|(other, _)| other == name).map(|(_, found)| *found)
    };
    let names: BTreeSet<&str> = one.iter().chain(other).map(|(name, _)| name.as_str()).collect();
    let mut rows: Vec<(f64, Vec<Cell>)> = Vec::new();
    for name in names {
        let (old, new) = (find(one, name), find(other, name));
        let of = [before.findings.tally.matches, after.findings.tally.matches];
        let used = [(old.map(|old| old.matches), of[0]), (new.map(|new| new.matches), of[1])];
        let won = [old, new]
            .map(|found| found.map_or((None, 0), |found| (Some(found.with.won), found.with.played)));
        let (mut row, mut weight) = (vec![Cell::Text(name.to_owned())], 0.0f64);
        for [(old, old_of), (new, new_of)] in [used, won] {
            let share = |part: Option<u64>, of: u64| match (part, of) {
                (Some(_), 0) | (None, _) => Cell::Nothing,
                (Some(part), of) => Cell::Percent(part as f64 / of as f64),
            };
            let change = match (old, new) {
                (Some(old), Some(new)) => share_difference((new, new_of), (old, old_of)),
                _ => None,
            };
            weight = weight.max(change.map_or(0.0, importance));
            row.extend([share(old, old_of), share(new, new_of)]);
            row.push(match (old, new, change) {
                (None, Some(_), _) => Cell::Text("new".to_owned()),
                (Some(_), None, _) => Cell::Text("gone".to_owned()),
                (_, _, Some(change)) => Cell::Points(change),
                _ => Cell::Nothing,
            });
        }
        rows.push((weight, row));
    }
    rows.sort_by(|(one, _), (other, _)| other.total_cmp(one));
    table.rows = rows.into_iter().map(|(_, row)| row).collect();
    table
}

/// What is surely different comes first, the greatest difference before all.
fn importance(change: Estimate) -> f64 {
    change.value.abs() + if change.is_significant() { 10.0 } else { 0.0 }
}
