//! The rulesets of the tutorial and of the scenario reference have no warnings, and their scenarios pass.

use std::path::Path;

use intermezzo_compiler::{Ruleset, render};
use intermezzo_scenario::Suite;

#[test]
fn every_step_of_the_tutorial_passes() {
    assert_eq!(run_all("../tutorial"), 10);
}

#[test]
fn the_examples_of_the_scenario_reference_pass() {
    assert_eq!(run_all("../scenarios"), 3);
}

/// Checks and tests every ruleset in a folder. Returns how many it contains.
fn run_all(folder: &str) -> usize {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let entries = std::fs::read_dir(folder).expect("the folder exists");
    let paths = entries.map(|entry| entry.expect("the folder can be read").path());
    let rulesets: Vec<_> = paths.filter(|path| path.is_dir()).collect();
    for path in &rulesets {
        let ruleset = Ruleset::load(path).expect("the ruleset can be read");
        let diagnostics = ruleset.compile().diagnostics;
        assert!(diagnostics.is_empty(), "\n\n{}", render(&diagnostics, ruleset.sources(), false));
        let mut suite = Suite::load(path).expect("the scenarios can be read");
        let report = suite.run(None, false);
        assert!(report.is_ok() && report.passed > 0, "\n\n{}", suite.render(&report, false));
    }
    rulesets.len()
}
