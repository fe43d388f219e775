//! What a match costs and how much time there is, known before it begins.

use std::sync::Arc;

use intermezzo_compiler::Ruleset;
use intermezzo_engine::{Datum, Seed, Setup, Stake, StartError, Terms, Time};
use intermezzo_ruleset::Program;
use intermezzo_simulator::subjects;

fn setup(seats: u8, options: &[(&str, i64)]) -> Setup {
    let options = options.iter().map(|(name, value)| ((*name).into(), Datum::Int(*value))).collect();
    Setup { seats, options, seed: Seed::from_number(1), script: None }
}

fn bundled(name: &str) -> Arc<Program> {
    let subject = subjects::all().into_iter().find(|subject| subject.name == name);
    Arc::clone(&subject.expect("the ruleset is there").program)
}

#[test]
fn stakes_follow_from_options_and_seats() {
    let terms = Terms::of(&bundled("orcain"), &setup(2, &[("entry", 25)])).expect("it may begin");
    assert_eq!(terms.stake, Some(Stake { currency: "token".to_owned(), entry: 25, pot: 50 }));
    assert_eq!(terms.time, Time { bank_ms: None, increment_ms: 0, grace_ms: Some(0) });
}

#[test]
fn the_clock_follows_from_options() {
    let options = [("bank_ms", 60_000), ("increment_ms", 2_000)];
    let terms = Terms::of(&bundled("mages"), &setup(2, &options)).expect("it may begin");
    assert_eq!(terms.stake, None);
    let time = Time { bank_ms: Some(60_000), increment_ms: 2_000, grace_ms: Some(120_000) };
    assert_eq!(terms.time, time);
    let terms = Terms::of(&bundled("dogma"), &setup(3, &[])).expect("it may begin");
    assert_eq!(terms.time, Time::default());
}

#[test]
fn a_setup_that_does_not_fit_has_no_terms() {
    let orcain = bundled("orcain");
    assert!(matches!(Terms::of(&orcain, &setup(3, &[])), Err(StartError::WrongSeats { .. })));
    let refused = Terms::of(&orcain, &setup(2, &[("entry", -1)]));
    assert!(matches!(refused, Err(StartError::OptionOutOfRange { .. })));
}

#[test]
fn nothing_costs_less_than_nothing() {
    let text = "
ir: 1
ruleset: {id: free, version: 0.1.0}
options: {fee: {type: int, default: 1}}
outcomes: [over]
stakes: {entry: options.fee, pot: 1000 / options.fee}
flow: [{end: over}]
";
    let files = [("free.yaml".to_owned(), text.as_bytes().to_vec())];
    let program = Arc::new(Ruleset::from_files(&files).compile().program.expect("it compiles"));
    let terms = |fee| Terms::of(&program, &setup(2, &[("fee", fee)]));
    assert!(terms(5).is_ok());
    assert_eq!(terms(-5), Err(StartError::BadTerms { name: "entry" }));
    assert!(matches!(terms(0), Err(StartError::Fault(_))), "dividing by zero");
}
