//! The JSON Schema of ruleset files accepts every file of this repository and rejects structural mistakes.

use std::path::{Path, PathBuf};

use intermezzo_compiler::{Ruleset, render, schema};
use jsonschema::Validator;
use serde_json::Value;

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
fn structural_mistakes_are_rejected() {
    let validator = validator();
    let is_valid = |text: &str| validator.is_valid(&read("rules.yaml", text.as_bytes()));
    // Each pair differs in one key or value.
    for (right, wrong) in [
        ("zones: {deck: {of: player}}", "zone: {deck: {of: player}}"),
        ("ir: 1", "ir: 2"),
        ("ruleset: {id: a, version: 1.0.0}", "ruleset: {id: a, verison: 1.0.0}"),
        ("ruleset: {uses: [core@1]}", "ruleset: {uses: core@1}"),
        ("players: {seats: 2}", "players: {seats: two}"),
        ("zones: {deck: {order: list}}", "zones: {deck: {order: sorted}}"),
        ("zones: {deck: {active: true}}", "zones: {deck: {active: 1}}"),
        ("kinds: {card: {props: {power: int}}}", "kinds: {card: {props: {power: 3}}}"),
        ("kinds: {card: {props: {power: {type: int}}}}", "kinds: {card: {props: {power: {typ: int}}}}"),
        ("resources: {mana: {of: player}}", "resources: {mana: int}"),
        ("events: {Hurt: {payload: {n: int}}}", "events: {Hurt: {payloads: {n: int}}}"),
        ("events: {Hurt: {payload: {n: int}}}", "events: {Hurt: {payload: [int]}}"),
        ("reactions: [{id: a, when: {after: X}}]", "reactions: [{id: a, wen: {after: X}}]"),
        ("reactions: [{limit: {oncePerTurn: true}}]", "reactions: [{limit: {oncePerTurns: true}}]"),
        (
            "actions: [{id: a, targets: [{id: t, from: x}]}]",
            "actions: [{id: a, targets: [{id: t, form: x}]}]",
        ),
        ("actions: [{id: a}]", "actions: {id: a}"),
        ("procs: {p: {do: [], else: no}}", "procs: {p: {do: [], else: 3}}"),
        ("modifiers: [{of: card.power, add: 1}]", "modifiers: [{of: card.power, plus: 1}]"),
        ("flow: [{move: c, to: hand}]", "flow: [{move: c, too: hand}]"),
        ("flow: [{if: x, then: [{end: won}]}]", "flow: [{if: x, then: [{end: won, winner: p}]}]"),
        ("flow: [{phase: main, do: []}]", "flow: [{phase: [main], do: []}]"),
        ("flow: [{choose: c, by: p, from: l, pass: true}]", "flow: [{choose: c, by: p, from: l, pass: 1}]"),
        ("flow: [{draw: p}]", "flow: [3]"),
        ("flow: [{add: {x: 1}}]", "flow: [{add: {x: 1}, set: {y: 1}}]"),
        ("limits: {entities: 100}", "limits: {entity: 100}"),
    ] {
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
