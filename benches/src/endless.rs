//! A match without an end, which looks the same at any time: whatever gets slower in it has grown.

use std::sync::Arc;

use intermezzo_ruleset::Program;

/// The ruleset, compiled. Its matches are played by [`any::Player`](crate::any::Player).
///
/// # Panics
///
/// If the bundled ruleset has errors, which its test would show.
#[must_use]
pub fn program() -> Arc<Program> {
    crate::compiled("endless.yaml", include_bytes!("../rulesets/endless.yaml"))
}
