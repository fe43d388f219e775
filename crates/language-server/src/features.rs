//! Answers to the questions of editors: completion, hover, definitions, references, renaming and so on.

use std::collections::BTreeMap;

use intermezzo_compiler::complete::{CompletionCandidate, complete, members_of};
use intermezzo_compiler::grammar::table::describe;
use intermezzo_compiler::grammar::{Key, Object, key_at, without_links};
use intermezzo_compiler::symbol_index::{Definition, Reference, SymbolCategory};
use intermezzo_compiler::tree::{NodeValue, SourceNode};
use intermezzo_compiler::{SourceMap, Span, format};
use serde_json::{Value, json};

use crate::TOKEN_TYPES;
use crate::positions::{offset, position, range};
use crate::workspace::{Analysis, Workspace};

/// Returns the file of a request.
fn uri(params: &Value) -> &str {
    params["textDocument"]["uri"].as_str().unwrap_or_default()
}

/// Returns the ruleset of a request and the place it asks about.
fn place(workspace: &mut Workspace, params: &Value) -> Option<(Analysis, Span)> {
    let analysis = workspace.analyse(uri(params))?;
    let file = analysis.file?;
    let at = offset(analysis.ruleset.sources().text(file), &params["position"]) as u32;
    Some((analysis, Span { file, start: at, end: at }))
}

// --- completion ----------------------------------------------------------------------------

pub(crate) fn completion(workspace: &mut Workspace, params: &Value) -> Option<Value> {
    let text = workspace.text(uri(params))?;
    let at = offset(&text, &params["position"]);
    let line = text[..at].matches('\n').count() as u32 + 1;
    let start = text[..at].rfind('\n').map_or(0, |at| at + 1);
    let column = text[start..at].chars().count() as u32 + 1;
    let mut found = typed_members(workspace, uri(params), &text, at);
    if found.is_empty() {
        let analysis = workspace.analyse(uri(params));
        let program = analysis.as_ref().and_then(|analysis| workspace.program(analysis));
        found = complete(&text, line, column, program).items;
        if let Some(analysis) = &analysis {
            found.extend(locals(analysis, at));
        }
    }
    let word = text[start..at].chars().rev().take_while(|letter| letter.is_alphanumeric() || *letter == '_');
    let from = at - word.map(char::len_utf8).sum::<usize>();
    let replaced = json!({"start": position(&text, from), "end": position(&text, at)});
    let items: Vec<Value> = found
        .iter()
        .enumerate()
        .map(|(rank, item)| {
            json!({
                "label": item.label,
                "kind": completion_kind(item.kind),
                "detail": item.detail,
                "sortText": format!("{rank:04}"),
                "filterText": item.label,
                "textEdit": {"range": replaced, "newText": item.insert},
            })
        })
        .collect();
    Some(json!({"isIncomplete": false, "items": items}))
}

/// Returns the members of the expression before a dot, by its type.
fn typed_members(workspace: &mut Workspace, uri: &str, text: &str, at: usize) -> Vec<CompletionCandidate> {
    let is_word = |letter: char| letter.is_alphanumeric() || letter == '_';
    let before = text[..at].trim_end_matches(is_word);
    let Some(receiver) = before.strip_suffix('.') else { return Vec::new() };
    let receiver = receiver.trim_end_matches('?');
    // Without the unfinished member the text before the dot is an expression.
    let rest = text[at..].trim_start_matches(is_word);
    let patched = format!("{receiver}{rest}");
    let Some(analysis) = workspace.analyse_with(uri, Some(&patched)) else { return Vec::new() };
    let Some(file) = analysis.file else { return Vec::new() };
    let end = Span { file, start: receiver.len() as u32, end: receiver.len() as u32 };
    let Some(ty) = analysis.index.type_before(end).map(|typed| typed.ty.clone()) else { return Vec::new() };
    let ty = ty.strip_prefix("maybe<").and_then(|ty| ty.strip_suffix('>')).unwrap_or(&ty);
    let owner = ty.strip_prefix("the event ").unwrap_or(ty);
    let fields = analysis
        .index
        .definitions
        .iter()
        .filter(|definition| definition.category == SymbolCategory::Field && definition.owner == owner);
    let fields = fields.map(|definition| candidate(&definition.name, "param", owner));
    let mut found: Vec<CompletionCandidate> = fields.collect();
    if let Some(program) = workspace.program(&analysis) {
        found.extend(members_of(program, ty));
    }
    found
}

