//! Questions to players as plain data, and matches driven from Rust.
//!
//! A [`Selector`] describes what one player may pick, and a [`Response`] what that player picked;
//! [`Selector::check`] validates the response. Two ways to play build on them:
//!
//! * [`FunctionMatch`] runs a plain Rust function as a match. The function asks through its [`GameContext`] and runs
//!   again from the [`ResponseRecord`] after every response.
//! * [`selector_for`] builds the selector of any question a ruleset asks, and [`RulesetSelector::answer`] converts a
//!   response to the engine's answer.
//!
//! The crate uses no clock, no files and no threads: the same record gives the same match everywhere.
//!
//! ```
//! use intermezzo_selector::{ChoiceList, PickBounds, Response, Selector};
//!
//! let cards = ChoiceList::of(["Archery", "Sailing", "Tools"]).pick(PickBounds::exactly(2));
//! let selector = Selector::select("dennis", "Discard", cards)?;
//!
//! let picks = selector.check(&Response::to("Discard", ["Tools", "Archery"]))?;
//! assert_eq!(picks.iter().map(|pick| pick.index).collect::<Vec<_>>(), [2, 0]);
//!
//! let error = selector.check(&Response::to("Discard", ["Tools"])).unwrap_err();
//! assert_eq!(error.to_string(), "Invalid number of options selected: expected 2-2, got 1");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod check;
mod choices;
mod errors;
mod function_match;
mod game_context;
mod helpers;
mod json;
mod name;
mod record;
mod response;
mod response_error;
mod ruleset_selector;
mod selector;

pub use check::ResolvedPick;
pub use choices::{ChoiceList, PickBounds, SelectorChoice};
pub use errors::{InvalidSelector, LogicError, RecordMismatch, RecordMismatchReason, RunError, Suspension};
pub use function_match::FunctionMatch;
pub use game_context::{AcceptedResponse, GameContext, OpenRequest};
pub use helpers::HasTitle;
pub use name::ChoiceName;
pub use record::{RecordedResponse, ResponseRecord};
pub use response::{Pick, Response};
pub use response_error::{InvalidResponse, ResponseError};
pub use ruleset_selector::{RulesetSelector, SelectorError, selector_for};
pub use selector::{Selector, SelectorRequest, SelectorType};

/// Runs the programs in the reference page as doc tests.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/reference/selectors.md")]
struct SelectorReference;
