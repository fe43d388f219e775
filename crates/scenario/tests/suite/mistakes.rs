//! Mistakes in scenario files: each is told with its line, the place and what was probably meant.

use crate::{Folder, mistakes};

/// What is said about a mistake must contain all of this.
#[track_caller]
fn told(name: &str, scenarios: &str, parts: &[&str]) {
    let text = mistakes(name, scenarios);
    for part in parts {
        assert!(text.contains(part), "`{part}` is not in:\n{text}");
    }
}

fn step(step: &str) -> String {
    format!("scenarios:\n  - name: a\n    play:\n      - {step}\n")
}

#[test]
fn unknown_keys_are_mistakes() {
    told(
        "file_key",
        "scenario: []",
        &["unknown key `scenario`", "did you mean `scenarios`?", "/scenarios/all.yaml:1:1"],
    );
    told("key", "scenarios: [{name: a, pley: []}]", &["unknown key `pley`", "did you mean `play`?"]);
    told(
        "step_key",
        &step("{expects: []}"),
        &["unknown key `expects`", "did you mean `expect`?", "all.yaml:4:10"],
    );
    told("draft_key", &step("{draff p0: ace}"), &["unknown key `draff p0`", "did you mean `draft p0`?"]);
    told(
        "asked_key",
        &step("{pending: {p0: {tilte: x}}}"),
        &["unknown key `tilte`", "did you mean `title`?"],
    );
    told("seen_key", &step("{sees: {p0: {veiw: {}}}}"), &["unknown key `veiw`", "did you mean `view`?"]);
}

#[test]
fn unknown_names_are_mistakes() {
    told("event", &step("{p0: pass, events: [Pased]}"), &["unknown event `Pased`", "did you mean `Passed`?"]);
    told(
        "field",
        &step("{p0: pass, events: [{Scored: {amont: 3}}]}"),
        &["unknown field of `Scored` `amont`", "did you mean `amount`?"],
    );
    told(
        "ignore",
        "{ignore: [Move], scenarios: [{name: a, play: []}]}",
        &["unknown event `Move`", "did you mean `Moved`?"],
    );
    told(
        "option",
        "scenarios: [{name: a, options: {gaol: 3}, play: []}]",
        &["unknown option `gaol`", "did you mean `goal`?"],
    );
    told(
        "label",
        "scenarios: [{name: a, dice: [{for: lukc, faces: 3}], play: []}]",
        &["unknown roll `lukc`", "did you mean `luck`?"],
    );
    told(
        "outcome",
        &step("{ended: {outcome: nomal}}"),
        &["unknown outcome `nomal`", "did you mean `normal`?"],
    );
    told(
        "pot",
        &step("{moderate: {pot: wins}}"),
        &["unknown pot `wins`", "known here: winners, split, burn, refund"],
    );
}

#[test]
fn seats_that_do_not_exist_are_mistakes() {
    told("seat", &step("{p2: pass}"), &["there is no seat `p2`", "seats are p0 to p1"]);
    told("leaver", &step("{leave: p9}"), &["there is no seat `p9`"]);
    told("seats", "scenarios: [{name: a, seats: 3, play: []}]", &["this ruleset is for 2 seats"]);
    told("viewer", &step("{sees: {nobody: {}}}"), &["`nobody` is no seat"]);
}

#[test]
fn bad_expressions_are_mistakes_at_their_place() {
    told("prop", &step("{expect: {p0.scor: 3}}"), &["scor", "did you mean `score`?", "all.yaml:4:22"]);
    told("syntax", &step("{expect: [p0.score === 3]}"), &["all.yaml:4:"]);
    told(
        "boolean",
        &step("{expect: [p0.score]}"),
        &["this is neither true nor false", "write `p0.score: value`"],
    );
    told(
        "given",
        "scenarios: [{name: a, given: [{set: {p0.scor: 1}}], play: []}]",
        &["did you mean `score`?"],
    );
}

#[test]
fn values_of_the_wrong_kind_are_mistakes() {
    told("list", "scenarios: {}", &["`scenarios` should be a list, but this is an object"]);
    told(
        "number",
        "scenarios: [{name: a, seed: x, play: []}]",
        &["`seed` is a number from 0 on, but this is text"],
    );
    told(
        "wrong_option",
        "scenarios: [{name: a, options: {goal: ace}, play: []}]",
        &["option `goal` should be a number"],
    );
    told(
        "null_option",
        "scenarios: [{name: a, options: {goal: null}, play: []}]",
        &["option `goal` should be something other than null"],
    );
    told(
        "range",
        "scenarios: [{name: a, options: {goal: 101}, play: []}]",
        &["option `goal` is out of range", "it goes from 1 to 100"],
    );
    told("faces", "scenarios: [{name: a, dice: [x], play: []}]", &["dice are numbers"]);
    told(
        "line",
        &step("{p0: pass, events: [{Passed: {}, Scored: {}}]}"),
        &["a line of a listing names one event"],
    );
}

#[test]
fn steps_must_make_sense() {
    told(
        "two",
        &step("{p0: pass, p1: pass, refused: x}"),
        &["`refused` needs exactly one input in the same step"],
    );
    told("none", &step("{events: []}"), &["`events` needs an input in the same step"]);
    told("both", &step("{p0: pass, refused: x, events: []}"), &["what is `refused` has no `events`"]);
    told("name", "scenarios: [{play: []}]", &["this scenario has no `name`"]);
    told("play", "scenarios: [{name: a}]", &["this scenario has no `play`"]);
    told(
        "twice",
        "scenarios: [{name: a, play: []}, {name: a, play: []}]",
        &["two scenarios are called `a`", "the other one"],
    );
}

#[test]
fn a_mistake_in_one_scenario_leaves_the_others() {
    let folder = Folder::new("others", "scenarios: [{name: a, pley: []}, {name: b, start: [...]}]");
    folder.write("scenarios/broken.yaml", "scenarios: [");
    let report = folder.run();
    assert_eq!((report.passed, report.failed.len()), (1, 0));
    assert!(!report.is_ok());
}

#[test]
fn a_broken_ruleset_is_told_once_and_nothing_is_played() {
    let folder = Folder::new("broken", "scenarios: [{name: a, start: [...]}, {name: b, start: [...]}]");
    folder.write("ruleset.yaml", &crate::RULES.replace("event.amount", "event.amuont"));
    let report = folder.run();
    assert_eq!((report.passed, report.failed.len(), report.diagnostics.len()), (0, 0, 1));
}
