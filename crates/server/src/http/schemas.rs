//! JSON Schemas shared by the documents, generated from the protocol types.

use schemars::generate::SchemaSettings;
use schemars::transform::{Transform, transform_subschemas};
use schemars::{Schema, SchemaGenerator};
use serde_json::{Map, Value, json};

use super::param::MAX_NUMBER;

/// Returns a generator whose schemas refer to each other under `components`.
pub(crate) fn generator() -> SchemaGenerator {
    let mut settings = SchemaSettings::draft2020_12();
    settings.definitions_path = "/components/schemas".into();
    settings.meta_schema = None;
    settings.transforms.push(Box::new(NumberBounds));
    settings.into_generator()
}

/// Returns all generated schemas, by name.
pub(crate) fn components(generator: &mut SchemaGenerator) -> Map<String, Value> {
    generator.take_definitions(true)
}

pub(crate) fn value(schema: Schema) -> Value {
    schema.to_value()
}

/// Adds bounds to integers. JavaScript clients cannot represent larger integers exactly.
#[derive(Clone, Debug)]
struct NumberBounds;

impl Transform for NumberBounds {
    fn transform(&mut self, schema: &mut Schema) {
        let bounds = match schema.get("format").and_then(Value::as_str) {
            Some("uint32") => Some((json!(0), json!(u32::MAX))),
            Some("uint64" | "uint") => Some((json!(0), json!(MAX_NUMBER))),
            Some("int64") => Some((json!(-(MAX_NUMBER as i64)), json!(MAX_NUMBER))),
            _ => None,
        };
        if let Some((least, most)) = bounds {
            schema.insert("minimum".to_owned(), least);
            schema.insert("maximum".to_owned(), most);
            // The formats name Rust integer types, which mean nothing to most clients.
            schema.remove("format");
        }
        transform_subschemas(self, schema);
    }
}
