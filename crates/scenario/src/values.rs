//! Values as scenario files write them: comparing and showing.

use intermezzo_compiler::tree::{Entry, Node, Value};
use intermezzo_engine::Datum;

/// Whether a value is what was written. Lists must agree item by item; objects only in the keys that were written.
/// Offers may be written short.
pub(crate) fn fits(written: &Node, got: &Datum) -> bool {
    fits_as_written(written, got) || is_offer(written, got)
}

fn fits_as_written(written: &Node, got: &Datum) -> bool {
    match (&written.value, got) {
        (Value::Null, Datum::Null) => true,
        (Value::Bool(flag), Datum::Bool(got)) => flag == got,
        (Value::Int(number), Datum::Int(got)) => number == got,
        (Value::Text(text), Datum::Text(got)) => is_called(text.as_str(), got),
        (Value::List(nodes), Datum::List(items)) => {
            nodes.len() == items.len() && nodes.iter().zip(items).all(|(node, item)| fits(node, item))
        }
        (Value::Map(entries), Datum::Map(_)) => {
            entries.iter().all(|entry| got.get(&entry.key.value).is_some_and(|got| fits(&entry.value, got)))
        }
        _ => false,
    }
}

/// Whether an offered action is what was written: its id or its host; `{id: target}`, with several targets in a
/// list or by name; or an object with `action`, `host`, targets by name and whatever else is known of it.
fn is_offer(written: &Node, offer: &Datum) -> bool {
    let (Some(Datum::Text(action)), Some(targets)) = (offer.get("action"), offer.get("targets")) else {
        return false;
    };
    let of = |name: &str| match name {
        "host" => offer.get("host"),
        name => targets.get(name).or_else(|| offer.get(name)),
    };
    let named = |entries: &[Entry]| {
        entries.iter().all(|entry| of(&entry.key.value).is_some_and(|got| fits(&entry.value, got)))
    };
    let Datum::Map(aims) = targets else { return false };
    match &written.value {
        Value::Text(text) => {
            text.as_str() == action
                || matches!(offer.get("host"), Some(Datum::Text(host)) if is_called(text.as_str(), host))
        }
        Value::Map(entries) => match entries.iter().position(|entry| entry.key.value == "action") {
            Some(at) => {
                let others: Vec<Entry> =
                    entries.iter().filter(|entry| entry.key.value != "action").cloned().collect();
                entries[at].value.as_text().is_some_and(|text| text.as_str() == action) && named(&others)
            }
            None => {
                let [entry] = &entries[..] else { return false };
                entry.key.value == *action
                    && match &entry.value.value {
                        Value::Null => true,
                        Value::Map(entries) => named(entries),
                        Value::List(nodes) => {
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

/// Whether a name is meant: `attack#3` may also be called `attack` or `#3`.
pub(crate) fn is_called(written: &str, name: &str) -> bool {
    let split = || name.rfind('#').map(|at| name.split_at(at));
    written == name || split().is_some_and(|(label, number)| written == label || written == number)
}

/// The value written by an author.
pub(crate) fn datum(node: &Node) -> Datum {
    match &node.value {
        Value::Null => Datum::Null,
        Value::Bool(flag) => Datum::Bool(*flag),
        Value::Int(number) => Datum::Int(*number),
        Value::Text(text) => Datum::text(text.as_str()),
        Value::List(nodes) => Datum::List(nodes.iter().map(datum).collect()),
        Value::Map(entries) => Datum::Map(
            entries.iter().map(|entry| (entry.key.value.as_str().into(), datum(&entry.value))).collect(),
        ),
    }
}

/// What an author wrote, on one line.
pub(crate) fn show_node(node: &Node) -> String {
    show(&datum(node))
}

/// A value on one line, as YAML and as short as it can be.
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

fn show_entry((key, value): &(intermezzo_engine::Text, Datum)) -> String {
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

/// A value as JSON.
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

/// `2d6`, the one thing that begins with a digit and is no number.
fn is_dice(text: &str) -> bool {
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    text.split_once('d').is_some_and(|(count, sides)| is_number(count) && is_number(sides))
}

/// The part of a value at a path such as `players[0].props.hp`.
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

/// Whether a text occurs in a value: in a name, a key or a text, whatever its case.
pub(crate) fn mentions(datum: &Datum, text: &str) -> bool {
    let has = |found: &str| found.to_lowercase().contains(&text.to_lowercase());
    match datum {
        Datum::Text(found) => has(found),
        Datum::List(items) => items.iter().any(|item| mentions(item, text)),
        Datum::Map(entries) => entries.iter().any(|(key, value)| has(key) || mentions(value, text)),
        _ => false,
    }
}

/// Where two values differ, a line for each place.
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

fn key(entry: &(intermezzo_engine::Text, Datum)) -> &str {
    &entry.0
}
