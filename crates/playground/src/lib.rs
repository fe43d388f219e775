//! The workshop of a ruleset's author.
//!
//! A [`Folder`] is where the ruleset is written; [`check`](fn@check) says what is wrong with it, files that are not saved
//! yet included. A [`Table`] is a match to try things with: all seats are played from one place, its dice can be told,
//! one can go back to any input, and it goes on under changed rules. What was played becomes a
//! [scenario](scenarios::record). There is no network here.

mod checking;
mod files;
mod reload;
pub mod scenarios;
mod table;

pub use checking::{Checked, check};
pub use files::{Folder, FolderError, Found, Texts, hash};
pub use reload::{Difference, Reloaded, Stopped, Told};
pub use table::{BotName, Branch, MAX_BOT_ANSWERS, Refused, Sent, Start, Table};
