//! Players that are programs.
//!
//! [`at_random`] answers by chance. A [`Greedy`] looks one step ahead: it tries
//! every answer and takes the one after which things look best by what the ruleset
//! says they are worth. A [`Searcher`] plays on from its answers again and again and
//! takes the one that did best. Whoever looks ahead does so on
//! [copies](intermezzo_engine::Imagination) of the match in which everything it cannot
//! see is drawn anew, so none of them knows more than a player at its seat.
//!
//! A [`Bot`] is any of them, by [name](BotKind).

mod bot;
mod candidates;
mod greedy;
mod policy;
mod quick;
mod race;
mod random;
mod rating;
mod search;
mod step;
mod worth;

pub use bot::{Bot, BotKind, Budget, NoSuchBot};
pub use greedy::Greedy;
pub use policy::at_random;
pub use random::Random;
pub use search::Searcher;
