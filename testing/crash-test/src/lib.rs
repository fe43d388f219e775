//! Crash test: a server is killed again and again while clients play, and no acknowledged command may be lost.
//!
//! [`run()`] starts the real program on a folder, lets clients play match after match over WebSockets, and kills the
//! program at random moments, also while it starts. Every client keeps a journal: the commands it sent and their
//! results, every version of its stream, and every question. Afterwards the journals are compared with the stored
//! rows.

mod addresses;
mod cluster;
mod cluster_run;
mod http;
mod ledger_check;
mod match_series;
mod player;
mod report;
mod run;
mod server_process;
mod verification;

pub use report::CrashTestReport;
pub use run::{CrashTestPlan, run};
