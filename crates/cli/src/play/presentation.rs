//! Display hints of a ruleset, as far as a terminal can follow them.
//!
//! `ui.card` names the properties that are a card's cost, power, toughness, damage and tapped state, and
//! further properties to show. `ui.zones.NAME.hide` and `ui.events.NAME.hide` hide zones and events from
//! players. `ui.grid` describes a [`Grid`].

use std::collections::BTreeSet;
use std::sync::Arc;

use intermezzo_program::{ActionParam, InitialValue, Program, Type, Visibility};
use serde_json::Value;

use crate::play::actions::is_player;
use crate::play::grid::Grid;
use crate::play::names::EntityNames;
use intermezzo_matchfile::sentences::{clean, relabel, value_text};

/// Display hints of a ruleset.
#[derive(Clone, Debug, Default)]
pub(crate) struct Presentation {
    card: Option<CardProps>,
    hidden_zones: BTreeSet<String>,
    hidden_events: BTreeSet<String>,
    grid: Option<Grid>,
}

/// Properties shown for cards.
#[derive(Clone, Debug, Default)]
struct CardProps {
    cost: Option<String>,
    power: Option<String>,
    toughness: Option<String>,
    damage: Option<String>,
    turned: Option<String>,
    /// Further properties, shown with their names.
    others: Vec<String>,
}

impl Presentation {
    pub(crate) fn of(program: &Program) -> Presentation {
        let metadata: Value = serde_json::from_str(&program.metadata).unwrap_or_default();
        let ui = &metadata["ui"];
        let hidden = |section: &str| {
            let named = ui[section].as_object().into_iter().flatten();
            let hidden = named.filter(|(_, shown)| shown["hide"] == Value::Bool(true));
            hidden.map(|(name, _)| name.clone()).collect()
        };
        let others = ui["card"]["shows"].as_array().into_iter().flatten();
        let others: Vec<String> = others.filter_map(Value::as_str).map(str::to_owned).collect();
        let prop = |role: &str| ui["card"][role].as_str().map(str::to_owned);
        let card = ui["card"].is_object().then(|| CardProps {
            cost: prop("cost"),
            power: prop("power"),
            toughness: prop("toughness"),
            damage: prop("damage"),
            turned: prop("turned"),
            others,
        });
        let (hidden_zones, hidden_events) = (hidden("zones"), hidden("events"));
        Presentation { card, hidden_zones, hidden_events, grid: Grid::of(&metadata) }
    }

    pub(crate) fn hides_event(&self, name: &str) -> bool {
        self.hidden_events.contains(name)
    }

    pub(crate) fn hides_zone(&self, name: &str) -> bool {
        self.hidden_zones.contains(name)
    }

    pub(crate) fn grid(&self) -> Option<&Grid> {
        self.grid.as_ref()
    }

    /// Returns whether a change of the property is worth a line of news.
    pub(crate) fn is_news(&self, prop: &str) -> bool {
        let is_place = self.grid.as_ref().is_some_and(|grid| grid.is_coordinate(prop));
        !is_place && self.card.as_ref().is_none_or(|card| card.roles().contains(&prop))
    }
}

impl CardProps {
    fn roles(&self) -> Vec<&str> {
        let roles = [&self.cost, &self.power, &self.toughness, &self.damage, &self.turned];
        roles.into_iter().flatten().chain(&self.others).map(String::as_str).collect()
    }
}

/// Kind of zone an entity is shown in.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum ZoneKind {
    /// Zone in which the cost matters.
    Other,
    /// Zone whose rules are active: the card has been paid for.
    InPlay,
}

impl EntityNames {
    /// Returns what is known about an entity besides its name: notable properties and traits.
    pub(crate) fn facts(&self, entity: &Value, place: ZoneKind) -> Vec<String> {
        let square = entity["id"].as_str().and_then(|id| self.square(id));
        let mut facts = match (&self.presentation().card, square, self.presentation().grid()) {
            (_, Some(square), Some(grid)) => {
                let health = grid.health(&entity["props"]);
                std::iter::once(format!("at {square}")).chain(health).collect()
            }
            (Some(card), ..) if entity["props"].is_object() => self.card_facts(card, entity, place),
            _ => self.plain_facts(entity),
        };
        let conditions = self.conditions(entity);
        facts.extend(conditions);
        facts
    }

