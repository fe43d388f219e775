//! Sessions: answers, pre-sent answers, undo and history.

use std::sync::Arc;

use intermezzo_compiler::Ruleset;
use intermezzo_engine::{Datum, Input, InputId, LeaveCause, Refusal, Rejection, Seed, Setup, Viewer};
use intermezzo_matchfile::UndoRefusal;
use intermezzo_program::{Program, Seat};
use intermezzo_session::{
    MAX_PRE_SENT, QueuedAnswer, Session, SessionEntry, SessionNotice, SessionRefusal, SessionUpdate,
    ViewerUpdate, record,
};

const FIRST: Seat = Seat(0);
const SECOND: Seat = Seat(1);

/// Players move a token by one to three places in turn, or roll for it; landing on the trap sends it back.
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

fn start() -> Session {
    Session::start(&program(), &setup()).expect("the match starts").0
}

#[test]
fn an_interrupted_entry_is_refused_and_leaves_no_trace() {
    let (mut session, mut other) = (start(), start());
    for _ in 0..6 {
        let seat = session.pending()[0].seat;
        let number = open_question(&mut session, seat);
        let entry = session
            .resolve_answer(seat, number, &Datum::List(vec![Datum::Int(0)]))
            .or_else(|_| session.resolve_answer(seat, number, &Datum::List(vec![Datum::Bool(true)])));
        let entry = entry.expect("the answer is legal");
        let before = session.snapshot();
        session.interrupt_next(|| true);
        let refusal = session.apply(&entry, None).expect_err("the host interrupts");
        assert!(
            matches!(&refusal, SessionRefusal::Refused(Refusal::Faulted(fault)) if fault.code.name() == "time"),
            "{refusal}"
        );
        assert_eq!(session.snapshot(), before);
        // Applied again without an interruption, it has the effects it would have had.
        let (again, expected) = (session.apply(&entry, None).unwrap(), other.apply(&entry, None).unwrap());
        assert_eq!(again, expected);
        assert_eq!(session.game().state_hash(), other.game().state_hash());
    }
}

/// Returns the number of a seat's open question.
fn open_question(session: &mut Session, seat: Seat) -> u32 {
    let prompts = session.prompts(Viewer::Seat(seat));
    let Some(Datum::List(prompts)) = prompts.get("prompts") else { panic!("{prompts:?}") };
    match prompts.first().and_then(|prompt| prompt.get("inputId")) {
        Some(Datum::Int(number)) => *number as u32,
        other => panic!("seat {} is not asked: {other:?}", seat.0),
    }
}

fn answer(session: &mut Session, seat: Seat, answer: &Datum) -> SessionUpdate {
    let question = open_question(session, seat);
    let entry = session.resolve_answer(seat, question, answer).expect("the answer is valid");
    session.apply(&entry, None).expect("the answer is accepted")
}

fn apply(session: &mut Session, entry: &SessionEntry) -> SessionUpdate {
    session.apply(entry, None).expect("the entry is accepted")
}

fn apply_rejected(session: &mut Session, entry: &SessionEntry) -> SessionRefusal {
    session.apply(entry, None).expect_err("the entry is rejected")
}

/// Returns all notices of an update.
fn notices(update: &SessionUpdate) -> Vec<(Viewer, SessionNotice)> {
    let of = |shown: &ViewerUpdate| {
        let viewer = shown.viewer;
        shown.notices.clone().into_iter().map(move |notice| (viewer, notice))
    };
    update.viewers.iter().flat_map(of).collect()
}

fn queued(question: &str, answer: Datum) -> QueuedAnswer {
    QueuedAnswer::new(Some(question.to_owned()), answer)
}

fn place(session: &mut Session, seat: usize) -> i64 {
    let view = session.view(Viewer::Spectator);
    let Some(Datum::List(players)) = view.get("players") else { panic!("{view:?}") };
    match players[seat].get("props").and_then(|props| props.get("place")) {
        Some(Datum::Int(place)) => *place,
        other => panic!("{other:?}"),
    }
}

fn rejected(outcome: Result<SessionEntry, SessionRefusal>) -> Rejection {
    match outcome {
        Err(SessionRefusal::Refused(Refusal::Rejected(rejection))) => rejection,
        other => panic!("{other:?}"),
    }
}

