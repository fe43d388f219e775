//! Bots that look ahead beat random play clearly, on fast rulesets.

use intermezzo_bots::BotKind;
use intermezzo_simulator::fixtures;
use intermezzo_simulator::ladder::{LadderResult, duel};

/// Plays that many matches with fixed seeds.
fn play_matches(ruleset: &str, first: &str, second: &str, matches: u64) -> LadderResult {
    let fixture = fixtures::all().into_iter().find(|fixture| fixture.name == ruleset);
    let fixture = fixture.expect("the ruleset exists");
    let kind = |name: &str| name.parse::<BotKind>().expect("the bot exists");
    let (first, second) = (kind(first), kind(second));
    let never = &mut |_| unreachable!("the budget is a number of playouts");
    let duels = (0..matches).map(|number| duel(&fixture, &[], first, second, number, never));
    duels.fold(LadderResult::default(), LadderResult::and)
}

#[test]
fn the_greedy_bot_beats_random_play() {
    for (ruleset, matches) in [("orcain", 40), ("mages", 8)] {
        let result = play_matches(ruleset, "greedy", "random", matches);
        assert!(result.is_stronger(), "{ruleset}: {result:?}");
    }
}

#[test]
fn the_mcts_bot_beats_random_play() {
    let result = play_matches("orcain", "mcts:12", "random", 16);
    assert!(result.is_stronger(), "{result:?}");
}

#[test]
fn no_bot_is_stronger_than_itself() {
    let result = play_matches("orcain", "greedy", "greedy", 40);
    assert!(!result.is_stronger(), "{result:?}");
}
