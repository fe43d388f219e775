//! No bot uses anything its seat may not see, in any ruleset.

#![allow(clippy::print_stdout, reason = "the figures are for whoever reads the run")]

use intermezzo_simulator::laws::{Thought, bots_use_nothing_hidden};
use intermezzo_simulator::{Subject, subjects};

/// Thinks at some waits of some matches; gives how much was compared.
fn think(subject: &Subject, seeds: u64, waits: u32) -> Thought {
    let mut total = Thought::default();
    for seed in 0..seeds {
        let thought =
            bots_use_nothing_hidden(subject, seed, waits).unwrap_or_else(|broken| panic!("{broken}"));
        total.questions += thought.questions;
        total.different += thought.different;
        total.told += thought.told;
    }
    println!("{}: {total:?}", subject.name);
    total
}

#[test]
fn bots_use_nothing_hidden_in_the_games() {
    for (name, seeds, waits) in [("mages", 2, 3), ("orcain", 4, 3), ("draft", 2, 3), ("dogma", 3, 3)] {
        let subject = subjects::all().into_iter().find(|subject| subject.name == name);
        let thought = think(&subject.expect("the ruleset is there"), seeds, waits);
        assert!(thought.different > 0 && thought.told <= thought.questions, "{name}: {thought:?}");
    }
}

#[test]
fn bots_use_nothing_hidden_in_small_rulesets() {
    let mut total = 0;
    for subject in subjects::toys() {
        let is_hidden = subject.program.hidden().is_some();
        total += think(&subject, if is_hidden { 4 } else { 1 }, 3).different;
    }
    assert!(total > 50, "only {total} pairs of matches differed");
}
