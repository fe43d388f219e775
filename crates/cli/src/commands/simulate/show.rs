//! Simulation reports in the terminal.

use intermezzo_simulator::coverage::Coverage;
use intermezzo_simulator::experiment::ExperimentFindings;
use intermezzo_simulator::report::{ExperimentReport, ReportTable, compare, matches, sweep};

use super::progress::SimulationRun;
use crate::out::{BAD, DIM, HEAD, Out, say};

/// Maximum number of rows per table. The HTML page and JSON have all of them.
const MOST_ROWS: usize = 12;

pub(super) fn report(
    out: &mut Out,
    report: &ExperimentReport<'_>,
    coverage: Option<&Coverage>,
    run: &SimulationRun,
) {
    title(out, report);
    tables(out, &report.tables(), MOST_ROWS);
    if let Some(coverage) = coverage {
        tables(out, &coverage.tables(), usize::MAX);
    }
    problems(out, report);
    speed(out, run);
}

pub(super) fn sweep_report(out: &mut Out, reports: &[ExperimentReport<'_>], run: &SimulationRun) {
    if let Some(first) = reports.first() {
        title(out, first);
    }
    tables(out, &[sweep(reports)], usize::MAX);
    reports.iter().for_each(|report| problems(out, report));
    speed(out, run);
}

pub(super) fn comparison(
    out: &mut Out,
    before: &ExperimentReport<'_>,
    after: &ExperimentReport<'_>,
    run: &SimulationRun,
) {
    say!(out, "{HEAD}before{HEAD:#}  {}", before.title());
    say!(out, "{HEAD}after{HEAD:#}   {}", after.title());
    tables(out, &compare(before, after), MOST_ROWS);
    [before, after].iter().for_each(|report| problems(out, report));
    speed(out, run);
}

/// Prints the run time per number of threads.
pub(super) fn scaling(out: &mut Out, times: &[(usize, f64, Vec<ExperimentFindings>)]) {
    let Some((_, alone, first)) = times.first() else { return };
    say!(out, "{DIM}{:>8}  {:>9}  {:>10}  {:>8}{DIM:#}", "threads", "seconds", "matches/s", "speed-up");
    for (threads, seconds, found) in times {
        let played: u64 = found.iter().map(|found| found.totals.matches).sum();
        let (rate, faster) = (played as f64 / seconds, alone / seconds);
        say!(out, "{threads:>8}  {seconds:>9.2}  {rate:>10.0}  {faster:>7.2}×");
    }
    let same = times.iter().all(|(_, _, found)| found == first);
    say!(
        out,
        "{}",
        if same {
            "all runs gave the same result"
        } else {
            "the runs gave different results: this is a bug in intermezzo"
        }
    );
}

fn title(out: &mut Out, report: &ExperimentReport<'_>) {
    let title = report.title();
    match title.split_once(':') {
        Some((name, rest)) => say!(out, "{HEAD}{name}{HEAD:#}:{rest}"),
        None => say!(out, "{HEAD}{title}{HEAD:#}"),
    }
}

/// Prints tables. A note shared by several tables is printed once.
fn tables(out: &mut Out, tables: &[ReportTable], most: usize) {
    let mut printed: Vec<&str> = Vec::new();
    for table in tables {
        say!(out);
        say!(out, "{HEAD}{}{HEAD:#}", table.title);
        if !table.note.is_empty() && !printed.contains(&table.note.as_str()) {
            say!(out, "  {DIM}{}{DIM:#}", table.note);
            printed.push(&table.note);
        }
        for (at, line) in table.lines(most).into_iter().enumerate() {
            match at {
                0 => say!(out, "  {DIM}{line}{DIM:#}"),
                _ => say!(out, "  {line}"),
            }
        }
    }
}

fn problems(out: &mut Out, report: &ExperimentReport<'_>) {
    for trouble in report.problems() {
        say!(out);
        say!(out, "{BAD}{}{BAD:#}; {}", trouble.title, trouble.advice);
        for (seed, how) in trouble.examples {
            say!(out, "  --seed {seed}  {how}");
        }
    }
}

fn speed(out: &mut Out, run: &SimulationRun) {
    let (played, of) = run.played();
    say!(out);
    let rate = played as f64 / run.seconds().max(1e-9);
    say!(out, "{DIM}{} in {:.1} s, {rate:.0} matches per second{DIM:#}", matches(played), run.seconds());
    if run.is_stopped() {
        say!(out, "{BAD}stopped after {played} of {of} matches{BAD:#}; the report covers only those");
    }
}
