//! Replay of a match from its log alone: every event is folded into the board, no rule runs.

use std::time::{Duration, Instant};

use intermezzo_benches::minitcg;
use intermezzo_engine::{Board, EventLog, LogFold, Setup};

use crate::rounds::{fastest, ns_each};
use crate::table::{Row, Target};

const ROUNDS: usize = 40;
const MATCHES: u32 = 50;

pub(crate) fn rows() -> Result<Vec<Row>, String> {
    let program = minitcg::program();
    let mut player = minitcg::MiniTcgPlayer::new(&program, true);
    let matches: Vec<(Setup, EventLog)> = (1..=MATCHES)
        .map(|seed| {
            player.run(seed);
            (minitcg::setup(seed).0, player.log().clone())
        })
        .collect();
    let events: usize = matches.iter().map(|(_, log)| log.len()).sum();
    let mut folder = LogFold::new(program.clone());
    let mut replay = || {
        let mut time = Duration::ZERO;
        for (setup, log) in &matches {
            let mut board = Board::new(&program, setup).expect("the match starts");
            let start = Instant::now();
            for record in log.records() {
                folder.fold(&mut board, log, record).expect("the log can be folded");
            }
            time += start.elapsed();
        }
        ns_each(time, events as u64)
    };
    let [ns] = fastest(ROUNDS, [&mut replay]);
    let millions = 1e3 / ns;
    Ok(vec![Row {
        figure: "minitcg: replay of a log, per event".to_owned(),
        measured: format!("{ns:.1} ns"),
        relative: format!("{millions:.2} M events/s"),
        target: Target::at_least(1.0, millions, " M/s"),
    }])
}
