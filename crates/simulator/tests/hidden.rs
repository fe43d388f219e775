//! What a seat may not see does not reach it: pairs of matches that differ only in something hidden.

#![allow(clippy::print_stdout, reason = "the figures are for whoever reads the run")]

use intermezzo_engine::Datum;
use intermezzo_ruleset::Seat;
use intermezzo_simulator::laws::{self, Broken, Compared, HiddenPairs};
use intermezzo_simulator::{Subject, subjects};

/// What a player of `veil` may know: nothing else there has any effect.
const VEIL: &[&str] = &[
    "table.map(it.face)",
    "VIEWER.hand.map(it.face)",
    "players.flat(p => p.hand.where(VIEWER in it.known).map(it.face))",
    "players.map(it.kept)",
    "[VIEWER.wish]",
];
const VEILED: &[&str] =
    &["deck.map(it.face)", "players.flat(p => p.hand.map(it.face))", "players.map(it.vow)"];

fn subject(name: &str) -> Subject {
    subjects::all().into_iter().find(|subject| subject.name == name).expect("the ruleset is there")
}

/// Compares pairs for every seat.
fn compare(
    subject: &Subject,
    options: &[(&str, i64)],
    may_know: &[&str],
    hidden: &[&str],
    disguised: &[&str],
) -> Result<Compared, Broken> {
    let options = options.iter().map(|(name, value)| ((*name).into(), Datum::Int(*value))).collect();
    let pairs = HiddenPairs::new(subject, options, may_know, hidden, disguised)
        .unwrap_or_else(|problems| panic!("{problems}"));
    let mut total = Compared::default();
    for seat in 0..subject.program.seats.usual {
        let compared = laws::what_a_seat_may_not_see_does_not_reach_it(&pairs, Seat(seat), 0..200)?;
        total.pairs += compared.pairs;
        total.steps += compared.steps;
        total.shown += compared.shown;
        total.finished += compared.finished;
    }
    println!("{}: {total:?}", subject.name);
    Ok(total)
}

fn veil(subject: &Subject) -> Result<Compared, Broken> {
    compare(subject, &[("cards", 12), ("deal", 1), ("turns", 6)], VEIL, VEILED, &["vows"])
}

/// Lets bots think in pairs that differ in what a seat may not see; gives in how many questions they did.
fn think(subject: &Subject, options: &[(&str, i64)], may_know: &[&str], hidden: &[&str]) -> usize {
    let options = options.iter().map(|(name, value)| ((*name).into(), Datum::Int(*value))).collect();
    let pairs = HiddenPairs::new(subject, options, may_know, hidden, &[])
        .unwrap_or_else(|problems| panic!("{problems}"));
    let thought = laws::bots_cannot_tell_twins_apart(&pairs, Seat(0), 0..60);
    let thought = thought.unwrap_or_else(|broken| panic!("{broken}"));
    println!("{}: {thought:?}", subject.name);
    thought.different
}

#[test]
fn bots_answer_the_same_when_only_hidden_hands_and_decks_differ() {
    let options = [("cards", 12), ("deal", 1), ("turns", 6)];
    assert!(think(&subject("veil"), &options, VEIL, VEILED) > 20);
    let options = [("cards", 3), ("deal", 1), ("turns", 4)];
    assert!(think(&subject("cloak"), &options, CLOAK, CLOAKED) > 20);
}

#[test]
fn a_layout_stays_secret_until_its_step_is_revealed() {
    let orcain = subject("orcain");
    let mut pairs = 0;
    for seed in 0..300 {
        match laws::a_secret_is_kept_until_it_is_shown(&orcain, seed, "StepRevealed") {
            Ok(compared) => pairs += compared,
            Err(broken) => panic!("{broken}"),
        }
    }
    println!("orcain: {pairs} pairs of layouts");
    assert!(pairs > 500, "only {pairs} pairs were compared");
}

#[test]
fn hidden_hands_and_decks_do_not_reach_a_seat() {
    let compared = veil(&subject("veil")).unwrap_or_else(|broken| panic!("{broken}"));
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
    let compared = compare(&subject("hands"), &[("hand_size", 1)], &may_know, &hidden, &[]);
    let compared = compared.unwrap_or_else(|broken| panic!("{broken}"));
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
    let compared = compare(&subject("parcels"), &[("size", 2)], &may_know, &hidden, &[]);
    let compared = compared.unwrap_or_else(|broken| panic!("{broken}"));
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
    let compared = compare(&subject("draft"), &[("pack_size", 1), ("rounds", 2)], &may_know, &hidden, &[]);
    let compared = compared.unwrap_or_else(|broken| panic!("{broken}"));
    assert!(compared.steps > 200 && compared.shown > 20, "{compared:?}");
}

/// What a player of `cloak` may know.
const CLOAK: &[&str] = &[
    "table.map(it.face)",
    "VIEWER.hand.map(it.face)",
    "players.map(it.hand.count * 100 + it.deck.count)",
    "players.map(it.score)",
];
const CLOAKED: &[&str] =
    &["players.flat(p => p.deck.map(it.face))", "players.flat(p => p.hand.map(it.face))"];

fn cloak(subject: &Subject) -> Result<Compared, Broken> {
    compare(subject, &[("cards", 3), ("deal", 1), ("turns", 4)], CLOAK, CLOAKED, &[])
}

#[test]
fn what_can_be_done_and_why_not_tells_nothing_hidden() {
    let compared = cloak(&subject("cloak")).unwrap_or_else(|broken| panic!("{broken}"));
    assert!(compared.steps > 500 && compared.shown > 20, "{compared:?}");
}

#[test]
fn a_reason_that_tells_is_found_out() {
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
    let text = subjects::TOYS.iter().find(|(name, _)| *name == "cloak").expect("cloak is there").1;
    for (was, is) in leaks {
        assert!(text.contains(was), "cloak has `{was}`");
        let files = vec![("cloak.yaml".to_owned(), text.replace(was, is).into_bytes())];
        let leaking = Subject::new("cloak that tells", files).unwrap_or_else(|problems| panic!("{problems}"));
        assert!(cloak(&leaking).is_err(), "{is}");
    }
}

#[test]
fn a_ruleset_that_tells_is_found_out() {
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
    let text = subjects::TOYS.iter().find(|(name, _)| *name == "veil").expect("veil is there").1;
    for (was, is) in leaks {
        assert!(text.contains(was), "veil has `{was}`");
        let files = vec![("veil.yaml".to_owned(), text.replace(was, is).into_bytes())];
        let leaking = Subject::new("veil that tells", files).unwrap_or_else(|problems| panic!("{problems}"));
        // What nobody may see anyway tells nothing.
        let is_harmless = was.starts_with("ink");
        assert_eq!(veil(&leaking).is_ok(), is_harmless, "{is}");
    }
}
