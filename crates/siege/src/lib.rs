//! A server is killed again and again while clients play, and nothing may be lost.
//!
//! [`lay`] starts the real program on a folder, has tables of clients play
//! match after match over WebSockets, and kills it at random moments, also while it starts. Every client keeps a
//! journal of its own: what it sent and what was acknowledged, every version of its stream, every question.
//! Afterwards the journals are compared with what the server has kept.

mod campaign;
mod checking;
mod doors;
mod fortress;
mod http;
mod laying;
mod money;
mod player;
mod realm;
mod report;
mod table;

pub use laying::{Plan, lay};
pub use report::Report;
