//! Values in the form scenario files use: comparison and formatting.

use intermezzo_compiler::tree::{MapEntry, NodeValue, SourceNode};
use intermezzo_engine::Datum;

/// Returns whether a value matches what was written. Lists must match item by item, objects only in the
/// written keys. Offers may be written in a short form.
pub(crate) fn fits(written: &SourceNode, got: &Datum) -> bool {
    fits_as_written(written, got) || is_offer(written, got)
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
    let (Some(Datum::Text(action)), Some(targets)) = (offer.get("action"), offer.get("targets")) else {
        return false;
    };
    let of = |name: &str| match name {
        "host" => offer.get("host"),
        name => targets.get(name).or_else(|| offer.get(name)),
    };
    let named = |entries: &[MapEntry]| {
        entries.iter().all(|entry| of(&entry.key.value).is_some_and(|got| fits(&entry.value, got)))
    };
    let Datum::Map(aims) = targets else { return false };
    match &written.value {
        NodeValue::Text(text) => {
            text.as_str() == action
                || matches!(offer.get("host"), Some(Datum::Text(host)) if is_called(text.as_str(), host))
        }
        NodeValue::Map(entries) => match entries.iter().position(|entry| entry.key.value == "action") {
            Some(at) => {
                let others: Vec<MapEntry> =
                    entries.iter().filter(|entry| entry.key.value != "action").cloned().collect();
                entries[at].value.as_text().is_some_and(|text| text.as_str() == action) && named(&others)
            }
            None => {
                let [entry] = &entries[..] else { return false };
                entry.key.value == *action
                    && match &entry.value.value {
                        NodeValue::Null => true,
                        NodeValue::Map(entries) => named(entries),
                        NodeValue::List(nodes) => {
                            nodes.len() == aims.len()
                                && nodes.iter().zip(aims).all(|(node, (_, got))| fits(node, got))
                        }
                        _ => aims.first().is_some_and(|(_, got)| fits(&entry.value, got)),
                    }
            }
        },
        _ => false,
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
