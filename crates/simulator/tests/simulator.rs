//! Many matches in the same memory are the same matches.

use intermezzo_engine::Datum;
use intermezzo_simulator::{Habits, Simulator, Tally, play, subjects};

#[test]
fn a_simulated_match_is_the_match_of_its_seed() {
    for subject in subjects::all() {
        let habits = Habits { max_inputs: 300, ..Habits::unruly() };
        let mut simulator = Simulator::new(&subject.program, None, &[], &habits).expect("matches begin");
        for seed in 0..40 {
            let outcome = simulator.play_one(seed);
            let played = play(&subject.program, seed, &[], &habits).expect("the match begins");
            let state = simulator.state().expect("a match was played");
            assert_eq!(state.snapshot(), played.state.snapshot(), "{} seed {seed}", subject.name);
            assert_eq!(outcome.ending, played.ending());
            assert_eq!(outcome.inputs as usize, played.inputs.len());
            assert_eq!(outcome.rejected as usize, played.rejected.len());
            assert_eq!(outcome.faults as usize, played.faults.len());
            assert_eq!(outcome.first_fault, played.faults.first().map(|(_, _, fault)| fault.clone()));
            let recorder = simulator.record(seed).expect("the match begins");
            assert_eq!(recorder.playing().snapshot(), state.snapshot(), "{} seed {seed}", subject.name);
        }
    }
}

#[test]
fn tallies_of_parts_make_the_tally_of_the_whole() {
    let subject = subjects::toys().into_iter().find(|toy| toy.name == "dice").expect("dice is there");
    let options = [("goal".into(), Datum::Int(12))];
    let mut simulator =
        Simulator::new(&subject.program, Some(3), &options, &Habits::orderly()).expect("matches begin");
    let (mut whole, mut parts) = (Tally::new(3), [Tally::new(3), Tally::new(3)]);
    for seed in 0..100 {
        let outcome = simulator.play_one(seed);
        whole.add(seed, &outcome);
        parts[seed as usize / 50].add(seed, &outcome);
    }
    let [first, mut merged] = parts;
    merged.merge(first);
    assert_eq!(merged, whole);
    assert_eq!((whole.matches, whole.rejected, whole.faulty), (100, 0, 0));
    assert_eq!(whole.wins.iter().sum::<u64>(), 100, "one player reaches the goal in each");
    assert_eq!(whole.outcomes.values().sum::<u64>(), 100);
    assert!(whole.inputs.percentile(50) <= whole.inputs.percentile(95));
    assert!(whole.events.mean() > whole.inputs.mean() && whole.branching() > 1.0);
}

#[test]
fn options_that_do_not_exist_are_refused() {
    let subject = subjects::toys().into_iter().next().expect("there are toys");
    let options = [("no_such_option".into(), Datum::Int(1))];
    assert!(Simulator::new(&subject.program, None, &options, &Habits::orderly()).is_err());
    assert!(Simulator::new(&subject.program, Some(99), &[], &Habits::orderly()).is_err());
}
