//! Values in the form scenario files use: comparison and formatting.

use intermezzo_compiler::tree::{MapEntry, NodeValue, SourceNode};
use intermezzo_engine::Datum;

/// Returns whether a value matches what was written. Lists must match item by item, objects only in the
/// written keys. Offers and reactions may be written in a short form.
pub(crate) fn fits(written: &SourceNode, got: &Datum) -> bool {
    fits_as_written(written, got) || is_offer(written, got) || is_reaction(written, got)
}

/// Returns whether a reaction among options matches what was written: the name of its rule or of its card.
fn is_reaction(written: &SourceNode, got: &Datum) -> bool {
    let (NodeValue::Text(text), Some(Datum::Text(rule))) = (&written.value, got.get("rule")) else {
        return false;
    };
    let is_source = |source: &Datum| matches!(source, Datum::Text(name) if is_called(text.as_str(), name));
    text.as_str() == rule || got.get("source").is_some_and(is_source)
}

fn fits_as_written(written: &SourceNode, got: &Datum) -> bool {
    match (&written.value, got) {
        (NodeValue::Null, Datum::Null) => true,
        (NodeValue::Bool(flag), Datum::Bool(got)) => flag == got,
        (NodeValue::Int(number), Datum::Int(got)) => number == got,
        (NodeValue::Text(text), Datum::Text(got)) => is_called(text.as_str(), got),
        (NodeValue::List(nodes), Datum::List(items)) => {
            nodes.len() == items.len() && nodes.iter().zip(items).all(|(node, item)| fits(node, item))
        }
        (NodeValue::Map(entries), Datum::Map(_)) => {
            entries.iter().all(|entry| got.get(&entry.key.value).is_some_and(|got| fits(&entry.value, got)))
        }
        _ => false,
    }
}

/// Returns whether an offered action matches what was written: its id or its host; `{id: target}`, with
/// several targets in a list or by name; or an object with `action`, `host`, targets by name and further
/// keys of the offer.
fn is_offer(written: &SourceNode, offer: &Datum) -> bool {
    unwritten_parts(written, offer).is_some()
}

/// Returns the parts of an offered action that what was written leaves open, or `None` if it does not match. The host
/// is without its number: copies of one card mean the same.
pub(crate) fn unwritten_parts(written: &SourceNode, offer: &Datum) -> Option<Vec<Datum>> {
    let (Datum::Text(action), Datum::Map(aims)) = (offer.get("action")?, offer.get("targets")?) else {
        return None;
    };
    let host = offer.get("host");
    let part = |name: &str| match name {
        "host" => host,
        name => offer.get("targets").and_then(|targets| targets.get(name)).or_else(|| offer.get(name)),
    };
    let is_named = |entries: &[MapEntry]| {
        entries.iter().all(|entry| part(&entry.key.value).is_some_and(|got| fits(&entry.value, got)))
    };
    let rest = |is_written: &dyn Fn(usize, &str) -> bool| {
        let host = host.filter(|_| !is_written(usize::MAX, "host")).map(without_number);
        let open = aims.iter().enumerate().filter(|(at, (name, _))| !is_written(*at, name));
        Some(host.into_iter().chain(open.map(|(_, (_, aim))| aim.clone())).collect())
    };
    let rest_of = |entries: &[MapEntry]| {
        let is_written = |_: usize, name: &str| entries.iter().any(|entry| entry.key.value == name);
        if is_named(entries) { rest(&is_written) } else { None }
    };
    match &written.value {
        NodeValue::Text(text) if text.as_str() == action => rest(&|_, _| false),
        NodeValue::Text(text) => match host {
            Some(Datum::Text(host)) if is_called(text.as_str(), host) => {
                let mut open: Vec<Datum> = rest(&|_, name| name == "host")?;
                open.push(Datum::Text(action.clone()));
                Some(open)
            }
            _ => None,
        },
        NodeValue::Map(entries) => match entries.iter().position(|entry| entry.key.value == "action") {
            Some(at) => {
                let others: Vec<MapEntry> =
                    entries.iter().filter(|entry| entry.key.value != "action").cloned().collect();
                let is_it = entries[at].value.as_text().is_some_and(|text| text.as_str() == action);
                if is_it { rest_of(&others) } else { None }
            }
            None => {
                let [entry] = &entries[..] else { return None };
                if entry.key.value != *action {
                    return None;
                }
                match &entry.value.value {
                    NodeValue::Null => rest(&|_, _| false),
                    NodeValue::Map(entries) => rest_of(entries),
                    NodeValue::List(nodes) => {
                        let is_it = nodes.len() == aims.len()
                            && nodes.iter().zip(aims).all(|(node, (_, got))| fits(node, got));
                        if is_it { rest(&|at, _| at != usize::MAX) } else { None }
                    }
                    _ if aims.first().is_some_and(|(_, got)| fits(&entry.value, got)) => {
                        rest(&|at, _| at == 0)
                    }
                    _ => None,
                }
            }
        },
        _ => None,
    }
}

fn without_number(name: &Datum) -> Datum {
    match name {
        Datum::Text(name) => Datum::text(name.rsplit_once('#').map_or(name.as_str(), |(label, _)| label)),
        other => other.clone(),
    }
}

