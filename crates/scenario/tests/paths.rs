//! What clients may ask about a path on its way: only the seat that is asked, only what follows, and nothing changes.

use std::path::Path;
use std::sync::Arc;

use intermezzo_compiler::Ruleset;
use intermezzo_engine::{
    Answer, Datum, Input, InputId, Log, Match, Refusal, Rejection, Seed, Setup, Viewer, Witness,
};
use intermezzo_ruleset::{FaultCode, Program, Seat};

struct Table {
    game: Match,
    witness: Witness,
    log: Log,
}

fn program() -> Arc<Program> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("trials/paths/ruleset.yaml");
    let text = std::fs::read(file).expect("the bench is there");
    let ruleset = Ruleset::from_files(&[("ruleset.yaml".to_owned(), text)]);
    Arc::new(ruleset.compile().program.expect("the bench compiles"))
}

fn table(options: &[(&str, Datum)]) -> Table {
    let program = program();
    let options = options.iter().map(|(name, value)| ((*name).into(), value.clone())).collect();
    let setup = Setup { seats: 2, options, seed: Seed::from_number(1), script: None };
    let mut log = Log::new();
    let game = Match::start(Arc::clone(&program), &setup, &mut log).expect("the match begins");
    let witness = Witness::new(program, &setup).expect("the setup fits");
    let mut table = Table { game, witness, log };
    table.watch(0);
    table
}

impl Table {
    fn watch(&mut self, from: usize) {
        self.witness.observe(&self.log, from, |_, _| ()).expect("the log goes on");
    }

    /// Answers what the first open question of a seat asks.
    fn answer(&mut self, seat: u8, datum: &Datum) {
        let id = self.asked(seat);
        let answer = self.witness.read_answer(&self.game, Seat(seat), id, datum).expect("it can be read");
        let from = self.log.len();
        let input = Input::Answer { input: id, seat: Seat(seat), answer };
        self.game.submit(&input, &mut self.log).expect("it is taken");
        self.watch(from);
    }

    fn asked(&self, seat: u8) -> InputId {
        self.game.pending().find(|pending| pending.seat() == Seat(seat)).expect("the seat is asked").id()
    }

    fn follows(&mut self, seat: u8, id: InputId, so_far: &[Datum]) -> Result<Datum, Refusal> {
        self.witness.what_follows(&self.game, Seat(seat), id, so_far)
    }
}

fn spot(x: i64, y: i64) -> Datum {
    Datum::Map(vec![("x".into(), Datum::Int(x)), ("y".into(), Datum::Int(y))])
}

/// The values of the options, and whether what came before is enough.
fn told(follows: &Datum) -> (Vec<Datum>, bool) {
    let Some(Datum::List(options)) = follows.get("options") else { panic!("no options in {follows:?}") };
    let values = options.iter().map(|option| option.get("value").expect("it has a value").clone()).collect();
    (values, follows.get("enough") == Some(&Datum::Bool(true)))
}

#[test]
fn what_follows_is_told_step_by_step_and_changes_nothing() {
    let mut table = table(&[]);
    table.answer(0, &Datum::text("walk"));
    let (id, before) = (table.asked(0), table.game.snapshot());
    let first = table.follows(0, id, &[]).expect("the first step");
    assert_eq!(told(&first), (vec![spot(1, 0), spot(0, 1)], false));
    let then = table.follows(0, id, &[spot(1, 0)]).expect("the second step");
    assert_eq!(told(&then), (vec![spot(2, 0), spot(1, 1), spot(0, 0)], true));
    let by_number = table.follows(0, id, &[Datum::Int(0), Datum::Int(2)]).expect("the third step");
    assert_eq!(told(&by_number), (vec![spot(1, 0), spot(0, 1)], true));
    let to_and_fro = [spot(1, 0), spot(0, 0), spot(1, 0), spot(0, 0), spot(1, 0)];
    let far = table.follows(0, id, &to_and_fro).expect("as far as one may go");
    assert_eq!(told(&far), (vec![], true), "where the path has to stop nothing follows");
    assert_eq!(table.game.snapshot(), before);
}

#[test]
fn only_the_seat_that_is_asked_is_told() {
    let mut table = table(&[]);
    table.answer(0, &Datum::text("walk"));
    let id = table.asked(0);
    let refused = table.follows(1, id, &[]);
    assert_eq!(refused, Err(Rejection::NotYourInput { asked: Seat(0) }.into()));
    let stale = table.follows(0, InputId(id.0 - 1), &[]);
    assert_eq!(stale, Err(Rejection::InputClosed { input: InputId(id.0 - 1) }.into()));
}

