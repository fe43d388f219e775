//! Timing in turns: what is compared runs in the same minutes, so that a busy machine is busy for all.

use std::hint::black_box;
use std::ops::Range;
use std::time::{Duration, Instant};

/// Chunks that the matches of a round are timed in: short, because a busy machine interrupts what takes longer.
const CHUNKS: u32 = 30;

/// Runs each of several works once a round and gives the shortest time of each. A work gives the time it took for one
/// unit, in nanoseconds.
pub(crate) fn fastest<const N: usize>(rounds: usize, mut works: [&mut dyn FnMut() -> f64; N]) -> [f64; N] {
    let mut fastest = [f64::INFINITY; N];
    for _ in 0..rounds {
        for (best, work) in fastest.iter_mut().zip(&mut works) {
            *best = best.min(work());
        }
    }
    fastest
}

/// Somebody who plays matches, and how many are played in one chunk of a round.
pub(crate) struct Contender<'a> {
    pub(crate) matches: u32,
    /// Plays the match with a seed; gives the number of its actions.
    pub(crate) play: &'a mut dyn FnMut(u32) -> u32,
}

/// Nanoseconds for an action of each, over whole matches. Every chunk counts with its fastest round.
pub(crate) fn ns_per_action<const N: usize>(rounds: usize, mut contenders: [Contender<'_>; N]) -> [f64; N] {
    let mut fastest = [[Duration::MAX; CHUNKS as usize]; N];
    let mut actions = [0; N];
    for _ in 0..rounds {
        actions = [0; N];
        for chunk in 0..CHUNKS {
            for (place, contender) in contenders.iter_mut().enumerate() {
                let first = 1 + chunk * contender.matches;
                let (time, taken) = contender.time(first..first + contender.matches);
                let best = &mut fastest[place][chunk as usize];
                *best = time.min(*best);
                actions[place] += taken;
            }
        }
    }
    std::array::from_fn(|place| ns_each(fastest[place].iter().sum(), actions[place]))
}

impl Contender<'_> {
    /// The same once more.
    pub(crate) fn again(&mut self) -> Contender<'_> {
        Contender { matches: self.matches, play: &mut *self.play }
    }

    fn time(&mut self, seeds: Range<u32>) -> (Duration, u64) {
        let start = Instant::now();
        let actions = seeds.map(|seed| u64::from((self.play)(black_box(seed)))).sum();
        (start.elapsed(), actions)
    }
}

/// Nanoseconds for each of so many.
pub(crate) fn ns_each(time: Duration, count: u64) -> f64 {
    time.as_nanos() as f64 / count as f64
}