/// Returns the local names of the declaration around a place.
fn locals(analysis: &Analysis, at: usize) -> Vec<CompletionCandidate> {
    let Some(file) = analysis.file else { return Vec::new() };
    let scope = analysis.index.scope_at(Span { file, start: at as u32, end: at as u32 });
    let here = |definition: &&Definition| {
        definition.category == SymbolCategory::Local && Some(&definition.owner) == scope.as_ref()
    };
    let mut found: Vec<CompletionCandidate> = analysis
        .index
        .definitions
        .iter()
        .filter(here)
        .map(|local| candidate(&local.name, "param", "local"))
        .collect();
    found.dedup();
    found
}

fn candidate(name: &str, kind: &'static str, detail: &str) -> CompletionCandidate {
    CompletionCandidate {
        label: name.to_owned(),
        kind,
        detail: Some(detail.to_owned()),
        insert: name.to_owned(),
    }
}

fn completion_kind(kind: &str) -> u32 {
    match kind {
        "key" => 14,
        "value" => 12,
        "event" => 23,
        "function" | "proc" => 3,
        "prop" => 10,
        "param" => 6,
        "kind" | "zone" => 7,
        "symbol" | "def" | "trait" | "outcome" => 20,
        _ => 1,
    }
}

// --- hover ---------------------------------------------------------------------------------

pub(crate) fn hover(workspace: &mut Workspace, params: &Value) -> Option<Value> {
    let (analysis, at) = place(workspace, params)?;
    let root = analysis.ruleset.document(at.file);
    let key = root.and_then(|root| key_at(root, at.start));
    let (span, text) = match key {
        Some((span, object, key)) => (span, key_hover(object, key)),
        None => name_hover(&analysis, at)?,
    };
    let contents = json!({"kind": "markdown", "value": text});
    Some(json!({"contents": contents, "range": range(analysis.ruleset.sources(), span)}))
}

/// Returns the documentation of a key.
pub(crate) fn key_hover(object: &Object, key: &Key) -> String {
    let doc = if object.head == Some(key.name) { object.doc } else { key.doc };
    let needed = match (key.is_required, key.default) {
        (true, _) => "; required".to_owned(),
        (false, "") => String::new(),
        (false, default) => format!("; default: {default}"),
    };
    let (shape, doc) = (describe(&key.shape), without_links(doc));
    format!("**`{}`** – {shape}{needed}\n\n{doc}\n\n```yaml\n{}: {}\n```", key.name, key.name, key.example)
}

fn name_hover(analysis: &Analysis, at: Span) -> Option<(Span, String)> {
    let named = analysis.index.at(at);
    let typed = analysis.index.type_at(at);
    let Some(named) = named else {
        let typed = typed?;
        return Some((typed.span, format!("`{}`", typed.ty)));
    };
    let mut text = format!("{} **`{}`**", noun(named.category), named.name);
    if let Some(typed) = typed.filter(|typed| typed.span == named.span || typed.span.end == named.span.end) {
        text.push_str(&format!(": `{}`", typed.ty));
    }
    if let Some(definition) = analysis.index.definitions_of(&named).next() {
        let sources = analysis.ruleset.sources();
        if definition.category != SymbolCategory::Local {
            text.push_str(&format!("\n\n```yaml\n{}\n```", excerpt(sources, definition)));
        }
    }
    Some((named.span, text))
}

/// Returns the first lines of a declaration.
fn excerpt(sources: &SourceMap, definition: &Definition) -> String {
    const LINES: usize = 12;
    let text = sources.text(definition.body.file);
    let start = text[..definition.body.start as usize].rfind('\n').map_or(0, |at| at + 1);
    let end = (definition.body.end as usize).max(start);
    let body = text.get(start..end).unwrap_or_default();
    let indent = body.len() - body.trim_start().len();
    let lines: Vec<&str> = body.lines().map(|line| line.get(indent..).unwrap_or(line.trim_start())).collect();
    let mut shown = lines.iter().take(LINES).copied().collect::<Vec<_>>().join("\n");
    if lines.len() > LINES {
        shown.push_str("\n…");
    }
    shown.trim_end().to_owned()
}

