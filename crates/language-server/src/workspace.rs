//! The open files, and the rulesets they belong to.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use intermezzo_compiler::source::FileId;
use intermezzo_compiler::symbol_index::SymbolIndex;
use intermezzo_compiler::{Compilation, Diagnostic, Extras, Ruleset, Severity, Span, load_assets};
use intermezzo_program::Program;
use serde_json::{Value, json};

use crate::positions::range;

/// Open files and rulesets.
#[derive(Default)]
pub(crate) struct Workspace {
    /// URI → text.
    open: BTreeMap<String, String>,
    /// Files of a ruleset → what the latest version without errors in its form gave.
    latest: BTreeMap<Vec<PathBuf>, Known>,
}

/// The last results of a ruleset, for files that cannot be read at the moment.
#[derive(Default)]
struct Known {
    program: Option<Program>,
}

/// A compiled ruleset.
pub(crate) struct Analysis {
    pub(crate) ruleset: Ruleset,
    pub(crate) diagnostics: Vec<Diagnostic>,
    pub(crate) index: SymbolIndex,
    /// The file that was asked about.
    pub(crate) file: Option<FileId>,
    files: Vec<PathBuf>,
}

impl Workspace {
    pub(crate) fn open(&mut self, uri: &str, text: &str) {
        self.open.insert(uri.to_owned(), text.to_owned());
    }

    pub(crate) fn close(&mut self, uri: &str) {
        self.open.remove(uri);
    }

    /// Returns the text of a file.
    pub(crate) fn text(&self, uri: &str) -> Option<String> {
        self.open.get(uri).cloned().or_else(|| std::fs::read_to_string(path_of(uri)?).ok())
    }

    /// Compiles the ruleset of a file.
    pub(crate) fn analyse(&mut self, uri: &str) -> Option<Analysis> {
        self.analyse_with(uri, None)
    }

    /// Compiles the ruleset of a file with another text for that file.
    pub(crate) fn analyse_with(&mut self, uri: &str, replaced: Option<&str>) -> Option<Analysis> {
        let path = path_of(uri)?;
        let files = self.ruleset_files(&path);
        let read = |file: &PathBuf| {
            let text = match replaced.filter(|_| *file == path) {
                Some(text) => text.to_owned(),
                None => self.text(&uri_of(file))?,
            };
            Some((file.display().to_string(), text.into_bytes()))
        };
        let texts: Vec<(String, Vec<u8>)> = files.iter().filter_map(read).collect();
        let ruleset = Ruleset::from_files(&texts);
        let assets = path.parent().and_then(|folder| load_assets(folder).ok()).unwrap_or_default();
        let ruleset = ruleset.with_assets(&assets);
        let Compilation { program, index, diagnostics, .. } =
            ruleset.compile_with(&Extras { index: true, ..Extras::default() });
        let name = path.display().to_string();
        let file = ruleset.sources().files().find(|file| ruleset.sources().name(*file) == name);
        if replaced.is_none() && program.is_some() {
            self.latest.insert(files.clone(), Known { program });
        }
        Some(Analysis { ruleset, diagnostics, index: index.unwrap_or_default(), file, files })
    }

    /// Returns the program of the latest version without errors.
    pub(crate) fn program(&self, analysis: &Analysis) -> Option<&Program> {
        self.latest.get(&analysis.files)?.program.as_ref()
    }

    /// Returns the files of the ruleset that a file belongs to: those of its folder, or only itself if it is a whole ruleset
    /// next to others.
    fn ruleset_files(&self, path: &Path) -> Vec<PathBuf> {
        let folder = path.parent().unwrap_or(path);
        let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
            .map(|entries| entries.flatten().map(|entry| entry.path()).collect())
            .unwrap_or_default();
        files.extend(
            self.open.keys().filter_map(|uri| path_of(uri)).filter(|open| open.parent() == Some(folder)),
        );
        let is_rules = |file: &PathBuf| {
            matches!(file.extension().and_then(|extension| extension.to_str()), Some("yaml" | "yml" | "json"))
        };
        files.retain(is_rules);
        files.sort();
        files.dedup();
        let has_header = |file: &PathBuf| {
            let text = self.text(&uri_of(file)).unwrap_or_default();
            text.lines()
                .any(|line| line.starts_with("ruleset:") || line.trim_start().starts_with("\"ruleset\""))
        };
        if has_header(&path.to_owned()) && files.iter().filter(|file| has_header(file)).count() > 1 {
            return vec![path.to_owned()];
        }
        files
    }

