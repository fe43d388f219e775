//! Writes match files with one line per event, so that people and `diff` can read them.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::file::{InputRecord, MatchFile, SavedEvent, UndoBranch};

impl MatchFile {
    /// Writes the match to `path` atomically: afterwards the file is complete, or unchanged.
    ///
    /// # Errors
    ///
    /// If the file cannot be written.
    pub fn write(&self, path: &Path) -> io::Result<()> {
        let beside = temporary_path(path);
        let written =
            write_new(&beside, self.to_text().as_bytes()).and_then(|()| std::fs::rename(&beside, path));
        if written.is_err() {
            // An incomplete file is useless.
            let _ = std::fs::remove_file(&beside);
        }
        written
    }

    /// Returns the canonical text of the file.
    #[must_use]
    pub fn to_text(&self) -> String {
        let mut text = MatchFileWriter(String::from("{\n"));
        text.field(1, "format", &self.format);
        text.field(1, "ruleset", &self.ruleset);
        text.field(1, "seats", &self.seats);
        text.field(1, "options", &self.options);
        text.field(1, "seed", &self.seed);
        if let Some(script) = &self.script {
            text.field(1, "script", script);
        }
        text.line(1, "\"start\": {");
        text.events(2, &self.start.events);
        text.field(2, "state", &self.start.state);
        text.last_field(2, "chain", &self.start.chain);
        text.line(1, "},");
        text.inputs(1, &self.inputs, ",");
        if !self.branches.is_empty() {
            text.branches(&self.branches);
        }
        text.last_field(1, "ending", &self.ending);
        text.line(0, "}");
        text.0
    }
}

/// Returns the temporary path next to `path`. Writing there and renaming leaves no partial file after a crash.
fn temporary_path(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".part");
    path.with_file_name(name)
}

fn write_new(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = std::fs::File::create(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}

/// A JSON writer with line breaks where they help.
struct MatchFileWriter(String);

impl MatchFileWriter {
    fn line(&mut self, depth: usize, text: &str) {
        self.0.push_str(&"  ".repeat(depth));
        self.0.push_str(text);
        self.0.push('\n');
    }

    fn field(&mut self, depth: usize, key: &str, value: &impl Serialize) {
        self.line(depth, &format!("\"{key}\": {},", json(value)));
    }

    fn last_field(&mut self, depth: usize, key: &str, value: &impl Serialize) {
        self.line(depth, &format!("\"{key}\": {}", json(value)));
    }

    fn events(&mut self, depth: usize, events: &[SavedEvent]) {
        if events.is_empty() {
            return self.line(depth, "\"events\": [],");
        }
        self.line(depth, "\"events\": [");
        for (index, event) in events.iter().enumerate() {
            let comma = if index + 1 < events.len() { "," } else { "" };
            self.line(depth + 1, &format!("{}{comma}", json(event)));
        }
        self.line(depth, "],");
    }

    fn inputs(&mut self, depth: usize, inputs: &[InputRecord], after: &str) {
        self.line(depth, "\"inputs\": [");
        for (index, entry) in inputs.iter().enumerate() {
            self.line(depth + 1, "{");
            self.field(depth + 2, "number", &entry.number);
            self.field(depth + 2, "input", &entry.input);
            self.events(depth + 2, &entry.events);
            self.field(depth + 2, "state", &entry.state);
            self.last_field(depth + 2, "chain", &entry.chain);
            self.line(depth + 1, if index + 1 < inputs.len() { "}," } else { "}" });
        }
        self.line(depth, &format!("]{after}"));
    }

    fn branches(&mut self, branches: &[UndoBranch]) {
        self.line(1, "\"branches\": [");
        for (index, branch) in branches.iter().enumerate() {
            self.line(2, "{");
            if let Some(parent) = &branch.parent {
                self.field(3, "parent", parent);
            }
            self.field(3, "from", &branch.from);
            self.field(3, "by", &branch.by);
            if !branch.agreed.is_empty() {
                self.field(3, "agreed", &branch.agreed);
            }
            self.inputs(3, &branch.inputs, "");
            self.line(2, if index + 1 < branches.len() { "}," } else { "}" });
        }
        self.line(1, "],");
    }
}

fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("a match file has only text keys and finite numbers")
}
