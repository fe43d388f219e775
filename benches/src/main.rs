//! Prints what an action costs the engine beside what it costs a hand-written twin, in one run.
//!
//! `cargo run --release -p intermezzo-benches`
//!
//! An action is everything one decision takes: finding the legal answers,
//! choosing one, carrying it out. The fastest of several rounds is printed,
//! because noise only adds. With the name of a game (`duel`, `minitcg`, `skirmish`), only
//! its figures are printed; `parts` prints what the time goes to, `memory` what live matches occupy (with
//! a path: those of another ruleset), `idle` nothing but the bytes of one that waits, and `desks` what they occupy with all their viewers know.

#![expect(clippy::print_stdout, reason = "a program for people prints its result")]

mod memory;
mod parts;

use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use intermezzo_benches::auras::{Read, read_ns};
use intermezzo_benches::{any, duel, minitcg, twins};
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
        report_ruleset("skirmish", &path("rulesets/skirmish"));
    }
    if is_wanted("desks") {
        for name in ["orcain", "mages", "skirmish", "draft", "dogma"] {
            memory::report_desks(name, &path(&format!("rulesets/{name}")));
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
    println!("plain read:                {:7.1} ns", read_ns(0, Read::Plain, ROUNDS));
    for auras in [0, 1, 10] {
        let read = read_ns(auras, Read::Modified, ROUNDS);
        println!(
            "modifiable read:           {read:7.1} ns with {auras} modifiers in force among 200 entities"
        );
    }
}

fn report_duel() {
    same_digest("duel", twins::duel::digest(1..=1000), duel::digest(1..=1000));
    let program = duel::program();
    let mut logged = duel::Player::new(&program, true);
    let mut silent = duel::Player::new(&program, false);
    let times = Times {
        twin: fastest(MATCHES, |seed| twins::duel::play(seed).actions),
        silent: fastest(MATCHES, |seed| silent.run(seed)),
        logged: fastest(MATCHES, |seed| logged.run(seed)),
    };
    times.print("duel");
    println!("duel allocations:          {:7.3} /action after warm-up", allocations(|seed| logged.run(seed)));
    println!("duel clone:                {:7.1} ns into used memory", clone_ns(logged.fresh()));
}

fn report_minitcg() {
    same_digest("minitcg", twins::minitcg::digest(1..=1000), minitcg::digest(1..=1000));
    let program = minitcg::program();
    let mut logged = minitcg::Player::new(&program, true);
    let mut silent = minitcg::Player::new(&program, false);
    let mut moves = Vec::new();
    let times = Times {
        twin: fastest(MATCHES, |seed| twins::minitcg::play_with(seed, &mut moves).actions),
        silent: fastest(MATCHES / 10, |seed| silent.run(seed)),
        logged: fastest(MATCHES / 10, |seed| logged.run(seed)),
    };
    times.print("minitcg");
    println!("minitcg allocations:       {:7.3} /action after warm-up", allocations(|seed| logged.run(seed)));
}

/// A game without a twin: what an action costs, and what the time goes to.
fn report_ruleset(name: &str, path: &Path) {
    let program = any::program(path);
    let mut logged = any::Player::new(Arc::clone(&program), true);
    let mut silent = any::Player::new(program, false);
    for (what, player) in [("no log", &mut silent), ("with log", &mut logged)] {
        let ns = fastest(LONG_MATCHES, |seed| player.run(seed));
        let per_second = 1e9 / ns;
        println!("{:26} {ns:7.1} ns/action  {per_second:6.0} actions/s", format!("{name} {what}:"));
    }
    parts::report(name, Some(path));
}

/// A file of the repository.
fn path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(name)
}

fn same_digest(game: &str, twin: u32, ruleset: u32) {
    println!("{game} digest: twin {twin:08x}, ruleset {ruleset:08x}");
    assert_eq!(twin, ruleset, "the ruleset plays another game than its twin");
}

/// Time for an action.
struct Times {
    twin: f64,
    silent: f64,
    logged: f64,
}

impl Times {
    fn print(&self, game: &str) {
        let line = |what: &str, ns: f64| {
            println!("{:26} {ns:7.1} ns/action  {:5.1}× twin", format!("{game} {what}:"), ns / self.twin);
        };
        line("twin", self.twin);
        line("ruleset, no log", self.silent);
        line("ruleset, with log", self.logged);
    }
}

/// Time for an action, over whole matches.
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
    let made = change.allocations + change.reallocations;
    made as f64 / f64::from(actions)
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
