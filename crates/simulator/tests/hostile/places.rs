//! Faults name the position of the failing rule, with and without a log, and for short rules too.

use std::sync::Arc;

use intermezzo_engine::{Answer, EventLog, Input, Match, Refusal, RuleFault};
use intermezzo_program::{FaultCode, Program};
use intermezzo_simulator::setup;

use crate::{HEAD, compile};

const RULES: &str = "
match:
  props:
    shares: {type: int, default: 0}
    count: {type: int, default: 0}
events:
  Shared:
    payload: {among: int}
    apply:
      - set: {match.shares: 12 / event.among}
functions:
  share: {params: {among: int}, returns: int, is: 12 / among}
procs:
  deal:
    params: {among: int}
    do:
      - set: {match.count: match.count + 1}
      - set: {match.shares: share(among)}
  deal_twice:
    params: {among: int}
    do:
      - deal: among
      - deal: among
flow:
  - {choose: among, by: \"players[0]\", from: \"[0, 3]\"}
";

fn program(statement: &str) -> Arc<Program> {
    let text =
        format!("{HEAD}{RULES}  - {statement}\n  - {{choose: more, by: \"players[0]\", from: \"[0, 3]\"}}\n");
    let compiled = compile("places.yaml", text.as_bytes());
    let problems: Vec<&str> =
        compiled.diagnostics.iter().map(|diagnostic| diagnostic.message.as_str()).collect();
    Arc::new(compiled.program.unwrap_or_else(|| panic!("{problems:?}")))
}

/// Returns the match after the option with that number is picked, or the fault.
fn outcome(program: &Arc<Program>, pick: i32, mut log: EventLog) -> Result<Match, RuleFault> {
    let mut state =
        Match::start(Arc::clone(program), &setup(program, 1, &[]), &mut log).expect("the match starts");
    let pending = state.pending().next().expect("it waits");
    let (input, seat) = (pending.id(), pending.seat());
    match state.submit(&Input::Answer { input, seat, answer: Answer::Picks(vec![pick]) }, &mut log) {
        Ok(()) => Ok(state),
        Err(Refusal::Faulted(fault)) => Err(fault),
        Err(refusal) => panic!("{refusal:?}"),
    }
}

#[test]
fn a_fault_in_a_short_rule_has_its_own_position() {
    let is_in = |statement: &str, routine: &str, words: &str| {
        let program = program(statement);
        let faults = [EventLog::new(), EventLog::discard()]
            .map(|log| outcome(&program, 0, log).expect_err("it fails"));
        assert_eq!(faults[0], faults[1], "{statement}: keeping the log makes a difference");
        let fault = &faults[0];
        assert_eq!(fault.code, FaultCode::DivisionByZero);
        assert_eq!(program.routines[fault.routine.index()].name, routine, "{statement}");
        let text = format!("{HEAD}{RULES}");
        let line = text.lines().position(|line| line.contains(words)).expect("it is there") as u32 + 1;
        assert_eq!(fault.location.map(|place| place.line), Some(line), "{statement}");
    };
    is_in("{emit: Shared, among: among}", "events.Shared", "set: {match.shares: 12 / event.among}");
    is_in("{deal_twice: among}", "functions.share", "is: 12 / among");
}

#[test]
fn short_rules_do_the_same_with_and_without_a_log() {
    for statement in ["{emit: Shared, among: among}", "{deal_twice: among}"] {
        let program = program(statement);
        let [kept, not_kept] = [EventLog::new(), EventLog::discard()]
            .map(|log| outcome(&program, 1, log).expect("nothing fails"));
        assert_eq!(kept.state_hash(), not_kept.state_hash(), "{statement}");
        assert_eq!(kept.event_count(), not_kept.event_count(), "{statement}");
    }
}

#[test]
fn a_fault_before_the_match_begins_has_its_position() {
    let text = format!(
        "{HEAD}options: {{among: {{type: int, default: 0}}}}\nmatch:\n  props:\n    \
         shares: {{type: int, default: 12 / options.among}}\nflow: [{{choose: c, by: \"players[0]\", from: \"[1]\"}}]\n"
    );
    let program = Arc::new(compile("places.yaml", text.as_bytes()).program.expect("it compiles"));
    let started = Match::start(Arc::clone(&program), &setup(&program, 1, &[]), &mut EventLog::new());
    let Err(error) = started else { panic!("it starts") };
    let line = text.lines().position(|line| line.contains("12 /")).expect("it is there") + 1;
    assert!(error.to_string().ends_with(&format!(" at places.yaml:{line}")), "{error}");
}
