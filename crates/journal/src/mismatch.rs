//! What can be wrong with a match file, and where.

use std::fmt;

use intermezzo_engine::{Refusal, StartError};
use intermezzo_ruleset::FaultCode;

use crate::file::RulesetName;
use crate::undo::UndoRefusal;

/// Where a match file is wrong.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Place {
    /// The branch, by its place in the list; nothing is what counts now.
    pub branch: Option<usize>,
    /// The input; 0 is the start of the match, nothing is what stands before it.
    pub input: Option<u32>,
    /// The event.
    pub event: Option<u32>,
    /// The field of the event, input or header.
    pub field: Option<String>,
}

/// The first thing that is wrong with a match file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mismatch {
    /// Where.
    pub place: Place,
    /// What. Boxed to keep results small.
    pub problem: Box<Problem>,
}

/// What is wrong with a match file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Problem {
    /// The match was played by other rules than those at hand.
    OtherRules {
        /// Those of the file.
        recorded: RulesetName,
        /// Those at hand.
        at_hand: RulesetName,
    },
    /// The setup makes no sense.
    BadSetup {
        /// What is wrong with it.
        problem: String,
    },
    /// The match does not begin.
    CannotStart(StartError),
    /// An input makes no sense.
    BadInput {
        /// What is wrong with it.
        problem: String,
    },
    /// An input that is said to have been taken is refused.
    Refused(Refusal),
    /// The file says something else than the replay.
    Differs {
        /// What the file says.
        recorded: String,
        /// What replaying gives.
        replayed: String,
    },
    /// The file tells of an event that replaying does not give.
    NeverHappened {
        /// Its type.
        event: String,
    },
    /// The file leaves out an event that replaying gives.
    LeftOut {
        /// Its type.
        event: String,
    },
    /// The seat that is said to have taken something back could not have.
    NotTakenBack(UndoRefusal),
    /// The events of the file cannot be folded.
    DoesNotFold(FaultCode),
    /// Folding the events gives another board than running the rules.
    FoldDiffers,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(branch) = self.branch {
            write!(f, "branch {}, ", branch + 1)?;
        }
        match self.input {
            None => f.write_str("header")?,
            Some(0) => f.write_str("start")?,
            Some(number) => write!(f, "input {number}")?,
        }
        if let Some(event) = self.event {
            write!(f, ", event {event}")?;
        }
        match &self.field {
            Some(field) => write!(f, ", `{field}`"),
            None => Ok(()),
        }
    }
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.problem)
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Problem::OtherRules { recorded, at_hand } => write!(
                f,
                "the match was played by {} {} ({}), but the rules at hand are {} {} ({})",
                recorded.id,
                recorded.version,
                recorded.hash.short(),
                at_hand.id,
                at_hand.version,
                at_hand.hash.short()
            ),
            Problem::BadSetup { problem } | Problem::BadInput { problem } => f.write_str(problem),
            Problem::CannotStart(error) => write!(f, "the match does not begin: {error}"),
            Problem::Refused(refusal) => write!(f, "the rules refuse this input: {refusal}"),
            Problem::Differs { recorded, replayed } => {
                write!(f, "the file says {recorded}, replaying gives {replayed}")
            }
            Problem::NeverHappened { event } => write!(f, "the file tells of {event}, replaying does not"),
            Problem::LeftOut { event } => write!(f, "the file leaves out {event}, which replaying gives"),
            Problem::NotTakenBack(refusal) => write!(f, "that seat could take nothing back there: {refusal}"),
            Problem::DoesNotFold(code) => write!(f, "the event cannot be folded: {}", code.name()),
            Problem::FoldDiffers => {
                f.write_str("folding the events gives another board than running the rules")
            }
        }
    }
}

impl Mismatch {
    pub(crate) fn new(place: Place, problem: Problem) -> Mismatch {
        Mismatch { place, problem: Box::new(problem) }
    }
}

impl std::error::Error for Mismatch {}
