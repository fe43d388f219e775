//! Prints what an action costs the engine beside what it costs a hand-written twin, in one run.
//!
//! `cargo run --release -p intermezzo-benches`
//!
//! An action is everything one decision takes: finding the legal answers,
//! choosing one, carrying it out. The fastest of several rounds is printed,
//! because noise only adds.

#![expect(clippy::print_stdout, reason = "a program for people prints its result")]

use std::hint::black_box;
use std::time::Instant;

use intermezzo_benches::auras::{Read, read_ns};
use intermezzo_benches::duel::Player;
use intermezzo_benches::{duel, twins};
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<std::alloc::System> = &INSTRUMENTED_SYSTEM;

const MATCHES: u32 = 5_000;
const ROUNDS: usize = 15;

fn main() {
    let twin_digest = twins::duel::digest(1..=1000);
    let digest = duel::digest(1..=1000);
    println!("duel digest: twin {twin_digest:08x}, ruleset {digest:08x}");
    assert_eq!(twin_digest, digest, "the ruleset plays another game than its twin");

    let program = duel::program();
    let mut logged = Player::new(&program, true);
    let mut silent = Player::new(&program, false);
    let twin = fastest(|seed| twins::duel::play(seed).actions);
    let with_log = fastest(|seed| logged.play(seed).actions);
    let without_log = fastest(|seed| silent.play(seed).actions);
    println!("duel twin:              {twin:7.1} ns/action");
    println!("duel ruleset, no log:   {without_log:7.1} ns/action  {:5.1}× twin", without_log / twin);
    println!("duel ruleset, with log: {with_log:7.1} ns/action  {:5.1}× twin", with_log / twin);
    println!("duel allocations:       {:7.3} /action after warm-up", allocations(&mut logged));
    println!("duel clone:             {:7.1} ns into used memory", clone_ns(&logged));
    println!("plain read:             {:7.1} ns", read_ns(0, Read::Plain, ROUNDS));
    for auras in [0, 1, 10] {
        let read = read_ns(auras, Read::Modified, ROUNDS);
        println!("modifiable read:        {read:7.1} ns with {auras} modifiers in force among 200 entities");
    }
}

/// Time for an action, over whole matches.
fn fastest(mut play: impl FnMut(u32) -> u32) -> f64 {
    (0..ROUNDS)
        .map(|_| {
            let start = Instant::now();
            let actions: u64 = (1..=MATCHES).map(|seed| u64::from(play(black_box(seed)))).sum();
            start.elapsed().as_nanos() as f64 / actions as f64
        })
        .fold(f64::INFINITY, f64::min)
}

fn allocations(player: &mut Player) -> f64 {
    let mut run = || (1..=MATCHES).map(|seed| player.run(seed)).sum::<u32>();
    run();
    let region = Region::new(ALLOCATOR);
    let actions = run();
    let change = region.change();
    let made = change.allocations + change.reallocations;
    made as f64 / f64::from(actions)
}

fn clone_ns(player: &Player) -> f64 {
    let mut copy = player.fresh().clone();
    let clones = 100_000;
    (0..ROUNDS)
        .map(|_| {
            let start = Instant::now();
            for _ in 0..clones {
                copy.clone_from(black_box(player.fresh()));
                black_box(&copy);
            }
            start.elapsed().as_nanos() as f64 / f64::from(clones)
        })
        .fold(f64::INFINITY, f64::min)
}
