//! The program in the README compiles and runs: this file contains a copy of it.

use std::path::Path;

use intermezzo_engine::{EventLog, Match};

/// Returns the folder of the repository, which the README's paths are relative to.
fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

/// Plays the README's duel to its end. The lines between the marks equal the README's.
fn play() -> Result<(Match, EventLog), Box<dyn std::error::Error>> {
    std::env::set_current_dir(root())?;
    // README begins.
    use intermezzo_engine::{Answer, EventLog, Input, Match, Seed, Setup};
    use std::sync::Arc;

    let ruleset = intermezzo_compiler::Ruleset::load("rulesets/orcain".as_ref())?;
    let program = Arc::new(ruleset.compile().program.expect("the ruleset has no errors"));
    let setup = Setup { seats: 2, options: vec![], seed: Seed::from_number(7), script: None };
    let mut log = EventLog::new();
    let mut duel = Match::start(program, &setup, &mut log)?;
    for turn in 0..1000 {
        let Some(pending) = duel.pending().next() else { break };
        let mut answer = Answer::Pass;
        pending.nth_answer(turn * 31 % pending.answer_count(), &mut answer);
        let input = Input::Answer { input: pending.id(), seat: pending.seat(), answer };
        duel.submit(&input, &mut log)?;
    }
    // README ends.
    Ok((duel, log))
}

#[test]
fn the_program_in_the_readme_plays_a_duel_to_its_end() {
    let (duel, log) = play().expect("the duel can be played");
    assert!(duel.ending().is_some());
    assert!(!log.is_empty());
}

#[test]
fn the_readme_shows_that_program() {
    let readme = std::fs::read_to_string(root().join("README.md")).expect("there is a README");
    let shown: Vec<&str> = readme
        .lines()
        .skip_while(|line| *line != "```rust")
        .skip(1)
        .take_while(|line| *line != "```")
        .collect();
    let here = include_str!("readme.rs").lines();
    let here = here.skip_while(|line| !line.ends_with("// README begins.")).skip(1);
    let here: Vec<&str> = here
        .take_while(|line| !line.ends_with("// README ends."))
        .map(|line| line.strip_prefix("    ").unwrap_or(line))
        .collect();
    assert_eq!(shown, here);
}
