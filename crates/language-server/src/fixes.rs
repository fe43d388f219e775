//! Quick fixes: what a hint says, applied to the text.

use std::collections::BTreeMap;

use intermezzo_compiler::complete::FileKind;
use intermezzo_compiler::grammar::declaration_at;
use intermezzo_compiler::grammar::sections::RULESET;
use intermezzo_compiler::tree::SourceNode;
use intermezzo_compiler::{Diagnostic, Severity, SourceMap};
use serde_json::{Value, json};

use crate::positions::{offset, position, range};
use crate::uri;
use crate::workspace::{Analysis, Extent, Place, Workspace, kind_of};

/// Returns the quick fixes for the diagnostics in a range, and what can be done with the scenario there.
pub(crate) fn code_actions(workspace: &mut Workspace, params: &Value) -> Option<Value> {
    let text = workspace.text(uri(params))?;
    let from = offset(&text, &params["range"]["start"]);
    let to = offset(&text, &params["range"]["end"]);
    match kind_of(uri(params)) {
        FileKind::Rules => {
            let analysis = workspace.analyse(uri(params), Extent::Rules, None)?;
            let (sources, diagnostics) = analysis.reported();
            let here = diagnostics.iter().filter(|diagnostic| {
                analysis.uri(sources, diagnostic.span) == uri(params)
                    && diagnostic.span.end as usize >= from
                    && diagnostic.span.start as usize <= to
            });
            Some(here.flat_map(|diagnostic| fixes(&analysis, sources, diagnostic)).collect())
        }
        FileKind::Scenarios => scenario_actions(workspace, params, &text, (from, to)),
    }
}

/// Returns the fixes of one diagnostic, best first.
fn fixes(analysis: &Analysis, sources: &SourceMap, diagnostic: &Diagnostic) -> Vec<Value> {
    let uri = analysis.uri(sources, diagnostic.span);
    let shown = analysis.diagnostic(sources, diagnostic);
    let action = |title: String, range: Value, text: &str, is_preferred: bool| {
        let edits = BTreeMap::from([(&uri, json!([{"range": range, "newText": text}]))]);
        json!({
            "title": title,
            "kind": "quickfix",
            "isPreferred": is_preferred,
            "diagnostics": [shown],
            "edit": {"changes": edits},
        })
    };
    let mut found = Vec::new();
    if let Some(word) = diagnostic.hints.iter().find_map(|hint| replacement(hint)) {
        found.push(action(format!("Change to `{word}`"), range(sources, diagnostic.span), word, true));
    }
    if diagnostic.severity != Severity::Error
        && let Some((place, text)) = allowing(analysis, sources, diagnostic)
    {
        let place = position(sources.text(diagnostic.span.file), place);
        let place = json!({"start": place, "end": place});
        found.push(action(format!("Allow {} here, with a reason", diagnostic.code), place, &text, false));
    }
    found
}

/// Returns the word that a hint proposes.
fn replacement(hint: &str) -> Option<&str> {
    let word = hint.strip_prefix("did you mean `")?.strip_suffix("`?")?;
    (!word.contains('`')).then_some(word)
}

/// Returns where to insert which text to silence a warning in the declaration around it.
fn allowing(analysis: &Analysis, sources: &SourceMap, diagnostic: &Diagnostic) -> Option<(usize, String)> {
    let root = analysis.suite.document(diagnostic.span.file)?;
    let declaration = declaration_at(root, &RULESET, diagnostic.span.start)?;
    let text = sources.text(diagnostic.span.file);
    let entry = format!("{}: say why this is fine", diagnostic.code);
    if let Some(allow) = declaration.get("allow") {
        return insertion(allow, text, &entry);
    }
    insertion(declaration, text, &format!("allow: {{{entry}}}"))
}

/// Returns where to insert an entry at the end of an object.
fn insertion(object: &SourceNode, text: &str, entry: &str) -> Option<(usize, String)> {
    let first = object.as_map()?.first()?;
    let (start, end) = (object.span.start as usize, object.span.end as usize);
    if text[start..].starts_with('{') {
        let close = text[..end].rfind('}')?;
        return Some((close, format!(", {entry}")));
    }
    let line = text[..first.key.span.start as usize].rfind('\n').map_or(0, |at| at + 1);
    let indent = text[line..first.key.span.start as usize].chars().count();
    let end = text[..end].trim_end().len();
    Some((end, format!("\n{}{entry}", " ".repeat(indent))))
}

/// Returns the actions for a scenario: filling in its listings. What they change is computed only when one is picked.
fn scenario_actions(
    workspace: &mut Workspace,
    params: &Value,
    text: &str,
    (from, to): (usize, usize),
) -> Option<Value> {
    let Place { analysis, file } = workspace.place(uri(params))?;
    let sources = analysis.sources();
    if sources.text(file) != text {
        return Some(json!([]));
    }
    let root = analysis.suite.document(file)?;
    let scenarios = root.get("scenarios").and_then(SourceNode::as_list).unwrap_or_default();
    let around = scenarios
        .iter()
        .find(|scenario| scenario.span.start as usize <= to && from <= scenario.span.end as usize);
    let Some(name) = around.and_then(|scenario| scenario.get("name")?.as_text()) else {
        return Some(json!([]));
    };
    Some(json!([{
        "title": "Fill in what happened in this scenario",
        "kind": "source.bless",
        "data": {"uri": uri(params), "scenario": name.value},
    }]))
}

/// Completes an action with what it changes.
pub(crate) fn resolve_action(workspace: &mut Workspace, action: &Value) -> Option<Value> {
    let mut action = action.clone();
    let uri = action["data"]["uri"].as_str()?.to_owned();
    let scenario = action["data"]["scenario"].as_str()?;
    let analysis = workspace.place(&uri)?.analysis;
    let text = workspace.text(&uri)?;
    let (_, blessed) = analysis.suite.blessed(scenario).unwrap_or_else(|| (String::new(), text.clone()));
    let whole = json!({"start": {"line": 0, "character": 0}, "end": position(&text, text.len())});
    let edits = if blessed == text { json!([]) } else { json!([{"range": whole, "newText": blessed}]) };
    action["edit"] = json!({"changes": BTreeMap::from([(uri, edits)])});
    Some(action)
}
