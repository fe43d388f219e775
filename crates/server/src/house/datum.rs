//! Values of JSON as values of the engine, and back.

use intermezzo_engine::Datum;
use serde_json::{Map, Number, Value};

/// The value as the engine takes it; nothing if it has numbers that are not whole or too large.
pub(crate) fn from_json(value: &Value) -> Option<Datum> {
    Some(match value {
        Value::Null => Datum::Null,
        Value::Bool(truth) => Datum::Bool(*truth),
        Value::Number(number) => Datum::Int(number.as_i64()?),
        Value::String(text) => Datum::text(text),
        Value::Array(items) => Datum::List(items.iter().map(from_json).collect::<Option<_>>()?),
        Value::Object(entries) => Datum::Map(fields(entries)?),
    })
}

/// Named values as the engine takes them.
pub(crate) fn fields(entries: &Map<String, Value>) -> Option<Vec<(String, Datum)>> {
    entries.iter().map(|(name, value)| Some((name.clone(), from_json(value)?))).collect()
}

/// The value as JSON.
pub(crate) fn to_json(datum: &Datum) -> Value {
    match datum {
        Datum::Null => Value::Null,
        Datum::Bool(truth) => Value::Bool(*truth),
        Datum::Int(number) => Value::Number(Number::from(*number)),
        Datum::Text(text) => Value::String(text.clone()),
        Datum::List(items) => items.iter().map(to_json).collect(),
        Datum::Map(entries) => {
            Value::Object(entries.iter().map(|(name, value)| (name.clone(), to_json(value))).collect())
        }
    }
}
