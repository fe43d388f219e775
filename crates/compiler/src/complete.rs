//! What can be written at a place of a ruleset file. Start with [`complete`].
//!
//! Keys come from the [schema](crate::schema()), names from a program of the ruleset, perhaps as it was when it last had no
//! errors. The text is read line by line, because a text that is being written is rarely one that can be parsed.

mod names;
mod place;
mod receiver;

use intermezzo_ruleset::Program;
use serde_json::Value;

use place::Place;

/// What could stand at a place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Completion {
    /// Where the word begins that is to be replaced: a column of that line, counted from 1.
    pub from: u32,
    /// What fits, the best first.
    pub items: Vec<Item>,
}

/// Something that could stand there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Item {
    /// What it is called.
    pub label: String,
    /// What it is: `key`, `value`, `event`, `zone`, `prop`, …
    pub kind: &'static str,
    /// A few words about it.
    pub detail: Option<String>,
    /// What to write.
    pub insert: String,
}

/// At most so many are told.
const MAX_ITEMS: usize = 200;

/// What could stand at that place of a file; line and column are counted from 1, the column in characters.
#[must_use]
pub fn complete(text: &str, line: u32, column: u32, program: Option<&Program>) -> Completion {
    let place = Place::find(text, line, column);
    let schema = crate::schema();
    let here = walk(&schema, &place.path);
    let mut items = Vec::new();
    if place.is_key {
        here.iter().for_each(|schema| keys(schema, &place, &mut items));
        let is_statement = here.iter().any(|schema| schema["x-def"] == "statement");
        items.extend(program.filter(|_| is_statement).map(names::procs).unwrap_or_default());
        let is_payload = place.path.last().is_some_and(|part| part == "[]");
        items.extend(
            program.filter(|_| is_payload).map(|program| fields(program, &place)).unwrap_or_default(),
        );
    }
    if place.is_value {
        here.iter().for_each(|schema| values(schema, &mut items));
        let is_expression = here.iter().any(|schema| schema["x-def"] == "expression") || here.is_empty();
        items.extend(program.map(|program| names::names(program, &place, is_expression)).unwrap_or_default());
    }
    rank(&mut items, &place.word);
    items.truncate(MAX_ITEMS);
    Completion { from: place.from, items }
}

/// The schemas of what stands at a path. Alternatives are all followed.
fn walk(root: &Value, path: &[String]) -> Vec<Value> {
    let mut here = Vec::new();
    expand(root, root, 0, &mut here);
    for part in path {
        let mut next = Vec::new();
        for schema in &here {
            let inner = match part.as_str() {
                "[]" => schema.get("items"),
                name => schema["properties"].get(name).or_else(|| schema.get("additionalProperties")),
            };
            if let Some(inner) = inner.filter(|inner| inner.is_object()) {
                expand(root, inner, 0, &mut next);
            }
        }
        here = next;
    }
    here
}

/// Adds a schema with its references followed and its alternatives side by side.
fn expand(root: &Value, schema: &Value, depth: usize, found: &mut Vec<Value>) {
    if depth > 8 {
        return;
    }
    if let Some(reference) = schema["$ref"].as_str() {
        let mut named = root.pointer(reference.trim_start_matches('#')).cloned().unwrap_or_default();
        // What kind of thing it is is known by its name.
        named["x-def"] = Value::from(reference.trim_start_matches("#/$defs/"));
        expand(root, &named, depth + 1, found);
        return;
    }
    if found.contains(schema) {
        return;
    }
    found.push(schema.clone());
    for alternatives in ["anyOf", "oneOf"] {
        for inner in schema[alternatives].as_array().into_iter().flatten() {
            expand(root, inner, depth + 1, found);
        }
    }
}

/// The keys a schema allows that are not there already.
fn keys(schema: &Value, place: &Place, items: &mut Vec<Item>) {
    // Of the operations, those that stand there already say which arguments fit.
    let required: Vec<&str> =
        schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let is_begun = !place.siblings.is_empty();
    let is_other =
        is_begun && schema.get("x-def").is_none() && !required.is_empty() && !place.path.is_empty();
    if is_other && !required.iter().all(|key| place.siblings.iter().any(|sibling| sibling == key)) {
        return;
    }
    for (key, inner) in schema["properties"].as_object().into_iter().flatten() {
        let is_there = place.siblings.contains(key) || items.iter().any(|item| item.label == *key);
        // An argument makes no sense before its operation.
        let is_early =
            !is_begun && !required.is_empty() && !required.contains(&key.as_str()) && !place.path.is_empty();
        if !is_there && !is_early {
            let insert = format!("{key}: ");
            items.push(Item { label: key.clone(), kind: "key", detail: detail(inner), insert });
        }
    }
}

/// The fields of the event that is emitted there.
fn fields(program: &Program, place: &Place) -> Vec<Item> {
    if !place.siblings.iter().any(|sibling| sibling == "emit") {
        return Vec::new();
    }
    let mut found: Vec<Item> = Vec::new();
    for event in &program.events {
        for field in &event.fields {
            let label = program.symbol(field.name).to_owned();
            let is_there = place.siblings.contains(&label);
            match found.iter_mut().find(|item| item.label == label) {
                Some(known) => {
                    known.detail.iter_mut().for_each(|detail| *detail = format!("{detail}, {}", event.name));
                }
                None if !is_there => {
                    let (insert, detail) = (format!("{label}: "), Some(event.name.clone()));
                    found.push(Item { label, kind: "param", detail, insert });
                }
                None => {}
            }
        }
    }
    found
}

fn detail(schema: &Value) -> Option<String> {
    let said = schema["description"].as_str().map(str::to_owned);
    let words = || {
        let words: Vec<String> = schema["enum"].as_array()?.iter().map(plain).collect();
        Some(words.join(" | "))
    };
    said.filter(|said| !said.is_empty()).or_else(words)
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// The values a schema lists.
fn values(schema: &Value, items: &mut Vec<Item>) {
    let flags = [Value::from(true), Value::from(false)];
    let usual = if schema["type"] == "boolean" { &flags[..] } else { &[] };
    let listed = schema["enum"].as_array().map_or(usual, Vec::as_slice);
    for value in listed.iter().chain(schema.get("const")).map(plain) {
        items.push(Item { label: value.clone(), kind: "value", detail: None, insert: value });
    }
}

/// What begins with what is written comes first, then what contains it; the rest does not fit.
fn rank(items: &mut Vec<Item>, word: &str) {
    let word = word.to_lowercase();
    let place = |item: &Item| item.label.to_lowercase().find(&word).map(|at| at.min(1));
    items.retain(|item| place(item).is_some());
    items.sort_by_key(place);
    let mut seen = std::collections::BTreeSet::new();
    items.retain(|item| seen.insert((item.label.clone(), item.kind)));
}

#[cfg(test)]
mod tests;
