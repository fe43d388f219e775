//! Where a match takes what its seats send, in their own names.
//!
//! A [`Desk`] is the fold of a match for its viewers. It takes one [`Entry`] after the other and says what each
//! viewer notices of it ([`Taken`]); the same setup and entries give the same, to the last name and number, whether
//! anybody looks or not, and after a [snapshot](Desk::snapshot) was restored. What seats write becomes an entry by
//! [`Desk::answer`] and its neighbours. There is no clock and no file here.

mod ahead;
mod bytes;
mod consent;
mod desk;
mod entry;
mod fold;
#[cfg(test)]
mod laws;
mod letters;
mod records;
mod reference;
mod refusal;
mod running;
mod sending;
mod shown;
mod snapshot;

pub use ahead::{Ahead, MAX_AHEAD};
pub use bytes::Malformed;
pub use desk::{Asked, Desk};
pub use entry::Entry;
pub use records::{decode_log, encode_log};
pub use reference::{record, record_with};
pub use refusal::{DeskRefusal, RecordError};
pub use shown::{Notice, Shown, Taken};