    /// Returns the distinct traits of an entity with their parameters.
    pub(crate) fn conditions(&self, entity: &Value) -> Vec<String> {
        let mut facts = Vec::new();
        for attached in entity["traits"].as_array().into_iter().flatten() {
            let title = value_text(&attached["title"]);
            let with = self.props_text(&attached["props"], &[]);
            let with = if with.is_empty() { with } else { format!(" {with}") };
            let fact = format!("{title}{with}");
            if !facts.contains(&fact) {
                facts.push(fact);
            }
        }
        facts
    }

    fn card_facts(&self, card: &CardProps, entity: &Value, place: ZoneKind) -> Vec<String> {
        let value = |role: &Option<String>| role.as_ref().map(|prop| &entity["props"][prop.as_str()]);
        let is_notable = |role: &Option<String>| {
            let prop = role.as_ref().filter(|prop| !entity["props"][prop.as_str()].is_null());
            prop.is_some_and(|prop| !self.is_default(entity, prop) || self.is_printed(entity, prop))
        };
        let mut facts = Vec::new();
        if place == ZoneKind::Other && is_notable(&card.cost) {
            facts.extend(value(&card.cost).map(|cost| format!("cost {}", value_text(cost))));
        }
        if let (Some(power), Some(toughness)) = (value(&card.power), value(&card.toughness))
            && (is_notable(&card.power) || is_notable(&card.toughness))
        {
            facts.push(format!("{}/{}", value_text(power), value_text(toughness)));
        }
        let damage = value(&card.damage).and_then(Value::as_i64).filter(|damage| *damage != 0);
        facts.extend(damage.map(|damage| format!("{damage} damage")));
        let turned = card.turned.as_ref().filter(|prop| entity["props"][prop.as_str()] == Value::Bool(true));
        facts.extend(turned.cloned());
        for prop in &card.others {
            let one = serde_json::json!({ prop.as_str(): entity["props"][prop.as_str()] });
            facts.extend(Some(self.props_text(&one, &[])).filter(|text| !text.is_empty()));
        }
        facts
    }

    /// Returns all properties that differ from their default.
    fn plain_facts(&self, entity: &Value) -> Vec<String> {
        let label = entity["kind"].as_str().and_then(|kind| self.label_prop(kind));
        let mut silent: Vec<&str> = label.into_iter().collect();
        for (name, _) in entity["props"].as_object().into_iter().flatten() {
            if self.is_default(entity, name) && !self.is_printed(entity, name) {
                silent.push(name);
            }
        }
        let text = self.props_text(&entity["props"], &silent);
        if text.is_empty() { Vec::new() } else { vec![text] }
    }

    /// Describes properties. Absent, empty and false ones are left out.
    pub(crate) fn props_text(&self, props: &Value, silent: &[&str]) -> String {
        let mut shown = Vec::new();
        for (name, value) in props.as_object().into_iter().flatten() {
            let is_silent = match value {
                Value::Null | Value::Bool(false) => true,
                Value::Array(items) => items.is_empty(),
                _ => false,
            };
            if is_silent || silent.contains(&name.as_str()) {
                continue;
            }
            shown.push(match value {
                Value::Bool(true) => clean(name),
                value => format!("{} {}", clean(name), value_text(&relabel(value, self.known()))),
            });
        }
        shown.join(", ")
    }

    /// Returns whether the def of an entity sets the property.
    fn is_printed(&self, entity: &Value, prop: &str) -> bool {
        let program = self.program();
        let def = entity["def"].as_str().and_then(|def| self.def(def));
        def.is_some_and(|def| {
            let mut given = program.defs[def.index()].props.iter();
            given.any(|(id, _)| program.symbol(program.props[id.index()].name) == prop)
        })
    }