fn noun(category: SymbolCategory) -> &'static str {
    match category {
        SymbolCategory::Action => "action",
        SymbolCategory::Chain => "chain",
        SymbolCategory::Def => "def",
        SymbolCategory::Duration => "duration",
        SymbolCategory::Event => "event",
        SymbolCategory::Field => "field",
        SymbolCategory::Function => "function",
        SymbolCategory::Kind => "kind",
        SymbolCategory::Label => "label",
        SymbolCategory::Local => "local",
        SymbolCategory::Member => "member",
        SymbolCategory::Message => "message",
        SymbolCategory::Option => "option",
        SymbolCategory::Outcome => "outcome",
        SymbolCategory::Phase => "phase",
        SymbolCategory::Proc => "proc",
        SymbolCategory::Prop => "property",
        SymbolCategory::Question => "prompt",
        SymbolCategory::Reaction => "reaction",
        SymbolCategory::Symbol => "symbol",
        SymbolCategory::Trait => "trait",
        SymbolCategory::Type => "type",
        SymbolCategory::Zone => "zone",
    }
}

// --- definitions and references ------------------------------------------------------------

pub(crate) fn definition(workspace: &mut Workspace, params: &Value) -> Option<Value> {
    let (analysis, at) = place(workspace, params)?;
    let named = analysis.index.at(at)?;
    let own = analysis.index.definitions_of(&named).filter(|definition| analysis.is_own(definition.span));
    Some(own.map(|definition| analysis.location(definition.span)).collect())
}

pub(crate) fn references(workspace: &mut Workspace, params: &Value) -> Option<Value> {
    let (analysis, at) = place(workspace, params)?;
    let named = analysis.index.at(at)?;
    let is_declared = params["context"]["includeDeclaration"].as_bool().unwrap_or(true);
    Some(
        occurrences(&analysis, &named, is_declared).into_iter().map(|span| analysis.location(span)).collect(),
    )
}

/// Returns every place of a name in the author's files, in order.
fn occurrences(analysis: &Analysis, named: &Reference, with_declarations: bool) -> Vec<Span> {
    let declared =
        analysis.index.definitions_of(named).map(|definition| definition.span).filter(|_| with_declarations);
    let used = analysis.index.references_of(named).map(|reference| reference.span);
    let mut spans: Vec<Span> = declared.chain(used).filter(|span| analysis.is_own(*span)).collect();
    spans.sort_by_key(|span| (span.file, span.start));
    spans.dedup();
    spans
}

pub(crate) fn prepare_rename(workspace: &mut Workspace, params: &Value) -> Option<Value> {
    let (analysis, at) = place(workspace, params)?;
    let named = analysis.index.at(at)?;
    let is_own = analysis.index.definitions_of(&named).any(|definition| analysis.is_own(definition.span));
    let placeholder = named.name.clone();
    is_own
        .then(|| json!({"range": range(analysis.ruleset.sources(), named.span), "placeholder": placeholder}))
}

/// Renames a name in all files of the ruleset.
pub(crate) fn rename(workspace: &mut Workspace, params: &Value) -> Result<Value, String> {
    let new = params["newName"].as_str().unwrap_or_default();
    let is_name = !new.is_empty()
        && !new.starts_with(|first: char| first.is_ascii_digit())
        && new.chars().all(|letter| letter.is_alphanumeric() || letter == '_');
    if !is_name {
        return Err(format!(
            "`{new}` is no name: names are letters, digits and `_`, and do not begin with a digit"
        ));
    }
    let (analysis, at) = place(workspace, params).ok_or("this file is not part of a ruleset")?;
    let named = analysis.index.at(at).ok_or("there is no name here")?;
    if !analysis.index.definitions_of(&named).any(|definition| analysis.is_own(definition.span)) {
        return Err(format!("`{}` is not declared in this ruleset", named.name));
    }
    let taken = Reference { name: new.to_owned(), ..named.clone() };
    if analysis.index.definitions_of(&taken).next().is_some() {
        return Err(format!("there is already a {} `{new}`", noun(named.category)));
    }
    let mut changes: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    for span in occurrences(&analysis, &named, true) {
        let place = analysis.location(span);
        let uri = place["uri"].as_str().unwrap_or_default().to_owned();
        changes.entry(uri).or_default().push(json!({"range": place["range"], "newText": new}));
    }
    Ok(json!({"changes": changes}))
}

// --- the file as a whole -------------------------------------------------------------------

