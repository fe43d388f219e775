//! Operations of a search at each node of its tree: copy a match, apply an action, undo it.

use std::hint::black_box;
use std::time::Instant;

use intermezzo_benches::midgame::{self, Position};
use intermezzo_engine::{EventLog, Match};

use crate::rounds::{fastest, ns_each};
use crate::table::{Row, Target};

const ROUNDS: usize = 500;
/// Few enough to stay in the cache, like the positions of a search.
const POSITIONS: usize = 16;
/// Repetitions per position and round.
const REPETITIONS: u64 = 5;

pub(crate) fn rows() -> Result<Vec<Row>, String> {
    let positions = midgame::positions(POSITIONS);
    let mut previewed = midgame::positions(POSITIONS);
    let mut copy = positions[0].state.clone();
    let [clone] = fastest(ROUNDS, [&mut || clone_ns(&positions, &mut copy)]);
    let [child] = fastest(ROUNDS, [&mut || child_ns(&positions, &mut copy)]);
    let [preview] = fastest(ROUNDS, [&mut || preview_ns(&mut previewed)]);
    let row = |figure: &str, ns: f64, max: f64| Row {
        figure: figure.to_owned(),
        measured: format!("{ns:.0} ns"),
        relative: String::new(),
        target: Target::at_most(max, ns, " ns"),
    };
    Ok(vec![
        row("minitcg: copy in mid-game", clone, 200.0),
        row("minitcg: search child (copy and one action)", child, 400.0),
        row("minitcg: one action and its undo", preview, 2_000.0),
    ])
}

fn clone_ns(positions: &[Position], copy: &mut Match) -> f64 {
    let start = Instant::now();
    for _ in 0..REPETITIONS {
        for position in positions {
            copy.clone_from(black_box(&position.state));
            black_box(&copy);
        }
    }
    ns_each(start.elapsed(), REPETITIONS * positions.len() as u64)
}

fn child_ns(positions: &[Position], copy: &mut Match) -> f64 {
    let (mut log, mut children) = (EventLog::discard(), 0);
    let start = Instant::now();
    for _ in 0..REPETITIONS {
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

fn preview_ns(positions: &mut [Position]) -> f64 {
    let mut previews = 0;
    let start = Instant::now();
    for _ in 0..REPETITIONS {
        for Position { state, inputs } in &mut *positions {
            for input in inputs {
                black_box(state.preview(input, Match::is_over).expect("a listed answer is legal"));
                previews += 1;
            }
        }
    }
    ns_each(start.elapsed(), previews)
}
