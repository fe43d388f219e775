//! Timing in alternating rounds: compared measurements run in the same minutes, so that other load affects all of them.

use std::hint::black_box;
use std::ops::Range;
use std::time::{Duration, Instant};

/// Chunks per round, each timed separately. They are short, because other load interrupts longer ones.
const CHUNKS: u32 = 30;

/// Runs each measurement once per round and returns its shortest time. A measurement returns nanoseconds per unit.
pub(crate) fn fastest<const N: usize>(
    rounds: usize,
    mut measurements: [&mut dyn FnMut() -> f64; N],
) -> [f64; N] {
    let mut fastest = [f64::INFINITY; N];
    for _ in 0..rounds {
        for (best, measure) in fastest.iter_mut().zip(&mut measurements) {
            *best = best.min(measure());
        }
    }
    fastest
}

/// A player whose matches are timed.
pub(crate) struct Contender<'a> {
    /// Matches per chunk of a round.
    pub(crate) matches: u32,
    /// Plays the match with a seed and returns the number of its actions.
    pub(crate) play: &'a mut dyn FnMut(u32) -> u32,
}

/// Returns the nanoseconds per action of each contender, over whole matches. The fastest round of each chunk counts.
pub(crate) fn ns_per_action<const N: usize>(rounds: usize, mut contenders: [Contender<'_>; N]) -> [f64; N] {
    let mut fastest = [[Duration::MAX; CHUNKS as usize]; N];
    let mut actions = [0; N];
    for _ in 0..rounds {
        actions = [0; N];
        for chunk in 0..CHUNKS {
            for (index, contender) in contenders.iter_mut().enumerate() {
                let first = 1 + chunk * contender.matches;
                let (time, count) = contender.time(first..first + contender.matches);
                let best = &mut fastest[index][chunk as usize];
                *best = time.min(*best);
                actions[index] += count;
            }
        }
    }
    std::array::from_fn(|index| ns_each(fastest[index].iter().sum(), actions[index]))
}

impl Contender<'_> {
    /// Borrows the contender for one more measurement.
    pub(crate) fn reborrow(&mut self) -> Contender<'_> {
        Contender { matches: self.matches, play: &mut *self.play }
    }

    fn time(&mut self, seeds: Range<u32>) -> (Duration, u64) {
        let start = Instant::now();
        let actions = seeds.map(|seed| u64::from((self.play)(black_box(seed)))).sum();
        (start.elapsed(), actions)
    }
}

/// Returns the nanoseconds per unit.
pub(crate) fn ns_each(time: Duration, count: u64) -> f64 {
    time.as_nanos() as f64 / count as f64
}
