//! The JSON Schema of a ruleset's views, events, questions, answers and options.
//!
//! Start with [`ruleset_schema`]. The parts are under `$defs`; `answer.NAME` describes the answers to the question
//! NAME. Hidden values are null or absent, so only the fixed keys of objects are required.

mod questions;
mod values;

use std::sync::Arc;

use intermezzo_engine::{Datum, Observer, Seed, Setup, Viewer};
use intermezzo_program::{KindId, Program, Prop, PropId, ZoneId, native};
use serde_json::{Map, Value, json};

use values::{entity_name, integer, nullable, object, one_or_combined, reference, text};

/// Returns the schema (draft 2020-12) of a ruleset, with `view`, `event`, `prompt`, `answer`, `action` and `options`
/// under `$defs`.
#[must_use]
pub fn ruleset_schema(program: &Arc<Program>) -> Value {
    let schemas = SchemaBuilder { program };
    let mut defs = Map::new();
    defs.insert("view".to_owned(), schemas.view());
    defs.insert("event".to_owned(), schemas.event());
    defs.insert("prompt".to_owned(), schemas.prompt());
    defs.insert("prompts".to_owned(), schemas.prompts());
    schemas.answers(&mut defs);
    defs.insert("action".to_owned(), schemas.action());
    defs.insert("offer".to_owned(), schemas.offer());
    defs.insert("options".to_owned(), schemas.options());
    defs.insert("entity".to_owned(), schemas.entity());
    defs.insert("trait".to_owned(), schemas.attached_traits());
    defs.insert("zone".to_owned(), zone());
    for kind in &program.enums {
        let members: Vec<&str> = kind.members.iter().map(|member| program.symbol(*member)).collect();
        defs.insert(format!("enum.{}", kind.name), json!({"enum": members}));
    }
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": program.name,
        "description": format!("Views, events, questions, answers and options of {} {}.", program.id, program.version),
        "$defs": defs,
    })
}

/// Builds schemas from a program's declarations.
struct SchemaBuilder<'a> {
    program: &'a Arc<Program>,
}

