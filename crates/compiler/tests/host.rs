//! What rulesets tell their host: the clock, what happens after the end. Each mistake in it has its own message.

use intermezzo_compiler::Ruleset;
use intermezzo_ruleset::Program;

const FRAME: &str = "
ir: 1
ruleset: {id: frame, version: 0.1.0, HEADER}
options: {bank_ms: {type: maybe<int>, default: null}}
outcomes: [over]
flow: [{end: over}]
";

/// The codes and messages about the frame with `section` beside it, or its program.
fn compile(header: &str, section: &str) -> Result<Program, Vec<String>> {
    let frame = FRAME.replace("HEADER", header);
    let files = [("frame.yaml", frame.as_str()), ("example.yaml", section)];
    let files = files.map(|(name, text)| (name.to_owned(), text.as_bytes().to_vec()));
    let compiled = Ruleset::from_files(&files).compile();
    let said = compiled.diagnostics.iter().filter(|found| found.code != "W-UNUSED");
    let said = said.map(|found| format!("{}: {}", found.code, found.message));
    let said: Vec<String> = said.collect();
    compiled.program.filter(|_| said.is_empty()).ok_or(said)
}

fn mistakes(section: &str) -> Vec<String> {
    compile("name: Frame", section).expect_err("there is a mistake")
}

#[test]
fn a_clock_has_up_to_three_parts() {
    let program = compile("name: Frame", "clock: {bank: options.bank_ms, increment: 5000, grace: 0}");
    let clock = program.expect("it compiles").clock.expect("there is a clock");
    assert!(clock.bank.is_some() && clock.increment.is_some() && clock.grace.is_some());
    let program = compile("name: Frame", "clock: {grace: null}").expect("it compiles");
    assert!(program.clock.is_some_and(|clock| clock.bank.is_none() && clock.increment.is_none()));
    assert!(compile("name: Frame", "symbols: [x]").expect("it compiles").clock.is_none());
}

#[test]
fn mistakes_in_a_clock_are_told_apart() {
    let table = [
        ("clock: {bnak: 5}", "E-KEY: unknown key `bnak` in `clock`"),
        ("clock: {bank: -1}", "E-LIMIT: `bank` is a number of milliseconds, 0 or more"),
        ("clock: {increment: 5}", "E-KEY: `increment` is added to a `bank`, and there is none"),
        ("clock: {grace: options.bank}", "E-NAME: unknown option `bank`"),
        ("clock: {grace: true}", "E-TYPE: expected maybe<int>, but this is bool"),
        ("clock: {grace: 'you.score'}", "E-NAME: there is no `you` here"),
        ("clock: 5", "E-TYPE: `clock` is an object, but this is a number"),
    ];
    for (section, message) in table {
        assert_eq!(mistakes(section), [message], "{section}");
    }
}

#[test]
fn what_was_hidden_is_open_afterwards_unless_the_ruleset_says_otherwise() {
    let stays_hidden = |header| compile(header, "symbols: [x]").map(|program| program.stays_hidden);
    assert_eq!(stays_hidden("name: Frame"), Ok(false));
    assert_eq!(stays_hidden("afterwards: open"), Ok(false));
    assert_eq!(stays_hidden("afterwards: closed"), Ok(true));
    let said = stays_hidden("afterwards: shut").expect_err("no such word");
    assert!(said.len() == 1 && said[0].contains("shut"), "{said:?}");
}
