//! What it costs to read a property that modifiers may change.

use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

use intermezzo_engine::{Answer, Datum, Input, Log, Match, Seed, Setup};
use intermezzo_ruleset::{Program, Seat};

/// Tokens on the table, each of which is read once for an input.
const TOKENS: u32 = 200;
const INPUTS: u32 = 200;

/// Which property is read.
#[derive(Clone, Copy)]
pub enum Read {
    /// One that nothing can modify.
    Plain,
    /// One that modifiers may change.
    Modified,
}

fn program() -> Arc<Program> {
    crate::compiled("auras.yaml", include_bytes!("../rulesets/auras.yaml"))
}

/// Nanoseconds for one read, with so many tokens that modify all others.
///
/// # Panics
///
/// If the bundled ruleset does not do what it says.
#[must_use]
pub fn read_ns(auras: i64, read: Read, rounds: usize) -> f64 {
    let setup = Setup {
        seats: 1,
        options: vec![("auras".into(), Datum::Int(auras))],
        seed: Seed([0; 32]),
        script: None,
    };
    let mut log = Log::discard();
    let mut table = Match::start(program(), &setup, &mut log).expect("the match begins");
    let pick = match read {
        Read::Plain => 0,
        Read::Modified => 1,
    };
    let mut answer = |pick: i32| {
        let input = table.pending().next().expect("the match waits").id();
        let answer = Answer::Picks(vec![pick]);
        table.submit(&Input::Answer { input, seat: Seat(0), answer }, &mut log).expect("it is legal");
    };
    let mut fastest = f64::INFINITY;
    for _ in 0..rounds {
        let start = Instant::now();
        for _ in 0..INPUTS {
            answer(black_box(pick));
            answer(black_box(2));
        }
        let with_reads = start.elapsed().as_nanos() as f64;
        let start = Instant::now();
        for _ in 0..INPUTS {
            answer(black_box(2));
            answer(black_box(2));
        }
        let without = start.elapsed().as_nanos() as f64;
        fastest = fastest.min((with_reads - without) / f64::from(INPUTS * TOKENS));
    }
    fastest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_can_be_measured() {
        assert!(read_ns(3, Read::Modified, 1).is_finite());
    }
}
