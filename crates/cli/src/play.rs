//! Play in the terminal. Start with [`TerminalMatch`]: seats, turns, and what each viewer has seen.

mod actions;
mod branches;
mod grid;
mod keyboard;
mod names;
mod paths;
mod presentation;
mod question;
mod screen;
mod square;
mod terminal_match;
mod turn;

pub(crate) use keyboard::Keyboard;
pub(crate) use names::EntityNames;
pub(crate) use screen::EventView;
pub(crate) use terminal_match::{SeatPlayer, TerminalMatch};
