//! One tree for YAML and JSON files, in which everything knows its place.
//!
//! Start at [`parse`]. People write a strict subset of YAML; tools write JSON;
//! nothing after this module can tell which it was.

mod build;
mod json;
mod places;
mod plain;
mod text;
mod yaml;
mod yaml_problem;

pub use text::Text;

use crate::diagnostic::Diagnostic;
use crate::source::{FileId, MAX_FILE_BYTES, SourceMap, Span, too_large};

/// How deep lists and objects may nest.
pub const MAX_DEPTH: usize = 64;
/// How many values one file may hold.
pub const MAX_NODES: usize = 200_000;
/// The longest single text, in bytes.
pub const MAX_TEXT_BYTES: usize = 64 * 1024;
/// After this many problems in one file, reading stops.
pub const MAX_PROBLEMS: usize = 100;

/// A value and where it stands.
#[derive(Clone, Debug)]
pub struct Node {
    /// All of it, quotes and brackets included.
    pub span: Span,
    /// What it is.
    pub value: Value,
}

/// What can stand in a ruleset file.
#[derive(Clone, Debug)]
pub enum Value {
    /// `null`, or nothing at all after a key.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A whole number. There are no others.
    Int(i64),
    /// Anything else that is one word or one string.
    Text(Text),
    /// Values in order.
    List(Vec<Node>),
    /// Keys and values in the order they were written, each key once.
    Map(Vec<Entry>),
}

/// A key and its value.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The key. Numbers and `true` become the text they were written as.
    pub key: Text,
    /// What it stands for.
    pub value: Node,
}

impl Node {
    /// The value under `key`, if this is an object that has it.
    pub fn get(&self, key: &str) -> Option<&Node> {
        self.entry(key).map(|entry| &entry.value)
    }

    /// The entry under `key`, if this is an object that has it.
    pub fn entry(&self, key: &str) -> Option<&Entry> {
        self.as_map()?.iter().find(|entry| entry.key.value == key)
    }

    /// The text, if this is one.
    pub fn as_text(&self) -> Option<&Text> {
        match &self.value {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The number, if this is one.
    pub fn as_int(&self) -> Option<i64> {
        match self.value {
            Value::Int(number) => Some(number),
            _ => None,
        }
    }

    /// The truth value, if this is one.
    pub fn as_bool(&self) -> Option<bool> {
        match self.value {
            Value::Bool(flag) => Some(flag),
            _ => None,
        }
    }

    /// The values, if this is a list.
    pub fn as_list(&self) -> Option<&[Node]> {
        match &self.value {
            Value::List(nodes) => Some(nodes),
            _ => None,
        }
    }

    /// The entries, if this is an object.
    pub fn as_map(&self) -> Option<&[Entry]> {
        match &self.value {
            Value::Map(entries) => Some(entries),
            _ => None,
        }
    }

    /// What to call it in a message: `a list`, `text` and so on.
    pub fn kind_name(&self) -> &'static str {
        match &self.value {
            Value::Null => "nothing",
            Value::Bool(_) => "true or false",
            Value::Int(_) => "a number",
            Value::Text(_) => "text",
            Value::List(_) => "a list",
            Value::Map(_) => "an object",
        }
    }

    /// The same value without places.
    pub fn to_json(&self) -> serde_json::Value {
        match &self.value {
            Value::Null => serde_json::Value::Null,
            Value::Bool(flag) => (*flag).into(),
            Value::Int(number) => (*number).into(),
            Value::Text(text) => text.as_str().into(),
            Value::List(nodes) => nodes.iter().map(Node::to_json).collect(),
            Value::Map(entries) => entries
                .iter()
                .map(|entry| (entry.key.value.clone(), entry.value.to_json()))
                .collect::<serde_json::Map<_, _>>()
                .into(),
        }
    }
}

/// Reads a file of the source map: JSON if its name ends in `.json`, YAML
/// otherwise.
///
/// Problems go to `out`. A tree may come back in spite of them, so that more
/// can be checked at once; where something could not be read it holds a
/// harmless stand-in. Without a tree, nothing sensible could be read.
pub fn parse(file: FileId, sources: &SourceMap, out: &mut Vec<Diagnostic>) -> Option<Node> {
    let text = sources.text(file);
    if text.len() > MAX_FILE_BYTES {
        out.push(too_large(file, text.len()));
        return None;
    }
    if let Some(problem) = control_character(file, text) {
        out.push(problem);
        return None;
    }
    if has_json_name(sources.name(file)) {
        json::parse(file, text, out)
    } else {
        yaml::parse(file, text, out)
    }
}

fn has_json_name(name: &str) -> bool {
    name.rsplit_once('.').is_some_and(|(_, extension)| extension.eq_ignore_ascii_case("json"))
}

/// Characters that no editor shows are refused before anything reads them: a
/// NUL would silently end the file, a lone `\r` would hide text in a terminal.
fn control_character(file: FileId, text: &str) -> Option<Diagnostic> {
    let bytes = text.as_bytes();
    let index = (0..bytes.len()).find(|&index| match bytes[index] {
        b'\t' | b'\n' => false,
        b'\r' => bytes.get(index + 1) != Some(&b'\n'),
        byte => byte < b' ' || byte == 0x7F,
    })?;
    let span = Span::at(file, index as u32, index as u32 + 1);
    Some(if bytes[index] == b'\r' {
        Diagnostic::error("E-YAML", span, "a carriage return stands without a line feed")
            .hint("save the file with ordinary line ends")
    } else {
        let message = format!("the invisible character U+{:04X} is not allowed", bytes[index]);
        Diagnostic::error("E-YAML", span, message)
            .hint("remove it, or write it as an escape in double quotes")
    })
}
