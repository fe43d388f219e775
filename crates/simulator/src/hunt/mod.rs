//! Hunting for what can go wrong in a ruleset: rules that fail, dead ends, matches without end, broken laws.
//!
//! [`Hunt::run`] plays every seed in an unruly way, where seats leave, time runs out and nonsense is sent, then in an
//! orderly way to see whether the match ends, and tries the [laws] on some of them. Each thing found is
//! made as small as it goes and written as a scenario.

mod case;
mod shrink;
mod telling;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};

use intermezzo_engine::{Fault, Setup};
use intermezzo_ruleset::Program;

use crate::habits::Habits;
use crate::laws::{self, Broken, Law};
use crate::study::Progress;
use crate::subjects::Subject;
use case::{Case, End};

pub use telling::Find;

/// Laws take their time: they are tried on one seed in so many.
const LAW_STRIDE: u64 = 8;
/// An unruly match is played so far.
const UNRULY_INPUTS: u32 = 400;

/// What can go wrong.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Kind {
    /// A rule failed.
    Fault {
        /// How.
        code: &'static str,
        /// File and line.
        place: String,
        /// What was on the stack failed alone, and play went on.
        alone: bool,
    },
    /// Somebody is asked and nobody can answer.
    DeadEnd {
        /// The question.
        question: String,
    },
    /// The match goes on and on.
    Endless,
    /// Something that must hold for every ruleset does not.
    Law {
        /// Which.
        name: &'static str,
    },
}

impl Kind {
    fn of_fault(program: &Program, fault: &Fault, alone: bool) -> Kind {
        let file = |place: intermezzo_ruleset::Place| program.files.get(usize::from(place.file));
        let place = fault.place.and_then(|place| Some(format!("{}:{}", file(place)?, place.line)));
        Kind::Fault { code: fault.code.name(), place: place.unwrap_or_default(), alone }
    }

    /// One word for it.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match self {
            Kind::Fault { .. } => "fault",
            Kind::DeadEnd { .. } => "dead-end",
            Kind::Endless => "endless",
            Kind::Law { .. } => "law",
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Kind::Fault { code, place, .. } => write!(f, "a rule fails with {code} at {place}"),
            Kind::DeadEnd { question } => {
                write!(f, "nobody can answer `{question}`, and the match is not over")
            }
            Kind::Endless => write!(f, "the match does not end"),
            Kind::Law { name } => write!(f, "the law {name} does not hold"),
        }
    }
}

/// How something was found.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum How {
    Unruly,
    Orderly,
    Law(usize),
}

/// Where to look.
#[derive(Clone, Debug)]
pub struct Hunt<'a> {
    /// The ruleset. Its options are tried every other time.
    pub subject: &'a Subject,
    /// The first seed.
    pub seed: u64,
    /// How many seeds.
    pub seeds: u64,
    /// A match that is not over after so many inputs does not end.
    pub max_inputs: u32,
    /// What must hold: usually all [`LAWS`](laws::LAWS).
    pub laws: &'a [(&'static str, Law)],
}

type Found = BTreeMap<Kind, (u64, How)>;

impl Hunt<'_> {
    /// Everything that was found, made small, in order of kinds. The same for any number of threads.
    pub fn run(&self, threads: usize, progress: &Progress) -> Vec<Find> {
        let next = AtomicU64::new(0);
        let work = || {
            let mut found = Found::new();
            while !progress.is_stopped() {
                let place = next.fetch_add(1, Ordering::Relaxed);
                if place >= self.seeds {
                    break;
                }
                self.look(self.seed.wrapping_add(place), place, &mut found);
                progress.more(1);
            }
            found
        };
        let mut all = Found::new();
        std::thread::scope(|scope| {
            let threads: Vec<_> = (0..threads.max(1)).map(|_| scope.spawn(work)).collect();
            for thread in threads {
                match thread.join() {
                    Ok(found) => found.into_iter().for_each(|(kind, at)| keep_first(&mut all, kind, at)),
                    Err(panic) => std::panic::resume_unwind(panic),
                }
            }
        });
        all.into_iter().map(|(kind, (seed, how))| self.made_small(kind, seed, how)).collect()
    }

    fn look(&self, seed: u64, place: u64, found: &mut Found) {
        let mut note =
            |kind: Option<Kind>, how| kind.into_iter().for_each(|kind| keep_first(found, kind, (seed, how)));
        for how in [How::Unruly, How::Orderly] {
            let (_, end) = self.play(seed, how);
            note(self.kind(&end, how), how);
        }
        if place.is_multiple_of(LAW_STRIDE) {
            for (number, (name, _)) in self.laws.iter().enumerate() {
                let kind = self.broken(number, seed, None).map(|_| Kind::Law { name });
                note(kind, How::Law(number));
            }
        }
    }

    /// Whether the law with that number does not hold, in a match of at most so many inputs.
    fn broken(&self, number: usize, seed: u64, most: Option<u32>) -> Option<Broken> {
        let (_, law) = self.laws.get(number)?;
        let broken = match most {
            None => law(self.subject, seed).err(),
            Some(_) => law(&Subject { max_inputs: most, ..self.subject.clone() }, seed).err(),
        };
        // That a rule fails is found by playing; laws are about what must hold all the same.
        broken.filter(|broken| !broken.is_fault)
    }

    fn play(&self, seed: u64, how: How) -> (Case, End) {
        let (unruly, orderly) = (Habits::unruly(), Habits::orderly());
        let habits = match how {
            How::Orderly => Habits { max_inputs: self.max_inputs, ..orderly },
            _ => Habits { max_inputs: UNRULY_INPUTS, ..unruly },
        };
        Case::play(&self.subject.program, self.setup(seed), seed, &habits)
    }

    /// Every number of seats in turn, and every other time the options.
    fn setup(&self, seed: u64) -> Setup {
        laws::varied_setup(self.subject, seed)
    }

    /// What the end of a match means. An unruly one is broken off early; that means nothing.
    fn kind(&self, end: &End, how: How) -> Option<Kind> {
        match end {
            End::Fault(fault, alone) => Some(Kind::of_fault(&self.subject.program, fault, *alone)),
            End::Stuck(question) => Some(Kind::DeadEnd { question: question.clone() }),
            End::Waiting(_) if how == How::Orderly => Some(Kind::Endless),
            End::Waiting(_) | End::Over => None,
        }
    }
}

/// Of what is found several times the first seed counts, so that threads make no difference.
fn keep_first(found: &mut Found, kind: Kind, at: (u64, How)) {
    let known = found.entry(kind).or_insert(at);
    *known = (*known).min(at);
}
