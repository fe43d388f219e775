//! `simulate`: random matches, counted.

use serde_json::Value;

use crate::{file, folder, intermezzo, text};

#[test]
fn wins_lengths_and_branching_are_counted() {
    let run = intermezzo(&["simulate", "orcain", "-n", "300", "--seed", "1"]).exits(0);
    let run = run
        .says("300 matches at random, 2 seats")
        .says("seat 0 wins")
        .says("seat 1 wins")
        .says("95 % interval");
    run.says("legal answers").says("73.0").says("matches per second").says("ends normal");
}

#[test]
fn the_report_does_not_depend_on_the_number_of_jobs() {
    let report = |jobs: &str| {
        let run = intermezzo(&["simulate", "orcain", "-n", "400", "--seed", "3", "--json", "--jobs", jobs])
            .exits(0);
        let mut report: Value = serde_json::from_str(&run.out).expect("the output is JSON");
        report["matchesPerSecond"] = Value::Null;
        report
    };
    let one = report("1");
    assert_eq!(one["matches"], 400);
    assert_eq!(one["faults"], 0);
    assert!(one["wins"][0]["low"].as_f64() < one["wins"][0]["share"].as_f64());
    assert_eq!(report("3"), one);
}

#[test]
fn options_count() {
    let run = intermezzo(&[
        "simulate",
        "orcain",
        "-n",
        "50",
        "--option",
        "rounds=1",
        "--option",
        "max_rounds=1",
        "--json",
    ]);
    let report: Value = serde_json::from_str(&run.exits(0).out).expect("the output is JSON");
    assert_eq!(report["inputs"]["max"], 2);
    assert!(report["outcomes"]["draw"]["matches"].as_u64() > Some(0), "{report:#}");
}

#[test]
fn one_match_can_be_saved_and_verified() {
    let path = folder("simulate-save").join("match.json");
    intermezzo(&["simulate", "orcain", "-n", "1", "--seed", "42", "--save", text(&path)]).exits(0);
    intermezzo(&["verify", text(&path)]).exits(0).says("played to its end");
}

#[test]
fn matches_in_which_a_rule_fails_are_named_by_their_seeds() {
    let rules = "ir: 1
ruleset: {id: faulty, version: 0.1.0, name: Faulty}
players: {seats: 2}
flow:
  - {choose: n, by: \"players[0]\", from: \"[0, 1]\"}
  - {let: {half: 10 / n}}
  - {end: finished, winners: \"players.where(half > 0)\"}
";
    let ruleset = file("simulate-faulty", "faulty.yaml", rules);
    let report = |jobs: &str| {
        let run = intermezzo(&["simulate", text(&ruleset), "-n", "60", "--json", "--jobs", jobs]).exits(5);
        let mut report: Value = serde_json::from_str(&run.out).expect("the output is JSON");
        report["matchesPerSecond"] = Value::Null;
        report
    };
    let one = report("1");
    let ended = one["outcomes"]["finished"]["matches"].as_u64().expect("some matches end");
    assert_eq!(one["faults"].as_u64(), Some(60 - ended));
    let first = &one["faultySeeds"][0];
    assert!(first["fault"].as_str().is_some_and(|fault| fault.contains("faulty.yaml:6")), "{one:#}");
    assert_eq!(report("3"), one);
    let seed = first["seed"].to_string();
    let run = intermezzo(&["simulate", text(&ruleset), "-n", "1", "--seed", &seed]).exits(5);
    run.says("a rule failed in 1 match").says(&format!("--seed {seed} "));
}

#[test]
fn matches_without_end_are_broken_off_and_named() {
    let rules = "ir: 1
ruleset: {id: endless, version: 0.1.0, name: Endless}
players: {seats: 2}
flow:
  - repeat: forever
    do: [{choose: n, by: \"players[0]\", from: \"[1, 2]\"}]
";
    let ruleset = file("simulate-endless", "endless.yaml", rules);
    let run =
        intermezzo(&["simulate", text(&ruleset), "-n", "3", "--seed", "7", "--max-inputs", "50"]).exits(1);
    run.says("3 matches not over").says("--seed 7");
}

#[test]
fn what_fails_on_the_stack_is_named_by_its_seed() {
    let trial = "crates/scenario/trials/stack";
    let hands = "hands=[faulty],[faulty]";
    let args = ["simulate", trial, "-n", "20", "--option", hands, "--seed", "1"];
    let run = intermezzo(&args).exits(5);
    let run = run.says("something on the stack failed in").says("and play went on").says("division_by_zero");
    run.says("--seed");
    let report: Value =
        serde_json::from_str(&intermezzo(&[&args[..], &["--json"]].concat()).out).expect("JSON");
    assert!(report["failures"].as_u64() > Some(0), "{report:#}");
    assert_eq!(report["faults"], 0);
    assert!(
        report["failingSeeds"][0]["fault"].as_str().is_some_and(|text| text.contains("division_by_zero"))
    );
}
