//! Nested alternatives: prompts, answers, counting and snapshots.

use std::path::Path;
use std::sync::Arc;

use intermezzo_compiler::Ruleset;
use intermezzo_engine::{
    Answer, Datum, EventLog, Input, InputId, Match, Observer, Refusal, Rejection, Seed, Setup, StartError,
    Viewer,
};
use intermezzo_program::{BranchContent, Choice, Program, Seat};

struct AlternativesMatch {
    game: Match,
    observer: Observer,
    log: EventLog,
}

fn program() -> Program {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("conformance/alternatives/ruleset.yaml");
    let text = std::fs::read(file).expect("the ruleset exists");
    let ruleset = Ruleset::from_files(&[("ruleset.yaml".to_owned(), text)]);
    ruleset.compile().program.expect("the ruleset compiles")
}

fn setup() -> Setup {
    Setup { seats: 2, options: Vec::new(), seed: Seed::from_number(1), script: None }
}

/// Starts a match that asks what to do on the market.
fn market() -> AlternativesMatch {
    let (program, setup) = (Arc::new(program()), setup());
    let mut log = EventLog::new();
    let game = Match::start(Arc::clone(&program), &setup, &mut log).expect("the match starts");
    let observer = Observer::new(program, &setup).expect("the setup fits");
    let mut running = AlternativesMatch { game, observer, log };
    running.watch(0);
    let answer = running.read(&Datum::text("market")).expect("it can be read");
    running.submit(answer).expect("it is taken");
    running
}

impl AlternativesMatch {
    fn watch(&mut self, from: usize) {
        self.observer.observe(&self.log, from, |_, _| ()).expect("the log can be observed");
    }

    fn asked(&self) -> InputId {
        self.game.pending().next().expect("somebody is asked").id()
    }

    fn read(&mut self, datum: &Datum) -> Result<Answer, Rejection> {
        let id = self.asked();
        self.observer.read_answer(&self.game, Seat(0), id, datum)
    }

    fn submit(&mut self, answer: Answer) -> Result<(), Refusal> {
        let from = self.log.len();
        let input = Input::Answer { input: self.asked(), seat: Seat(0), answer };
        self.game.submit(&input, &mut self.log)?;
        self.watch(from);
        Ok(())
    }

    /// Returns why an answer is rejected.
    fn why_not(&self, taken: &[(u16, &[i32])]) -> Rejection {
        let taken = taken.iter().map(|(branch, picks)| (*branch, picks.to_vec())).collect();
        let pending = self.game.pending().next().expect("somebody is asked");
        match pending.check(&Answer::Branches(taken)) {
            Err(Refusal::Rejected(rejection)) => rejection,
            other => panic!("{other:?} is no rejection"),
        }
    }
}

fn taken(named: &str, name: &str, selection: Vec<Datum>) -> Datum {
    let entries = [(named, Datum::text(name)), ("selection", Datum::List(selection))];
    Datum::Map(entries.map(|(key, value)| (key.into(), value)).into())
}

fn branches(taken: &[(u16, &[i32])]) -> Answer {
    Answer::Branches(taken.iter().map(|(branch, picks)| (*branch, picks.to_vec())).collect())
}

/// Numbers of the branches. Each is followed by its inner branches.
const REST: u16 = 0;
const TRADE: u16 = 1;
const BUY: u16 = 2;
const SELL: u16 = 3;
const HAGGLE: u16 = 4;
const TRAVEL: u16 = 5;
const NORTH: u16 = 6;
const NORTH_BY_SHIP: u16 = 7;
const NORTH_ON_FOOT: u16 = 8;
const SOUTH: u16 = 9;
const SOUTH_BY_SHIP: u16 = 10;

