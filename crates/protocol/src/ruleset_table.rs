//! Display data of a ruleset: titles, sentences, zones and its `ui` sections.
//!
//! Start with [`ruleset_table`]. Nothing in it depends on a match, so clients fetch it once.

use std::collections::BTreeMap;

use intermezzo_program::{
    Def, EntityKind, EventType, KindId, Program, TextId, Type, TypeId, Visibility, Zone,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The display data of a ruleset.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RulesetTable {
    /// Id of the ruleset.
    pub id: String,
    /// Display name.
    pub name: String,
    /// Hash of the rules, in hexadecimal digits.
    pub hash: String,
    /// The `ui` section, unchanged.
    pub ui: Map<String, Value>,
    /// The phases, in declaration order.
    pub phases: Vec<PhaseDisplay>,
    /// The zones, in declaration order.
    pub zones: Vec<ZoneDisplay>,
    /// The entity kinds, by name.
    pub kinds: BTreeMap<String, KindDisplay>,
    /// The defs, by name.
    pub defs: BTreeMap<String, DefDisplay>,
    /// The events, by name.
    pub events: BTreeMap<String, EventDisplay>,
    /// Titles of actions and of reactions that use the stack, by id.
    pub rules: BTreeMap<String, String>,
    /// How the game is played, in Markdown.
    pub manual: Option<String>,
    /// The question for each target of each action: action, target, question.
    pub targets: BTreeMap<String, BTreeMap<String, String>>,
    /// Texts for the prompts of reactions, by id.
    pub reactions: BTreeMap<String, ReactionDisplay>,
    /// The pictures of the ruleset, by path.
    pub pictures: BTreeMap<String, PictureAddress>,
}

/// Display data of a reaction that asks.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[schemars(rename = "ReactionWords")]
pub struct ReactionDisplay {
    /// Title of the def or trait it belongs to.
    pub of: Option<String>,
    /// Its text, or that of the def or trait.
    pub text: Option<String>,
    /// The question, with placeholders such as `{field}`, `{field.property}` and `{field / 2}`.
    pub title: Option<String>,
    /// Its cost in words.
    pub cost: Option<String>,
    /// The answer that runs it, with placeholders as in the question.
    pub yes: Option<String>,
    /// The answer that does not.
    pub no: Option<String>,
    /// The change of a number with each answer.
    pub preview: Option<ReactionPreview>,
}

/// The change of a number with each answer.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReactionPreview {
    /// The field of the event that holds the entity.
    pub of: String,
    /// Its property.
    pub prop: String,
    /// The change after yes: a number, or a sum of fields.
    pub yes: Value,
    /// The change after no.
    pub no: Value,
}

/// Address of a picture.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PictureAddress {
    /// Path on the server. The contents of an address never change.
    pub url: String,
    /// For SVG: the ids of its drawings are this prefix and their name.
    pub prefix: String,
}

/// Display data of a phase.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "PhaseWords")]
pub struct PhaseDisplay {
    /// Name in views.
    pub name: String,
    /// Display title.
    pub title: String,
}

/// Display data of a zone.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "ZoneWords")]
pub struct ZoneDisplay {
    /// Name in views.
    pub name: String,
    /// The kind whose entities each have such a zone; null if it exists once.
    pub of: Option<String>,
    /// Visibility of its contents.
    pub visible: ZoneVisibility,
    /// True if the order of its contents matters.
    pub ordered: bool,
    /// True if the rules of entities in it are active.
    pub active: bool,
}

/// Visibility of a zone's contents.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "ZoneSight")]
pub enum ZoneVisibility {
    /// Visible to everyone.
    All,
    /// Visible to the owner.
    Owner,
    /// Visible to nobody.
    None,
    /// Decided by the rules.
    Some,
}

/// Display data of an entity kind.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "KindWords")]
pub struct KindDisplay {
    /// The kind it extends.
    pub extends: Option<String>,
    /// Names of its resource properties.
    pub resources: Vec<String>,
    /// Its `ui` section.
    pub ui: Value,
}

/// Display data of a def.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "DefWords")]
pub struct DefDisplay {
    /// Kind of its entities.
    pub kind: String,
    /// Display title.
    pub title: String,
    /// Rules text.
    pub text: Option<String>,
    /// Its `ui` section.
    pub ui: Value,
}

