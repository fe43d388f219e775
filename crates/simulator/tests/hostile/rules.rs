//! Rules that fail or never end in a match: the input has no effect, and the match can continue.

use std::sync::Arc;

use intermezzo_engine::{Answer, EventLog, Input, Match, Refusal, RuleFault};
use intermezzo_program::{FaultCode, Program, Seat};
use intermezzo_simulator::setup;

use crate::{HEAD, compile, in_time};

/// Low limits, so that the guards trip early.
const LIMITS: &str = "limits: {steps_per_input: 200000, events_per_input: 20000, entities: 2000}\n";

/// Compiles a ruleset that asks repeatedly, and runs the statements when the answer is yes.
fn bomb(declarations: &str, statements: &str) -> Arc<Program> {
    let text = format!(
        "{HEAD}{LIMITS}{declarations}\nflow:\n  - repeat: forever\n    do:\n      - {{choose: go, by: \"players[0]\", from: \"[1, 2]\"}}\n      - if: go == 1\n        then:\n{statements}"
    );
    let compiled = compile("rules.yaml", text.as_bytes());
    let problems: Vec<&str> =
        compiled.diagnostics.iter().map(|diagnostic| diagnostic.message.as_str()).collect();
    Arc::new(compiled.program.unwrap_or_else(|| panic!("{problems:?}")))
}

fn answer(state: &Match, pick: i32) -> Input {
    let pending = state.pending().next().expect("the match waits");
    Input::Answer { input: pending.id(), seat: Seat(0), answer: Answer::Picks(vec![pick]) }
}

/// Runs the statements: they must fail with one of the codes, change nothing, and let the match continue.
fn fails(what: &'static str, declarations: &str, statements: &str, codes: &[FaultCode]) {
    let (declarations, statements, codes) = (declarations.to_owned(), statements.to_owned(), codes.to_vec());
    in_time(what, move || {
        let program = bomb(&declarations, &statements);
        let mut log = EventLog::new();
        let mut state =
            Match::start(Arc::clone(&program), &setup(&program, 1, &[]), &mut log).expect("the match starts");
        for _ in 0..2 {
            let (before, written) = (state.snapshot(), log.clone());
            match state.submit(&answer(&state, 0), &mut log) {
                Err(Refusal::Faulted(RuleFault { code, .. })) => {
                    assert!(codes.contains(&code), "{what}: {}", code.name());
                }
                other => panic!("{what}: {other:?}"),
            }
            assert!(state.snapshot() == before, "{what} leaves a trace in the match");
            assert!(log == written, "{what} leaves a trace in the log");
            let tried = state.preview(&answer(&state, 0), |_| ());
            assert!(tried.is_err() && state.snapshot() == before, "{what} leaves a trace when tried out");
            state.submit(&answer(&state, 1), &mut log).expect("the match goes on");
        }
    });
}

#[test]
fn arithmetic_that_goes_wrong_is_a_fault() {
    let props = "match: {props: {zero: int, big: {type: int, default: 9223372036854775807}, gone: {type: maybe<int>}}}";
    fails("addition", props, "          - set: {match.big: match.big + 1}\n", &[FaultCode::Overflow]);
    fails(
        "multiplication",
        props,
        "          - set: {match.zero: match.big * match.big}\n",
        &[FaultCode::Overflow],
    );
    fails("subtraction", props, "          - set: {match.zero: 0 - match.big - 2}\n", &[FaultCode::Overflow]);
    fails("division", props, "          - set: {match.zero: 1 / match.zero}\n", &[FaultCode::DivisionByZero]);
    fails(
        "remainder",
        props,
        "          - set: {match.zero: 1 % match.zero}\n",
        &[FaultCode::DivisionByZero],
    );
    fails("null", props, "          - set: {match.zero: \"match.gone!\"}\n", &[FaultCode::Missing]);
    fails("index", props, "          - set: {match.zero: \"[1, 2][match.big]\"}\n", &[FaultCode::OutOfRange]);
    fails("only", props, "          - set: {match.zero: \"[1, 2].only\"}\n", &[FaultCode::NotExactlyOne]);
    fails(
        "sum",
        props,
        "          - set: {match.zero: \"[match.big, match.big].sum()\"}\n",
        &[FaultCode::Overflow],
    );
}

