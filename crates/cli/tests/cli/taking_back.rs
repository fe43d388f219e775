//! Taking back at the terminal, and what is left of it in the saved match.

use crate::{folder, intermezzo, text, typed};

#[test]
fn one_takes_back_and_goes_another_way() {
    let path = folder("taking-back").join("match.json");
    let file = text(&path);
    let args = ["play", "skirmish", "--seats", "human,greedy", "--seed", "3", "--save", file];
    let run = typed(&args, "undo\nwalk\nf4\nundo\nb3\nq\n").exits(0);
    run.says("not taken back: you have not answered anything yet")
        .says("steps to f4")
        .says("taken back;")
        .says("Rogue #20 steps to b3");
    intermezzo(&["verify", file]).exits(0).says("1 input taken back");
    let listed = intermezzo(&["replay", file, "--branches"]).exits(0);
    listed.says("branch 1: p0 took back 1 input").says("like what counts now up to input 1").says("x 5, y 3");
    intermezzo(&["replay", file, "--branch", "1"]).exits(0).says("steps to x 5, y 3");
    intermezzo(&["replay", file, "--branch", "2"])
        .exits(2)
        .says("there is no branch 2: the match has only one");
}

#[test]
fn a_saved_match_is_played_on_from_any_point() {
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
    from(&["--at", "7"], "").exits(4).says("there are only 2 inputs");
    from(&["--branch", "1"], "").exits(2).says("there is no branch 1: the match has none");
    typed(&["play", "orcain", "--from", file], "").exits(4).says("the match was played by skirmish");
    typed(&["play", "skirmish", "--from", file, "--seats", "human,random,random"], "")
        .exits(2)
        .says("the saved match has 2 seats");
}

#[test]
fn others_at_the_terminal_are_asked() {
    let args = ["play", "skirmish", "--seats", "human,human", "--seed", "3"];
    // Two of seat 0, one of seat 1, and two of seat 0 again: seat 1 is next.
    let turns = "p\np\np\np\np\n";
    let run = typed(&args, &format!("{turns}undo\nn\nundo\ny\nq\n\n")).exits(0);
    run.says("may seat 1 take back its last answer?").says("seat 0 does not agree").says("taken back;");
}
