//! Code completion in ruleset files. Start with [`complete`].
//!
//! Keys come from the [grammar](crate::grammar), names from a program of the ruleset, usually the last
//! version without errors. The text is read line by line, because a file that is being edited can rarely be
//! parsed.

mod cursor_context;
mod names;
mod receiver;

use intermezzo_program::Program;

use crate::grammar::sections::RULESET;
use crate::grammar::statements::STATEMENTS;
use crate::grammar::{Object, Shape, without_links};
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
    let here = walk(&cursor.path, &cursor.siblings);
    let mut items = Vec::new();
    if cursor.is_key {
        let mut objects = Vec::new();
        here.iter()
            .filter(|shape| !matches!(shape, Shape::List(_) | Shape::Named(_) | Shape::NamedBy(..)))
            .for_each(|shape| shape.objects(&mut objects));
        objects.into_iter().for_each(|object| keys(object, &cursor, &mut items));
        let is_statement = here.iter().any(|shape| matches!(shape, Shape::Statements));
        items.extend(program.filter(|_| is_statement).map(names::procs).unwrap_or_default());
        let is_payload = cursor.path.last().is_some_and(|part| part == "[]");
        items.extend(
            program.filter(|_| is_payload).map(|program| fields(program, &cursor)).unwrap_or_default(),
        );
    }
    if cursor.is_value {
        here.iter().for_each(|shape| values(shape, &mut items));
        let is_expression =
            here.iter().any(|shape| matches!(shape, Shape::Expression | Shape::Plain)) || here.is_empty();
        items
            .extend(program.map(|program| names::names(program, &cursor, is_expression)).unwrap_or_default());
    }
    rank(&mut items, &cursor.word);
    items.truncate(MAX_ITEMS);
    Completion { from: cursor.from, items }
}

/// Returns what can follow a dot after an expression of a type, as [`SymbolIndex::types`] names it.
///
/// [`SymbolIndex::types`]: crate::symbol_index::SymbolIndex::types
#[must_use]
pub fn members_of(program: &Program, ty: &str) -> Vec<CompletionCandidate> {
    names::members_of(program, ty)
}

/// Returns the shapes of the values at a path, with all alternatives.
fn walk(path: &[String], siblings: &[String]) -> Vec<Shape> {
    let mut here = vec![Shape::Object(&RULESET)];
    for (at, part) in path.iter().enumerate() {
        let mut next = Vec::new();
        for shape in &here {
            match (shape, part.as_str()) {
                (Shape::List(items), "[]") => expand(items, &mut next),
                (Shape::Statements, "[]") => next.push(Shape::Statements),
                (Shape::Named(values) | Shape::NamedBy(_, values), name) if name != "[]" => {
                    expand(values, &mut next);
                }
                (Shape::Object(object), name) => {
                    object.get(name).into_iter().for_each(|key| expand(&key.shape, &mut next));
                }
                (Shape::Statements, name) => {
                    // The keys beside are known only at the end of the path. Elsewhere every statement counts that has the key.
                    let beside = if at + 1 == path.len() { siblings } else { &[] };
                    let is_meant = |statement: &&Object| {
                        let head = statement.head.unwrap_or_default();
                        name == head || beside.is_empty() || beside.iter().any(|sibling| sibling == head)
                    };
                    let keys = STATEMENTS
                        .iter()
                        .copied()
                        .filter(is_meant)
                        .filter_map(|statement| statement.get(name));
                    keys.for_each(|key| expand(&key.shape, &mut next));
                }
                _ => {}
            }
        }
        here = next;
    }
    here
}

/// Adds a shape; of alternatives, each of them.
fn expand(shape: &Shape, found: &mut Vec<Shape>) {
    match shape {
        Shape::AnyOf(shapes) => shapes.iter().for_each(|shape| expand(shape, found)),
        shape => found.push(*shape),
    }
}

/// Adds the keys of an object that are not present yet.
fn keys(object: &'static Object, cursor: &CursorContext, items: &mut Vec<CompletionCandidate>) {
    let is_begun = !cursor.siblings.is_empty();
    if let Some(head) = object.head {
        // Arguments are offered only after their operation, and only they.
        if is_begun && !cursor.siblings.iter().any(|sibling| sibling == head) {
            return;
        }
    }
    for key in object.all_keys() {
        let is_there = cursor.siblings.iter().any(|sibling| sibling == key.name)
            || items.iter().any(|item| item.label == key.name);
        let is_early = object.head.is_some_and(|head| !is_begun && key.name != head);
        if !is_there && !is_early {
            let doc = if object.head == Some(key.name) { object.doc } else { key.doc };
            items.push(CompletionCandidate {
                label: key.name.to_owned(),
                kind: "key",
                detail: Some(without_links(doc)),
                insert: format!("{}: ", key.name),
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

/// Adds the words that a shape allows.
fn values(shape: &Shape, items: &mut Vec<CompletionCandidate>) {
    let number = match shape {
        Shape::Exactly(number) => vec![number.to_string()],
        _ => Vec::new(),
    };
    let words = if matches!(shape, Shape::Flag) { &["true", "false"] } else { shape.words() };
    for value in words.iter().map(|word| (*word).to_owned()).chain(number) {
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
