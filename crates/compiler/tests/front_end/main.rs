//! The front end as an author meets it: files in, trees, expressions and
//! diagnostics out.

mod diagnostics;
mod expressions;
mod hostile;
mod mistakes;
mod positions;
mod strictness;

use intermezzo_compiler::diagnostic::Diagnostic;
use intermezzo_compiler::expr::{self, Expr};
use intermezzo_compiler::source::{SourceMap, Span};
use intermezzo_compiler::tree::{self, Node, Text};

/// A file that was read, with everything that was said about it.
struct Read {
    sources: SourceMap,
    root: Option<Node>,
    problems: Vec<Diagnostic>,
}

impl Read {
    fn root(&self) -> &Node {
        let problems = &self.problems;
        self.root.as_ref().unwrap_or_else(|| panic!("nothing could be read: {problems:#?}"))
    }

    /// The text under `key`.
    fn text(&self, key: &str) -> &Text {
        self.root().get(key).and_then(Node::as_text).expect("there is a text under this key")
    }

    /// What the file says at a place.
    fn at(&self, span: Span) -> &str {
        &self.sources.text(span.file)[span.start as usize..span.end as usize]
    }

    /// The only thing that was said.
    fn problem(&self) -> &Diagnostic {
        let [problem] = self.problems.as_slice() else {
            panic!("expected one problem: {:#?}", self.problems);
        };
        problem
    }
}

fn read(name: &str, text: &str) -> Read {
    let mut sources = SourceMap::default();
    let mut problems = Vec::new();
    let file = sources.add(name, text.to_owned());
    let root = tree::parse(file, &sources, &mut problems);
    Read { sources, root, problems }
}

fn yaml(text: &str) -> Read {
    read("rules.yaml", text)
}

fn json(text: &str) -> Read {
    read("rules.json", text)
}

/// A text that stands in a file of its own.
fn text(value: &str) -> Text {
    let mut sources = SourceMap::default();
    let file = sources.add("rules.yaml", value.to_owned());
    Text::straight(value, file, 0)
}

fn parse(value: &str) -> Expr {
    expr::parse(&text(value)).unwrap_or_else(|problem| panic!("`{value}`: {problem:#?}"))
}

fn refuse(value: &str) -> Diagnostic {
    match expr::parse(&text(value)) {
        Ok(expr) => panic!("`{value}` was read as {expr:#?}"),
        Err(problem) => problem,
    }
}