/// Returns whether a written name means an entity: `attack#3` can be written `attack` or `#3`.
pub(crate) fn is_called(written: &str, name: &str) -> bool {
    let split = || name.rfind('#').map(|at| name.split_at(at));
    written == name || split().is_some_and(|(label, number)| written == label || written == number)
}

/// Converts a written value.
pub(crate) fn datum(node: &SourceNode) -> Datum {
    match &node.value {
        NodeValue::Null => Datum::Null,
        NodeValue::Bool(flag) => Datum::Bool(*flag),
        NodeValue::Int(number) => Datum::Int(*number),
        NodeValue::Text(text) => Datum::text(text.as_str()),
        NodeValue::List(nodes) => Datum::List(nodes.iter().map(datum).collect()),
        NodeValue::Map(entries) => Datum::Map(
            entries.iter().map(|entry| (entry.key.value.as_str().into(), datum(&entry.value))).collect(),
        ),
    }
}

/// Formats a written value on one line.
pub(crate) fn show_node(node: &SourceNode) -> String {
    show(&datum(node))
}

/// Formats a value on one line, as short YAML.
pub(crate) fn show(datum: &Datum) -> String {
    match datum {
        Datum::Null => "null".to_owned(),
        Datum::Bool(flag) => flag.to_string(),
        Datum::Int(number) => number.to_string(),
        Datum::Text(text) => show_text(text),
        Datum::List(items) => format!("[{}]", joined(items.iter().map(show))),
        Datum::Map(entries) => format!("{{{}}}", joined(entries.iter().map(show_entry))),
    }
}

fn show_entry((key, value): &(intermezzo_engine::ShortText, Datum)) -> String {
    format!("{}: {}", show_text(key), show(value))
}

fn joined(parts: impl Iterator<Item = String>) -> String {
    parts.collect::<Vec<_>>().join(", ")
}

fn show_text(text: &str) -> String {
    let is_word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-' | '#');
    let begins_well = text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') || is_dice(text);
    let is_taken = matches!(text, "true" | "false" | "null");
    if begins_well && !is_taken && text.chars().all(is_word) {
        return text.to_owned();
    }
    serde_json::Value::from(text).to_string()
}

/// Converts a value to JSON.
pub(crate) fn json(datum: &Datum) -> serde_json::Value {
    match datum {
        Datum::Null => serde_json::Value::Null,
        Datum::Bool(flag) => (*flag).into(),
        Datum::Int(number) => (*number).into(),
        Datum::Text(text) => text.as_str().into(),
        Datum::List(items) => items.iter().map(json).collect(),
        Datum::Map(entries) => {
            let entries = entries.iter().map(|(key, value)| (key.to_string(), json(value)));
            serde_json::Value::Object(entries.collect())
        }
    }
}

/// Returns whether the text is dice such as `2d6`, the only unquoted text that starts with a digit.
fn is_dice(text: &str) -> bool {
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    text.split_once('d').is_some_and(|(count, sides)| is_number(count) && is_number(sides))
}

/// Returns the part of a value at a path such as `players[0].props.hp`.
pub(crate) fn at_path<'d>(datum: &'d Datum, path: &str) -> Option<&'d Datum> {
    let mut at = datum;
    for part in path.split('.') {
        let (name, places) = part.split_once('[').unwrap_or((part, ""));
        if !name.is_empty() {
            at = at.get(name)?;
        }
        for place in places.split('[').filter(|place| !place.is_empty()) {
            let index: usize = place.strip_suffix(']')?.parse().ok()?;
            let Datum::List(items) = at else { return None };
            at = items.get(index)?;
        }
    }
    Some(at)
}

/// Returns whether a text occurs in a key or text of a value, ignoring case.
pub(crate) fn mentions(datum: &Datum, text: &str) -> bool {
    let has = |found: &str| found.to_lowercase().contains(&text.to_lowercase());
    match datum {
        Datum::Text(found) => has(found),
        Datum::List(items) => items.iter().any(|item| mentions(item, text)),
        Datum::Map(entries) => entries.iter().any(|(key, value)| has(key) || mentions(value, text)),
        _ => false,
    }
}

/// Lists the differences of two values, one line each.
pub(crate) fn differences(before: &Datum, after: &Datum) -> Vec<String> {
    let mut lines = Vec::new();
    differ("", before, after, &mut lines);
    lines
}

fn differ(path: &str, before: &Datum, after: &Datum, lines: &mut Vec<String>) {
    match (before, after) {
        (Datum::Map(entries), Datum::Map(others)) if entries.iter().map(key).eq(others.iter().map(key)) => {
            for ((key, before), (_, after)) in entries.iter().zip(others) {
                let dot = if path.is_empty() { "" } else { "." };
                differ(&format!("{path}{dot}{key}"), before, after, lines);
            }
        }
        (Datum::List(items), Datum::List(others)) if items.len() == others.len() => {
            for (index, (before, after)) in items.iter().zip(others).enumerate() {
                differ(&format!("{path}[{index}]"), before, after, lines);
            }
        }
        _ if before == after => {}
        _ => lines.push(format!("  {path}: {} became {}", show(before), show(after))),
    }
}

fn key(entry: &(intermezzo_engine::ShortText, Datum)) -> &str {
    &entry.0
}
