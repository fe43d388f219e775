//! The house, tried through its public methods: stories first, then laws.

#![allow(clippy::unwrap_used, reason = "what helpers of tests unwrap fails the test")]

mod accounts;
mod laws;
mod lobby;
mod matchmaking;
mod once;
mod ratings;
mod rulesets;
mod sweeping;
mod tokens;
mod world;
