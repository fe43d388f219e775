//! Path queries of clients: only the asked seat gets an answer, only the next step is shown, and nothing
//! changes.

use std::path::Path;
use std::sync::Arc;

use intermezzo_compiler::Ruleset;
use intermezzo_engine::{
    Answer, Datum, EventLog, Input, InputId, Match, Observer, Refusal, Rejection, Seed, Setup, Viewer,
};
use intermezzo_program::{FaultCode, Program, Seat};

struct PathMatch {
    game: Match,
    observer: Observer,
    log: EventLog,
}

fn program() -> Arc<Program> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("conformance/paths/ruleset.yaml");
    let text = std::fs::read(file).expect("the ruleset exists");
    let ruleset = Ruleset::from_files(&[("ruleset.yaml".to_owned(), text)]);
    Arc::new(ruleset.compile().program.expect("the ruleset compiles"))
}

fn start(options: &[(&str, Datum)]) -> PathMatch {
    let program = program();
    let options = options.iter().map(|(name, value)| ((*name).into(), value.clone())).collect();
    let setup = Setup { seats: 2, options, seed: Seed::from_number(1), script: None };
    let mut log = EventLog::new();
    let game = Match::start(Arc::clone(&program), &setup, &mut log).expect("the match starts");
    let observer = Observer::new(program, &setup).expect("the setup fits");
    let mut running = PathMatch { game, observer, log };
    running.watch(0);
    running
}

impl PathMatch {
    fn watch(&mut self, from: usize) {
        self.observer.observe(&self.log, from, |_, _| ()).expect("the log can be observed");
    }

    /// Answers the first open question of a seat.
    fn answer(&mut self, seat: u8, datum: &Datum) {
        let id = self.asked(seat);
        let answer = self.observer.read_answer(&self.game, Seat(seat), id, datum).expect("it can be read");
        let from = self.log.len();
        let input = Input::Answer { input: id, seat: Seat(seat), answer };
        self.game.submit(&input, &mut self.log).expect("it is taken");
        self.watch(from);
    }

    fn asked(&self, seat: u8) -> InputId {
        self.game.pending().find(|pending| pending.seat() == Seat(seat)).expect("the seat is asked").id()
    }

    fn follows(&mut self, seat: u8, id: InputId, so_far: &[Datum]) -> Result<Datum, Refusal> {
        self.observer.next_path_options(&self.game, Seat(seat), id, so_far)
    }
}

fn spot(x: i64, y: i64) -> Datum {
    Datum::Map(vec![("x".into(), Datum::Int(x)), ("y".into(), Datum::Int(y))])
}

/// Returns the values of the options, and whether the path is long enough.
fn option_values(follows: &Datum) -> (Vec<Datum>, bool) {
    let Some(Datum::List(options)) = follows.get("options") else { panic!("no options in {follows:?}") };
    let values = options.iter().map(|option| option.get("value").expect("it has a value").clone()).collect();
    (values, follows.get("enough") == Some(&Datum::Bool(true)))
}

#[test]
fn path_queries_return_the_next_step_and_change_nothing() {
    let mut running = start(&[]);
    running.answer(0, &Datum::text("walk"));
    let (id, before) = (running.asked(0), running.game.snapshot());
    let first = running.follows(0, id, &[]).expect("the first step");
    assert_eq!(option_values(&first), (vec![spot(1, 0), spot(0, 1)], false));
    let then = running.follows(0, id, &[spot(1, 0)]).expect("the second step");
    assert_eq!(option_values(&then), (vec![spot(2, 0), spot(1, 1), spot(0, 0)], true));
    let number = |n| Datum::Map(vec![("n".into(), Datum::Int(n))]);
    let by_number = running.follows(0, id, &[number(0), number(2)]).expect("the third step");
    assert_eq!(option_values(&by_number), (vec![spot(1, 0), spot(0, 1)], true));
    let to_and_fro = [spot(1, 0), spot(0, 0), spot(1, 0), spot(0, 0), spot(1, 0)];
    let far = running.follows(0, id, &to_and_fro).expect("as far as one may go");
    assert_eq!(option_values(&far), (vec![], true), "where the path has to stop nothing follows");
    assert_eq!(running.game.snapshot(), before);
}

#[test]
fn only_the_asked_seat_may_query_a_path() {
    let mut running = start(&[]);
    running.answer(0, &Datum::text("walk"));
    let id = running.asked(0);
    let refused = running.follows(1, id, &[]);
    assert_eq!(refused, Err(Rejection::NotYourInput { asked: Seat(0) }.into()));
    let stale = running.follows(0, InputId(id.0 - 1), &[]);
    assert_eq!(stale, Err(Rejection::InputClosed { input: InputId(id.0 - 1) }.into()));
}

