//! What a viewer sees, drawn in lines of text.

use std::collections::BTreeSet;

use intermezzo_ruleset::Program;
use intermezzo_ruleset::native::EVENTS;
use serde_json::{Map, Value};

use crate::out::{DIM, HEAD, Out, say};
use crate::play::grid::show_grid;
use crate::play::look::{Item, Place, STACK, is_in_play, is_pile};
use crate::play::names::Names;
use intermezzo_journal::sentences::{
    clean, listed, native, phase_title, relabel, sentence, told_text, words,
};

/// Lines are no longer than this, if it can be helped.
pub(crate) const WIDTH: usize = 100;

/// Shows a view: phases, the match, what waits, open zones, then each player with their zones.
pub(crate) fn show_view(out: &mut Out, view: &Value, names: &Names) {
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
    let is_drawn = names.look().grid().is_some_and(|grid| show_grid(out, grid, view, names));
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

/// The phases under way, outermost first, with whose they are where that changes.
fn phases_text(phases: &Value, you: Option<&str>, names: &Names) -> String {
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

fn show_stack(out: &mut Out, stack: &Value, names: &Names) {
    let items = list(&stack["items"]);
    if !items.is_empty() {
        say!(out, "{HEAD}stack{HEAD:#}, what happens next first");
    }
    items.iter().for_each(|item| show_entity(out, item, names, Place::Anywhere));
}

/// Zones that are empty or hidden share a line; cards with a text have one each. What is drawn is not listed.
fn show_zones(out: &mut Out, zones: &Value, names: &Names, is_drawn: bool) {
    let mut short: Vec<String> = Vec::new();
    let look = names.look();
    let on_grid = |name: &str| is_drawn && look.grid().is_some_and(|grid| grid.has_zone(name));
    let all = zones.as_object().into_iter().flatten();
    let listed = all.filter(|(name, _)| *name != STACK && !look.hides_zone(name) && !on_grid(name));
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
            let called = items.iter().map(|item| called(item, names)).collect::<Vec<_>>().join(", ");
            say!(out, "    {}", cut(&format!("{}: {} ({called})", clean(name), items.len()), WIDTH - 4));
        } else {
            flush(out, &mut short);
            say!(out, "    {}:", clean(name));
            let place = if is_in_play(names.program(), name) { Place::InPlay } else { Place::Anywhere };
            items.iter().for_each(|item| show_entity(out, item, names, place));
        }
    }
    flush(out, &mut short);
}

/// Whether an entity, or something in it, has a text that takes room.
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

/// An entity on a line of its own, with its text, and with what is in it.
fn show_entity(out: &mut Out, entity: &Value, names: &Names, place: Place) {
    show_line(out, entity, names, place, "");
    let zones = entity["zones"].as_object().into_iter().flatten();
    for (name, zone) in zones.filter(|(name, _)| !names.look().hides_zone(name)) {
        let items = list(&zone["items"]);
        if items.iter().any(has_text) {
            say!(out, "        {}:", clean(name));
            items.iter().for_each(|item| show_line(out, item, names, place, "    "));
        }
    }
}

