//! Every ruleset of the repository does what its scenarios say.

use std::path::Path;

use intermezzo_scenario::Suite;

#[test]
fn every_ruleset_does_what_its_scenarios_say() {
    run_all("../../rulesets");
}

#[test]
fn the_machine_does_what_the_trials_say() {
    run_all("trials");
}

/// Runs the scenarios of all rulesets in a folder.
fn run_all(folder: &str) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let (mut reports, mut passed) = (String::new(), 0);
    for entry in std::fs::read_dir(folder).expect("the folder is there") {
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
