//! `simulate`: statistics, sweeps, comparisons, decks and fuzzing.

use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::Value;

use crate::{file, folder, intermezzo, repository, text};

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
fn scores_are_reported_with_their_mean_and_distribution() {
    let args = ["simulate", "crates/scenario/conformance/scores", "-n", "300", "--bots", "random,greedy"];
    let run = intermezzo(&args).exits(0).says("mean and 95 % interval").says("Scores of all seats");
    run.says("greedy").says("deviation");
    let report = intermezzo(&[&args[..], &["--json"]].concat()).exits(0).out;
    let report: Value = serde_json::from_str(&report).expect("the output is JSON");
    let mean =
        |group: &str, at: usize| report["scores"][group][at]["mean"]["value"].as_f64().expect("a mean");
    assert!((mean("seats", 0) + mean("seats", 1)).abs() < 1e-9, "what one wins the other loses");
    assert!(mean("bots", 1) > mean("bots", 0), "greedy plays for the score: {report:#}");
    let counted = report["scores"]["seats"][0]["distribution"].as_array().expect("a list");
    assert_eq!(counted.iter().map(|row| row["matches"].as_u64().unwrap_or(0)).sum::<u64>(), 300);
    let without = intermezzo(&["simulate", "orcain", "-n", "20", "--json"]).exits(0).out;
    assert!(!without.contains("\"scores\""), "rulesets without scores are reported as before");
}

/// Returns whether a process handles SIGTERM itself.
fn handles_sigterm(process: u32) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
    caught.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).is_some_and(|mask| mask >> 14 & 1 == 1)
}

#[test]
fn a_signal_stops_the_run_and_the_report_is_printed() {
    for signal in ["-TERM", "-INT"] {
        let mut process = Command::new(env!("CARGO_BIN_EXE_intermezzo"));
        process.args(["simulate", "orcain", "-n", "100000000"]).current_dir(repository());
        let process = process.stdout(Stdio::piped()).spawn().expect("the program was built");
        while !handles_sigterm(process.id()) {
            std::thread::sleep(Duration::from_millis(5));
        }
        let sent = Command::new("kill").args([signal, &process.id().to_string()]).status();
        assert!(sent.is_ok_and(|sent| sent.success()));
        let ended = process.wait_with_output().expect("the program ends");
        let out = String::from_utf8(ended.stdout).expect("the program writes UTF-8");
        assert_eq!(ended.status.code(), Some(0), "{signal}: {out}");
        assert!(out.contains("stopped") && out.contains("of 100000000 matches"), "{signal}: {out}");
    }
}

#[test]
fn the_report_does_not_depend_on_the_number_of_threads() {
    for args in [&["orcain", "-n", "400", "--seed", "3"][..], &["mages", "-n", "40", "--decks", "--coverage"]]
    {
        let report = |threads: &str| {
            intermezzo(&[&["simulate"], args, &["--json", "--threads", threads]].concat()).exits(0).out
        };
        let one = report("1");
        assert!(one == report("3"), "{args:?}");
        let report: Value = serde_json::from_str(&one).expect("the output is JSON");
        assert_eq!(report["faults"], 0);
        assert!(report["wins"][0]["low"].as_f64() < report["wins"][0]["share"].as_f64());
    }
}

#[test]
fn options_with_several_values_make_a_row_each() {
    let args = [
        "simulate",
        "orcain",
        "-n",
        "30",
        "--option",
        "damage=1,2",
        "--option",
        "heal=0",
        "--option",
        "heal=1",
    ];
    let run = intermezzo(&args).exits(0);
    let run =
        run.says("damage=1 heal=0").says("damage=1 heal=1").says("damage=2 heal=0").says("damage=2 heal=1");
    assert_eq!(run.out.matches("damage=").count(), 4, "{}", run.all());
    let run = intermezzo(&["simulate", "orcain", "--option", "damage=1,no"]).exits(2);
    run.says("option `damage` cannot be `no`");
}

#[test]
fn two_versions_of_the_rules_are_compared() {
    let rules = std::fs::read_to_string("../../rulesets/orcain/ruleset.yaml").expect("the ruleset exists");
    let stronger = rules.replace("damage:     {type: int, default: 2", "damage:     {type: int, default: 5");
    let changed = file("simulate-against", "orcain.yaml", &stronger);
    let page = folder("simulate-page").join("report.html");
    let args = ["simulate", text(&changed), "--against", "orcain", "-n", "300", "--html", text(&page)];
    let run = intermezzo(&args).exits(0);
    let inputs =
        run.out.lines().find(|line| line.trim_start().starts_with("inputs")).expect("lengths are reported");
    assert!(inputs.contains('▼'), "matches are surely shorter: {inputs}");
    let page = std::fs::read_to_string(&page).expect("the page was written");
    assert!(page.contains("change in points") && page.ends_with("</html>\n"));
}

