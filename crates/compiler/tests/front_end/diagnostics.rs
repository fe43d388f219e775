//! Output of diagnostics for people and for tools.

use intermezzo_compiler::diagnostic::{Diagnostic, render, sort, suggest, to_json};
use intermezzo_compiler::expr;
use intermezzo_compiler::source::{FileId, Span};
use serde_json::json;

use crate::yaml;

#[test]
fn a_diagnostic_shows_the_line_the_place_and_the_advice() {
    let read = yaml("é: 1\nwhen: \"a.life > 0 && (b\"\n");
    let problem = expr::parse(read.text("when")).unwrap_err().label("here");
    let expected = "\
error[E-SYNTAX]: `&&` means nothing here
 --> rules.yaml:2:19
  |
2 | when: \"a.life > 0 && (b\"
  |                   ^^ here
  |
  = help: use `and`

";
    assert_eq!(render(&[problem], &read.sources, false), expected);
}

#[test]
fn related_spans_are_shown_with_it() {
    let read = yaml("a: 1\nb: 2\nc: 3\nd: 4\ne: 5\na: 6\n");
    let expected = "\
error[E-KEY]: the key `a` occurs twice in one object
 --> rules.yaml:6:1
  |
1 | a: 1
  | - the first one is here
...
6 | a: 6
  | ^ the second one
  |
  = help: remove one of them, or merge what they hold

";
    assert_eq!(render(&read.problems, &read.sources, false), expected);
}

#[test]
fn an_empty_span_still_shows_a_caret() {
    let read = yaml("k: a +\nz: 1\n");
    let problem = expr::parse(read.text("k")).unwrap_err();
    let shown = render(&[problem], &read.sources, false);
    assert!(shown.contains("1 | k: a +\n  |       ^"), "{shown}");
}

#[test]
fn invalid_spans_are_still_shown() {
    let read = yaml("é: ♥\n");
    for (start, end) in [(1, 1), (1, 2), (0, 999), (999, 9999), (6, 2), (4, 5), (u32::MAX, 0)] {
        let problem = Diagnostic::error("E-TEST", Span::at(FileId(0), start, end), "odd");
        assert!(render(&[problem], &read.sources, true).contains("odd"));
    }
}

#[test]
fn huge_lines_and_long_spans_do_not_flood_the_output() {
    let read = yaml(&format!("k: [{}]\nl:\n{}", "a, ".repeat(30_000), "  - b\n".repeat(5_000)));
    for (start, end) in [(0, 100_000), (45_000, 45_001), (5, 6), (89_000, 120_000), (0, 120_000)] {
        let problem = Diagnostic::error("E-TEST", Span::at(FileId(0), start, end), "long");
        let shown = render(&[problem], &read.sources, false);
        assert!(shown.len() < 2_000, "{start}..{end} takes {} bytes", shown.len());
        let place = read.sources.line_column(FileId(0), start);
        assert!(shown.contains(&format!("rules.yaml:{}:{}", place.0, place.1)), "{shown}");
    }
}

#[test]
fn colour_is_only_used_when_asked_for() {
    let read = yaml("a: ~\n");
    assert!(!render(&read.problems, &read.sources, false).contains('\u{1b}'));
    assert!(render(&read.problems, &read.sources, true).contains('\u{1b}'));
}

#[test]
fn control_characters_are_escaped() {
    let read = yaml("\"a\\e[2J\": 1\n\"a\\e[2J\": 2\n");
    assert!(!render(&read.problems, &read.sources, false).contains('\u{1b}'));
}

#[test]
fn tools_get_lines_and_columns() {
    let read = yaml("é: 1\né: 2\n");
    let expected = json!([{
        "code": "E-KEY",
        "severity": "error",
        "message": "the key `é` occurs twice in one object",
        "file": "rules.yaml",
        "line": 2, "column": 1, "endLine": 2, "endColumn": 2,
        "label": "the second one",
        "hints": ["remove one of them, or merge what they hold"],
        "related": [{
            "file": "rules.yaml",
            "line": 1, "column": 1, "endLine": 1, "endColumn": 2,
            "message": "the first one is here",
        }],
    }]);
    assert_eq!(to_json(&read.problems, &read.sources), expected);
}

#[test]
fn diagnostics_are_sorted_and_repeats_dropped() {
    let at = |file, start| Span::at(FileId(file), start, start + 1);
    let mut problems = vec![
        Diagnostic::error("E-B", at(1, 0), "d"),
        Diagnostic::warning("E-B", at(0, 5), "c"),
        Diagnostic::note("E-A", at(0, 5), "b"),
        Diagnostic::error("E-B", at(1, 0), "d"),
        Diagnostic::error("E-C", at(0, 1), "a"),
    ];
    sort(&mut problems);
    let messages: Vec<_> = problems.iter().map(|problem| problem.message.as_str()).collect();
    assert_eq!(messages, ["a", "b", "c", "d"]);
}

#[test]
fn the_nearest_word_is_suggested() {
    let words = ["graveyard", "hand", "battlefield", "deck", "players", "player", "TurnStart"];
    let cases = [
        ("graveyrd", Some("graveyard")),
        ("ahnd", Some("hand")),
        ("Hand", Some("hand")),
        ("dekc", Some("deck")),
        ("turnstart", Some("TurnStart")),
        ("playerz", Some("player")),
        ("plaeyrs", Some("players")),
        ("mana", None),
        ("xyz", None),
        ("", None),
    ];
    for (word, expected) in cases {
        assert_eq!(suggest(word, words), expected, "{word}");
    }
}
