//! Stack tests that scenarios cannot express: counter wars of every length, and reasons for unavailable
//! actions.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use intermezzo_compiler::Ruleset;
use intermezzo_engine::{Answer, Datum, EventLog, Input, Match, Observer, Seed, Setup};
use intermezzo_program::Seat;
use intermezzo_scenario::Suite;

/// Length of the longest war.
const LONGEST: usize = 64;
/// Counters per player: enough for the longest war.
const COUNTERS: usize = LONGEST / 2;

fn bench() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("conformance/stack")
}

/// Writes a scenario with a bolt and counters, each targeting the item cast before it.
fn war(depth: usize) -> String {
    let mut text = format!("  - name: a war of {depth}\n    play:\n      - p0: {{cast_bolt: p1}}\n");
    let pass = |text: &mut String, seat: usize| *text += &format!("      - p{seat}: pass\n");
    // The players, the bolt and all counters are numbered first.
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
        // A counter removes itself and its target.
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
    run_wars((0..=LONGEST).filter(|depth| depth.is_multiple_of(2)), "even");
}

#[test]
fn in_a_war_of_an_odd_number_of_counters_the_bolt_is_countered() {
    run_wars((0..=LONGEST).filter(|depth| depth % 2 == 1), "odd");
}

fn run_wars(depths: impl Iterator<Item = usize> + Clone, name: &str) {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("wars").join(name);
    std::fs::remove_dir_all(&folder).ok();
    std::fs::create_dir_all(folder.join("scenarios")).expect("a folder can be made");
    std::fs::copy(bench().join("ruleset.yaml"), folder.join("ruleset.yaml")).expect("the ruleset exists");
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

/// Match of the stack ruleset with its observer.
struct StackMatch {
    played: Match,
    observer: Observer,
    log: EventLog,
}

impl StackMatch {
    fn new(hands: [&[&str]; 2], fields: [&[&str]; 2], mana: i64) -> StackMatch {
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
        let mut log = EventLog::new();
        let played = Match::start(Arc::clone(&program), &setup, &mut log).expect("the match starts");
        let mut observer = Observer::new(program, &setup).expect("the setup fits");
        observer.observe(&log, 0, |_, _| {}).expect("the log can be folded");
        StackMatch { played, observer, log }
    }

    /// Lets the asked seat pick an option, or pass.
    fn answer(&mut self, pick: Option<i32>) {
        let pending = self.played.pending().next().expect("someone is asked");
        let (input, seat) = (pending.id(), pending.seat());
        let answer = pick.map_or(Answer::Pass, |pick| Answer::Picks(vec![pick]));
        let from = self.log.len();
        self.played.submit(&Input::Answer { input, seat, answer }, &mut self.log).expect("it is taken");
        self.observer.observe(&self.log, from, |_, _| {}).expect("the log can be folded");
    }

    fn actions(&mut self, seat: u8) -> Datum {
        self.observer.actions(&self.played, Seat(seat)).expect("no rule fails")
    }

    /// Returns the reasons why actions of a seat are unavailable.
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
fn unavailable_actions_have_reasons() {
    let mut bench =
        StackMatch::new([&["gamble", "levy", "counter", "bear", "volley"], &["bear", "bolt"]], [&[], &[]], 2);
    assert_eq!(
        bench.reasons(0),
        pairs(&[
            ("concede_all", "Not now: players.count > 2"),
            ("cast_gamble", "Not enough mana"),
            ("cast_levy", "Not enough mana"),
            ("cast_counter", "No valid choice for spell"),
            ("cast_volley", "No valid choice for victims"),
        ])
    );
    assert_eq!(
        bench.reasons(1),
        pairs(&[("concede_all", "Not now: players.count > 2"), ("summon", "Only in your own turn")])
    );
}

#[test]
fn costs_that_are_too_high_together_are_reported() {
    let mut bench = StackMatch::new([&["levy"], &[]], [&[], &[]], 6);
    let own = |reasons: Vec<(String, String)>| reasons.into_iter().skip(1).collect::<Vec<_>>();
    assert_eq!(own(bench.reasons(0)), pairs(&[("cast_levy", "The costs together are too high")]));
    let mut rich = StackMatch::new([&["levy"], &[]], [&[], &[]], 7);
    assert_eq!(own(rich.reasons(0)), []);
}

#[test]
fn reasons_follow_what_happens() {
    let mut bench = StackMatch::new([&["bear"], &[]], [&["bear", "smith"], &[]], 6);
    let of = |bench: &mut StackMatch, name: &str| -> Vec<String> {
        let reasons = bench.reasons(0).into_iter().filter(|(action, _)| action == name);
        reasons.map(|(_, reason)| reason).collect()
    };
    let none: [&str; 0] = [];
    assert_eq!(of(&mut bench, "summon"), none);
    assert_eq!(of(&mut bench, "attack"), none);
    // The first option summons the bear. While it is on the stack, no other summon and no attack is
    // available.
    bench.answer(Some(0));
    assert_eq!(of(&mut bench, "summon"), ["Something is on the stack"]);
    assert_eq!(of(&mut bench, "attack"), ["Not now: stack.count == 0"; 2]);
    bench.answer(None);
    bench.answer(None);
    assert_eq!(of(&mut bench, "attack"), none);
    // The first option is now an attack with the first bear.
    bench.answer(Some(0));
    assert_eq!(of(&mut bench, "attack"), ["Already tapped"]);
    assert_eq!(of(&mut bench, "work"), none);
    // Work is the last option but one. It resolves when both players have passed.
    let options = bench.played.pending().next().map_or(0, |pending| pending.option_count());
    bench.answer(Some(options as i32 - 2));
    bench.answer(None);
    bench.answer(None);
    assert_eq!(of(&mut bench, "work"), ["The smith is tired"]);
}

#[test]
fn offers_have_a_label_a_text_and_costs() {
    let mut bench = StackMatch::new([&["bolt"], &[]], [&[], &[]], 6);
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
