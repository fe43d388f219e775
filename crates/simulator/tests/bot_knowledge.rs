//! Bots use nothing that their seats may not see, in any ruleset.

#![allow(clippy::print_stdout, reason = "the figures are for readers of the test output")]

use intermezzo_simulator::laws::{BotComparison, bots_use_nothing_hidden};
use intermezzo_simulator::{Fixture, fixtures};

/// Compares bots' answers at some waits of some matches.
fn think(fixture: &Fixture, seeds: u64, waits: u32) -> BotComparison {
    let mut total = BotComparison::default();
    for seed in 0..seeds {
        let comparison =
            bots_use_nothing_hidden(fixture, seed, waits).unwrap_or_else(|violation| panic!("{violation}"));
        total.questions += comparison.questions;
        total.different += comparison.different;
        total.skipped += comparison.skipped;
    }
    println!("{}: {total:?}", fixture.name);
    total
}

#[test]
fn bots_use_nothing_hidden_in_the_games() {
    for (name, seeds, waits) in [("mages", 2, 3), ("orcain", 4, 3), ("draft", 2, 3), ("dogma", 3, 3)] {
        let fixture = fixtures::all().into_iter().find(|fixture| fixture.name == name);
        let comparison = think(&fixture.expect("the ruleset is there"), seeds, waits);
        assert!(
            comparison.different > 0 && comparison.skipped <= comparison.questions,
            "{name}: {comparison:?}"
        );
    }
}

#[test]
fn bots_use_nothing_hidden_in_small_rulesets() {
    let mut total = 0;
    for fixture in fixtures::small_rulesets() {
        let is_hidden = fixture.program.first_hidden_element().is_some();
        total += think(&fixture, if is_hidden { 4 } else { 1 }, 3).different;
    }
    assert!(total > 50, "only {total} pairs of matches differed");
}
