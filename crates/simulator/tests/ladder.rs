//! Bots that think win against those that do not, clearly, on games of which each is over in a moment.

use intermezzo_bots::BotKind;
use intermezzo_simulator::ladder::{Rung, duel};
use intermezzo_simulator::subjects;

/// Plays so many matches with fixed seeds.
fn climb(ruleset: &str, first: &str, second: &str, matches: u64) -> Rung {
    let subject = subjects::all().into_iter().find(|subject| subject.name == ruleset);
    let subject = subject.expect("the ruleset is there");
    let kind = |name: &str| name.parse::<BotKind>().expect("there is such a bot");
    let (first, second) = (kind(first), kind(second));
    let never = &mut |_| unreachable!("only playings are counted here");
    let duels = (0..matches).map(|number| duel(&subject, &[], first, second, number, never));
    duels.fold(Rung::default(), Rung::and)
}

#[test]
fn who_looks_ahead_is_stronger_than_chance() {
    for (ruleset, matches) in [("orcain", 40), ("mages", 8)] {
        let rung = climb(ruleset, "greedy", "random", matches);
        assert!(rung.is_stronger(), "{ruleset}: {rung:?}");
    }
}

#[test]
fn who_searches_is_stronger_than_chance() {
    let rung = climb("orcain", "mcts:12", "random", 16);
    assert!(rung.is_stronger(), "{rung:?}");
}

#[test]
fn nobody_is_stronger_than_itself() {
    let rung = climb("orcain", "greedy", "greedy", 40);
    assert!(!rung.is_stronger(), "{rung:?}");
}