    /// Returns the diagnostics of every file of the ruleset that a file belongs to.
    pub(crate) fn diagnostics(&mut self, uri: &str) -> Vec<(String, Value)> {
        let Some(path) = path_of(uri) else { return Vec::new() };
        if path.parent().is_some_and(|folder| folder.ends_with("scenarios")) {
            return vec![(uri.to_owned(), json!([]))];
        }
        let Some(analysis) = self.analyse(uri) else { return Vec::new() };
        let sources = analysis.ruleset.sources();
        let mut found: BTreeMap<String, Vec<Value>> =
            analysis.files.iter().map(|file| (uri_of(file), Vec::new())).collect();
        for diagnostic in &analysis.diagnostics {
            let uri = uri_of(Path::new(sources.name(diagnostic.span.file)));
            found.entry(uri).or_default().push(analysis.diagnostic(diagnostic));
        }
        found.into_iter().map(|(uri, diagnostics)| (uri, Value::Array(diagnostics))).collect()
    }
}

impl Analysis {
    /// Returns a place: the URI of the file and the range.
    pub(crate) fn location(&self, span: Span) -> Value {
        let sources = self.ruleset.sources();
        json!({"uri": uri_of(Path::new(sources.name(span.file))), "range": range(sources, span)})
    }

    /// Returns true if a place is in a file of the author, not in a prelude.
    pub(crate) fn is_own(&self, span: Span) -> bool {
        let name = Path::new(self.ruleset.sources().name(span.file));
        self.files.iter().any(|file| file == name)
    }

    pub(crate) fn diagnostic(&self, diagnostic: &Diagnostic) -> Value {
        let severity = match diagnostic.severity {
            Severity::Error => 1,
            Severity::Warning => 2,
            Severity::Note => 3,
        };
        let mut message = diagnostic.message.clone();
        for hint in &diagnostic.hints {
            message.push_str("\nhelp: ");
            message.push_str(hint);
        }
        let own = diagnostic.related.iter().filter(|(span, _)| self.is_own(*span));
        let related: Vec<Value> =
            own.map(|(span, text)| json!({"location": self.location(*span), "message": text})).collect();
        json!({
            "range": range(self.ruleset.sources(), diagnostic.span),
            "severity": severity,
            "code": diagnostic.code,
            "source": "intermezzo",
            "message": message,
            "relatedInformation": related,
        })
    }
}

/// Returns the path of a file URI.
pub(crate) fn path_of(uri: &str) -> Option<PathBuf> {
    let written = uri.strip_prefix("file://")?;
    let mut bytes = Vec::new();
    let mut rest = written.as_bytes();
    while let [first, after @ ..] = rest {
        let code = after.get(..2).filter(|_| *first == b'%');
        let code = code.and_then(|code| u8::from_str_radix(std::str::from_utf8(code).ok()?, 16).ok());
        bytes.push(code.unwrap_or(*first));
        rest = if code.is_some() { &after[2..] } else { after };
    }
    String::from_utf8(bytes).ok().map(PathBuf::from)
}

/// Returns the file URI of a path.
pub(crate) fn uri_of(path: &Path) -> String {
    let mut uri = "file://".to_owned();
    for byte in path.display().to_string().bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'_' | b'.' | b'~' => {
                uri.push(char::from(byte));
            }
            other => uri.push_str(&format!("%{other:02X}")),
        }
    }
    uri
}
