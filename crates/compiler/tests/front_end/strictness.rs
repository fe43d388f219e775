//! The accepted subset of YAML and JSON, and the diagnostics for the rest.

use intermezzo_compiler::tree::{NodeValue, SourceNode};

use crate::{ParsedFile, json, yaml};

/// Checks that the file gives one diagnostic, with this code, position and message.
fn check_problem(read: &ParsedFile, code: &str, place: &str, message: &str) {
    let problem = read.problem();
    assert_eq!(problem.code, code, "{problem:#?}");
    assert_eq!(read.at(problem.span), place, "{problem:#?}");
    assert!(problem.message.contains(message), "{problem:#?}");
    assert!(!problem.hints.is_empty(), "{problem:#?}");
}

#[test]
fn only_true_false_null_and_whole_numbers_are_not_text() {
    let read = yaml("[true, false, null, 12, -3, yes, no, on, off, y, n, True, 1.0.0, 0x1F, 2d6]\n");
    let kinds: Vec<_> = read.root().as_list().unwrap().iter().map(SourceNode::kind_name).collect();
    assert_eq!(kinds[..3], ["true or false", "true or false", "nothing"]);
    assert_eq!(kinds[3..5], ["a number", "a number"]);
    assert!(kinds[5..].iter().all(|kind| *kind == "text"), "{kinds:?}");
    assert!(read.problems.is_empty());
}

#[test]
fn quotes_make_text_of_anything() {
    let read = yaml("['true', \"12\", '1.5', '~']\n");
    assert!(read.root().as_list().unwrap().iter().all(|node| node.as_text().is_some()));
}

#[test]
fn keys_are_text_whatever_they_look_like() {
    let read = yaml("1: a\ntrue: b\nnull: c\n1.5: d\n");
    let keys: Vec<_> = read.root().as_map().unwrap().iter().map(|e| e.key.as_str()).collect();
    assert_eq!(keys, ["1", "true", "null", "1.5"]);
}

#[test]
fn a_key_without_a_value_holds_nothing() {
    let read = yaml("a:\nb: 1\n");
    assert!(matches!(read.root().get("a").unwrap().value, NodeValue::Null));
    assert!(read.problems.is_empty());
}

