//! Completion and the parameters of calls.

use std::rc::Rc;

use intermezzo_compiler::Span;
use intermezzo_compiler::complete::{Completion, CompletionCandidate, Cursor, FileKind, complete, members};
use intermezzo_compiler::grammar::expressions::{FUNCTIONS, METHODS};
use intermezzo_compiler::grammar::without_links;
use intermezzo_compiler::symbol_index::{SymbolCategory, SymbolIndex};
use serde_json::{Value, json};

use crate::positions::{offset, position};
use crate::uri;
use crate::workspace::{Extent, Workspace, kind_of, path_of};

/// Stands for the member that is being typed.
const MEMBER: &str = "z_";

pub(crate) fn completion(workspace: &mut Workspace, params: &Value) -> Option<Value> {
    let text = workspace.text(uri(params))?;
    let at = offset(&text, &params["position"]);
    let found = candidates(workspace, uri(params), &text, at)?;
    let from = text[..at].trim_end_matches(is_part).len();
    let replaced = json!({"start": position(&text, from), "end": position(&text, at)});
    let has_colon = text[at..].trim_start_matches(is_word).starts_with(':');
    let items: Vec<Value> = found
        .items
        .iter()
        .enumerate()
        .map(|(rank, item)| {
            // A key that is being renamed keeps its colon.
            let insert = if has_colon { item.insert.trim_end_matches(": ") } else { &item.insert };
            json!({
                "label": item.label,
                "kind": completion_kind(item.kind),
                "detail": item.detail,
                "sortText": format!("{rank:04}"),
                "filterText": item.label,
                "textEdit": {"range": replaced, "newText": insert},
            })
        })
        .collect();
    Some(json!({"isIncomplete": found.is_incomplete, "items": items}))
}

/// Returns what can be written at a byte of a file.
pub(crate) fn candidates(workspace: &mut Workspace, uri: &str, text: &str, at: usize) -> Option<Completion> {
    let line = text[..at].matches('\n').count() as u32 + 1;
    let start = text[..at].rfind('\n').map_or(0, |at| at + 1);
    let column = text[start..at].chars().count() as u32 + 1;
    if let Some(receiver) = receiver(&text[..at]) {
        let items = after_dot(workspace, uri, text, at, receiver)?;
        let from =
            column - text[start..at].chars().rev().take_while(|letter| is_word(*letter)).count() as u32;
        return Some(Completion { from, items, is_incomplete: false });
    }
    let analysis = workspace.analyse(uri, extent_of(uri), None)?;
    // With its brackets closed, an unfinished line keeps the local names around it.
    let closed = analysis.is_repaired.then(|| {
        let below = text[at..].find('\n').map_or("", |length| &text[at + length..]);
        workspace.analyse(uri, extent_of(uri), Some(&format!("{}{}{below}", &text[..at], closing(text, at))))
    });
    let scoped =
        closed.flatten().filter(|closed| !closed.is_repaired).unwrap_or_else(|| Rc::clone(&analysis));
    let place = path_of(uri).and_then(|path| scoped.file(&path)).map(|file| span_at(file, at));
    let known = workspace.indexed(&analysis);
    let index = if scoped.index.known.is_empty() { &known.index } else { &scoped.index };
    Some(complete(&Cursor { text, line, column, kind: kind_of(uri), place }, index))
}

/// Returns what has to be read for a file.
fn extent_of(uri: &str) -> Extent {
    match kind_of(uri) {
        FileKind::Rules => Extent::Rules,
        FileKind::Scenarios => Extent::RulesAndScenarios,
    }
}

/// Returns true for letters of the word that a completion replaces.
fn is_part(letter: char) -> bool {
    is_word(letter) || letter == '@'
}

