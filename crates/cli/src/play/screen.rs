//! Views and events as lines of text.

use std::collections::BTreeSet;

use intermezzo_program::Program;
use intermezzo_program::native::EVENTS;
use serde_json::{Map, Value};

use crate::out::{DIM, HEAD, Out, say};
use crate::play::grid::show_grid;
use crate::play::names::EntityNames;
use crate::play::presentation::{STACK, StackItemView, ZoneKind, is_in_play, is_pile};
use intermezzo_matchfile::log_lines::LineEvent;
use intermezzo_matchfile::sentences::{
    clean, fields_text, native_sentence, phase_title, play_text, relabel, sentence, value_text,
};

/// Preferred maximum length of a line.
pub(crate) const WIDTH: usize = 100;

/// Prints a view: phases, the match, the stack, shared zones, then each player with their zones.
pub(crate) fn show_view(out: &mut Out, view: &Value, names: &EntityNames) {
    let you = view["you"].as_str();
    let phases = phases_text(&view["phases"], you, names);
    if !phases.is_empty() {
        say!(out, "{DIM}{phases}{DIM:#}");
    }
    let props = names.props_text(&view["match"], &[]);
    if !props.is_empty() {
        say!(out, "{HEAD}match{HEAD:#}  {props}");
    }
    show_stack(out, &view["zones"][STACK], names);
    let is_drawn = names.presentation().grid().is_some_and(|grid| show_grid(out, grid, view, names));
    show_zones(out, &view["zones"], names, is_drawn);
    for player in list(&view["players"]) {
        let id = player["id"].as_str().unwrap_or_default();
        let mark = if you == Some(id) { " (you)" } else { "" };
        let gone = if player["gone"] == Value::Bool(true) { " (has left)" } else { "" };
        let props = names.props_text(&player["props"], &[]);
        let gap = if props.is_empty() { "" } else { "  " };
        say!(out, "{HEAD}{id}{HEAD:#}{mark}{gone}{gap}{props}");
        show_zones(out, &player["zones"], names, is_drawn);
    }
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// Describes the current phases, outermost first. A player is named where it changes.
fn phases_text(phases: &Value, you: Option<&str>, names: &EntityNames) -> String {
    let (mut texts, mut whose): (Vec<String>, Option<&str>) = (Vec::new(), None);
    for entry in list(phases) {
        let title = phase_title(names.program(), entry["phase"].as_str().unwrap_or_default());
        let player = entry["player"].as_str();
        let text = match player.filter(|_| player != whose) {
            Some(player) if you == Some(player) => format!("{title} (yours)"),
            Some(player) => format!("{title} ({player})"),
            None => title,
        };
        whose = player.or(whose);
        if texts.last() != Some(&text) {
            texts.push(text);
        }
    }
    texts.join(" › ")
}

fn show_stack(out: &mut Out, stack: &Value, names: &EntityNames) {
    let items = list(&stack["items"]);
    if !items.is_empty() {
        say!(out, "{HEAD}stack{HEAD:#} (top first)");
    }
    items.iter().for_each(|item| show_entity(out, item, names, ZoneKind::Other));
}

/// Prints zones. Empty and hidden zones share a line; cards with a text get a line each. Zones drawn on the
/// grid are skipped.
fn show_zones(out: &mut Out, zones: &Value, names: &EntityNames, is_drawn: bool) {
    let mut short: Vec<String> = Vec::new();
    let presentation = names.presentation();
    let on_grid = |name: &str| is_drawn && presentation.grid().is_some_and(|grid| grid.has_zone(name));
    let all = zones.as_object().into_iter().flatten();
    let listed = all.filter(|(name, _)| *name != STACK && !presentation.hides_zone(name) && !on_grid(name));
    for (name, zone) in listed {
        let items = list(&zone["items"]);
        let text = format!("{}: {}", clean(name), zone_text(zone, names));
        let is_roomy = items.iter().any(has_text);
        if items.is_empty() {
            short.push(text);
        } else if !is_roomy && text.chars().count() + 4 <= WIDTH {
            flush(out, &mut short);
            say!(out, "    {text}");
        } else if items.iter().any(|item| item["text"].is_string()) && is_pile(names.program(), name) {
            flush(out, &mut short);
            let names_text = items.iter().map(|item| name_of(item, names)).collect::<Vec<_>>().join(", ");
            say!(out, "    {}", cut(&format!("{}: {} ({names_text})", clean(name), items.len()), WIDTH - 4));
        } else {
            flush(out, &mut short);
            say!(out, "    {}:", clean(name));
            let place = if is_in_play(names.program(), name) { ZoneKind::InPlay } else { ZoneKind::Other };
            items.iter().for_each(|item| show_entity(out, item, names, place));
        }
    }
    flush(out, &mut short);
}

/// Returns whether an entity, or anything inside it, has a rules text.
fn has_text(entity: &Value) -> bool {
    let zones = entity["zones"].as_object().into_iter().flatten();
    let within = || zones.flat_map(|(_, zone)| list(&zone["items"])).any(has_text);
    entity["text"].is_string() || within()
}

fn flush(out: &mut Out, short: &mut Vec<String>) {
    if !short.is_empty() {
        say!(out, "    {}", short.join(" · "));
    }
    short.clear();
}

fn zone_text(zone: &Value, names: &EntityNames) -> String {
    let items = list(&zone["items"]);
    if items.is_empty() {
        return match zone["count"].as_u64() {
            None | Some(0) => "empty".to_owned(),
            Some(count) => format!("{count} hidden"),
        };
    }
    items.iter().map(|item| entity_text(item, names)).collect::<Vec<_>>().join(", ")
}

/// Prints an entity on its own line with its text and its contents.
fn show_entity(out: &mut Out, entity: &Value, names: &EntityNames, place: ZoneKind) {
    show_line(out, entity, names, place, "");
    let zones = entity["zones"].as_object().into_iter().flatten();
    for (name, zone) in zones.filter(|(name, _)| !names.presentation().hides_zone(name)) {
        let items = list(&zone["items"]);
        if items.iter().any(has_text) {
            say!(out, "        {}:", clean(name));
            items.iter().for_each(|item| show_line(out, item, names, place, "    "));
        }
    }
}

fn show_line(out: &mut Out, entity: &Value, names: &EntityNames, place: ZoneKind, indent: &str) {
    let text = entity["text"].as_str().map(clean).unwrap_or_default();
    let head = match item_text(entity, names) {
        Some(item) => item,
        None => {
            let facts = names.facts(entity, place).join(", ");
            format!(
                "{}{}{facts}{}",
                name_of(entity, names),
                if facts.is_empty() { "" } else { "  " },
                contents_text(entity, names, |zone| !list(&zone["items"]).iter().any(has_text))
            )
        }
    };
    let column = 34.max(head.chars().count() + 2);
    let width = WIDTH - indent.len();
    if text.is_empty() {
        return say!(out, "      {indent}{head}");
    }
    if column + 30 > width {
        say!(out, "      {indent}{head}");
        let lines = wrap(&text, width - 10);
        return lines.iter().for_each(|line| say!(out, "          {indent}{DIM}{line}{DIM:#}"));
    }
    for (number, line) in wrap(&text, width - 6 - column).iter().enumerate() {
        let head = if number == 0 { head.as_str() } else { "" };
        say!(out, "      {indent}{head:<column$}{DIM}{line}{DIM:#}");
    }
}

/// Returns the viewer's name for an entity.
pub(crate) fn name_of(entity: &Value, names: &EntityNames) -> String {
    match entity["id"].as_str() {
        Some(id) => clean(names.known().get(id).map_or(id, String::as_str)),
        None => "?".to_owned(),
    }
}

/// Describes the contents of an entity's own zones, as far as `is_shown` selects them.
fn contents_text(entity: &Value, names: &EntityNames, is_shown: impl Fn(&Value) -> bool) -> String {
    let zones = entity["zones"].as_object().into_iter().flatten();
    let open = zones.filter(|(name, _)| !names.presentation().hides_zone(name));
    let filled = open.filter(|(_, zone)| zone["count"] != 0 && is_shown(zone));
    filled.map(|(name, zone)| format!(" [{}: {}]", clean(name), zone_text(zone, names))).collect()
}

/// Describes a stack item; `None` for other entities.
fn item_text(entity: &Value, names: &EntityNames) -> Option<String> {
    let item = StackItemView::new(entity["def"].as_str()?, &entity["owner"], &entity["props"], names)?;
    Some(item.text(entity["id"].as_str()?))
}

/// Describes an entity with its notable properties and the contents of its zones.
pub(crate) fn entity_text(entity: &Value, names: &EntityNames) -> String {
    if let Some(item) = item_text(entity, names) {
        return item;
    }
    let mut text = name_of(entity, names);
    let facts = names.facts(entity, ZoneKind::Other).join(", ");
    if !facts.is_empty() {
        text.push_str(&format!(" ({facts})"));
    }
    text + &contents_text(entity, names, |_| true)
}

/// Prints a thing by number or name, or a zone. Returns false if nothing matches.
pub(crate) fn show_thing(out: &mut Out, view: &Value, wanted: &str, names: &EntityNames) -> bool {
    let wanted = wanted.trim().to_lowercase();
    let mut found = Vec::new();
    collect(view, &mut found);
    let is_it = |entity: &&Value| {
        let name = name_of(entity, names).to_lowercase();
        entity["id"] == wanted.as_str()
            || name == wanted
            || name.rsplit_once(" #").is_some_and(|(label, number)| label == wanted || number == wanted)
    };
    let things: Vec<&Value> = found.into_iter().filter(is_it).collect();
    for thing in &things {
        show_fully(out, thing, names);
    }
    let zones = zones_named(view, &wanted);
    for (name, zone) in &zones {
        let items = list(&zone["items"]);
        if items.is_empty() {
            say!(out, "{HEAD}{name}{HEAD:#}: {}", zone_text(zone, names));
        } else {
            say!(out, "{HEAD}{name}{HEAD:#}");
            items.iter().for_each(|item| show_entity(out, item, names, ZoneKind::Other));
        }
    }
    !things.is_empty() || !zones.is_empty()
}

/// Prints everything the viewer knows about an entity.
fn show_fully(out: &mut Out, entity: &Value, names: &EntityNames) {
    let owner = entity["owner"].as_str().map_or_else(String::new, |owner| format!(", {owner}'s"));
    let name = item_text(entity, names).unwrap_or_else(|| name_of(entity, names));
    say!(out, "{HEAD}{name}{HEAD:#} {DIM}{}{owner}{DIM:#}", value_text(&entity["kind"]));
    let text = entity["text"].as_str().map(clean).unwrap_or_default();
    wrap(&text, WIDTH - 4).iter().for_each(|line| say!(out, "    {line}"));
    let props = names.props_text(&entity["props"], &[]);
    wrap(&props, WIDTH - 4).iter().for_each(|line| say!(out, "    {line}"));
    for attached in list(&entity["traits"]) {
        let text = attached["text"].as_str().map_or_else(String::new, |text| format!(": {}", clean(text)));
        let props = names.props_text(&attached["props"], &[]);
        let props = if props.is_empty() { props } else { format!(" ({props})") };
        say!(out, "    {}{props}{text}", value_text(&attached["title"]));
    }
}

/// Collects all entities of a view.
fn collect<'v>(view: &'v Value, found: &mut Vec<&'v Value>) {
    match view {
        Value::Array(items) => items.iter().for_each(|item| collect(item, found)),
        Value::Object(entries) => {
            if entries.contains_key("kind") && entries.get("id").is_some_and(Value::is_string) {
                found.push(view);
            }
            entries.values().for_each(|value| collect(value, found));
        }
        _ => {}
    }
}

