//! Positions inside scalars, in every notation.

use crate::{ParsedFile, json, yaml};

/// Checks that the position of each character of the text under `k` is correct.
fn every_character_is_found(read: &ParsedFile) {
    let text = read.text("k");
    for (index, character) in text.value.char_indices() {
        let range = index..index + character.len_utf8();
        let found = read.at(text.span_of(range));
        if !character.is_whitespace() {
            assert_eq!(found, character.to_string(), "byte {index} of {:?}", text.value);
        }
    }
}

/// Returns the source of `part` of the text under `k`.
fn written<'a>(read: &'a ParsedFile, part: &str) -> &'a str {
    let text = read.text("k");
    let start = text.value.find(part).expect("the part is in the text");
    read.at(text.span_of(start..start + part.len()))
}

#[test]
fn a_plain_text_is_found_after_letters_of_more_than_one_byte() {
    let read = yaml("ünïcödé: ♥♥♥ # ♦\nk: a + ß.b\n");
    assert_eq!(written(&read, "ß.b"), "ß.b");
    every_character_is_found(&read);
}

#[test]
fn a_plain_text_over_several_lines_is_found_through_its_folds() {
    let read = yaml("é: 1\nk: one and\n  two  \n\n    three\n");
    assert_eq!(read.text("k").value, "one and two\nthree");
    assert_eq!(written(&read, "and two"), "and\n  two");
    assert_eq!(written(&read, "three"), "three");
    every_character_is_found(&read);
}

#[test]
fn a_doubled_quote_counts_as_one_character() {
    let read = yaml("é: 1\nk: 'it''s é here'\n");
    assert_eq!(written(&read, "'"), "''");
    assert_eq!(written(&read, "t's"), "t''s");
    assert_eq!(written(&read, "here"), "here");
    assert_eq!(read.at(read.text("k").span), "'it''s é here'");
}

#[test]
fn a_single_quoted_text_is_found_through_its_folds() {
    let read = yaml("k: 'one\n  two\n\n  three ''x'' '\n");
    assert_eq!(read.text("k").value, "one two\nthree 'x' ");
    assert_eq!(written(&read, "one two"), "one\n  two");
    assert_eq!(written(&read, "three"), "three");
}

#[test]
fn every_escape_of_a_double_quoted_text_is_one_character() {
    let escapes = r#"\0 \a \b \t \n \v \f \r \e \" \/ \\ \N \_ \L \P \x41 \u00e9 \U0001F600"#;
    let read = yaml(&format!("é: 1\nk: \"{escapes} end\"\n"));
    let text = read.text("k");
    let mut written = escapes.split(' ');
    for (index, character) in text.value.char_indices().step_by(2).take(19) {
        let range = index..index + character.len_utf8();
        assert_eq!(Some(read.at(text.span_of(range))), written.next());
    }
    let end = text.value.find("end").unwrap();
    assert_eq!(read.at(text.span_of(end..end + 3)), "end");
}

#[test]
fn a_surrogate_pair_is_one_character() {
    for read in [json(r#"{"k": "a\ud83d\ude00b"}"#), yaml(r#"k: "a\ud83d\ude00b""#)] {
        assert_eq!(written(&read, "😀"), r"\ud83d\ude00");
        assert_eq!(written(&read, "b"), "b");
    }
}

#[test]
fn a_double_quoted_text_is_found_through_escaped_and_folded_lines() {
    let read = yaml("k: \"one \\\n  two\n  three\\n\n  \\  four\"\n");
    assert_eq!(read.text("k").value, "one two three\n   four");
    assert_eq!(written(&read, "two"), "two");
    assert_eq!(written(&read, "two three"), "two\n  three");
    assert_eq!(written(&read, "four"), "four");
}

#[test]
fn a_literal_block_is_found_line_by_line() {
    let read = yaml("é: ♥\nk: |\n\n    one é\n      two\n\n    three\n\nz: 1\n");
    assert_eq!(read.text("k").value, "\none é\n  two\n\nthree\n");
    assert_eq!(written(&read, "two"), "two");
    assert_eq!(written(&read, "  two\n\nthree"), "  two\n\n    three");
    assert_eq!(read.at(read.text("k").span), "one é\n      two\n\n    three");
    every_character_is_found(&read);
}

#[test]
fn a_block_with_a_header_is_found_too() {
    for header in ["|2-", "|2+ # why", ">2"] {
        let read = yaml(&format!("k: {header}\n    one\n  two\n  three\n\n"));
        assert_eq!(written(&read, "two"), "two", "{header}");
        every_character_is_found(&read);
    }
}

#[test]
fn a_folded_block_is_found_through_its_folds() {
    let read = yaml("k: >\n  one\n  two\n\n  three\n    far\n  four\n");
    assert_eq!(read.text("k").value, "one two\nthree\n  far\nfour\n");
    assert_eq!(written(&read, "one two"), "one\n  two");
    assert_eq!(written(&read, "far"), "far");
    every_character_is_found(&read);
}

#[test]
fn windows_line_ends_move_nothing() {
    let read = yaml("é: 1\r\nk: |\r\n  one\r\n  two\r\nz: a\r\n  b\r\n");
    assert_eq!(read.text("k").value, "one\ntwo\n");
    every_character_is_found(&read);
    let folded = read.text("z");
    assert_eq!(read.at(folded.span_of(2..3)), "b");
}

#[test]
fn an_empty_range_stands_between_two_characters() {
    let read = yaml("k: \"a\\nb\"\n");
    let text = read.text("k");
    assert_eq!(text.span_of(1..1).start, 5);
    assert_eq!(text.span_of(2..2).start, 7);
    assert_eq!(text.span_of(3..3).start, 8);
}

#[test]
fn lists_and_objects_know_where_they_end() {
    let read = yaml("a: {b: [1, 2], c: x}\nd:\n  - e\n  - f: g\n\n# the end\nh: 1\n");
    let span = |key: &str| read.at(read.root().get(key).unwrap().span);
    assert_eq!(span("a"), "{b: [1, 2], c: x}");
    assert_eq!(span("d"), "- e\n  - f: g");
    let read = yaml("[a: 1 , b]\n");
    assert_eq!(read.at(read.root().as_list().unwrap()[0].span), "a: 1");
}

#[test]
fn lines_and_columns_count_characters_from_one() {
    let read = yaml("é: ♥\nßß: x\n");
    let span = read.text("ßß").span;
    assert_eq!(read.sources.line_column(span.file, span.start), (2, 5));
    assert_eq!(read.sources.line_column(span.file, 9999), (3, 1));
}
