//! Prints the time per action of each twin, the baseline of the engine.
//!
//! An action is one whole decision: listing the legal moves, choosing one and
//! applying it. The setup of a match is spread over its actions. The fastest of
//! several rounds is printed, because noise only adds time.

#![expect(clippy::print_stdout, reason = "a program for people prints its result")]

use std::hint::black_box;
use std::time::Instant;

use intermezzo_benches::twins::{duel, minitcg};

const MATCHES: u32 = 20_000;
const ROUNDS: usize = 15;

fn main() {
    let mut moves = Vec::new();
    report("duel", |seed| duel::play(seed).actions);
    report("minitcg", |seed| minitcg::play_with(seed, &mut moves).actions);
}

/// Times `play`, which plays the match with a seed and returns its number of actions.
fn report(name: &str, mut play: impl FnMut(u32) -> u32) {
    let fastest = (0..ROUNDS).map(|_| ns_per_action(&mut play)).fold(f64::INFINITY, f64::min);
    println!("{name}: {fastest:.1} ns/action");
}

fn ns_per_action(play: &mut impl FnMut(u32) -> u32) -> f64 {
    let start = Instant::now();
    let actions: u64 = (1..=MATCHES).map(|seed| u64::from(play(black_box(seed)))).sum();
    start.elapsed().as_nanos() as f64 / actions as f64
}
