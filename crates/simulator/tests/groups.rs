//! A prevented group leaves no trace.

use std::sync::Arc;

use intermezzo_engine::{Answer, Datum, EventLog, Input, Match, Observer};
use intermezzo_simulator::fixtures;

/// Returns everyone's view of the match.
fn views(observer: &mut Observer) -> Vec<Datum> {
    let viewers: Vec<_> = observer.viewers().collect();
    viewers.into_iter().map(|viewer| observer.view(viewer)).collect()
}

#[test]
fn a_prevented_group_leaves_no_trace() {
    let fixture = fixtures::small_rulesets()
        .into_iter()
        .find(|fixture| fixture.name == "groups")
        .expect("the ruleset exists");
    for stopper in ["lock", "seal"] {
        let table = vec![("table".into(), Datum::List(vec![Datum::text(stopper)]))];
        let setup = intermezzo_simulator::setup(&fixture.program, 1, &table);
        let mut log = EventLog::new();
        let mut state = Match::start(Arc::clone(&fixture.program), &setup, &mut log).expect("it starts");
        let mut observer =
            Observer::new(Arc::clone(&fixture.program), &setup).expect("the match can be observed");
        observer.observe(&log, 0, |_, _| {}).expect("it follows");
        let (before, seen) = (views(&mut observer), log.records().len());
        let mut summon = Answer::Pass;
        let pending = state.pending().next().expect("it waits");
        assert!(pending.nth_answer(0, &mut summon), "the first thing to do is to summon");
        let input = Input::Answer { input: pending.id(), seat: pending.seat(), answer: summon };
        state.submit(&input, &mut log).expect("it is legal");
        assert!(log.records().len() > seen, "it was tried");
        observer.observe(&log, seen, |_, _| {}).expect("it follows");
        assert_eq!(views(&mut observer), before, "{stopper}");
    }
}