    /// Returns whether a property has the default value of its kind.
    fn is_default(&self, entity: &Value, prop: &str) -> bool {
        let program = self.program();
        let kind = entity["kind"].as_str();
        let Some(kind) = program.kinds.iter().find(|known| Some(known.name.as_str()) == kind) else {
            return false;
        };
        let mut props = kind.props.iter().map(|id| &program.props[id.index()]);
        let Some(found) = props.find(|known| program.symbol(known.name) == prop) else { return false };
        let value = &entity["props"][prop];
        match (&program.types[found.ty.index()], found.initial) {
            _ if found.derived.is_some() => false,
            (Type::Int, InitialValue::Word(word)) => value.as_i64() == Some(word),
            (Type::Bool, InitialValue::Word(word)) => value.as_bool() == Some(word == 1),
            (Type::Symbol | Type::Enum(_), InitialValue::Word(word)) => {
                let spelling = usize::try_from(word).ok().and_then(|word| program.symbols.get(word));
                value.as_str() == spelling.map(String::as_str)
            }
            _ => false,
        }
    }
}

/// Stack item: title, owner and targets.
pub(crate) struct StackItemView<'a> {
    title: String,
    owner: Option<&'a str>,
    host: Option<String>,
    targets: Vec<String>,
    is_copy: bool,
}

impl<'a> StackItemView<'a> {
    /// Reads a stack item from an entity of a view or from a `Created` event.
    pub(crate) fn new(
        def: &str,
        owner: &'a Value,
        props: &Value,
        names: &EntityNames,
    ) -> Option<StackItemView<'a>> {
        // The compiler generates these defs. Names written by authors contain no space.
        if !def.starts_with("action ") && !def.starts_with("reaction ") {
            return None;
        }
        let text = |value: &Value| (!value.is_null()).then(|| value_text(&relabel(value, names.known())));
        let program = names.program();
        let id = names.def(def)?;
        let action = program.actions.iter().find(|action| action.def == id);
        let reaction = || program.reactions.iter().find(|reaction| reaction.item == Some(id));
        let of_reaction = || reaction().map_or(&[][..], |reaction| &reaction.targets);
        let params = action.map_or_else(of_reaction, |action| &action.params);
        let target = |param: &ActionParam| {
            let name = program.symbol(param.name);
            match &props[name] {
                Value::Bool(is_so) => is_so.then(|| clean(name)),
                Value::Number(number) => Some(format!("{} {number}", clean(name))),
                value => text(value),
            }
        };
        Some(StackItemView {
            title: names.def_title(id),
            owner: owner.as_str(),
            host: text(&props["host"]),
            targets: params.iter().filter(|param| !param.pays).filter_map(target).collect(),
            is_copy: props["copied"] == Value::Bool(true),
        })
    }

    /// Returns the title, with the host unless the title already names it: `Bolt`, `Attack bear`.
    pub(crate) fn title(&self) -> String {
        let host = self.host.as_deref().filter(|host| !is_player(host));
        let host = host.and_then(|host| host.split(" #").next()).unwrap_or_default();
        let copy = if self.is_copy { "copy of " } else { "" };
        match self.title.to_lowercase().contains(&host.to_lowercase()) {
            true => format!("{copy}{}", self.title),
            false => format!("{copy}{} {host}", self.title),
        }
    }

    /// Formats the item as `Bolt #11 (p0) → bear #7`.
    pub(crate) fn text(&self, id: &str) -> String {
        let mut text = format!("{} {id}", self.title());
        if let Some(owner) = self.owner {
            text.push_str(&format!(" ({owner})"));
        }
        if !self.targets.is_empty() {
            text.push_str(&format!(" → {}", self.targets.join(", ")));
        }
        text
    }
}

/// Returns whether a zone is a public pile without active rules, such as a graveyard. Its contents are
/// listed by name only.
pub(crate) fn is_pile(program: &Arc<Program>, name: &str) -> bool {
    let zone = program.zones.iter().find(|zone| program.symbol(zone.name) == name);
    zone.is_some_and(|zone| !zone.active && matches!(zone.visible, Visibility::All)) && name != STACK
}

/// Name of the stack's zone.
pub(crate) const STACK: &str = "stack";

/// Returns whether the rules of entities in a zone are active.
pub(crate) fn is_in_play(program: &Arc<Program>, name: &str) -> bool {
    program.zones.iter().any(|zone| zone.active && program.symbol(zone.name) == name)
}
