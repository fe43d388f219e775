//! Errors in scenario files: each is reported with its location and a suggestion.

use crate::{SuiteFolder, mistakes};

/// Asserts that the report contains all parts.
#[track_caller]
fn reports(name: &str, scenarios: &str, parts: &[&str]) {
    let text = mistakes(name, scenarios);
    for part in parts {
        assert!(text.contains(part), "`{part}` is not in:\n{text}");
    }
}

fn step(step: &str) -> String {
    format!("scenarios:\n  - name: a\n    play:\n      - {step}\n")
}

#[test]
fn unknown_keys_are_reported() {
    reports(
        "file_key",
        "scenario: []",
        &["unknown key `scenario`", "did you mean `scenarios`?", "/scenarios/all.yaml:1:1"],
    );
    reports("key", "scenarios: [{name: a, pley: []}]", &["unknown key `pley`", "did you mean `play`?"]);
    reports(
        "step_key",
        &step("{expects: []}"),
        &["unknown key `expects`", "did you mean `expect`?", "all.yaml:4:10"],
    );
    reports("draft_key", &step("{draff p0: ace}"), &["unknown key `draff p0`", "did you mean `draft p0`?"]);
    reports(
        "asked_key",
        &step("{pending: {p0: {tilte: x}}}"),
        &["unknown key `tilte`", "did you mean `title`?"],
    );
    reports("seen_key", &step("{sees: {p0: {veiw: {}}}}"), &["unknown key `veiw`", "did you mean `view`?"]);
}

#[test]
fn unknown_names_are_reported() {
    reports(
        "event",
        &step("{p0: pass, events: [Pased]}"),
        &["unknown event `Pased`", "did you mean `Passed`?"],
    );
    reports(
        "field",
        &step("{p0: pass, events: [{Scored: {amont: 3}}]}"),
        &["unknown field of `Scored` `amont`", "did you mean `amount`?"],
    );
    reports(
        "ignore",
        "{ignore: [Move], scenarios: [{name: a, play: []}]}",
        &["unknown event `Move`", "did you mean `Moved`?"],
    );
    reports(
        "option",
        "scenarios: [{name: a, options: {gaol: 3}, play: []}]",
        &["unknown option `gaol`", "did you mean `goal`?"],
    );
    reports(
        "label",
        "scenarios: [{name: a, dice: [{for: lukc, faces: 3}], play: []}]",
        &["unknown roll `lukc`", "did you mean `luck`?"],
    );
    reports(
        "outcome",
        &step("{ended: {outcome: nomal}}"),
        &["unknown outcome `nomal`", "did you mean `normal`?"],
    );
    reports(
        "pot",
        &step("{moderate: {pot: wins}}"),
        &["unknown pot `wins`", "expected one of: winners, split, burn, refund"],
    );
}

#[test]
fn unknown_seats_are_reported() {
    reports("seat", &step("{p2: pass}"), &["unknown seat `p2`", "seats are p0 to p1"]);
    reports("leaver", &step("{leave: p9}"), &["unknown seat `p9`"]);
    reports("seats", "scenarios: [{name: a, seats: 3, play: []}]", &["this ruleset needs 2 seats"]);
    reports("viewer", &step("{sees: {nobody: {}}}"), &["`nobody` is not a seat"]);
}

#[test]
fn bad_expressions_are_reported_at_their_location() {
    reports("prop", &step("{expect: {p0.scor: 3}}"), &["scor", "did you mean `score`?", "all.yaml:4:22"]);
    reports("syntax", &step("{expect: [p0.score === 3]}"), &["all.yaml:4:"]);
    reports(
        "boolean",
        &step("{expect: [p0.score]}"),
        &["this expression is not a boolean", "write `p0.score: value`"],
    );
    reports(
        "given",
        "scenarios: [{name: a, given: [{set: {p0.scor: 1}}], play: []}]",
        &["did you mean `score`?"],
    );
}

#[test]
fn values_of_the_wrong_kind_are_reported() {
    reports("list", "scenarios: {}", &["`scenarios` should be a list, but this is an object"]);
    reports(
        "number",
        "scenarios: [{name: a, seed: x, play: []}]",
        &["`seed` must be a number from 0, but this is text"],
    );
    reports(
        "wrong_option",
        "scenarios: [{name: a, options: {goal: ace}, play: []}]",
        &["option `goal` should be a number"],
    );
    reports(
        "null_option",
        "scenarios: [{name: a, options: {goal: null}, play: []}]",
        &["option `goal` should be something other than null"],
    );
    reports(
        "range",
        "scenarios: [{name: a, options: {goal: 101}, play: []}]",
        &["option `goal` is out of range", "it must be from 1 to 100"],
    );
    reports("faces", "scenarios: [{name: a, dice: [x], play: []}]", &["dice are numbers"]);
    reports(
        "line",
        &step("{p0: pass, events: [{Passed: {}, Scored: {}}]}"),
        &["a line of a listing must name exactly one event"],
    );
}

#[test]
fn steps_must_make_sense() {
    reports(
        "two",
        &step("{p0: pass, p1: pass, refused: x}"),
        &["`refused` needs exactly one input in the same step"],
    );
    reports("none", &step("{events: []}"), &["`events` needs an input in the same step"]);
    reports("both", &step("{p0: pass, refused: x, events: []}"), &["a refused input has no `events`"]);
    reports("name", "scenarios: [{play: []}]", &["this scenario has no `name`"]);
    reports("play", "scenarios: [{name: a}]", &["this scenario has no `play`"]);
    reports(
        "twice",
        "scenarios: [{name: a, play: []}, {name: a, play: []}]",
        &["duplicate scenario name `a`", "first used here"],
    );
}

#[test]
fn an_error_in_one_scenario_does_not_affect_others() {
    let folder = SuiteFolder::new("others", "scenarios: [{name: a, pley: []}, {name: b, start: [...]}]");
    folder.write("scenarios/broken.yaml", "scenarios: [");
    let report = folder.run();
    assert_eq!((report.passed, report.failed.len()), (1, 0));
    assert!(!report.is_ok());
}

#[test]
fn a_broken_ruleset_is_reported_once_and_nothing_runs() {
    let folder = SuiteFolder::new("broken", "scenarios: [{name: a, start: [...]}, {name: b, start: [...]}]");
    folder.write("ruleset.yaml", &crate::RULES.replace("event.amount", "event.amuont"));
    let report = folder.run();
    assert_eq!((report.passed, report.failed.len(), report.diagnostics.len()), (0, 0, 1));
}
