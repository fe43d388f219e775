//! The JSON Schema of ruleset files accepts every file of this repository and rejects structural mistakes.

use std::path::{Path, PathBuf};

use intermezzo_compiler::{Ruleset, render, scenario_schema, schema};
use jsonschema::Validator;
use serde_json::Value;

/// Rulesets that the schema accepts, each with one that it rejects.
const MISTAKES: &str = include_str!("schema-mistakes.json");

/// Folders with ruleset files, and a single one.
const SHIPPED: &[&str] = &[
    "benches/rulesets",
    "crates/cli/src/commands/new/ruleset.yaml",
    "crates/compiler/preludes",
    "crates/scenario/conformance",
    "crates/simulator/parts",
    "crates/simulator/rulesets",
    "examples/scenarios",
    "examples/tutorial",
    "rulesets",
    "testing/dst/rulesets",
];

fn validator() -> Validator {
    let schema = schema();
    assert!(jsonschema::draft202012::meta::is_valid(&schema));
    jsonschema::draft202012::new(&schema).expect("the schema is valid")
}

/// Reads a file as an editor would: values without positions.
fn read(name: &str, text: &[u8]) -> Value {
    let mut ruleset = Ruleset::from_files(&[]);
    match ruleset.parse_extra_file(name, text) {
        Ok(node) => node.to_json(),
        Err(problems) => panic!("{}", render(&problems, ruleset.sources(), false)),
    }
}

/// Adds the ruleset files at a path. Scenarios have a format of their own.
fn add_files(path: PathBuf, found: &mut Vec<PathBuf>) {
    if path.is_dir() {
        let entries = std::fs::read_dir(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let inside = entries.map(|entry| entry.expect("an entry").path());
        inside.filter(|inner| !inner.ends_with("scenarios")).for_each(|inner| add_files(inner, found));
    } else if path.extension().is_some_and(|extension| extension == "yaml" || extension == "json") {
        found.push(path);
    }
}

#[test]
fn every_file_of_the_repository_is_accepted() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut files = Vec::new();
    for path in SHIPPED {
        let before = files.len();
        add_files(root.join(path), &mut files);
        assert!(files.len() > before, "no ruleset file in {path}");
    }
    assert!(files.len() > 80, "only {} files were found", files.len());
    let validator = validator();
    let mut problems = Vec::new();
    for file in files {
        let name = file.display().to_string();
        let document = read(&name, &std::fs::read(&file).expect("the file can be read"));
        problems.extend(
            validator
                .iter_errors(&document)
                .map(|error| format!("{name}: {}: {error:.200}", error.instance_path())),
        );
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn every_scenario_file_is_accepted() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let validator = jsonschema::draft202012::new(&scenario_schema()).expect("the schema is valid");
    let mut count = 0;
    let mut problems = Vec::new();
    for folder in ["rulesets", "examples/scenarios", "examples/tutorial"] {
        for ruleset in std::fs::read_dir(root.join(folder)).expect("a folder") {
            let scenarios = ruleset.expect("an entry").path().join("scenarios");
            for file in std::fs::read_dir(scenarios).into_iter().flatten() {
                let file = file.expect("an entry").path();
                let name = file.display().to_string();
                if file.is_file() {
                    let document = read(&name, &std::fs::read(&file).expect("the file can be read"));
                    problems.extend(
                        validator.iter_errors(&document).map(|error| format!("{name}: {error:.300}")),
                    );
                    count += 1;
                }
            }
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    assert!(count > 15, "{count} files");
}

#[test]
fn structural_mistakes_are_rejected() {
    let validator = validator();
    let is_valid = |text: &str| validator.is_valid(&read("rules.yaml", text.as_bytes()));
    // Each pair differs in one key or value. The tests of the page and of the Python package read the same file.
    let pairs: Vec<Value> = serde_json::from_str(MISTAKES).expect("a list");
    assert!(pairs.len() > 30);
    for pair in pairs {
        let [right, wrong] = ["right", "wrong"].map(|key| pair[key].as_str().expect("a text"));
        assert!(is_valid(right), "{right}");
        assert!(!is_valid(wrong), "{wrong}");
    }
}

#[test]
fn empty_sections_and_further_files_are_accepted() {
    let validator = validator();
    for text in ["{}", "zones:\nflow:\n", "defs: {knight: {kind: card}}", "setup: deal", "setup: {deal: 3}"] {
        assert!(validator.is_valid(&read("more.yaml", text.as_bytes())), "{text}");
    }
}
