//! Matches in progress: one task for each.
//!
//! [`fold`] is a match as a fold over its rows, [`actor`] the task that handles its requests, [`registry`]
//! finds or starts the task of a match.

mod actor;
mod bot;
mod clocks;
mod fold;
mod fork;
mod load;
mod match_pool;
mod registry;
mod request;
mod resolve;
mod row;
mod row_info;
#[cfg(test)]
mod stored_data_check;
pub(crate) use actor::{connection_index_prefix, welcome_frame};
pub(crate) use bot::BotThreads;
pub(crate) use clocks::{ClockRules, Downtime};
pub(crate) use fold::{MatchConfig, MatchState};
pub(crate) use fork::{ForkedRows, fork_rows};
pub(crate) use load::{Replica, read_entries, read_timed_entries, row_entry as entry_of, store_unavailable};
pub(crate) use match_pool::MatchPool;
pub(crate) use registry::{MatchDetails, MatchRecords, MatchRegistry, ModeratorAction, WAKE_AHEAD_MS};
pub(crate) use request::{
    CommandBody, CommandReply, FrameCommand, MatchCommand, MatchFollower, MatchQuery, MatchRequest,
    QueryRequest,
};
pub(crate) use resolve::{parse_datum, resolve_command};
pub(crate) use row::RowKind;
pub(crate) use row_info::row_info;
pub use row_info::{OpenedQuestion, RowInfo, command_digest};