#[test]
fn endless_work_trips_a_guard() {
    let guard = [FaultCode::Steps, FaultCode::Memory, FaultCode::Events];
    let props = "match: {props: {x: int, list: {type: list<int>, default: \"[]\"}}}";
    fails("a count", props, "          - repeat: 9000000000000000000\n            do: []\n", &guard);
    fails(
        "a count of changes",
        props,
        "          - repeat: 9000000000000000000\n            do: [{add: {match.x: 1}}]\n",
        &guard,
    );
    fails(
        "a range",
        props,
        "          - {each: \"range(1, 9000000000000000000)\", as: n, do: [{add: {match.x: n}}]}\n",
        &guard,
    );
    fails(
        "ranges",
        props,
        "          - {each: \"range(1, 100000)\", as: n, do: [{set: {match.list: \"range(1, 100000)\"}}]}\n",
        &guard,
    );
    fails(
        "forced answers",
        props,
        "          - repeat: forever\n            do: [{choose: y, by: \"players[0]\", from: \"[1]\"}]\n",
        &guard,
    );
    let nested = "range(1, 3000).sum(a => range(1, 3000).sum(b => range(1, 3000).sum(c => a + b + c)))";
    fails("nested lists", props, &format!("          - set: {{match.x: \"{nested}\"}}\n"), &guard);
}

#[test]
fn exponential_functions_trip_a_guard() {
    let chain: String =
        (1..=64).map(|n| format!("  f{n}: {{returns: int, is: f{0}() + f{0}()}}\n", n - 1)).collect();
    let functions =
        format!("match: {{props: {{x: int}}}}\nfunctions:\n  f0: {{returns: int, is: 1}}\n{chain}");
    fails("functions", &functions, "          - set: {match.x: f64()}\n", &[FaultCode::Steps]);
    let chain: String = (1..=64)
        .map(|n| format!("    p{n}: {{type: int, derived: match.p{0} + match.p{0}}}\n", n - 1))
        .collect();
    let props = format!("match:\n  props:\n    x: int\n    p0: {{type: int, default: 1}}\n{chain}");
    fails("properties", &props, "          - set: {match.x: match.p64}\n", &[FaultCode::Steps]);
    let chain: String = (1..=40).map(|n| format!("  p{n}: {{do: [p{0}, p{0}]}}\n", n - 1)).collect();
    let procs =
        format!("match: {{props: {{x: int}}}}\nprocs:\n  p0: {{do: [{{add: {{match.x: 1}}}}]}}\n{chain}");
    fails("procs", &procs, "          - p40\n", &[FaultCode::Steps, FaultCode::Events]);
    let chain: String = (1..=5000).map(|n| format!("  f{n}: {{returns: int, is: f{}()}}\n", n - 1)).collect();
    let deep = format!("match: {{props: {{x: int}}}}\nfunctions:\n  f0: {{returns: int, is: 1}}\n{chain}");
    fails("depth", &deep, "          - set: {match.x: f5000()}\n", &[FaultCode::Depth]);
    // Modifiers that read modified values recurse on the native stack, which is smaller.
    let props: String = (0..=400).map(|n| format!("      p{n}: {{type: int, mod: true}}\n")).collect();
    let chain: String = (1..=400).map(|n| format!("  - {{of: card.p{n}, set: it.p{}}}\n", n - 1)).collect();
    let world = format!(
        "match: {{props: {{x: int}}}}\nkinds:\n  card:\n    props:\n{props}zones: {{pile: {{visible: all}}}}\ndefs: {{plain: {{kind: card}}}}\nsetup: [{{create: plain, in: pile}}]\nmodifiers:\n{chain}"
    );
    fails("modifiers", &world, "          - set: {match.x: pile.first!.p400}\n", &[FaultCode::Depth]);
}

#[test]
fn lists_that_double_trip_a_guard() {
    let guard = [FaultCode::Steps, FaultCode::Memory];
    let props = "match: {props: {list: {type: list<int>, default: \"[1]\"}}}";
    fails(
        "a local",
        props,
        "          - let: {x: \"[1]\"}\n          - repeat: 64\n            do: [{let: {x: x + x}}]\n",
        &guard,
    );
    fails(
        "a property",
        props,
        "          - repeat: 64\n            do: [{set: {match.list: match.list + match.list}}]\n",
        &guard,
    );
}

