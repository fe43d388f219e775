//! Matches that are being played: one task for each.
//!
//! [`fold`] is a match as the fold of its rows, [`actor`] the task that takes
//! what is asked of it, [`hub`] finds the task of a match or starts it.

mod actor;
mod ask;
mod bot;
mod clocks;
mod fold;
mod forking;
mod hub;
mod loading;
mod row;
mod wishes;

pub(crate) use actor::welcome;
pub(crate) use ask::{Ask, Command, Follower, Look, Reply, Wish};
pub(crate) use clocks::ClockRules;
pub(crate) use fold::{Room, Terms};
pub(crate) use forking::forked_rows;
pub(crate) use hub::{Books, Hub, Opening};
pub(crate) use loading::{Replica, past, unavailable};
pub(crate) use wishes::datum;
