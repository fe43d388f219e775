//! Texts about the key, the name or the word under the cursor.

use intermezzo_compiler::complete::FileKind;
use intermezzo_compiler::grammar::expressions::{
    FACTS, FLOW, FUNCTIONS, METHODS, ROOTS, SPECIAL_FACTS, TYPES, Term,
};
use intermezzo_compiler::grammar::scenarios::SCENARIO_FILE;
use intermezzo_compiler::grammar::sections::RULESET;
use intermezzo_compiler::grammar::table::describe;
use intermezzo_compiler::grammar::{Key, Object, key_at, without_links};
use intermezzo_compiler::symbol_index::{Definition, Reference, SymbolCategory};
use intermezzo_compiler::{SourceMap, Span};
use serde_json::{Value, json};

use crate::names::{name_at, noun};
use crate::positions::{offset, range};
use crate::uri;
use crate::workspace::{Analysis, Place, Workspace, kind_of};

/// Lines of a declaration that are shown.
const LINES: usize = 12;

pub(crate) fn hover(workspace: &mut Workspace, params: &Value) -> Option<Value> {
    let Place { analysis, file } = workspace.place(uri(params))?;
    let at = offset(analysis.sources().text(file), &params["position"]) as u32;
    let at = Span { file, start: at, end: at };
    let root = match kind_of(uri(params)) {
        FileKind::Rules => &RULESET,
        FileKind::Scenarios => &SCENARIO_FILE,
    };
    let key = analysis.suite.document(file).and_then(|node| key_at(node, root, at.start));
    let (span, text) = match key {
        Some((span, object, key)) => (span, key_text(object, key)),
        None => name_text(&analysis, at).or_else(|| word_text(&analysis, at))?,
    };
    let contents = json!({"kind": "markdown", "value": text});
    Some(json!({"contents": contents, "range": range(analysis.sources(), span)}))
}

/// Returns the documentation of a key.
fn key_text(object: &Object, key: &Key) -> String {
    let doc = if object.head == Some(key.name) { object.doc } else { key.doc };
    let needed = match (key.is_required, key.default) {
        (true, _) => "; required".to_owned(),
        (false, "") => String::new(),
        (false, default) => format!("; default: {default}"),
    };
    let (shape, doc) = (describe(&key.shape), without_links(doc));
    format!("**`{}`** – {shape}{needed}\n\n{doc}\n\n```yaml\n{}: {}\n```", key.name, key.name, key.example)
}

fn name_text(analysis: &Analysis, at: Span) -> Option<(Span, String)> {
    let named = name_at(analysis, at)?;
    let mut text = format!("{} **`{}`**", noun(named.category), named.name);
    let typed = analysis.index.type_at(at);
    let detail = analysis.index.known.iter().find(|known| {
        known.category == named.category
            && known.name == named.name
            && (named.owner.is_empty() || known.owner == named.owner)
            && !known.detail.is_empty()
    });
    if let Some(typed) = typed.filter(|typed| typed.span == named.span || typed.span.end == named.span.end) {
        text.push_str(&format!(": `{}`", typed.ty));
    } else if let Some(known) = detail {
        text.push_str(&format!(": `{}`", known.detail));
    }
    let sources = analysis.sources();
    let definition = analysis.index.definitions_of(&named).next();
    if let Some(definition) = definition.filter(|definition| definition.category != SymbolCategory::Local) {
        text.push_str(&format!("\n\n```yaml\n{}\n```", excerpt(sources, definition)));
    }
    text.push_str(&modifiers(analysis, &named));
    Some((named.span, text))
}

/// Lists the modifiers that change a property or chain.
fn modifiers(analysis: &Analysis, named: &Reference) -> String {
    let is_meant = |of: &str| match (named.category, of.split_once('.')) {
        (SymbolCategory::Prop, Some((kind, prop))) => {
            prop == named.name
                && (named.owner.is_empty() || named.owner == kind || is_kind_of(analysis, &named.owner, kind))
        }
        (SymbolCategory::Chain, None) => of == named.name,
        _ => false,
    };
    let found: Vec<String> = analysis
        .index
        .modifiers
        .iter()
        .filter(|modifier| is_meant(&modifier.of))
        .map(|modifier| {
            let sources = analysis.sources();
            let (line, _) = sources.line_column(modifier.span.file, modifier.span.start);
            format!("* `{}` ({}:{line})", modifier.text, sources.name(modifier.span.file))
        })
        .collect();
    if found.is_empty() { String::new() } else { format!("\n\nModified by\n\n{}", found.join("\n")) }
}

/// Returns true if one kind extends another.
fn is_kind_of(analysis: &Analysis, kind: &str, ancestor: &str) -> bool {
    let parent = |name: &str| {
        let mut known = analysis.index.known.iter();
        let kind = known.find(|known| known.category == SymbolCategory::Kind && known.name == name)?;
        kind.detail.strip_prefix("extends ").map(str::to_owned)
    };
    let mut at = parent(kind);
    // Kinds that extend each other in a circle are reported; here they only have to end.
    for _ in 0..64 {
        match at {
            Some(name) if name == ancestor => return true,
            Some(name) => at = parent(&name),
            None => return false,
        }
    }
    false
}

/// Returns the first lines of a declaration.
fn excerpt(sources: &SourceMap, definition: &Definition) -> String {
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

/// Returns the documentation of a word of expressions, and the type of the expression.
fn word_text(analysis: &Analysis, at: Span) -> Option<(Span, String)> {
    let text = analysis.sources().text(at.file);
    let is_word = |letter: char| letter.is_alphanumeric() || letter == '_';
    let place = at.start as usize;
    let start = text[..place].trim_end_matches(is_word).len();
    let end = text.len() - text[place..].trim_start_matches(is_word).len();
    let (word, before) = (&text[start..end], &text[..start]);
    let typed = analysis.index.type_at(at);
    let term = term(word, before, &text[end..], typed.is_some());
    let ty = typed.filter(|typed| typed.ty != "?").map(|typed| format!("`{}`", typed.ty));
    let span = Span { file: at.file, start: start as u32, end: end as u32 };
    match (term, ty) {
        (Some(term), ty) => {
            let forms: Vec<String> = term.forms.iter().map(|form| format!("**`{form}`**")).collect();
            let ty = ty.map(|ty| format!(": {ty}")).unwrap_or_default();
            Some((span, format!("{}{ty}\n\n{}", forms.join(", "), without_links(term.doc))))
        }
        (None, Some(ty)) => Some((typed?.span, ty)),
        (None, None) => None,
    }
}

fn term(word: &str, before: &str, after: &str, is_expression: bool) -> Option<&'static Term> {
    if word.is_empty() {
        return None;
    }
    if let Some(receiver) = before.strip_suffix('.') {
        let words = [&METHODS, &FACTS, &SPECIAL_FACTS];
        return match receiver.ends_with("flow") {
            true => FLOW.get(word),
            false => words.iter().find_map(|words| words.get(word)),
        };
    }
    if after.starts_with('(') {
        return FUNCTIONS.get(word);
    }
    if is_expression { ROOTS.get(word) } else { TYPES.get(word) }
}
