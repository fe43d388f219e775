//! Schemas of values by their types, and building blocks.

use intermezzo_ruleset::{KindId, Type, TypeId};
use serde_json::{Map, Value, json};

use super::Schemas;

impl Schemas<'_> {
    /// A value of a type; any may be null, be it that it is out of sight.
    pub(super) fn value(&self, ty: TypeId) -> Value {
        nullable(self.plain(ty))
    }

    /// A value of a type that is there.
    pub(super) fn plain(&self, ty: TypeId) -> Value {
        match &self.program.types[ty.index()] {
            Type::Int => integer(),
            Type::Bool => json!({"type": "boolean"}),
            Type::Symbol | Type::Text | Type::Zone => text(),
            Type::Enum(id) => reference(&format!("enum.{}", self.program.enums[id.index()].name)),
            Type::Kind(KindId::PLAYER) => player(),
            Type::Entity | Type::Kind(_) => entity_name(),
            Type::Dice => json!({"type": "string", "pattern": "^[0-9]+d[0-9]+$"}),
            Type::List(item) => json!({"type": "array", "items": self.value(*item)}),
            Type::PlayerMap(value) => json!({
                "type": "object",
                "patternProperties": {PLAYER: self.value(*value)},
                "additionalProperties": false,
            }),
            Type::EnumMap(id, value) => {
                let members = self.program.enums[id.index()].members.iter();
                super::closed(members.map(|key| (self.name(*key), self.value(*value))).collect())
            }
            Type::Record(fields) => {
                super::closed(fields.iter().map(|(key, ty)| (self.name(*key), self.value(*ty))).collect())
            }
            Type::Offer => reference("offer"),
            Type::Event | Type::Any => json!({}),
        }
    }

    pub(super) fn name(&self, symbol: intermezzo_ruleset::Symbol) -> String {
        self.program.symbol(symbol).to_owned()
    }
}

/// What players are called.
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

/// What a viewer calls an entity.
pub(super) fn entity_name() -> Value {
    json!({"type": "string", "pattern": "^(#[0-9]+|p[0-9]+|match)$"})
}

pub(super) fn reference(name: &str) -> Value {
    json!({"$ref": format!("#/$defs/{name}")})
}

/// The same, or null.
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

/// An object that has the first keys, and may have the others.
pub(super) fn object(needed: &[(&str, Value)], further: &[(&str, Value)]) -> Value {
    let required: Vec<&str> = needed.iter().map(|(key, _)| *key).collect();
    let all = needed.iter().chain(further);
    let properties: Map<String, Value> = all.map(|(key, value)| ((*key).to_owned(), value.clone())).collect();
    json!({"type": "object", "required": required, "properties": properties, "additionalProperties": false})
}

/// One of these, each once; nothing fits if there are none.
pub(super) fn either(keyword: &str, ways: Vec<Value>) -> Value {
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
