//! Tutorial lessons in prompts.

use std::sync::Arc;

use intermezzo_compiler::Ruleset;
use intermezzo_engine::{Datum, Seed, Setup, Viewer};
use intermezzo_program::Seat;
use intermezzo_session::{Session, SessionEntry};

/// Players in turn lay a card on the table, or keep it.
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

fn start(learners: &[Seat]) -> Session {
    let ruleset = Ruleset::from_files(&[("rules.yaml".to_owned(), RULES.as_bytes().to_vec())]);
    let program = Arc::new(ruleset.compile().program.expect("the ruleset has no errors"));
    let setup = Setup { seats: 2, options: Vec::new(), seed: Seed::from_number(1), script: None };
    let (mut session, _) = Session::start(&program, &setup).expect("the match starts");
    for seat in learners {
        let update =
            session.apply(&SessionEntry::StartTutorial { seat: *seat }, None).expect("the seat exists");
        let received: Vec<Viewer> = update.viewers.iter().map(|shown| shown.viewer).collect();
        assert_eq!(received, [Viewer::Seat(*seat)], "only the learner's prompt changes");
    }
    session
}

fn prompt(session: &mut Session, seat: Seat) -> Datum {
    let prompts = session.prompts(Viewer::Seat(seat));
    let Some(Datum::List(prompts)) = prompts.get("prompts") else { panic!("{prompts:?}") };
    prompts.first().expect("the seat is asked").clone()
}

/// Returns the lesson of the open question, and the number of highlighted entities.
fn lesson(session: &mut Session, seat: Seat) -> Option<(String, usize)> {
    let prompt = prompt(session, seat);
    let lesson = prompt.get("lesson")?;
    match (lesson.get("id"), lesson.get("highlight")) {
        (Some(Datum::Text(id)), Some(Datum::List(about))) => Some((id.clone().into(), about.len())),
        other => panic!("{other:?}"),
    }
}

fn answer(session: &mut Session, seat: Seat, picks: &[i64]) {
    let Some(Datum::Int(question)) = prompt(session, seat).get("inputId").cloned() else {
        panic!("no number")
    };
    let numbered = |pick: &i64| Datum::Map(vec![("n".into(), Datum::Int(*pick))]);
    let picks = Datum::List(picks.iter().map(numbered).collect());
    let entry = session.resolve_answer(seat, question as u32, &picks).expect("the answer is valid");
    session.apply(&entry, None).expect("the answer is accepted");
}

#[test]
fn lessons_come_one_after_the_other() {
    let (learner, other) = (Seat(0), Seat(1));
    let mut session = start(&[learner]);
    assert_eq!(lesson(&mut session, learner), Some(("hello".to_owned(), 0)));
    assert_eq!(
        lesson(&mut session, learner),
        Some(("hello".to_owned(), 0)),
        "as long as the question is open"
    );
    answer(&mut session, learner, &[]);
    assert_eq!(lesson(&mut session, other), None, "only the learner gets lessons");
    answer(&mut session, other, &[0]);
    let received = lesson(&mut session, learner);
    assert_eq!(received, Some(("lay".to_owned(), 4)), "only the learner's own cards are visible");
    answer(&mut session, learner, &[]);
    answer(&mut session, other, &[]);
    assert_eq!(
        lesson(&mut session, learner).map(|(id, _)| id),
        Some("lay".to_owned()),
        "until the learner lays a card"
    );
    answer(&mut session, learner, &[0]);
    answer(&mut session, other, &[]);
    assert_eq!(lesson(&mut session, learner), Some(("table".to_owned(), 2)));
    answer(&mut session, learner, &[]);
    answer(&mut session, other, &[]);
    assert_eq!(lesson(&mut session, learner), None, "no lesson is left");
}

#[test]
fn an_undone_move_does_not_complete_a_lesson() {
    let learner = Seat(0);
    let mut session = start(&[learner]);
    lesson(&mut session, learner);
    answer(&mut session, learner, &[]);
    answer(&mut session, Seat(1), &[]);
    lesson(&mut session, learner);
    answer(&mut session, learner, &[0]);
    session.apply(&SessionEntry::Undo { seat: learner }, None).expect("there is something to take back");
    assert_eq!(session.undo_request(), Some((learner, vec![Seat(1)])), "a hidden card was revealed");
    session.apply(&SessionEntry::AgreeToUndo { seat: Seat(1) }, None).expect("the other was asked");
    assert!(
        lesson(&mut session, learner).is_some_and(|(id, _)| id != "table"),
        "the undone move does not count"
    );
}
