//! Titles of the entities a viewer has seen.

use std::collections::BTreeMap;
use std::sync::Arc;

use intermezzo_engine::Datum;
use intermezzo_program::Program;
use serde_json::Value;

use crate::narrate::{DisplayLabels, to_json};
use crate::sentences::{relabel, value_text};

/// Entity titles by name: `#3` is `attack #3`.
pub(super) struct EntityTitles {
    labels: DisplayLabels,
    known: BTreeMap<String, String>,
}

impl EntityTitles {
    pub(super) fn new(program: &Arc<Program>) -> EntityTitles {
        EntityTitles { labels: DisplayLabels::from_program(program), known: BTreeMap::new() }
    }

    /// Records the titles of entities, from their views.
    pub(super) fn record(&mut self, entities: &[Datum]) {
        for entity in entities.iter().map(to_json) {
            if let (Some(id), Some(title)) = (entity["id"].as_str(), self.title(&entity)) {
                self.known.insert(id.to_owned(), format!("{title} {id}"));
            }
        }
    }

    /// Replaces names by titles in a value.
    pub(super) fn with_titles(&self, value: &Value) -> Value {
        relabel(value, &self.known)
    }

    /// Returns the title of an entity: its label property, the title of its def, or its kind.
    fn title(&self, entity: &Value) -> Option<String> {
        let kind = entity["kind"].as_str()?;
        let own = self.labels.prop(kind).map(|prop| &entity["props"][prop]);
        let own = own.filter(|own| own.is_string() || own.is_number());
        let title = own.or_else(|| Some(&entity["title"]).filter(|title| title.is_string()));
        Some(title.map_or_else(|| kind.to_owned(), value_text))
    }
}
