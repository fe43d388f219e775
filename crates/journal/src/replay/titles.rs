//! What a viewer calls the things it has seen.

use std::collections::BTreeMap;
use std::sync::Arc;

use intermezzo_engine::Datum;
use intermezzo_ruleset::Program;
use serde_json::Value;

use crate::narrate::{Labels, to_json};
use crate::sentences::{relabel, words};

/// Titles of entities by their names: `#3` is `attack #3`.
pub(super) struct Titles {
    labels: Labels,
    known: BTreeMap<String, String>,
}

impl Titles {
    pub(super) fn new(program: &Arc<Program>) -> Titles {
        Titles { labels: Labels::of(program), known: BTreeMap::new() }
    }

    /// Learns from entities as views show them.
    pub(super) fn learn(&mut self, entities: &[Datum]) {
        for entity in entities.iter().map(to_json) {
            if let (Some(id), Some(title)) = (entity["id"].as_str(), self.title(&entity)) {
                self.known.insert(id.to_owned(), format!("{title} {id}"));
            }
        }
    }

    /// A value with titles in the place of names.
    pub(super) fn labelled(&self, value: &Value) -> Value {
        relabel(value, &self.known)
    }

    /// By its labelling property, the title of its def, or its kind.
    fn title(&self, entity: &Value) -> Option<String> {
        let kind = entity["kind"].as_str()?;
        let own = self.labels.prop(kind).map(|prop| &entity["props"][prop]);
        let own = own.filter(|own| own.is_string() || own.is_number());
        let title = own.or_else(|| Some(&entity["title"]).filter(|title| title.is_string()));
        Some(title.map_or_else(|| kind.to_owned(), words))
    }
}