#[test]
fn prompts_show_branches_within_branches() {
    let mut running = market();
    let prompts = running.observer.prompts(&running.game, Viewer::Seat(Seat(0)));
    let names = |shown: Option<&Datum>| -> Vec<Datum> {
        let Some(Datum::List(shown)) = shown else { panic!("no branches in {shown:?}") };
        shown.iter().map(|branch| branch.get("id").expect("it has an id").clone()).collect()
    };
    let inside = |shown: Option<&Datum>, place: usize| match shown {
        Some(Datum::List(items)) => items[place].clone(),
        other => panic!("no list: {other:?}"),
    };
    let prompt = inside(prompts.get("prompts"), 0);
    assert_eq!(names(prompt.get("branches")), ["rest", "trade", "travel"].map(Datum::text));
    assert_eq!(inside(prompt.get("branches"), 0).get("branches"), None);
    let travel = inside(prompt.get("branches"), 2);
    assert_eq!((travel.get("min"), travel.get("max")), (Some(&Datum::Int(1)), Some(&Datum::Int(1))));
    assert_eq!(names(travel.get("branches")), ["north", "south"].map(Datum::text));
    let north = inside(travel.get("branches"), 0);
    assert_eq!(names(north.get("branches")), ["ship", "foot"].map(Datum::text));
    // Unavailable branches are not shown: the market has nothing to sell.
    let trade = inside(prompt.get("branches"), 1);
    assert_eq!(names(trade.get("branches")), ["buy", "haggle"].map(Datum::text));
}

#[test]
fn answers_are_read_level_by_level_by_id_title_or_name_alone() {
    let mut running = market();
    let text = Datum::text;
    let number = |n| Datum::Map(vec![("n".into(), Datum::Int(n))]);
    let by_ship = branches(&[(TRAVEL, &[]), (SOUTH, &[]), (SOUTH_BY_SHIP, &[])]);
    let by_id = taken("id", "travel", vec![taken("id", "south", vec![taken("id", "ship", vec![])])]);
    assert_eq!(running.read(&by_id), Ok(by_ship.clone()));
    let by_title = taken(
        "title",
        "Travel",
        vec![taken("title", "To the south", vec![taken("title", "By ship", vec![])])],
    );
    assert_eq!(running.read(&Datum::List(vec![by_title])), Ok(by_ship.clone()));
    let alone = taken("id", "travel", vec![taken("id", "south", vec![text("ship")])]);
    assert_eq!(running.read(&alone), Ok(by_ship));
    let buy = taken("id", "trade", vec![taken("id", "buy", vec![text("Bread"), number(0)])]);
    let both = Datum::List(vec![buy, taken("id", "travel", vec![text("north")])]);
    let read = running.read(&both);
    assert_eq!(read, Ok(branches(&[(TRADE, &[]), (BUY, &[1, 0]), (TRAVEL, &[]), (NORTH, &[])])));
    // Branches of another level are unknown here, and the rejection names the level.
    let why = running.read(&taken("id", "trade", vec![text("north")])).unwrap_err();
    assert_eq!(why.to_string(), "Trade: Selection north didn't exist in the choices");
    let why =
        running.read(&taken("id", "travel", vec![taken("id", "north", vec![Datum::Null])])).unwrap_err();
    assert_eq!(why.to_string(), "To the north: Selection null didn't exist in the choices");
    assert_eq!(running.read(&text("ship")).unwrap_err().name(), "no_such_option");
}

#[test]
fn invalid_lists_of_branches_are_rejected() {
    let running = market();
    let missing = |pick: u16| Rejection::NoSuchOption { pick: i64::from(pick) };
    // Without its parent, before its parent, after another branch, below a branch of another level.
    assert_eq!(running.why_not(&[(BUY, &[0])]), missing(BUY));
    assert_eq!(running.why_not(&[(BUY, &[0]), (TRADE, &[])]), missing(BUY));
    assert_eq!(running.why_not(&[(TRADE, &[]), (REST, &[]), (BUY, &[0])]), missing(BUY));
    assert_eq!(running.why_not(&[(TRAVEL, &[]), (NORTH_ON_FOOT, &[])]).innermost(), &missing(NORTH_ON_FOOT));
    assert_eq!(running.why_not(&[(TRADE, &[]), (u16::MAX, &[])]), missing(u16::MAX));
    // Options in branches without options.
    assert_eq!(running.why_not(&[(TRADE, &[0]), (HAGGLE, &[])]).innermost(), &missing(0));
    assert_eq!(running.why_not(&[(TRADE, &[]), (HAGGLE, &[0])]).innermost(), &missing(0));
    // Unavailable branches.
    assert_eq!(running.why_not(&[(TRADE, &[]), (SELL, &[0])]).innermost(), &missing(SELL));
    let twice = running.why_not(&[(TRAVEL, &[]), (NORTH, &[]), (NORTH_BY_SHIP, &[]), (NORTH_BY_SHIP, &[])]);
    assert_eq!(twice.to_string(), "To the north: Selection By ship didn't exist in the choices");
    assert_eq!(twice.name(), "picked_twice");
    let many: Vec<(u16, &[i32])> = (0..u16::MAX).map(|branch| (branch, &[][..])).collect();
    assert!(!running.why_not(&many).name().is_empty());
}