#[test]
fn a_list_that_is_shared_many_times_over_trips_a_guard() {
    let props = "match: {props: {deep: {type: \"list<list<list<list<list<int>>>>>\", default: \"[]\"}}}";
    let mut statements = String::from("          - let: {a: \"range(1, 50)\"}\n");
    for (from, to) in [("a", "b"), ("b", "c"), ("c", "d"), ("d", "e")] {
        statements.push_str(&format!("          - let: {{{to}: \"range(1, 50).map({from})\"}}\n"));
    }
    statements.push_str("          - set: {match.deep: e}\n");
    fails("sharing", props, &statements, &[FaultCode::Memory, FaultCode::Steps]);
}

#[test]
fn a_log_that_swells_trips_a_guard() {
    let world = "match: {props: {l: {type: list<int>, default: \"range(1, 50000)\"}}}\nevents: {E: {payload: {l: list<int>}}}";
    let statements = "          - repeat: 400\n            do: [{emit: E, l: match.l}]\n";
    fails("a log", world, statements, &[FaultCode::Memory, FaultCode::Steps]);
}

#[test]
fn dice_and_draws_out_of_bounds_are_faults() {
    let props = "match: {props: {n: {type: int, default: 2000000000}, minus: {type: int, default: -3}}}";
    let codes = [FaultCode::BadCount, FaultCode::Steps, FaultCode::OutOfRange, FaultCode::Overflow];
    for dice in [
        "dice(match.n, 6)",
        "dice(match.n * 9, match.n * 9)",
        "dice(match.minus, 6)",
        "dice(1, match.minus)",
        "dice(1, 0)",
    ] {
        fails("dice", props, &format!("          - {{roll: \"{dice}\", as: r}}\n"), &codes);
    }
    fails("a draw", props, "          - {roll: match.n, from: \"[1, 2]\", as: r}\n", &codes);
    fails("a negative draw", props, "          - {roll: match.minus, from: \"[1, 2]\", as: r}\n", &codes);
}

#[test]
fn floods_of_entities_trip_a_guard() {
    let world = "kinds: {card: {}}\nzones: {pile: {visible: all}}\ndefs: {plain: {kind: card}}";
    let guard = [FaultCode::Entities];
    fails(
        "creating",
        world,
        "          - repeat: 100000\n            do: [{create: plain, in: pile}]\n",
        &guard,
    );
    fails(
        "creating nowhere",
        world,
        "          - repeat: 100000\n            do: [{create: plain}]\n",
        &guard,
    );
    let churn =
        "          - repeat: 1000000\n            do: [{create: plain, in: pile, as: c}, {remove: c}]\n";
    fails("churning", world, churn, &[FaultCode::Events, FaultCode::Steps]);
    let gone = "          - {create: plain, in: pile, as: c}\n          - remove: c\n          - {move: c, to: pile}\n";
    fails("what is gone", world, gone, &[FaultCode::Gone]);
    fails(
        "removing twice",
        world,
        "          - {create: plain, as: c}\n          - remove: c\n          - remove: c\n",
        &[FaultCode::Gone],
    );
}

#[test]
fn storms_of_events_trip_a_guard() {
    let guard = [FaultCode::Depth, FaultCode::Events, FaultCode::Steps];
    let own = "events:\n  Again: {payload: {n: int}, then: [{again: event.n}]}\nprocs:\n  again: {params: {n: int}, do: [{emit: Again, n: n + 1}]}\n";
    fails("an event that emits itself", own, "          - {again: 1}\n", &guard);
    let ping = "events: {Ping: {}, Pong: {}}\nreactions:\n  - {id: a, when: {after: Ping}, effects: [{emit: Pong}, {emit: Pong}]}\n  - {id: b, when: {after: Pong}, effects: [{emit: Ping}]}\n";
    fails("reactions", ping, "          - {emit: Ping}\n", &guard);
    let before =
        "events: {Ping: {}}\nreactions:\n  - {id: a, when: {before: Ping}, effects: [{emit: Ping}]}\n";
    fails("reactions before", before, "          - {emit: Ping}\n", &guard);
    let changed = "match: {props: {x: int}}\nreactions:\n  - {id: a, when: {after: Changed}, effects: [{add: {match.x: 1}}]}\n";
    fails("changes", changed, "          - add: {match.x: 1}\n", &guard);
    let phases = "events: {Ping: {}}\nreactions:\n  - {id: a, when: {after: PhaseStarted}, effects: [{phase: inner, do: []}]}\n";
    fails("phases", phases, "          - {phase: outer, do: [{emit: Ping}]}\n", &guard);
    let moved = "kinds: {card: {}}\nzones: {pile: {visible: all}, heap: {visible: all}}\ndefs: {plain: {kind: card}}\nreactions:\n  - {id: a, when: {after: Moved}, effects: [{move: pile, to: heap}, {move: heap, to: pile}]}\n";
    fails(
        "moves",
        moved,
        "          - {create: plain, in: pile, as: c}\n          - {move: c, to: heap}\n",
        &guard,
    );
    let resets =
        "match: {props: {x: {type: int, default: 0, resets: {when: {after: Changed}, to: match.x + 1}}}}\n";
    fails("resets", resets, "          - add: {match.x: 1}\n", &guard);
}

