//! What a search does at every node of its tree: copy a match, apply an action, take it back.

use std::hint::black_box;
use std::time::Instant;

use intermezzo_benches::midgame::{self, Position};
use intermezzo_engine::{Log, Match};

use crate::rounds::{fastest, ns_each};
use crate::table::{Row, Target};

const ROUNDS: usize = 500;
/// Few enough to stay in the cache, as those of a search do.
const POSITIONS: usize = 16;
/// Times each position is looked at in a round.
const TIMES: u64 = 5;

pub(crate) fn rows() -> Result<Vec<Row>, String> {
    let positions = midgame::positions(POSITIONS);
    let mut tried_out = midgame::positions(POSITIONS);
    let mut copy = positions[0].state.clone();
    let [clone] = fastest(ROUNDS, [&mut || clone_ns(&positions, &mut copy)]);
    let [child] = fastest(ROUNDS, [&mut || child_ns(&positions, &mut copy)]);
    let [tried] = fastest(ROUNDS, [&mut || tried_ns(&mut tried_out)]);
    let row = |figure: &str, ns: f64, most: f64| Row {
        figure: figure.to_owned(),
        measured: format!("{ns:.0} ns"),
        compared: String::new(),
        target: Target::at_most(most, ns, " ns"),
    };
    Ok(vec![
        row("minitcg: a copy in mid-game", clone, 200.0),
        row("minitcg: a search child (copy, one action)", child, 400.0),
        row("minitcg: one action and its undoing", tried, 2_000.0),
    ])
}

fn clone_ns(positions: &[Position], copy: &mut Match) -> f64 {
    let start = Instant::now();
    for _ in 0..TIMES {
        for position in positions {
            copy.clone_from(black_box(&position.state));
            black_box(&copy);
        }
    }
    ns_each(start.elapsed(), TIMES * positions.len() as u64)
}

fn child_ns(positions: &[Position], copy: &mut Match) -> f64 {
    let (mut log, mut children) = (Log::discard(), 0);
    let start = Instant::now();
    for _ in 0..TIMES {
        for position in positions {
            for input in &position.inputs {
                copy.clone_from(black_box(&position.state));
                copy.submit(input, &mut log).expect("a listed answer is legal");
                children += 1;
            }
        }
    }
    ns_each(start.elapsed(), children)
}

fn tried_ns(positions: &mut [Position]) -> f64 {
    let mut tried = 0;
    let start = Instant::now();
    for _ in 0..TIMES {
        for Position { state, inputs } in &mut *positions {
            for input in inputs {
                black_box(state.try_out(input, Match::is_over).expect("a listed answer is legal"));
                tried += 1;
            }
        }
    }
    ns_each(start.elapsed(), tried)
}
