//! What is planted is found, made small, and shown again by a scenario.

use intermezzo_ruleset::{KindId, Seat, word};
use intermezzo_scenario::Suite;
use intermezzo_simulator::hunt::{Find, Hunt, Kind};
use intermezzo_simulator::laws::{Broken, LAWS, Law, Verdict};
use intermezzo_simulator::study::Progress;
use intermezzo_simulator::{Habits, Subject, play, subjects};

/// Who leaves ends the match.
const HEAD: &str = "ir: 1
ruleset: {id: planted, version: 0.1.0, name: Planted}
outcomes: [done]
";
const LEAVING: &str = "reactions: [{id: leaving_ends, when: {after: PlayerLeft}, effects: [{end: done}]}]
";

fn hunt(rules: &str, seeds: u64) -> Vec<Find> {
    let files = vec![("rules.yaml".to_owned(), format!("{HEAD}{rules}").into_bytes())];
    let subject = Subject::new("planted", files).unwrap_or_else(|problems| panic!("{problems}"));
    let hunt = Hunt { subject: &subject, seed: 0, seeds, max_inputs: 500, laws: LAWS };
    let found = hunt.run(2, &Progress::default());
    let again = hunt.run(1, &Progress::default());
    let told = |found: &[Find]| found.iter().map(|find| find.scenario.clone()).collect::<Vec<_>>();
    assert_eq!(told(&found), told(&again), "threads make no difference");
    found
}

/// The only thing that is found if whoever leaves ends the match.
fn only(rules: &str, seeds: u64) -> Find {
    let mut found = hunt(&format!("{rules}{LEAVING}"), seeds);
    assert_eq!(found.len(), 1, "{found:#?}");
    found.remove(0)
}

/// What `intermezzo test` says to the scenario with these rules.
fn tested(rules: &str, find: &Find) -> Result<(), String> {
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

/// Somebody has to say yes three times in a row, with any number of other answers before.
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
    assert_eq!(find.kind.word(), "fault");
    assert!(
        matches!(&find.kind, Kind::Fault { code: "division_by_zero", place, alone: false } if place == "rules.yaml:15"),
        "{}",
        find.kind
    );
    assert_eq!(find.inputs, 5, "three times yes, and what the other answers between:\n{}", find.scenario);
    assert!(!find.scenario.contains("seats:"), "two seats are enough:\n{}", find.scenario);
    let said = tested(FAULT, &find).expect_err("it shows what is wrong");
    assert!(said.contains("a rule failed at rules.yaml:15: division_by_zero"), "{said}");
    let mended = FAULT.replace("(3 - p.row)", "max(1, 3 - p.row)");
    tested(&mended, &find).unwrap_or_else(|said| panic!("the rules are mended: {said}\n{}", find.scenario));
}

/// Nothing is said about players who leave, and they are asked all the same.
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
    let found = hunt(DEAD_END, 60);
    let questions = found.iter().map(|find| match &find.kind {
        Kind::DeadEnd { question } => question.as_str(),
        other => panic!("{other}"),
    });
    assert_eq!(questions.collect::<Vec<_>>(), ["cold", "warm"]);
    let [cold, warm] = &found[..] else { panic!("two are found") };
    assert_eq!((cold.inputs, warm.inputs), (2, 1), "{}{}", cold.scenario, warm.scenario);
    let said = tested(DEAD_END, cold).expect_err("it shows what is wrong");
    assert!(said.contains("the match should have ended"), "{said}");
}

/// Who has locked the door can only turn round and round.
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
    assert_eq!(find.kind, Kind::Endless);
    assert_eq!(find.inputs, 1, "locking the door is enough:\n{}", find.scenario);
    let said = tested(ENDLESS, &find).expect_err("it shows what is wrong");
    assert!(said.contains("the match should have ended"), "{said}");
}

/// No ruleset is known that breaks a law of ours, so here is one that breaks a law of its own.
const LAW: &str = "players: {seats: 2, props: {points: {type: int, default: 0}}}
flow:
  - repeat: 20
    do:
      - {choose: more, by: \"players[0]\", from: \"[0, 1, 2]\"}
      - {add: {\"players[0].points\": more}}
  - {end: done}
";

/// Nobody ever has five points or more.
fn points_stay_below_five(subject: &Subject, seed: u64) -> Verdict {
    let program = &subject.program;
    let habits = Habits { max_inputs: subject.max_inputs.unwrap_or(100), ..Habits::orderly() };
    let played = play(program, seed, &[], &habits).expect("the match begins");
    let name = program.symbol_named("points").expect("there are points");
    let prop = program.prop_of(KindId::PLAYER, name).expect("players have points");
    let column = program.props[prop.index()].column;
    match played.state.board().column(word::player(Seat(0)), column) {
        Some(points) if points >= 5 => Err(Broken {
            ruleset: subject.name.clone(),
            seed,
            detail: format!("there are {points} points"),
            inputs: played.inputs,
            is_fault: false,
        }),
        _ => Ok(()),
    }
}

#[test]
fn a_broken_law_is_found_within_one_seed_and_told_by_a_short_match() {
    let files = vec![("rules.yaml".to_owned(), format!("{HEAD}{LAW}{LEAVING}").into_bytes())];
    let subject = Subject::new("planted", files).unwrap_or_else(|problems| panic!("{problems}"));
    let laws: &[(&str, Law)] = &[("points_stay_below_five", points_stay_below_five)];
    let found =
        Hunt { subject: &subject, seed: 0, seeds: 1, max_inputs: 500, laws }.run(1, &Progress::default());
    let [find] = &found[..] else { panic!("{found:#?}") };
    assert_eq!(find.kind, Kind::Law { name: "points_stay_below_five" });
    assert!(find.detail == "there are 5 points" || find.detail == "there are 6 points", "{}", find.detail);
    assert!((3..=10).contains(&find.inputs), "{}", find.scenario);
    assert_eq!(find.scenario.matches("- p0:").count(), find.inputs, "{}", find.scenario);
    tested(&format!("{LAW}{LEAVING}"), find).expect("scenarios do not know this law, but lead there");
}

#[test]
fn a_match_that_fails_at_once_is_told_by_its_seed() {
    let rules = "players: {seats: 2}
setup:
  - {roll: 1d4, as: thrown}
  - let: {share: 10 / (thrown.total - 3)}
flow:
  - if: 1 > 2
    then: [{end: done}]
";
    let find = only(rules, 20);
    assert_eq!((find.kind.word(), find.inputs), ("fault", 0));
    let said = tested(rules, &find).expect_err("it shows what is wrong");
    assert!(said.contains("the match cannot begin"), "{said}\n{}", find.scenario);
}

#[test]
fn nothing_is_found_where_nothing_is_wrong() {
    for name in ["orcain", "mages"] {
        let subject = subjects::all().into_iter().find(|subject| subject.name == name).expect("it is there");
        let hunt = Hunt { subject: &subject, seed: 0, seeds: 9, max_inputs: 5000, laws: LAWS };
        let found = hunt.run(2, &Progress::default());
        assert!(found.is_empty(), "{name}: {found:#?}");
    }
}
