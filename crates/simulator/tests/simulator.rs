//! Many matches in the same memory are the same matches.

use intermezzo_engine::Datum;
use intermezzo_simulator::{Habits, Simulator, Tally, play, subjects};

#[test]
fn a_simulated_match_is_the_match_of_its_seed() {
    for subject in subjects::all() {
        let habits = Habits { max_inputs: 300, ..Habits::unruly() };
        let mut simulator = Simulator::new(&subject.program, None, &[], &habits).expect("matches begin");
        for seed in 0..40 {
            let outcome = simulator.play_one(seed).expect("the match begins");
            let played = play(&subject.program, seed, &[], &habits).expect("the match begins");
            assert_eq!(simulator.state().snapshot(), played.state.snapshot(), "{} seed {seed}", subject.name);
            assert_eq!(outcome.outcome, played.ending().map(|ending| ending.outcome));
            assert_eq!(outcome.inputs as usize, played.inputs.len());
            assert_eq!(outcome.rejected as usize, played.rejected.len());
        }
    }
}

#[test]
fn tallies_of_parts_make_the_tally_of_the_whole() {
    let subject = subjects::toys().into_iter().find(|toy| toy.name == "dice").expect("dice is there");
    let options = [("goal".to_owned(), Datum::Int(12))];
    let mut simulator =
        Simulator::new(&subject.program, Some(3), &options, &Habits::orderly()).expect("matches begin");
    let (mut whole, mut parts) = (Tally::default(), [Tally::default(), Tally::default()]);
    for seed in 0..100 {
        let outcome = simulator.play_one(seed).expect("the match begins");
        whole.add(&outcome);
        parts[seed as usize / 50].add(&outcome);
    }
    let [mut merged, second] = parts;
    merged.merge(&second);
    assert_eq!(merged, whole);
    assert_eq!((whole.matches, whole.rejected, whole.faults), (100, 0, 0));
    assert_eq!(whole.wins.iter().sum::<u64>(), 100, "one player reaches the goal in each");
    assert!(whole.inputs.min <= whole.inputs.max && whole.events.sum > whole.inputs.sum);
}

#[test]
fn options_that_do_not_exist_are_refused() {
    let subject = subjects::toys().into_iter().next().expect("there are toys");
    let options = [("no_such_option".to_owned(), Datum::Int(1))];
    assert!(Simulator::new(&subject.program, None, &options, &Habits::orderly()).is_err());
    assert!(Simulator::new(&subject.program, Some(99), &[], &Habits::orderly()).is_err());
}
