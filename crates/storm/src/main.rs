//! Runs storms, and says how to see again what went wrong.

use std::io::{IsTerminal as _, Write as _};
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;

use intermezzo_server::planted::BUGS;
use intermezzo_storm::{Plan, Report, run};

const USAGE: &str = "\
usage: storm [--seeds N] [--from N] [--nodes N] [--planted BUG | --planted all] [--seed N [--trace]]

  --seeds N      so many worlds (100)
  --from N       the first of them (1)
  --nodes N      so many nodes in each; 0 leaves it to the seed (0)
  --planted BUG  with a bug: stops at the first seed that finds it; `all` tries every bug there is
  --seed N       one world only
  --trace        tells everything that happens in it";

/// So many lines of the trace are told of a world in which something is wrong.
const TOLD: usize = 60;

/// What is wanted.
struct Wish {
    seeds: u64,
    from: u64,
    nodes: usize,
    planted: Option<String>,
    is_traced: bool,
}

fn main() -> Result<ExitCode, Box<dyn std::error::Error>> {
    let Some(wish) = Wish::read(std::env::args().skip(1)) else {
        writeln!(std::io::stderr(), "{USAGE}")?;
        return Ok(ExitCode::from(2));
    };
    let mut plan = Plan::new(wish.nodes);
    plan.is_traced = wish.is_traced;
    match wish.planted.as_deref() {
        Some("all") => return look_for_all(&wish, &plan),
        Some(name) => {
            let bug = BUGS.iter().find(|(known, _)| *known == name);
            plan.planted = Some(bug.ok_or_else(|| format!("no bug is called `{name}`"))?.1);
        }
        None => {}
    }
    if wish.is_traced {
        let report = run(wish.from, &plan);
        let is_fine = report.wrong.is_empty();
        tell(wish.from, report, &wish, &plan)?;
        return Ok(if is_fine { ExitCode::SUCCESS } else { ExitCode::FAILURE });
    }
    let (all, failed) = run_all(&wish, &plan, plan.planted.is_some())?;
    write!(std::io::stdout(), "{all}")?;
    if let Some((seed, report)) = failed {
        tell(seed, report, &wish, &plan)?;
        return Ok(ExitCode::FAILURE);
    }
    Ok(ExitCode::SUCCESS)
}

impl Wish {
    fn read(mut args: impl Iterator<Item = String>) -> Option<Wish> {
        let mut wish = Wish { seeds: 100, from: 1, nodes: 0, planted: None, is_traced: false };
        while let Some(arg) = args.next() {
            match arg.as_str() {
                "--seeds" => wish.seeds = args.next()?.parse().ok()?,
                "--from" => wish.from = args.next()?.parse().ok()?,
                "--nodes" => wish.nodes = args.next()?.parse().ok()?,
                "--planted" => wish.planted = Some(args.next()?),
                "--seed" => (wish.from, wish.seeds) = (args.next()?.parse().ok()?, 1),
                "--trace" => wish.is_traced = true,
                _ => return None,
            }
        }
        Some(wish)
    }
}

/// Runs all worlds, several at a time. What they come to together, and the first in which something is wrong.
fn run_all(wish: &Wish, plan: &Plan, stops: bool) -> std::io::Result<(Report, Option<(u64, Report)>)> {
    let (next, is_enough) = (AtomicU64::new(wish.from), AtomicBool::new(false));
    let gathered = Mutex::new((Report::default(), None::<(u64, Report)>));
    let begun = Instant::now();
    let work = || {
        while !is_enough.load(Ordering::Relaxed) {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            if seed >= wish.from + wish.seeds {
                return;
            }
            let mut report = run(seed, plan);
            let Ok(mut gathered) = gathered.lock() else { return };
            let (all, failed) = &mut *gathered;
            if report.wrong.is_empty() {
                report.trace = Vec::new();
            } else {
                is_enough.store(stops, Ordering::Relaxed);
                let is_first = failed.as_ref().is_none_or(|(other, _)| seed < *other);
                if is_first {
                    let (wrong, trace) = (report.wrong.clone(), std::mem::take(&mut report.trace));
                    *failed = Some((seed, Report { wrong, trace, ..Report::default() }));
                }
            }
            all.add(report);
            show_progress(all.seeds, wish.seeds, begun);
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
        // Nobody may look.
        let _ = write!(std::io::stderr(), "\r{done} of {all} worlds, {seconds} s ");
    }
}

/// Tells what is wrong in a world, and how to see it again.
fn tell(seed: u64, mut report: Report, wish: &Wish, plan: &Plan) -> std::io::Result<()> {
    let out = &mut std::io::stdout().lock();
    if !plan.is_traced {
        let mut plan = plan.clone();
        plan.is_traced = true;
        report = run(seed, &plan);
    }
    let told = if wish.is_traced { report.trace.len() } else { TOLD };
    let first = report.trace.len().saturating_sub(told);
    writeln!(out, "\nseed {seed}, the last {} of {} lines:", report.trace.len() - first, report.trace.len())?;
    report.trace[first..].iter().try_for_each(|line| writeln!(out, "{line}"))?;
    writeln!(out, "\nwrong in the world of seed {seed}:")?;
    report.wrong.iter().try_for_each(|wrong| writeln!(out, "  {wrong}"))?;
    let planted = wish.planted.as_ref().map(|bug| format!(" --planted {bug}")).unwrap_or_default();
    let nodes = if wish.nodes == 0 { String::new() } else { format!(" --nodes {}", wish.nodes) };
    writeln!(
        out,
        "\nto see it again: cargo run --release -p intermezzo-storm -- --seed {seed}{nodes}{planted} --trace"
    )
}

/// Plants every bug, one after the other, and says how many seeds it takes to find it.
fn look_for_all(wish: &Wish, plan: &Plan) -> Result<ExitCode, Box<dyn std::error::Error>> {
    let mut all_found = true;
    for (name, bug) in BUGS {
        let mut plan = plan.clone();
        plan.planted = Some(*bug);
        let (_, failed) = run_all(wish, &plan, true)?;
        let out = &mut std::io::stdout().lock();
        match failed {
            Some((seed, report)) => {
                let first: String =
                    report.wrong.first().map_or_else(String::new, |first| first.chars().take(110).collect());
                writeln!(out, "{name:<28} {:>4}  {first}", seed - wish.from + 1)?;
            }
            None => {
                all_found = false;
                writeln!(out, "{name:<28} not found")?;
            }
        }
    }
    Ok(if all_found { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
