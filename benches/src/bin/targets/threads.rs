//! Whether two cores play twice as many matches as one.
//!
//! Beside the clock, the processor time of the threads is looked at: on a busy machine it still shows whether threads
//! wait for each other or spoil each other's memory, while the clock shows how many cores were left.

use std::sync::Barrier;
use std::time::Instant;

use intermezzo_benches::minitcg;

use crate::table::{Row, Target};

const ROUNDS: usize = 8;
/// Matches of each thread in a round.
const MATCHES: u32 = 600;

pub(crate) fn rows() -> Result<Vec<Row>, String> {
    let mut best = [Rates::default(); 2];
    for _ in 0..ROUNDS {
        for (best, threads) in best.iter_mut().zip(1..) {
            best.improve(play(threads));
        }
    }
    let [one, two] = best;
    let (ratio, busy_ratio) = (two.by_clock / one.by_clock, two.by_busy_time / one.by_busy_time);
    Ok(vec![
        Row::plain("minitcg: matches a second on one thread", format!("{:.0} /s", one.by_clock)),
        Row {
            figure: "minitcg: matches a second on two threads".to_owned(),
            measured: format!("{:.0} /s", two.by_clock),
            compared: format!("{ratio:.2}× one thread"),
            target: Target::at_least(1.8, ratio, "×"),
        },
        Row {
            figure: "minitcg: the same by processor time".to_owned(),
            measured: format!("{:.0} /s", two.by_busy_time),
            compared: format!("{busy_ratio:.2}× one thread"),
            target: None,
        },
    ])
}

/// Matches a second.
#[derive(Clone, Copy, Default)]
struct Rates {
    by_clock: f64,
    /// If all threads had a core of their own all the time.
    by_busy_time: f64,
}

impl Rates {
    fn improve(&mut self, other: Rates) {
        self.by_clock = self.by_clock.max(other.by_clock);
        self.by_busy_time = self.by_busy_time.max(other.by_busy_time);
    }
}

fn play(threads: u32) -> Rates {
    let program = minitcg::program();
    let barrier = Barrier::new(threads as usize + 1);
    let (seconds, busy_seconds) = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads)
            .map(|thread| {
                let (program, barrier) = (&program, &barrier);
                scope.spawn(move || {
                    let mut player = minitcg::Player::new(program, false);
                    player.run(1);
                    barrier.wait();
                    let before = busy_seconds();
                    let first = 1 + thread * MATCHES;
                    for seed in first..first + MATCHES {
                        std::hint::black_box(player.run(seed));
                    }
                    busy_seconds() - before
                })
            })
            .collect();
        barrier.wait();
        let start = Instant::now();
        let busy = workers.into_iter().map(|worker| worker.join().expect("a thread plays to the end"));
        let busy = busy.sum::<f64>() / f64::from(threads);
        (start.elapsed().as_secs_f64(), busy)
    });
    let matches = f64::from(threads * MATCHES);
    Rates { by_clock: matches / seconds, by_busy_time: matches / busy_seconds }
}

/// How long this thread has had a core, where the system tells.
fn busy_seconds() -> f64 {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanos = told.split_whitespace().next().and_then(|nanos| nanos.parse::<u64>().ok());
    nanos.unwrap_or(0) as f64 / 1e9
}
