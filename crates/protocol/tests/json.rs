//! Conversion between data and JSON text.

mod data;

use intermezzo_engine::Datum;
use intermezzo_protocol::json::{JsonError, MAX_BYTES, MAX_DEPTH, read, read_with_limits, write};
use intermezzo_protocol::{text_hash, view_hash};
use intermezzo_simulator::Random;

fn written(datum: &Datum) -> String {
    let mut text = String::new();
    write(datum, &mut text);
    text
}

#[test]
fn written_data_reads_back() {
    let mut random = Random::new(1);
    for number in 0..2000 {
        let datum = data::datum(&mut random, 4);
        let text = written(&datum);
        assert_eq!(read(text.as_bytes()), Ok(datum), "{number}");
        let other: serde_json::Value = serde_json::from_str(&text).expect("invalid JSON");
        assert_eq!(other.to_string(), text, "serde_json writes the same text");
    }
}

#[test]
fn json_with_integers_is_read() {
    let text =
        " { \"a\" : [ 1 , -20 , null , true , false , \"\\u00e4\\ud83c\\udca1\\/\\b\" ] , \"b\" : { } } ";
    let expected = "{\"a\":[1,-20,null,true,false,\"ä🂡/\\b\"],\"b\":{}}";
    assert_eq!(read(text.as_bytes()).map(|datum| written(&datum)), Ok(expected.to_owned()));
    for whole in [i64::MIN, i64::MAX, 0] {
        assert_eq!(read(whole.to_string().as_bytes()), Ok(Datum::Int(whole)));
    }
}

#[test]
fn invalid_json_is_rejected_with_its_position() {
    let refused = |text: &str| read(text.as_bytes()).expect_err(text);
    assert_eq!(refused("[1.5]"), JsonError::NotAnInteger { at: 1 });
    assert_eq!(refused("1e3"), JsonError::NotAnInteger { at: 0 });
    assert_eq!(refused("9223372036854775808"), JsonError::NotAnInteger { at: 0 });
    assert_eq!(refused("{\"a\":1,\"a\":2}"), JsonError::DuplicateName { at: 13 });
    assert_eq!(refused("[1,]"), JsonError::Unexpected { at: 3 });
    assert_eq!(refused("\"\\ud800x\""), JsonError::InvalidString { at: 2 });
    assert_eq!(refused("\"a\nb\""), JsonError::InvalidString { at: 2 });
    for text in
        ["", "nul", "01", "-", "[", "[1 2]", "{\"a\"}", "{1:2}", "\"", "\"\\", "\"\\u12", "1 2", "truee"]
    {
        assert!(
            matches!(refused(text), JsonError::Unexpected { .. } | JsonError::InvalidString { .. }),
            "{text}"
        );
    }
    assert_eq!(read(b"\"\xff\""), Err(JsonError::InvalidString { at: 1 }));
}

#[test]
fn long_and_deep_input_is_rejected() {
    let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    assert!(read(nested(MAX_DEPTH).as_bytes()).is_ok());
    assert_eq!(read(nested(MAX_DEPTH + 1).as_bytes()), Err(JsonError::TooDeep));
    assert_eq!(read(&vec![b' '; MAX_BYTES + 1]), Err(JsonError::TooLong));
    assert_eq!(read_with_limits(b"[[]]", 10, 1), Err(JsonError::TooDeep));
}

#[test]
fn corrupted_bytes_never_panic() {
    let mut random = Random::new(2);
    for _ in 0..3000 {
        let mut bytes = written(&data::datum(&mut random, 3)).into_bytes();
        let at = random.index(bytes.len());
        bytes[at] = random.below(256) as u8;
        let _ = read(&bytes);
        let _ = read(&bytes[..at]);
    }
}

#[test]
fn the_hash_of_a_view_is_that_of_its_text() {
    let view = read(b"{\"you\":\"p0\",\"zones\":{\"hand\":{\"count\":2}}}").expect("invalid JSON");
    assert_eq!(view_hash(&view), text_hash(&written(&view)));
    // As any client can compute it: the first 16 digits of b3sum.
    assert_eq!(view_hash(&Datum::Map(Vec::new())), "6e46dd10defc9b56");
    assert_eq!(view_hash(&view), "f5952f0ccffe596e");
}