impl SchemaBuilder<'_> {
    fn view(&self) -> Value {
        let program = self.program;
        let phases: Vec<&str> = program.phases.iter().map(|phase| program.symbol(phase.name)).collect();
        let phase = object(
            &[
                ("phase", json!({"enum": phases})),
                ("player", nullable(values::player())),
                ("subject", nullable(entity_name())),
            ],
            &[],
        );
        let options = program
            .options
            .iter()
            .map(|option| (program.symbol(option.name).to_owned(), self.nullable_value(option.ty)));
        let single = (0..program.zones.len()).map(|zone| ZoneId(zone as u16));
        let single: Vec<ZoneId> = single.filter(|zone| program.zones[zone.index()].of.is_none()).collect();
        object(
            &[
                ("you", nullable(values::player())),
                ("phases", json!({"type": "array", "items": phase})),
                ("options", closed(options.collect())),
                ("match", self.props(KindId::MATCH)),
                ("players", json!({"type": "array", "items": self.player()})),
                ("zones", self.zones(&single)),
                ("ending", nullable(ending(self.program))),
            ],
            &[],
        )
    }

    fn player(&self) -> Value {
        object(
            &[
                ("id", values::player()),
                ("seat", integer()),
                ("gone", json!({"type": "boolean"})),
                ("props", self.props(KindId::PLAYER)),
                ("zones", self.zones(&self.program.kinds[KindId::PLAYER.index()].zones)),
            ],
            &[("modified", self.modified(KindId::PLAYER))],
        )
    }

    /// Returns the schema of the properties of a kind that a viewer may see.
    fn props(&self, kind: KindId) -> Value {
        let shown = self.program.kinds[kind.index()].props.iter().filter(|prop| self.is_shown(kind, **prop));
        let prop = |prop: &PropId| {
            let prop: &Prop = &self.program.props[prop.index()];
            (self.program.symbol(prop.name).to_owned(), self.nullable_value(prop.ty))
        };
        closed(shown.map(prop).collect())
    }

    /// Returns the schema of the properties that modifiers have changed.
    fn modified(&self, kind: KindId) -> Value {
        let program = self.program;
        let contribution = object(
            &[
                ("source", nullable(json!({"anyOf": [entity_name(), values::player()]}))),
                ("title", nullable(text())),
                ("change", nullable(integer())),
            ],
            &[],
        );
        let shown = program.kinds[kind.index()].props.iter().filter(|prop| self.is_shown(kind, **prop));
        let props = shown.map(|prop| &program.props[prop.index()]).filter(|prop| !prop.modifiers.is_empty());
        let modified = props.map(|prop| {
            let by = json!({"type": "array", "items": contribution});
            (
                program.symbol(prop.name).to_owned(),
                object(&[("base", self.nullable_value(prop.ty)), ("by", by)], &[]),
            )
        });
        let mut schema = closed(modified.collect());
        schema["description"] = json!(
            "Properties that modifiers have changed: their base values and the modifiers. Absent if there are none."
        );
        schema
    }

    fn is_shown(&self, kind: KindId, prop: PropId) -> bool {
        let prop = &self.program.props[prop.index()];
        let options = if kind == KindId::MATCH { self.program.options.len() } else { 0 };
        let is_option = prop.derived.is_none() && usize::from(prop.column) < options;
        !is_option && prop.name != native::KNOWN
    }

    fn zones(&self, zones: &[ZoneId]) -> Value {
        let zone = |zone: &ZoneId| {
            let name = self.program.symbol(self.program.zones[zone.index()].name);
            (name.to_owned(), reference("zone"))
        };
        closed(zones.iter().map(zone).collect())
    }

    /// Returns the schema of a visible entity, by kind.
    fn entity(&self) -> Value {
        let program = self.program;
        let attached: Vec<KindId> =
            program.defs.iter().filter(|def| def.is_trait).map(|def| def.kind).collect();
        let kinds = (KindId::PLAYER.index() + 1..program.kinds.len()).map(|kind| KindId(kind as u16));
        let things = kinds.filter(|kind| !attached.contains(kind));
        let ways = things.map(|kind| {
            let declared = &program.kinds[kind.index()];
            let defs = program.defs.iter().filter(|def| program.is_kind(def.kind, kind));
            let defs: Vec<&str> = defs.map(|def| program.symbol(def.name)).collect();
            object(
                &[
                    ("id", entity_name()),
                    ("kind", json!({"const": declared.name})),
                    ("def", nullable(json!({"enum": defs}))),
                    ("title", nullable(text())),
                    ("text", nullable(text())),
                    ("owner", nullable(values::player())),
                    ("props", self.props(kind)),
                    ("traits", json!({"type": "array", "items": reference("trait")})),
                    ("zones", self.zones(&declared.zones)),
                ],
                &[("modified", self.modified(kind))],
            )
        });
        one_or_combined("oneOf", ways.collect())
    }

    /// Returns the schema of a trait attached to an entity, by def.
    fn attached_traits(&self) -> Value {
        let program = self.program;
        let traits = program.defs.iter().filter(|def| def.is_trait).map(|def| {
            object(
                &[
                    ("def", json!({"const": program.symbol(def.name)})),
                    ("title", nullable(text())),
                    ("text", nullable(text())),
                    ("props", self.props(def.kind)),
                ],
                &[],
            )
        });
        one_or_combined("oneOf", traits.collect())
    }

    /// Returns the schema of an event as viewers see it, by name.
    fn event(&self) -> Value {
        let program = self.program;
        let events = program.events.iter().enumerate().map(|(at, event)| {
            let field = |field: &intermezzo_program::PayloadField| {
                (program.symbol(field.name).to_owned(), self.nullable_value(field.ty))
            };
            let mut payload: Vec<(String, Value)> = event.fields.iter().map(field).collect();
            if at == native::CREATED.index() {
                let with =
                    json!({"type": "object", "description": "The visible properties it was created with."});
                payload.push(("with".to_owned(), with));
            }
            let mut schema = object(
                &[
                    ("n", integer()),
                    ("event", json!({"const": event.name})),
                    ("cause", nullable(integer())),
                    ("payload", closed(payload)),
                ],
                &[("status", json!({"const": "failed"}))],
            );
            if let Some(sentence) = event.text.and_then(|text| program.texts.get(text.index())) {
                schema["description"] = json!(sentence);
            }
            schema
        });
        one_or_combined("oneOf", events.collect())
    }

    /// Returns the schema of the match options.
    fn options(&self) -> Value {
        let defaults = self.defaults();
        let option = |option: &intermezzo_program::MatchOption| {
            let name = self.program.symbol(option.name);
            let mut schema = self.option(option);
            if let Some(default) = defaults.as_ref().and_then(|defaults| defaults.get(name)) {
                schema["default"] = datum_to_json(default);
            }
            (name.to_owned(), schema)
        };
        let mut schema = closed(self.program.options.iter().map(option).collect());
        schema["description"] = json!("Options of a match. Absent options have their defaults.");
        schema
    }

    fn option(&self, option: &intermezzo_program::MatchOption) -> Value {
        let mut schema = self.non_null_value(option.ty);
        for (key, bound) in [("minimum", option.min), ("maximum", option.max)] {
            if let Some(bound) = bound {
                schema[key] = json!(bound);
            }
        }
        if option.may_be_null {
            schema = nullable(schema);
        }
        if let Some(text) = option.text.and_then(|text| self.program.texts.get(text.index())) {
            schema["description"] = json!(text);
        }
        schema
    }

    /// Returns the default options.
    fn defaults(&self) -> Option<Datum> {
        let seats = self.program.seats.default;
        let setup = Setup { seats, options: Vec::new(), seed: Seed::from_number(0), script: None };
        let mut observer = Observer::new(Arc::clone(self.program), &setup).ok()?;
        observer.view(Viewer::Spectator).get("options").cloned()
    }
}

fn zone() -> Value {
    let items = json!({"type": "array", "items": nullable(reference("entity"))});
    let mut schema = object(&[("count", integer())], &[("items", items)]);
    schema["description"] =
        json!("The number of entities in the zone, and the visible ones at their positions.");
    schema
}

fn ending(program: &Program) -> Value {
    let players = json!({"type": "array", "items": values::player()});
    let scores = json!({"type": "object", "additionalProperties": integer()});
    let score: &[(&str, Value)] = if program.score_type().is_some() { &[("score", scores)] } else { &[] };
    object(
        &[
            ("outcome", text()),
            ("winners", players.clone()),
            ("losers", players),
            ("pot", json!({"enum": ["winners", "split", "burn", "refund"]})),
        ],
        score,
    )
}

/// Returns the schema of an object with these optional keys and no others.
fn closed(keys: Vec<(String, Value)>) -> Value {
    let properties: Map<String, Value> = keys.into_iter().collect();
    json!({"type": "object", "properties": properties, "additionalProperties": false})
}

fn datum_to_json(datum: &Datum) -> Value {
    match datum {
        Datum::Null => Value::Null,
        Datum::Bool(value) => json!(value),
        Datum::Int(number) => json!(number),
        Datum::Text(text) => json!(text.as_str()),
        Datum::List(items) => items.iter().map(datum_to_json).collect(),
        Datum::Map(entries) => {
            entries.iter().map(|(name, value)| (name.clone(), datum_to_json(value))).collect()
        }
    }
}