#[test]
fn questions_that_make_no_sense_are_faults() {
    let props = "match: {props: {minus: {type: int, default: -1}, many: {type: int, default: 1000000}}}";
    let ask = |more: &str| format!("          - {{choose: x, by: \"players[0]\", {more}}}\n");
    let codes = [FaultCode::BadCount, FaultCode::NoOptions];
    fails("no options", props, &ask("from: \"[1].where(it > 1)\""), &codes);
    fails("too few options", props, &ask("from: \"[1] + [2]\", count: 3"), &codes);
    fails("a negative count", props, &ask("from: \"[1, 2]\", count: match.minus"), &codes);
    fails("slots without number", props, &ask("from: \"[1, 2]\", slots: match.many, empty: true"), &codes);
    fails("a negative deadline", props, &ask("from: \"[1, 2]\", deadline: match.minus, default: 1"), &codes);
    fails(
        "nobody",
        props,
        "          - {choose: x, by: \"players.where(it.seat > 5)\", how: any, from: \"[1, 2]\"}\n",
        &codes,
    );
    fails(
        "somebody twice",
        props,
        "          - {choose: x, by: \"players + players\", how: each, from: \"[1, 2]\"}\n",
        &codes,
    );
}

#[test]
fn ten_thousand_options_can_be_asked_and_answered() {
    in_time("options", || {
        let questions = [
            "from: \"range(1, 10000)\"",
            "from: \"range(1, 10000)\", min: 0, max: 10000",
            "from: \"range(1, 10000)\", count: 5000",
            "from: \"range(1, 10000)\", min: 2, order: true",
            "from: \"range(1, 10000)\", slots: 400, empty: true",
            "from: \"range(1, 10000)\", slots: 400",
            "choices: [{id: a, choices: \"range(1, 10000)\", min: 0}, {id: b, choices: \"range(1, 10000)\", count: 7}], min: 1, max: 2",
        ];
        for question in questions {
            let program = bomb("", &format!("          - {{choose: x, by: \"players[0]\", {question}}}\n"));
            let mut state =
                Match::start(Arc::clone(&program), &setup(&program, 1, &[]), &mut EventLog::new())
                    .expect("the match starts");
            state.submit(&answer(&state, 0), &mut EventLog::new()).expect("the question is asked");
            for part in [0, 1, 2, 3] {
                let pending = state.pending().next().expect("it waits");
                let (count, mut answer) = (pending.answer_count(), Answer::Pass);
                assert!(pending.nth_answer((count - 1) / 3 * part, &mut answer), "{question}");
                let input = Input::Answer { input: pending.id(), seat: Seat(0), answer };
                state.clone().submit(&input, &mut EventLog::new()).expect(question);
            }
        }
    });
}

#[test]
fn a_rule_with_hundreds_of_names_runs_like_a_short_one() {
    let names = 300;
    let lets: String = (1..=names).map(|n| format!("          - let: {{n{n}: match.sum + {n}}}\n")).collect();
    let sum: Vec<String> = (1..=names).map(|n| format!("n{n}")).collect();
    let set: String = sum.iter().map(|name| format!("          - add: {{match.sum: {name}}}\n")).collect();
    let program = bomb("match: {props: {sum: {type: int, default: 0}}}", &format!("{lets}{set}"));
    let mut log = EventLog::new();
    let mut state =
        Match::start(Arc::clone(&program), &setup(&program, 1, &[]), &mut log).expect("the match starts");
    state.submit(&answer(&state, 0), &mut log).expect("nothing fails");
    let column = program.kinds[0].props.iter().map(|prop| &program.props[prop.index()]);
    let column =
        column.into_iter().find(|prop| program.symbol(prop.name) == "sum").expect("it has it").column;
    assert_eq!(state.board().column(0, column), Some((1..=names).sum()), "every name kept its value");
}
