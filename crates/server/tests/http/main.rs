//! The HTTP side through real sockets: stories, refusals and documents.
#![allow(clippy::unwrap_used, reason = "tests say what they expect")]

#[path = "../asking/mod.rs"]
mod asking;
mod client;
mod dev;
mod documents;
mod evening;
mod hostile;
mod lobby;
mod page;
mod play;
mod replay;
mod sockets;
mod watching;
mod world;
