//! A file of deliberate mistakes. Each is reported once, at its line.

use intermezzo_compiler::{Extras, Ruleset};

/// Line and code of every mistake in `mistakes.yaml`.
const EXPECTED: &[(u32, &str)] = &[
    (3, "E-KEY"),
    (10, "E-NAME"),
    (12, "W-LEAK"),
    (13, "W-UNUSED"),
    (16, "E-RECURSE"),
    (18, "E-LOOP"),
    (19, "E-LOOP"),
    (20, "E-RECURSE"),
    (25, "E-GROUP"),
    (26, "E-NAME"),
    (30, "E-PROP"),
    (32, "W-CYCLE"),
    (33, "W-UNREACH"),
    (34, "E-PREVENT"),
    (35, "E-NAME"),
    (37, "E-MOD"),
    (39, "E-CHOOSE"),
    (39, "E-CHOOSE"),
    (40, "E-TYPE"),
    (41, "E-TYPE"),
    (42, "E-ARGS"),
    (43, "W-MODBASE"),
    (45, "W-UNREACH"),
    (47, "W-ORDER"),
];

#[test]
fn every_deliberate_mistake_is_reported_once_at_its_line() {
    let text = include_bytes!("mistakes.yaml").to_vec();
    let ruleset = Ruleset::from_files(&[("mistakes.yaml".to_owned(), text)]);
    let compiled = ruleset.compile();
    let found: Vec<(u32, &str)> = compiled
        .diagnostics
        .iter()
        .map(|diagnostic| {
            let sources = ruleset.sources();
            (sources.line_column(diagnostic.span.file, diagnostic.span.start).0, diagnostic.code)
        })
        .collect();
    assert_eq!(found, EXPECTED);
    assert!(compiled.program.is_none());
}

#[test]
fn a_misspelling_gets_a_suggestion() {
    let text = include_bytes!("mistakes.yaml").to_vec();
    let compiled = Ruleset::from_files(&[("mistakes.yaml".to_owned(), text)]).compile();
    let hints: Vec<&str> =
        compiled.diagnostics.iter().flat_map(|diagnostic| &diagnostic.hints).map(String::as_str).collect();
    for meant in ["TurnStart", "battlefield", "power", "Damaged", "to"] {
        assert!(hints.contains(&format!("did you mean `{meant}`?").as_str()), "{meant} in {hints:?}");
    }
}

#[test]
fn thousands_of_mistakes_are_reported_quickly() {
    let lines = |count: usize, line: &dyn Fn(usize) -> String| (0..count).map(line).collect::<String>();
    let members = lines(4_000, &|n| format!("      - member_of_the_type_{n}\n"));
    let floods = [
        lines(9_000, &|n| {
            format!("  a_function_{n}: {{returns: int, is: a_funtion_{n}() + a_fnction_{n}()}}\n")
        }),
        lines(9_000, &|n| format!("  f{n}: {{returns: T, is: membr_of_the_type_{n}}}\n")),
    ];
    for flood in floods {
        let text = format!(
            "ir: 1\nruleset: {{id: x, version: 0.1.0}}\noutcomes: [done]\ntypes:\n  T:\n    enum:\n{members}\
             functions:\n{flood}flow: []\n"
        );
        let started = std::time::Instant::now();
        let ruleset = Ruleset::from_files(&[("rules.yaml".to_owned(), text.into_bytes())]);
        let diagnostics = ruleset.compile().diagnostics;
        assert!(started.elapsed() < std::time::Duration::from_secs(10), "{:?}", started.elapsed());
        assert!(diagnostics.len() <= 1_001, "{}", diagnostics.len());
        assert!(diagnostics.iter().any(|one| one.message.contains("more than 1000 errors")));
    }
}

#[test]
fn compiling_stops_when_the_caller_says_so() {
    let text = "ir: 1\nruleset: {id: x, version: 0.1.0}\noutcomes: [done]\nflow: [{end: done}]\nfunctions:\n"
        .to_owned()
        + &(0..100).map(|n| format!("  f{n}: {{returns: int, is: 1 + {n}}}\n")).collect::<String>();
    let ruleset = Ruleset::from_files(&[("rules.yaml".to_owned(), text.into_bytes())]);
    let extras = Extras { should_stop: Some(&|| true), ..Extras::default() };
    let compiled = ruleset.compile_with(&extras);
    assert!(compiled.program.is_none());
    assert_eq!(compiled.diagnostics[0].code, "E-LIMIT");
}
