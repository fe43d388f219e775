//! Seeded random matches that check the laws.
//!
//! Start with [`play`](fn@play): one random match of any program, the same for
//! the same seed. A [`Study`] plays many of them fast, by chance or by bots, on any number of
//! threads; [`report`] tells what it found, and [`coverage`] what it never reached.
//! A [`hunt`] looks for what can go wrong. [`laws`] states what must hold for every ruleset; [`fuzz`] feeds garbage.

mod bots;
pub mod coverage;
pub mod fuzz;
mod habits;
pub mod hunt;
pub mod ladder;
pub mod laws;
mod mischief;
mod outcome;
mod play;
mod random_play;
pub mod report;
pub mod study;
pub mod subjects;
mod tally;

pub use bots::{BY_CHANCE, full_name};
pub use habits::Habits;
pub use intermezzo_bots::{NoSuchBot, Random};
pub use outcome::Outcome;
pub use play::{Played, play, play_from, setup};
pub use random_play::RandomPlay;
pub use study::Study;
pub use subjects::Subject;
pub use tally::{Lengths, Tally};
