//! Questions to players as plain data, and matches driven from Rust.
//!
//! A [`Selector`] says what one player may pick, a [`Response`] what that
//! player picked; [`Selector::check`] is the one place where the two are
//! compared. [`Play`] runs a plain Rust function as a match: the function asks
//! through its [`Table`] and is run again from the [`Record`] after every
//! response.
//!
//! There is no clock, no file and no thread here: the same record gives the
//! same match everywhere.

mod check;
mod choices;
mod flaw;
mod helpers;
mod name;
mod play;
mod record;
mod refusal;
mod response;
mod selector;
mod table;
mod written;

pub use check::Picked;
pub use choices::{Bounds, Choice, Choices};
pub use flaw::{Flaw, Impossible, Misfit, MisfitReason, Stop, Trouble};
pub use helpers::Titled;
pub use name::Name;
pub use play::Play;
pub use record::{Entry, Record};
pub use refusal::{Invalid, Refusal};
pub use response::{Pick, Response};
pub use selector::{Question, Selector, SelectorType};
pub use table::{Accepted, Open, Table};