#[test]
fn every_answer_is_counted_once() {
    let running = market();
    let pending = running.game.pending().next().expect("somebody is asked");
    // Trading: one or two of three goods, or haggling. Travelling: two ways to the north, one to the south.
    let (trade, travel) = (3 + 3 + 1, 2 + 1);
    assert_eq!(pending.answer_count(), 1 + trade + travel + trade * travel);
    let mut seen: Vec<Answer> = Vec::new();
    for n in 0..pending.answer_count() {
        let mut answer = Answer::Pass;
        assert!(pending.nth_answer(n, &mut answer));
        assert_eq!(pending.check(&answer), Ok(()), "{answer:?}");
        assert!(!seen.contains(&answer), "{answer:?} comes twice");
        seen.push(answer);
    }
    assert!(!pending.nth_answer(pending.answer_count(), &mut Answer::Pass));
}

#[test]
fn a_restored_match_continues_equally() {
    let mut running = market();
    let (id, draft) = (running.asked(), branches(&[(TRAVEL, &[]), (NORTH, &[]), (NORTH_BY_SHIP, &[])]));
    let input = Input::Draft { input: id, seat: Seat(0), answer: draft };
    running.game.submit(&input, &mut running.log).expect("a legal draft is taken");
    let snapshot = running.game.snapshot();
    let mut restored = Match::restore(Arc::new(program()), &snapshot).expect("it is whole");
    assert_eq!(restored.snapshot(), snapshot);
    let before = running.game.pending().next().expect("somebody is asked");
    let after = restored.pending().next().expect("the same is asked");
    assert_eq!(after.answer_count(), before.answer_count());
    let timeout = Input::Timeout { input: id };
    running.game.submit(&timeout, &mut running.log).expect("the question has a deadline");
    restored.submit(&timeout, &mut EventLog::discard()).expect("the question has a deadline");
    assert_eq!(restored.snapshot(), running.game.snapshot());
}

#[test]
fn a_broken_snapshot_is_rejected_or_continues() {
    let program = Arc::new(program());
    let snapshot = market().game.snapshot();
    for at in 0..snapshot.len() {
        for change in [1, 2, 255] {
            let mut broken = snapshot.clone();
            broken[at] = broken[at].wrapping_add(change);
            let Ok(game) = Match::restore(Arc::clone(&program), &broken) else { continue };
            for pending in game.pending() {
                let mut answer = Answer::Pass;
                let _ = pending.nth_answer(pending.answer_count().saturating_sub(1), &mut answer);
                let _ = pending.check(&answer);
            }
        }
    }
}

/// Returns the question asked on the market.
fn choice(program: &mut Program) -> &mut Choice {
    program.choices.iter_mut().find(|choice| choice.levels() == 3).expect("the program has such a choice")
}

#[test]
fn programs_with_broken_branches_are_rejected() {
    let spoilt: [fn(&mut Program); 7] = [
        |program| choice(program).branches[usize::from(BUY)].parent = Some(HAGGLE),
        |program| choice(program).branches[usize::from(BUY)].parent = Some(BUY),
        |program| choice(program).branches[usize::from(BUY)].parent = Some(REST),
        |program| choice(program).branches[usize::from(SOUTH)].parent = Some(TRADE),
        |program| choice(program).branches[usize::from(TRADE)].inner = BranchContent::Options,
        |program| choice(program).branches.truncate(usize::from(TRAVEL)),
        |program| {
            let branch = choice(program).branches[0].clone();
            choice(program).branches.extend(vec![branch; 70_000]);
        },
    ];
    for (place, spoil) in spoilt.into_iter().enumerate() {
        let mut program = program();
        spoil(&mut program);
        let started = Match::start(Arc::new(program), &setup(), &mut EventLog::discard());
        assert!(matches!(started, Err(StartError::BadProgram { .. })), "{place} is run");
    }
}
