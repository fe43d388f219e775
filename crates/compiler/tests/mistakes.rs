//! A file of deliberate mistakes. Each is reported once, at its line.

use intermezzo_compiler::Ruleset;

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
    (33, "E-UNREACH"),
    (34, "E-PREVENT"),
    (35, "E-NAME"),
    (37, "E-MOD"),
    (39, "E-CHOOSE"),
    (39, "E-CHOOSE"),
    (40, "E-TYPE"),
    (41, "E-TYPE"),
    (42, "E-ARGS"),
    (43, "W-MODBASE"),
    (45, "E-UNREACH"),
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
