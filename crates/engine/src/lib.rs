//! The rules engine: a pure state machine that takes inputs and emits events.
//!
//! A [`Match`] runs a compiled ruleset, a [`Program`](intermezzo_program::Program). [`Match::start`] runs it until
//! it first waits for players, [`Match::pending`] returns the open questions, and [`Match::submit`] applies an
//! input with all of its consequences, or rejects it without any effect. Events go to an [`EventLog`]; folding the
//! log with a [`LogFold`] rebuilds the same [`Board`]. An [`Observer`] computes what one viewer may see.
//!
//! The engine uses no clock, no files, no threads and no randomness except the seed. The same program, setup and
//! inputs give the same match on every machine.
//!
//! ```
//! use std::sync::Arc;
//!
//! use intermezzo_compiler::Ruleset;
//! use intermezzo_engine::{Answer, EventLog, Input, Match, Seed, Setup};
//! use intermezzo_program::Seat;
//!
//! const RULES: &str = r#"
//! ir: 1
//! ruleset: {id: first-move, version: 0.1.0}
//! outcomes: [decided]
//! flow:
//!   - {choose: winner, by: "players[0]", from: players}
//!   - {end: decided, winners: "[winner]"}
//! "#;
//!
//! let ruleset = Ruleset::from_files(&[("rules.yaml".to_owned(), RULES.into())]);
//! let program = Arc::new(ruleset.compile().program.expect("the ruleset has no errors"));
//! let setup = Setup { seats: 2, options: vec![], seed: Seed::from_number(1), script: None };
//! let mut log = EventLog::new();
//! let mut game = Match::start(program, &setup, &mut log)?;
//!
//! let question = game.pending().next().expect("the first player is asked");
//! let (input, seat) = (question.id(), question.seat());
//! game.submit(&Input::Answer { input, seat, answer: Answer::Picks(vec![1]) }, &mut log)?;
//!
//! assert_eq!(game.ending().expect("the match is over").winners, [Seat(1)]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod ask;
mod optimize;
mod react;
mod run;
mod storage;
mod values;
mod view;
pub use ask::input::{Answer, Input, InputId, LeaveCause, PassUntil, Refusal, Rejection, RuleFault};
pub use ask::paths::PathWalk;
pub use ask::request::{BranchOffer, PendingQuestion};
pub use ask::written_answer::{WrittenAnswer, quoted_selection};
pub use react::explain::{Contribution, Explanation, ExplanationSubject};
pub use run::chance::{Chance, DiceScript, Seed};
pub use run::cycle::{Cycle, CycleRule};
pub use run::frames::Interrupt;
pub use run::log::{Cause, EventLog, EventRecord, EventStatus};
pub use run::match_instance::{ExecutionCost, Match};
pub use run::match_terms::{MatchTerms, Stake, TimeLimits};
pub use run::setup::{Setup, StartError};
pub use storage::board::{Board, Ending};
pub use storage::fold::LogFold;
pub use storage::restore::RestoreError;
pub use storage::undo::Savepoint;
pub use values::datum::{Datum, DatumTypeError, ShortText, describe, describe_with};
pub use view::custom_messages::{CustomMessage, MessageContent, MessageError, Placeholder, ReceivedMessage};
pub use view::determinize::Determinizer;
pub use view::disclosure::DisclosureSnapshot;
pub use view::mid_input::{EventStage, FrameKind, FrameSummary, MidInput, PendingReaction};
pub use view::observer::{Observer, Viewer};
pub use view::view_changes::{PartBefore, ViewChange, ViewStep};
pub use view::viewer_event::{EventContent, ViewerEvent};
pub use view::viewer_names::ViewerNames;
pub use view::visible_entities::{ActivePhase, VisibleEntity};
