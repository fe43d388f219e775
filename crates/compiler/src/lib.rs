//! Compiler from ruleset files (YAML or JSON) to programs that the engine runs.
//!
//! A [`Ruleset`] holds the files and the preludes they use. [`Ruleset::compile`] checks them and returns a
//! [`Compilation`]: the program if there are no errors, and a [`Diagnostic`] for every mistake. [`render`]
//! formats diagnostics for people, [`to_json`] for tools. For editors, [`complete`] computes completions and
//! [`schema()`] returns the JSON Schema of ruleset files.
//!
//! ```
//! use intermezzo_compiler::{Ruleset, render};
//!
//! let rules = "
//! ir: 1
//! ruleset: {id: first-move, version: 0.1.0, name: First move}
//! outcomes: [decided]
//! flow:
//!   - {choose: winner, by: 'players[0]', from: players}
//!   - {end: decided, winners: '[winner]'}
//! ";
//! let compile = |text: &str| {
//!     let ruleset = Ruleset::from_files(&[("rules.yaml".to_owned(), text.as_bytes().to_vec())]);
//!     let compilation = ruleset.compile();
//!     let report = render(&compilation.diagnostics, ruleset.sources(), false);
//!     compilation.program.ok_or(report)
//! };
//! assert!(compile(rules).is_ok());
//!
//! let report = compile(&rules.replace("[winner]", "[winer]")).unwrap_err();
//! assert!(report.contains("rules.yaml:7:31"), "{report}");
//! assert!(report.contains("did you mean `winner`?"), "{report}");
//! ```

pub mod assets;
mod check;
mod compare;
pub mod complete;
pub mod diagnostic;
pub mod expr;
mod format;
pub mod grammar;
mod merge;
mod named_targets;
mod repair;
mod schema;
pub mod source;
pub mod symbol_index;
pub mod tree;

use std::path::{Path, PathBuf};

use intermezzo_program::Program;

pub use check::{ExtraExpression, Extras};
pub use diagnostic::{Diagnostic, Severity, render, to_json};
pub use format::format;
pub use repair::repair;
pub use schema::{scenario_schema, schema};
pub use source::{SourceMap, Span};

pub use merge::PreludeTexts;

use assets::Assets;
use merge::MergedRuleset;
use tree::SourceNode;

/// The source files of a ruleset, with the preludes it uses.
#[derive(Debug)]
pub struct Ruleset {
    sources: SourceMap,
    merged: MergedRuleset,
    problems: Vec<Diagnostic>,
    /// `None` if nobody has said which files the `assets` folder has.
    assets: Option<Assets>,
}

/// The result of compiling a ruleset.
#[derive(Debug)]
pub struct Compilation {
    /// The program, if there are no errors.
    pub program: Option<Program>,
    /// The expressions compiled in addition, in the order given.
    pub expressions: Vec<ExtraExpression>,
    /// Estimated costs of the rules, highest first.
    pub costs: Vec<RuleCost>,
    /// Upper bounds for the questions that events and actions lead to, highest first. Those that ask nothing
    /// are left out.
    pub prompt_bounds: Vec<PromptBound>,
    /// The names of the ruleset and their uses, if [`Extras::index`] asked for them and the files could be read.
    pub index: Option<symbol_index::SymbolIndex>,
    /// All diagnostics, in file order.
    pub diagnostics: Vec<Diagnostic>,
}

/// The estimated cost of evaluating a rule.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RuleCost {
    /// The rule, such as `functions.best` or `flow`.
    pub rule: String,
    /// Exponent of the cost, which grows with the number of entities to this power.
    pub order: usize,
}

/// An upper bound for the number of questions a rule leads to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PromptBound {
    /// The event or action, such as `events.Hurt`.
    pub rule: String,
    /// The bound; `None` if none is known before play.
    pub max: Option<u64>,
}

impl Compilation {
    /// Returns true if there is an error. Warnings and notes do not count.
    #[must_use]
    pub fn has_errors(&self) -> bool {
        self.diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error)
    }
}

impl Ruleset {
    /// Creates a ruleset from files in memory: (name, contents).
    #[must_use]
    pub fn from_files(files: &[(String, Vec<u8>)]) -> Self {
        Ruleset::with_preludes(files, &PreludeTexts::new())
    }

    /// Creates a ruleset that uses these texts of preludes in place of the built-in ones: those it was published with.
    #[must_use]
    pub fn with_preludes(files: &[(String, Vec<u8>)], preludes: &PreludeTexts) -> Self {
        let mut sources = SourceMap::default();
        let mut problems = Vec::new();
        let merged = merge::merge(files, preludes, &mut sources, &mut problems);
        Ruleset { sources, merged, problems, assets: None }
    }

    /// Adds the pictures of the ruleset: path such as `assets/dragon.svg`, and contents. Without this call, the compiler
    /// does not check whether the files that `ui` names exist.
    #[must_use]
    pub fn with_assets(mut self, files: &[(String, Vec<u8>)]) -> Self {
        self.assets = Some(Assets::read(files, &mut self.sources, &mut self.problems));
        self
    }

    /// Returns the pictures of the ruleset.
    pub fn assets(&self) -> impl Iterator<Item = (&str, &assets::Asset)> {
        self.assets.iter().flat_map(Assets::iter)
    }

