//! Seeded random matches: laws, experiments, coverage and bug search.
//!
//! Start with [`play`](fn@play), which plays one random match of any program, the same for the same seed. An
//! [`Experiment`] plays many matches fast, at random or with bots, on any number of threads; [`report`] shows its
//! findings, and [`coverage`] the rules that were never reached. [`bug_search`] finds failures. [`laws`] are properties
//! that hold for every ruleset. [`fuzz`] reads arbitrary bytes.
//!
//! ```
//! use std::sync::Arc;
//!
//! use intermezzo_simulator::{InputMix, play};
//!
//! let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../rulesets/orcain");
//! let ruleset = intermezzo_compiler::Ruleset::load(folder.as_ref())?;
//! let program = Arc::new(ruleset.compile().program.expect("the ruleset has no errors"));
//!
//! let first = play(&program, 7, &[], &InputMix::orderly())?;
//! let second = play(&program, 7, &[], &InputMix::orderly())?;
//! assert!(first.ending().is_some());
//! assert_eq!(first.inputs, second.inputs);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod bots;
pub mod bug_search;
pub mod coverage;
pub mod experiment;
pub mod exploitability;
pub mod fixtures;
pub mod fuzz;
mod input_mix;
mod invalid_inputs;
pub mod ladder;
pub mod laws;
mod outcome;
mod play;
mod random_play;
pub mod report;
mod statistics;

pub use bots::{RANDOM_BOT, full_name};
pub use experiment::Experiment;
pub use fixtures::Fixture;
pub use input_mix::InputMix;
pub use intermezzo_bots::{NoSuchBot, Random};
pub use outcome::SimulatedOutcome;
pub use play::{SimulatedMatch, play, play_from, setup};
pub use random_play::RandomPlay;
pub use statistics::{Distribution, LengthDistribution, MatchTotals, ScoreDistribution};
