//! Tests of the services through their public methods: stories first, then invariants.

#![allow(clippy::unwrap_used, reason = "a failed unwrap in a test helper fails the test")]

mod accounts;
mod fixture;
mod idempotency;
mod laws;
mod ledger;
mod lobby;
mod matchmaking;
mod ratings;
mod rulesets;
mod sweep;