/// Display data of an event.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "EventWords")]
pub struct EventDisplay {
    /// A sentence with `{field}` placeholders for payload fields. Empty: do not show the event. Null: the ruleset has
    /// no sentence for it.
    pub text: Option<String>,
    /// The payload fields that hold entities. Null in such a field means a hidden entity.
    pub things: Vec<String>,
}

/// Returns the display data of a ruleset.
#[must_use]
pub fn ruleset_table(
    program: &Program,
    hash: &str,
    pictures: BTreeMap<String, PictureAddress>,
) -> RulesetTable {
    let metadata: Value = serde_json::from_str(&program.metadata).unwrap_or_default();
    let words = RulesetTableBuilder { program, metadata: &metadata };
    let named = |name| program.symbol(name).to_owned();
    RulesetTable {
        id: program.id.clone(),
        name: program.name.clone(),
        hash: hash.to_owned(),
        ui: metadata["ui"].as_object().cloned().unwrap_or_default(),
        phases: program
            .phases
            .iter()
            .map(|phase| PhaseDisplay { name: named(phase.name), title: words.text(phase.title) })
            .collect(),
        zones: words.zones(),
        kinds: words.kinds(),
        defs: words.defs(),
        events: words.events(),
        rules: words.rules(),
        manual: metadata["manual"].as_str().map(str::to_owned),
        targets: serde_json::from_value(metadata["targets"].clone()).unwrap_or_default(),
        reactions: serde_json::from_value(metadata["reactions"].clone()).unwrap_or_default(),
        pictures,
    }
}

struct RulesetTableBuilder<'a> {
    program: &'a Program,
    metadata: &'a Value,
}

impl RulesetTableBuilder<'_> {
    fn text(&self, text: TextId) -> String {
        self.program.texts.get(text.index()).cloned().unwrap_or_default()
    }

    fn ui(&self, section: &str, name: &str) -> Value {
        self.metadata[section][name].clone()
    }

    fn kind(&self, kind: KindId) -> String {
        self.program.kinds[kind.index()].name.clone()
    }

    fn zones(&self) -> Vec<ZoneDisplay> {
        let zone = |zone: &Zone| ZoneDisplay {
            name: self.program.symbol(zone.name).to_owned(),
            of: zone.of.map(|kind| self.kind(kind)),
            visible: match zone.visible {
                Visibility::All => ZoneVisibility::All,
                Visibility::Owner => ZoneVisibility::Owner,
                Visibility::None => ZoneVisibility::None,
                Visibility::Computed(_) | Visibility::ByPosition(_) | Visibility::ByContents => {
                    ZoneVisibility::Some
                }
            },
            ordered: zone.ordered,
            active: zone.active,
        };
        self.program.zones.iter().map(zone).collect()
    }

    fn kinds(&self) -> BTreeMap<String, KindDisplay> {
        let program = self.program;
        let kind = |kind: &EntityKind| {
            let props = kind.props.iter().map(|prop| &program.props[prop.index()]);
            let resources = props.filter(|prop| prop.resource);
            let words = KindDisplay {
                extends: kind.parent.map(|parent| self.kind(parent)),
                resources: resources.map(|prop| program.symbol(prop.name).to_owned()).collect(),
                ui: self.ui("kinds", &kind.name),
            };
            (kind.name.clone(), words)
        };
        program.kinds.iter().map(kind).collect()
    }

    fn defs(&self) -> BTreeMap<String, DefDisplay> {
        let def = |def: &Def| {
            let name = self.program.symbol(def.name).to_owned();
            let words = DefDisplay {
                kind: self.kind(def.kind),
                title: self.text(def.title),
                text: def.text.map(|text| self.text(text)),
                ui: self.ui("defs", &name),
            };
            (name, words)
        };
        self.program.defs.iter().map(def).collect()
    }

    fn events(&self) -> BTreeMap<String, EventDisplay> {
        let event = |event: &EventType| {
            let things = event.fields.iter().filter(|field| self.holds_entities(field.ty));
            let words = EventDisplay {
                text: event.text.map(|text| self.text(text)),
                things: things.map(|field| self.program.symbol(field.name).to_owned()).collect(),
            };
            (event.name.clone(), words)
        };
        self.program.events.iter().map(event).collect()
    }

    /// Returns true if values of the type are entities that may be hidden. Players are always visible.
    fn holds_entities(&self, ty: TypeId) -> bool {
        match self.program.types[ty.index()] {
            Type::Entity => true,
            Type::Kind(kind) => kind != KindId::PLAYER,
            Type::List(item) => self.holds_entities(item),
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
