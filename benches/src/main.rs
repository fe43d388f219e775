//! Prints the time per action of the engine and of a hand-written twin, in one run.
//!
//! `cargo run --release -p intermezzo-benches [-- SECTION]`
//!
//! An action is one whole decision: finding the legal answers, choosing one and applying it. The fastest of
//! several rounds is printed, because noise only adds time. Without an argument, all sections are printed:
//!
//! | section | prints |
//! |---|---|
//! | `duel`, `minitcg`, `skirmish` | time per action of that game |
//! | `reads` | time to read a property |
//! | `parts` | processor instructions of an action, by part |
//! | `sessions` | memory of live sessions |
//! | `memory [PATH]` | memory of live matches, of the ruleset at `PATH` if one is given |
//!
//! Other programs call `idle` (prints only the bytes of an idle match) and `play [PATH]` (plays and prints only the
//! number of actions).

#![expect(clippy::print_stdout, reason = "a program for people prints its result")]

mod memory;
mod parts;

use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use intermezzo_benches::auras::{ReadKind, read_ns};
use intermezzo_benches::{any_ruleset, duel, minitcg, twins};
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<std::alloc::System> = &INSTRUMENTED_SYSTEM;

const MATCHES: u32 = 5_000;
const LONG_MATCHES: u32 = 20;
const ROUNDS: usize = 15;

fn main() {
    let wanted = std::env::args().nth(1);
    let is_wanted = |name: &str| wanted.as_deref().is_none_or(|wanted| wanted == name);
    if is_wanted("duel") {
        report_duel();
    }
    if is_wanted("minitcg") {
        report_minitcg();
    }
    if is_wanted("reads") {
        report_reads();
    }
    if is_wanted("parts") {
        parts::report("minitcg", None);
    }
    if is_wanted("skirmish") {
        report_ruleset("skirmish", &repository_path("rulesets/skirmish"));
    }
    if is_wanted("sessions") {
        for name in ["orcain", "mages", "skirmish", "draft", "dogma"] {
            memory::report_sessions(name, &repository_path(&format!("rulesets/{name}")));
        }
    }
    let given = std::env::args().nth(2).map(PathBuf::from);
    if wanted.as_deref() == Some("idle") {
        println!("{}", memory::idle_minitcg());
    }
    if wanted.as_deref() == Some("play") {
        parts::play(given.as_deref());
    }
    if is_wanted("memory") {
        match given {
            Some(path) => memory::report_ruleset(&path),
            None => memory::report_minitcg(),
        }
    }
}

fn report_reads() {
    println!("plain read:                {:7.1} ns", read_ns(0, ReadKind::Plain, ROUNDS));
    for auras in [0, 1, 10] {
        let read = read_ns(auras, ReadKind::Modified, ROUNDS);
        println!(
            "modifiable read:           {read:7.1} ns with {auras} modifiers in force among 200 entities"
        );
    }
}

fn report_duel() {
    check_digest("duel", twins::duel::digest(1..=1000), duel::digest(1..=1000));
    let program = duel::program();
    let mut logged = duel::DuelPlayer::new(&program, true);
    let mut unlogged = duel::DuelPlayer::new(&program, false);
    let times = ActionTimes {
        twin: fastest(MATCHES, |seed| twins::duel::play(seed).actions),
        unlogged: fastest(MATCHES, |seed| unlogged.run(seed)),
        logged: fastest(MATCHES, |seed| logged.run(seed)),
    };
    times.print("duel");
    println!("duel allocations:          {:7.3} /action after warm-up", allocations(|seed| logged.run(seed)));
    println!("duel clone:                {:7.1} ns into already allocated memory", clone_ns(logged.fresh()));
}

fn report_minitcg() {
    check_digest("minitcg", twins::minitcg::digest(1..=1000), minitcg::digest(1..=1000));
    let program = minitcg::program();
    let mut logged = minitcg::MiniTcgPlayer::new(&program, true);
    let mut unlogged = minitcg::MiniTcgPlayer::new(&program, false);
    let mut moves = Vec::new();
    let times = ActionTimes {
        twin: fastest(MATCHES, |seed| twins::minitcg::play_with(seed, &mut moves).actions),
        unlogged: fastest(MATCHES / 10, |seed| unlogged.run(seed)),
        logged: fastest(MATCHES / 10, |seed| logged.run(seed)),
    };
    times.print("minitcg");
    println!("minitcg allocations:       {:7.3} /action after warm-up", allocations(|seed| logged.run(seed)));
}

/// Prints the time per action of a game without a twin, and its parts.
fn report_ruleset(name: &str, path: &Path) {
    let program = any_ruleset::program(path);
    let mut logged = any_ruleset::RulesetPlayer::new(Arc::clone(&program), true);
    let mut unlogged = any_ruleset::RulesetPlayer::new(program, false);
    for (log, player) in [("no log", &mut unlogged), ("with log", &mut logged)] {
        let ns = fastest(LONG_MATCHES, |seed| player.run(seed));
        let per_second = 1e9 / ns;
        println!("{:26} {ns:7.1} ns/action  {per_second:6.0} actions/s", format!("{name} {log}:"));
    }
    parts::report(name, Some(path));
}

/// Returns the path of a file in the repository.
fn repository_path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(name)
}

fn check_digest(game: &str, twin: u32, ruleset: u32) {
    println!("{game} digest: twin {twin:08x}, ruleset {ruleset:08x}");
    assert_eq!(twin, ruleset, "the ruleset and its twin play different games");
}

/// Nanoseconds per action.
struct ActionTimes {
    twin: f64,
    unlogged: f64,
    logged: f64,
}

impl ActionTimes {
    fn print(&self, game: &str) {
        let line = |version: &str, ns: f64| {
            println!("{:26} {ns:7.1} ns/action  {:5.1}× twin", format!("{game} {version}:"), ns / self.twin);
        };
        line("twin", self.twin);
        line("ruleset, no log", self.unlogged);
        line("ruleset, with log", self.logged);
    }
}

/// Returns the nanoseconds per action over whole matches, in the fastest round.
fn fastest(matches: u32, mut play: impl FnMut(u32) -> u32) -> f64 {
    (0..ROUNDS)
        .map(|_| {
            let start = Instant::now();
            let actions: u64 = (1..=matches).map(|seed| u64::from(play(black_box(seed)))).sum();
            start.elapsed().as_nanos() as f64 / actions as f64
        })
        .fold(f64::INFINITY, f64::min)
}

fn allocations(mut play: impl FnMut(u32) -> u32) -> f64 {
    let mut run = || (1..=MATCHES / 10).map(&mut play).sum::<u32>();
    run();
    let region = Region::new(ALLOCATOR);
    let actions = run();
    let change = region.change();
    let count = change.allocations + change.reallocations;
    count as f64 / f64::from(actions)
}

fn clone_ns(fresh: &intermezzo_engine::Match) -> f64 {
    let mut copy = fresh.clone();
    let clones = 100_000;
    (0..ROUNDS)
        .map(|_| {
            let start = Instant::now();
            for _ in 0..clones {
                copy.clone_from(black_box(fresh));
                black_box(&copy);
            }
            start.elapsed().as_nanos() as f64 / f64::from(clones)
        })
        .fold(f64::INFINITY, f64::min)
}
