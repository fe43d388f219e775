//! Positions of the protocol, which counts lines from 0 and columns in UTF-16 units, and of the compiler, which counts bytes.

use intermezzo_compiler::{SourceMap, Span};
use serde_json::{Value, json};

/// The first bytes of the lines of a text.
pub(crate) struct LineStarts(Vec<usize>);

impl LineStarts {
    pub(crate) fn of(text: &str) -> LineStarts {
        LineStarts(std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect())
    }

    /// Returns the line of a byte offset, counted from 0.
    pub(crate) fn line(&self, offset: usize) -> usize {
        self.0.partition_point(|start| *start <= offset) - 1
    }

    /// Returns the line and the column of a byte offset.
    pub(crate) fn position(&self, text: &str, offset: usize) -> (usize, usize) {
        let line = self.line(offset);
        (line, text[self.0[line]..offset].chars().map(char::len_utf16).sum())
    }
}

/// Returns the byte offset of a position.
pub(crate) fn offset(text: &str, position: &Value) -> usize {
    let line = position["line"].as_u64().unwrap_or_default() as usize;
    let column = position["character"].as_u64().unwrap_or_default() as usize;
    let start: usize = text.split_inclusive('\n').take(line).map(str::len).sum();
    let content = text[start..].split('\n').next().unwrap_or_default();
    let mut units = 0;
    for (at, letter) in content.char_indices() {
        if units >= column {
            return start + at;
        }
        units += letter.len_utf16();
    }
    start + content.len()
}

/// Returns the position of a byte offset.
pub(crate) fn position(text: &str, offset: usize) -> Value {
    let offset = text.floor_char_boundary(offset.min(text.len()));
    let line = text[..offset].matches('\n').count();
    let start = text[..offset].rfind('\n').map_or(0, |at| at + 1);
    let column: usize = text[start..offset].chars().map(char::len_utf16).sum();
    json!({"line": line, "character": column})
}

/// Returns the range of a span.
pub(crate) fn range(sources: &SourceMap, span: Span) -> Value {
    let text = sources.text(span.file);
    json!({"start": position(text, span.start as usize), "end": position(text, span.end as usize)})
}