    /// Returns the texts of the preludes that the ruleset uses. With the same texts it has the same hash under every
    /// version of this crate.
    #[must_use]
    pub fn preludes(&self) -> PreludeTexts {
        merge::used_prelude_texts(&self.sources)
    }

    /// Loads a ruleset from one file, or from all `.yaml`, `.yml` and `.json` files of a folder, with its pictures.
    ///
    /// # Errors
    /// If a file cannot be read, or the folder contains no ruleset files.
    pub fn load(path: &Path) -> std::io::Result<Self> {
        let mut files = Vec::new();
        for file in ruleset_files(path)? {
            files.push((file.display().to_string(), std::fs::read(&file)?));
        }
        Ok(Self::from_files(&files).with_assets(&load_assets(path)?))
    }

    /// Returns the source files, for rendering diagnostics.
    #[must_use]
    pub fn sources(&self) -> &SourceMap {
        &self.sources
    }

    /// Returns the ruleset's own sections called `name`, such as `scenarios`, without those of preludes.
    pub fn sections<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a SourceNode> + 'a {
        self.merged.section(name).filter(|(_, prelude)| !prelude).map(|(node, _)| node)
    }

    /// Returns true if every file could be read. Otherwise [`Self::compile`] reports only what cannot be read.
    #[must_use]
    pub fn is_readable(&self) -> bool {
        !self.merged.broken
    }

    /// Returns the tree of one of the ruleset's own files, if it could be read.
    #[must_use]
    pub fn document(&self, file: source::FileId) -> Option<&SourceNode> {
        self.merged.documents.iter().map(|document| &document.node).find(|node| node.span.file == file)
    }

    /// Parses a file that is not part of the rules, such as scenarios. Rules in it can be compiled as
    /// [`Extras`], and diagnostics can show it.
    pub fn parse_extra_file(&mut self, name: &str, bytes: &[u8]) -> Result<SourceNode, Vec<Diagnostic>> {
        let mut out = Vec::new();
        let node = source::add_bytes(&mut self.sources, name, bytes, &mut out)
            .and_then(|file| tree::parse(file, &self.sources, &mut out));
        match node {
            Some(node) if out.is_empty() => Ok(node),
            _ => Err(out),
        }
    }

    /// Compares `new`, this ruleset's program, with `old`, the version before it. Returns an error for each
    /// public name that was removed although the major version is the same.
    #[must_use]
    pub fn compare(&self, old: &Program, new: &Program) -> Vec<Diagnostic> {
        let major = |program: &Program| program.version.split('.').next().map(str::to_owned);
        let Some(header) = self.merged.last("ruleset").filter(|_| major(old) == major(new)) else {
            return Vec::new();
        };
        let span = header.get("version").unwrap_or(header).span;
        compare::removed_names(old, new)
            .into_iter()
            .map(|name| {
                Diagnostic::error(
                    "E-VERSION",
                    span,
                    format!("`{name}` of version {} was removed", old.version),
                )
                .hint("keep it, or raise the major version")
            })
            .collect()
    }

    /// Checks the ruleset and compiles it to a program.
    #[must_use]
    pub fn compile(&self) -> Compilation {
        self.compile_with(&Extras::default())
    }

    /// Compiles a ruleset that an earlier version has accepted. Its `ui` is not checked again.
    #[must_use]
    pub fn compile_published(&self) -> Compilation {
        self.compile_with(&Extras { is_published: true, ..Extras::default() })
    }

    /// Compiles the ruleset together with rules from outside: a scenario's position and expectations.
    #[must_use]
    pub fn compile_with(&self, extras: &Extras<'_>) -> Compilation {
        let mut compiled = if self.merged.broken {
            // An incomplete ruleset would only cause follow-up errors.
            Compilation {
                program: None,
                expressions: Vec::new(),
                costs: Vec::new(),
                prompt_bounds: Vec::new(),
                index: None,
                diagnostics: Vec::new(),
            }
        } else {
            check::check(&self.merged, &self.sources, self.assets.as_ref(), extras)
        };
        compiled.diagnostics.extend(self.problems.iter().cloned());
        diagnostic::sort(&mut compiled.diagnostics);
        if compiled.has_errors() {
            compiled.program = None;
        }
        compiled
    }
}

/// Returns the files of the ruleset at `path`, sorted by name.
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

/// Reads the pictures of the ruleset at `path`, sorted by name.
///
/// # Errors
/// If a file cannot be read.
pub fn load_assets(path: &Path) -> std::io::Result<Vec<(String, Vec<u8>)>> {
    let folder = path.join("assets");
    let mut files = Vec::new();
    if !folder.is_dir() {
        return Ok(files);
    }
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if entry.path().is_file() && !name.starts_with('.') {
            files.push((format!("assets/{name}"), std::fs::read(entry.path())?));
        }
    }
    files.sort();
    Ok(files)
}

/// Reads the rules and pictures of a folder in the form in which they are published: path and text, SVG as it is and WebP as
/// Base64.
///
/// # Errors
/// If a file cannot be read.
pub fn publishable_files(folder: &Path) -> std::io::Result<Vec<(String, String)>> {
    let mut files = Vec::new();
    for path in ruleset_files(folder)? {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        files.push((name, std::fs::read_to_string(&path)?));
    }
    for (path, bytes) in load_assets(folder)? {
        if let Some(kind) = assets::AssetKind::of(&path) {
            let text = assets::to_text(kind, &bytes);
            files.push((path, text));
        }
    }
    Ok(files)
}
