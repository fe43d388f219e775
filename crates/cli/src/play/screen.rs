//! What a viewer sees, drawn in lines of text.

use intermezzo_ruleset::Program;
use intermezzo_ruleset::native::EVENTS;
use serde_json::{Map, Value};

use crate::out::{DIM, HEAD, Out, say};
use crate::play::names::Names;
use crate::sentences::{clean, listed, native, relabel, sentence, words};

/// Shows a view: phases, the match, open zones, then each player with their zones.
pub(crate) fn show_view(out: &mut Out, view: &Value, names: &Names) {
    let you = view["you"].as_str();
    let phases: Vec<String> = list(&view["phases"]).iter().map(|phase| words(&phase["phase"])).collect();
    if !phases.is_empty() {
        say!(out, "{DIM}{}{DIM:#}", phases.join(" › "));
    }
    let props = props_text(&view["match"], None, names);
    if !props.is_empty() {
        say!(out, "{HEAD}match{HEAD:#}  {props}");
    }
    show_zones(out, &view["zones"], names);
    for player in list(&view["players"]) {
        let id = player["id"].as_str().unwrap_or_default();
        let mark = if you == Some(id) { " (you)" } else { "" };
        let gone = if player["gone"] == Value::Bool(true) { " (has left)" } else { "" };
        let props = props_text(&player["props"], None, names);
        let gap = if props.is_empty() { "" } else { "  " };
        say!(out, "{HEAD}{id}{HEAD:#}{mark}{gone}{gap}{props}");
        show_zones(out, &player["zones"], names);
    }
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn show_zones(out: &mut Out, zones: &Value, names: &Names) {
    for (name, zone) in zones.as_object().into_iter().flatten() {
        say!(out, "    {}: {}", clean(name), zone_text(zone, names));
    }
}

fn zone_text(zone: &Value, names: &Names) -> String {
    let items = list(&zone["items"]);
    if items.is_empty() {
        return match zone["count"].as_u64() {
            None | Some(0) => "empty".to_owned(),
            Some(count) => format!("{count} hidden"),
        };
    }
    items.iter().map(|item| entity_text(item, names)).collect::<Vec<_>>().join(", ")
}

/// An entity with the properties that say something, and with what is in its own zones.
pub(crate) fn entity_text(entity: &Value, names: &Names) -> String {
    let Some(id) = entity["id"].as_str() else { return "?".to_owned() };
    let mut text = clean(names.known().get(id).map_or(id, String::as_str));
    let label = entity["kind"].as_str().and_then(|kind| names.label_prop(kind));
    let props = props_text(&entity["props"], label, names);
    if !props.is_empty() {
        text.push_str(&format!(" ({props})"));
    }
    for (name, zone) in entity["zones"].as_object().into_iter().flatten() {
        if zone["count"] != 0 {
            text.push_str(&format!(" [{name}: {}]", zone_text(zone, names)));
        }
    }
    text
}

/// Properties in words; those that are absent, empty or false say nothing.
fn props_text(props: &Value, except: Option<&str>, names: &Names) -> String {
    let mut shown = Vec::new();
    for (name, value) in props.as_object().into_iter().flatten() {
        let is_silent = match value {
            Value::Null | Value::Bool(false) => true,
            Value::Array(items) => items.is_empty(),
            _ => false,
        };
        if is_silent || except == Some(name) {
            continue;
        }
        shown.push(match value {
            Value::Bool(true) => name.clone(),
            value => format!("{name} {}", words(&relabel(value, names.known()))),
        });
    }
    shown.join(", ")
}

/// One event as a viewer was told it.
pub(crate) struct Seen<'a> {
    number: String,
    event: &'a str,
    fields: Map<String, Value>,
}

impl<'a> Seen<'a> {
    pub(crate) fn new(told: &'a Value, names: &Names) -> Seen<'a> {
        let fields = match relabel(&told["payload"], names.known()) {
            Value::Object(fields) => fields,
            _ => Map::new(),
        };
        Seen { number: words(&told["n"]), event: told["event"].as_str().unwrap_or_default(), fields }
    }

    /// The event for someone who wants to know what happened; nothing if it is only the machinery.
    pub(crate) fn news(&self, program: &Program) -> Option<String> {
        let is_native = EVENTS.iter().any(|(name, _)| *name == self.event);
        match sentence(program, self.event, &self.fields) {
            Some(text) => Some(text),
            None if is_native => native(self.event, &self.fields),
            None => Some(format!("{} {}", self.event, listed(&self.fields))),
        }
    }

    /// The event for someone who watches the beginning of a match: only what its author put into words, and dice.
    pub(crate) fn opening(&self, program: &Program) -> Option<String> {
        let dice = || native(self.event, &self.fields).filter(|_| self.event == "Rolled");
        sentence(program, self.event, &self.fields).or_else(dice)
    }

    /// The event for someone who wants to know everything.
    pub(crate) fn record(&self, program: &Program) -> String {
        let text = sentence(program, self.event, &self.fields).unwrap_or_else(|| listed(&self.fields));
        let dot = if text.is_empty() { "" } else { " · " };
        format!("{:>6}  {}{dot}{text}", self.number, self.event)
    }
}
