//! Where a match takes what its seats send, in their own names.
//!
//! A [`Desk`] has a recorded match and whoever follows it for its viewers. Seats
//! answer questions by the numbers and names they know, send answers
//! ahead, and take back what they have answered; everyone gets the news that
//! are theirs. One desk takes one thing after the other.

mod ahead;
mod consent;
mod desk;
mod refusal;

pub use ahead::{Ahead, MAX_AHEAD};
pub use desk::{Desk, News};
pub use refusal::DeskRefusal;
