//! Definitions, references and renaming.

use std::collections::BTreeMap;

use intermezzo_compiler::Span;
use intermezzo_compiler::complete::FileKind;
use intermezzo_compiler::symbol_index::{Definition, Reference, SymbolCategory};
use serde_json::{Value, json};

use crate::positions::{offset, range};
use crate::uri;
use crate::workspace::{Analysis, Extent, Place, Workspace, kind_of};

/// Returns the ruleset of a request with its scenarios, and the place it asks about.
fn place(workspace: &mut Workspace, params: &Value) -> Option<(std::rc::Rc<Analysis>, Span)> {
    let Place { analysis, file } = workspace.place_in(uri(params), Extent::RulesAndScenarios)?;
    let at = offset(analysis.sources().text(file), &params["position"]) as u32;
    Some((analysis, Span { file, start: at, end: at }))
}

/// Returns the name at a place. Of several categories, one that is declared.
pub(crate) fn name_at(analysis: &Analysis, at: Span) -> Option<Reference> {
    let touches = |span: Span| span.file == at.file && span.start <= at.start && at.start <= span.end;
    let used = analysis.index.references.iter().filter(|reference| touches(reference.span));
    let mut used: Vec<&Reference> = used.collect();
    used.sort_by_key(|reference| reference.span.end - reference.span.start);
    let is_known = |reference: &&&Reference| {
        analysis.index.definitions_of(reference).next().is_some()
            || analysis
                .index
                .known
                .iter()
                .any(|known| known.category == reference.category && known.name == reference.name)
    };
    match used.iter().find(is_known) {
        Some(known) => Some((*known).clone()),
        None => {
            let declared = analysis.index.at(at)?;
            // A word that could be a name, but is none.
            used.is_empty().then_some(declared)
        }
    }
}

pub(crate) fn definition(workspace: &mut Workspace, params: &Value) -> Option<Value> {
    let (analysis, at) = place(workspace, params)?;
    let named = name_at(&analysis, at)?;
    let own = analysis.index.definitions_of(&named).filter(|definition| analysis.is_own(definition.span));
    Some(own.map(|definition| analysis.location(definition.span)).collect())
}

pub(crate) fn references(workspace: &mut Workspace, params: &Value) -> Option<Value> {
    let (analysis, at) = place(workspace, params)?;
    let named = name_at(&analysis, at)?;
    let is_declared = params["context"]["includeDeclaration"].as_bool().unwrap_or(true);
    let found = occurrences(&analysis, &named, is_declared);
    Some(found.into_iter().map(|span| analysis.location(span)).collect())
}

/// Returns the places of a name in the same file.
pub(crate) fn highlights(workspace: &mut Workspace, params: &Value) -> Option<Value> {
    let (analysis, at) = place(workspace, params)?;
    let named = name_at(&analysis, at)?;
    let here = occurrences(&analysis, &named, true).into_iter().filter(|span| span.file == at.file);
    Some(here.map(|span| json!({"range": range(analysis.sources(), span), "kind": 1})).collect())
}

/// Returns every place of a name in the author's files, in order.
fn occurrences(analysis: &Analysis, named: &Reference, with_declarations: bool) -> Vec<Span> {
    let declared =
        analysis.index.definitions_of(named).map(|definition| definition.span).filter(|_| with_declarations);
    let used = analysis.index.references_of(named).map(|reference| reference.span);
    let mut spans: Vec<Span> = declared.chain(used).filter(|span| analysis.is_own(*span)).collect();
    spans.sort_by_key(|span| (span.file, span.start, span.end));
    spans.dedup();
    spans
}

pub(crate) fn prepare_rename(workspace: &mut Workspace, params: &Value) -> Option<Value> {
    let (analysis, at) = place(workspace, params)?;
    let named = name_at(&analysis, at)?;
    let is_own = analysis.index.definitions_of(&named).any(|definition| analysis.is_own(definition.span));
    let placeholder = named.name.clone();
    is_own.then(|| json!({"range": range(analysis.sources(), named.span), "placeholder": placeholder}))
}

/// Renames a name in all files of the ruleset and its scenarios.
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
    if analysis.is_repaired {
        return Err("a file of the ruleset cannot be read; correct it first".to_owned());
    }
    let named = name_at(&analysis, at).ok_or("there is no name here")?;
    let declared: Vec<&Definition> = analysis.index.definitions_of(&named).collect();
    if !declared.iter().any(|definition| analysis.is_own(definition.span)) {
        return Err(format!("`{}` is not declared in this ruleset", named.name));
    }
    if let Some(foreign) = declared.iter().find(|definition| !analysis.is_own(definition.span)) {
        let prelude = analysis.sources().name(foreign.span.file);
        return Err(format!("`{}` is also declared in {prelude}, which cannot be changed", named.name));
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

/// Returns every declaration of the ruleset of any open file whose name contains a text.
pub(crate) fn workspace_symbols(workspace: &mut Workspace, params: &Value) -> Option<Value> {
    let query = params["query"].as_str().unwrap_or_default().to_lowercase();
    let mut found = Vec::new();
    for analysis in workspace.rulesets() {
        for definition in &analysis.index.definitions {
            if crate::outline::is_listed(definition)
                && analysis.is_own(definition.span)
                && definition.name.to_lowercase().contains(&query)
            {
                found.push(json!({
                    "name": definition.name,
                    "kind": crate::outline::symbol_kind(definition.category),
                    "containerName": noun(definition.category),
                    "location": analysis.location(definition.span),
                }));
            }
        }
    }
    Some(Value::Array(found))
}

pub(crate) fn noun(category: SymbolCategory) -> &'static str {
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

/// Returns true if a request is about a scenario file.
pub(crate) fn is_scenario(params: &Value) -> bool {
    kind_of(uri(params)) == FileKind::Scenarios
}
