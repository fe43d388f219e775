//! A file as a whole: symbols, folds, format and the meaning of its words.

use std::collections::BTreeMap;

use intermezzo_compiler::symbol_index::{Definition, SymbolCategory};
use intermezzo_compiler::tree::{NodeValue, SourceNode};
use intermezzo_compiler::{SourceMap, format};
use serde_json::{Value, json};

use crate::names::{is_scenario, noun};
use crate::positions::{LineStarts, position, range};
use crate::workspace::{Place, Workspace};
use crate::{TOKEN_TYPES, uri};

pub(crate) fn document_symbols(workspace: &mut Workspace, params: &Value) -> Option<Value> {
    let Place { analysis, file } = workspace.place(uri(params))?;
    if is_scenario(params) {
        return Some(scenario_symbols(analysis.sources(), analysis.suite.document(file)?));
    }
    let here = |definition: &&Definition| definition.span.file == file && is_listed(definition);
    let mut shown: Vec<&Definition> = analysis.index.definitions.iter().filter(here).collect();
    shown.sort_by_key(|definition| (definition.body.start, u32::MAX - definition.body.end));
    let mut at = 0;
    Some(Value::Array(nested_symbols(analysis.sources(), &shown, &mut at, u32::MAX)))
}

/// Returns true for declarations that an outline shows.
pub(crate) fn is_listed(definition: &Definition) -> bool {
    let inner = [SymbolCategory::Local, SymbolCategory::Field, SymbolCategory::Member, SymbolCategory::Label];
    !inner.contains(&definition.category)
}

fn scenario_symbols(sources: &SourceMap, root: &SourceNode) -> Value {
    let scenarios = root.get("scenarios").and_then(SourceNode::as_list).unwrap_or_default();
    let symbol = |scenario: &SourceNode| {
        let name = scenario.get("name")?.as_text()?;
        Some(json!({
            "name": name.value,
            "detail": "scenario",
            "kind": 6,
            "range": range(sources, scenario.span),
            "selectionRange": range(sources, name.span),
        }))
    };
    scenarios.iter().filter_map(symbol).collect()
}

/// Returns the declarations up to an offset, each with those inside it.
fn nested_symbols(sources: &SourceMap, shown: &[&Definition], at: &mut usize, end: u32) -> Vec<Value> {
    let mut found = Vec::new();
    while let Some(definition) = shown.get(*at).filter(|definition| definition.body.start < end) {
        *at += 1;
        let children = nested_symbols(sources, shown, at, definition.body.end);
        let body = definition.body.join(definition.span);
        found.push(json!({
            "name": definition.name,
            "detail": noun(definition.category),
            "kind": symbol_kind(definition.category),
            "range": range(sources, body),
            "selectionRange": range(sources, definition.span),
            "children": children,
        }));
    }
    found
}

pub(crate) fn symbol_kind(category: SymbolCategory) -> u32 {
    match category {
        SymbolCategory::Kind | SymbolCategory::Def | SymbolCategory::Trait => 5,
        SymbolCategory::Action | SymbolCategory::Reaction | SymbolCategory::Proc => 6,
        SymbolCategory::Prop => 7,
        SymbolCategory::Type => 10,
        SymbolCategory::Function => 12,
        SymbolCategory::Event => 24,
        _ => 14,
    }
}

pub(crate) fn folding_ranges(workspace: &mut Workspace, params: &Value) -> Option<Value> {
    let Place { analysis, file } = workspace.place(uri(params))?;
    let text = analysis.sources().text(file);
    let mut found = Vec::new();
    fold(analysis.suite.document(file)?, text, &LineStarts::of(text), &mut found);
    Some(Value::Array(found))
}

fn fold(node: &SourceNode, text: &str, lines: &LineStarts, found: &mut Vec<Value>) {
    let mut add = |first: usize, value: &SourceNode| {
        let end = text[..(value.span.end as usize).min(text.len())].trim_end().len();
        let last = lines.line(end);
        if last > first {
            found.push(json!({"startLine": first, "endLine": last}));
        }
    };
    match &node.value {
        NodeValue::Map(entries) => {
            for entry in entries {
                add(lines.line(entry.key.span.start as usize), &entry.value);
            }
            entries.iter().for_each(|entry| fold(&entry.value, text, lines, found));
        }
        NodeValue::List(items) => {
            for item in items.iter().filter(|item| item.as_map().is_some()) {
                add(lines.line(item.span.start as usize), item);
            }
            items.iter().for_each(|item| fold(item, text, lines, found));
        }
        _ => {}
    }
}

pub(crate) fn formatting(workspace: &mut Workspace, params: &Value) -> Option<Value> {
    let text = workspace.text(uri(params))?;
    if uri(params).ends_with(".json") {
        return Some(json!([]));
    }
    let formatted = format(&text).ok()?;
    if formatted == text {
        return Some(json!([]));
    }
    let whole = json!({"start": {"line": 0, "character": 0}, "end": position(&text, text.len())});
    Some(json!([{"range": whole, "newText": formatted}]))
}

pub(crate) fn semantic_tokens(workspace: &mut Workspace, params: &Value) -> Option<Value> {
    let Place { analysis, file } = workspace.place(uri(params))?;
    let text = analysis.sources().text(file);
    let lines = LineStarts::of(text);
    let declared = analysis.index.declared_names();
    let mut tokens: BTreeMap<(u32, u32), (usize, u32)> = BTreeMap::new();
    for reference in analysis.index.references.iter().filter(|reference| reference.span.file == file) {
        if declared.contains(&(reference.category, reference.name.as_str())) {
            tokens.insert((reference.span.start, reference.span.end), (token_type(reference.category), 0));
        }
    }
    for definition in analysis.index.definitions.iter().filter(|definition| definition.span.file == file) {
        tokens.insert((definition.span.start, definition.span.end), (token_type(definition.category), 1));
    }
    let mut data: Vec<u64> = Vec::new();
    let (mut last_line, mut last_column, mut last_end) = (0, 0, 0);
    for ((start, end), (ty, modifiers)) in tokens {
        let word = text.get(start as usize..end as usize).unwrap_or_default();
        if start < last_end || word.is_empty() || word.contains('\n') {
            continue;
        }
        last_end = end;
        let (line, column) = lines.position(text, start as usize);
        let length: usize = word.chars().map(char::len_utf16).sum();
        let from = if line == last_line { last_column } else { 0 };
        data.extend(
            [line - last_line, column - from, length, ty, modifiers as usize].map(|number| number as u64),
        );
        (last_line, last_column) = (line, column);
    }
    Some(json!({"data": data}))
}

fn token_type(category: SymbolCategory) -> usize {
    let name = match category {
        SymbolCategory::Kind | SymbolCategory::Type => "type",
        SymbolCategory::Def | SymbolCategory::Trait | SymbolCategory::Zone => "class",
        SymbolCategory::Event => "event",
        SymbolCategory::Function => "function",
        SymbolCategory::Proc | SymbolCategory::Action | SymbolCategory::Reaction => "method",
        SymbolCategory::Prop | SymbolCategory::Option => "property",
        SymbolCategory::Local | SymbolCategory::Question => "variable",
        SymbolCategory::Field => "parameter",
        _ => "enumMember",
    };
    TOKEN_TYPES.iter().position(|known| *known == name).unwrap_or_default()
}
