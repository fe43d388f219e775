//! Merging of the files of a ruleset and the preludes it uses, section by section.

use std::collections::BTreeMap;

use crate::diagnostic::{Diagnostic, suggest};
use crate::grammar::sections::{LANGUAGE, RULESET};
use crate::source::{SourceMap, Span, add_bytes};
use crate::tree::{self, NodeValue, SourceNode};

/// The built-in preludes: name, major version, text.
const PRELUDES: &[(&str, i64, &str)] = &[
    ("core", 1, include_str!("../preludes/core.yaml")),
    ("tcg", 1, include_str!("../preludes/tcg.yaml")),
    ("teams", 1, include_str!("../preludes/teams.yaml")),
];

/// A parsed file.
#[derive(Debug)]
pub(crate) struct Document {
    pub(crate) node: SourceNode,
    pub(crate) prelude: bool,
}

/// All files of a ruleset, preludes first.
#[derive(Debug, Default)]
pub(crate) struct MergedRuleset {
    pub(crate) documents: Vec<Document>,
    /// A file could not be parsed, so its declarations are missing.
    pub(crate) broken: bool,
}

impl MergedRuleset {
    /// Returns every part of a section, with whether it comes from a prelude.
    pub(crate) fn section<'a>(&'a self, name: &'a str) -> impl Iterator<Item = (&'a SourceNode, bool)> + 'a {
        self.documents.iter().filter_map(move |document| Some((document.node.get(name)?, document.prelude)))
    }

    /// Returns the last part of a section: the ruleset's own, if it has one.
    pub(crate) fn last(&self, name: &str) -> Option<&SourceNode> {
        self.documents.iter().rev().find_map(|document| document.node.get(name))
    }

    /// Returns the hash of the rules. YAML and JSON give the same hash, and comments and scenarios do not
    /// affect it.
    pub(crate) fn hash(&self) -> [u8; 32] {
        let mut hasher = blake3::Hasher::new();
        hasher.update(b"intermezzo ruleset 1");
        for document in &self.documents {
            for entry in document.node.as_map().unwrap_or_default() {
                if entry.key.value == "scenarios" || entry.key.value == "allow" {
                    continue;
                }
                hasher.update(entry.key.value.as_bytes());
                hasher.update(b"\0");
                hasher.update(entry.value.to_json().to_string().as_bytes());
                hasher.update(b"\0");
            }
        }
        *hasher.finalize().as_bytes()
    }
}

/// Texts of preludes by file name, such as `core@1`. An earlier version of a prelude replaces the built-in one.
pub type PreludeTexts = BTreeMap<String, String>;

/// Parses the files and the preludes they use; those of `preludes` in place of the built-in ones.
pub(crate) fn merge(
    files: &[(String, Vec<u8>)],
    preludes: &PreludeTexts,
    sources: &mut SourceMap,
    out: &mut Vec<Diagnostic>,
) -> MergedRuleset {
    let mut own = Vec::new();
    let mut broken = false;
    for (name, bytes) in files {
        let node = add_bytes(sources, name, bytes, out).and_then(|file| tree::parse(file, sources, out));
        if let Some(mut node) = node
            && check_document(&node, out)
        {
            crate::named_targets::rewrite(&mut node);
            own.push(Document { node, prelude: false });
        } else {
            broken = true;
        }
    }
    let mut merged = MergedRuleset { documents: Vec::new(), broken };
    for document in &own {
        for (name, span) in used_preludes(&document.node, "ruleset", out) {
            add_prelude(&name, span, preludes, sources, &mut merged, out, 0);
        }
    }
    // It replaces parts of the others.
    let teams = own.iter().find_map(|document| Some(document.node.get("players")?.entry("teams")?.key.span));
    if let Some(span) = teams {
        add_prelude("teams@1", span, preludes, sources, &mut merged, out, 0);
    }
    merged.documents.append(&mut own);
    if !broken {
        check_header(&merged, sources, out);
    }
    merged
}

fn check_document(node: &SourceNode, out: &mut Vec<Diagnostic>) -> bool {
    let NodeValue::Map(entries) = &node.value else {
        let message = format!("a ruleset is an object of sections, but this is {}", node.kind_name());
        out.push(Diagnostic::error("E-TYPE", node.span, message));
        return false;
    };
    for entry in entries {
        let key = entry.key.value.as_str();
        if RULESET.get(key).is_none() {
            let mut diagnostic =
                Diagnostic::error("E-KEY", entry.key.span, format!("unknown section `{key}`"));
            if let Some(near) = suggest(key, RULESET.names()) {
                diagnostic = diagnostic.hint(format!("did you mean `{near}`?"));
            } else {
                diagnostic = diagnostic
                    .hint(format!("sections are {}", RULESET.names().collect::<Vec<_>>().join(", ")));
            }
            out.push(diagnostic);
        }
    }
    true
}

