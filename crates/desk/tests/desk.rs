//! What seats send to a desk, and what becomes of it.

use std::sync::Arc;

use intermezzo_compiler::Ruleset;
use intermezzo_desk::{Ahead, Desk, DeskRefusal, MAX_AHEAD, News};
use intermezzo_engine::{Datum, Input, InputId, LeaveCause, Refusal, Rejection, Seed, Setup, Viewer};
use intermezzo_journal::UndoRefusal;
use intermezzo_ruleset::{Program, Seat};

const FIRST: Seat = Seat(0);
const SECOND: Seat = Seat(1);

/// Each in turn moves a token by one to three places, or rolls for it; who lands on the trap loses the token.
const RULES: &str = r#"
ir: 1
ruleset: {id: race, version: 0.1.0, name: Race, uses: [core@1]}
outcomes: [done]
options: {trap: {type: int, default: 4}}
players: {seats: 2, props: {place: {type: int, default: 0}}}
flow:
  - repeat: 30
    as: turn
    do:
      - let: {p: "players[turn % 2]"}
      - {choose: roll, by: p, from: "[true, false]", title: Roll for it?}
      - if: roll
        then: [{roll: 1d6, as: r}, {add: {p.place: r.total}}]
        else:
          - {choose: steps, by: p, from: "range(1, if p.place == 0 then 3 else 2)", title: How far?}
          - add: {p.place: steps}
          - if: p.place == options.trap
            then: [{set: {p.place: 0}}]
"#;

fn program() -> Arc<Program> {
    let ruleset = Ruleset::from_files(&[("rules.yaml".to_owned(), RULES.as_bytes().to_vec())]);
    let compiled = ruleset.compile();
    Arc::new(compiled.program.unwrap_or_else(|| panic!("{:?}", compiled.diagnostics)))
}

fn desk() -> Desk {
    let setup = Setup { seats: 2, options: Vec::new(), seed: Seed::from_number(1), script: None };
    let mut desk = Desk::open(&program(), &setup).expect("the match begins");
    desk.take_news();
    desk
}

/// The number by which a seat knows its open question.
fn asked(desk: &mut Desk, seat: Seat) -> u32 {
    let prompts = desk.prompts(Viewer::Seat(seat));
    let Some(Datum::List(prompts)) = prompts.get("prompts") else { panic!("{prompts:?}") };
    match prompts.first().and_then(|prompt| prompt.get("inputId")) {
        Some(Datum::Int(number)) => *number as u32,
        other => panic!("seat {} is not asked: {other:?}", seat.0),
    }
}

fn answer(desk: &mut Desk, seat: Seat, answer: &Datum) {
    let question = asked(desk, seat);
    desk.answer(seat, question, answer).expect("the answer is good");
}

fn ahead(question: &str, answer: Datum) -> Ahead {
    Ahead { question: Some(question.to_owned()), answer }
}

fn place(desk: &mut Desk, seat: usize) -> i64 {
    let view = desk.view(Viewer::Spectator);
    let Some(Datum::List(players)) = view.get("players") else { panic!("{view:?}") };
    match players[seat].get("props").and_then(|props| props.get("place")) {
        Some(Datum::Int(place)) => *place,
        other => panic!("{other:?}"),
    }
}

fn rejected(outcome: Result<(), DeskRefusal>) -> Rejection {
    match outcome {
        Err(DeskRefusal::Refused(Refusal::Rejected(rejection))) => rejection,
        other => panic!("{other:?}"),
    }
}

#[test]
fn seats_answer_by_their_own_numbers() {
    let mut desk = desk();
    let question = asked(&mut desk, FIRST);
    assert_eq!(rejected(desk.answer(SECOND, 1, &Datum::Bool(true))).name(), "no_such_input");
    assert_eq!(rejected(desk.answer(FIRST, 9, &Datum::Bool(true))).name(), "no_such_input");
    assert_eq!(rejected(desk.answer(FIRST, question, &Datum::text("maybe"))).name(), "no_such_option");
    assert_eq!(rejected(desk.answer(Seat(5), 1, &Datum::Bool(true))).name(), "no_such_seat");
    assert_eq!(desk.version(), 0, "nothing was taken");
    desk.answer(FIRST, question, &Datum::Bool(false)).expect("the answer is good");
    let again = rejected(desk.answer(FIRST, question, &Datum::Bool(false)));
    assert_eq!(again, Rejection::InputClosed { input: InputId(question) });
    assert_eq!((desk.version(), desk.expect(0)), (1, Err(DeskRefusal::Stale { version: 1 })));
}

#[test]
fn answers_sent_ahead_are_used_when_their_time_comes() {
    let mut desk = desk();
    let line = vec![
        ahead("roll", Datum::Bool(false)),
        ahead("steps", Datum::Int(1)),
        ahead("roll", Datum::Bool(false)),
        ahead("steps", Datum::Int(2)),
    ];
    desk.send_ahead(FIRST, line).expect("there is room for four");
    assert_eq!((desk.ahead_of(FIRST), place(&mut desk, 0)), (2, 1), "two are used at once");
    answer(&mut desk, SECOND, &Datum::Bool(false));
    answer(&mut desk, SECOND, &Datum::Int(3));
    assert_eq!((desk.ahead_of(FIRST), place(&mut desk, 0)), (0, 3), "two after the other seat's turn");
    assert!(desk.take_news().iter().all(|(_, news)| *news != News::AheadForgotten));
    let question = asked(&mut desk, SECOND);
    assert!(question > 2, "and now the second is asked again");
}

