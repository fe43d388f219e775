//! A viewer who did not see an entity become a new object cannot recognize it.

use std::sync::Arc;

use intermezzo_engine::{Answer, Datum, EventLog, Input, Match, Observer, Viewer};
use intermezzo_program::Seat;
use intermezzo_simulator::{fixtures, setup};

/// Match of `renewing` with an observer, and the events of each viewer.
struct ObservedMatch {
    state: Match,
    log: EventLog,
    observer: Observer,
    told: Vec<(Viewer, Datum)>,
}

impl ObservedMatch {
    fn new() -> ObservedMatch {
        let fixture = fixtures::small_rulesets()
            .into_iter()
            .find(|fixture| fixture.name == "renewing")
            .expect("the ruleset exists");
        let setup = setup(&fixture.program, 1, &[]);
        let mut log = EventLog::new();
        let state = Match::start(Arc::clone(&fixture.program), &setup, &mut log).expect("it starts");
        let mut observer =
            Observer::new(Arc::clone(&fixture.program), &setup).expect("the match can be observed");
        observer.observe(&log, 0, |_, _| {}).expect("the log can be followed");
        ObservedMatch { state, log, observer, told: Vec::new() }
    }

    /// Chooses the branch with that number.
    fn act(&mut self, branch: u16) {
        let pending = self.state.pending().next().expect("a question is open");
        let answer = Answer::Branches(vec![(branch, Vec::new())]);
        let input = Input::Answer { input: pending.id(), seat: pending.seat(), answer };
        let seen = self.log.records().len();
        self.state.submit(&input, &mut self.log).expect("it is legal");
        self.told.clear();
        let told = &mut self.told;
        let hear = |viewer, datum: Option<Datum>| told.extend(datum.map(|datum| (viewer, datum)));
        self.observer.observe(&self.log, seen, hear).expect("the log can be followed");
    }

    /// Returns all names in a viewer's events and view.
    fn names(&mut self, viewer: Viewer) -> (Vec<String>, Vec<String>) {
        let mut told = Vec::new();
        self.told.iter().filter(|(who, _)| *who == viewer).for_each(|(_, datum)| names(datum, &mut told));
        let mut seen = Vec::new();
        names(&self.observer.view(viewer), &mut seen);
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
    let mut observed = ObservedMatch::new();
    let before = observed.names(OWNER).1;
    observed.act(LIFT);
    let (told, seen) = observed.names(OWNER);
    assert_eq!(told, before, "a viewer who saw it leave receives its old name");
    assert_ne!(seen, before, "and then sees a new name");
    assert_eq!(observed.names(OTHER), (before, vec![]), "others see it leave, and nothing more");
}

#[test]
fn an_entity_that_leaves_a_hidden_zone_has_only_its_new_name() {
    let mut observed = ObservedMatch::new();
    let before = observed.names(OTHER).1;
    observed.act(LIFT);
    observed.act(PLAY);
    let (told, seen) = observed.names(OTHER);
    assert_eq!(told, seen, "{told:?}");
    assert_ne!(seen, before);
}
