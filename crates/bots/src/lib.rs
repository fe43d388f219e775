//! Players that are programs.
//!
//! [`at_random`] answers by chance. A [`Greedy`] looks one step ahead: it tries
//! every answer on a copy of the match whose dice are its own, and takes the
//! one after which things look best by what the ruleset says they are worth.

mod candidates;
mod greedy;
mod policy;
mod random;
mod worth;

pub use greedy::Greedy;
pub use policy::at_random;
pub use random::Random;
