//! Schemas of values by type, and building blocks.

use intermezzo_program::{KindId, Type, TypeId};
use serde_json::{Map, Value, json};

use super::SchemaBuilder;

impl SchemaBuilder<'_> {
    /// Returns the schema of a value. Every value may be null, because it may be hidden.
    pub(super) fn nullable_value(&self, ty: TypeId) -> Value {
        nullable(self.non_null_value(ty))
    }

    /// Returns the schema of a visible value.
    pub(super) fn non_null_value(&self, ty: TypeId) -> Value {
        match &self.program.types[ty.index()] {
            Type::Int => integer(),
            Type::Bool => json!({"type": "boolean"}),
            Type::Symbol | Type::Text | Type::Zone => text(),
            Type::Enum(id) => reference(&format!("enum.{}", self.program.enums[id.index()].name)),
            Type::Kind(KindId::PLAYER) => player(),
            Type::Entity | Type::Kind(_) => entity_name(),
            Type::Dice => json!({"type": "string", "pattern": "^[0-9]+d[0-9]+$"}),
            Type::List(item) => json!({"type": "array", "items": self.nullable_value(*item)}),
            Type::PlayerMap(value) => json!({
                "type": "object",
                "patternProperties": {PLAYER: self.nullable_value(*value)},
                "additionalProperties": false,
            }),
            Type::EnumMap(id, value) => {
                let members = self.program.enums[id.index()].members.iter();
                super::closed(members.map(|key| (self.name(*key), self.nullable_value(*value))).collect())
            }
            Type::Record(fields) => super::closed(
                fields.iter().map(|(key, ty)| (self.name(*key), self.nullable_value(*ty))).collect(),
            ),
            Type::Offer => reference("offer"),
            Type::Event | Type::Any => json!({}),
        }
    }

    pub(super) fn name(&self, symbol: intermezzo_program::Symbol) -> String {
        self.program.symbol(symbol).to_owned()
    }
}

/// Pattern of player names.
const PLAYER: &str = "^p[0-9]+$";

pub(super) fn integer() -> Value {
    json!({"type": "integer"})
}

pub(super) fn text() -> Value {
    json!({"type": "string"})
}

pub(super) fn player() -> Value {
    json!({"type": "string", "pattern": PLAYER})
}

/// Returns the schema of an entity's name in views.
pub(super) fn entity_name() -> Value {
    json!({"type": "string", "pattern": "^(#[0-9]+|p[0-9]+|match)$"})
}

pub(super) fn reference(name: &str) -> Value {
    json!({"$ref": format!("#/$defs/{name}")})
}

/// Returns the schema with null allowed.
pub(super) fn nullable(schema: Value) -> Value {
    match schema.get("type").and_then(Value::as_str).map(str::to_owned) {
        Some(kind) if schema.get("const").is_none() && schema.get("enum").is_none() => {
            let mut schema = schema;
            schema["type"] = json!([kind, "null"]);
            schema
        }
        _ if schema.as_object().is_some_and(Map::is_empty) => schema,
        _ => json!({"anyOf": [schema, {"type": "null"}]}),
    }
}

/// Returns the schema of an object with required and optional keys and no others.
pub(super) fn object(needed: &[(&str, Value)], further: &[(&str, Value)]) -> Value {
    let required: Vec<&str> = needed.iter().map(|(key, _)| *key).collect();
    let all = needed.iter().chain(further);
    let properties: Map<String, Value> = all.map(|(key, value)| ((*key).to_owned(), value.clone())).collect();
    json!({"type": "object", "required": required, "properties": properties, "additionalProperties": false})
}

/// Combines schemas with `anyOf` or `oneOf`, without duplicates. Without any schema the result accepts nothing.
pub(super) fn one_or_combined(keyword: &str, ways: Vec<Value>) -> Value {
    let mut different: Vec<Value> = Vec::with_capacity(ways.len());
    for way in ways {
        if !different.contains(&way) {
            different.push(way);
        }
    }
    match different.len() {
        0 => json!(false),
        1 => different.remove(0),
        _ => json!({keyword: different}),
    }
}