fn show_line(out: &mut Out, entity: &Value, names: &Names, place: Place, indent: &str) {
    let text = entity["text"].as_str().map(clean).unwrap_or_default();
    let head = match item_text(entity, names) {
        Some(item) => item,
        None => {
            let facts = names.facts(entity, place).join(", ");
            format!(
                "{}{}{facts}{}",
                called(entity, names),
                if facts.is_empty() { "" } else { "  " },
                within(entity, names, |zone| !list(&zone["items"]).iter().any(has_text))
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

/// What an entity is called.
pub(crate) fn called(entity: &Value, names: &Names) -> String {
    match entity["id"].as_str() {
        Some(id) => clean(names.known().get(id).map_or(id, String::as_str)),
        None => "?".to_owned(),
    }
}

/// What is in those zones of an entity itself that are to be shown.
fn within(entity: &Value, names: &Names, is_shown: impl Fn(&Value) -> bool) -> String {
    let zones = entity["zones"].as_object().into_iter().flatten();
    let open = zones.filter(|(name, _)| !names.look().hides_zone(name));
    let filled = open.filter(|(_, zone)| zone["count"] != 0 && is_shown(zone));
    filled.map(|(name, zone)| format!(" [{}: {}]", clean(name), zone_text(zone, names))).collect()
}

/// What waits on the stack, if that is what the entity is.
fn item_text(entity: &Value, names: &Names) -> Option<String> {
    let item = Item::new(entity["def"].as_str()?, &entity["owner"], &entity["props"], names)?;
    Some(item.text(entity["id"].as_str()?))
}

/// An entity with the properties that say something, and with what is in its own zones.
pub(crate) fn entity_text(entity: &Value, names: &Names) -> String {
    if let Some(item) = item_text(entity, names) {
        return item;
    }
    let mut text = called(entity, names);
    let facts = names.facts(entity, Place::Anywhere).join(", ");
    if !facts.is_empty() {
        text.push_str(&format!(" ({facts})"));
    }
    text + &within(entity, names, |_| true)
}

/// Shows what somebody wants to see: a thing by its number or name, or a zone. False if there is no such thing.
pub(crate) fn show_thing(out: &mut Out, view: &Value, wanted: &str, names: &Names) -> bool {
    let wanted = wanted.trim().to_lowercase();
    let mut found = Vec::new();
    collect(view, &mut found);
    let is_it = |entity: &&Value| {
        let name = called(entity, names).to_lowercase();
        entity["id"] == wanted.as_str()
            || name == wanted
            || name.rsplit_once(" #").is_some_and(|(label, number)| label == wanted || number == wanted)
    };
    let things: Vec<&Value> = found.into_iter().filter(is_it).collect();
    for thing in &things {
        show_fully(out, thing, names);
    }
    let zones = zones_called(view, &wanted);
    for (name, zone) in &zones {
        let items = list(&zone["items"]);
        if items.is_empty() {
            say!(out, "{HEAD}{name}{HEAD:#}: {}", zone_text(zone, names));
        } else {
            say!(out, "{HEAD}{name}{HEAD:#}");
            items.iter().for_each(|item| show_entity(out, item, names, Place::Anywhere));
        }
    }
    !things.is_empty() || !zones.is_empty()
}

/// Everything that is known of an entity.
fn show_fully(out: &mut Out, entity: &Value, names: &Names) {
    let owner = entity["owner"].as_str().map_or_else(String::new, |owner| format!(", {owner}'s"));
    let name = item_text(entity, names).unwrap_or_else(|| called(entity, names));
    say!(out, "{HEAD}{name}{HEAD:#} {DIM}{}{owner}{DIM:#}", words(&entity["kind"]));
    let text = entity["text"].as_str().map(clean).unwrap_or_default();
    wrap(&text, WIDTH - 4).iter().for_each(|line| say!(out, "    {line}"));
    let props = names.props_text(&entity["props"], &[]);
    wrap(&props, WIDTH - 4).iter().for_each(|line| say!(out, "    {line}"));
    for attached in list(&entity["traits"]) {
        let text = attached["text"].as_str().map_or_else(String::new, |text| format!(": {}", clean(text)));
        let props = names.props_text(&attached["props"], &[]);
        let props = if props.is_empty() { props } else { format!(" ({props})") };
        say!(out, "    {}{props}{text}", words(&attached["title"]));
    }
}

/// All entities in a view.
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

/// Zones by name: `graveyard` of everyone, `p1.graveyard` of one.
fn zones_called<'v>(view: &'v Value, wanted: &str) -> Vec<(String, &'v Value)> {
    let own = |prefix: String, zones: &'v Value| {
        let all = zones.as_object().into_iter().flatten();
        all.map(move |(name, zone)| (name, format!("{prefix}{name}"), zone))
    };
    let open = own(String::new(), &view["zones"]);
    let players = list(&view["players"]);
    let theirs =
        players.iter().flat_map(|player| own(format!("{}.", words(&player["id"])), &player["zones"]));
    let is_it = |(name, full, _): &(&String, String, &Value)| {
        name.to_lowercase() == wanted || full.to_lowercase() == wanted
    };
    open.chain(theirs).filter(is_it).map(|(_, full, zone)| (clean(&full), zone)).collect()
}

/// A text in lines of at most so many letters.
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

/// A text that is cut off if it is too long.
fn cut(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.to_owned();
    }
    text.chars().take(width - 1).chain(['…']).collect()
}

/// What news told before, as far as later ones need not repeat it.
#[derive(Clone, Default)]
pub(crate) struct Recent {
    /// What was on the stack and has happened: that it is gone then is no news.
    resolved: BTreeSet<String>,
    /// Whose phases are under way: the smaller ones are no news.
    active: Option<String>,
}

/// One event as a viewer was told it.
pub(crate) struct Seen<'a> {
    number: String,
    event: &'a str,
    fields: Map<String, Value>,
    has_failed: bool,
    /// What was told, in the viewer's numbers.
    told: &'a Value,
    names: &'a Names,
}