#[test]
fn invalid_steps_and_other_questions_are_rejected() {
    let mut running = start(&[]);
    let act = running.asked(0);
    assert_eq!(running.follows(0, act, &[]), Err(Rejection::WrongShape.into()));
    running.answer(0, &Datum::text("dial"));
    let id = running.asked(1);
    let twice = running.follows(1, id, &[Datum::text("left"), Datum::text("left")]);
    assert_eq!(twice, Err(Rejection::NoSuchSelection { selection: "left".to_owned() }.into()));
}

#[test]
fn a_rule_that_fails_on_a_path_is_reported_with_its_location() {
    let mut running = start(&[("size", Datum::Int(1))]);
    running.answer(0, &Datum::text("divide"));
    let id = running.asked(0);
    match running.follows(0, id, &[Datum::Int(2)]) {
        Err(Refusal::Faulted(fault)) => {
            assert_eq!(fault.code, FaultCode::DivisionByZero);
            assert!(fault.location.is_some(), "it says where");
        }
        other => panic!("{other:?}"),
    }
    let written = Datum::List(vec![Datum::Int(2), Datum::Int(1)]);
    let answer = running.observer.read_answer(&running.game, Seat(0), id, &written).expect("it can be sent");
    let sent = Input::Answer { input: id, seat: Seat(0), answer };
    match running.game.submit(&sent, &mut EventLog::discard()) {
        Err(Refusal::Faulted(fault)) => assert_eq!(fault.code, FaultCode::DivisionByZero),
        other => panic!("{other:?}"),
    }
    let after = running.follows(0, id, &[Datum::Int(1)]).expect("others lead on");
    assert_eq!(option_values(&after).0.len(), 6);
}

#[test]
fn option_numbers_are_distinct_from_numeric_options() {
    let mut running = start(&[("size", Datum::Int(1))]);
    running.answer(0, &Datum::text("divide"));
    let id = running.asked(0);
    let mut read =
        |item: Datum| running.observer.read_answer(&running.game, Seat(0), id, &Datum::List(vec![item]));
    let numbered = |n| Datum::Map(vec![("n".into(), Datum::Int(n))]);
    let third = read(numbered(2)).expect("three options exist");
    assert_eq!(read(Datum::Int(1)), Ok(third.clone()), "the options are 3, 2 and 1");
    assert_ne!(read(Datum::Int(2)), Ok(third));
    assert!(read(numbered(99)).is_err());
}

#[test]
fn a_path_can_be_stepped_back_and_is_marked_in_the_prompt() {
    let mut running = start(&[]);
    running.answer(0, &Datum::text("walk"));
    let prompts = running.observer.prompts(&running.game, Viewer::Seat(Seat(0)));
    let Some(Datum::List(prompts)) = prompts.get("prompts") else { panic!("no prompts") };
    assert_eq!(prompts[0].get("path"), Some(&Datum::Bool(true)));
    let pending = running.game.pending().next().expect("somebody is asked");
    let mut walk = pending.start_path().expect("a path is asked for");
    assert!(!walk.is_long_enough());
    walk.step(0).expect("east");
    let after = walk.options().expect("a second step").len();
    walk.step(0).expect("east again");
    walk.step_back();
    assert_eq!(walk.options().expect("the second step again").len(), after);
    assert_eq!(walk.step(9), Err(Rejection::NoSuchOption { pick: 9 }.into()));
    assert_eq!(walk.answer(), Answer::Picks(vec![0]));
    assert_eq!(walk.items().len(), 1);
}

#[test]
fn drafts_of_paths_do_not_pile_up() {
    let mut running = start(&[]);
    running.answer(0, &Datum::text("roam"));
    let input = running.asked(0);
    let draft = Input::Draft { input, seat: Seat(0), answer: Answer::Picks(vec![0; 6]) };
    for _ in 0..2000 {
        running.game.submit(&draft, &mut EventLog::discard()).expect("drafts are taken");
    }
    let compact = running.game.snapshot();
    running.game.compact();
    assert_eq!(running.game.snapshot(), compact);
}

#[test]
fn a_path_survives_being_put_away() {
    let mut running = start(&[]);
    running.answer(0, &Datum::text("climb"));
    running.answer(0, &Datum::List(vec![Datum::Int(1), Datum::Int(2), Datum::Int(5)]));
    let id = running.asked(0);
    let before = running.follows(0, id, &[spot(1, 0)]).expect("it continues");
    let snapshot = running.game.snapshot();
    running.game = Match::restore(program(), &snapshot).expect("it can be restored");
    assert_eq!(running.follows(0, id, &[spot(1, 0)]).expect("it still does"), before);
    let (values, _) =
        option_values(&running.follows(0, id, &[spot(1, 0), spot(1, 1)]).expect("it knows the event"));
    assert!(values.is_empty(), "two steps are as far as it goes");
}