#[test]
fn decks_are_files_or_lists_and_change_seats() {
    let deck = file("simulate-decks", "fast.txt", "# quick ones\n20 raider\n10 bolt\n");
    let decks = format!("{},slow=[ogre,ogre,ogre,ogre,ogre,ogre,ogre,ogre]", text(&deck));
    let run = intermezzo(&["simulate", "mages", "-n", "40", "--decks", &decks, "--json"]).exits(0);
    let report: Value = serde_json::from_str(&run.out).expect("the output is JSON");
    let [fast, slow] = [&report["decks"][0], &report["decks"][1]];
    assert_eq!((&fast["name"], &slow["name"]), (&Value::from("fast"), &Value::from("slow")));
    assert!(fast["wins"].as_u64() > slow["wins"].as_u64(), "{report:#}");
    assert!(report["wins"][0]["matches"].as_u64() > Some(5), "both decks sit at seat 0: {report:#}");
    intermezzo(&["simulate", "mages", "--decks", "a=[no_such_card]"])
        .exits(2)
        .says("use names from the section `defs`");
    intermezzo(&["simulate", "orcain", "--decks"])
        .exits(2)
        .says("has no option that gives every seat a list");
}

#[test]
fn options_are_applied() {
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
    intermezzo(&["verify", text(&path)]).exits(0).says(", finished");
}

#[test]
fn matches_with_failing_rules_are_reported_with_their_seeds() {
    let rules = "ir: 1
ruleset: {id: faulty, version: 0.1.0, name: Faulty}
players: {seats: 2}
flow:
  - {choose: n, by: \"players[0]\", from: \"[0, 1]\"}
  - {let: {half: 10 / n}}
  - {end: finished, winners: \"players.where(half > 0)\"}
";
    let ruleset = file("simulate-faulty", "faulty.yaml", rules);
    let report = |threads: &str| {
        let run =
            intermezzo(&["simulate", text(&ruleset), "-n", "60", "--json", "--threads", threads]).exits(5);
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
fn endless_matches_are_aborted_and_reported() {
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
fn failures_on_the_stack_are_reported_with_their_seeds() {
    let ruleset = "crates/scenario/conformance/stack";
    let hands = "hands=[faulty],[faulty]";
    let args = ["simulate", ruleset, "-n", "20", "--option", hands, "--seed", "1"];
    let run = intermezzo(&args).exits(5);
    let run = run.says("an item on the stack failed in").says("and play continued").says("division_by_zero");
    run.says("--seed");
    let report: Value =
        serde_json::from_str(&intermezzo(&[&args[..], &["--json"]].concat()).out).expect("JSON");
    assert!(report["failures"].as_u64() > Some(0), "{report:#}");
    assert_eq!(report["faults"], 0);
    assert!(
        report["failingSeeds"][0]["fault"].as_str().is_some_and(|text| text.contains("division_by_zero"))
    );
}

#[test]
fn fuzzing_writes_failing_scenarios() {
    let rules = "ir: 1
ruleset: {id: faulty, version: 0.1.0, name: Faulty}
players: {seats: 2}
reactions: [{id: leaving, when: {after: PlayerLeft}, effects: [{end: finished}]}]
flow:
  - {choose: first, by: \"players[0]\", from: \"[1, 2]\"}
  - {choose: n, by: \"players[1]\", from: \"[0, 1]\"}
  - {let: {half: 10 / n}}
  - {end: finished, winners: \"players.where(half > 0)\"}
";
    let ruleset = file("simulate-fuzz", "faulty.yaml", rules);
    let scenarios = ruleset.parent().expect("it is in a folder").join("scenarios");
    let args = ["simulate", text(&ruleset), "--fuzz", "-n", "20", "--out", text(&scenarios)];
    let run = intermezzo(&args).exits(5);
    run.says("a rule fails with division_by_zero")
        .says("(2 inputs, first at --seed")
        .says("1 problem found in 20 seeds");
    intermezzo(&["test", text(&ruleset)]).exits(1).says("division_by_zero").says("1 failed");
    std::fs::write(&ruleset, rules.replace("10 / n", "10 * n")).expect("the file can be written");
    intermezzo(&["test", text(&ruleset)]).exits(0).says("1 passed");
    intermezzo(&["simulate", text(&ruleset), "--fuzz", "-n", "20"])
        .exits(0)
        .says("no problems found in 20 seeds");
}