pub(crate) fn document_symbols(workspace: &mut Workspace, params: &Value) -> Option<Value> {
    let analysis = workspace.analyse(uri(params))?;
    let (file, sources) = (analysis.file?, analysis.ruleset.sources());
    let is_shown = |definition: &&Definition| {
        let inner =
            [SymbolCategory::Local, SymbolCategory::Field, SymbolCategory::Member, SymbolCategory::Label];
        definition.span.file == file && !inner.contains(&definition.category)
    };
    let mut shown: Vec<&Definition> = analysis.index.definitions.iter().filter(is_shown).collect();
    shown.sort_by_key(|definition| (definition.body.start, u32::MAX - definition.body.end));
    let mut at = 0;
    Some(Value::Array(nested_symbols(sources, &shown, &mut at, u32::MAX)))
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

fn symbol_kind(category: SymbolCategory) -> u32 {
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
    let analysis = workspace.analyse(uri(params))?;
    let file = analysis.file?;
    let text = analysis.ruleset.sources().text(file);
    let mut found = Vec::new();
    fold(analysis.ruleset.document(file)?, text, &mut found);
    Some(Value::Array(found))
}

fn fold(node: &SourceNode, text: &str, found: &mut Vec<Value>) {
    let line = |offset: u32| text[..(offset as usize).min(text.len())].matches('\n').count();
    let mut add = |first: usize, value: &SourceNode| {
        let end = text[..(value.span.end as usize).min(text.len())].trim_end().len() as u32;
        let last = line(end);
        if last > first {
            found.push(json!({"startLine": first, "endLine": last}));
        }
    };
    match &node.value {
        NodeValue::Map(entries) => {
            for entry in entries {
                add(line(entry.key.span.start), &entry.value);
            }
            entries.iter().for_each(|entry| fold(&entry.value, text, found));
        }
        NodeValue::List(items) => {
            for item in items.iter().filter(|item| item.as_map().is_some()) {
                add(line(item.span.start), item);
            }
            items.iter().for_each(|item| fold(item, text, found));
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

/// Returns a quick fix for each diagnostic in a range whose hint names the right word.
pub(crate) fn code_actions(workspace: &mut Workspace, params: &Value) -> Option<Value> {
    let analysis = workspace.analyse(uri(params))?;
    let (file, sources) = (analysis.file?, analysis.ruleset.sources());
    let text = sources.text(file);
    let asked = offset(text, &params["range"]["start"]) as u32..=offset(text, &params["range"]["end"]) as u32;
    let mut found = Vec::new();
    for diagnostic in analysis.diagnostics.iter().filter(|diagnostic| diagnostic.span.file == file) {
        if diagnostic.span.end < *asked.start() || diagnostic.span.start > *asked.end() {
            continue;
        }
        let word =
            diagnostic.hints.iter().find_map(|hint| hint.strip_prefix("did you mean `")?.strip_suffix("`?"));
        let Some(word) = word else { continue };
        let place = analysis.location(diagnostic.span);
        let uri = place["uri"].as_str().unwrap_or_default().to_owned();
        let edits = BTreeMap::from([(uri, json!([{"range": place["range"], "newText": word}]))]);
        found.push(json!({
            "title": format!("Change to `{word}`"),
            "kind": "quickfix",
            "isPreferred": true,
            "diagnostics": [analysis.diagnostic(diagnostic)],
            "edit": {"changes": edits},
        }));
    }
    Some(Value::Array(found))
}

pub(crate) fn semantic_tokens(workspace: &mut Workspace, params: &Value) -> Option<Value> {
    let analysis = workspace.analyse(uri(params))?;
    let file = analysis.file?;
    let text = analysis.ruleset.sources().text(file);
    let mut tokens: BTreeMap<(u32, u32), (usize, u32)> = BTreeMap::new();
    for reference in analysis.index.references.iter().filter(|reference| reference.span.file == file) {
        let is_known = analysis.index.definitions_of(reference).next().is_some();
        if is_known {
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
        let at = position(text, start as usize);
        let (line, column) = (at["line"].as_u64()?, at["character"].as_u64()?);
        let length: usize = word.chars().map(char::len_utf16).sum();
        let from = if line == last_line { last_column } else { 0 };
        data.extend([line - last_line, column - from, length as u64, ty as u64, u64::from(modifiers)]);
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
