//! What a viewer calls the things in sight. Learnt from that viewer's views and nothing else.

use std::collections::BTreeMap;
use std::sync::Arc;

use intermezzo_journal::Labels;
use intermezzo_ruleset::{DefId, Program};
use serde_json::{Map, Value};

use crate::sentences::words;

/// Names of entities for one viewer: `#3` is `attack #3`.
#[derive(Clone)]
pub(crate) struct Names {
    program: Arc<Program>,
    labels: Labels,
    known: BTreeMap<String, String>,
    /// Entities as they were last in a view.
    seen: BTreeMap<String, Value>,
}

impl Names {
    pub(crate) fn new(program: &Arc<Program>) -> Names {
        Names {
            program: Arc::clone(program),
            labels: Labels::of(program),
            known: BTreeMap::new(),
            seen: BTreeMap::new(),
        }
    }

    /// Names by number.
    pub(crate) fn known(&self) -> &BTreeMap<String, String> {
        &self.known
    }

    /// The entity with that number as it was last in sight.
    pub(crate) fn seen(&self, id: &str) -> Option<&Value> {
        self.seen.get(id)
    }

    /// Learns the names of all entities in a view.
    pub(crate) fn learn(&mut self, view: &Value) {
        match view {
            Value::Array(items) => items.iter().for_each(|item| self.learn(item)),
            Value::Object(entries) => {
                if let (Some(Value::String(id)), Some(label)) = (entries.get("id"), self.label(entries)) {
                    self.known.insert(id.clone(), format!("{label} {id}"));
                    self.seen.insert(id.clone(), view.clone());
                }
                entries.values().for_each(|value| self.learn(value));
            }
            _ => {}
        }
    }

    /// What an entity in a view is called: by its labelling property, its def, or its kind.
    fn label(&self, entity: &Map<String, Value>) -> Option<String> {
        let kind = entity.get("kind")?.as_str()?;
        let own = self.label_prop(kind).and_then(|prop| entity.get("props")?.get(prop));
        if let Some(own) = own.filter(|own| own.is_string() || own.is_number()) {
            return Some(words(own));
        }
        let def = entity.get("def").and_then(Value::as_str).and_then(|def| self.def(def));
        Some(def.map_or(kind, |def| Labels::def_title(&self.program, def)).to_owned())
    }

    /// The property that says what entities of a kind are.
    pub(crate) fn label_prop(&self, kind: &str) -> Option<&str> {
        self.labels.prop(kind)
    }

    fn def(&self, name: &str) -> Option<DefId> {
        let place = self.program.defs.iter().position(|def| self.program.symbol(def.name) == name)?;
        Some(DefId(place as u16))
    }
}
