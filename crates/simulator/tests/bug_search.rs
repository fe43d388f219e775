//! The bug search finds bugs, minimizes them, and writes scenarios that reproduce them.

use intermezzo_program::{KindId, Seat, word};
use intermezzo_scenario::Suite;
use intermezzo_simulator::bug_search::{BugKind, BugSearch, FoundBug};
use intermezzo_simulator::experiment::Progress;
use intermezzo_simulator::laws::{LAWS, Law, LawResult, LawViolation};
use intermezzo_simulator::{Fixture, InputMix, fixtures, play};

/// Rule that ends the match when a player leaves.
const HEAD: &str = "ir: 1
ruleset: {id: planted, version: 0.1.0, name: Planted}
outcomes: [done]
";
const LEAVING: &str = "reactions: [{id: leaving_ends, when: {after: PlayerLeft}, effects: [{end: done}]}]
";

fn search(rules: &str, seeds: u64) -> Vec<FoundBug> {
    let files = vec![("rules.yaml".to_owned(), format!("{HEAD}{rules}").into_bytes())];
    let fixture = Fixture::new("planted", files).unwrap_or_else(|problems| panic!("{problems}"));
    let search = BugSearch { fixture: &fixture, seed: 0, seeds, max_inputs: 500, laws: LAWS };
    let found = search.run(2, &Progress::default());
    let again = search.run(1, &Progress::default());
    let told = |found: &[FoundBug]| found.iter().map(|find| find.scenario.clone()).collect::<Vec<_>>();
    assert_eq!(told(&found), told(&again), "threads make no difference");
    found
}

/// Returns the only bug found, in a ruleset where leaving ends the match.
fn only(rules: &str, seeds: u64) -> FoundBug {
    let mut found = search(&format!("{rules}{LEAVING}"), seeds);
    assert_eq!(found.len(), 1, "{found:#?}");
    found.remove(0)
}

/// Runs the scenario like `intermezzo test`.
fn tested(rules: &str, find: &FoundBug) -> Result<(), String> {
    let files = [
        ("rules.yaml".to_owned(), format!("{HEAD}{rules}").into_bytes()),
        (format!("scenarios/{}", find.file), find.scenario.clone().into_bytes()),
    ];
    let suite = Suite::from_files(&files);
    let report = suite.run_one(&find.kind.to_string());
    match report.passed {
        1 => Ok(()),
        _ => Err(suite.render(&report, false)),
    }
}

