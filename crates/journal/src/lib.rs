//! Keeps matches: one JSON file holds everything needed to replay, explain and verify a match.
//!
//! Play through a [`Recorder`] to make a [`MatchFile`]; [`MatchFile::read`] and
//! [`MatchFile::write`] move it to and from disk; [`MatchFile::replay`] gives the
//! match back and [`MatchFile::verify`] proves that the file tells the truth.
//! A [`Replay`] goes through one event by event; [`sentences`] puts what happened into words.

mod branches;
mod chain;
mod compare;
mod file;
mod input;
mod mismatch;
mod narrate;
mod reading;
mod recorder;
mod replay;
mod rereading;
pub mod sentences;
mod spelling;
mod undo;
mod verify;
mod writing;

pub use branches::MAX_BRANCHES;
pub use chain::Hash;
pub use file::{
    Branch, Entry, FORMAT, MatchFile, RulesetName, SavedAnswer, SavedBranch, SavedCause, SavedEnding,
    SavedEvent, SavedInput, SavedPicks, SavedStatus, ScriptedRoll, Step, Words,
};
pub use mismatch::{Mismatch, Place, Problem};
pub use narrate::{Labels, from_json, to_json};
pub use reading::{MAX_FILE_BYTES, ReadError, file_bytes};
pub use recorder::Recorder;
pub use replay::{Moment, Replay, ReplayedEvent, ReplayedInput, Spectacles};
pub use spelling::Misspelt;
pub use undo::{Undo, UndoRefusal};
pub use verify::Verified;