#[test]
fn fractions_are_rejected() {
    for number in ["1.5", "-0.5", ".5", "1.", "1e3", "2.5E-3"] {
        check_problem(&yaml(&format!("a: {number}\n")), "E-YAML", number, "no fractions");
    }
    check_problem(&json(r#"{"a": 1.5}"#), "E-YAML", "1.5", "no fractions");
}

#[test]
fn numbers_beyond_64_bits_are_rejected() {
    let read = yaml("a: 9223372036854775808\n");
    check_problem(&read, "E-YAML", "9223372036854775808", "too large");
    assert_eq!(yaml("a: -9223372036854775807\n").root().get("a").unwrap().as_int(), Some(-i64::MAX));
    // The smallest 64-bit number represents null.
    check_problem(&yaml("a: -9223372036854775808\n"), "E-YAML", "-9223372036854775808", "too large");
}

#[test]
fn a_number_with_a_leading_zero_is_rejected() {
    check_problem(&yaml("a: 007\n"), "E-YAML", "007", "begins with a zero");
}

#[test]
fn a_tilde_is_rejected() {
    check_problem(&yaml("a: ~\n"), "E-YAML", "~", "`~`");
}

#[test]
fn anchors_and_aliases_are_rejected() {
    let read = yaml("a: &x {b: 1}\nc: *x\nd: *unknown\n");
    let places: Vec<_> = read.problems.iter().map(|p| (p.code, read.at(p.span))).collect();
    assert_eq!(places, [("E-YAML", "&x"), ("E-YAML", "*x"), ("E-YAML", "*unknown")]);
}

#[test]
fn tags_are_rejected() {
    check_problem(&yaml("a: !!str 1\n"), "E-YAML", "!!str", "tags");
    check_problem(&yaml("a: !x {b: 1}\n"), "E-YAML", "!x", "tags");
}

#[test]
fn directives_are_rejected() {
    check_problem(&yaml("%YAML 1.2\n---\na: 1\n"), "E-YAML", "%", "directives");
}

#[test]
fn a_second_document_is_rejected_but_one_may_be_marked() {
    check_problem(&yaml("a: 1\n---\nb: 1\n"), "E-YAML", "---", "second document");
    assert!(yaml("---\na: 1\n").problems.is_empty());
}

#[test]
fn merge_keys_are_rejected() {
    check_problem(&yaml("a: 1\n<<: {b: 1}\n"), "E-YAML", "<<", "merge keys");
}

#[test]
fn keys_that_are_not_words_are_rejected() {
    check_problem(&yaml("[a, b]: 1\n"), "E-YAML", "[", "a key must be");
    check_problem(&yaml("{a: 1}: 1\n"), "E-YAML", "{", "a key must be");
    check_problem(&yaml("? a\n: b\n"), "E-YAML", "a", "a key must be");
    check_problem(&yaml("a: 1\n: 2\n"), "E-YAML", "", "no key");
}

#[test]
fn a_comment_ending_in_a_question_mark_is_not_a_complex_key() {
    assert!(yaml("a: 1 # why?\nb: 2\n").problems.is_empty());
}

#[test]
fn the_second_of_two_equal_keys_points_at_the_first() {
    for read in [yaml("a: 1\nb: 2\na: 3\n"), json("{\"a\": 1, \"b\": 2,\n\"a\": 3}")] {
        check_problem(&read, "E-KEY", read.at(read.problem().span), "`a`");
        let problem = read.problem();
        assert!(problem.related[0].0.start < problem.span.start);
        assert_eq!(read.root().get("a").unwrap().as_int(), Some(1));
        assert_eq!(read.root().as_map().unwrap().len(), 2);
    }
}

#[test]
fn tabs_in_the_indentation_are_pointed_at() {
    check_problem(&yaml("a:\n\tb: 1\n"), "E-YAML", "\t", "tab");
    check_problem(&yaml("a: 1\n\tb: 2\n"), "E-YAML", "\t", "tab");
}

#[test]
fn unquoted_expressions_that_yaml_misreads_get_the_hint_to_quote() {
    for text in ["a: {b: p.plan[1]}\n", "a: x: y\n", "a: 'x' == y\n", "a: @x\n", "a: [x, p[1]]\n"] {
        let read = yaml(text);
        assert_eq!(read.problem().code, "E-YAML");
        let hints = read.problem().hints.join(" ");
        assert!(hints.contains("quotes"), "{text}: {:#?}", read.problem());
    }
}

#[test]
fn an_empty_file_is_rejected() {
    for text in ["", "# only a comment\n", "---\n..."] {
        let read = yaml(text);
        assert!(read.problems.len() <= 1);
        assert!(read.root.is_none() || matches!(read.root().value, NodeValue::Null));
    }
}

#[test]
fn json_and_yaml_give_the_same_tree() {
    let from_yaml = yaml("a: [1, x, null]\nb: {c: true, d: \"e\\n\"}\n");
    let from_json = json("{\n\t\"a\":\t[1, \"x\", null],\r\n\t\"b\": {\"c\": true, \"d\": \"e\\n\"}\n}\n");
    assert!(from_json.problems.is_empty(), "{:#?}", from_json.problems);
    assert_eq!(from_yaml.root().to_json(), from_json.root().to_json());
}

#[test]
fn json_is_read_strictly() {
    let rejected = [
        "{a: 1}",
        "[1, 2,]",
        "{\"a\": 1,}",
        "[1 2]",
        "{\"a\" 1}",
        "'a'",
        "[1] x",
        "\"a\nb\"",
        "\"\\q\"",
        "\"\\ud800\"",
        "[1",
        "{",
        "",
        "nul",
        "// x\n1",
        "[1, +2]",
    ];
    for text in rejected {
        let read = json(text);
        assert!(read.root.is_none(), "{text}");
        assert_eq!(read.problem().code, "E-JSON", "{text}");
    }
}

#[test]
fn an_unclosed_json_bracket_is_shown() {
    let read = json("{\"a\": [1, 2}");
    assert_eq!(read.at(read.problem().related[0].0), "[");
}