#[test]
fn seats_answer_by_their_own_numbers() {
    let mut session = start();
    let question = open_question(&mut session, FIRST);
    assert_eq!(rejected(session.resolve_answer(SECOND, 1, &Datum::Bool(true))).name(), "no_such_input");
    assert_eq!(rejected(session.resolve_answer(FIRST, 9, &Datum::Bool(true))).name(), "no_such_input");
    assert_eq!(
        rejected(session.resolve_answer(FIRST, question, &Datum::text("maybe"))).name(),
        "no_such_option"
    );
    assert_eq!(rejected(session.resolve_answer(Seat(5), 1, &Datum::Bool(true))).name(), "no_such_seat");
    let viewer = Viewer::Seat(FIRST);
    assert_eq!(session.version(viewer), 1, "only the start counts");
    answer(&mut session, FIRST, &Datum::Bool(false));
    let again = rejected(session.resolve_answer(FIRST, question, &Datum::Bool(false)));
    assert_eq!(again, Rejection::InputClosed { input: InputId(question) });
    assert_eq!((session.version(viewer), session.check_version(viewer, 2)), (2, Ok(())));
    assert_eq!(session.check_version(viewer, 1), Err(SessionRefusal::Stale { version: 2 }));
}

#[test]
fn every_viewer_gets_its_update() {
    let mut session = start();
    answer(&mut session, FIRST, &Datum::Bool(false));
    let old = session.view(Viewer::Spectator).clone();
    let update = answer(&mut session, FIRST, &Datum::Int(2));
    let viewers: Vec<Viewer> = update.viewers.iter().map(|shown| shown.viewer).collect();
    assert_eq!(viewers, [Viewer::Seat(FIRST), Viewer::Seat(SECOND), Viewer::Spectator]);
    assert!(update.viewers.iter().all(|shown| !shown.events.is_empty() && shown.prompts_changed));
    assert_eq!(update.viewers[2].view_changes.len(), 1, "only one player has changed");
    assert_eq!(update.viewers[2].version, 3);
    assert_ne!(*session.view(Viewer::Spectator), old);
    assert!(!update.log.is_empty());
    let pending = session.pending();
    assert_eq!((pending.len(), pending[0].seat, pending[0].question), (1, SECOND, 1));
}

#[test]
fn pre_sent_answers_are_used_when_asked() {
    let mut session = start();
    let line = vec![
        queued("roll", Datum::Bool(false)),
        queued("steps", Datum::Int(1)),
        queued("roll", Datum::Bool(false)),
        queued("steps", Datum::Int(2)),
    ];
    let mut received = notices(&apply(&mut session, &SessionEntry::PreSend { seat: FIRST, answers: line }));
    assert_eq!((session.pre_sent_count(FIRST), place(&mut session, 0)), (2, 1), "two are used at once");
    received.extend(notices(&answer(&mut session, SECOND, &Datum::Bool(false))));
    received.extend(notices(&answer(&mut session, SECOND, &Datum::Int(3))));
    assert_eq!(
        (session.pre_sent_count(FIRST), place(&mut session, 0)),
        (0, 3),
        "two after the other seat's turn"
    );
    assert_eq!(received, []);
    let question = open_question(&mut session, SECOND);
    assert!(question > 2, "and now the second is asked again");
}

#[test]
fn an_answer_that_no_longer_fits_discards_the_queue() {
    let mut session = start();
    let far = || vec![queued("roll", Datum::Bool(false)), queued("steps", Datum::Int(3))];
    let answers: Vec<QueuedAnswer> = far().into_iter().chain(far()).chain(far()).collect();
    apply(&mut session, &SessionEntry::PreSend { seat: FIRST, answers });
    assert_eq!(place(&mut session, 0), 3);
    answer(&mut session, SECOND, &Datum::Bool(false));
    let received = notices(&answer(&mut session, SECOND, &Datum::Int(1)));
    let only = (Viewer::Seat(FIRST), SessionNotice::PreSentDiscarded);
    assert_eq!(received, [only], "three steps are too far, and only its seat is notified");
    assert_eq!((session.pre_sent_count(FIRST), place(&mut session, 0)), (0, 3));
    open_question(&mut session, FIRST);

    let answers = vec![queued("roll", Datum::Bool(true))];
    apply(&mut session, &SessionEntry::PreSend { seat: FIRST, answers });
    assert_eq!(session.pre_sent_count(FIRST), 0, "another question is open");
    let flood = vec![queued("roll", Datum::Bool(true)); MAX_PRE_SENT + 1];
    let flood = SessionEntry::PreSend { seat: FIRST, answers: flood };
    assert_eq!(apply_rejected(&mut session, &flood), SessionRefusal::TooManyPreSent);
}

#[test]
fn queued_answers_are_invisible() {
    let mut session = start();
    let answers = vec![queued("roll", Datum::Bool(true))];
    let update = apply(&mut session, &SessionEntry::PreSend { seat: SECOND, answers });
    assert_eq!((update.viewers, session.pre_sent_count(SECOND)), (Vec::new(), 1));
}

