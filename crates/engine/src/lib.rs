//! The pure state machine: input in, events out.
//!
//! A [`Match`] runs a [`Program`](intermezzo_ruleset::Program): start one with
//! [`Match::start`], look at what it waits for with [`Match::pending`], and
//! feed it with [`Match::submit`]. What happens goes to a [`Log`]; folding a log
//! ([`Folder`]) gives the same [`Board`] again.
//!
//! There is no clock, no file, no thread and no chance here but the seed's: the
//! same program, setup and inputs give the same match everywhere.

mod about;
mod agenda;
mod answer;
mod applying;
mod asking;
mod autopass;
mod board;
mod branch_ways;
mod branches;
mod chance;
mod codec;
mod copying;
mod core;
mod cycle;
mod datum;
mod decide;
mod discovery;
mod enumerate;
mod explain;
mod fold;
mod garbage;
mod group;
mod happening;
mod heap;
mod hiding;
mod imagined;
mod inlining;
mod input;
mod interpret;
mod learning;
mod legal;
mod lessons;
mod letters;
mod life;
mod limits;
mod linking;
mod lists;
mod log;
mod memory;
mod midway;
mod modified;
mod offers;
mod ordering;
mod past;
mod paths;
mod placing;
mod play;
mod prompts;
mod quick;
mod reacting;
mod reading;
mod reads;
mod registers;
mod renumbering;
mod request;
mod restore;
mod restore_board;
mod rules;
mod sameness;
mod settling;
mod setup;
mod shortcuts;
mod sources;
mod stack;
mod survey;
mod tables;
mod terms;
mod tidying;
mod typed;
mod undo;
mod values;
mod verify;
mod view;
mod witness;
mod zones;

pub use board::{Board, Ending};
pub use chance::{Chance, Script, Seed};
pub use cycle::{Cycle, CycleRule};
pub use datum::{Datum, Text, WrongDatum, describe};
pub use explain::{Contribution, Explained, Explanation};
pub use fold::Folder;
pub use imagined::Imagination;
pub use input::{Answer, Fault, Input, InputId, LeaveCause, PassUntil, Refusal, Rejection};
pub use learning::Sight;
pub use letters::{Blank, Content, Letter, Received, Unread};
pub use log::{Cause, Log, Record, Status};
pub use memory::Memory;
pub use midway::{EventStage, Midway, PendingReaction, UnderWay, UnderWayKind};
pub use paths::Walk;
pub use play::Match;
pub use request::{BranchOffer, Pending};
pub use restore::RestoreError;
pub use setup::{Setup, StartError};
pub use survey::{InSight, PhaseUnderWay};
pub use terms::{Stake, Terms, Time};
pub use undo::Savepoint;
pub use witness::{Viewer, Witness};
