//! Diagnostics for expressions and types that cannot be parsed.

use intermezzo_compiler::diagnostic::Diagnostic;
use intermezzo_compiler::expr::{parse_param, parse_type};

use crate::{parse_error, text};

/// Checks code, position and advice. The position is given as the source it covers.
fn check_problem(problem: &Diagnostic, written: &str, place: &str, advice: &str) {
    let found = &written[problem.span.start as usize..problem.span.end as usize];
    assert_eq!((problem.code, found), ("E-SYNTAX", place), "`{written}`: {problem:#?}");
    let text = format!("{} {}", problem.message, problem.hints.join(" "));
    assert!(text.contains(advice), "`{written}`: {problem:#?}");
}

#[test]
fn habits_of_other_languages_get_advice() {
    let cases = [
        ("a && b", "&&", "use `and`"),
        ("a || b", "||", "use `or`"),
        ("a & b", "&", "use `and`"),
        ("!a", "!", "use `not`"),
        ("a and !b", "!", "use `not`"),
        ("a = b", "=", "use `==`"),
        ("a === b", "===", "use `==`"),
        ("a !== b", "!==", "use `!=`"),
        ("a ? b : c", "?", "use `if … then … else …`"),
        ("a == \"b\"", "\"", "single quotes"),
        ("a == “b”", "“", "single quotes"),
        ("a ≥ b", "≥", "use `>=`"),
        ("a.map(x -> x)", "->", "use `=>`"),
        ("a is not b", "not", "write `not (a is b)`"),
        ("a.b[0] is not b", "not", "write `not (a.b[0] is b)`"),
    ];
    for (written, place, advice) in cases {
        check_problem(&parse_error(written), written, place, advice);
    }
}

#[test]
fn comparisons_cannot_be_chained() {
    for (written, place) in
        [("a < b < c", "<"), ("a == b != c", "!="), ("a is b == c", "=="), ("a in b not in c", "not in")]
    {
        check_problem(&parse_error(written), written, place, "use `and`");
    }
}

#[test]
fn brackets_that_do_not_match_point_at_the_opening_one() {
    for (written, place, opener) in
        [("f(a, b", "", 1), ("(a + [b)", ")", 5), ("a[1", "", 1), ("{a: 1", "", 0), ("(a b)", "b", 0)]
    {
        let problem = parse_error(written);
        check_problem(&problem, written, place, "expected");
        assert_eq!(problem.related[0].0.start, opener, "`{written}`: {problem:#?}");
    }
    check_problem(&parse_error("a)"), "a)", ")", "closes nothing");
}

#[test]
fn missing_and_superfluous_parts_are_named() {
    let cases = [
        ("a +", "", "expected a value"),
        ("* a", "*", "expected a value"),
        ("a + * b", "*", "expected a value"),
        ("a and or b", "or", "expected a value"),
        ("a b", "b", "expected an operator"),
        ("a.", "", "a name after `.`"),
        ("a.1", "1", "a name after `.`"),
        ("x is", "", "a name after `is`"),
        ("if a then b", "", "expected `else`"),
        ("if a else b", "else", "expected `then`"),
        ("[a, ]", "]", "expected a value"),
        ("{1: a}", "1", "a field name"),
        ("{a 1}", "1", "`:` after the field name"),
        ("a == not b", "not", "needs brackets"),
        ("1 + if a then b else c", "if", "needs brackets"),
        ("a => b", "=>", "only as an argument"),
    ];
    for (written, place, advice) in cases {
        check_problem(&parse_error(written), written, place, advice);
    }
}

#[test]
fn unreadable_words_are_pointed_at() {
    let cases = [
        ("a + 'b", "'b", "not closed"),
        ("a @ b", "@", "unknown character"),
        ("a\u{a0}+ b", "\u{a0}", "ordinary space"),
        ("99999999999999999999", "99999999999999999999", "too large"),
        ("1.5 + a", "1.5", "no fractions"),
        ("2x + a", "2x", "cannot begin with a digit"),
        ("2d6x", "2d6x", "cannot begin with a digit"),
    ];
    for (written, place, advice) in cases {
        check_problem(&parse_error(written), written, place, advice);
    }
}

#[test]
fn an_empty_expression_is_rejected() {
    for written in ["", "   "] {
        check_problem(&parse_error(written), written, written, "no expression");
    }
}

#[test]
fn the_first_mistake_is_the_one_reported() {
    check_problem(&parse_error("a b && c"), "a b && c", "b", "expected an operator");
}

#[test]
fn a_record_has_each_field_once() {
    let problem = parse_error("{a: 1, b: 2, a: 3}");
    assert_eq!((problem.code, problem.span.start, problem.related[0].0.start), ("E-KEY", 13, 1));
}

#[test]
fn types_that_cannot_be_read_get_advice() {
    let cases = [
        ("card?", "?", "write `maybe<card>`"),
        ("list<card?>", "?", "write `maybe<card>`"),
        ("map<player, list<int>?>", "?", "write `maybe<list<int>>`"),
        ("list<int", "", "expected `>`"),
        ("list<>", ">", "expected a type"),
        ("list int", "int", "expected the end of the type"),
        ("[int]", "[", "expected a type"),
        ("int = 1", "=", "expected the end of the type"),
    ];
    for (written, place, advice) in cases {
        check_problem(&parse_type(&text(written)).unwrap_err(), written, place, advice);
    }
    check_problem(&parse_param(&text("int 1")).unwrap_err(), "int 1", "1", "a default value");
    check_problem(&parse_param(&text("int =")).unwrap_err(), "int =", "", "expected a value");
}
