//! Plays the scenarios of open files in the background and reports what fails.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::Path;
use std::sync::mpsc::{Receiver, Sender, channel};

use intermezzo_compiler::{Diagnostic, Severity};
use intermezzo_scenario::Suite;
use serde_json::{Value, json};

use crate::positions::{position, range};

/// A scenario file to check, with the texts of the whole ruleset.
pub(crate) struct ScenarioJob {
    pub(crate) uri: String,
    /// Its name relative to the folder of the ruleset.
    pub(crate) name: String,
    pub(crate) files: Vec<(String, Vec<u8>)>,
    pub(crate) assets: Vec<(String, Vec<u8>)>,
}

/// Starts the thread that checks scenarios. `publish` receives the diagnostics of each file.
pub(crate) fn start(publish: impl Fn(String, Value) + Send + 'static) -> Sender<ScenarioJob> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || run(&receiver, &publish));
    sender
}

fn run(jobs: &Receiver<ScenarioJob>, publish: &dyn Fn(String, Value)) {
    // Only the latest text of each file counts.
    let mut waiting: BTreeMap<String, ScenarioJob> = BTreeMap::new();
    while let Ok(job) = jobs.recv() {
        waiting.insert(job.uri.clone(), job);
        loop {
            for newer in jobs.try_iter() {
                waiting.insert(newer.uri.clone(), newer);
            }
            let Some((uri, job)) = waiting.pop_first() else { break };
            publish(uri, Value::Array(check(&job)));
        }
    }
}

/// Returns the diagnostics of a scenario file: its mistakes, and the scenarios that fail.
fn check(job: &ScenarioJob) -> Vec<Value> {
    let mut suite = Suite::from_files(&job.files).with_assets(&job.assets);
    // A filter is compared with names of files, not with folders.
    let file = Path::new(&job.name).file_name().and_then(OsStr::to_str);
    let report = suite.run(file, false);
    let sources = suite.sources();
    let is_here = |diagnostic: &&Diagnostic| sources.name(diagnostic.span.file) == job.name;
    let severity = |severity| match severity {
        Severity::Error => 1,
        Severity::Warning => 2,
        Severity::Note => 3,
    };
    let mistake = |diagnostic: &Diagnostic| {
        let lines = std::iter::once(diagnostic.message.clone())
            .chain(diagnostic.hints.iter().map(|hint| format!("help: {hint}")));
        json!({
            "range": range(sources, diagnostic.span),
            "severity": severity(diagnostic.severity),
            "code": diagnostic.code,
            "source": "intermezzo",
            "message": lines.collect::<Vec<_>>().join("\n"),
        })
    };
    let mut found: Vec<Value> = report.diagnostics.iter().filter(is_here).map(mistake).collect();
    let others = report.diagnostics.iter().filter(|diagnostic| !is_here(diagnostic));
    if others.filter(|diagnostic| diagnostic.severity == Severity::Error).count() > 0 && found.is_empty() {
        found.push(json!({
            "range": {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 1}},
            "severity": 3,
            "source": "intermezzo",
            "message": "the rules have errors, so the scenarios are not played",
        }));
    }
    let text = job.files.iter().find(|(name, _)| *name == job.name);
    let text = text.map(|(_, text)| String::from_utf8_lossy(text).into_owned()).unwrap_or_default();
    let failures = report.failed.iter().filter(|failure| is_same_file(&failure.file, &job.name));
    found.extend(failures.map(|failure| {
        json!({
            "range": line_range(&text, failure.line),
            "severity": 1,
            "code": "scenario",
            "source": "intermezzo",
            "message": format!("{}\n{}", failure.name, failure.message),
        })
    }));
    found
}

fn is_same_file(one: &str, other: &str) -> bool {
    Path::new(one) == Path::new(other)
}

/// Returns the range of the content of a line, counted from 1.
fn line_range(text: &str, line: u32) -> Value {
    let start: usize = text.split_inclusive('\n').take(line.saturating_sub(1) as usize).map(str::len).sum();
    let content = text[start..].lines().next().unwrap_or_default();
    let begin = start + content.len() - content.trim_start().len();
    json!({"start": position(text, begin), "end": position(text, start + content.trim_end().len())})
}
