//! `new`: the created ruleset is complete and playable.

use crate::{folder, intermezzo, run_in, text, typed};

#[test]
fn a_new_ruleset_checks_tests_plays_and_simulates() {
    let game = folder("new").join("little-race");
    intermezzo(&["new", text(&game)]).exits(0).says("created").says("next: intermezzo check");
    intermezzo(&["check", text(&game), "--deny-warnings"])
        .exits(0)
        .says("Little Race 0.1.0, 0 errors, 0 warnings");
    intermezzo(&["test", text(&game)]).exits(0).says("2 passed");
    let args = ["play", text(&game), "--humans", "0,1", "--option", "goal=4"];
    typed(&args, "3\n1\n").exits(0).says("p1 adds 1").says("winners: p1, losers: p0\n");
    intermezzo(&["simulate", text(&game), "-n", "50"]).exits(0).says("seat 0 wins");
}

#[test]
fn the_id_can_be_chosen() {
    let game = folder("new-id").join("Some Folder");
    intermezzo(&["new", text(&game)])
        .exits(2)
        .says("`Some Folder` is not a valid ruleset id")
        .says("--id my-game");
    intermezzo(&["new", text(&game), "--id", "some-game"]).exits(0);
    intermezzo(&["check", text(&game)]).exits(0).says("Some Game");
}

#[test]
fn the_current_folder_has_a_name() {
    let game = folder("new-here");
    run_in(&game, &["new", "."], "").exits(0);
    run_in(&game, &["check", "."], "").exits(0).says("New Here 0.1.0");
}

#[test]
fn without_scenarios_nothing_passes() {
    let game = folder("new-untested").join("race");
    intermezzo(&["new", text(&game)]).exits(0);
    std::fs::remove_file(game.join("scenarios/first.yaml")).expect("`new` created it");
    let run = intermezzo(&["test", text(&game)]).exits(0).says("no scenarios; put them into");
    assert!(!run.out.contains("passed"), "{}", run.all());
}

#[test]
fn nothing_is_overwritten() {
    let game = folder("new-twice").join("race");
    intermezzo(&["new", text(&game)]).exits(0);
    std::fs::remove_file(game.join("ruleset.yaml")).expect("`new` created it");
    intermezzo(&["new", text(&game)]).exits(3).says("first.yaml").says("the file already exists");
    assert!(!game.join("ruleset.yaml").exists(), "half a ruleset was created");
}
