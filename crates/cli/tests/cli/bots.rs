//! Bots that look ahead, in `play` and `simulate`.

use crate::{intermezzo, repository, typed};

const ARENA: &str = "crates/bots/tests/arena.yaml";

#[test]
fn a_human_can_play_against_a_bot_that_looks_ahead() {
    let passes = "p\nno\n".repeat(60);
    let run = typed(&["play", ARENA, "--seats", "human,greedy", "--seed", "1"], &passes).exits(0);
    run.says("The match is over: normal").says("winners: p1, losers: p0");
}

#[test]
fn the_skirmish_of_the_readme_is_played_on_squares() {
    let readme = std::fs::read_to_string(repository().join("README.md")).expect("the README exists");
    assert!(readme.contains("play skirmish --seats human,greedy\n"));
    let args = ["play", "skirmish", "--seats", "human,greedy", "--seed", "3"];
    let run = typed(&args, "walk\nf4\nq\n\n").exits(0);
    run.says("     a   b   c   d   e   f").says("Walk where?").says("steps to f4");
}

#[test]
fn two_bots_play_the_same_match_for_the_same_seed() {
    let play = || intermezzo(&["play", ARENA, "--seats", "greedy,g", "--seed", "4"]).exits(0).out;
    assert_eq!(play(), play());
    assert!(play().contains("The match is over"));
}

#[test]
fn bots_can_be_compared_in_a_simulation() {
    let args = ["simulate", ARENA, "-n", "20", "--bots", "greedy,random", "--json"];
    let run = intermezzo(&args).exits(0);
    let report: serde_json::Value = serde_json::from_str(&run.out).expect("it is JSON");
    let same = intermezzo(&args).exits(0);
    let again: serde_json::Value = serde_json::from_str(&same.out).expect("it is JSON");
    assert_eq!(report["wins"], again["wins"], "{}", run.all());
}

#[test]
fn bots_look_ahead_in_games_with_hidden_information() {
    let args = ["play", "orcain", "--seats", "mcts:40,greedy", "--seed", "2", "--option", "rounds=1"];
    let run = intermezzo(&args).exits(0).says("The match is over");
    assert_eq!(intermezzo(&args).exits(0).out, run.out, "the same seed, the same match");
    intermezzo(&["simulate", "orcain", "-n", "2", "--bots", "greedy,random"]).exits(0);
}

#[test]
fn unknown_bots_are_rejected() {
    let run = intermezzo(&["play", "orcain", "--seats", "human,mcts:soon"]).exits(2);
    run.says("unknown player `mcts:soon`").says("e.g. --seats human,mcts:500");
    intermezzo(&["simulate", "orcain", "--bots", "clever,random"]).exits(2).says("unknown bot `clever`");
    let timed = ["simulate", "mages", "--bots", "mcts:200ms,greedy"];
    intermezzo(&timed).exits(2).says("`mcts:200ms` cannot be simulated").says("mcts:400");
}
