//! Code completion in ruleset and scenario files. Start with [`complete`].
//!
//! Keys and words come from the [grammar](crate::grammar), names from a [`SymbolIndex`], usually that of the current text.
//! The text is read line by line, because a file that is being edited can rarely be parsed.

mod cursor_context;
mod names;

use crate::grammar::expressions::TYPES;
use crate::grammar::scenarios::{INPUTS, SCENARIO_FILE, STEP, input_shape};
use crate::grammar::sections::RULESET;
use crate::grammar::statements::STATEMENTS;
use crate::grammar::{Name, Object, Shape, without_links};
use crate::source::Span;
use crate::symbol_index::{SymbolCategory, SymbolIndex};
use cursor_context::CursorContext;
use names::Names;

/// The kind of file in which something is completed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FileKind {
    Rules,
    Scenarios,
}

/// The completions at a cursor position.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Completion {
    /// Column where the word to replace begins, counted from 1.
    pub from: u32,
    /// The candidates, best first.
    pub items: Vec<CompletionCandidate>,
    /// True if only some of the candidates are listed.
    pub is_incomplete: bool,
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

/// A cursor in a file.
#[derive(Clone, Copy, Debug)]
pub struct Cursor<'t> {
    pub text: &'t str,
    /// Counted from 1.
    pub line: u32,
    /// Counted from 1, in characters.
    pub column: u32,
    pub kind: FileKind,
    /// The cursor among the files of the index, for local names.
    pub place: Option<Span>,
}

/// Maximum number of candidates.
const MAX_ITEMS: usize = 1_000;

/// Returns the completions at a cursor, except the members of a value: see [`members`].
#[must_use]
pub fn complete(cursor: &Cursor<'_>, index: &SymbolIndex) -> Completion {
    let context = CursorContext::at(cursor.text, cursor.line, cursor.column);
    let names = Names { index, place: cursor.place };
    let root = match cursor.kind {
        FileKind::Rules => &RULESET,
        FileKind::Scenarios => &SCENARIO_FILE,
    };
    let spots = walk(root, &context);
    let mut items = Vec::new();
    if context.is_key {
        spots.iter().for_each(|spot| keys(spot, &context, &names, &mut items));
    }
    if context.is_value {
        spots.iter().for_each(|spot| values(spot, &context, &names, &mut items));
        if spots.is_empty() && !context.path.is_empty() {
            items.extend(names.expression());
        }
    }
    rank(&mut items, &context.word);
    let is_incomplete = items.len() > MAX_ITEMS;
    items.truncate(MAX_ITEMS);
    Completion { from: context.from, items, is_incomplete }
}

/// Returns what can follow a dot after a value of a type, as [`SymbolIndex::types`] names it. An empty type stands for an unknown
/// one.
#[must_use]
pub fn members(index: &SymbolIndex, ty: &str) -> Vec<CompletionCandidate> {
    Names { index, place: None }.members(ty)
}

/// A place in the grammar.
#[derive(Clone, Copy)]
enum Spot<'c> {
    Shape(Shape),
    /// A line of a listing of events.
    EventLine,
    /// The fields of an event in a listing.
    EventFields(&'c str),
    /// The value of a field in a listing.
    FieldValue,
}

/// Returns the places in the grammar that a path leads to.
fn walk<'c>(root: &'static Object, context: &'c CursorContext) -> Vec<Spot<'c>> {
    let mut here = vec![Spot::Shape(Shape::Object(root))];
    for (at, part) in context.path.iter().enumerate() {
        let is_last = at + 1 == context.path.len();
        let mut next = Vec::new();
        for spot in &here {
            step(*spot, part, is_last, context, &mut next);
        }
        here = next;
    }
    here
}

