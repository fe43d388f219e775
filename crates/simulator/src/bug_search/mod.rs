//! Search for bugs in a ruleset: failing rules, dead ends, endless matches and violated laws.
//!
//! [`BugSearch::run`] plays every seed twice: chaotically, where seats leave, deadlines expire and invalid inputs are
//! sent, then in an orderly way, to see if the match ends. It checks the [laws] on some seeds. Each bug found is
//! minimized and written as a scenario.

mod case;
mod scenario_output;
mod shrink;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};

use intermezzo_engine::{RuleFault, Setup};

use crate::experiment::Progress;
use crate::fixtures::Fixture;
use crate::input_mix::InputMix;
use crate::laws::{self, Law, LawViolation};
use case::{CaseEnd, TestCase};

pub use scenario_output::FoundBug;

/// Laws are slow: they are checked on every eighth seed.
const LAW_STRIDE: u64 = 8;
/// Number of inputs of a chaotic match.
const CHAOTIC_INPUTS: u32 = 400;

/// Kind of a bug.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum BugKind {
    /// A rule failed.
    Fault {
        /// Code of the fault.
        code: &'static str,
        /// File and line of the rule; empty if no rule was running.
        place: String,
        /// True if only the item on the stack failed and play continued.
        alone: bool,
    },
    /// A question is open and nobody can answer it.
    DeadEnd {
        /// Name of the question.
        question: String,
    },
    /// The match does not end.
    Endless,
    /// A law does not hold.
    Law {
        /// Name of the law.
        name: &'static str,
    },
}

impl BugKind {
    fn of_fault(fault: &RuleFault, alone: bool) -> BugKind {
        let place = fault.location.map(|place| format!("{}:{}", fault.file, place.line));
        BugKind::Fault { code: fault.code.name(), place: place.unwrap_or_default(), alone }
    }

    /// Returns a short name for file names and JSON.
    #[must_use]
    pub fn slug(&self) -> &'static str {
        match self {
            BugKind::Fault { .. } => "fault",
            BugKind::DeadEnd { .. } => "dead-end",
            BugKind::Endless => "endless",
            BugKind::Law { .. } => "law",
        }
    }
}

impl fmt::Display for BugKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BugKind::Fault { code, place, .. } if place.is_empty() => {
                write!(f, "the match fails with {code}")
            }
            BugKind::Fault { code, place, .. } => write!(f, "a rule fails with {code} at {place}"),
            BugKind::DeadEnd { question } => {
                write!(f, "nobody can answer `{question}`, and the match is not over")
            }
            BugKind::Endless => write!(f, "the match does not end"),
            BugKind::Law { name } => write!(f, "the law {name} does not hold"),
        }
    }
}

/// Way in which a bug was found.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum PlayMode {
    Chaotic,
    Orderly,
    Law(usize),
}

/// Search for bugs.
#[derive(Clone, Debug)]
pub struct BugSearch<'a> {
    /// Ruleset to search. Every other seed uses its options.
    pub fixture: &'a Fixture,
    /// First seed.
    pub seed: u64,
    /// Number of seeds.
    pub seeds: u64,
    /// Number of inputs after which a match counts as endless.
    pub max_inputs: u32,
    /// Laws to check, normally all [`LAWS`](laws::LAWS).
    pub laws: &'a [(&'static str, Law)],
}

type BugSeeds = BTreeMap<BugKind, (u64, PlayMode)>;

impl BugSearch<'_> {
    /// Returns the minimized bugs, ordered by kind. The result does not depend on the number of threads.
    pub fn run(&self, threads: usize, progress: &Progress) -> Vec<FoundBug> {
        let next = AtomicU64::new(0);
        let work = || {
            let mut found = BugSeeds::new();
            while !progress.is_stopped() {
                let place = next.fetch_add(1, Ordering::Relaxed);
                if place >= self.seeds {
                    break;
                }
                self.try_seed(self.seed.wrapping_add(place), place, &mut found);
                progress.more(1);
            }
            found
        };
        let mut all = BugSeeds::new();
        std::thread::scope(|scope| {
            let threads: Vec<_> = (0..threads.max(1)).map(|_| scope.spawn(work)).collect();
            for thread in threads {
                match thread.join() {
                    Ok(found) => found.into_iter().for_each(|(kind, at)| keep_first(&mut all, kind, at)),
                    Err(panic) => std::panic::resume_unwind(panic),
                }
            }
        });
        all.into_iter().map(|(kind, (seed, how))| self.minimize(kind, seed, how)).collect()
    }

    fn try_seed(&self, seed: u64, place: u64, found: &mut BugSeeds) {
        let mut note = |kind: Option<BugKind>, how| {
            kind.into_iter().for_each(|kind| keep_first(found, kind, (seed, how)));
        };
        for how in [PlayMode::Chaotic, PlayMode::Orderly] {
            let (_, end) = self.play(seed, how);
            note(self.kind(&end, how), how);
        }
        if place.is_multiple_of(LAW_STRIDE) {
            for (number, (name, _)) in self.laws.iter().enumerate() {
                let kind = self.violation(number, seed, None).map(|_| BugKind::Law { name });
                note(kind, PlayMode::Law(number));
            }
        }
    }

    /// Checks the law with that number in a match of at most `most` inputs. Returns the violation, if any.
    fn violation(&self, number: usize, seed: u64, most: Option<u32>) -> Option<LawViolation> {
        let (_, law) = self.laws.get(number)?;
        let violation = match most {
            None => law(self.fixture, seed).err(),
            Some(_) => law(&Fixture { max_inputs: most, ..self.fixture.clone() }, seed).err(),
        };
        // Playing finds failing rules already.
        violation.filter(|violation| !violation.is_fault)
    }

    fn play(&self, seed: u64, how: PlayMode) -> (TestCase, CaseEnd) {
        let (chaotic, orderly) = (InputMix::chaotic(), InputMix::orderly());
        let mix = match how {
            PlayMode::Orderly => InputMix { max_inputs: self.max_inputs, ..orderly },
            _ => InputMix { max_inputs: CHAOTIC_INPUTS, ..chaotic },
        };
        TestCase::play(&self.fixture.program, self.setup(seed), seed, &mix)
    }

    /// Returns the setup of a seed. The number of seats rotates, and every other seed uses the options.
    fn setup(&self, seed: u64) -> Setup {
        laws::varied_setup(self.fixture, seed)
    }

    /// Classifies the end of a match. A chaotic match is stopped early, so it cannot be endless.
    fn kind(&self, end: &CaseEnd, how: PlayMode) -> Option<BugKind> {
        match end {
            CaseEnd::Fault(fault, alone) => Some(BugKind::of_fault(fault, *alone)),
            CaseEnd::Stuck(question) => Some(BugKind::DeadEnd { question: question.clone() }),
            CaseEnd::Waiting(_) if how == PlayMode::Orderly => Some(BugKind::Endless),
            CaseEnd::Waiting(_) | CaseEnd::Over => None,
        }
    }
}

/// Keeps the smallest seed for each kind, so that the number of threads makes no difference.
fn keep_first(found: &mut BugSeeds, kind: BugKind, at: (u64, PlayMode)) {
    let known = found.entry(kind).or_insert(at);
    *known = (*known).min(at);
}
