//! Environments for machine learning.
//!
//! An [`Encoding`] writes what a seat sees into a row of numbers of fixed length. [`Moves`] splits every
//! answer into moves, numbers below a fixed bound. An [`Env`] is one match played by moves, and a [`Batch`]
//! steps many of them at once. A player in an environment gets the information of its seat and nothing
//! else.
//!
//! ```
//! use std::sync::Arc;
//!
//! use intermezzo_bots::Random;
//! use intermezzo_engine::{EventLog, Match, Seed, Setup};
//! use intermezzo_training::{Encoding, EncodingSizes, Env};
//!
//! let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../rulesets/orcain");
//! let ruleset = intermezzo_compiler::Ruleset::load(folder.as_ref())?;
//! let program = Arc::new(ruleset.compile().program.expect("the ruleset has no errors"));
//! let setup = Setup { seats: 2, options: vec![], seed: Seed::from_number(7), script: None };
//! let sizes = EncodingSizes::probed(&program, &setup)?;
//! let encoding = Encoding::new(&program, 2, sizes);
//! let game = Match::start(program, &setup, &mut EventLog::discard())?;
//!
//! let mut env = Env::new(game, Vec::new(), sizes.moves)?;
//! let (mut observation, mut mask) = (vec![0.0; encoding.len()], vec![false; sizes.moves]);
//! let mut random = Random::new(7);
//! while let Some(seat) = env.to_move() {
//!     env.observe(&encoding, seat, &mut observation, &mut mask)?;
//!     let legal: Vec<usize> = (0..sizes.moves).filter(|number| mask[*number]).collect();
//!     env.step(*random.pick(&legal))?;
//! }
//! assert!(env.game().is_over());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod batch;
mod bot;
mod capacity;
mod columns;
mod env;
mod features;
mod moves;
mod observation;
mod observation_layout;
mod output_arrays;
mod value_encoding;

pub use batch::{Batch, BatchConfig, BatchError};
pub use bot::{BOTS, BotError, EnvBot};
pub use capacity::EncodingSizes;
pub use columns::{Column, ColumnKind, Section};
pub use env::{Env, EnvError};
pub use moves::{MoveError, MoveResult, Moves, PartialAnswer};
pub use observation::{Encoding, SeatObserver};
pub use output_arrays::OutputArrays;