/// Adds the places inside a place.
fn step<'c>(
    spot: Spot<'c>,
    part: &'c str,
    is_last: bool,
    context: &'c CursorContext,
    next: &mut Vec<Spot<'c>>,
) {
    let is_item = part == "[]";
    match spot {
        Spot::Shape(Shape::List(items)) if is_item => expand(items, next),
        Spot::Shape(Shape::Statements) if is_item => next.push(Spot::Shape(Shape::Statements)),
        Spot::Shape(Shape::Events) if is_item => next.push(Spot::EventLine),
        Spot::Shape(Shape::Expression | Shape::Plain) if is_item => next.push(spot),
        Spot::Shape(Shape::Answer | Shape::Offer) => next.push(Spot::Shape(Shape::Answer)),
        Spot::Shape(Shape::Named(values) | Shape::NamedBy(_, values) | Shape::BySeat(values)) if !is_item => {
            expand(values, next);
        }
        Spot::Shape(Shape::Object(object)) if !is_item => {
            if let Some(key) = object.get(part) {
                expand(&key.shape, next);
            } else if object.id == STEP.id {
                input_shape(part).into_iter().for_each(|shape| expand(shape, next));
            }
        }
        Spot::Shape(Shape::Statements) => {
            // The keys beside are known only at the end of the path. Elsewhere every statement counts that has the key.
            let heads = STATEMENTS.iter().filter_map(|statement| statement.head);
            let head = heads.clone().find(|head| is_last && context.has(head));
            let is_meant = |statement: &&Object| {
                let own = statement.head.unwrap_or_default();
                part == own || head.is_none_or(|head| head == own)
            };
            let meant = STATEMENTS.iter().copied().filter(is_meant);
            let before = next.len();
            meant.filter_map(|statement| statement.get(part)).for_each(|key| expand(&key.shape, next));
            if next.len() == before {
                // A payload field, or an argument of a proc.
                next.push(Spot::Shape(Shape::Expression));
            }
        }
        Spot::EventLine if !is_item => next.push(Spot::EventFields(part)),
        Spot::EventFields(_) | Spot::FieldValue => next.push(Spot::FieldValue),
        _ => {}
    }
}

/// Adds a shape; of alternatives, each of them.
fn expand(shape: &Shape, found: &mut Vec<Spot<'_>>) {
    match shape {
        Shape::AnyOf(shapes) => shapes.iter().for_each(|shape| expand(shape, found)),
        shape => found.push(Spot::Shape(*shape)),
    }
}

/// Adds the keys that are possible at a place.
fn keys(spot: &Spot<'_>, context: &CursorContext, names: &Names<'_>, items: &mut Vec<CompletionCandidate>) {
    let found = match spot {
        Spot::Shape(Shape::Object(object)) => {
            object_keys(object, context, items);
            if object.id == STEP.id { inputs(names) } else { Vec::new() }
        }
        Spot::Shape(Shape::Statements) => {
            let found = statement_names(context, names);
            // What belongs to the statement stands before what every statement has.
            if !context.siblings().is_empty() {
                items.extend(found.into_iter().filter(|item| !context.has(&item.label)).map(names::as_key));
                STATEMENTS.iter().for_each(|statement| object_keys(statement, context, items));
                return;
            }
            STATEMENTS.iter().for_each(|statement| object_keys(statement, context, items));
            found
        }
        Spot::Shape(Shape::NamedBy(name, _)) => names.of(*name),
        Spot::Shape(Shape::BySeat(_)) => names.viewers(),
        Spot::Shape(Shape::Answer | Shape::Offer) => names.answer_keys(),
        Spot::Shape(Shape::Named(_)) => named_keys(context, names),
        Spot::EventLine => names.of(Name::Event),
        Spot::EventFields(event) => {
            let mut fields = names.owned(SymbolCategory::Field, event);
            fields.push(names::item("status", "value", Some("prevented or failed".to_owned())));
            fields
        }
        _ => Vec::new(),
    };
    let is_new = |item: &CompletionCandidate| !context.has(&item.label);
    items.extend(found.into_iter().filter(is_new).map(names::as_key));
}

/// Returns the names that can be keys of a statement: procs, and the arguments of what stands beside.
fn statement_names(context: &CursorContext, names: &Names<'_>) -> Vec<CompletionCandidate> {
    if let Some(event) = context.value_of("emit", 0) {
        return names.owned(SymbolCategory::Field, event);
    }
    let Some(first) = context.siblings().first() else { return names.of_category(SymbolCategory::Proc) };
    if STATEMENTS.iter().any(|statement| statement.head == Some(first.key.as_str())) {
        return Vec::new();
    }
    let mut params = names.owned(SymbolCategory::Local, &first.key);
    params.push(names::item("as", "key", Some("names the value that the proc returns".to_owned())));
    params
}

/// Returns the keys of an object whose keys are names: properties, paths or members.
fn named_keys(context: &CursorContext, names: &Names<'_>) -> Vec<CompletionCandidate> {
    let Some(key) = context.path.last() else { return Vec::new() };
    let around = |key: &str| context.value_of(key, 1);
    match key.as_str() {
        "props" if context.path.first().is_some_and(|section| section == "defs") => match around("kind") {
            Some(kind) => names.owned(SymbolCategory::Prop, kind),
            None => names.all_props(),
        },
        "with" => match around("create") {
            Some(created) => names.initial_values(created),
            None => names.all_props(),
        },
        "set" | "add" | "expect" => names.expression(),
        "cases" => names.constants(),
        key if names.is_trait(key) => names.owned(SymbolCategory::Prop, &format!("trait {key}")),
        _ => Vec::new(),
    }
}

