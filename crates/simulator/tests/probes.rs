//! Counting how often rules are reached changes nothing, and counts.

use std::collections::BTreeSet;
use std::sync::Arc;

use intermezzo_engine::{Log, Match};
use intermezzo_ruleset::{Instr, ProbeKind, Seat, native};
use intermezzo_simulator::{Habits, Subject, play, subjects};

#[test]
fn counting_changes_nothing() {
    for subject in subjects::all() {
        let probed = subject.probed();
        assert!(!probed.probes.list().is_empty(), "{} counts nothing", subject.name);
        for seed in 0..subject.seeds(30) {
            let played = play(&subject.program, seed, &[], &Habits::unruly()).expect("the match begins");
            let mut log = Log::new();
            let mut again =
                Match::start(Arc::clone(&probed), &played.setup, &mut log).expect("the match begins");
            for input in &played.inputs {
                again.submit(input, &mut log).unwrap_or_else(|refusal| {
                    panic!("{} seed {seed}: {input:?} is refused: {refusal}", subject.name)
                });
            }
            assert!(log == played.log, "{} seed {seed}: the log is another", subject.name);
            let boards = [again.board().encode(&probed), played.state.board().encode(&subject.program)];
            assert!(boards[0] == boards[1], "{} seed {seed}: the board is another", subject.name);
        }
    }
}

/// Nothing is left out, asked beforehand or asked twice where it is counted.
#[test]
fn a_state_check_counts_once_for_each_time_things_come_to_rest() {
    let all = subjects::all();
    let subject = all.iter().find(|subject| subject.name == "mages").expect("the mages are among them");
    let played = play(&subject.program, 1, &[], &Habits::orderly()).expect("the match begins");
    let rests = played.log.records().iter().filter(|record| record.event == native::SETTLED).count();
    let probed = subject.probed();
    let mut log = Log::discard();
    let mut again = Match::start(Arc::clone(&probed), &played.setup, &mut log).expect("the match begins");
    for input in &played.inputs {
        again.submit(input, &mut log).expect("it was legal before");
    }
    let checks = probed.probes.list().iter().enumerate();
    let counted: Vec<u32> = checks
        .filter(|(_, probe)| probe.kind == ProbeKind::Reaction && probe.name.contains("lethal_damage"))
        .map(|(number, _)| probed.probes.take(number).times)
        .collect();
    assert!(rests > 50, "the match is long enough");
    assert_eq!(counted, [rests as u32]);
}

#[test]
fn programs_for_play_have_no_probes() {
    for subject in subjects::all() {
        let has_probe = subject.program.code.iter().any(|instr| matches!(instr, Instr::Probe { .. }));
        assert!(!has_probe && subject.program.probes.list().is_empty(), "{}", subject.name);
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

/// What is reached if seat 1 picks the option with that number.
fn reached(pick: i32) -> BTreeSet<(ProbeKind, u32, u32)> {
    let files = vec![("arms.yaml".to_owned(), RULES.as_bytes().to_vec())];
    let program = Subject::new("arms", files).unwrap_or_else(|problems| panic!("{problems}")).probed();
    let setup = intermezzo_simulator::setup(&program, 0, &[]);
    let mut log = Log::discard();
    let mut state = Match::start(Arc::clone(&program), &setup, &mut log).expect("the match begins");
    let input = state.pending().next().expect("seat 1 is asked").id();
    let answer = intermezzo_engine::Answer::Picks(vec![pick]);
    state
        .submit(&intermezzo_engine::Input::Answer { input, seat: Seat(1), answer }, &mut log)
        .expect("legal");
    let probes = program.probes.list().iter().enumerate();
    let counted =
        probes.map(|(number, probe)| (probe.kind, probe.place.line, program.probes.take(number).times));
    counted.filter(|(_, line, times)| *times > 0 && *line < 100).collect()
}

#[test]
fn every_arm_is_counted_by_itself_also_the_one_nobody_wrote() {
    use ProbeKind::{Else, Function, Prevents, Reaction, Then};
    let kinds = |pick| -> Vec<(ProbeKind, u32)> {
        reached(pick)
            .into_iter()
            .filter(|(kind, ..)| *kind != ProbeKind::Proc)
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
