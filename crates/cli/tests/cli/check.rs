//! `check`, `test`, `schema`, help and versions.

use serde_json::Value;

use crate::{file, folder, intermezzo, run_in, text, typed};

#[test]
fn a_good_ruleset_is_ok_and_measured() {
    let run = intermezzo(&["check", "rulesets/orcain", "--deny-warnings"]).exits(0);
    run.says("ok rulesets/orcain: Orcain Duel 1.0.0, 0 errors, 0 warnings").says("5 events, 1 rule");
}

#[test]
fn without_a_path_all_rulesets_are_checked() {
    intermezzo(&["check"]).says("rulesets/orcain");
}

#[test]
fn tools_get_json() {
    let run = intermezzo(&["check", "orcain", "--format", "json"]).exits(0);
    let report: Value = serde_json::from_str(&run.out).expect("the output is JSON");
    let ruleset = &report["rulesets"][0];
    assert_eq!(ruleset["id"], "orcain");
    assert_eq!(ruleset["errors"], 0);
    assert_eq!(ruleset["size"]["rules"], 1);
    assert!(ruleset["diagnostics"].is_array());
}

#[test]
fn errors_are_shown_with_their_location_and_a_hint() {
    let path = file(
        "check-mistake",
        "ruleset.yaml",
        "ir: 1\nruleset: {id: x, version: 0.1.0, name: X}\nevent: {}\n",
    );
    let run = intermezzo(&["check", text(&path)]).exits(1);
    run.says("unknown section `event`")
        .says("ruleset.yaml:3:1")
        .says("did you mean `events`?")
        .says("not ok");
}

#[test]
fn an_error_in_json_is_an_object() {
    let path =
        file("check-json", "ruleset.yaml", "ir: 1\nruleset: {id: x, version: 0.1.0, name: X}\nevent: {}\n");
    let run = intermezzo(&["check", text(&path), "--format", "json"]).exits(1);
    let report: Value = serde_json::from_str(&run.out).expect("the output is JSON");
    let diagnostics = report["rulesets"][0]["diagnostics"].as_array().expect("it has diagnostics");
    let is_meant = |diagnostic: &&Value| diagnostic["message"] == "unknown section `event`";
    let unknown = diagnostics.iter().find(is_meant).expect("a section is unknown");
    assert_eq!((&unknown["line"], &unknown["file"]), (&3.into(), &text(&path).into()));
}

#[test]
fn colours_are_for_terminals_or_on_demand() {
    let plain = intermezzo(&["check", "orcain"]).exits(0);
    assert!(!plain.out.contains('\x1b'), "{}", plain.all());
    let coloured = intermezzo(&["check", "orcain", "--color", "always"]).exits(0);
    assert!(coloured.out.contains("\x1b["), "{}", coloured.all());
}

#[test]
fn bundled_rulesets_work_anywhere() {
    let elsewhere = folder("check-anywhere");
    run_in(&elsewhere, &["check", "orcain"], "").exits(0).says("orcain (bundled)");
    run_in(&elsewhere, &["play", "orcain", "--seed", "1"], "q\n").exits(0).says("Lay out your three cards");
}

#[test]
fn the_schema_is_json() {
    let run = intermezzo(&["schema"]).exits(0);
    let schema: Value = serde_json::from_str(&run.out).expect("the output is JSON");
    assert!(schema["properties"]["events"].is_object(), "{schema:#}");
}

#[test]
fn the_documents_of_the_server_are_printed_without_one() {
    for (name, key) in [("openapi", "paths"), ("asyncapi", "channels")] {
        let run = intermezzo(&["schema", name]).exits(0);
        let document: Value = serde_json::from_str(&run.out).expect("the output is JSON");
        assert!(document[name].is_string() && document[key].is_object(), "{document:#}");
    }
}

#[test]
fn help_has_examples_and_exit_codes() {
    intermezzo(&["--help"]).exits(0).says("Examples:").says("a match file does not verify");
    intermezzo(&["help", "exit-codes"]).exits(0).says("4  a match file does not verify");
    intermezzo(&["exit-codes"]).exits(0).says("5  a rule failed during play");
    for command in ["check", "test", "play", "simulate", "replay", "verify", "explain", "new"] {
        intermezzo(&["help", command]).exits(0).says("Example");
    }
    intermezzo(&["--version"]).exits(0).says(env!("CARGO_PKG_VERSION"));
}

#[test]
fn a_closed_pipe_is_no_error() {
    let program = env!("CARGO_BIN_EXE_intermezzo");
    let script = format!("'{program}' schema | head -n 1; echo \"${{PIPESTATUS[0]}}\"");
    let output =
        std::process::Command::new("bash").args(["-c", &script]).output().expect("bash is installed");
    let text =
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert!(text.trim_end().ends_with('0') && !text.contains("panicked"), "{text}");
}

#[test]
fn scenarios_are_run_and_failures_located() {
    let game = folder("test-scenarios").join("race");
    intermezzo(&["new", text(&game)]).exits(0);
    intermezzo(&["test", text(&game)]).exits(0).says("2 passed");
    intermezzo(&["test", text(&game), "--filter", "only 1"]).exits(0).says("1 passed");
    let scenario = game.join("scenarios/first.yaml");
    let written = std::fs::read_to_string(&scenario).expect("`new` created it");
    std::fs::write(&scenario, written.replace("amount: 3}", "amount: 2}")).expect("the file can be written");
    intermezzo(&["test", text(&game)]).exits(1).says("first.yaml").says("1 failed");
    typed(&["test", text(&game), "--bless"], "").exits(0).says("2 passed");
    intermezzo(&["test", text(&game)]).exits(0).says("2 passed");
}
