//! Code completion in ruleset files. Start with [`complete`].
//!
//! Keys come from the [schema](crate::schema()), names from a program of the ruleset, usually the last
//! version without errors. The text is read line by line, because a file that is being edited can rarely be
//! parsed.

mod cursor_context;
mod names;
mod receiver;

use intermezzo_program::Program;
use serde_json::Value;

use cursor_context::CursorContext;

/// The completions at a cursor position.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Completion {
    /// Column where the word to replace begins, counted from 1.
    pub from: u32,
    /// The candidates, best first.
    pub items: Vec<CompletionCandidate>,
}

/// A possible completion.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CompletionCandidate {
    pub label: String,
    /// The category: `key`, `value`, `event`, `zone`, `prop`, …
    pub kind: &'static str,
    /// A short description.
    pub detail: Option<String>,
    /// The text to insert.
    pub insert: String,
}

/// Maximum number of candidates.
const MAX_ITEMS: usize = 200;

/// Returns the completions at a position of a file. Line and column count from 1, the column in characters.
#[must_use]
pub fn complete(text: &str, line: u32, column: u32, program: Option<&Program>) -> Completion {
    let cursor = CursorContext::at(text, line, column);
    let schema = crate::schema();
    let here = walk(&schema, &cursor.path);
    let mut items = Vec::new();
    if cursor.is_key {
        here.iter().for_each(|schema| keys(schema, &cursor, &mut items));
        let is_statement = here.iter().any(|schema| schema["x-def"] == "statement");
        items.extend(program.filter(|_| is_statement).map(names::procs).unwrap_or_default());
        let is_payload = cursor.path.last().is_some_and(|part| part == "[]");
        items.extend(
            program.filter(|_| is_payload).map(|program| fields(program, &cursor)).unwrap_or_default(),
        );
    }
    if cursor.is_value {
        here.iter().for_each(|schema| values(schema, &mut items));
        let is_expression = here.iter().any(|schema| schema["x-def"] == "expression") || here.is_empty();
        items
            .extend(program.map(|program| names::names(program, &cursor, is_expression)).unwrap_or_default());
    }
    rank(&mut items, &cursor.word);
    items.truncate(MAX_ITEMS);
    Completion { from: cursor.from, items }
}

/// Returns the schemas that apply at a path, with all alternatives.
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

/// Adds a schema, with references resolved and alternatives added next to it.
fn expand(root: &Value, schema: &Value, depth: usize, found: &mut Vec<Value>) {
    if depth > 8 {
        return;
    }
    if let Some(reference) = schema["$ref"].as_str() {
        let mut named = root.pointer(reference.trim_start_matches('#')).cloned().unwrap_or_default();
        // The name tells the caller what the schema describes.
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

/// Adds the keys that a schema allows and that are not present yet.
fn keys(schema: &Value, cursor: &CursorContext, items: &mut Vec<CompletionCandidate>) {
    // If the object already has keys, only the schema of that operation applies.
    let required: Vec<&str> =
        schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let is_begun = !cursor.siblings.is_empty();
    let is_other =
        is_begun && schema.get("x-def").is_none() && !required.is_empty() && !cursor.path.is_empty();
    if is_other && !required.iter().all(|key| cursor.siblings.iter().any(|sibling| sibling == key)) {
        return;
    }
    for (key, inner) in schema["properties"].as_object().into_iter().flatten() {
        let is_there = cursor.siblings.contains(key) || items.iter().any(|item| item.label == *key);
        // Arguments are offered only after their operation.
        let is_early =
            !is_begun && !required.is_empty() && !required.contains(&key.as_str()) && !cursor.path.is_empty();
        if !is_there && !is_early {
            let insert = format!("{key}: ");
            items.push(CompletionCandidate {
                label: key.clone(),
                kind: "key",
                detail: detail(inner),
                insert,
            });
        }
    }
}

/// Returns payload fields for an object that already has `emit`.
fn fields(program: &Program, cursor: &CursorContext) -> Vec<CompletionCandidate> {
    if !cursor.siblings.iter().any(|sibling| sibling == "emit") {
        return Vec::new();
    }
    let mut found: Vec<CompletionCandidate> = Vec::new();
    for event in &program.events {
        for field in &event.fields {
            let label = program.symbol(field.name).to_owned();
            let is_there = cursor.siblings.contains(&label);
            match found.iter_mut().find(|item| item.label == label) {
                Some(known) => {
                    known.detail.iter_mut().for_each(|detail| *detail = format!("{detail}, {}", event.name));
                }
                None if !is_there => {
                    let (insert, detail) = (format!("{label}: "), Some(event.name.clone()));
                    found.push(CompletionCandidate { label, kind: "param", detail, insert });
                }
                None => {}
            }
        }
    }
    found
}

fn detail(schema: &Value) -> Option<String> {
    let description = schema["description"].as_str().map(str::to_owned);
    let words = || {
        let words: Vec<String> = schema["enum"].as_array()?.iter().map(plain).collect();
        Some(words.join(" | "))
    };
    description.filter(|description| !description.is_empty()).or_else(words)
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// Adds the values that a schema lists.
fn values(schema: &Value, items: &mut Vec<CompletionCandidate>) {
    let flags = [Value::from(true), Value::from(false)];
    let usual = if schema["type"] == "boolean" { &flags[..] } else { &[] };
    let listed = schema["enum"].as_array().map_or(usual, Vec::as_slice);
    for value in listed.iter().chain(schema.get("const")).map(plain) {
        items.push(CompletionCandidate { label: value.clone(), kind: "value", detail: None, insert: value });
    }
}

/// Keeps the candidates that contain the word, those that begin with it first.
fn rank(items: &mut Vec<CompletionCandidate>, word: &str) {
    let word = word.to_lowercase();
    let position = |item: &CompletionCandidate| item.label.to_lowercase().find(&word).map(|at| at.min(1));
    items.retain(|item| position(item).is_some());
    items.sort_by_key(position);
    let mut seen = std::collections::BTreeSet::new();
    items.retain(|item| seen.insert((item.label.clone(), item.kind)));
}

#[cfg(test)]
mod tests;
