//! Every ruleset of the repository does what its scenarios say.

use std::path::Path;

use intermezzo_scenario::Suite;

#[test]
fn every_ruleset_does_what_its_scenarios_say() {
    let rulesets = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../rulesets");
    let rulesets = rulesets.canonicalize().expect("there is a folder of rulesets");
    let (mut reports, mut passed) = (String::new(), 0);
    for folder in std::fs::read_dir(rulesets).expect("there is a folder of rulesets") {
        let path = folder.expect("the folder can be read").path();
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
