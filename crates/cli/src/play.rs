//! Playing in the terminal. Start with [`Table`]: who sits where, whose turn it is, what they see.

mod acting;
mod grid;
mod keyboard;
mod look;
mod names;
mod paths;
mod question;
mod screen;
mod square;
mod table;
mod turn;

pub(crate) use keyboard::Keyboard;
pub(crate) use names::Names;
pub(crate) use screen::Seen;
pub(crate) use table::{Player, Table};
