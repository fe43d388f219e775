//! Who did not see something become a new object cannot tell that it is the same thing.

use std::sync::Arc;

use intermezzo_engine::{Answer, Datum, Input, Log, Match, Viewer, Witness};
use intermezzo_ruleset::Seat;
use intermezzo_simulator::{setup, subjects};

/// A match of `renewing` with a witness, and what each step told everyone.
struct Table {
    state: Match,
    log: Log,
    witness: Witness,
    told: Vec<(Viewer, Datum)>,
}

impl Table {
    fn new() -> Table {
        let subject = subjects::toys().into_iter().find(|toy| toy.name == "renewing").expect("it is there");
        let setup = setup(&subject.program, 1, &[]);
        let mut log = Log::new();
        let state = Match::start(Arc::clone(&subject.program), &setup, &mut log).expect("it starts");
        let mut witness = Witness::new(Arc::clone(&subject.program), &setup).expect("a witness");
        witness.observe(&log, 0, |_, _| {}).expect("it follows");
        Table { state, log, witness, told: Vec::new() }
    }

    /// Takes the branch of that number.
    fn act(&mut self, branch: u16) {
        let pending = self.state.pending().next().expect("it waits");
        let answer = Answer::Branches(vec![(branch, Vec::new())]);
        let input = Input::Answer { input: pending.id(), seat: pending.seat(), answer };
        let seen = self.log.records().len();
        self.state.submit(&input, &mut self.log).expect("it is legal");
        self.told.clear();
        let told = &mut self.told;
        let hear = |viewer, datum: Option<Datum>| told.extend(datum.map(|datum| (viewer, datum)));
        self.witness.observe(&self.log, seen, hear).expect("it follows");
    }

    /// All names in what a viewer was told and sees.
    fn names(&mut self, viewer: Viewer) -> (Vec<String>, Vec<String>) {
        let mut told = Vec::new();
        self.told.iter().filter(|(who, _)| *who == viewer).for_each(|(_, datum)| names(datum, &mut told));
        let mut seen = Vec::new();
        names(&self.witness.view(viewer), &mut seen);
        (told, seen)
    }
}

fn names(datum: &Datum, found: &mut Vec<String>) {
    match datum {
        Datum::Text(text) if text.starts_with('#') => found.push(text.clone().into()),
        Datum::List(items) => items.iter().for_each(|item| names(item, found)),
        Datum::Map(entries) => entries.iter().for_each(|(_, value)| names(value, found)),
        _ => {}
    }
}

const OWNER: Viewer = Viewer::Seat(Seat(0));
const OTHER: Viewer = Viewer::Seat(Seat(1));
const LIFT: u16 = 2;
const PLAY: u16 = 3;

#[test]
fn a_new_object_has_a_new_name() {
    let mut table = Table::new();
    let before = table.names(OWNER).1;
    table.act(LIFT);
    let (told, seen) = table.names(OWNER);
    assert_eq!(told, before, "who saw it go is told what went");
    assert_ne!(seen, before, "and sees something new");
    assert_eq!(table.names(OTHER), (before, vec![]), "others see it go, and nothing more");
}

#[test]
fn what_comes_out_of_hiding_is_told_by_its_new_name_alone() {
    let mut table = Table::new();
    let before = table.names(OTHER).1;
    table.act(LIFT);
    table.act(PLAY);
    let (told, seen) = table.names(OTHER);
    assert_eq!(told, seen, "{told:?}");
    assert_ne!(seen, before);
}
