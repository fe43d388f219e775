//! The errors of verifying a match file.

use std::fmt;

use intermezzo_engine::{Refusal, StartError};
use intermezzo_program::FaultCode;

use crate::file::RulesetName;
use crate::undo::UndoRefusal;

/// The place of an error in a match file.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct MismatchLocation {
    /// The branch, by index; `None` for the main line.
    pub branch: Option<usize>,
    /// The input; 0 is the start of the match, `None` the header.
    pub input: Option<u32>,
    pub event: Option<u32>,
    /// The field of the event, input or header.
    pub field: Option<String>,
}

/// The first error in a match file.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{location}: {kind}")]
pub struct ReplayMismatch {
    pub location: MismatchLocation,
    /// The error. Boxed to keep results small.
    pub kind: Box<MismatchKind>,
}

/// The kind of an error in a match file.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum MismatchKind {
    /// The file was recorded with another ruleset.
    #[error(
        "the match was recorded with {} {} ({}), but the given ruleset is {} {} ({})",
        .recorded.id,
        .recorded.version,
        .recorded.hash.short(),
        .given.id,
        .given.version,
        .given.hash.short()
    )]
    WrongRuleset {
        /// The ruleset of the file.
        recorded: RulesetName,
        /// The given ruleset.
        given: RulesetName,
    },
    /// The setup is invalid.
    #[error("{problem}")]
    BadSetup { problem: String },
    #[error("the match cannot start: {0}")]
    CannotStart(StartError),
    /// An input is invalid.
    #[error("{problem}")]
    BadInput { problem: String },
    /// The engine rejects a recorded input.
    #[error("the engine rejects this input: {0}")]
    Refused(Refusal),
    /// The file and the replay differ.
    #[error("the file says {recorded}, replaying gives {replayed}")]
    Differs {
        /// The value in the file.
        recorded: String,
        /// The value of the replay.
        replayed: String,
    },
    /// The file contains an event that the replay does not produce.
    #[error("the file contains {event}, replaying does not produce it")]
    ExtraEvent { event: String },
    /// The file lacks an event that the replay produces.
    #[error("the file lacks {event}, which replaying produces")]
    MissingEvent { event: String },
    /// The recorded seat could not undo at that point.
    #[error("that seat could not undo there: {0}")]
    UndoRefused(UndoRefusal),
    /// The events of the file cannot be folded.
    #[error("the event cannot be folded: {}", .0.name())]
    DoesNotFold(FaultCode),
    /// Folding the events gives a different board than running the rules.
    #[error("folding the events gives a different board than running the rules")]
    FoldDiffers,
}

impl fmt::Display for MismatchLocation {
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

impl ReplayMismatch {
    pub(crate) fn new(location: MismatchLocation, problem: MismatchKind) -> ReplayMismatch {
        ReplayMismatch { location, kind: Box::new(problem) }
    }
}
