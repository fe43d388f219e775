//! Writing match files: one line for each event, so that people and `diff` can read them.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::file::{Branch, Entry, MatchFile, SavedEvent};

impl MatchFile {
    /// Saves the match at `path`: afterwards the file is whole, or as it was before.
    ///
    /// # Errors
    ///
    /// If the file cannot be written.
    pub fn write(&self, path: &Path) -> io::Result<()> {
        let beside = beside(path);
        let written =
            write_new(&beside, self.to_text().as_bytes()).and_then(|()| std::fs::rename(&beside, path));
        if written.is_err() {
            // What could not be made into the match file is of no use to anyone.
            let _ = std::fs::remove_file(&beside);
        }
        written
    }

    /// The file as text.
    #[must_use]
    pub fn to_text(&self) -> String {
        let mut text = Text(String::from("{\n"));
        text.entry(1, "format", &self.format);
        text.entry(1, "ruleset", &self.ruleset);
        text.entry(1, "seats", &self.seats);
        text.entry(1, "options", &self.options);
        text.entry(1, "seed", &self.seed);
        if let Some(script) = &self.script {
            text.entry(1, "script", script);
        }
        text.line(1, "\"start\": {");
        text.events(2, &self.start.events);
        text.entry(2, "state", &self.start.state);
        text.last_entry(2, "chain", &self.start.chain);
        text.line(1, "},");
        text.inputs(1, &self.inputs, ",");
        if !self.branches.is_empty() {
            text.branches(&self.branches);
        }
        text.last_entry(1, "ending", &self.ending);
        text.line(0, "}");
        text.0
    }
}

/// Written beside its final place and moved there, so that a crash leaves no half file.
fn beside(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".part");
    path.with_file_name(name)
}

fn write_new(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = std::fs::File::create(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}

/// JSON with line breaks where they help.
struct Text(String);

impl Text {
    fn line(&mut self, depth: usize, text: &str) {
        self.0.push_str(&"  ".repeat(depth));
        self.0.push_str(text);
        self.0.push('\n');
    }

    fn entry(&mut self, depth: usize, key: &str, value: &impl Serialize) {
        self.line(depth, &format!("\"{key}\": {},", json(value)));
    }

    fn last_entry(&mut self, depth: usize, key: &str, value: &impl Serialize) {
        self.line(depth, &format!("\"{key}\": {}", json(value)));
    }

    fn events(&mut self, depth: usize, events: &[SavedEvent]) {
        if events.is_empty() {
            return self.line(depth, "\"events\": [],");
        }
        self.line(depth, "\"events\": [");
        for (place, event) in events.iter().enumerate() {
            let comma = if place + 1 < events.len() { "," } else { "" };
            self.line(depth + 1, &format!("{}{comma}", json(event)));
        }
        self.line(depth, "],");
    }

    fn inputs(&mut self, depth: usize, inputs: &[Entry], after: &str) {
        self.line(depth, "\"inputs\": [");
        for (place, entry) in inputs.iter().enumerate() {
            self.line(depth + 1, "{");
            self.entry(depth + 2, "number", &entry.number);
            self.entry(depth + 2, "input", &entry.input);
            self.events(depth + 2, &entry.events);
            self.entry(depth + 2, "state", &entry.state);
            self.last_entry(depth + 2, "chain", &entry.chain);
            self.line(depth + 1, if place + 1 < inputs.len() { "}," } else { "}" });
        }
        self.line(depth, &format!("]{after}"));
    }

    fn branches(&mut self, branches: &[Branch]) {
        self.line(1, "\"branches\": [");
        for (place, branch) in branches.iter().enumerate() {
            self.line(2, "{");
            if let Some(parent) = &branch.parent {
                self.entry(3, "parent", parent);
            }
            self.entry(3, "from", &branch.from);
            self.entry(3, "by", &branch.by);
            if !branch.agreed.is_empty() {
                self.entry(3, "agreed", &branch.agreed);
            }
            self.inputs(3, &branch.inputs, "");
            self.line(2, if place + 1 < branches.len() { "}," } else { "}" });
        }
        self.line(1, "],");
    }
}

fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("a match file has only text keys and finite numbers")
}
