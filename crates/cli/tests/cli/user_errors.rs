//! User errors: each gets a message that says what is wrong, where, and how to fix it, and its exit code.

use crate::{file, folder, intermezzo, run_in, saved_duel, text, typed};

#[test]
fn a_missing_file() {
    intermezzo(&["check", "no/such.yaml"]).exits(3).says("cannot read `no/such.yaml`").says("no such file");
    intermezzo(&["verify", "no/such.json"]).exits(3).says("cannot read `no/such.json`").says("play --save");
}

#[test]
fn an_unknown_ruleset() {
    intermezzo(&["play", "orcian"]).exits(2).says("unknown ruleset `orcian`").says("did you mean `orcain`?");
    let here = folder("mistake-here");
    run_in(&here, &["new", "race"], "").exits(0);
    run_in(&here, &["play", "rase"], "").exits(2).says("did you mean `race`?");
    intermezzo(&["simulate", "chess"])
        .exits(2)
        .says("unknown ruleset `chess`")
        .says("known rulesets: ")
        .says("mages, orcain");
}

#[test]
fn a_bad_option_name() {
    let run = typed(&["play", "orcain", "--option", "round=3"], "").exits(2);
    run.says("has no option `round`").says("did you mean `rounds`?");
    intermezzo(&["simulate", "orcain", "--option", "colour=red"])
        .exits(2)
        .says("its options are max_hp, rounds");
}

#[test]
fn a_bad_option_value() {
    let bad = |option: &str| typed(&["play", "orcain", "--option", option], "").exits(2);
    bad("rounds=many").says("option `rounds` cannot be `many`").says("a whole number");
    bad("hand=attack,sword").says("one of attack, defense, heal, counter");
    bad("rounds").says("`rounds` is not an option setting").says("name=value");
    bad("rounds=1000").says("option `rounds` is out of range").says("from 1 to 99");
}

#[test]
fn a_wrong_seat_list() {
    let bad = |args: &[&str]| typed(&[&["play", "orcain"], args].concat(), "").exits(2);
    bad(&["--seats", "human"]).says("is for 2 seats, not 1").says("--seats human,human");
    bad(&["--seats", "human,robot"])
        .says("unknown player `robot`")
        .says("`human`, `random`, `greedy` and `mcts`");
    bad(&["--humans", "0,2"]).says("no seat 2").says("numbered 0 to 1");
    bad(&["--humans", "0", "--seats", "human,human"]).says("cannot be used with");
}

#[test]
fn a_garbage_match_file() {
    let garbage = file("mistake-garbage", "match.json", "{\n  \"format\": 1,\n  oops\n}");
    for command in [&["verify"][..], &["replay"], &["explain"]] {
        let mut args = command.to_vec();
        args.push(text(&garbage));
        if command[0] == "explain" {
            args.push("1");
        }
        intermezzo(&args).exits(3).says("not a match file: line 3, column 3").says("is this a file saved by");
    }
    let newer = file("mistake-newer", "match.json", "{\"format\": 2, \"more\": true}");
    intermezzo(&["verify", text(&newer)])
        .exits(3)
        .says("format 2")
        .says("the version of intermezzo that wrote it");
}

#[test]
fn a_match_with_different_rules() {
    let path = saved_duel("mistake-rules");
    let written = std::fs::read_to_string(&path).expect("the match was saved");
    std::fs::write(&path, written.replacen("\"id\":\"orcain\"", "\"id\":\"../orcain\"", 1))
        .expect("it can be written");
    intermezzo(&["verify", text(&path)])
        .exits(2)
        .says("ruleset `../orcain` of this match not found")
        .says("--ruleset PATH");
    std::fs::write(&path, &written).expect("it can be written");
    let other = folder("mistake-rules-other").join("other");
    intermezzo(&["new", text(&other)]).exits(0);
    let run = intermezzo(&["verify", text(&path), "--ruleset", text(&other)]).exits(4);
    run.says("header, `ruleset`: the match was recorded with orcain 1.0.0")
        .says("the given ruleset is other 0.1.0");
}

#[test]
fn a_path_that_cannot_be_written() {
    let path = folder("mistake-unwritable").join("no/such/folder/match.json");
    let run = typed(&["play", "orcain", "--save", text(&path)], "1 2 3\n").exits(3);
    assert!(!run.out.contains("Lay out"), "the match should not have started\n{}", run.all());
    run.says("cannot write").says("check that the folder exists");
}

#[test]
fn bad_yaml() {
    let path = file("mistake-yaml", "ruleset.yaml", "ir: 1\nruleset: {id: x\nflow: [\n");
    intermezzo(&["check", text(&path)]).exits(1).says("ruleset.yaml").says("E-");
    typed(&["play", text(&path)], "").exits(1).says("cannot be played").says("fix the errors above");
}

#[test]
fn a_filter_that_matches_nothing() {
    let game = folder("mistake-filter").join("race");
    intermezzo(&["new", text(&game)]).exits(0);
    intermezzo(&["test", text(&game), "--filter", "dragons"]).exits(2).says("no scenario has `dragons`");
}

#[test]
fn a_folder_without_rules() {
    let empty = folder("mistake-empty");
    intermezzo(&["check", text(&empty)])
        .exits(3)
        .says("the folder contains no ruleset")
        .says("intermezzo new");
}

#[test]
fn a_seat_the_match_does_not_have() {
    let path = saved_duel("mistake-seat");
    intermezzo(&["replay", text(&path), "--seat", "2"]).exits(2).says("no seat 2: this match has 2 seats");
}

#[test]
fn a_wrong_command_line() {
    intermezzo(&["chekc"]).exits(2).says("check");
    intermezzo(&["play"]).exits(2).says("RULESET");
    intermezzo(&["simulate", "orcain", "-n", "few"]).exits(2).says("invalid value 'few'");
    intermezzo(&["simulate", "orcain", "-n", "0"]).exits(2).says("--matches");
    intermezzo(&["simulate", "orcain", "--seats", "5"]).exits(2).says("`orcain` is for 2 seats, not 5");
    intermezzo(&["simulate", "orcain", "--threads", "0"]).exits(2).says("--threads");
}
