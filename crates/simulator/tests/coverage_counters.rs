//! Coverage counters count correctly and change nothing else.

use std::collections::BTreeSet;
use std::sync::Arc;

use intermezzo_engine::{EventLog, Match};
use intermezzo_program::{CoverageKind, Instr, Seat, native};
use intermezzo_simulator::{Fixture, InputMix, fixtures, play};

#[test]
fn counting_changes_nothing() {
    for fixture in fixtures::all() {
        let instrumented = fixture.instrumented();
        assert!(!instrumented.coverage.points().is_empty(), "{} counts nothing", fixture.name);
        for seed in 0..fixture.seeds(30) {
            let played = play(&fixture.program, seed, &[], &InputMix::chaotic()).expect("the match starts");
            let mut log = EventLog::new();
            let mut again =
                Match::start(Arc::clone(&instrumented), &played.setup, &mut log).expect("the match starts");
            for input in &played.inputs {
                again.submit(input, &mut log).unwrap_or_else(|refusal| {
                    panic!("{} seed {seed}: {input:?} is refused: {refusal}", fixture.name)
                });
            }
            assert!(log == played.log, "{} seed {seed}: the log is another", fixture.name);
            let boards = [again.board().encode(&instrumented), played.state.board().encode(&fixture.program)];
            assert!(boards[0] == boards[1], "{} seed {seed}: the board is another", fixture.name);
        }
    }
}

/// Instrumented programs skip, precompute and repeat no state check.
#[test]
fn a_state_check_counts_once_per_settling() {
    let all = fixtures::all();
    let fixture = all.iter().find(|fixture| fixture.name == "mages").expect("the mages are among them");
    let played = play(&fixture.program, 1, &[], &InputMix::orderly()).expect("the match starts");
    let rests = played.log.records().iter().filter(|record| record.event == native::SETTLED).count();
    let instrumented = fixture.instrumented();
    let mut log = EventLog::discard();
    let mut again =
        Match::start(Arc::clone(&instrumented), &played.setup, &mut log).expect("the match starts");
    for input in &played.inputs {
        again.submit(input, &mut log).expect("it was legal before");
    }
    let checks = instrumented.coverage.points().iter().enumerate();
    let counted: Vec<u32> = checks
        .filter(|(_, probe)| probe.kind == CoverageKind::Reaction && probe.name.contains("lethal_damage"))
        .map(|(number, _)| instrumented.coverage.drain(number).times)
        .collect();
    assert!(rests > 50, "the match is long enough");
    assert_eq!(counted, [rests as u32]);
}

#[test]
fn normal_programs_have_no_coverage_points() {
    for fixture in fixtures::all() {
        let has_probe = fixture.program.code.iter().any(|instr| matches!(instr, Instr::CoverageHit { .. }));
        assert!(!has_probe && fixture.program.coverage.points().is_empty(), "{}", fixture.name);
    }
}

const RULES: &str = "ir: 1
ruleset: {id: arms, version: 0.1.0, name: Arms}
players: {seats: 2, props: {points: {type: int, default: 0}}}
events:
  Scored: {payload: {player: player, by: int}, apply: [{add: {event.player.points: event.by}}]}
reactions:
  - {id: stingy, when: {before: Scored, if: event.by > 2}, effects: [{prevent: event}]}
functions:
  worth: {params: {n: int}, returns: int, is: \"if n > 1 then n else 1\"}
flow:
  - {choose: n, by: \"players[1]\", from: \"[1, 2, 3]\"}
  - if: n == 1
    then: [{emit: Scored, player: \"players[0]\", by: 1}]
  - {emit: Scored, player: \"players[1]\", by: worth(n)}
";

/// Returns the points that are reached if seat 1 picks the option with that number.
fn reached(pick: i32) -> BTreeSet<(CoverageKind, u32, u32)> {
    let files = vec![("arms.yaml".to_owned(), RULES.as_bytes().to_vec())];
    let program = Fixture::new("arms", files).unwrap_or_else(|problems| panic!("{problems}")).instrumented();
    let setup = intermezzo_simulator::setup(&program, 0, &[]);
    let mut log = EventLog::discard();
    let mut state = Match::start(Arc::clone(&program), &setup, &mut log).expect("the match starts");
    let input = state.pending().next().expect("seat 1 is asked").id();
    let answer = intermezzo_engine::Answer::Picks(vec![pick]);
    state
        .submit(&intermezzo_engine::Input::Answer { input, seat: Seat(1), answer }, &mut log)
        .expect("legal");
    let probes = program.coverage.points().iter().enumerate();
    let counted =
        probes.map(|(number, probe)| (probe.kind, probe.location.line, program.coverage.drain(number).times));
    counted.filter(|(_, line, times)| *times > 0 && *line < 100).collect()
}

#[test]
fn every_arm_is_counted_including_the_implicit_else() {
    use CoverageKind::{Else, Function, Prevents, Reaction, Then};
    let kinds = |pick| -> Vec<(CoverageKind, u32)> {
        reached(pick)
            .into_iter()
            .filter(|(kind, ..)| *kind != CoverageKind::Proc)
            .map(|(kind, line, _)| (kind, line))
            .collect()
    };
    assert_eq!(kinds(0), [(Function, 9), (Then, 12), (Else, 9)]);
    assert_eq!(kinds(1), [(Function, 9), (Then, 9), (Else, 12)]);
    let prevented = kinds(2);
    assert!(prevented.contains(&(Reaction, 7)), "{prevented:?}");
    assert!(
        prevented.iter().any(|(kind, line)| matches!(kind, Prevents(Some(_))) && *line == 7),
        "{prevented:?}"
    );
}
