//! The server over real WebSockets, using only the published protocol.
//!
//! [`client`] checks every frame it receives; [`random_answers`] derives legal answers from prompts alone.

#![allow(clippy::unwrap_used, reason = "an unwrap in a helper fails the test")]

mod answer_forms;
mod client;
mod clocks;
mod cluster;
mod custom_messages;
mod fixture;
mod full_matches;
mod hidden_information;
mod hostile_clients;
mod log_secrets;
mod match_features;
mod moderation;
mod patch;
mod random_answers;
#[path = "../raw_http/mod.rs"]
mod raw_http;
mod rolling_upgrade;
mod server_restarts;
mod shared_store;
mod traces;
