//! Huge rulesets are rejected or compiled in bounded time.

use std::sync::Arc;

use intermezzo_engine::{EventLog, Match};
use intermezzo_simulator::setup;

use crate::{HEAD, compile, in_time};

/// Returns many numbered lines.
fn lines(count: usize, line: impl Fn(usize) -> String) -> String {
    (0..count).map(|n| line(n) + "\n").collect()
}

/// Compiles a ruleset, and starts a match if that succeeds.
fn survive(what: &'static str, text: String) -> bool {
    in_time(what, move || {
        let compiled = compile("rules.yaml", text.as_bytes());
        let Some(program) = compiled.program else { return false };
        let program = Arc::new(program);
        let outcome = Match::start(Arc::clone(&program), &setup(&program, 1, &[]), &mut EventLog::new());
        drop(outcome);
        true
    })
}

#[test]
fn floods_of_declarations_end() {
    let count = 50_000;
    survive(
        "functions",
        format!(
            "{HEAD}functions:\n{}flow: []\n",
            lines(count, |n| format!("  f{n}: {{returns: int, is: {n}}}"))
        ),
    );
    survive("procs", format!("{HEAD}procs:\n{}flow: []\n", lines(10_000, |n| format!("  p{n}: {{do: []}}"))));
    survive("events", format!("{HEAD}events:\n{}flow: []\n", lines(count, |n| format!("  E{n}: {{}}"))));
    survive("symbols", format!("{HEAD}symbols:\n{}flow: []\n", lines(count, |n| format!("  - s{n}"))));
    survive(
        "members",
        format!("{HEAD}types:\n  T:\n    enum:\n{}flow: []\n", lines(count, |n| format!("      - s{n}"))),
    );
    survive(
        "options",
        format!(
            "{HEAD}options:\n{}flow: []\n",
            lines(count, |n| format!("  o{n}: {{type: int, default: {n}}}"))
        ),
    );
    survive(
        "properties",
        format!("{HEAD}match:\n  props:\n{}flow: []\n", lines(count, |n| format!("    p{n}: int"))),
    );
}

#[test]
fn floods_of_calls_within_calls_end() {
    // Fully inlined, these would be hundreds of millions of instructions.
    let calls = |name: &str| vec![format!("{name}()"); 25].join(" + ");
    let functions = ["a", "b", "c", "d"]
        .windows(2)
        .map(|pair| format!("  {}: {{returns: int, is: {}}}\n", pair[0], calls(pair[1])));
    let functions: String = functions.collect();
    let flow = lines(12_000, |_| "  - set: {match.sum: a()}".to_owned());
    let text = format!(
        "{HEAD}match: {{props: {{sum: {{type: int, default: 0}}}}}}\nfunctions:\n  d: {{returns: int, is: match.sum + 1}}\n{functions}flow:\n{flow}"
    );
    assert!(survive("calls", text));
}

#[test]
fn floods_of_actions_end() {
    let actions = lines(5_000, |n| format!("  - {{id: a{n}, timing: instant, effects: []}}"));
    assert!(!survive("actions", format!("{HEAD}actions:\n{actions}flow: []\n")));
    let modes = lines(20_000, |n| format!("      - {{id: m{n}, effects: []}}"));
    assert!(!survive("modes", format!("{HEAD}actions:\n  - id: a\n    modes:\n{modes}flow: []\n")));
    let actions = lines(1_000, |n| format!("  - {{id: a{n}, timing: instant, effects: []}}"));
    assert!(survive("a thousand actions", format!("{HEAD}actions:\n{actions}flow: []\n")));
}

#[test]
fn floods_of_kinds_zones_and_defs_end() {
    let count = 4_000;
    survive("kinds", format!("{HEAD}kinds:\n{}flow: []\n", lines(count, |n| format!("  k{n}: {{}}"))));
    survive(
        "zones",
        format!("{HEAD}kinds: {{k: {{}}}}\nzones:\n{}flow: []\n", lines(count, |n| format!("  z{n}: {{}}"))),
    );
    survive(
        "zones of players",
        format!(
            "{HEAD}kinds: {{k: {{}}}}\nzones:\n{}flow: []\n",
            lines(count, |n| format!("  z{n}: {{of: player}}"))
        ),
    );
    survive(
        "defs",
        format!(
            "{HEAD}kinds: {{k: {{}}}}\ndefs:\n{}flow: []\n",
            lines(count, |n| format!("  d{n}: {{kind: k}}"))
        ),
    );
    survive("phases", format!("{HEAD}flow:\n{}", lines(count, |n| format!("  - {{phase: p{n}, do: []}}"))));
    survive(
        "ancestors",
        format!(
            "{HEAD}kinds:\n  k0: {{}}\n{}flow: []\n",
            lines(1_000, |n| format!("  k{}: {{extends: k{n}}}", n + 1))
        ),
    );
}

#[test]
fn floods_of_mistakes_end() {
    let count = 500;
    let calls = lines(count, |n| format!("  - let: {{x{n}: unknown_function_{n}(1)}}"));
    assert!(!survive("unknown functions", format!("{HEAD}flow:\n{calls}")));
    let names = lines(count, |n| format!("  - let: {{x{n}: unknown_name_{n}}}"));
    let known = lines(count, |n| format!("  - known_name_{n}"));
    assert!(!survive("unknown names", format!("{HEAD}symbols:\n{known}flow:\n{names}")));
    let statements = lines(count, |n| format!("  - {{unknown_operation_{n}: 1}}"));
    assert!(!survive("unknown operations", format!("{HEAD}flow:\n{statements}")));
}

#[test]
fn long_programs_compile() {
    let statements = lines(10_000, |n| format!("  - set: {{match.x: {n}}}"));
    assert!(survive("statements", format!("{HEAD}match: {{props: {{x: int}}}}\nflow:\n{statements}")));
    let locals = lines(3_000, |n| format!("  - let: {{x{n}: {n}}}"));
    survive("locals", format!("{HEAD}flow:\n{locals}"));
    let branches = lines(2_000, |n| format!("      - {{id: b{n}}}"));
    survive(
        "branches",
        format!("{HEAD}flow:\n  - choose: x\n    by: \"players[0]\"\n    choices:\n{branches}"),
    );
    let fields = (0..2_000).map(|n| format!("f{n}: int")).collect::<Vec<_>>().join(", ");
    survive("fields", format!("{HEAD}events: {{E: {{payload: {{{fields}}}}}}}\nflow: []\n"));
    let params = (0..2_000).map(|n| format!("a{n}: int")).collect::<Vec<_>>().join(", ");
    survive(
        "parameters",
        format!("{HEAD}functions: {{f: {{params: {{{params}}}, returns: int, is: a0}}}}\nflow: []\n"),
    );
}

#[test]
fn more_declarations_than_can_be_numbered_are_refused() {
    let count = 66_000;
    let events = lines(count, |n| format!("  E{n}: {{}}"));
    assert!(!survive("events", format!("{HEAD}events:\n{events}flow: []\n")));
    let zones = lines(count, |n| format!("  z{n}: {{}}"));
    assert!(!survive("zones", format!("{HEAD}kinds: {{k: {{}}}}\nzones:\n{zones}flow: []\n")));
    let functions = lines(count, |n| format!("  f{n}: {{returns: int, is: {n}}}"));
    assert!(!survive("functions", format!("{HEAD}functions:\n{functions}flow: []\n")));
    let props = lines(count, |n| format!("    p{n}: int"));
    assert!(!survive("properties", format!("{HEAD}match:\n  props:\n{props}flow: []\n")));
}
