//! A match without an end in a steady state: if an action gets slower, something has grown.

use std::sync::Arc;

use intermezzo_program::Program;

/// Compiles the ruleset. Its matches are played by [`any_ruleset::RulesetPlayer`](crate::any_ruleset::RulesetPlayer).
///
/// # Panics
///
/// If the bundled ruleset has errors, which its test would show.
#[must_use]
pub fn program() -> Arc<Program> {
    crate::compile("endless.yaml", include_bytes!("../rulesets/endless.yaml"))
}
