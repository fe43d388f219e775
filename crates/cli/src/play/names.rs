//! What a viewer calls the things in sight. Learnt from that viewer's views and nothing else.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use intermezzo_journal::Labels;
use intermezzo_ruleset::{DefId, Program};
use serde_json::{Map, Value};

use crate::play::look::{Item, Look, STACK};
use crate::play::square::Square;
use intermezzo_journal::sentences::{clean, relabel, words};

/// Names of entities for one viewer: `#3` is `attack #3`.
#[derive(Clone)]
pub(crate) struct Names {
    program: Arc<Program>,
    labels: Labels,
    look: Look,
    known: BTreeMap<String, String>,
    /// What was put on the stack.
    items: BTreeSet<String>,
    /// Entities as they were last in a view.
    seen: BTreeMap<String, Value>,
    /// Where things stand, if there is a grid.
    squares: BTreeMap<String, Square>,
}

impl Names {
    pub(crate) fn new(program: &Arc<Program>) -> Names {
        Names {
            program: Arc::clone(program),
            labels: Labels::of(program),
            look: Look::of(program),
            known: BTreeMap::new(),
            items: BTreeSet::new(),
            seen: BTreeMap::new(),
            squares: BTreeMap::new(),
        }
    }

    pub(crate) fn program(&self) -> &Arc<Program> {
        &self.program
    }

    pub(crate) fn look(&self) -> &Look {
        &self.look
    }

    /// Learns the name of what an event tells was created: it may be gone before it is ever in a view.
    pub(crate) fn learn_event(&mut self, told: &Value) {
        let payload = &told["payload"];
        let (Some(id), Some(def)) = (payload["entity"].as_str(), payload["def"].as_str()) else { return };
        if let Some(def) = self.def(def).filter(|_| told["event"] == "Created") {
            let item = Item::new(&words(&payload["def"]), &payload["owner"], &payload["with"], self);
            let title = item.map_or_else(|| self.def_title(def), |item| item.title());
            if payload["to"] == STACK {
                self.items.insert(id.to_owned());
            }
            self.known.entry(id.to_owned()).or_insert_with(|| format!("{title} {id}"));
        }
    }

    /// Whether an entity was put on the stack when it was created.
    pub(crate) fn is_item(&self, id: &str) -> bool {
        self.items.contains(id)
    }

    /// What people read of a def.
    pub(crate) fn def_title(&self, def: DefId) -> String {
        clean(Labels::def_title(&self.program, def))
    }

    /// Names by number.
    pub(crate) fn known(&self) -> &BTreeMap<String, String> {
        &self.known
    }

    /// The entity with that number as it was last in sight.
    pub(crate) fn seen(&self, id: &str) -> Option<&Value> {
        self.seen.get(id)
    }

    /// Where an entity stands on the grid.
    pub(crate) fn square(&self, id: &str) -> Option<Square> {
        self.squares.get(id).copied()
    }

    /// A value in words, with the squares of what stands on the grid.
    pub(crate) fn placed(&self, value: &Value) -> String {
        match value {
            Value::String(id) => match self.square(id) {
                Some(square) => format!("{} at {square}", words(&relabel(value, &self.known))),
                None => words(&relabel(value, &self.known)),
            },
            Value::Array(items) if !items.is_empty() => {
                items.iter().map(|item| self.placed(item)).collect::<Vec<_>>().join(", ")
            }
            other => words(&self.squared(relabel(other, &self.known))),
        }
    }

    /// The same value with squares in place of records that tell no more than one.
    pub(crate) fn squared(&self, value: Value) -> Value {
        match (value, self.look.grid()) {
            (Value::Array(items), _) => items.into_iter().map(|item| self.squared(item)).collect(),
            (Value::Object(entries), Some(grid)) => {
                let entries = Value::Object(entries);
                match (grid.square(&entries), entries) {
                    (Some(square), Value::Object(entries)) if entries.len() == 2 => {
                        Value::String(square.to_string())
                    }
                    (_, Value::Object(entries)) => {
                        let inner = entries.into_iter().map(|(name, value)| (name, self.squared(value)));
                        Value::Object(inner.collect())
                    }
                    (_, other) => other,
                }
            }
            (other, _) => other,
        }
    }

    /// Learns the names of all entities in a view, and where they stand.
    pub(crate) fn learn(&mut self, view: &Value) {
        self.learn_names(view);
        self.squares = self.look.grid().map(|grid| grid.squares(view)).unwrap_or_default();
    }

    fn learn_names(&mut self, view: &Value) {
        match view {
            Value::Array(items) => items.iter().for_each(|item| self.learn_names(item)),
            Value::Object(entries) => {
                if let (Some(Value::String(id)), Some(label)) = (entries.get("id"), self.label(entries)) {
                    self.known.insert(id.clone(), format!("{label} {id}"));
                    self.seen.insert(id.clone(), view.clone());
                }
                entries.values().for_each(|value| self.learn_names(value));
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
        let name = entity.get("def").and_then(Value::as_str);
        let props = entity.get("props").unwrap_or(&Value::Null);
        if let Some(item) = name.and_then(|name| Item::new(name, &Value::Null, props, self)) {
            return Some(item.title());
        }
        let def = name.and_then(|name| self.def(name));
        Some(def.map_or(kind, |def| Labels::def_title(&self.program, def)).to_owned())
    }

    /// The property that says what entities of a kind are.
    pub(crate) fn label_prop(&self, kind: &str) -> Option<&str> {
        self.labels.prop(kind)
    }

    pub(crate) fn def(&self, name: &str) -> Option<DefId> {
        let place = self.program.defs.iter().position(|def| self.program.symbol(def.name) == name)?;
        Some(DefId(place as u16))
    }
}
