//! What the scenarios of the stack bench cannot say themselves: wars of every length, and the reasons why not.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use intermezzo_compiler::Ruleset;
use intermezzo_engine::{Answer, Datum, Input, Log, Match, Seed, Setup, Witness};
use intermezzo_ruleset::Seat;
use intermezzo_scenario::Suite;

/// The deepest war tried.
const LONGEST: usize = 64;
/// Counters each player has: enough for the longest war.
const COUNTERS: usize = LONGEST / 2;

fn bench() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("trials/stack")
}

/// A bolt and a number of counters, each aimed at what was cast before it.
fn war(depth: usize) -> String {
    let mut text = format!("  - name: a war of {depth}\n    play:\n      - p0: {{cast_bolt: p1}}\n");
    let pass = |text: &mut String, seat: usize| *text += &format!("      - p{seat}: pass\n");
    // Two players, the bolt and all counters come first.
    let first_item = 3 + 1 + 2 * COUNTERS;
    for number in 1..=depth {
        let (before, seat) = ((number + 1) % 2, number % 2);
        pass(&mut text, before);
        text += &format!("      - p{seat}: {{cast_counter: \"#{}\"}}\n", first_item + number - 1);
        text += &format!("        expect: {{stack.count: {}}}\n", number + 1);
    }
    let mut left = depth + 1;
    let mut holder = depth % 2;
    while left > 0 {
        // A counter takes along what it is aimed at.
        left = left.saturating_sub(2);
        pass(&mut text, holder);
        text += &format!("      - {{p{}: pass, expect: {{stack.count: {left}}}}}\n", 1 - holder);
        holder = 0;
    }
    let life = if depth.is_multiple_of(2) { 17 } else { 20 };
    let (ours, theirs) = (1 + depth / 2, depth.div_ceil(2));
    text += &format!(
        "      - expect: {{p1.life: {life}, p0.graveyard.count: {ours}, p1.graveyard.count: {theirs}, casting.count: 0}}\n"
    );
    text
}

#[test]
fn in_a_war_of_an_even_number_of_counters_the_bolt_lands() {
    wage((0..=LONGEST).filter(|depth| depth.is_multiple_of(2)), "even");
}

#[test]
fn in_a_war_of_an_odd_number_of_counters_it_does_not() {
    wage((0..=LONGEST).filter(|depth| depth % 2 == 1), "odd");
}

fn wage(depths: impl Iterator<Item = usize> + Clone, name: &str) {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("wars").join(name);
    std::fs::remove_dir_all(&folder).ok();
    std::fs::create_dir_all(folder.join("scenarios")).expect("a folder can be made");
    std::fs::copy(bench().join("ruleset.yaml"), folder.join("ruleset.yaml")).expect("the ruleset is there");
    let mut text = format!(
        "options: {{hands: [[bolt], []], fields: [[], []]}}
given:
  - each: players
    as: p
    do:
      - repeat: {COUNTERS}
        do: [{{create: counter, owner: p, in: p.hand, with: {{cost: 0}}}}]
scenarios:
"
    );
    depths.clone().for_each(|depth| text += &war(depth));
    std::fs::write(folder.join("scenarios/wars.yaml"), text).expect("a file can be written");
    let mut suite = Suite::load(&folder).expect("the ruleset can be read");
    let report = suite.run(None, false);
    assert!(report.is_ok(), "\n\n{}", suite.render(&report, false));
    assert_eq!(report.passed, depths.count());
}

/// A match of the bench and those who look at it.
struct Bench {
    played: Match,
    witness: Witness,
    log: Log,
}

impl Bench {
    fn new(hands: [&[&str]; 2], fields: [&[&str]; 2], mana: i64) -> Bench {
        let compiled = Ruleset::load(&bench()).expect("the ruleset can be read").compile();
        let program = Arc::new(compiled.program.expect("the ruleset has no errors"));
        let list = |defs: &[&str]| Datum::List(defs.iter().map(|def| Datum::text(*def)).collect());
        let lists = |lists: [&[&str]; 2]| Datum::List(lists.map(list).into());
        let options = [("hands", lists(hands)), ("fields", lists(fields)), ("mana", Datum::Int(mana))];
        let setup = Setup {
            seats: 2,
            options: options.map(|(name, value)| (name.into(), value)).into(),
            seed: Seed::from_number(0),
            script: None,
        };
        let mut log = Log::new();
        let played = Match::start(Arc::clone(&program), &setup, &mut log).expect("the match begins");
        let mut witness = Witness::new(program, &setup).expect("the setup fits");
        witness.observe(&log, 0, |_, _| {}).expect("the log can be folded");
        Bench { played, witness, log }
    }

    /// Whoever is asked takes the option with that number, or passes.
    fn answer(&mut self, pick: Option<i32>) {
        let pending = self.played.pending().next().expect("someone is asked");
        let (input, seat) = (pending.id(), pending.seat());
        let answer = pick.map_or(Answer::Pass, |pick| Answer::Picks(vec![pick]));
        let from = self.log.len();
        self.played.submit(&Input::Answer { input, seat, answer }, &mut self.log).expect("it is taken");
        self.witness.observe(&self.log, from, |_, _| {}).expect("the log can be folded");
    }

