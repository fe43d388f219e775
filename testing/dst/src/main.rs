//! Runs simulations, and prints how to reproduce a failure.

use std::io::{IsTerminal as _, Write as _};
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;

use intermezzo_dst::{DstPlan, DstReport, run};
use intermezzo_fail_points::FAIL_POINTS;

const USAGE: &str = "\
usage: dst [--seeds N] [--from N] [--nodes N] [--fail-point NAME | --fail-point all] [--seed N [--trace]]

  --seeds N            number of seeds (100)
  --from N             first seed (1)
  --nodes N            nodes per simulation; 0 lets the seed decide (0)
  --fail-point NAME    switch on a fail point and stop at the first seed that finds it; `all` tries each in turn
  --seed N             run one seed only
  --trace              print everything that happens";

/// Number of trace lines printed for a failed seed.
const TRACE_LINES: usize = 60;

struct Args {
    seeds: u64,
    from: u64,
    nodes: usize,
    fail_point: Option<String>,
    is_traced: bool,
}

fn main() -> Result<ExitCode, Box<dyn std::error::Error>> {
    let Some(args) = Args::read(std::env::args().skip(1)) else {
        writeln!(std::io::stderr(), "{USAGE}")?;
        return Ok(ExitCode::from(2));
    };
    let mut plan = DstPlan::new(args.nodes);
    plan.is_traced = args.is_traced;
    match args.fail_point.as_deref() {
        Some("all") => return try_all_fail_points(&args, &plan),
        Some(name) => {
            let found = FAIL_POINTS.iter().find(|(known, _)| *known == name);
            plan.fail_point = Some(found.ok_or_else(|| format!("unknown fail point `{name}`"))?.1);
        }
        None => {}
    }
    if args.is_traced {
        let report = run(args.from, &plan);
        let is_fine = report.problems.is_empty();
        print_failure(args.from, report, &args, &plan)?;
        return Ok(if is_fine { ExitCode::SUCCESS } else { ExitCode::FAILURE });
    }
    let (all, failed) = run_all(&args, &plan, plan.fail_point.is_some())?;
    write!(std::io::stdout(), "{all}")?;
    if let Some((seed, report)) = failed {
        print_failure(seed, report, &args, &plan)?;
        return Ok(ExitCode::FAILURE);
    }
    Ok(ExitCode::SUCCESS)
}

impl Args {
    fn read(mut words: impl Iterator<Item = String>) -> Option<Args> {
        let mut args = Args { seeds: 100, from: 1, nodes: 0, fail_point: None, is_traced: false };
        while let Some(word) = words.next() {
            match word.as_str() {
                "--seeds" => args.seeds = words.next()?.parse().ok()?,
                "--from" => args.from = words.next()?.parse().ok()?,
                "--nodes" => args.nodes = words.next()?.parse().ok()?,
                "--fail-point" => args.fail_point = Some(words.next()?),
                "--seed" => (args.from, args.seeds) = (words.next()?.parse().ok()?, 1),
                "--trace" => args.is_traced = true,
                _ => return None,
            }
        }
        Some(args)
    }
}

/// Runs all seeds, several at a time. Returns their combined report, and the first failed seed with its report.
fn run_all(
    args: &Args,
    plan: &DstPlan,
    stops: bool,
) -> std::io::Result<(DstReport, Option<(u64, DstReport)>)> {
    let (next, is_enough) = (AtomicU64::new(args.from), AtomicBool::new(false));
    let gathered = Mutex::new((DstReport::default(), None::<(u64, DstReport)>));
    let begun = Instant::now();
    let work = || {
        while !is_enough.load(Ordering::Relaxed) {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            if seed >= args.from + args.seeds {
                return;
            }
            let mut report = run(seed, plan);
            let Ok(mut gathered) = gathered.lock() else { return };
            let (all, failed) = &mut *gathered;
            if report.problems.is_empty() {
                report.trace = Vec::new();
            } else {
                is_enough.store(stops, Ordering::Relaxed);
                let is_first = failed.as_ref().is_none_or(|(other, _)| seed < *other);
                if is_first {
                    let (problems, trace) = (report.problems.clone(), std::mem::take(&mut report.trace));
                    *failed = Some((seed, DstReport { problems, trace, ..DstReport::default() }));
                }
            }
            all.add(report);
            show_progress(all.seeds, args.seeds, begun);
        }
    };
    let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    std::thread::scope(|scope| (0..threads).for_each(|_| drop(scope.spawn(work))));
    if std::io::stderr().is_terminal() {
        writeln!(std::io::stderr())?;
    }
    Ok(gathered.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner))
}

fn show_progress(done: u64, all: u64, begun: Instant) {
    if std::io::stderr().is_terminal() {
        let seconds = begun.elapsed().as_secs();
        // A failure to show progress must not fail the run.
        let _ = write!(std::io::stderr(), "\r{done} of {all} seeds, {seconds} s ");
    }
}

/// Prints the problems of a seed, and how to reproduce them.
fn print_failure(seed: u64, mut report: DstReport, args: &Args, plan: &DstPlan) -> std::io::Result<()> {
    let out = &mut std::io::stdout().lock();
    if !plan.is_traced {
        let mut plan = plan.clone();
        plan.is_traced = true;
        report = run(seed, &plan);
    }
    let shown = if args.is_traced { report.trace.len() } else { TRACE_LINES };
    let first = report.trace.len().saturating_sub(shown);
    writeln!(
        out,
        "\nseed {seed}, last {} of {} trace lines:",
        report.trace.len() - first,
        report.trace.len()
    )?;
    report.trace[first..].iter().try_for_each(|line| writeln!(out, "{line}"))?;
    writeln!(out, "\nproblems of seed {seed}:")?;
    report.problems.iter().try_for_each(|problems| writeln!(out, "  {problems}"))?;
    let fail_point = args.fail_point.as_ref().map(|name| format!(" --fail-point {name}")).unwrap_or_default();
    let nodes = if args.nodes == 0 { String::new() } else { format!(" --nodes {}", args.nodes) };
    writeln!(
        out,
        "\nto reproduce: cargo run --release -p intermezzo-dst -- --seed {seed}{nodes}{fail_point} --trace"
    )
}

/// Switches on each fail point in turn, and prints how many seeds it takes to find it.
fn try_all_fail_points(args: &Args, plan: &DstPlan) -> Result<ExitCode, Box<dyn std::error::Error>> {
    let mut all_found = true;
    for (name, fail_point) in FAIL_POINTS {
        let mut plan = plan.clone();
        plan.fail_point = Some(*fail_point);
        let (_, failed) = run_all(args, &plan, true)?;
        let out = &mut std::io::stdout().lock();
        match failed {
            Some((seed, report)) => {
                let first: String = report
                    .problems
                    .first()
                    .map_or_else(String::new, |first| first.chars().take(110).collect());
                writeln!(out, "{name:<28} {:>4}  {first}", seed - args.from + 1)?;
            }
            None => {
                all_found = false;
                writeln!(out, "{name:<28} not found")?;
            }
        }
    }
    Ok(if all_found { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
