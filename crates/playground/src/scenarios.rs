//! The scenarios of a ruleset: listed, run, and written from what was played.

use intermezzo_compiler::to_json;
use intermezzo_scenario::{Recording, Suite, write};

pub use intermezzo_scenario::{Failure, Played};
use serde_json::Value;

use crate::checking::placed;
use crate::files::Texts;
use crate::table::Table;

/// What came of running scenarios.
#[derive(Clone, Debug)]
pub struct Run {
    /// All that were played.
    pub played: Vec<Played>,
    /// Those that did not do as written.
    pub failed: Vec<Failure>,
    /// Mistakes in the files, each with `file`, `start` and `end`.
    pub diagnostics: Vec<Value>,
}

/// A scenario that was written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Written {
    /// The whole text of its file.
    pub text: String,
    /// The line it begins in, counted from 1.
    pub line: u32,
}

fn suite(texts: &Texts) -> Suite {
    let files: Vec<(String, Vec<u8>)> =
        texts.iter().map(|(path, text)| (path.clone(), text.clone().into_bytes())).collect();
    Suite::from_files(&files)
}

/// All scenarios: name, file and line.
#[must_use]
pub fn list(texts: &Texts) -> Vec<(String, String, u32)> {
    suite(texts).list()
}

/// Runs the scenario of that name; without a name, those whose name or file contains `filter`.
#[must_use]
pub fn run(texts: &Texts, name: Option<&str>, filter: Option<&str>) -> Run {
    let mut suite = suite(texts);
    let report = match name {
        Some(name) => suite.run_one(name),
        None => suite.run(filter, false),
    };
    let diagnostics = placed(&to_json(&report.diagnostics, suite.sources()));
    Run { played: report.played, failed: report.failed, diagnostics }
}

/// Writes what was played as a scenario at the end of a file, its listings filled in with what happens.
///
/// # Errors
///
/// If the name is taken, the scenario would not do as written, or the file cannot take one more.
pub fn record(
    texts: &Texts,
    table: &Table,
    file: &str,
    name: &str,
    ignore: &[String],
) -> Result<Written, String> {
    if list(texts).iter().any(|(known, _, _)| known == name) {
        return Err(format!("there is already a scenario `{name}`"));
    }
    let setup = table.setup();
    let recording = Recording { name, seed: table.beginning().seed, setup: &setup, inputs: table.inputs() };
    let item = write(table.program(), &recording)?;
    let mut texts = texts.clone();
    let text = match texts.get(file) {
        Some(text) if text.trim_end().is_empty() => new_file(ignore) + &item,
        Some(text) => format!("{}\n\n{item}", text.trim_end()),
        None => new_file(ignore) + &item,
    };
    texts.insert(file.to_owned(), text);
    let suite = suite(&texts);
    let Some((_, text)) = suite.blessed(name) else {
        let report = suite.run_one(name);
        let mistake = report.diagnostics.first().map(|mistake| mistake.message.clone());
        let failure = report.failed.first().map(|failure| failure.message.clone());
        let why =
            mistake.or(failure).unwrap_or_else(|| "its scenarios are not the last thing in it".to_owned());
        return Err(format!("`{file}` cannot take the scenario: {why}"));
    };
    texts.insert(file.to_owned(), text.clone());
    let ran = run(&texts, Some(name), None);
    if let Some(failure) = ran.failed.first() {
        return Err(format!("what was played cannot be written as a scenario: {}", failure.message));
    }
    let line = list(&texts).into_iter().find(|(known, _, _)| known == name).map_or(1, |(_, _, line)| line);
    Ok(Written { text, line })
}

fn new_file(ignore: &[String]) -> String {
    let ignore = match ignore {
        [] => String::new(),
        events => format!("ignore: [{}]\n\n", events.join(", ")),
    };
    format!("{ignore}scenarios:\n")
}
