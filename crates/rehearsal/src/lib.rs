//! Matches for programs that learn by playing.
//!
//! Such a program wants numbers: an [`Encoding`] writes what a seat sees into a row of them that is always as long, and
//! [`Moves`] takes every answer apart into moves, numbers below a bound that is always the same. A [`Lane`] is one match
//! played that way; a [`Batch`] is many, stepped at once. Whoever plays on a lane is told what its seat may know and
//! nothing else.

mod batch;
mod bot;
mod columns;
mod encoding;
mod features;
mod lane;
mod layout;
mod moves;
mod sizes;
mod slots;
mod values;

pub use batch::{Batch, BatchError, Plan};
pub use bot::{BOTS, Bot, BotError};
pub use columns::{Column, Meaning, Section};
pub use encoding::{Encoding, Onlooker};
pub use lane::{Lane, LaneError};
pub use moves::{Begun, Moves, Stuck, Taken};
pub use sizes::Sizes;
pub use slots::Slots;