/// Returns the preludes named by `uses`.
fn used_preludes(node: &SourceNode, header: &str, out: &mut Vec<Diagnostic>) -> Vec<(String, Span)> {
    let Some(uses) = node.get(header).and_then(|header| header.get("uses")) else { return Vec::new() };
    let Some(items) = uses.as_list() else {
        out.push(Diagnostic::error("E-TYPE", uses.span, "`uses` is a list of preludes such as `core@1`"));
        return Vec::new();
    };
    items
        .iter()
        .filter_map(|item| {
            let text = item.as_text();
            if let Some(text) = text
                && text.value.split('@').next() == Some("teams")
            {
                let problem = "the prelude `teams` comes with `teams` in the section `players`";
                out.push(Diagnostic::error("E-NAME", text.span, problem).hint("leave it out here"));
                return None;
            }
            if text.is_none() {
                out.push(Diagnostic::error("E-TYPE", item.span, "a prelude is named like `core@1`"));
            }
            text.map(|text| (text.value.clone(), text.span))
        })
        .collect()
}

fn add_prelude(
    name: &str,
    span: Span,
    preludes: &PreludeTexts,
    sources: &mut SourceMap,
    merged: &mut MergedRuleset,
    out: &mut Vec<Diagnostic>,
    depth: usize,
) {
    let (id, version) = name.split_once('@').unwrap_or((name, ""));
    let found = PRELUDES.iter().find(|(known, _, _)| *known == id);
    let Some((_, major, text)) = found else {
        let mut diagnostic = Diagnostic::error("E-NAME", span, format!("unknown prelude `{id}`"));
        let names: Vec<&str> = PRELUDES.iter().map(|(known, _, _)| *known).collect();
        diagnostic = match suggest(id, names.iter().copied()) {
            Some(near) => diagnostic.hint(format!("did you mean `{near}`?")),
            None => diagnostic.hint(format!("known preludes: {}", names.join(", "))),
        };
        out.push(diagnostic);
        return;
    };
    if version.parse::<i64>() != Ok(*major) {
        out.push(
            Diagnostic::error(
                "E-VERSION",
                span,
                format!("there is no version `{version}` of the prelude `{id}`"),
            )
            .hint(format!("write `{id}@{major}`")),
        );
    }
    let file_name = prelude_file(&format!("{id}@{major}"));
    let text = preludes.get(&format!("{id}@{major}")).map_or(*text, String::as_str);
    if depth > PRELUDES.len() || sources.files().any(|file| sources.name(file) == file_name) {
        return;
    }
    let file = sources.add(&file_name, text.to_owned());
    let Some(node) = tree::parse(file, sources, out) else { return };
    for (inner, inner_span) in used_preludes(&node, "prelude", out) {
        add_prelude(&inner, inner_span, preludes, sources, merged, out, depth + 1);
    }
    merged.documents.push(Document { node, prelude: true });
}

/// Returns the name under which a prelude stands among the files.
fn prelude_file(name: &str) -> String {
    format!("prelude/{name}.yaml")
}

/// Returns the texts of the preludes among the files.
pub(crate) fn used_prelude_texts(sources: &SourceMap) -> PreludeTexts {
    let names = PRELUDES.iter().map(|(id, major, _)| format!("{id}@{major}"));
    let text = |name: String| {
        let file = sources.files().find(|file| sources.name(*file) == prelude_file(&name))?;
        Some((name, sources.text(file).to_owned()))
    };
    names.filter_map(text).collect()
}

fn check_header(merged: &MergedRuleset, sources: &SourceMap, out: &mut Vec<Diagnostic>) {
    let own: Vec<&Document> = merged.documents.iter().filter(|document| !document.prelude).collect();
    let Some(first) = own.first() else { return };
    let start = first.node.span.file;
    let nowhere = Span { file: start, start: 0, end: sources.text(start).len().min(1) as u32 };
    match own.iter().find_map(|document| document.node.get("ir")) {
        None => out.push(
            Diagnostic::error("E-VERSION", nowhere, "the language version is missing")
                .hint(format!("begin the file with `ir: {LANGUAGE}`")),
        ),
        Some(node) if node.as_int() != Some(LANGUAGE) => out.push(
            Diagnostic::error(
                "E-VERSION",
                node.span,
                format!("this compiler reads language version {LANGUAGE}"),
            )
            .hint(format!("write `ir: {LANGUAGE}`")),
        ),
        Some(_) => {}
    }
    if !own.iter().any(|document| document.node.get("ruleset").is_some()) {
        out.push(
            Diagnostic::error("E-KEY", nowhere, "the section `ruleset` is missing")
                .hint("add `ruleset: {id: my-game, version: 0.1.0, name: My Game}`"),
        );
    }
}
