//! The validation rules, row by row: `rules.json` has the outcome of each response.
//!
//! A row is `[selection, outcome]`. The outcome is `ok` or the message, optionally followed by the title under
//! which a nested selection failed. A whole response may replace the selection. Actor and title are `dennis`
//! and `Choose Action` by default.

use intermezzo_selector::{Response, ResponseError, Selector};
use serde_json::{Value, json};

const TITLE: &str = "Choose Action";

fn table() -> Value {
    serde_json::from_str(include_str!("rules.json")).expect("the table is JSON")
}

fn rows<'t>(table: &'t Value, name: &str) -> &'t [Value] {
    table[name].as_array().expect("a list of rows")
}

/// Returns a selector with actor and title, as text.
fn written(selector: &Value) -> String {
    let mut written = json!({"actor": "dennis", "title": TITLE});
    let keys = selector.as_object().expect("a selector is an object");
    keys.iter().for_each(|(key, value)| written[key] = value.clone());
    written.to_string()
}

fn response(written: &Value) -> Response {
    let whole = match written.is_array() {
        true => json!({"title": TITLE, "selection": written}),
        false => written.clone(),
    };
    Response::from_json(&whole.to_string()).expect("the response parses")
}

/// Removes the line and column at the end of a message.
fn without_position(message: &str) -> &str {
    message.split(" at line ").next().unwrap_or(message)
}

#[test]
fn every_response_has_the_outcome_in_the_table() {
    let table = table();
    let mut count = 0;
    for group in rows(&table, "responses") {
        let selector: Selector = serde_json::from_str(&written(&group["selector"])).unwrap();
        for row in rows(group, "rows") {
            let checked = selector.check(&response(&row[0]));
            let outcome = checked.as_ref().map_or_else(ToString::to_string, |_| "ok".to_owned());
            assert_eq!(outcome, row[1], "{}: {row}", group["rule"]);
            let title = checked.err().map(|invalid| invalid.title().to_string());
            let expected = row.get(2).and_then(Value::as_str).unwrap_or(TITLE);
            assert!(title.is_none_or(|title| title == expected), "{}: {row}", group["rule"]);
            count += 1;
        }
    }
    assert!(count >= 120, "{count} rows");
}

#[test]
fn unanswerable_selectors_are_rejected_on_creation() {
    let table = table();
    for row in rows(&table, "selectors") {
        let error = serde_json::from_str::<Selector>(&written(&row["selector"])).unwrap_err();
        assert_eq!(without_position(&error.to_string()), row["error"], "{}", row["rule"]);
    }
}

#[test]
fn responses_that_cannot_be_read_say_why() {
    let table = table();
    for row in rows(&table, "malformed") {
        let error = Response::from_json(&row["response"].to_string()).unwrap_err();
        assert!(matches!(error, ResponseError::Malformed { .. }), "{}", row["rule"]);
        assert_eq!(without_position(&error.to_string()), row["error"], "{}", row["rule"]);
    }
}

#[test]
fn selectors_and_responses_are_written_as_they_are_read() {
    let table = table();
    for group in rows(&table, "responses") {
        let selector: Selector = serde_json::from_str(&written(&group["selector"])).unwrap();
        let again = serde_json::to_string(&selector).unwrap();
        assert_eq!(serde_json::from_str::<Selector>(&again).unwrap(), selector);
        for row in rows(group, "rows") {
            let response = response(&row[0]);
            let again = serde_json::to_string(&response).unwrap();
            assert_eq!(Response::from_json(&again).unwrap(), response);
        }
    }
}

#[test]
fn a_selector_is_written_in_its_keys() {
    let text = r#"{"type":"select","actor":"dennis","title":"Choose Action","choices":["a",2,{"title":"Meld","choices":["card-1"],"min":0,"max":1},{"title":"Pass","id":"pass","exclusive":true}],"min":1,"max":2}"#;
    let selector: Selector = serde_json::from_str(text).unwrap();
    assert_eq!(serde_json::to_string(&selector).unwrap(), text);
}
