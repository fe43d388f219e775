//! Hidden information does not reach a seat: comparison of matches that differ only in something hidden.

#![allow(clippy::print_stdout, reason = "the figures are for readers of the test output")]

use intermezzo_engine::Datum;
use intermezzo_program::Seat;
use intermezzo_simulator::laws::{self, HiddenPairs, LawViolation, PairCounts};
use intermezzo_simulator::{Fixture, fixtures};

/// Expressions for what a player of `veil` may know; nothing else in that ruleset has any effect.
const VEIL: &[&str] = &[
    "table.map(it.face)",
    "VIEWER.hand.map(it.face)",
    "players.flat(p => p.hand.where(VIEWER in it.known).map(it.face))",
    "players.map(it.kept)",
    "[VIEWER.wish]",
];
const VEILED: &[&str] =
    &["deck.map(it.face)", "players.flat(p => p.hand.map(it.face))", "players.map(it.vow)"];

fn fixture(name: &str) -> Fixture {
    fixtures::all().into_iter().find(|fixture| fixture.name == name).expect("the ruleset exists")
}

/// Compares paired matches for every seat.
fn compare(
    fixture: &Fixture,
    options: &[(&str, i64)],
    may_know: &[&str],
    hidden: &[&str],
    disguised: &[&str],
) -> Result<PairCounts, LawViolation> {
    let options = options.iter().map(|(name, value)| ((*name).into(), Datum::Int(*value))).collect();
    let pairs = HiddenPairs::new(fixture, options, may_know, hidden, disguised)
        .unwrap_or_else(|problems| panic!("{problems}"));
    let mut total = PairCounts::default();
    for seat in 0..fixture.program.seats.default {
        let compared = laws::hidden_information_does_not_reach_a_seat(&pairs, Seat(seat), 0..200)?;
        total.pairs += compared.pairs;
        total.steps += compared.steps;
        total.shown += compared.shown;
        total.finished += compared.finished;
        total.pauses += compared.pauses;
    }
    println!("{}: {total:?}", fixture.name);
    Ok(total)
}

fn veil(fixture: &Fixture) -> Result<PairCounts, LawViolation> {
    compare(fixture, &[("cards", 12), ("deal", 1), ("turns", 6)], VEIL, VEILED, &["vows"])
}

/// Compares bots' answers in matches that differ in what a seat may not see. Returns the number of such questions.
fn think(fixture: &Fixture, options: &[(&str, i64)], may_know: &[&str], hidden: &[&str]) -> usize {
    let options = options.iter().map(|(name, value)| ((*name).into(), Datum::Int(*value))).collect();
    let pairs = HiddenPairs::new(fixture, options, may_know, hidden, &[])
        .unwrap_or_else(|problems| panic!("{problems}"));
    let comparison = laws::bots_cannot_distinguish_paired_matches(&pairs, Seat(0), 0..60);
    let comparison = comparison.unwrap_or_else(|violation| panic!("{violation}"));
    println!("{}: {comparison:?}", fixture.name);
    comparison.different
}

#[test]
fn bots_answer_the_same_when_only_hidden_hands_and_decks_differ() {
    let options = [("cards", 12), ("deal", 1), ("turns", 6)];
    assert!(think(&fixture("veil"), &options, VEIL, VEILED) > 20);
    let options = [("cards", 3), ("deal", 1), ("turns", 4)];
    assert!(think(&fixture("cloak"), &options, CLOAK, CLOAKED) > 20);
}

#[test]
fn a_layout_stays_secret_until_its_step_is_revealed() {
    let orcain = fixture("orcain");
    let mut pairs = 0;
    for seed in 0..300 {
        match laws::a_secret_stays_hidden_until_revealed(&orcain, seed, "StepRevealed") {
            Ok(compared) => pairs += compared,
            Err(violation) => panic!("{violation}"),
        }
    }
    println!("orcain: {pairs} pairs of layouts");
    assert!(pairs > 500, "only {pairs} pairs were compared");
}

#[test]
fn hidden_hands_and_decks_do_not_reach_a_seat() {
    let compared = veil(&fixture("veil")).unwrap_or_else(|violation| panic!("{violation}"));
    assert!(compared.steps > 1000 && compared.shown > 20 && compared.finished > 0, "{compared:?}");
}

#[test]
fn hidden_cards_do_not_reach_a_seat_in_a_game_of_tricks() {
    let card = "it.value * 10 + (if it.suit == sun then 1 else (if it.suit == moon then 2 else 3))";
    let may_know = [
        &format!("table.map({card})"),
        &format!("VIEWER.hand.map({card})"),
        &format!("players.flat(p => p.hand.where(VIEWER in it.known).map({card}))"),
        &format!("players.flat(p => p.tricks.map({card}))"),
        "players.map(it.score)",
        "players.map(it.temper)",
        "[match.trump]",
    ];
    let hidden = ["deck.map(it.value)", "players.flat(p => p.hand.map(it.value))"];
    let compared = compare(&fixture("hands"), &[("hand_size", 1)], &may_know, &hidden, &[]);
    let compared = compared.unwrap_or_else(|violation| panic!("{violation}"));
    assert!(compared.steps > 200 && compared.shown > 20, "{compared:?}");
}

