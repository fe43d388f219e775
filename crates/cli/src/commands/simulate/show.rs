//! Reports in the terminal.

use intermezzo_simulator::coverage::Coverage;
use intermezzo_simulator::report::{Report, Table, compare, matches, sweep};
use intermezzo_simulator::study::Findings;

use super::running::Running;
use crate::out::{BAD, DIM, HEAD, Out, say};

/// Long tables end here; pages and JSON have the rest.
const MOST_ROWS: usize = 12;

pub(super) fn report(out: &mut Out, report: &Report<'_>, coverage: Option<&Coverage>, running: &Running) {
    title(out, report);
    tables(out, &report.tables(), MOST_ROWS);
    if let Some(coverage) = coverage {
        tables(out, &coverage.tables(), usize::MAX);
    }
    trouble(out, report);
    speed(out, running);
}

pub(super) fn swept(out: &mut Out, reports: &[Report<'_>], running: &Running) {
    if let Some(first) = reports.first() {
        title(out, first);
    }
    tables(out, &[sweep(reports)], usize::MAX);
    reports.iter().for_each(|report| trouble(out, report));
    speed(out, running);
}

pub(super) fn compared(out: &mut Out, before: &Report<'_>, after: &Report<'_>, running: &Running) {
    say!(out, "{HEAD}before{HEAD:#}  {}", before.title());
    say!(out, "{HEAD}after{HEAD:#}   {}", after.title());
    tables(out, &compare(before, after), MOST_ROWS);
    [before, after].iter().for_each(|report| trouble(out, report));
    speed(out, running);
}

/// How long it took with how many threads.
pub(super) fn scaling(out: &mut Out, times: &[(usize, f64, Vec<Findings>)]) {
    let Some((_, alone, first)) = times.first() else { return };
    say!(out, "{DIM}{:>8}  {:>9}  {:>10}  {:>8}{DIM:#}", "threads", "seconds", "matches/s", "speed-up");
    for (threads, seconds, found) in times {
        let played: u64 = found.iter().map(|found| found.tally.matches).sum();
        let (rate, faster) = (played as f64 / seconds, alone / seconds);
        say!(out, "{threads:>8}  {seconds:>9.2}  {rate:>10.0}  {faster:>7.2}×");
    }
    let same = times.iter().all(|(_, _, found)| found == first);
    say!(
        out,
        "{}",
        if same {
            "all found the same"
        } else {
            "they found different things: this is a mistake of intermezzo"
        }
    );
}

fn title(out: &mut Out, report: &Report<'_>) {
    let title = report.title();
    match title.split_once(':') {
        Some((name, rest)) => say!(out, "{HEAD}{name}{HEAD:#}:{rest}"),
        None => say!(out, "{HEAD}{title}{HEAD:#}"),
    }
}

/// Notes that several tables share are told once.
fn tables(out: &mut Out, tables: &[Table], most: usize) {
    let mut told: Vec<&str> = Vec::new();
    for table in tables {
        say!(out);
        say!(out, "{HEAD}{}{HEAD:#}", table.title);
        if !table.note.is_empty() && !told.contains(&table.note.as_str()) {
            say!(out, "  {DIM}{}{DIM:#}", table.note);
            told.push(&table.note);
        }
        for (at, line) in table.lines(most).into_iter().enumerate() {
            match at {
                0 => say!(out, "  {DIM}{line}{DIM:#}"),
                _ => say!(out, "  {line}"),
            }
        }
    }
}

fn trouble(out: &mut Out, report: &Report<'_>) {
    for trouble in report.trouble() {
        say!(out);
        say!(out, "{BAD}{}{BAD:#}; {}", trouble.title, trouble.advice);
        for (seed, how) in trouble.examples {
            say!(out, "  --seed {seed}  {how}");
        }
    }
}

fn speed(out: &mut Out, running: &Running) {
    let (played, of) = running.played();
    say!(out);
    let rate = played as f64 / running.seconds().max(1e-9);
    say!(out, "{DIM}{} in {:.1} s, {rate:.0} matches per second{DIM:#}", matches(played), running.seconds());
    if running.is_stopped() {
        say!(out, "{BAD}stopped after {played} of {of}{BAD:#}: the report tells of those");
    }
}