fn is_word(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

fn span_at(file: intermezzo_compiler::source::FileId, at: usize) -> Span {
    Span { file, start: at as u32, end: at as u32 }
}

/// Returns the text up to the dot before the word at the end of a text.
fn receiver(before: &str) -> Option<&str> {
    let receiver = before.trim_end_matches(is_word).strip_suffix('.')?;
    let receiver = receiver.strip_suffix('?').unwrap_or(receiver);
    receiver
        .ends_with(|letter: char| is_word(letter) || matches!(letter, ')' | ']' | '!'))
        .then_some(receiver)
}

/// Returns the members of the value before a dot.
fn after_dot(
    workspace: &mut Workspace,
    uri: &str,
    text: &str,
    at: usize,
    receiver: &str,
) -> Option<Vec<CompletionCandidate>> {
    let extent = extent_of(uri);
    let word = &receiver[receiver.trim_end_matches(is_word).len()..];
    if ["options", "flow"].contains(&word) {
        let analysis = workspace.analyse(uri, extent, None)?;
        return Some(members(&workspace.indexed(&analysis).index, word));
    }
    // With some member, the text before the dot is an expression with a type. While brackets are open, they are closed first.
    let dot = if receiver.len() + 1 < at && text[receiver.len()..].starts_with('?') { "?." } else { "." };
    let rest = text[at..].trim_start_matches(is_word);
    let closed = format!(
        "{}{}",
        closing(text, at),
        rest.split_once('\n').map_or(String::new(), |(_, below)| format!("\n{below}"))
    );
    let mut fallback = None;
    for rest in [rest, &closed] {
        let patched = format!("{receiver}{dot}{MEMBER}{rest}");
        let analysis = workspace.analyse(uri, extent, Some(&patched))?;
        let path = path_of(uri)?;
        let end = analysis.file(&path).map(|file| span_at(file, receiver.len()));
        let ty = end.and_then(|end| analysis.index.type_before(end)).map(|typed| typed.ty.clone());
        if let Some(ty) = ty.filter(|ty| !ty.contains('?')) {
            return Some(members(&analysis.index, &ty));
        }
        fallback = fallback.or(Some(analysis));
    }
    let known = workspace.indexed(&fallback?);
    Some(members(&known.index, ""))
}

/// Returns the quotes and brackets that the line up to a place leaves open.
fn closing(text: &str, at: usize) -> String {
    let start = text[..at].rfind('\n').map_or(0, |at| at + 1);
    let mut open: Vec<char> = Vec::new();
    let mut quote = None;
    let mut before = ' ';
    for letter in text[start..at].chars() {
        match letter {
            letter if quote == Some(letter) => quote = None,
            _ if quote.is_some() => {}
            '"' | '\'' if !is_word(before) => quote = Some(letter),
            '{' => open.push('}'),
            '[' => open.push(']'),
            '}' | ']' => drop(open.pop()),
            _ => {}
        }
        before = letter;
    }
    quote.into_iter().chain(open.into_iter().rev()).collect()
}

fn completion_kind(kind: &str) -> u32 {
    match kind {
        "key" => 14,
        "value" => 12,
        "event" => 23,
        "function" | "proc" => 3,
        "prop" | "option" => 10,
        "param" => 6,
        "kind" | "zone" => 7,
        "symbol" | "def" | "trait" | "outcome" | "action" => 20,
        _ => 1,
    }
}

/// Returns the parameters of the function whose brackets are open before the cursor.
pub(crate) fn signature_help(workspace: &mut Workspace, params: &Value) -> Option<Value> {
    let text = workspace.text(uri(params))?;
    let at = offset(&text, &params["position"]);
    let (name, is_member, argument) = open_call(&text[..at])?;
    let analysis = workspace.analyse(uri(params), Extent::Rules, None)?;
    let (label, doc) = signature(&workspace.indexed(&analysis).index, name, is_member)?;
    let inside = label.split_once('(').and_then(|(_, rest)| rest.rsplit_once(')'))?.0;
    let parameters: Vec<Value> =
        inside.split(", ").filter(|part| !part.is_empty()).map(|part| json!({"label": part})).collect();
    Some(json!({
        "signatures": [{"label": label, "documentation": doc, "parameters": parameters}],
        "activeSignature": 0,
        "activeParameter": argument.min(parameters.len().saturating_sub(1)),
    }))
}

/// Returns the function whose bracket is open at the end of a text, whether it follows a dot, and the number of the argument.
fn open_call(before: &str) -> Option<(&str, bool, usize)> {
    let (mut depth, mut argument) = (0_usize, 0);
    for (at, letter) in before.char_indices().rev() {
        match letter {
            '\n' => return None,
            ')' | ']' | '}' => depth += 1,
            '(' if depth == 0 => {
                let start = before[..at].trim_end_matches(is_word).len();
                let name = &before[start..at];
                return (!name.is_empty()).then_some((name, before[..start].ends_with('.'), argument));
            }
            '[' | '{' if depth == 0 => return None,
            '(' | '[' | '{' => depth -= 1,
            ',' if depth == 0 => argument += 1,
            _ => {}
        }
    }
    None
}

fn signature(index: &SymbolIndex, name: &str, is_member: bool) -> Option<(String, String)> {
    let words = if is_member { &METHODS } else { &FUNCTIONS };
    if let Some(term) = words.get(name) {
        let form = term.forms.iter().find(|form| form.contains('('))?;
        return Some(((*form).to_owned(), without_links(term.doc)));
    }
    let known = index
        .known
        .iter()
        .find(|known| known.category == SymbolCategory::Function && known.name == name && !is_member)?;
    Some((format!("{name}{}", known.detail), String::new()))
}