/// Returns the keys of a step under which inputs stand.
fn inputs(names: &Names<'_>) -> Vec<CompletionCandidate> {
    let docs = [
        "what the seat answers",
        "an answer that counts when time runs out",
        "[what, onto]: the seat drags one thing onto another",
        "turn, always or off: the seat passes automatically",
    ];
    let key = |word: &str, doc: &str, seat: &CompletionCandidate| {
        let label = format!("{word} {}", seat.label).trim_start().to_owned();
        names::item(&label, "key", Some(doc.to_owned()))
    };
    let seats = names.seats();
    INPUTS
        .iter()
        .zip(docs)
        .flat_map(|(word, doc)| seats.iter().map(move |seat| key(word, doc, seat)))
        .collect()
}

/// Adds the keys of an object that are not present yet.
fn object_keys(object: &'static Object, context: &CursorContext, items: &mut Vec<CompletionCandidate>) {
    let is_begun = !context.siblings().is_empty();
    if let Some(head) = object.head {
        // Arguments are offered only after their operation, and only they. Above arguments, operations are offered that have them.
        let is_other = context.siblings().iter().any(|written| object.get(&written.key).is_none());
        if is_begun && !context.has(head) && is_other {
            return;
        }
    }
    for key in object.all_keys() {
        let is_there = context.has(key.name) || items.iter().any(|item| item.label == key.name);
        let is_early = object.head.is_some_and(|head| !context.has(head) && key.name != head);
        if !is_there && !is_early {
            let doc = if object.head == Some(key.name) { object.doc } else { key.doc };
            items.push(names::as_key(names::item(key.name, "key", Some(without_links(doc)))));
        }
    }
}

/// Adds the values that are possible at a place.
fn values(spot: &Spot<'_>, context: &CursorContext, names: &Names<'_>, items: &mut Vec<CompletionCandidate>) {
    let word = |word: &str| names::item(word, "value", None);
    match spot {
        Spot::Shape(Shape::Flag) => items.extend(["true", "false"].map(word)),
        Spot::Shape(Shape::Exactly(number)) => items.push(word(&number.to_string())),
        Spot::Shape(Shape::Words(words)) => items.extend(words.iter().map(|known| word(known))),
        Spot::Shape(Shape::Expression | Shape::Plain) => items.extend(names.expression()),
        Spot::Shape(Shape::Type) => items.extend(names.types(&TYPES)),
        Spot::Shape(Shape::Name(name)) => items.extend(names.of(*name)),
        // A proc without arguments.
        Spot::Shape(Shape::Statements) => items.extend(names.of_category(SymbolCategory::Proc)),
        Spot::Shape(Shape::Seat) => items.extend(names.seats()),
        Spot::Shape(Shape::Viewer) => items.extend(names.viewers()),
        Spot::Shape(Shape::Answer | Shape::Offer) => items.extend(names.answers()),
        Spot::Shape(Shape::Text) => items.extend(text_names(context, names)),
        Spot::EventLine => {
            items.extend(names.of(Name::Event));
            items.push(names::item("...", "value", Some("any number of events".to_owned())));
        }
        Spot::FieldValue => items.extend(names.answers()),
        _ => {}
    }
}

/// Returns the names that a text can mean.
fn text_names(context: &CursorContext, names: &Names<'_>) -> Vec<CompletionCandidate> {
    match context.path.last().map(String::as_str) {
        Some("exit") => {
            [names.of_category(SymbolCategory::Label), names.of_category(SymbolCategory::Phase)].concat()
        }
        Some("per") => {
            let words = ["turn", "event", "match"].map(|word| names::item(word, "value", None));
            [names.of_category(SymbolCategory::Phase), words.to_vec()].concat()
        }
        Some("of") => names.modified(),
        _ => Vec::new(),
    }
}

/// Keeps the candidates that contain the word, those that begin with it first.
fn rank(items: &mut Vec<CompletionCandidate>, word: &str) {
    let word = word.to_lowercase();
    let position = |item: &CompletionCandidate| item.label.to_lowercase().find(&word).map(|at| at.min(1));
    items.retain(|item| position(item).is_some());
    items.sort_by_key(position);
    let mut seen = std::collections::BTreeSet::new();
    items.retain(|item| seen.insert((item.label.clone(), item.insert.clone())));
}

#[cfg(test)]
mod tests;
