//! Match files: one JSON file holds everything needed to replay, explain and verify a match.
//!
//! Run a match through a [`Recorder`] to get a [`MatchFile`]. [`MatchFile::write`] and [`MatchFile::read`] move it to
//! and from disk, [`MatchFile::replay`] restores the match, and [`MatchFile::verify`] checks every input, event and
//! hash. A [`MatchReplay`] steps through a match event by event, and [`sentences`] turns events into text.
//!
//! ```
//! use intermezzo_engine::{Answer, Input, Seed, Setup};
//! use intermezzo_matchfile::{MatchFile, Recorder};
//! use std::sync::Arc;
//!
//! const RULES: &str = r#"
//! ir: 1
//! ruleset: {id: bids, version: 0.1.0, name: Bids, uses: [core@1]}
//! outcomes: [done]
//! players: {seats: 2, props: {score: {type: int, default: 0}}}
//! flow:
//!   - {choose: bid, by: "players[0]", from: "[1, 2, 3]"}
//!   - add: {"players[0].score": bid}
//! "#;
//!
//! let ruleset = intermezzo_compiler::Ruleset::from_files(&[("rules.yaml".to_owned(), RULES.into())]);
//! let program = Arc::new(ruleset.compile().program.expect("the ruleset has no errors"));
//! let setup = Setup { seats: 2, options: vec![], seed: Seed::from_number(7), script: None };
//!
//! let mut recorder = Recorder::start(&program, &setup)?;
//! let question = recorder.game().pending().next().expect("the first player is asked");
//! let (input, seat) = (question.id(), question.seat());
//! recorder.submit(&Input::Answer { input, seat, answer: Answer::Picks(vec![1]) })?;
//!
//! // A file that was written, read and verified proves the match.
//! let text = recorder.file().to_text();
//! let mut file = MatchFile::parse(text.as_bytes())?;
//! assert_eq!(file.verify(&program)?.inputs, 1);
//!
//! // A changed hash is found, with its place.
//! file.inputs[0].state.0[0] ^= 1;
//! assert!(file.verify(&program).unwrap_err().to_string().starts_with("input 1, `state`"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod branches;
mod canonical_form;
mod compare;
mod file;
mod format;
mod hash_chain;
mod input;
pub mod log_lines;
mod mismatch;
mod narrate;
mod parse;
mod recorder;
mod replay;
pub mod sentences;
mod translate_inputs;
mod undo;
mod verify;

pub use branches::MAX_BRANCHES;
pub use canonical_form::NotCanonical;
pub use file::{
    FORMAT, InputRecord, MatchFile, PayloadWords, RulesetName, SavedAnswer, SavedBranchPick, SavedCause,
    SavedEnding, SavedEvent, SavedInput, SavedPicks, SavedStart, SavedStatus, ScriptedRoll, UndoBranch,
};
pub use hash_chain::Hash256;
pub use mismatch::{MismatchKind, MismatchLocation, ReplayMismatch};
pub use narrate::{DisplayLabels, from_json, to_json};
pub use parse::{MAX_FILE_BYTES, ReadError, read_bytes};
pub use recorder::Recorder;
pub use replay::{MatchReplay, ReplayState, ReplayViewpoint, ReplayedEvent, ReplayedInput};
pub use undo::{UndoPlan, UndoRefusal};
pub use verify::VerifyReport;
