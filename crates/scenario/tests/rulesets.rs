//! The scenarios of every ruleset of the repository pass.

use std::path::Path;

use intermezzo_scenario::Suite;

#[test]
fn the_scenarios_of_every_ruleset_pass() {
    run_all("../../rulesets");
}

#[test]
fn the_conformance_scenarios_pass() {
    run_all("conformance");
}

/// Runs the scenarios of all rulesets in a folder.
fn run_all(folder: &str) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let (mut reports, mut passed) = (String::new(), 0);
    for entry in std::fs::read_dir(folder).expect("the folder exists") {
        let path = entry.expect("the folder can be read").path();
        if !path.is_dir() {
            continue;
        }
        let mut suite = Suite::load(&path).expect("the ruleset can be read");
        let report = suite.run(None, false);
        passed += report.passed;
        if !report.is_ok() {
            reports += &suite.render(&report, false);
        }
    }
    assert!(reports.is_empty(), "\n\n{reports}");
    assert!(passed > 0, "no scenario was found");
}
