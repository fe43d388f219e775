//! Matches per second on one and on two cores.
//!
//! Besides wall-clock time, the processor time of the threads is measured. On a busy machine it still shows whether
//! threads wait for each other or compete for caches, while wall-clock time depends on the free cores.

use std::sync::Barrier;
use std::time::Instant;

use intermezzo_benches::minitcg;

use crate::table::{Row, Target};

const ROUNDS: usize = 8;
/// Matches per thread and round.
const MATCHES: u32 = 600;

pub(crate) fn rows() -> Result<Vec<Row>, String> {
    let mut best = [Rates::default(); 2];
    for _ in 0..ROUNDS {
        for (best, threads) in best.iter_mut().zip(1..) {
            best.raise_to(play(threads));
        }
    }
    let [one, two] = best;
    let (ratio, cpu_ratio) = (two.by_clock / one.by_clock, two.by_cpu_time / one.by_cpu_time);
    Ok(vec![
        Row::plain("minitcg: matches per second, one thread", format!("{:.0} /s", one.by_clock)),
        Row {
            figure: "minitcg: matches per second, two threads".to_owned(),
            measured: format!("{:.0} /s", two.by_clock),
            relative: format!("{ratio:.2}× one thread"),
            target: Target::at_least(1.8, ratio, "×"),
        },
        Row {
            figure: "minitcg: the same by processor time".to_owned(),
            measured: format!("{:.0} /s", two.by_cpu_time),
            relative: format!("{cpu_ratio:.2}× one thread"),
            target: None,
        },
    ])
}

/// Matches per second.
#[derive(Clone, Copy, Default)]
struct Rates {
    by_clock: f64,
    /// The rate if each thread had one core to itself the whole time.
    by_cpu_time: f64,
}

impl Rates {
    fn raise_to(&mut self, other: Rates) {
        self.by_clock = self.by_clock.max(other.by_clock);
        self.by_cpu_time = self.by_cpu_time.max(other.by_cpu_time);
    }
}

fn play(threads: u32) -> Rates {
    let program = minitcg::program();
    let barrier = Barrier::new(threads as usize + 1);
    let (seconds, cpu_seconds) = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads)
            .map(|thread| {
                let (program, barrier) = (&program, &barrier);
                scope.spawn(move || {
                    let mut player = minitcg::MiniTcgPlayer::new(program, false);
                    player.run(1);
                    barrier.wait();
                    let before = cpu_seconds();
                    let first = 1 + thread * MATCHES;
                    for seed in first..first + MATCHES {
                        std::hint::black_box(player.run(seed));
                    }
                    cpu_seconds() - before
                })
            })
            .collect();
        barrier.wait();
        let start = Instant::now();
        let cpu = workers.into_iter().map(|worker| worker.join().expect("a thread finishes its matches"));
        let cpu = cpu.sum::<f64>() / f64::from(threads);
        (start.elapsed().as_secs_f64(), cpu)
    });
    let matches = f64::from(threads * MATCHES);
    Rates { by_clock: matches / seconds, by_cpu_time: matches / cpu_seconds }
}

/// Returns the processor time of this thread, or 0 if `/proc` cannot be read.
fn cpu_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanos = stat.split_whitespace().next().and_then(|nanos| nanos.parse::<u64>().ok());
    nanos.unwrap_or(0) as f64 / 1e9
}
