//! Matches that are being played: one task for each.
//!
//! [`fold`] is a match as the fold of its rows, [`actor`] the task that takes
//! what is asked of it, [`hub`] finds the task of a match or starts it.

mod actor;
mod ask;
mod bot;
mod clocks;
#[cfg(test)]
mod damage;
mod fold;
mod forking;
mod hub;
mod loading;
mod record;
mod row;
mod wishes;

pub(crate) use actor::{listings_of, welcome};
pub(crate) use ask::{Ask, Command, Follower, Look, Looking, Reply, Wish};
pub(crate) use clocks::{Absence, ClockRules};
pub(crate) use fold::{Room, Terms};
pub(crate) use forking::forked_rows;
pub(crate) use hub::{Books, Hub, Moderated, Opening, WAKE_AHEAD_MS};
pub(crate) use loading::{Replica, entry as entry_of, past, timed_past, unavailable};
pub(crate) use record::info as row_info;
pub use record::{OpenedQuestion, RowInfo, command_digest};
pub(crate) use wishes::{Deed, datum, deed};