#[test]
fn what_no_longer_fits_is_forgotten_with_all_behind_it() {
    let mut desk = desk();
    let far = || vec![ahead("roll", Datum::Bool(false)), ahead("steps", Datum::Int(3))];
    let both: Vec<Ahead> = far().into_iter().chain(far()).chain(far()).collect();
    desk.send_ahead(FIRST, both).expect("there is room for six");
    assert_eq!(place(&mut desk, 0), 3);
    desk.take_news();
    answer(&mut desk, SECOND, &Datum::Bool(false));
    answer(&mut desk, SECOND, &Datum::Int(1));
    let told: Vec<Viewer> = desk
        .take_news()
        .into_iter()
        .filter(|(_, news)| *news == News::AheadForgotten)
        .map(|(viewer, _)| viewer)
        .collect();
    assert_eq!(told, [Viewer::Seat(FIRST)], "three steps are too far, and nobody else is told");
    assert_eq!((desk.ahead_of(FIRST), place(&mut desk, 0)), (0, 3));
    asked(&mut desk, FIRST);

    let wrong = vec![ahead("roll", Datum::Bool(true))];
    desk.send_ahead(FIRST, wrong).expect("there is room for one");
    assert_eq!(desk.ahead_of(FIRST), 0, "another question is open");
    let flood = vec![ahead("roll", Datum::Bool(true)); MAX_AHEAD + 1];
    assert_eq!(desk.send_ahead(FIRST, flood), Err(DeskRefusal::TooFarAhead));
}

#[test]
fn one_takes_back_alone_what_nobody_learned_from() {
    let mut desk = desk();
    answer(&mut desk, FIRST, &Datum::Bool(false));
    let old = asked(&mut desk, FIRST);
    answer(&mut desk, FIRST, &Datum::Int(2));
    desk.take_news();
    assert_eq!(desk.take_back(FIRST), Ok(true));
    let news = desk.take_news();
    assert_eq!(news.len(), 3, "both seats and the spectators look again");
    assert!(news.iter().all(|(_, news)| *news == News::TakenBack { by: FIRST }));
    assert_eq!(place(&mut desk, 0), 0);
    let new = asked(&mut desk, FIRST);
    assert!(new > old, "numbers of questions are not used again");
    let late = rejected(desk.answer(FIRST, old, &Datum::Int(1)));
    assert_eq!(late, Rejection::InputClosed { input: InputId(old) });
    answer(&mut desk, FIRST, &Datum::Int(1));
    assert_eq!(place(&mut desk, 0), 1);
}

#[test]
fn after_a_roll_the_other_has_to_agree() {
    let mut desk = desk();
    answer(&mut desk, FIRST, &Datum::Bool(true));
    desk.take_news();
    assert_eq!(desk.take_back(FIRST), Ok(false));
    assert_eq!(desk.take_news(), [(Viewer::Seat(SECOND), News::WouldTakeBack { by: FIRST })]);
    assert_eq!(desk.consent(), Some((FIRST, vec![SECOND])));
    assert_eq!(desk.agree(FIRST), Err(DeskRefusal::NotAskedToAgree));
    desk.decline(SECOND).expect("the second was asked");
    let told: Vec<Viewer> = desk.take_news().into_iter().map(|(viewer, _)| viewer).collect();
    assert_eq!(told, [Viewer::Seat(SECOND), Viewer::Seat(FIRST)], "both know that it is off");
    assert_eq!(desk.agree(SECOND), Err(DeskRefusal::NotAskedToAgree), "it is too late to agree");

    assert_eq!(desk.take_back(FIRST), Ok(false));
    assert_eq!(desk.agree(SECOND), Ok(true));
    assert_eq!((place(&mut desk, 0), desk.file().branches.len()), (0, 1));
}

#[test]
fn what_happens_meanwhile_ends_the_asking() {
    let mut desk = desk();
    answer(&mut desk, FIRST, &Datum::Bool(true));
    assert_eq!(desk.take_back(FIRST), Ok(false));
    answer(&mut desk, SECOND, &Datum::Bool(true));
    assert_eq!(desk.consent(), None);
    assert_eq!(desk.agree(SECOND), Err(DeskRefusal::NotAskedToAgree));
    desk.submit(&Input::Leave { seat: SECOND, cause: LeaveCause::Concede }).expect("one may always leave");
    assert_eq!(desk.take_back(FIRST), Err(DeskRefusal::NotTakenBack(UndoRefusal::SeatGone)));
}

#[test]
fn a_match_goes_on_at_another_desk() {
    let mut first = desk();
    answer(&mut first, FIRST, &Datum::Bool(false));
    answer(&mut first, FIRST, &Datum::Int(2));
    assert_eq!(first.take_back(FIRST), Ok(true));
    let mut second = Desk::resume(first.file(), &program()).expect("the file tells the truth");
    assert_eq!(second.playing().state_hash(), first.playing().state_hash());
    answer(&mut second, FIRST, &Datum::Int(3));
    assert_eq!(place(&mut second, 0), 3);
}