#[test]
fn an_undo_needs_no_consent_if_nothing_was_revealed() {
    let mut session = start();
    answer(&mut session, FIRST, &Datum::Bool(false));
    let old = open_question(&mut session, FIRST);
    answer(&mut session, FIRST, &Datum::Int(2));
    let update = apply(&mut session, &SessionEntry::Undo { seat: FIRST });
    let received = notices(&update);
    assert_eq!(received.len(), 3, "both seats and the spectators are notified");
    assert!(received.iter().all(|(_, notice)| *notice == SessionNotice::Undone { by: FIRST }));
    assert!(update.viewers.iter().all(|shown| !shown.view_changes.is_empty()) && update.log.is_empty());
    assert_eq!(place(&mut session, 0), 0);
    let new = open_question(&mut session, FIRST);
    assert!(new > old, "numbers of questions are not used again");
    let late = rejected(session.resolve_answer(FIRST, old, &Datum::Int(1)));
    assert_eq!(late, Rejection::InputClosed { input: InputId(old) });
    answer(&mut session, FIRST, &Datum::Int(1));
    assert_eq!(place(&mut session, 0), 1);
}

#[test]
fn an_undo_after_a_roll_needs_consent() {
    let mut session = start();
    answer(&mut session, FIRST, &Datum::Bool(true));
    let received = notices(&apply(&mut session, &SessionEntry::Undo { seat: FIRST }));
    assert_eq!(received, [(Viewer::Seat(SECOND), SessionNotice::UndoRequested { by: FIRST })]);
    assert_eq!(session.undo_request(), Some((FIRST, vec![SECOND])));
    assert_eq!(
        apply_rejected(&mut session, &SessionEntry::AgreeToUndo { seat: FIRST }),
        SessionRefusal::NotAskedToAgree
    );
    let received = notices(&apply(&mut session, &SessionEntry::DeclineUndo { seat: SECOND }));
    let received: Vec<Viewer> = received.into_iter().map(|(viewer, _)| viewer).collect();
    assert_eq!(received, [Viewer::Seat(FIRST), Viewer::Seat(SECOND)], "both are notified");
    let late = apply_rejected(&mut session, &SessionEntry::AgreeToUndo { seat: SECOND });
    assert_eq!(late, SessionRefusal::NotAskedToAgree, "it is too late to agree");

    apply(&mut session, &SessionEntry::Undo { seat: FIRST });
    apply(&mut session, &SessionEntry::AgreeToUndo { seat: SECOND });
    let past = session.history().expect("the session keeps its history");
    let file = record(&program(), &setup(), past).expect("the entries were accepted");
    assert_eq!((place(&mut session, 0), file.branches.len()), (0, 1));
    assert_eq!(file.replay(&program()).expect("the file verifies").state_hash(), session.game().state_hash());
}

#[test]
fn an_input_cancels_the_undo_request() {
    let mut session = start();
    answer(&mut session, FIRST, &Datum::Bool(true));
    apply(&mut session, &SessionEntry::Undo { seat: FIRST });
    answer(&mut session, SECOND, &Datum::Bool(true));
    assert_eq!(session.undo_request(), None);
    assert_eq!(
        apply_rejected(&mut session, &SessionEntry::AgreeToUndo { seat: SECOND }),
        SessionRefusal::NotAskedToAgree
    );
    let leave = Input::Leave { seat: SECOND, cause: LeaveCause::Concede };
    apply(&mut session, &SessionEntry::Input(leave));
    let late = apply_rejected(&mut session, &SessionEntry::Undo { seat: FIRST });
    assert_eq!(late, SessionRefusal::UndoRefused(UndoRefusal::SeatGone));
}

#[test]
fn a_session_without_history_asks_for_it() {
    let mut session = start();
    answer(&mut session, FIRST, &Datum::Bool(false));
    answer(&mut session, FIRST, &Datum::Int(2));
    let past = session.history().expect("the session keeps its history").to_vec();
    session.drop_history();
    let back = SessionEntry::Undo { seat: FIRST };
    assert!(session.needs_history(&back) && !session.needs_history(&past[0]));
    assert_eq!(session.apply(&back, None), Err(SessionRefusal::NeedsHistory));
    assert_eq!(session.apply(&back, Some(&past[..1])), Err(SessionRefusal::WrongHistory));
    assert_eq!(place(&mut session, 0), 2, "nothing has changed");
    session.apply(&back, Some(&past)).expect("that is the history");
    assert_eq!(place(&mut session, 0), 0);
}

#[test]
fn a_match_resumes_in_another_session() {
    let mut first = start();
    answer(&mut first, FIRST, &Datum::Bool(false));
    answer(&mut first, FIRST, &Datum::Int(2));
    apply(&mut first, &SessionEntry::Undo { seat: FIRST });
    let past = first.history().expect("the session keeps its history");
    let file = record(&program(), &setup(), past).expect("the entries were accepted");
    let mut second = Session::resume(&file, &program()).expect("the file verifies");
    assert_eq!(second.game().state_hash(), first.game().state_hash());
    answer(&mut second, FIRST, &Datum::Int(3));
    assert_eq!(place(&mut second, 0), 3);
}
