//! Conversion of named JSON values to engine values.

use intermezzo_engine::{Datum, ShortText};
use intermezzo_matchfile::from_json;
use serde_json::{Map, Value};

/// Returns `None` if a number is fractional or too large.
pub(crate) fn engine_values(entries: &Map<String, Value>) -> Option<Vec<(ShortText, Datum)>> {
    entries.iter().map(|(name, value)| Some((name.into(), from_json(value)?))).collect()
}
