//! A group that is stopped leaves no trace.

use std::sync::Arc;

use intermezzo_engine::{Answer, Datum, Input, Log, Match, Witness};
use intermezzo_simulator::subjects;

/// What everyone sees of the match.
fn views(witness: &mut Witness) -> Vec<Datum> {
    let viewers: Vec<_> = witness.viewers().collect();
    viewers.into_iter().map(|viewer| witness.view(viewer)).collect()
}

#[test]
fn a_group_that_is_stopped_leaves_no_trace() {
    let subject = subjects::toys().into_iter().find(|toy| toy.name == "groups").expect("groups is there");
    for stopper in ["lock", "seal"] {
        let table = vec![("table".into(), Datum::List(vec![Datum::text(stopper)]))];
        let setup = intermezzo_simulator::setup(&subject.program, 1, &table);
        let mut log = Log::new();
        let mut state = Match::start(Arc::clone(&subject.program), &setup, &mut log).expect("it starts");
        let mut witness = Witness::new(Arc::clone(&subject.program), &setup).expect("a witness");
        witness.observe(&log, 0, |_, _| {}).expect("it follows");
        let (before, seen) = (views(&mut witness), log.records().len());
        let mut summon = Answer::Pass;
        let pending = state.pending().next().expect("it waits");
        assert!(pending.nth_answer(0, &mut summon), "the first thing to do is to summon");
        let input = Input::Answer { input: pending.id(), seat: pending.seat(), answer: summon };
        state.submit(&input, &mut log).expect("it is legal");
        assert!(log.records().len() > seen, "it was tried");
        witness.observe(&log, seen, |_, _| {}).expect("it follows");
        assert_eq!(views(&mut witness), before, "{stopper}");
    }
}