#[test]
fn sealed_parcels_do_not_reach_a_seat() {
    let may_know = [
        "VIEWER.shelf.map(it.sweet)",
        "[ready(VIEWER)].present.flat(p => p.contents.map(it.sweet))",
        "players.flat(p => p.shelf.where(VIEWER in it.known).map(it.sweet))",
        "players.map(it.round)",
    ];
    let hidden = ["store.map(it.sweet)", "players.flat(p => p.sealed.flat(q => q.contents.map(it.sweet)))"];
    let compared = compare(&fixture("parcels"), &[("size", 2)], &may_know, &hidden, &[]);
    let compared = compared.unwrap_or_else(|violation| panic!("{violation}"));
    assert!(compared.steps > 200 && compared.shown > 20, "{compared:?}");
}

#[test]
fn packs_of_others_do_not_reach_a_seat() {
    let may_know = [
        "VIEWER.picks.map(it.def)",
        "[ready(VIEWER)].present.flat(p => p.contents.map(it.def))",
        "players.flat(p => p.programme.map(it.def))",
        "players.map(it.round)",
    ];
    let hidden = [
        "players.flat(p => p.unopened.flat(q => q.contents.map(it.def)))",
        "players.flat(p => p.queue.flat(q => q.contents.map(it.def)))",
        "players.flat(p => p.picks.map(it.def))",
    ];
    let compared = compare(&fixture("draft"), &[("pack_size", 1), ("rounds", 2)], &may_know, &hidden, &[]);
    let compared = compared.unwrap_or_else(|violation| panic!("{violation}"));
    assert!(compared.steps > 200 && compared.shown > 20, "{compared:?}");
}

/// Expressions for what a player of `cloak` may know.
const CLOAK: &[&str] = &[
    "table.map(it.face)",
    "VIEWER.hand.map(it.face)",
    "players.map(it.hand.count * 100 + it.deck.count)",
    "players.map(it.score)",
];
const CLOAKED: &[&str] =
    &["players.flat(p => p.deck.map(it.face))", "players.flat(p => p.hand.map(it.face))"];

fn cloak(fixture: &Fixture) -> Result<PairCounts, LawViolation> {
    compare(fixture, &[("cards", 3), ("deal", 1), ("turns", 4)], CLOAK, CLOAKED, &[])
}

#[test]
fn actions_and_reasons_reveal_nothing_hidden() {
    let compared = cloak(&fixture("cloak")).unwrap_or_else(|violation| panic!("{violation}"));
    assert!(compared.steps > 500 && compared.shown > 20, "{compared:?}");
}

/// Expressions for what a player of `ambush` may know.
const AMBUSH: &[&str] = &[
    "table.map(it.def)",
    "VIEWER.hand.map(it.def)",
    "players.map(it.score)",
    "players.map(it.hand.count)",
    "[match.moves]",
];
const AMBUSHED: &[&str] = &["players.flat(p => p.hand.map(it.def))"];

fn ambush(fixture: &Fixture) -> Result<PairCounts, LawViolation> {
    compare(fixture, &[("deal", 2), ("turns", 4)], AMBUSH, AMBUSHED, &[])
}

#[test]
fn being_asked_about_a_hidden_card_reveals_nothing() {
    let compared = ambush(&fixture("ambush")).unwrap_or_else(|violation| panic!("{violation}"));
    assert!(compared.steps > 500 && compared.finished > 20 && compared.pauses > 100, "{compared:?}");
}

/// Compares paired matches without allowing pauses.
fn ambush_without_pauses(fixture: &Fixture) -> Result<PairCounts, LawViolation> {
    let options = vec![("deal".into(), Datum::Int(2)), ("turns".into(), Datum::Int(4))];
    let pairs = HiddenPairs::new(fixture, options, AMBUSH, AMBUSHED, &[])
        .unwrap_or_else(|problems| panic!("{problems}"));
    let mut steps = PairCounts::default();
    for seat in (0..3).map(Seat) {
        let compared = laws::hidden_information_does_not_reach_a_seat_even_by_pauses(&pairs, seat, 0..200)?;
        steps.steps += compared.steps;
        steps.finished += compared.finished;
        steps.shown += compared.shown;
        assert_eq!(compared.pauses, 0);
    }
    println!("{}: {steps:?}", fixture.name);
    Ok(steps)
}

#[test]
fn secret_reactions_do_not_betray_their_holders_even_by_pauses() {
    let compared =
        ambush_without_pauses(&fixture("decoys")).unwrap_or_else(|violation| panic!("{violation}"));
    assert!(compared.steps > 500 && compared.shown > 20, "{compared:?}");
    let betrayed = ambush_without_pauses(&fixture("ambush"));
    let betrayed = betrayed.expect_err("without `secret`, the pause betrays the card");
    assert!(betrayed.to_string().contains("the match waits while the other one does not"), "{betrayed}");
}

