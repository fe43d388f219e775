//! Turns ruleset files into programs, with diagnostics.
//!
//! Start with [`Ruleset`]: load it, then compile it. Everything an author got
//! wrong comes back as [`Diagnostic`]s, as many as there are. What could be written at a place tells
//! [`complete`].

mod check;
mod compare;
pub mod complete;
pub mod diagnostic;
pub mod expr;
mod merge;
mod schema;
pub mod source;
pub mod tree;

use std::path::{Path, PathBuf};

use intermezzo_ruleset::Program;

pub use check::{ExtraExpression, Extras};
pub use diagnostic::{Diagnostic, Severity, render, to_json};
pub use schema::schema;
pub use source::{SourceMap, Span};

use merge::Merged;
use tree::Node;

/// A ruleset as written: its files and the preludes it uses.
#[derive(Debug)]
pub struct Ruleset {
    sources: SourceMap,
    merged: Merged,
    problems: Vec<Diagnostic>,
}

/// What became of a ruleset.
#[derive(Debug)]
pub struct Compiled {
    /// The program, if there were no errors.
    pub program: Option<Program>,
    /// Expressions compiled beside it, in the order given.
    pub expressions: Vec<ExtraExpression>,
    /// What its rules cost, the dearest first.
    pub costs: Vec<Cost>,
    /// How many questions its events and actions can lead to, the most first; those that ask nothing are left out.
    pub prompts: Vec<Prompts>,
    /// Everything there is to say about it, in file order.
    pub diagnostics: Vec<Diagnostic>,
}

/// What a rule costs to evaluate.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cost {
    /// The rule, such as `functions.best` or `flow`.
    pub rule: String,
    /// Its work grows with the number of entities to this power.
    pub order: usize,
}

/// How many questions something can lead to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Prompts {
    /// The event or action, such as `events.Hurt`.
    pub rule: String,
    /// At most so many; none if no bound is known before play.
    pub most: Option<u64>,
}

impl Compiled {
    /// Whether something is wrong, as opposed to merely doubtful.
    #[must_use]
    pub fn has_errors(&self) -> bool {
        self.diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error)
    }
}

impl Ruleset {
    /// A ruleset made of files that are already in memory: (name, contents).
    #[must_use]
    pub fn from_files(files: &[(String, Vec<u8>)]) -> Self {
        let mut sources = SourceMap::default();
        let mut problems = Vec::new();
        let merged = merge::merge(files, &mut sources, &mut problems);
        Ruleset { sources, merged, problems }
    }

    /// A ruleset from one file, or from all `.yaml`, `.yml` and `.json` files of a folder.
    ///
    /// # Errors
    /// If something cannot be read, or the folder has no ruleset files.
    pub fn load(path: &Path) -> std::io::Result<Self> {
        let mut files = Vec::new();
        for file in ruleset_files(path)? {
            files.push((file.display().to_string(), std::fs::read(&file)?));
        }
        Ok(Self::from_files(&files))
    }

    /// Where everything stands, for rendering diagnostics.
    #[must_use]
    pub fn sources(&self) -> &SourceMap {
        &self.sources
    }

    /// The ruleset's own sections called `name`, such as `scenarios`.
    pub fn sections<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Node> + 'a {
        self.merged.section(name).filter(|(_, prelude)| !prelude).map(|(node, _)| node)
    }

    /// Reads one more file that is not part of the rules, such as scenarios, so that rules in it can be
    /// compiled as [`Extras`] and diagnostics can show it.
    pub fn read_beside(&mut self, name: &str, bytes: &[u8]) -> Result<Node, Vec<Diagnostic>> {
        let mut out = Vec::new();
        let node = source::add_bytes(&mut self.sources, name, bytes, &mut out)
            .and_then(|file| tree::parse(file, &self.sources, &mut out));
        match node {
            Some(node) if out.is_empty() => Ok(node),
            _ => Err(out),
        }
    }

    /// What is wrong with `new`, this ruleset's program, as the version after `old`: names that clients and
    /// stored decks may use are gone, although the first number of the version is the same.
    #[must_use]
    pub fn compare(&self, old: &Program, new: &Program) -> Vec<Diagnostic> {
        let major = |program: &Program| program.version.split('.').next().map(str::to_owned);
        let Some(place) = self.merged.last("ruleset").filter(|_| major(old) == major(new)) else {
            return Vec::new();
        };
        let span = place.get("version").unwrap_or(place).span;
        compare::removed_names(old, new)
            .into_iter()
            .map(|name| {
                Diagnostic::error("E-VERSION", span, format!("`{name}` of version {} is gone", old.version))
                    .hint("keep it, or raise the first number of the version")
            })
            .collect()
    }

    /// Checks the ruleset and makes its program.
    #[must_use]
    pub fn compile(&self) -> Compiled {
        self.compile_with(&Extras::default())
    }

    /// The same, with rules from outside: a scenario's position and expectations.
    #[must_use]
    pub fn compile_with(&self, extras: &Extras<'_>) -> Compiled {
        let mut compiled = if self.merged.broken {
            // Half a ruleset would only yield follow-up mistakes.
            Compiled {
                program: None,
                expressions: Vec::new(),
                costs: Vec::new(),
                prompts: Vec::new(),
                diagnostics: Vec::new(),
            }
        } else {
            check::check(&self.merged, &self.sources, extras)
        };
        compiled.diagnostics.extend(self.problems.iter().cloned());
        diagnostic::sort(&mut compiled.diagnostics);
        if compiled.has_errors() {
            compiled.program = None;
        }
        compiled
    }
}

/// The files that make up the ruleset at `path`, in order of their names.
fn ruleset_files(path: &Path) -> std::io::Result<Vec<PathBuf>> {
    if !path.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let mut files = Vec::new();
    for entry in std::fs::read_dir(path)? {
        let file = entry?.path();
        let extension = file.extension().and_then(|extension| extension.to_str());
        if file.is_file() && matches!(extension, Some("yaml" | "yml" | "json")) {
            files.push(file);
        }
    }
    files.sort();
    if files.is_empty() {
        let message = format!("no .yaml, .yml or .json file in {}", path.display());
        return Err(std::io::Error::new(std::io::ErrorKind::NotFound, message));
    }
    Ok(files)
}
