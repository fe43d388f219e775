//! A client that believes nothing.
//!
//! It [answers](answer) by chance, keeps a [journal](Journal) of everything it has sent and seen, and says what is wrong
//! as soon as that shows. Afterwards its journal is [compared](compare) with the rows that are kept, and every
//! [deadline](check_deadlines) is looked at.

mod absences;
mod answering;
mod comparing;
mod deadlines;
mod findings;
mod journal;

pub use absences::Absences;
pub use answering::{answer, step};
pub use comparing::{compare, step_content};
pub use deadlines::{Patience, check as check_deadlines};
pub use findings::Findings;
pub use journal::{Answer, Journal, Sent};
