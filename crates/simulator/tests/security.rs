//! The threat model names a test for each threat; they are all there.
#![allow(clippy::unwrap_used, reason = "tests say what they expect")]

use std::path::Path;

#[test]
fn every_test_of_the_threat_model_is_there() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let text = std::fs::read_to_string(root.join("docs/security.md")).unwrap();
    let named: Vec<(&str, &str)> =
        text.split('`').skip(1).step_by(2).filter_map(|word| word.split_once(".rs::")).collect();
    assert!(named.len() > 50, "only {} tests are named", named.len());
    let mut missing = Vec::new();
    for (file, name) in named {
        let code = std::fs::read_to_string(root.join(format!("{file}.rs"))).unwrap_or_default();
        let is_test = code.split(&format!("fn {name}()")).next().is_some_and(|before| {
            before.len() < code.len() && before.trim_end().trim_end_matches("async").trim_end().ends_with(']')
        });
        if !is_test {
            missing.push(format!("{file}.rs::{name}"));
        }
    }
    assert!(missing.is_empty(), "docs/security.md names tests that are not there:\n{}", missing.join("\n"));
}

#[test]
fn every_threat_has_a_test() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let text = std::fs::read_to_string(root.join("docs/security.md")).unwrap();
    let (_, threats) = text.split_once("## Threats").unwrap();
    for line in threats.lines().filter(|line| line.starts_with("| ") && !line.ends_with("| test |")) {
        assert!(line.contains(".rs::"), "{line}");
    }
}
