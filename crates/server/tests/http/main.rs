//! The HTTP API over real sockets: operations, rejected requests and documents.
#![allow(clippy::unwrap_used, reason = "tests say what they expect")]

mod all_operations;
mod client;
mod documents;
mod fixture;
mod history;
mod invalid_requests;
mod lobby;
mod overload;
mod page;
mod play;
mod playground;
#[path = "../raw_http/mod.rs"]
mod raw_http;
mod raw_sockets;
mod replay;
