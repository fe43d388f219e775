//! Time per action early and late in a long match: a match must not get slower.

use std::time::{Duration, Instant};

use intermezzo_benches::{any_ruleset, endless};

use crate::rounds::ns_each;
use crate::table::{Row, Target};

const ROUNDS: usize = 6;
const MATCHES: u32 = 10;
const ACTIONS: u32 = 10_000;
/// Compared actions at the start and at the end.
const PART: u32 = 100;

pub(crate) fn rows() -> Result<Vec<Row>, String> {
    let mut player = any_ruleset::RulesetPlayer::new(endless::program(), true);
    let mut fastest = [f64::INFINITY; 2];
    for _ in 0..ROUNDS {
        for (best, time) in fastest.iter_mut().zip(round(&mut player)) {
            *best = best.min(ns_each(time, u64::from(MATCHES * PART)));
        }
    }
    let [first, last] = fastest;
    let ratio = last / first;
    Ok(vec![
        Row::plain("endless: one of the first 100 actions", format!("{first:.1} ns")),
        Row {
            figure: "endless: one of the last 100 of 10,000".to_owned(),
            measured: format!("{last:.1} ns"),
            relative: format!("{ratio:.2}× the first"),
            target: Target::at_most(1.2, ratio, "×"),
        },
    ])
}

/// Plays the matches. Returns the total times of their first and of their last actions.
fn round(player: &mut any_ruleset::RulesetPlayer) -> [Duration; 2] {
    let mut times = [Duration::ZERO; 2];
    for seed in 1..=MATCHES {
        player.begin(seed);
        times[0] += play(player, PART);
        play(player, ACTIONS - 2 * PART);
        times[1] += play(player, PART);
    }
    times
}

fn play(player: &mut any_ruleset::RulesetPlayer, actions: u32) -> Duration {
    let start = Instant::now();
    for _ in 0..actions {
        assert!(player.step(), "the match never ends");
    }
    start.elapsed()
}
