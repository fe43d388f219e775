//! The schemas that all documents share, made from the types that are read and written.

use schemars::generate::SchemaSettings;
use schemars::transform::{Transform, transform_subschemas};
use schemars::{Schema, SchemaGenerator};
use serde_json::{Map, Value, json};

use super::param::MAX_NUMBER;

/// Makes schemas that refer to each other within `components`.
pub(crate) fn generator() -> SchemaGenerator {
    let mut settings = SchemaSettings::draft2020_12();
    settings.definitions_path = "/components/schemas".into();
    settings.meta_schema = None;
    settings.transforms.push(Box::new(Bounds));
    settings.into_generator()
}

/// All schemas that were asked for, by name.
pub(crate) fn components(generator: &mut SchemaGenerator) -> Map<String, Value> {
    generator.take_definitions(true)
}

/// A schema as part of a document.
pub(crate) fn value(schema: Schema) -> Value {
    schema.to_value()
}

/// Says how large numbers may be: larger ones cannot be told apart by every client.
#[derive(Clone, Debug)]
struct Bounds;

impl Transform for Bounds {
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
            // Formats of numbers are for programs in other languages than most clients are written in.
            schema.remove("format");
        }
        transform_subschemas(self, schema);
    }
}
