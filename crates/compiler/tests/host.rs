//! Sections for the host: the clock, and visibility after the end. Each mistake has its own message.

use intermezzo_compiler::Ruleset;
use intermezzo_program::Program;

const FRAME: &str = "
ir: 1
ruleset: {id: frame, version: 0.1.0, HEADER}
options: {bank_ms: {type: maybe<int>, default: null}}
outcomes: [over]
flow: [{end: over}]
";

/// Compiles the frame with `section` added. Returns its program, or the codes and messages.
fn compile(header: &str, section: &str) -> Result<Program, Vec<String>> {
    let frame = FRAME.replace("HEADER", header);
    let files = [("frame.yaml", frame.as_str()), ("example.yaml", section)];
    let files = files.map(|(name, text)| (name.to_owned(), text.as_bytes().to_vec()));
    let compiled = Ruleset::from_files(&files).compile();
    let messages = compiled.diagnostics.iter().filter(|found| found.code != "W-UNUSED");
    let messages = messages.map(|found| format!("{}: {}", found.code, found.message));
    let messages: Vec<String> = messages.collect();
    compiled.program.filter(|_| messages.is_empty()).ok_or(messages)
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
fn each_mistake_in_a_clock_has_its_own_message() {
    let table = [
        ("clock: {bnak: 5}", "E-KEY: unknown key `bnak` in `clock`"),
        ("clock: {bank: -1}", "E-LIMIT: `bank` is a number of milliseconds, 0 or more"),
        ("clock: {increment: 5}", "E-KEY: `increment` needs a `bank`"),
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
fn hidden_state_is_open_after_the_match_unless_the_ruleset_closes_it() {
    let stays_hidden = |header| compile(header, "symbols: [x]").map(|program| program.stays_hidden);
    assert_eq!(stays_hidden("name: Frame"), Ok(false));
    assert_eq!(stays_hidden("afterwards: open"), Ok(false));
    assert_eq!(stays_hidden("afterwards: closed"), Ok(true));
    let messages = stays_hidden("afterwards: shut").expect_err("the word is unknown");
    assert!(messages.len() == 1 && messages[0].contains("shut"), "{messages:?}");
}
