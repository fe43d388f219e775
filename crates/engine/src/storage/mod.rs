//! The state of a match: board, heap, undo log, snapshots and garbage collection.

pub(crate) mod board;
pub(crate) mod codec;
pub(crate) mod copy;
pub(crate) mod creation;
pub(crate) mod fold;
pub(crate) mod garbage;
pub(crate) mod heap;
pub(crate) mod placement;
pub(crate) mod restore;
pub(crate) mod restore_board;
pub(crate) mod undo;
pub(crate) mod zones;
