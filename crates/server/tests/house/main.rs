//! The house, tried through its public methods: stories first, then laws.

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
