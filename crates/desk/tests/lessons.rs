//! What a learner is told with questions.

use std::sync::Arc;

use intermezzo_compiler::Ruleset;
use intermezzo_desk::{Desk, Entry};
use intermezzo_engine::{Datum, Seed, Setup, Viewer};
use intermezzo_ruleset::Seat;

/// Each in turn lays a card of theirs on the table, or keeps it.
const RULES: &str = r#"
ir: 1
ruleset: {id: laying, version: 0.1.0, name: Laying, uses: [core@1]}
outcomes: [done]
players: {seats: 2}
kinds: {card: {}}
zones: {hand: {of: player, visible: owner}, table: {visible: all}}
defs: {slip: {kind: card}}
setup:
  - each: players
    as: p
    do:
      - repeat: 4
        max: 4
        do: [{create: slip, owner: p, in: p.hand}]
flow:
  - repeat: 20
    as: turn
    do:
      - let: {p: "players[turn % 2]"}
      - {choose: laid, by: p, from: p.hand, min: 0, max: 1, title: Lay a card?}
      - if: laid != null
        then: [{move: laid, to: table}]
tutorial:
  - {id: hello, say: Welcome.}
  - id: lay
    say: Lay a card.
    question: laid
    if: you.hand.count > 0
    highlight: you.hand + next(you).hand
    until: {after: Moved, if: event.entity.owner == you}
  - {id: table, say: See., highlight: table}
"#;

fn desk(learners: &[Seat]) -> Desk {
    let ruleset = Ruleset::from_files(&[("rules.yaml".to_owned(), RULES.as_bytes().to_vec())]);
    let program = Arc::new(ruleset.compile().program.expect("the ruleset has no errors"));
    let setup = Setup { seats: 2, options: Vec::new(), seed: Seed::from_number(1), script: None };
    let (mut desk, _) = Desk::open(&program, &setup).expect("the match begins");
    for seat in learners {
        let taken = desk.take(&Entry::Teach { seat: *seat }, None).expect("there is such a seat");
        let told: Vec<Viewer> = taken.shown.iter().map(|shown| shown.viewer).collect();
        assert_eq!(told, [Viewer::Seat(*seat)], "who learns is asked with a lesson; nobody else notices");
    }
    desk
}

fn prompt(desk: &mut Desk, seat: Seat) -> Datum {
    let prompts = desk.prompts(Viewer::Seat(seat));
    let Some(Datum::List(prompts)) = prompts.get("prompts") else { panic!("{prompts:?}") };
    prompts.first().expect("the seat is asked").clone()
}

/// The lesson told with the open question, and how many things it is about.
fn lesson(desk: &mut Desk, seat: Seat) -> Option<(String, usize)> {
    let prompt = prompt(desk, seat);
    let lesson = prompt.get("lesson")?;
    match (lesson.get("id"), lesson.get("highlight")) {
        (Some(Datum::Text(id)), Some(Datum::List(about))) => Some((id.clone().into(), about.len())),
        other => panic!("{other:?}"),
    }
}

fn answer(desk: &mut Desk, seat: Seat, picks: &[i64]) {
    let Some(Datum::Int(question)) = prompt(desk, seat).get("inputId").cloned() else { panic!("no number") };
    let picks = Datum::List(picks.iter().copied().map(Datum::Int).collect());
    let entry = desk.answer(seat, question as u32, &picks).expect("the answer is good");
    desk.take(&entry, None).expect("the answer is taken");
}

#[test]
fn lessons_come_one_after_the_other() {
    let (learner, other) = (Seat(0), Seat(1));
    let mut desk = desk(&[learner]);
    assert_eq!(lesson(&mut desk, learner), Some(("hello".to_owned(), 0)));
    assert_eq!(lesson(&mut desk, learner), Some(("hello".to_owned(), 0)), "as long as the question is open");
    answer(&mut desk, learner, &[]);
    assert_eq!(lesson(&mut desk, other), None, "the other has played it before");
    answer(&mut desk, other, &[0]);
    let told = lesson(&mut desk, learner);
    assert_eq!(told, Some(("lay".to_owned(), 4)), "it is about one's own cards: others are not in sight");
    answer(&mut desk, learner, &[]);
    answer(&mut desk, other, &[]);
    assert_eq!(lesson(&mut desk, learner).map(|(id, _)| id), Some("lay".to_owned()), "until one is laid");
    answer(&mut desk, learner, &[0]);
    answer(&mut desk, other, &[]);
    assert_eq!(lesson(&mut desk, learner), Some(("table".to_owned(), 2)));
    answer(&mut desk, learner, &[]);
    answer(&mut desk, other, &[]);
    assert_eq!(lesson(&mut desk, learner), None, "that was all");
}

#[test]
fn what_is_taken_back_was_not_learned() {
    let learner = Seat(0);
    let mut desk = desk(&[learner]);
    lesson(&mut desk, learner);
    answer(&mut desk, learner, &[]);
    answer(&mut desk, Seat(1), &[]);
    lesson(&mut desk, learner);
    answer(&mut desk, learner, &[0]);
    desk.take(&Entry::TakeBack { seat: learner }, None).expect("there is something to take back");
    assert_eq!(desk.consent(), Some((learner, vec![Seat(1)])), "a card has come to light");
    desk.take(&Entry::Agree { seat: Seat(1) }, None).expect("the other was asked");
    assert!(lesson(&mut desk, learner).is_some_and(|(id, _)| id != "table"), "no card was laid after all");
}
