//! Terms of a match, its stakes and clocks, before it starts.

use std::sync::Arc;

use intermezzo_compiler::Ruleset;
use intermezzo_engine::{Datum, MatchTerms, Seed, Setup, Stake, StartError, TimeLimits};
use intermezzo_program::Program;
use intermezzo_simulator::fixtures;

fn setup(seats: u8, options: &[(&str, i64)]) -> Setup {
    let options = options.iter().map(|(name, value)| ((*name).into(), Datum::Int(*value))).collect();
    Setup { seats, options, seed: Seed::from_number(1), script: None }
}

fn bundled(name: &str) -> Arc<Program> {
    let fixture = fixtures::all().into_iter().find(|fixture| fixture.name == name);
    Arc::clone(&fixture.expect("the ruleset is there").program)
}

#[test]
fn stakes_follow_from_options_and_seats() {
    let terms = MatchTerms::of(&bundled("orcain"), &setup(2, &[("entry", 25)])).expect("the match may start");
    assert_eq!(terms.stake, Some(Stake { currency: "token".to_owned(), entry: 25, pot: 50 }));
    assert_eq!(terms.time, TimeLimits { bank_ms: None, increment_ms: 0, grace_ms: Some(0) });
}

#[test]
fn the_clock_follows_from_options() {
    let options = [("bank_ms", 60_000), ("increment_ms", 2_000)];
    let terms = MatchTerms::of(&bundled("mages"), &setup(2, &options)).expect("the match may start");
    assert_eq!(terms.stake, None);
    let time = TimeLimits { bank_ms: Some(60_000), increment_ms: 2_000, grace_ms: Some(120_000) };
    assert_eq!(terms.time, time);
    let terms = MatchTerms::of(&bundled("dogma"), &setup(3, &[])).expect("the match may start");
    assert_eq!(terms.time, TimeLimits::default());
}

#[test]
fn an_invalid_setup_has_no_terms() {
    let orcain = bundled("orcain");
    assert!(matches!(MatchTerms::of(&orcain, &setup(3, &[])), Err(StartError::WrongSeats { .. })));
    let refused = MatchTerms::of(&orcain, &setup(2, &[("entry", -1)]));
    assert!(matches!(refused, Err(StartError::OptionOutOfRange { .. })));
}

#[test]
fn stakes_are_never_negative() {
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
    let terms = |fee| MatchTerms::of(&program, &setup(2, &[("fee", fee)]));
    assert!(terms(5).is_ok());
    assert_eq!(terms(-5), Err(StartError::BadTerms { name: "entry" }));
    assert!(matches!(terms(0), Err(StartError::Fault(_))), "dividing by zero");
}