/// Rules that fail after three yeses in a row, with any other answers before.
const FAULT: &str = "players: {seats: 2, min: 2, max: 4, props: {row: {type: int, default: 0}}}
flow:
  - repeat: 30
    do:
      - each: players
        as: p
        do:
          - {choose: answer, by: p, from: \"[true, false]\"}
          - if: answer
            then: [{add: {p.row: 1}}]
            else: [{set: {p.row: 0}}]
          - let: {share: \"10 / (3 - p.row)\"}
          - if: share > 99
            then: [{end: done, winners: \"[p]\"}]
  - {end: done}
";

#[test]
fn a_rule_that_fails_is_found_within_ten_seeds() {
    let find = only(FAULT, 10);
    assert_eq!(find.kind.slug(), "fault");
    assert!(
        matches!(&find.kind, BugKind::Fault { code: "division_by_zero", place, alone: false } if place == "rules.yaml:15"),
        "{}",
        find.kind
    );
    assert_eq!(find.inputs, 5, "three times yes, and what the other answers between:\n{}", find.scenario);
    assert!(!find.scenario.contains("seats:"), "two seats are enough:\n{}", find.scenario);
    let said = tested(FAULT, &find).expect_err("it shows what is wrong");
    assert!(said.contains("a rule failed at rules.yaml:15: division_by_zero"), "{said}");
    let fixed = FAULT.replace("(3 - p.row)", "max(1, 3 - p.row)");
    tested(&fixed, &find).unwrap_or_else(|said| panic!("the rules are fixed: {said}\n{}", find.scenario));
}

/// Rules that do not handle players who leave and keep asking them.
const DEAD_END: &str = "players: {seats: 2}
flow:
  - repeat: 5
    do:
      - {choose: warm, by: \"players[0]\", from: \"[1, 2]\"}
      - {choose: cold, by: \"players[1]\", from: \"[1, 2]\", pass: true}
  - {end: done}
";

#[test]
fn a_dead_end_is_found_within_sixty_seeds() {
    let found = search(DEAD_END, 60);
    let questions = found.iter().map(|find| match &find.kind {
        BugKind::DeadEnd { question } => question.as_str(),
        other => panic!("{other}"),
    });
    assert_eq!(questions.collect::<Vec<_>>(), ["cold", "warm"]);
    let [cold, warm] = &found[..] else { panic!("two are found") };
    assert_eq!((cold.inputs, warm.inputs), (2, 1), "{}{}", cold.scenario, warm.scenario);
    let said = tested(DEAD_END, cold).expect_err("it shows what is wrong");
    assert!(said.contains("the match should have ended"), "{said}");
}

/// Rules that never end once a player has locked the door.
const ENDLESS: &str = "players: {seats: 2}
match: {props: {locked: {type: bool, default: false}}}
flow:
  - repeat: forever
    do:
      - {choose: what, by: \"players[0]\", from: \"[1, 2, 3, 4]\"}
      - if: what == 4
        then: [{set: {match.locked: true}}]
      - if: what == 3 and not match.locked
        then: [{end: done, winners: players}]
";

#[test]
fn a_match_without_end_is_found_within_ten_seeds() {
    let find = only(ENDLESS, 10);
    assert_eq!(find.kind, BugKind::Endless);
    assert_eq!(find.inputs, 1, "locking the door is enough:\n{}", find.scenario);
    let said = tested(ENDLESS, &find).expect_err("it shows what is wrong");
    assert!(said.contains("the match should have ended"), "{said}");
}

/// Rules that violate a law made for this test: no ruleset is known that violates a real law.
const LAW: &str = "players: {seats: 2, props: {points: {type: int, default: 0}}}
flow:
  - repeat: 20
    do:
      - {choose: more, by: \"players[0]\", from: \"[0, 1, 2]\"}
      - {add: {\"players[0].points\": more}}
  - {end: done}
";

/// Law of this test: nobody ever has five points or more.
fn points_stay_below_five(fixture: &Fixture, seed: u64) -> LawResult {
    let program = &fixture.program;
    let mix = InputMix { max_inputs: fixture.max_inputs.unwrap_or(100), ..InputMix::orderly() };
    let played = play(program, seed, &[], &mix).expect("the match starts");
    let name = program.symbol_named("points").expect("there are points");
    let prop = program.prop_of(KindId::PLAYER, name).expect("players have points");
    let column = program.props[prop.index()].column;
    match played.state.board().column(word::player(Seat(0)), column) {
        Some(points) if points >= 5 => Err(LawViolation {
            ruleset: fixture.name.clone(),
            seed,
            detail: format!("there are {points} points"),
            inputs: played.inputs,
            is_fault: false,
        }),
        _ => Ok(()),
    }
}

#[test]
fn a_violated_law_is_found_within_one_seed_and_minimized() {
    let files = vec![("rules.yaml".to_owned(), format!("{HEAD}{LAW}{LEAVING}").into_bytes())];
    let fixture = Fixture::new("planted", files).unwrap_or_else(|problems| panic!("{problems}"));
    let laws: &[(&str, Law)] = &[("points_stay_below_five", points_stay_below_five)];
    let found = BugSearch { fixture: &fixture, seed: 0, seeds: 1, max_inputs: 500, laws }
        .run(1, &Progress::default());
    let [find] = &found[..] else { panic!("{found:#?}") };
    assert_eq!(find.kind, BugKind::Law { name: "points_stay_below_five" });
    assert!(find.detail == "there are 5 points" || find.detail == "there are 6 points", "{}", find.detail);
    assert!((3..=10).contains(&find.inputs), "{}", find.scenario);
    assert_eq!(find.scenario.matches("- p0:").count(), find.inputs, "{}", find.scenario);
    tested(&format!("{LAW}{LEAVING}"), find).expect("scenarios do not know this law, but lead there");
}

#[test]
fn a_match_that_fails_at_the_start_is_reproduced_by_its_seed() {
    let rules = "players: {seats: 2}
setup:
  - {roll: 1d4, as: thrown}
  - let: {share: 10 / (thrown.total - 3)}
flow:
  - if: 1 > 2
    then: [{end: done}]
";
    let find = only(rules, 20);
    assert_eq!((find.kind.slug(), find.inputs), ("fault", 0));
    let said = tested(rules, &find).expect_err("it shows what is wrong");
    assert!(said.contains("the match cannot start"), "{said}\n{}", find.scenario);
}

#[test]
fn a_correct_ruleset_has_no_bugs() {
    for name in ["orcain", "mages"] {
        let fixture = fixtures::all().into_iter().find(|fixture| fixture.name == name).expect("it is there");
        let search = BugSearch { fixture: &fixture, seed: 0, seeds: 9, max_inputs: 5000, laws: LAWS };
        let found = search.run(2, &Progress::default());
        assert!(found.is_empty(), "{name}: {found:#?}");
    }
}

#[test]
fn a_fault_before_the_match_begins_names_its_place() {
    let rules = "players: {seats: 2, props: {share: {type: int, default: 12 / options.among}}}
options: {among: {type: int, default: 0}}
flow: [{choose: c, by: \"players[0]\", from: \"[1]\"}]
";
    let found = only(rules, 2);
    assert_eq!(found.kind.to_string(), "a rule fails with division_by_zero at rules.yaml:4");
}