/// Finds zones by name: `graveyard` of every player, `p1.graveyard` of one.
fn zones_named<'v>(view: &'v Value, wanted: &str) -> Vec<(String, &'v Value)> {
    let own = |prefix: String, zones: &'v Value| {
        let all = zones.as_object().into_iter().flatten();
        all.map(move |(name, zone)| (name, format!("{prefix}{name}"), zone))
    };
    let open = own(String::new(), &view["zones"]);
    let players = list(&view["players"]);
    let theirs =
        players.iter().flat_map(|player| own(format!("{}.", value_text(&player["id"])), &player["zones"]));
    let is_it = |(name, full, _): &(&String, String, &Value)| {
        name.to_lowercase() == wanted || full.to_lowercase() == wanted
    };
    open.chain(theirs).filter(is_it).map(|(_, full, zone)| (clean(&full), zone)).collect()
}

/// Wraps a text into lines of at most `width` characters.
pub(crate) fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

/// Truncates a text with an ellipsis.
fn cut(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.to_owned();
    }
    text.chars().take(width - 1).chain(['…']).collect()
}

/// State carried from one event to the next, so that news does not repeat itself.
#[derive(Clone, Default)]
pub(crate) struct RecentNews {
    /// Stack items that have resolved or were reported as countered. Their removal is not reported again.
    resolved: BTreeSet<String>,
    /// The player whose phases are running. Their inner phases are not reported.
    active: Option<String>,
}

