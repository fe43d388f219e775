//! Questions to players as plain data, and matches driven from Rust.
//!
//! A [`Selector`] says what one player may pick, a [`Response`] what that
//! player picked; [`Selector::check`] is the one place where the two are
//! compared. On top of them stand two ways to play:
//!
//! * [`Play`] runs a plain Rust function as a match. The function asks through
//!   its [`Table`] and is run again from the [`Record`] after every response.
//! * [`show()`] makes a selector of any question a ruleset asks, and
//!   [`Shown::answer`] makes the engine's answer of a response.
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
mod show;
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
pub use show::{NotShown, Shown, show};
pub use table::{Accepted, Open, Table};

/// The programs in the handbook are tests.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/requests.md")]
struct Handbook;
