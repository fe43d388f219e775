//! Tests of the front end: files in; trees, expressions and diagnostics out.

mod diagnostics;
mod expressions;
mod hostile;
mod mistakes;
mod positions;
mod strictness;

use intermezzo_compiler::diagnostic::Diagnostic;
use intermezzo_compiler::expr::{self, Expr};
use intermezzo_compiler::source::{SourceMap, Span};
use intermezzo_compiler::tree::{self, SourceNode, SourceText};

/// A parsed file with all its diagnostics.
struct ParsedFile {
    sources: SourceMap,
    root: Option<SourceNode>,
    problems: Vec<Diagnostic>,
}

impl ParsedFile {
    fn root(&self) -> &SourceNode {
        let problems = &self.problems;
        self.root.as_ref().unwrap_or_else(|| panic!("nothing could be read: {problems:#?}"))
    }

    /// Returns the text under `key`.
    fn text(&self, key: &str) -> &SourceText {
        self.root().get(key).and_then(SourceNode::as_text).expect("there is a text under this key")
    }

    /// Returns the source at a span.
    fn at(&self, span: Span) -> &str {
        &self.sources.text(span.file)[span.start as usize..span.end as usize]
    }

    /// Returns the only diagnostic.
    fn problem(&self) -> &Diagnostic {
        let [problem] = self.problems.as_slice() else {
            panic!("expected one problem: {:#?}", self.problems);
        };
        problem
    }
}

fn read(name: &str, text: &str) -> ParsedFile {
    let mut sources = SourceMap::default();
    let mut problems = Vec::new();
    let file = sources.add(name, text.to_owned());
    let root = tree::parse(file, &sources, &mut problems);
    ParsedFile { sources, root, problems }
}

fn yaml(text: &str) -> ParsedFile {
    read("rules.yaml", text)
}

fn json(text: &str) -> ParsedFile {
    read("rules.json", text)
}

/// Creates a text that is a file of its own.
fn text(value: &str) -> SourceText {
    let mut sources = SourceMap::default();
    let file = sources.add("rules.yaml", value.to_owned());
    SourceText::verbatim(value, file, 0)
}

fn parse(value: &str) -> Expr {
    expr::parse(&text(value)).unwrap_or_else(|problem| panic!("`{value}`: {problem:#?}"))
}

fn parse_error(value: &str) -> Diagnostic {
    match expr::parse(&text(value)) {
        Ok(expr) => panic!("`{value}` was read as {expr:#?}"),
        Err(problem) => problem,
    }
}
