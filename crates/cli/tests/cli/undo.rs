//! Undo in the terminal, and undone branches of a saved match.

use crate::{folder, intermezzo, text, typed};

#[test]
fn an_undone_answer_becomes_a_branch() {
    let path = folder("taking-back").join("match.json");
    let file = text(&path);
    let args = ["play", "skirmish", "--seats", "human,greedy", "--seed", "3", "--save", file];
    let run = typed(&args, "undo\nwalk\nf4\nundo\nb3\nq\n").exits(0);
    run.says("cannot undo: you have nothing to undo")
        .says("steps to f4")
        .says("undone;")
        .says("Rogue #20 steps to b3");
    intermezzo(&["verify", file]).exits(0).says("1 input undone");
    let listed = intermezzo(&["replay", file, "--branches"]).exits(0);
    listed.says("branch 1: p0 undid 1 input").says("same as the main line up to input 1").says("x 5, y 3");
    intermezzo(&["replay", file, "--branch", "1"]).exits(0).says("steps to x 5, y 3");
    intermezzo(&["replay", file, "--branch", "2"]).exits(2).says("no branch 2: the match has only one");
}

#[test]
fn a_saved_match_can_be_continued_from_any_input() {
    let (path, fork) = (folder("what-if").join("match.json"), folder("what-if-fork").join("fork.json"));
    let (file, fork) = (text(&path), text(&fork));
    let args = ["play", "skirmish", "--seats", "human,greedy", "--seed", "3", "--save", file];
    typed(&args, "walk\nf4\nq\n").exits(0);
    let from = |more: &[&str], typing: &str| {
        let args = [&["play", "skirmish", "--from", file, "--seats", "human,random"], more].concat();
        typed(&args, typing)
    };
    from(&["--at", "1", "--save", fork], "b3\nq\n").exits(0).says("steps to b3");
    intermezzo(&["verify", fork]).exits(0).says("2 inputs");
    from(&["--at", "7"], "").exits(4).says("this branch has only 2 inputs");
    from(&["--branch", "1"], "").exits(2).says("no branch 1: the match has none");
    typed(&["play", "orcain", "--from", file], "").exits(4).says("the match was recorded with skirmish");
    typed(&["play", "skirmish", "--from", file, "--seats", "human,random,random"], "")
        .exits(2)
        .says("the saved match has 2 seats");
}

#[test]
fn other_humans_must_agree_to_an_undo() {
    let args = ["play", "skirmish", "--seats", "human,human", "--seed", "3"];
    // Two inputs of seat 0, one of seat 1, and two of seat 0 again; seat 1 is next.
    let turns = "p\np\np\np\np\n";
    let run = typed(&args, &format!("{turns}undo\nn\nundo\ny\nq\n\n")).exits(0);
    run.says("may seat 1 undo its last answer?").says("seat 0 does not agree").says("undone;");
}
