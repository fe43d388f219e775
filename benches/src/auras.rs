//! Time to read a property that modifiers may change.

use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

use intermezzo_engine::{Answer, Datum, EventLog, Input, Match, Seed, Setup};
use intermezzo_program::{Program, Seat};

/// Tokens on the table. Each input reads every one of them once.
const TOKENS: u32 = 200;
const INPUTS: u32 = 200;

/// The kind of property that is read.
#[derive(Clone, Copy)]
pub enum ReadKind {
    /// A property that nothing can modify.
    Plain,
    /// A property that modifiers may change.
    Modified,
}

fn program() -> Arc<Program> {
    crate::compile("auras.yaml", include_bytes!("../rulesets/auras.yaml"))
}

/// Returns the nanoseconds for one read while `auras` tokens modify all others.
///
/// # Panics
///
/// If the bundled ruleset rejects an answer.
#[must_use]
pub fn read_ns(auras: i64, read: ReadKind, rounds: usize) -> f64 {
    let setup = Setup {
        seats: 1,
        options: vec![("auras".into(), Datum::Int(auras))],
        seed: Seed([0; 32]),
        script: None,
    };
    let mut log = EventLog::discard();
    let mut current = Match::start(program(), &setup, &mut log).expect("the match starts");
    let pick = match read {
        ReadKind::Plain => 0,
        ReadKind::Modified => 1,
    };
    let mut answer = |pick: i32| {
        let input = current.pending().next().expect("the match waits").id();
        let answer = Answer::Picks(vec![pick]);
        current.submit(&Input::Answer { input, seat: Seat(0), answer }, &mut log).expect("it is legal");
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
    fn a_read_can_be_measured() {
        assert!(read_ns(3, ReadKind::Modified, 1).is_finite());
    }
}