impl<'a> Seen<'a> {
    pub(crate) fn new(told: &'a Value, names: &'a Names) -> Seen<'a> {
        let fields = match names.squared(relabel(&told["payload"], names.known())) {
            Value::Object(fields) => fields,
            _ => Map::new(),
        };
        Seen {
            number: words(&told["n"]),
            event: told["event"].as_str().unwrap_or_default(),
            fields,
            has_failed: told["status"] == "failed",
            told,
            names,
        }
    }

    /// The event for someone who wants to know what happened; nothing if it is only the machinery.
    ///
    /// `recent` is what the news before it told.
    pub(crate) fn news(&self, program: &Program, recent: &mut Recent) -> Option<String> {
        let payload = &self.told["payload"];
        let id = |field: &str| payload[field].as_str().map(str::to_owned);
        let is_native = EVENTS.iter().any(|(name, _)| *name == self.event);
        match self.event {
            event if self.names.look().hides_event(event) => return None,
            "Action" | "Reaction" => recent.resolved.extend(id("item")),
            "Removed" if id("entity").is_some_and(|entity| recent.resolved.remove(&entity)) => return None,
            "Removed" if id("entity").is_some_and(|entity| self.names.is_item(&entity)) => {
                return Some(format!("{} comes to nothing", words(self.fields.get("entity")?)));
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
                if let Some(item) = Item::new(def, &payload["owner"], &payload["with"], self.names) {
                    let is_here = payload["to"] == STACK;
                    let entity = id("entity").filter(|_| is_here)?;
                    return Some(format!("{} goes on the stack", item.text(&entity)));
                }
            }
            "Moved" if payload["to"].as_str().is_some_and(|zone| self.names.look().hides_zone(zone)) => {
                return None;
            }
            "Moved" if payload["to"] == STACK => {
                return Some(format!("{} goes on the stack", words(self.fields.get("entity")?)));
            }
            "Changed" if payload["entity"].as_str().is_some_and(|entity| entity.starts_with('#')) => {
                let prop = payload["prop"].as_str().unwrap_or_default();
                if !self.names.look().is_news(prop) {
                    return None;
                }
            }
            _ => {}
        }
        match sentence(program, self.event, &self.fields) {
            // An event with an empty text is one its author has nothing to say about.
            Some(text) => Some(text).filter(|text| !text.is_empty()),
            None if is_native => native(program, self.event, &self.fields, self.has_failed),
            None => Some(format!("{} {}", self.event, listed(&self.fields))),
        }
    }

    /// The event for someone who watches the beginning of a match: only what its author put into words, and dice.
    pub(crate) fn opening(&self, program: &Program) -> Option<String> {
        let dice = || native(program, self.event, &self.fields, false).filter(|_| self.event == "Rolled");
        sentence(program, self.event, &self.fields).or_else(dice)
    }

    /// The event for someone who wants to know everything.
    pub(crate) fn record(&self, program: &Program) -> String {
        let text = told_text(program, self.event, &self.fields, self.has_failed);
        let dot = if text.is_empty() { "" } else { " · " };
        let failed = if self.has_failed { " (failed)" } else { "" };
        format!("{:>6}  {}{dot}{text}{failed}", self.number, self.event)
    }
}
