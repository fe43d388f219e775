//! One match as its viewers see it.
//!
//! A [`Session`] is the fold of a match for its viewers. It applies one [`SessionEntry`] after another and returns
//! what each viewer receives ([`SessionUpdate`]). The same setup and entries give the same result, down to the last
//! name and number, whether or not anybody watches, and also after restoring a [snapshot](Session::snapshot).
//! [`Session::resolve`] turns the [`Command`] of a seat into an entry. The crate uses no clock and no files.
//!
//! ```
//! use intermezzo_engine::{Datum, Seed, Setup, Viewer};
//! use intermezzo_program::Seat;
//! use intermezzo_session::{Command, Session};
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
//! let (mut session, _start) = Session::start(&program, &setup)?;
//! let question = session.pending()[0].question;
//! let entry = session.resolve(Seat(0), &Command::Answer { question, answer: Datum::Int(2) })?;
//! let update = session.apply(&entry, None)?;
//!
//! // Both seats and the spectators receive the new score.
//! assert_eq!(update.viewers.len(), 3);
//! assert_eq!(session.version(Viewer::Seat(Seat(1))), 2);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod byte_codec;
mod command;
mod custom_messages;
mod entry;
mod fold;
mod full_history;
#[cfg(test)]
mod laws;
mod pre_sent_answers;
mod record_codec;
mod refusal;
mod resolve;
mod runner;
mod session;
mod snapshot;
mod undo_consent;
mod viewer_updates;

pub use byte_codec::DecodeError;
pub use command::Command;
pub use entry::SessionEntry;
pub use full_history::{MAX_RECORDED_EVENTS, record, record_with};
pub use pre_sent_answers::{MAX_PRE_SENT, QueuedAnswer};
pub use record_codec::{decode_log, encode_log};
pub use refusal::{RecordError, SessionRefusal};
pub use session::{OpenQuestion, Session};
pub use viewer_updates::{SessionNotice, SessionUpdate, ViewerUpdate};
