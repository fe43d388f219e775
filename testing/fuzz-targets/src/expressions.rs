//! Fuzz target: any text as an expression, as a type, and as the body of a function.

use intermezzo_compiler::expr::{parse, parse_param, parse_type};
use intermezzo_compiler::source::FileId;
use intermezzo_compiler::tree::SourceText;
use intermezzo_compiler::{Ruleset, render};
use serde_json::json;

/// Longest text. The compiler rejects longer expressions.
const MAX_BYTES: usize = 40_000;

pub(crate) fn expressions(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    if text.len() > MAX_BYTES {
        return;
    }
    let found = SourceText::verbatim(text, FileId(0), 0);
    // Spans of a parsed expression must lie within the text.
    let is_inside = |start: u32, end: u32| start <= end && end as usize <= text.len();
    if let Ok(expr) = parse(&found) {
        assert!(is_inside(expr.span.start, expr.span.end), "{:?} in {} bytes", expr.span, text.len());
    }
    let _ = parse_type(&found);
    let _ = parse_param(&found);
    check(text);
}

/// Compiles the text as a function body, in a ruleset with many declarations.
fn check(text: &str) {
    let rules = json!({
        "ir": 1,
        "ruleset": {"id": "fuzz", "version": "0.1.0", "name": "Fuzz", "uses": ["core@1"]},
        "outcomes": ["done"],
        "players": {"min": 1, "max": 4, "seats": 2, "props": {
            "points": {"type": "int", "default": 0},
            "lucky": {"type": "list<int>", "default": "[]"},
            "best": {"type": "maybe<token>"},
        }},
        "kinds": {"token": {"props": {"worth": {"type": "int", "default": 1}}}},
        "zones": {"pile": {"visible": "all", "order": "list"}},
        "defs": {"coin": {"kind": "token"}},
        "functions": {"f": {
            "params": {"n": "int", "who": "player", "some": "list<token>", "perhaps": "maybe<int>"},
            "returns": "int",
            "is": text,
        }},
        "flow": [{"end": "done"}],
    });
    let files = [("fuzz.json".to_owned(), rules.to_string().into_bytes())];
    let ruleset = Ruleset::from_files(&files);
    let compiled = ruleset.compile();
    render(&compiled.diagnostics, ruleset.sources(), false);
    assert_eq!(compiled.program.is_none(), compiled.has_errors(), "either a program or errors");
}
