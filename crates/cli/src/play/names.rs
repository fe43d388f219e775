//! A viewer's names for the things it can see, learned from that viewer's views and events only.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use intermezzo_matchfile::DisplayLabels;
use intermezzo_program::{DefId, Program};
use serde_json::{Map, Value};

use crate::play::presentation::{Presentation, STACK, StackItemView};
use crate::play::square::Square;
use intermezzo_matchfile::sentences::{clean, relabel, value_text};

/// Names of entities for one viewer: `#3` is `attack #3`.
#[derive(Clone)]
pub(crate) struct EntityNames {
    program: Arc<Program>,
    labels: DisplayLabels,
    presentation: Presentation,
    known: BTreeMap<String, String>,
    /// Entities that were created on the stack.
    items: BTreeSet<String>,
    /// Entities as last seen in a view.
    seen: BTreeMap<String, Value>,
    /// Squares of entities, if the ruleset has a grid.
    squares: BTreeMap<String, Square>,
}

impl EntityNames {
    pub(crate) fn new(program: &Arc<Program>) -> EntityNames {
        EntityNames {
            program: Arc::clone(program),
            labels: DisplayLabels::from_program(program),
            presentation: Presentation::of(program),
            known: BTreeMap::new(),
            items: BTreeSet::new(),
            seen: BTreeMap::new(),
            squares: BTreeMap::new(),
        }
    }

    pub(crate) fn program(&self) -> &Arc<Program> {
        &self.program
    }

    pub(crate) fn presentation(&self) -> &Presentation {
        &self.presentation
    }

    /// Learns the name of a created entity. It may be gone before it ever appears in a view.
    pub(crate) fn learn_event(&mut self, event: &Value) {
        let payload = &event["payload"];
        let (Some(id), Some(def)) = (payload["entity"].as_str(), payload["def"].as_str()) else { return };
        if let Some(def) = self.def(def).filter(|_| event["event"] == "Created") {
            let item =
                StackItemView::new(&value_text(&payload["def"]), &payload["owner"], &payload["with"], self);
            let title = item.map_or_else(|| self.def_title(def), |item| item.title());
            if payload["to"] == STACK {
                self.items.insert(id.to_owned());
            }
            self.known.entry(id.to_owned()).or_insert_with(|| format!("{title} {id}"));
        }
    }

    /// Returns whether an entity was created on the stack.
    pub(crate) fn is_item(&self, id: &str) -> bool {
        self.items.contains(id)
    }

    /// Returns the title of a def.
    pub(crate) fn def_title(&self, def: DefId) -> String {
        clean(DisplayLabels::def_title(&self.program, def))
    }

    /// Returns all known names by number.
    pub(crate) fn known(&self) -> &BTreeMap<String, String> {
        &self.known
    }

    /// Returns the entity with that number as last seen.
    pub(crate) fn seen(&self, id: &str) -> Option<&Value> {
        self.seen.get(id)
    }

    /// Returns the square of an entity.
    pub(crate) fn square(&self, id: &str) -> Option<Square> {
        self.squares.get(id).copied()
    }

    /// Describes a value, with the squares of entities on the grid.
    pub(crate) fn describe_placed(&self, value: &Value) -> String {
        match value {
            Value::String(id) => match self.square(id) {
                Some(square) => format!("{} at {square}", value_text(&relabel(value, &self.known))),
                None => value_text(&relabel(value, &self.known)),
            },
            Value::Array(items) if !items.is_empty() => {
                items.iter().map(|item| self.describe_placed(item)).collect::<Vec<_>>().join(", ")
            }
            other => value_text(&self.with_squares(relabel(other, &self.known))),
        }
    }

    /// Replaces records that hold exactly a square by the square's name.
    pub(crate) fn with_squares(&self, value: Value) -> Value {
        match (value, self.presentation.grid()) {
            (Value::Array(items), _) => items.into_iter().map(|item| self.with_squares(item)).collect(),
            (Value::Object(entries), Some(grid)) => {
                let entries = Value::Object(entries);
                match (grid.square(&entries), entries) {
                    (Some(square), Value::Object(entries)) if entries.len() == 2 => {
                        Value::String(square.to_string())
                    }
                    (_, Value::Object(entries)) => {
                        let inner = entries.into_iter().map(|(name, value)| (name, self.with_squares(value)));
                        Value::Object(inner.collect())
                    }
                    (_, other) => other,
                }
            }
            (other, _) => other,
        }
    }

    /// Learns the names and squares of all entities in a view.
    pub(crate) fn learn(&mut self, view: &Value) {
        self.learn_names(view);
        self.squares = self.presentation.grid().map(|grid| grid.squares(view)).unwrap_or_default();
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

    /// Returns the label of an entity: its label property, its def or its kind.
    fn label(&self, entity: &Map<String, Value>) -> Option<String> {
        let kind = entity.get("kind")?.as_str()?;
        let own = self.label_prop(kind).and_then(|prop| entity.get("props")?.get(prop));
        if let Some(own) = own.filter(|own| own.is_string() || own.is_number()) {
            return Some(value_text(own));
        }
        let name = entity.get("def").and_then(Value::as_str);
        let props = entity.get("props").unwrap_or(&Value::Null);
        if let Some(item) = name.and_then(|name| StackItemView::new(name, &Value::Null, props, self)) {
            return Some(item.title());
        }
        let def = name.and_then(|name| self.def(name));
        Some(def.map_or(kind, |def| DisplayLabels::def_title(&self.program, def)).to_owned())
    }

    /// Returns the property that labels entities of a kind.
    pub(crate) fn label_prop(&self, kind: &str) -> Option<&str> {
        self.labels.prop(kind)
    }

    pub(crate) fn def(&self, name: &str) -> Option<DefId> {
        let place = self.program.defs.iter().position(|def| self.program.symbol(def.name) == name)?;
        Some(DefId(place as u16))
    }
}
