//! What seats send to a desk, and what becomes of it.

use std::sync::Arc;

use intermezzo_compiler::Ruleset;
use intermezzo_desk::{Ahead, Desk, DeskRefusal, Entry, MAX_AHEAD, Notice, Shown, Taken, record};
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

fn setup() -> Setup {
    Setup { seats: 2, options: Vec::new(), seed: Seed::from_number(1), script: None }
}

fn desk() -> Desk {
    Desk::open(&program(), &setup()).expect("the match begins").0
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

fn answer(desk: &mut Desk, seat: Seat, answer: &Datum) -> Taken {
    let question = asked(desk, seat);
    let entry = desk.answer(seat, question, answer).expect("the answer is good");
    desk.take(&entry, None).expect("the answer is taken")
}

fn take(desk: &mut Desk, entry: &Entry) -> Taken {
    desk.take(entry, None).expect("the entry is taken")
}

fn refused(desk: &mut Desk, entry: &Entry) -> DeskRefusal {
    desk.take(entry, None).expect_err("the entry is refused")
}

/// All that viewers are told apart from events.
fn notices(taken: &Taken) -> Vec<(Viewer, Notice)> {
    let of = |shown: &Shown| {
        let viewer = shown.viewer;
        shown.notices.clone().into_iter().map(move |notice| (viewer, notice))
    };
    taken.shown.iter().flat_map(of).collect()
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

fn rejected(outcome: Result<Entry, DeskRefusal>) -> Rejection {
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
    let viewer = Viewer::Seat(FIRST);
    assert_eq!(desk.version(viewer), 1, "nothing was taken but the start");
    answer(&mut desk, FIRST, &Datum::Bool(false));
    let again = rejected(desk.answer(FIRST, question, &Datum::Bool(false)));
    assert_eq!(again, Rejection::InputClosed { input: InputId(question) });
    assert_eq!((desk.version(viewer), desk.expect(viewer, 2)), (2, Ok(())));
    assert_eq!(desk.expect(viewer, 1), Err(DeskRefusal::Stale { version: 2 }));
}

#[test]
fn everyone_is_shown_what_they_notice() {
    let mut desk = desk();
    answer(&mut desk, FIRST, &Datum::Bool(false));
    let old = desk.view(Viewer::Spectator).clone();
    let taken = answer(&mut desk, FIRST, &Datum::Int(2));
    let viewers: Vec<Viewer> = taken.shown.iter().map(|shown| shown.viewer).collect();
    assert_eq!(viewers, [Viewer::Seat(FIRST), Viewer::Seat(SECOND), Viewer::Spectator]);
    assert!(taken.shown.iter().all(|shown| !shown.events.is_empty() && shown.prompts_changed));
    assert_eq!(taken.shown[2].before.as_ref(), Some(&old));
    assert_eq!((taken.shown[2].version, taken.state), (3, desk.playing().state_hash()));
    assert_ne!(*desk.view(Viewer::Spectator), old);
    assert!(!taken.log.is_empty());
    let pending = desk.pending();
    assert_eq!((pending.len(), pending[0].seat, pending[0].question), (1, SECOND, 1));
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
    let mut told = notices(&take(&mut desk, &Entry::Ahead { seat: FIRST, answers: line }));
    assert_eq!((desk.ahead_of(FIRST), place(&mut desk, 0)), (2, 1), "two are used at once");
    told.extend(notices(&answer(&mut desk, SECOND, &Datum::Bool(false))));
    told.extend(notices(&answer(&mut desk, SECOND, &Datum::Int(3))));
    assert_eq!((desk.ahead_of(FIRST), place(&mut desk, 0)), (0, 3), "two after the other seat's turn");
    assert_eq!(told, []);
    let question = asked(&mut desk, SECOND);
    assert!(question > 2, "and now the second is asked again");
}

#[test]
fn what_no_longer_fits_is_forgotten_with_all_behind_it() {
    let mut desk = desk();
    let far = || vec![ahead("roll", Datum::Bool(false)), ahead("steps", Datum::Int(3))];
    let answers: Vec<Ahead> = far().into_iter().chain(far()).chain(far()).collect();
    take(&mut desk, &Entry::Ahead { seat: FIRST, answers });
    assert_eq!(place(&mut desk, 0), 3);
    answer(&mut desk, SECOND, &Datum::Bool(false));
    let told = notices(&answer(&mut desk, SECOND, &Datum::Int(1)));
    let only = (Viewer::Seat(FIRST), Notice::AheadForgotten);
    assert_eq!(told, [only], "three steps are too far, and nobody else is told");
    assert_eq!((desk.ahead_of(FIRST), place(&mut desk, 0)), (0, 3));
    asked(&mut desk, FIRST);

    let answers = vec![ahead("roll", Datum::Bool(true))];
    take(&mut desk, &Entry::Ahead { seat: FIRST, answers });
    assert_eq!(desk.ahead_of(FIRST), 0, "another question is open");
    let flood = vec![ahead("roll", Datum::Bool(true)); MAX_AHEAD + 1];
    let flood = Entry::Ahead { seat: FIRST, answers: flood };
    assert_eq!(refused(&mut desk, &flood), DeskRefusal::TooFarAhead);
}

#[test]
fn what_is_kept_for_later_is_noticed_by_nobody() {
    let mut desk = desk();
    let answers = vec![ahead("roll", Datum::Bool(true))];
    let taken = take(&mut desk, &Entry::Ahead { seat: SECOND, answers });
    assert_eq!((taken.shown, desk.ahead_of(SECOND)), (Vec::new(), 1));
}

#[test]
fn one_takes_back_alone_what_nobody_learned_from() {
    let mut desk = desk();
    answer(&mut desk, FIRST, &Datum::Bool(false));
    let old = asked(&mut desk, FIRST);
    answer(&mut desk, FIRST, &Datum::Int(2));
    let taken = take(&mut desk, &Entry::TakeBack { seat: FIRST });
    let told = notices(&taken);
    assert_eq!(told.len(), 3, "both seats and the spectators look again");
    assert!(told.iter().all(|(_, notice)| *notice == Notice::TakenBack { by: FIRST }));
    assert!(taken.shown.iter().all(|shown| shown.before.is_some()) && taken.log.is_empty());
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
    let told = notices(&take(&mut desk, &Entry::TakeBack { seat: FIRST }));
    assert_eq!(told, [(Viewer::Seat(SECOND), Notice::WouldTakeBack { by: FIRST })]);
    assert_eq!(desk.consent(), Some((FIRST, vec![SECOND])));
    assert_eq!(refused(&mut desk, &Entry::Agree { seat: FIRST }), DeskRefusal::NotAskedToAgree);
    let told = notices(&take(&mut desk, &Entry::Decline { seat: SECOND }));
    let told: Vec<Viewer> = told.into_iter().map(|(viewer, _)| viewer).collect();
    assert_eq!(told, [Viewer::Seat(FIRST), Viewer::Seat(SECOND)], "both know that it is off");
    let late = refused(&mut desk, &Entry::Agree { seat: SECOND });
    assert_eq!(late, DeskRefusal::NotAskedToAgree, "it is too late to agree");

    take(&mut desk, &Entry::TakeBack { seat: FIRST });
    take(&mut desk, &Entry::Agree { seat: SECOND });
    let past = desk.past().expect("it keeps its entries");
    let file = record(&program(), &setup(), past).expect("the entries were taken");
    assert_eq!((place(&mut desk, 0), file.branches.len()), (0, 1));
    assert_eq!(file.replay(&program()).expect("it is true").state_hash(), desk.playing().state_hash());
}

#[test]
fn what_happens_meanwhile_ends_the_asking() {
    let mut desk = desk();
    answer(&mut desk, FIRST, &Datum::Bool(true));
    take(&mut desk, &Entry::TakeBack { seat: FIRST });
    answer(&mut desk, SECOND, &Datum::Bool(true));
    assert_eq!(desk.consent(), None);
    assert_eq!(refused(&mut desk, &Entry::Agree { seat: SECOND }), DeskRefusal::NotAskedToAgree);
    let leave = Input::Leave { seat: SECOND, cause: LeaveCause::Concede };
    take(&mut desk, &Entry::Input(leave));
    let late = refused(&mut desk, &Entry::TakeBack { seat: FIRST });
    assert_eq!(late, DeskRefusal::NotTakenBack(UndoRefusal::SeatGone));
}

#[test]
fn a_desk_without_its_past_asks_for_it() {
    let mut desk = desk();
    answer(&mut desk, FIRST, &Datum::Bool(false));
    answer(&mut desk, FIRST, &Datum::Int(2));
    let past = desk.past().expect("it keeps its entries").to_vec();
    desk.forget_past();
    let back = Entry::TakeBack { seat: FIRST };
    assert!(desk.needs_past(&back) && !desk.needs_past(&past[0]));
    assert_eq!(desk.take(&back, None), Err(DeskRefusal::NeedsPast));
    assert_eq!(desk.take(&back, Some(&past[..1])), Err(DeskRefusal::WrongPast));
    assert_eq!(place(&mut desk, 0), 2, "nothing has changed");
    desk.take(&back, Some(&past)).expect("that is what was taken");
    assert_eq!(place(&mut desk, 0), 0);
}

#[test]
fn a_match_goes_on_at_another_desk() {
    let mut first = desk();
    answer(&mut first, FIRST, &Datum::Bool(false));
    answer(&mut first, FIRST, &Datum::Int(2));
    take(&mut first, &Entry::TakeBack { seat: FIRST });
    let past = first.past().expect("it keeps its entries");
    let file = record(&program(), &setup(), past).expect("the entries were taken");
    let mut second = Desk::resume(&file, &program()).expect("the file tells the truth");
    assert_eq!(second.playing().state_hash(), first.playing().state_hash());
    answer(&mut second, FIRST, &Datum::Int(3));
    assert_eq!(place(&mut second, 0), 3);
}
