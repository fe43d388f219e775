//! Seeded random matches that check the laws.
//!
//! Start with [`play`](fn@play): one random match of any program, the same for
//! the same seed. [`Simulator`] plays many of them fast and counts in a
//! [`Tally`]; [`laws`] states what must hold for every ruleset; [`fuzz`] feeds
//! garbage.

pub mod fuzz;
mod habits;
pub mod ladder;
pub mod laws;
mod mischief;
mod play;
mod random_play;
mod simulator;
pub mod subjects;
mod tally;

pub use habits::Habits;
pub use intermezzo_bots::Random;
pub use play::{Played, play, play_from, setup};
pub use random_play::RandomPlay;
pub use simulator::{Outcome, Simulator};
pub use subjects::Subject;
pub use tally::{Lengths, Tally};
