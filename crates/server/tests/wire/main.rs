//! The server as its clients see it: real sockets, the published protocol, and nothing else.
//!
//! [`client`] checks every frame it is sent; [`answering`] finds answers from prompts alone. The rest are stories.

#![allow(clippy::unwrap_used, reason = "what helpers of tests unwrap fails the test")]

mod answering;
#[path = "../asking/mod.rs"]
mod asking;
mod client;
mod clocks;
mod company;
mod duel;
mod hostile;
mod killed;
mod patching;
mod playing;
mod secrecy;
mod secrets;
mod tables;
mod world;
