//! Client for tests that checks everything it receives.
//!
//! It [answers](random_answer) at random, and keeps a [journal](ClientJournal) of everything it sends and receives, which
//! reports inconsistencies at once. Afterwards the journals are [compared](compare) with the stored rows, and every
//! [deadline](check_deadlines) is checked.

mod command_check;
mod deadline_check;
mod downtime;
mod findings;
mod journal;
mod random_answers;

pub use command_check::{compare, step_content};
pub use deadline_check::{DeadlineTolerance, check as check_deadlines};
pub use downtime::ServerDowntime;
pub use findings::ClientFindings;
pub use journal::{ClientJournal, CommandResult, SentCommand};
pub use random_answers::{random_answer, random_path_step};
