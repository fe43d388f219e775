//! Rules that trigger each other endlessly: the fault names exactly the rules of the cycle.

use std::sync::Arc;

use intermezzo_engine::{Answer, EventLog, Input, Match, Refusal, RuleFault, StartError};
use intermezzo_program::{Program, Seat};
use intermezzo_simulator::setup;

use crate::{HEAD, compile, in_time};

fn program(text: &str) -> Arc<Program> {
    let compiled = compile("loops.yaml", format!("{HEAD}{text}").as_bytes());
    let problems: Vec<&str> =
        compiled.diagnostics.iter().map(|diagnostic| diagnostic.message.as_str()).collect();
    Arc::new(compiled.program.unwrap_or_else(|| panic!("{problems:?}")))
}

/// Compiles a flow that asks once, then runs these statements.
fn waiting(declarations: &str, statements: &str) -> Arc<Program> {
    program(&format!(
        "{declarations}\nflow:\n  - {{choose: go, by: \"players[0]\", from: \"[1, 2]\"}}\n{statements}"
    ))
}

/// Returns the fault after the first answer.
fn fault(program: &Arc<Program>) -> RuleFault {
    let program = Arc::clone(program);
    in_time("a loop", move || {
        let mut log = EventLog::new();
        let mut state =
            Match::start(Arc::clone(&program), &setup(&program, 1, &[]), &mut log).expect("the match starts");
        let pending = state.pending().next().expect("the match waits").id();
        let input = Input::Answer { input: pending, seat: Seat(0), answer: Answer::Picks(vec![0]) };
        let before = state.snapshot();
        match state.submit(&input, &mut log) {
            Err(Refusal::Faulted(fault)) => {
                assert!(state.snapshot() == before, "nothing is left of it");
                fault
            }
            other => panic!("{other:?}"),
        }
    })
}

const ECHOES: &str = "\
events: {Called: {payload: {left: int}}, Heard: {payload: {left: int}}}
reactions:
  - id: hear
    when: {after: Called}
    effects: [{emit: Heard, left: event.left}]
  - id: call
    when: {before: Heard}
    effects: [{emit: Called, left: event.left}]
";

#[test]
fn the_rules_of_a_cycle_are_named_with_their_places() {
    let fault = fault(&waiting(ECHOES, "  - {emit: Called, left: 1}\n"));
    assert_eq!(fault.cycle.to_string(), "hear (line 6 of loops.yaml) → call (line 9) → hear");
    let text = fault.to_string();
    assert!(text.contains("rules were nested too deeply (depth)"), "{text}");
    assert!(text.ends_with(
        "; rules set each other off without end: hear (line 6 of loops.yaml) → call (line 9) → hear"
    ));
}

#[test]
fn every_guard_that_a_cycle_trips_tells_it() {
    let world = "kinds: {card: {}}\nzones: {pile: {visible: all}}\ndefs: {plain: {kind: card}}\n";
    for (limit, work) in [
        ("stack_depth: 30", ""),
        ("events_per_input: 100", ""),
        ("steps_per_input: 100", ""),
        ("entities: 40", "{create: plain, in: pile}, "),
    ] {
        let echoes = ECHOES.replace("effects: [", &format!("effects: [{work}"));
        let fault = fault(&waiting(
            &format!("limits: {{{limit}}}\n{world}{echoes}"),
            "  - {emit: Called, left: 1}\n",
        ));
        assert_eq!(fault.cycle.names(), "hear → call → hear", "{limit}: {fault}");
    }
}

#[test]
fn state_checks_that_take_turns_are_one_cycle() {
    let world = "\
match: {props: {at: {type: int, default: 0}}}
events: {Turned: {}}
reactions:
  - {id: one, when: {after: Settled, if: match.at == 1}, effects: [{set: {match.at: 2}}]}
  - {id: two, when: {after: Settled, if: match.at == 2}, effects: [{emit: Turned}]}
  - {id: three, when: {after: Turned}, effects: [{set: {match.at: 1}}]}
";
    let fault = fault(&waiting(world, "  - set: {match.at: 1}\n"));
    assert_eq!(fault.cycle.names(), "one → two → three → one", "{fault}");
}

#[test]
fn reactions_that_wait_on_the_stack_for_each_other_are_a_cycle() {
    let waiting_ones = ECHOES
        .replace("before: Heard", "after: Heard")
        .replace("    effects", "    timing: stack\n    effects");
    let fault = fault(&waiting(&waiting_ones, "  - {emit: Called, left: 1}\n"));
    assert_eq!(fault.cycle.names(), "hear → call → hear", "{fault}");
}

#[test]
fn a_stack_that_only_gets_lower_is_not_a_cycle() {
    let world = "\
limits: {events_per_input: 3000}
events: {Rang: {}}
match: {props: {total: {type: int, default: 0}}}
procs: {ring: {do: [{repeat: 600, do: [{emit: Rang}]}]}}
reactions:
  - {id: count, when: {after: Rang}, timing: stack, effects: [{add: {match.total: 1}}]}
";
    let fault = fault(&waiting(world, "  - ring\n"));
    assert!(fault.cycle.is_empty(), "{fault}");
}

#[test]
fn hard_work_is_not_a_cycle() {
    let counted = "\
limits: {events_per_input: 5000}
events: {Counted: {payload: {left: int}}}
match: {props: {total: {type: int, default: 0}}}
reactions:
  - {id: note, when: {after: Counted}, effects: [{add: {match.total: 1}}]}
  - {id: again, when: {after: Counted, if: event.left > 0}, effects: [{emit: Counted, left: event.left - 1}, {emit: Counted, left: event.left - 1}]}
  - {id: even, when: {after: Settled, if: match.total % 2 == 1}, effects: [{add: {match.total: 1}}]}
";
    for statements in [
        "  - {repeat: 100000, do: [{emit: Counted, left: 0}]}\n",
        "  - {emit: Counted, left: 6}\n  - {repeat: 100000, do: [{emit: Counted, left: 4}]}\n",
    ] {
        let fault = fault(&waiting(counted, statements));
        assert!(fault.cycle.is_empty(), "{fault}");
    }
}

#[test]
fn a_cycle_at_the_start_is_a_start_error_even_where_loops_are_draws() {
    for policy in ["draw", "fault"] {
        let program = program(&format!(
            "limits: {{loop: {policy}}}\n{ECHOES}flow:\n  - {{emit: Called, left: 1}}\n  - {{choose: go, by: \"players[0]\", from: \"[1, 2]\"}}\n"
        ));
        let outcome = Match::start(Arc::clone(&program), &setup(&program, 1, &[]), &mut EventLog::new());
        match outcome {
            Err(StartError::Fault(fault)) => assert_eq!(fault.cycle.names(), "hear → call → hear"),
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn only_a_cycle_is_a_draw() {
    let world = format!("limits: {{loop: draw, events_per_input: 3000}}\n{ECHOES}");
    let quiet = world.replace("when: {after: Called}", "when: {after: Called, if: event.left > 0}");
    let fault = fault(&waiting(&quiet, "  - {repeat: 100000, do: [{emit: Called, left: 0}]}\n"));
    assert!(fault.cycle.is_empty(), "{fault}");
}

#[test]
fn where_even_the_end_never_comes_the_input_is_refused() {
    let unsure = "  - {id: unsure, when: {before: MatchEnded}, effects: [{emit: Called, left: 1}]}\n";
    let world = format!("limits: {{loop: draw}}\n{ECHOES}{unsure}");
    let fault = fault(&waiting(&world, "  - {emit: Called, left: 1}\n"));
    assert_eq!(fault.cycle.names(), "hear → call → hear");
}