    fn actions(&mut self, seat: u8) -> Datum {
        self.witness.actions(&self.played, Seat(seat)).expect("no rule fails")
    }

    /// Why a seat cannot take each of the actions it has.
    fn reasons(&mut self, seat: u8) -> Vec<(String, String)> {
        let actions = self.actions(seat);
        let Some(Datum::List(closed)) = actions.get("unavailable") else { panic!("{actions:?}") };
        let text = |datum: &Datum, key| match datum.get(key) {
            Some(Datum::Text(text)) => text.to_string(),
            other => panic!("{key}: {other:?}"),
        };
        closed.iter().map(|closed| (text(closed, "action"), text(closed, "reason"))).collect()
    }
}

fn pairs(expected: &[(&str, &str)]) -> Vec<(String, String)> {
    expected.iter().map(|(action, reason)| ((*action).to_owned(), (*reason).to_owned())).collect()
}

#[test]
fn who_cannot_do_something_is_told_why() {
    let mut bench =
        Bench::new([&["gamble", "levy", "counter", "bear", "volley"], &["bear", "bolt"]], [&[], &[]], 2);
    assert_eq!(
        bench.reasons(0),
        pairs(&[
            ("concede_all", "Not now: players.count > 2"),
            ("cast_gamble", "Not enough mana"),
            ("cast_levy", "Not enough mana"),
            ("cast_counter", "There is nothing to choose as spell"),
            ("cast_volley", "There is nothing to choose as victims"),
        ])
    );
    assert_eq!(
        bench.reasons(1),
        pairs(&[("concede_all", "Not now: players.count > 2"), ("summon", "Only in your own turn")])
    );
}

#[test]
fn what_could_be_paid_alone_but_not_together_says_so() {
    let mut bench = Bench::new([&["levy"], &[]], [&[], &[]], 6);
    let own = |reasons: Vec<(String, String)>| reasons.into_iter().skip(1).collect::<Vec<_>>();
    assert_eq!(own(bench.reasons(0)), pairs(&[("cast_levy", "The costs together are too high")]));
    let mut rich = Bench::new([&["levy"], &[]], [&[], &[]], 7);
    assert_eq!(own(rich.reasons(0)), []);
}

#[test]
fn reasons_follow_what_happens() {
    let mut bench = Bench::new([&["bear"], &[]], [&["bear", "smith"], &[]], 6);
    let of = |bench: &mut Bench, name: &str| -> Vec<String> {
        let reasons = bench.reasons(0).into_iter().filter(|(action, _)| action == name);
        reasons.map(|(_, reason)| reason).collect()
    };
    let none: [&str; 0] = [];
    assert_eq!(of(&mut bench, "summon"), none);
    assert_eq!(of(&mut bench, "attack"), none);
    // The first option is to summon the bear; while it waits there is no other summoning and no attack.
    bench.answer(Some(0));
    assert_eq!(of(&mut bench, "summon"), ["Something is on the stack"]);
    assert_eq!(of(&mut bench, "attack"), ["Not now: stack.count == 0"; 2]);
    bench.answer(None);
    bench.answer(None);
    assert_eq!(of(&mut bench, "attack"), none);
    // The first option is now to attack with the first bear.
    bench.answer(Some(0));
    assert_eq!(of(&mut bench, "attack"), ["Already tapped"]);
    assert_eq!(of(&mut bench, "work"), none);
    // To work is the last option but one; it waits, and is done when both have passed.
    let options = bench.played.pending().next().map_or(0, |pending| pending.option_count());
    bench.answer(Some(options as i32 - 2));
    bench.answer(None);
    bench.answer(None);
    assert_eq!(of(&mut bench, "work"), ["The smith is tired"]);
}

#[test]
fn what_can_be_done_tells_its_title_its_text_and_its_price() {
    let mut bench = Bench::new([&["bolt"], &[]], [&[], &[]], 6);
    let actions = bench.actions(0);
    let Some(Datum::List(offers)) = actions.get("available") else { panic!("{actions:?}") };
    let text = |key: &str| -> Vec<&Datum> { offers.iter().filter_map(|offer| offer.get(key)).collect() };
    assert_eq!(text("label"), [&Datum::text("Bolt → p0"), &Datum::text("Bolt → p1")]);
    assert_eq!(text("text"), [&Datum::text("Deals 3 damage."); 2]);
    let price =
        [("op", Datum::text("pay_resource")), ("resource", Datum::text("mana")), ("amount", Datum::Int(1))];
    let price = Datum::Map(price.map(|(name, value)| (name.into(), value)).into());
    assert_eq!(text("costs"), [&Datum::List(vec![price]); 2]);
    assert_eq!(actions.get("asked"), Some(&Datum::Bool(true)));
    assert_eq!(bench.actions(1).get("asked"), Some(&Datum::Bool(false)));
}
