//! Faults of rules, counted by ruleset.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

/// Anybody can publish rulesets. Those beyond this number are counted together, so that the metrics stay small.
const MAX_NAMES: usize = 100;

/// Counts a fault in `intermezzo_rule_faults_total`.
pub(crate) fn count(ruleset: &str) {
    static NAMES: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    let mut names = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
    let is_named = names.contains(ruleset) || names.len() < MAX_NAMES && names.insert(ruleset.to_owned());
    let label = if is_named { ruleset } else { "others" };
    metrics::counter!("intermezzo_rule_faults_total", "ruleset" => label.to_owned()).increment(1);
}
