//! Named values of JSON as the engine takes them.

use intermezzo_engine::{Datum, Text};
use intermezzo_journal::from_json;
use serde_json::{Map, Value};

/// Nothing if there are numbers that are not whole or too large.
pub(crate) fn fields(entries: &Map<String, Value>) -> Option<Vec<(Text, Datum)>> {
    entries.iter().map(|(name, value)| Some((name.into(), from_json(value)?))).collect()
}
