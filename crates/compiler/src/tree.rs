//! Syntax tree of YAML and JSON files, with positions.
//!
//! Start at [`parse`]. People write a strict subset of YAML, tools write JSON. The rest of the compiler does
//! not distinguish them.

mod builder;
mod json;
mod plain_scalar;
mod scalar_spans;
mod text;
mod yaml;
mod yaml_problem;

pub use text::SourceText;

use crate::diagnostic::Diagnostic;
use crate::source::{FileId, MAX_FILE_BYTES, SourceMap, Span, too_large};

/// Maximum nesting depth of lists and objects.
pub const MAX_DEPTH: usize = 64;
/// Maximum number of values in a file.
pub const MAX_NODES: usize = 200_000;
/// Maximum length of a single text, in bytes.
pub const MAX_TEXT_BYTES: usize = 64 * 1024;
/// Maximum number of problems in a file. Parsing stops after that.
pub const MAX_PROBLEMS: usize = 100;

/// A value with its position.
#[derive(Clone, Debug)]
pub struct SourceNode {
    /// The whole value, including quotes and brackets.
    pub span: Span,
    pub value: NodeValue,
}

/// A value in a ruleset file.
#[derive(Clone, Debug)]
pub enum NodeValue {
    /// `null`, or a key without a value.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A whole number. Fractions are not supported.
    Int(i64),
    /// Any other word or string.
    Text(SourceText),
    List(Vec<SourceNode>),
    /// Keys and values in source order. Each key occurs once.
    Map(Vec<MapEntry>),
}

#[derive(Clone, Debug)]
pub struct MapEntry {
    /// The key. Numbers and booleans are kept as text.
    pub key: SourceText,
    pub value: SourceNode,
}

impl SourceNode {
    /// Returns the value under `key`, if this is an object that contains it.
    pub fn get(&self, key: &str) -> Option<&SourceNode> {
        self.entry(key).map(|entry| &entry.value)
    }

    /// Returns the entry under `key`, if this is an object that contains it.
    pub fn entry(&self, key: &str) -> Option<&MapEntry> {
        self.as_map()?.iter().find(|entry| entry.key.value == key)
    }

    pub fn as_text(&self) -> Option<&SourceText> {
        match &self.value {
            NodeValue::Text(text) => Some(text),
            _ => None,
        }
    }

    pub fn as_int(&self) -> Option<i64> {
        match self.value {
            NodeValue::Int(number) => Some(number),
            _ => None,
        }
    }

    pub fn as_bool(&self) -> Option<bool> {
        match self.value {
            NodeValue::Bool(flag) => Some(flag),
            _ => None,
        }
    }

    pub fn as_list(&self) -> Option<&[SourceNode]> {
        match &self.value {
            NodeValue::List(nodes) => Some(nodes),
            _ => None,
        }
    }

    pub fn as_map(&self) -> Option<&[MapEntry]> {
        match &self.value {
            NodeValue::Map(entries) => Some(entries),
            _ => None,
        }
    }

    /// Returns the kind of value for messages, such as `a list` or `text`.
    pub fn kind_name(&self) -> &'static str {
        match &self.value {
            NodeValue::Null => "nothing",
            NodeValue::Bool(_) => "true or false",
            NodeValue::Int(_) => "a number",
            NodeValue::Text(_) => "text",
            NodeValue::List(_) => "a list",
            NodeValue::Map(_) => "an object",
        }
    }

    /// Returns the value without positions.
    pub fn to_json(&self) -> serde_json::Value {
        match &self.value {
            NodeValue::Null => serde_json::Value::Null,
            NodeValue::Bool(flag) => (*flag).into(),
            NodeValue::Int(number) => (*number).into(),
            NodeValue::Text(text) => text.as_str().into(),
            NodeValue::List(nodes) => nodes.iter().map(SourceNode::to_json).collect(),
            NodeValue::Map(entries) => entries
                .iter()
                .map(|entry| (entry.key.value.clone(), entry.value.to_json()))
                .collect::<serde_json::Map<_, _>>()
                .into(),
        }
    }
}

/// Parses a file of the source map: JSON if its name ends in `.json`, YAML otherwise.
///
/// Problems are added to `out`. A tree may be returned in spite of them, so that more can be checked at once;
/// a value that could not be read is then replaced by a harmless one. `None` means that nothing could be
/// read.
pub fn parse(file: FileId, sources: &SourceMap, out: &mut Vec<Diagnostic>) -> Option<SourceNode> {
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

/// Returns the diagnostic for the first control character. They are rejected before anything else reads the
/// text: a NUL would silently end the file, and a lone `\r` would hide text in a terminal.
fn control_character(file: FileId, text: &str) -> Option<Diagnostic> {
    let bytes = text.as_bytes();
    let index = (0..bytes.len()).find(|&index| match bytes[index] {
        b'\t' | b'\n' => false,
        b'\r' => bytes.get(index + 1) != Some(&b'\n'),
        byte => byte < b' ' || byte == 0x7F,
    })?;
    let span = Span::at(file, index as u32, index as u32 + 1);
    Some(if bytes[index] == b'\r' {
        Diagnostic::error("E-YAML", span, "a carriage return without a line feed is not allowed")
            .hint("save the file with normal line endings")
    } else {
        let message = format!("the invisible character U+{:04X} is not allowed", bytes[index]);
        Diagnostic::error("E-YAML", span, message)
            .hint("remove it, or write it as an escape in double quotes")
    })
}
