//! What clients show matches of one ruleset with: its titles, sentences and zones, and what it says under `ui`.
//!
//! Start with [`ruleset_table`]. Nothing in it depends on a match, so clients ask for it once.

use std::collections::BTreeMap;

use intermezzo_ruleset::{Def, EventType, Kind, KindId, Program, TextId, Type, TypeId, Visibility, Zone};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// What a ruleset tells those who show it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RulesetTable {
    /// Names the game.
    pub id: String,
    /// For people.
    pub name: String,
    /// Names exactly these rules, in hexadecimal digits.
    pub hash: String,
    /// Its section `ui`, as it was written.
    pub ui: Map<String, Value>,
    /// The phases, in the order they were declared.
    pub phases: Vec<PhaseWords>,
    /// The zones, in the order they were declared.
    pub zones: Vec<ZoneWords>,
    /// The kinds of things by their names.
    pub kinds: BTreeMap<String, KindWords>,
    /// What things are made from, by its names.
    pub defs: BTreeMap<String, DefWords>,
    /// The events by their names.
    pub events: BTreeMap<String, EventWords>,
    /// What players read of actions and of reactions that wait on the stack, by their ids.
    pub rules: BTreeMap<String, String>,
}

/// What players read of a phase.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PhaseWords {
    /// Its name in views.
    pub name: String,
    /// For people.
    pub title: String,
}

/// A zone as it was declared.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ZoneWords {
    /// Its name in views.
    pub name: String,
    /// The kind of those who have one each; nothing if there is only one.
    pub of: Option<String>,
    /// Who sees what is in it.
    pub visible: ZoneSight,
    /// The order means something to players.
    pub ordered: bool,
    /// Rules of things in it are in force.
    pub active: bool,
}

/// Who sees what is in a zone.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum ZoneSight {
    /// Everyone.
    All,
    /// Whom it belongs to.
    Owner,
    /// Nobody.
    None,
    /// Whoever the rules say.
    Some,
}

/// A kind of things.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct KindWords {
    /// The kind it extends.
    pub extends: Option<String>,
    /// Its properties that are resources.
    pub resources: Vec<String>,
    /// Its `ui`.
    pub ui: Value,
}

/// What things are made from.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DefWords {
    /// The kind of thing it makes.
    pub kind: String,
    /// For people.
    pub title: String,
    /// What it does, for people.
    pub text: Option<String>,
    /// Its `ui`.
    pub ui: Value,
}

/// How people are told of an event.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EventWords {
    /// A sentence with `{field}` where a field of the payload belongs. People are not told if it is empty; nothing if
    /// the ruleset has no words for it.
    pub text: Option<String>,
    /// The fields that hold things: null in them is something out of sight.
    pub things: Vec<String>,
}

/// What clients show matches of a ruleset with.
#[must_use]
pub fn ruleset_table(program: &Program, hash: &str) -> RulesetTable {
    let metadata: Value = serde_json::from_str(&program.metadata).unwrap_or_default();
    let words = Words { program, metadata: &metadata };
    let named = |name| program.symbol(name).to_owned();
    RulesetTable {
        id: program.id.clone(),
        name: program.name.clone(),
        hash: hash.to_owned(),
        ui: metadata["ui"].as_object().cloned().unwrap_or_default(),
        phases: program
            .phases
            .iter()
            .map(|phase| PhaseWords { name: named(phase.name), title: words.text(phase.title) })
            .collect(),
        zones: words.zones(),
        kinds: words.kinds(),
        defs: words.defs(),
        events: words.events(),
        rules: words.rules(),
    }
}

struct Words<'a> {
    program: &'a Program,
    metadata: &'a Value,
}

impl Words<'_> {
    fn text(&self, text: TextId) -> String {
        self.program.texts.get(text.index()).cloned().unwrap_or_default()
    }

    fn ui(&self, section: &str, name: &str) -> Value {
        self.metadata[section][name].clone()
    }

    fn kind(&self, kind: KindId) -> String {
        self.program.kinds[kind.index()].name.clone()
    }

    fn zones(&self) -> Vec<ZoneWords> {
        let zone = |zone: &Zone| ZoneWords {
            name: self.program.symbol(zone.name).to_owned(),
            of: zone.of.map(|kind| self.kind(kind)),
            visible: match zone.visible {
                Visibility::All => ZoneSight::All,
                Visibility::Owner => ZoneSight::Owner,
                Visibility::None => ZoneSight::None,
                Visibility::Computed(_) | Visibility::ByContents => ZoneSight::Some,
            },
            ordered: zone.ordered,
            active: zone.active,
        };
        self.program.zones.iter().map(zone).collect()
    }

    fn kinds(&self) -> BTreeMap<String, KindWords> {
        let program = self.program;
        let kind = |kind: &Kind| {
            let props = kind.props.iter().map(|prop| &program.props[prop.index()]);
            let resources = props.filter(|prop| prop.resource);
            let words = KindWords {
                extends: kind.parent.map(|parent| self.kind(parent)),
                resources: resources.map(|prop| program.symbol(prop.name).to_owned()).collect(),
                ui: self.ui("kinds", &kind.name),
            };
            (kind.name.clone(), words)
        };
        program.kinds.iter().map(kind).collect()
    }

    fn defs(&self) -> BTreeMap<String, DefWords> {
        let def = |def: &Def| {
            let name = self.program.symbol(def.name).to_owned();
            let words = DefWords {
                kind: self.kind(def.kind),
                title: self.text(def.title),
                text: def.text.map(|text| self.text(text)),
                ui: self.ui("defs", &name),
            };
            (name, words)
        };
        self.program.defs.iter().map(def).collect()
    }

    fn events(&self) -> BTreeMap<String, EventWords> {
        let event = |event: &EventType| {
            let things = event.fields.iter().filter(|field| self.holds_things(field.ty));
            let words = EventWords {
                text: event.text.map(|text| self.text(text)),
                things: things.map(|field| self.program.symbol(field.name).to_owned()).collect(),
            };
            (event.name.clone(), words)
        };
        self.program.events.iter().map(event).collect()
    }

    /// Players are never out of sight.
    fn holds_things(&self, ty: TypeId) -> bool {
        match self.program.types[ty.index()] {
            Type::Entity => true,
            Type::Kind(kind) => kind != KindId::PLAYER,
            Type::List(item) => self.holds_things(item),
            _ => false,
        }
    }

    fn rules(&self) -> BTreeMap<String, String> {
        let program = self.program;
        let actions = program.actions.iter().map(|action| (action.name, action.title));
        let items = program.reactions.iter().filter_map(|reaction| Some((reaction.name, reaction.item?)));
        let reactions = items.map(|(name, item)| (name, program.defs[item.index()].title));
        let titled =
            reactions.chain(actions).map(|(name, title)| (program.symbol(name).to_owned(), self.text(title)));
        titled.filter(|(_, title)| !title.is_empty()).collect()
    }
}