#[test]
fn what_does_not_follow_and_what_is_no_path_is_refused() {
    let mut table = table(&[]);
    let act = table.asked(0);
    assert_eq!(table.follows(0, act, &[]), Err(Rejection::WrongShape.into()));
    table.answer(0, &Datum::text("dial"));
    let id = table.asked(1);
    let twice = table.follows(1, id, &[Datum::text("left"), Datum::text("left")]);
    assert_eq!(twice, Err(Rejection::NoSuchSelection { selection: "left".to_owned() }.into()));
}

#[test]
fn a_rule_that_fails_on_the_way_is_told_with_its_place() {
    let mut table = table(&[("size", Datum::Int(1))]);
    table.answer(0, &Datum::text("divide"));
    let id = table.asked(0);
    match table.follows(0, id, &[Datum::Int(2)]) {
        Err(Refusal::Faulted(fault)) => {
            assert_eq!(fault.code, FaultCode::DivisionByZero);
            assert!(fault.place.is_some(), "it says where");
        }
        other => panic!("{other:?}"),
    }
    let written = Datum::List(vec![Datum::Int(2), Datum::Int(1)]);
    let answer = table.witness.read_answer(&table.game, Seat(0), id, &written).expect("it can be sent");
    let sent = Input::Answer { input: id, seat: Seat(0), answer };
    match table.game.submit(&sent, &mut Log::discard()) {
        Err(Refusal::Faulted(fault)) => assert_eq!(fault.code, FaultCode::DivisionByZero),
        other => panic!("{other:?}"),
    }
    let after = table.follows(0, id, &[Datum::Int(1)]).expect("others lead on");
    assert_eq!(told(&after).0.len(), 6);
}

#[test]
fn the_number_of_an_option_is_not_taken_for_an_option_that_is_a_number() {
    let mut table = table(&[("size", Datum::Int(1))]);
    table.answer(0, &Datum::text("divide"));
    let id = table.asked(0);
    let mut read =
        |item: Datum| table.witness.read_answer(&table.game, Seat(0), id, &Datum::List(vec![item]));
    let numbered = |n| Datum::Map(vec![("n".into(), Datum::Int(n))]);
    let third = read(numbered(2)).expect("there are three");
    assert_eq!(read(Datum::Int(1)), Ok(third.clone()), "the options are 3, 2 and 1");
    assert_ne!(read(Datum::Int(2)), Ok(third));
    assert!(read(numbered(99)).is_err());
}

#[test]
fn a_path_can_be_gone_back_and_told_in_the_prompt() {
    let mut table = table(&[]);
    table.answer(0, &Datum::text("walk"));
    let prompts = table.witness.prompts(&table.game, Viewer::Seat(Seat(0)));
    let Some(Datum::List(prompts)) = prompts.get("prompts") else { panic!("no prompts") };
    assert_eq!(prompts[0].get("path"), Some(&Datum::Bool(true)));
    let pending = table.game.pending().next().expect("somebody is asked");
    let mut walk = pending.walk().expect("a path is asked for");
    assert!(!walk.is_enough());
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
    let mut table = table(&[]);
    table.answer(0, &Datum::text("roam"));
    let input = table.asked(0);
    let draft = Input::Draft { input, seat: Seat(0), answer: Answer::Picks(vec![0; 6]) };
    for _ in 0..2000 {
        table.game.submit(&draft, &mut Log::discard()).expect("drafts are taken");
    }
    let compact = table.game.snapshot();
    table.game.compact();
    assert_eq!(table.game.snapshot(), compact);
}

#[test]
fn a_path_survives_being_put_away() {
    let mut table = table(&[]);
    table.answer(0, &Datum::text("climb"));
    table.answer(0, &Datum::List(vec![Datum::Int(1), Datum::Int(2), Datum::Int(5)]));
    let id = table.asked(0);
    let before = table.follows(0, id, &[spot(1, 0)]).expect("it goes on");
    let snapshot = table.game.snapshot();
    table.game = Match::restore(program(), &snapshot).expect("it can be restored");
    assert_eq!(table.follows(0, id, &[spot(1, 0)]).expect("it still does"), before);
    let (values, _) = told(&table.follows(0, id, &[spot(1, 0), spot(1, 1)]).expect("it knows the event"));
    assert!(values.is_empty(), "two steps are as far as it goes");
}