/// Event as a viewer received it.
pub(crate) struct EventView<'a> {
    number: String,
    event: &'a str,
    fields: Map<String, Value>,
    has_failed: bool,
    /// The event as received, with the viewer's entity numbers.
    received: &'a Value,
    names: &'a EntityNames,
}

impl<'a> EventView<'a> {
    pub(crate) fn new(received: &'a Value, names: &'a EntityNames) -> EventView<'a> {
        let fields = match names.with_squares(relabel(&received["payload"], names.known())) {
            Value::Object(fields) => fields,
            _ => Map::new(),
        };
        EventView {
            number: value_text(&received["n"]),
            event: received["event"].as_str().unwrap_or_default(),
            fields,
            has_failed: received["status"] == "failed",
            received,
            names,
        }
    }

    /// Describes the event for a player; `None` if it is only bookkeeping. `later` holds the events after
    /// it.
    pub(crate) fn news(&self, program: &Program, recent: &mut RecentNews, later: &[Value]) -> Option<String> {
        let payload = &self.received["payload"];
        let id = |field: &str| payload[field].as_str().map(str::to_owned);
        let is_native = EVENTS.iter().any(|(name, _)| *name == self.event);
        match self.event {
            event if self.names.presentation().hides_event(event) => return None,
            "Action" | "Reaction" => recent.resolved.extend(id("item")),
            "Removed" if id("entity").is_some_and(|entity| recent.resolved.remove(&entity)) => return None,
            "Removed" if id("entity").is_some_and(|entity| self.names.is_item(&entity)) => {
                return Some(format!("{} leaves the stack", value_text(self.fields.get("entity")?)));
            }
            "EventPrevented" if matches!(payload["type"].as_str(), Some("Action" | "Reaction")) => {
                if let Some(item) = self.countered_item(recent, later) {
                    recent.resolved.insert(item.to_owned());
                    let item = clean(self.names.known().get(item).map_or(item, String::as_str));
                    return Some(match self.fields.get("by").filter(|by| !by.is_null()) {
                        Some(by) => format!("{} counters {item}", value_text(by)),
                        None => format!("{item} is countered"),
                    });
                }
            }
            "PhaseStarted" => {
                let is_same = id("player").is_some() && id("player") == recent.active;
                recent.active = id("player").or_else(|| recent.active.take());
                if is_same {
                    return None;
                }
            }
            "Announced" if !self.has_failed => return None,
            "Created" => {
                let def = payload["def"].as_str().unwrap_or_default();
                if let Some(item) = StackItemView::new(def, &payload["owner"], &payload["with"], self.names) {
                    let is_here = payload["to"] == STACK;
                    let entity = id("entity").filter(|_| is_here)?;
                    return Some(format!("{} goes on the stack", item.text(&entity)));
                }
            }
            "Moved"
                if payload["to"].as_str().is_some_and(|zone| self.names.presentation().hides_zone(zone)) =>
            {
                return None;
            }
            "Moved" if payload["to"] == STACK => {
                return Some(format!("{} goes on the stack", value_text(self.fields.get("entity")?)));
            }
            "Changed" if payload["entity"].as_str().is_some_and(|entity| entity.starts_with('#')) => {
                let prop = payload["prop"].as_str().unwrap_or_default();
                if !self.names.presentation().is_news(prop) {
                    return None;
                }
            }
            _ => {}
        }
        match sentence(program, self.event, &self.fields) {
            // An empty text in the ruleset means that the event is not reported.
            Some(text) => Some(text).filter(|text| !text.is_empty()),
            None if is_native => native_sentence(program, self.event, &self.fields, self.has_failed),
            None => Some(format!("{} {}", self.event, fields_text(&self.fields))),
        }
    }

    /// Returns the stack item that a prevention stopped. The event does not name it, but the item is the next one
    /// that leaves the stack without having resolved.
    fn countered_item<'v>(&self, recent: &RecentNews, later: &'v [Value]) -> Option<&'v str> {
        let removed = later.iter().filter(|event| event["event"] == "Removed");
        let mut items = removed.filter_map(|event| event["payload"]["entity"].as_str());
        items.find(|item| self.names.is_item(item) && !recent.resolved.contains(*item))
    }

    /// Returns the event as a part of a line of the log. `key` stands for it.
    pub(crate) fn line_event<K>(&self, key: K) -> LineEvent<'_, K> {
        let has_happened = self.received["status"].is_null();
        LineEvent { key, name: self.event, fields: &self.fields, has_happened }
    }

    /// Describes an event at the start of a match: only events with a text in the ruleset, and dice.
    pub(crate) fn opening(&self, program: &Program) -> Option<String> {
        let dice =
            || native_sentence(program, self.event, &self.fields, false).filter(|_| self.event == "Rolled");
        sentence(program, self.event, &self.fields).or_else(dice)
    }

    /// Describes the first event of a line of the log with the sentence of the whole line.
    pub(crate) fn line(&self, sentence: &str) -> String {
        format!("{:>6}  {sentence}", self.number)
    }

    /// Describes the event for the full log.
    pub(crate) fn record(&self, program: &Program) -> String {
        let text = play_text(program, self.event, &self.fields, self.has_failed);
        let dot = if text.is_empty() { "" } else { " · " };
        let failed = if self.has_failed { " (failed)" } else { "" };
        format!("{:>6}  {}{dot}{text}{failed}", self.number, self.event)
    }
}
