//! JSON Schema of ruleset and scenario files, for completion and validation in editors.
//!
//! It follows from the [grammar](crate::grammar) and describes only structure. Names, types and flow are checked by the
//! compiler. A ruleset may consist of several files, so no section is required in any one of them.

use serde_json::{Map, Value, json};

use crate::grammar::scenarios::{AUTO, INPUT_SHAPES, INPUTS, SCENARIO_FILE, STEP};
use crate::grammar::sections::RULESET;
use crate::grammar::statements::STATEMENTS;
use crate::grammar::{Key, Object, Shape, objects_in, without_links};

const SEAT: &str = "^p[0-9]{1,3}$";
const VIEWER: &str = "^(p[0-9]{1,3}|spectator)$";

/// Returns the schema (draft 2020-12) of a ruleset file.
#[must_use]
pub fn schema() -> Value {
    file_schema(&RULESET, "Intermezzo ruleset")
}

/// Returns the schema (draft 2020-12) of a scenario file.
#[must_use]
pub fn scenario_schema() -> Value {
    let mut schema = file_schema(&SCENARIO_FILE, "Intermezzo scenarios");
    let inputs = INPUTS.iter().zip(&INPUT_SHAPES).map(|(word, shape)| {
        let key = format!("{word} p[0-9]{{1,3}}");
        (format!("^{}$", key.trim_start()), shape_schema(shape))
    });
    schema["$defs"][STEP.id]["patternProperties"] = Value::Object(inputs.collect());
    // What the shapes of inputs use.
    schema["$defs"][AUTO.id] = object_schema(&AUTO);
    schema
}

fn file_schema(root: &'static Object, title: &str) -> Value {
    let mut definitions = Map::new();
    definitions.insert(
        "expression".to_owned(),
        json!({
            "description": "An expression such as `players.count > 2`, a number, true, false, null or a list of these.",
            "type": ["string", "integer", "boolean", "null", "array", "object"],
        }),
    );
    definitions.insert(
        "plain".to_owned(),
        json!({
            "description": "An expression such as `players.count > 2`, a number, true, false, null or a list of these.",
            "anyOf": [
                {"type": ["string", "integer", "boolean", "null"]},
                {"type": "array", "items": reference("plain")},
                {"type": "object", "anyOf": [{"required": ["op"]}, {"required": ["ref"]}]},
            ],
        }),
    );
    definitions.insert(
        "type".to_owned(),
        json!({
            "description": "A type such as `int`, `maybe<card>`, `list<player>` or `map<player, int>`.",
            "type": "string",
        }),
    );
    definitions.insert("statements".to_owned(), statements());
    definitions.insert("statement".to_owned(), statement());
    for object in objects_in(root).into_iter().skip(1) {
        definitions.insert(definition_name(object), object_schema(object));
    }
    let mut schema = object_schema(root);
    schema["$schema"] = json!("https://json-schema.org/draft/2020-12/schema");
    schema["title"] = json!(title);
    schema["$defs"] = Value::Object(definitions);
    schema
}

/// Returns the name of an object among the definitions. Statements have a prefix: `group` is also a word for other things.
fn definition_name(object: &Object) -> String {
    match object.head {
        Some(head) => format!("statement_{head}"),
        None => object.id.to_owned(),
    }
}

fn statements() -> Value {
    json!({
        "description": "Statements in order.",
        "anyOf": [
            {"type": "array", "items": reference("statement")},
            {"type": "null"},
            reference("statement"),
        ],
    })
}

fn statement() -> Value {
    let operations: Vec<Value> =
        STATEMENTS.iter().map(|statement| reference(&definition_name(statement))).collect();
    let names: Vec<Option<&str>> = STATEMENTS.iter().map(|statement| statement.head).collect();
    json!({
        "description": "A statement: an object with one operation, a call of a proc, or the name of a proc without arguments.",
        "anyOf": [
            {"type": "string"},
            {"type": "array", "items": reference("statement")},
            {"anyOf": operations},
            // Without the names of operations, or every misspelt argument of an operation would pass as a call.
            {
                "type": "object",
                "description": "A call of a proc, or the form {op: …}.",
                "minProperties": 1,
                "propertyNames": {"not": {"enum": names}},
            },
        ],
    })
}

/// Returns the schema of an object. A key without a value stands for an empty object, hence "null".
fn object_schema(object: &Object) -> Value {
    let properties: Map<String, Value> =
        object.all_keys().map(|key| (key.name.to_owned(), key_schema(key))).collect();
    let required: Vec<&str> = object.own_keys().filter(|key| key.is_required).map(|key| key.name).collect();
    let is_statement = object.head.is_some() || [RULESET.id, SCENARIO_FILE.id].contains(&object.id);
    let mut schema = json!({
        "type": if is_statement { json!("object") } else { json!(["object", "null"]) },
        "description": without_links(object.doc),
        "properties": properties,
        "additionalProperties": object.is_open,
    });
    if !required.is_empty() {
        schema["required"] = json!(required);
    }
    schema
}

fn key_schema(key: &Key) -> Value {
    let mut schema = shape_schema(&key.shape);
    let doc = key.plain_doc();
    let mut letters = doc.chars();
    let first: String = letters.next().into_iter().flat_map(char::to_uppercase).collect();
    let default = match key.default {
        "" => String::new(),
        default => format!(" Default: {}.", default.trim_end_matches('.')),
    };
    schema["description"] = json!(format!("{first}{}.{default}", letters.as_str()));
    schema
}

fn shape_schema(shape: &Shape) -> Value {
    match shape {
        Shape::Text | Shape::Name(_) => json!({"type": "string"}),
        Shape::Number => json!({"type": "integer"}),
        Shape::Range(from, to) => json!({"type": "integer", "minimum": from, "maximum": to}),
        Shape::Exactly(number) => json!({"const": number}),
        Shape::Flag => json!({"type": "boolean"}),
        Shape::Words(words) => json!({"enum": words}),
        Shape::Expression => reference("expression"),
        Shape::Plain => reference("plain"),
        Shape::Type => reference("type"),
        Shape::Statements => reference("statements"),
        Shape::List(items) => json!({"type": ["array", "null"], "items": shape_schema(items)}),
        Shape::Named(values) | Shape::NamedBy(_, values) => {
            json!({"type": ["object", "null"], "additionalProperties": shape_schema(values)})
        }
        Shape::Object(object) => reference(&definition_name(object)),
        Shape::AnyOf(shapes) => {
            let shapes: Vec<Value> = shapes.iter().map(shape_schema).collect();
            json!({"anyOf": shapes})
        }
        Shape::Free | Shape::Answer | Shape::Offer => json!({}),
        Shape::Seat => json!({"type": "string", "pattern": SEAT}),
        Shape::Viewer => json!({"type": "string", "pattern": VIEWER}),
        Shape::BySeat(values) => json!({
            "type": ["object", "null"],
            "propertyNames": {"pattern": VIEWER},
            "additionalProperties": shape_schema(values),
        }),
        Shape::Events => json!({
            "type": ["array", "null"],
            "items": {"anyOf": [
                {"type": "string"},
                {"type": "object", "minProperties": 1, "maxProperties": 1, "additionalProperties": {"type": ["object", "null"]}},
            ]},
        }),
    }
}

fn reference(name: &str) -> Value {
    json!({"$ref": format!("#/$defs/{name}")})
}
