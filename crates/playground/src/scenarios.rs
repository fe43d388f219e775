//! Scenarios of a ruleset: listing, running, and recording of played matches.

use intermezzo_compiler::to_json;
use intermezzo_scenario::{ScenarioRecording, Suite, write_scenario};

pub use intermezzo_scenario::{PlayedScenario, ScenarioFailure};
use serde_json::Value;

use crate::diagnostics::with_positions;
use crate::files::FileTexts;
use crate::playground_match::PlaygroundMatch;

/// Result of running scenarios.
#[derive(Clone, Debug)]
pub struct ScenarioRun {
    /// All scenarios that ran.
    pub played: Vec<PlayedScenario>,
    /// Failed scenarios.
    pub failed: Vec<ScenarioFailure>,
    /// Errors in the files, each with `file`, `start` and `end`.
    pub diagnostics: Vec<Value>,
}

/// Recorded scenario.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ScenarioText {
    /// Full text of its file.
    pub text: String,
    /// Line it starts at, counted from 1.
    pub line: u32,
}

fn suite(texts: &FileTexts) -> Suite {
    let files: Vec<(String, Vec<u8>)> =
        texts.iter().map(|(path, text)| (path.clone(), text.clone().into_bytes())).collect();
    Suite::from_files(&files)
}

/// Lists all scenarios: name, file and line.
#[must_use]
pub fn list(texts: &FileTexts) -> Vec<(String, String, u32)> {
    suite(texts).list()
}

/// Runs the scenario with that name, or without a name those whose name or file contains `filter`.
#[must_use]
pub fn run(texts: &FileTexts, name: Option<&str>, filter: Option<&str>) -> ScenarioRun {
    let mut suite = suite(texts);
    let report = match name {
        Some(name) => suite.run_one(name),
        None => suite.run(filter, false),
    };
    let diagnostics = with_positions(&to_json(&report.diagnostics, suite.sources()));
    ScenarioRun { played: report.played, failed: report.failed, diagnostics }
}

/// Appends the played match to a file as a scenario with blessed listings.
///
/// # Errors
///
/// Returns an error if the name is taken, the scenario fails, or the file cannot be extended.
pub fn record(
    texts: &FileTexts,
    game: &PlaygroundMatch,
    file: &str,
    name: &str,
    ignore: &[String],
) -> Result<ScenarioText, String> {
    if list(texts).iter().any(|(known, _, _)| known == name) {
        return Err(format!("a scenario `{name}` already exists"));
    }
    let setup = game.setup();
    let recording =
        ScenarioRecording { name, seed: game.start_options().seed, setup: &setup, inputs: game.inputs() };
    let item = write_scenario(game.program(), &recording)?;
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
        let why = mistake.or(failure).unwrap_or_else(|| "`scenarios` is not its last key".to_owned());
        return Err(format!("cannot add the scenario to `{file}`: {why}"));
    };
    texts.insert(file.to_owned(), text.clone());
    let ran = run(&texts, Some(name), None);
    if let Some(failure) = ran.failed.first() {
        return Err(format!("the match cannot be written as a scenario: {}", failure.message));
    }
    let line = list(&texts).into_iter().find(|(known, _, _)| known == name).map_or(1, |(_, _, line)| line);
    Ok(ScenarioText { text, line })
}

fn new_file(ignore: &[String]) -> String {
    let ignore = match ignore {
        [] => String::new(),
        events => format!("ignore: [{}]\n\n", events.join(", ")),
    };
    format!("{ignore}scenarios:\n")
}