#[test]
fn bots_cannot_tell_who_could_use_a_secret_reaction() {
    assert!(think(&fixture("decoys"), &[("deal", 2), ("turns", 4)], AMBUSH, AMBUSHED) > 20);
}

#[test]
fn announcements_do_not_betray_a_card_that_is_not_used() {
    let text = fixtures::SMALL_RULESETS.iter().find(|(name, _)| *name == "ambush").expect("ambush exists").1;
    let heard =
        "reactions: [{id: all_hear, when: {after: Reaction}, effects: [{add: {match.moves: 1}}]}]\n\ndefs:\n";
    let files = vec![("ambush.yaml".to_owned(), text.replace("defs:\n", heard).into_bytes())];
    let heard = Fixture::new("ambush that is heard", files).unwrap_or_else(|problems| panic!("{problems}"));
    let compared = ambush(&heard).unwrap_or_else(|violation| panic!("{violation}"));
    assert!(compared.steps > 500 && compared.pauses > 100, "{compared:?}");
}

#[test]
fn a_question_that_leaks_a_hidden_card_is_detected() {
    let leaks = [
        // A rule that everyone sees asks only players with a certain hidden card.
        (
            "when: {before: Scored, if: event.player != you and event.amount > 2}",
            "when: {before: Scored, if: event.player != you and you.hand.any(it.def == slip)}",
        ),
        // The flow asks only players with a certain hidden card.
        (
            "              - {emit: Scored, player: p, amount: amount}",
            "              - each: players.where(q => q.hand.any(it.def == trap))\n                as: q\n                do: [{choose: sure, by: q, from: \"[true, false]\"}]\n              - {emit: Scored, player: p, amount: amount}",
        ),
    ];
    let text = fixtures::SMALL_RULESETS.iter().find(|(name, _)| *name == "ambush").expect("ambush exists").1;
    for (was, is) in leaks {
        assert!(text.contains(was), "ambush has `{was}`");
        let files = vec![("ambush.yaml".to_owned(), text.replace(was, is).into_bytes())];
        let leaking =
            Fixture::new("ambush that tells", files).unwrap_or_else(|problems| panic!("{problems}"));
        assert!(ambush(&leaking).is_err(), "{is}");
    }
}

#[test]
fn a_reason_that_leaks_is_detected() {
    let leaks = [
        (
            "deck:  {of: player, visible: none, order: list}",
            "deck:  {of: player, visible: owner, order: list}",
        ),
        (
            "{if: actor == flow.active, else: Wait for your turn}",
            "{if: actor == flow.active and opponents(actor).all(p => p.hand.all(it.face != 1)), else: Wait for your turn}",
        ),
        (
            "{if: actor.score > 0, else: You have nothing to point with}",
            "{if: actor.deck.top?.face != 0, else: You have nothing to point with}",
        ),
        ("opponents(actor).flat(p => p.hand)}", "opponents(actor).flat(p => p.hand.where(it.face > 0))}"),
    ];
    let text = fixtures::SMALL_RULESETS.iter().find(|(name, _)| *name == "cloak").expect("cloak exists").1;
    for (was, is) in leaks {
        assert!(text.contains(was), "cloak has `{was}`");
        let files = vec![("cloak.yaml".to_owned(), text.replace(was, is).into_bytes())];
        let leaking = Fixture::new("cloak that tells", files).unwrap_or_else(|problems| panic!("{problems}"));
        assert!(cloak(&leaking).is_err(), "{is}");
    }
}

#[test]
fn a_ruleset_that_leaks_is_detected() {
    let leaks = [
        ("hand:  {of: player, visible: owner,", "hand:  {of: player, visible: all,"),
        ("deck:  {visible: none, order: list}", "deck:  {visible: all, order: list}"),
        ("vow:   {type: int, default: 0, visible: none}", "vow:   {type: int, default: 0}"),
        ("vow: int}, visible: viewer == event.player}", "vow: int}, visible: all}"),
        ("vault: {of: player, visible: none,", "vault: {of: player, visible: all,"),
        ("ink:    {type: int, default: 0, visible: none}", "ink:    {type: int, default: 0}"),
        ("layer: 3, add: -self.face", "layer: 3, add: -self.face + self.face % 2"),
        (
            "then: [{move: top, to: p.hand}]",
            "then: [{move: top, to: p.hand}, {add: {p.kept: top.face % 2}}, {add: {p.kept: -(top.face % 2)}}]",
        ),
    ];
    let text = fixtures::SMALL_RULESETS.iter().find(|(name, _)| *name == "veil").expect("veil exists").1;
    for (was, is) in leaks {
        assert!(text.contains(was), "veil has `{was}`");
        let files = vec![("veil.yaml".to_owned(), text.replace(was, is).into_bytes())];
        let leaking = Fixture::new("veil that tells", files).unwrap_or_else(|problems| panic!("{problems}"));
        // Values that nobody may see are omitted.
        let is_harmless = was.starts_with("ink");
        assert_eq!(veil(&leaking).is_ok(), is_harmless, "{is}");
    }
}
