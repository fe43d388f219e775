//! Blessing: rewrites listings with what happened, and nothing else in the file.
//!
//! Matching lines stay byte for byte, with their comments. A `...` keeps covering the same events.

use intermezzo_compiler::tree::{NodeValue, SourceNode};
use intermezzo_compiler::{SourceMap, Span};
use intermezzo_engine::Datum;

use crate::diff::{DiffLine, ListingDiff};
use crate::event_format::LoggedEvent;
use crate::scenario::EventListing;
use crate::values::{json, show};

/// Replacement of a range of a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct TextEdit {
    pub(crate) span: Span,
    pub(crate) text: String,
}

/// Applies edits to a text. They must not overlap.
pub(crate) fn apply(text: &str, mut edits: Vec<TextEdit>) -> String {
    edits.sort_by_key(|edit| (edit.span.start, edit.span.end));
    let mut blessed = String::with_capacity(text.len());
    let mut at = 0;
    for edit in &edits {
        blessed.push_str(&text[at..edit.span.start as usize]);
        blessed.push_str(&edit.text);
        at = edit.span.end as usize;
    }
    blessed.push_str(&text[at..]);
    blessed
}

/// Computes the edits that make a listing match the events.
pub(crate) fn edits(
    sources: &SourceMap,
    listing: &EventListing<'_>,
    comparison: &ListingDiff,
    events: &[LoggedEvent],
) -> Vec<TextEdit> {
    let file = listing.key.file;
    let is_json = sources.name(file).to_lowercase().ends_with(".json");
    let value_end = written_end(sources, listing.node);
    let blessing = ListingEditor { text: sources.text(file), is_json, listing, value_end, events };
    let has_lines = !listing.is_inline && blessing.has_dashes();
    match has_lines {
        true => blessing.line_by_line(comparison),
        false => blessing.replace_all(),
    }
}

/// Returns whether a value is written in brackets.
pub(crate) fn is_bracketed(sources: &SourceMap, node: &SourceNode) -> bool {
    let text = sources.text(node.span.file).as_bytes();
    matches!(text.get(node.span.start as usize), Some(b'[' | b'{'))
}

/// Returns the end of a value that is written out. An empty value has none, but `null` does.
pub(crate) fn written_end(sources: &SourceMap, node: &SourceNode) -> Option<u32> {
    let (start, end) = (node.span.start as usize, node.span.end as usize);
    let is_null = matches!(node.value, NodeValue::Null);
    let is_written = !is_null || &sources.text(node.span.file)[start..end] == "null";
    is_written.then_some(node.span.end)
}

/// Computes the edits that write a list of values after a key, in place of the value that ends at `end`: in
/// brackets, or line by line.
pub(crate) fn value(
    sources: &SourceMap,
    key: Span,
    end: Option<u32>,
    is_inline: bool,
    items: &[Datum],
) -> Vec<TextEdit> {
    let text = sources.text(key.file);
    let is_json = sources.name(key.file).to_lowercase().ends_with(".json");
    let colon = text[key.end as usize..].find(':').map_or(0, |colon| colon as u32 + 1);
    let span = Span::at(key.file, key.end + colon, end.unwrap_or(key.end + colon));
    let item = |item: &Datum| if is_json { json(item).to_string() } else { show(item) };
    let items: Vec<String> = items.iter().map(item).collect();
    if is_inline || items.is_empty() {
        return vec![TextEdit { span, text: format!(" [{}]", items.join(", ")) }];
    }
    let line_start = text[..key.start as usize].rfind('\n').map_or(0, |line_break| line_break + 1);
    let indent = " ".repeat(text[line_start..key.start as usize].chars().count() + 2);
    let line_break = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let lines: String = items.iter().map(|item| format!("{line_break}{indent}- {item}")).collect();
    // A comment after the value stays next to the key.
    let rest = &text[span.end as usize..];
    let line_end = span.end + rest.find(['\r', '\n']).unwrap_or(rest.len()) as u32;
    let after = Span::at(key.file, line_end, line_end);
    vec![TextEdit { span, text: String::new() }, TextEdit { span: after, text: lines }]
}

struct ListingEditor<'a> {
    text: &'a str,
    is_json: bool,
    listing: &'a EventListing<'a>,
    value_end: Option<u32>,
    events: &'a [LoggedEvent],
}

impl ListingEditor<'_> {
    fn edit(&self, start: usize, end: usize, text: impl Into<String>) -> TextEdit {
        TextEdit { span: Span::at(self.listing.key.file, start as u32, end as u32), text: text.into() }
    }

    /// Returns whether the events stand on lines of their own.
    fn has_dashes(&self) -> bool {
        let first = self.listing.patterns.first().map(|pattern| pattern.node.span.start as usize);
        first.is_some_and(|first| self.text[self.line_start(first)..first].trim_end().ends_with('-'))
    }

    /// Replaces a listing that is empty or in brackets.
    fn replace_all(&self) -> Vec<TextEdit> {
        let after_colon = self.after_colon();
        let value_end = self.value_end.map_or(after_colon, |end| end as usize);
        if self.listing.is_inline || self.events.is_empty() {
            let items: Vec<String> = self.events.iter().map(|event| self.in_brackets(event)).collect();
            return vec![self.edit(after_colon, value_end, format!(" [{}]", items.join(", ")))];
        }
        let key_column = self.column(self.listing.key.start as usize);
        let indent = " ".repeat(key_column + 2);
        let lines: String = self.events.iter().map(|event| self.new_line(&indent, event)).collect();
        let line_end = self.line_end(value_end);
        // A comment after the value stays next to the key.
        vec![self.edit(after_colon, value_end, ""), self.edit(line_end, line_end, lines)]
    }

    /// Changes only the lines that differ.
    fn line_by_line(&self, comparison: &ListingDiff) -> Vec<TextEdit> {
        let mut edits = Vec::new();
        let mut gap = DiffGap::default();
        for line in &comparison.lines {
            match line {
                DiffLine::Missing(pattern) => gap.missing.push(*pattern),
                DiffLine::Extra(event) => gap.extra.push(*event),
                DiffLine::Same(pattern, _) | DiffLine::Rest(pattern, _) | DiffLine::Alike(pattern, _) => {
                    self.close(&gap, &mut edits);
                    if let DiffLine::Alike(pattern, event) = line {
                        edits.push(self.replacement(*pattern, *event));
                    }
                    gap = DiffGap { after: Some(*pattern), ..DiffGap::default() };
                }
            }
        }
        self.close(&gap, &mut edits);
        let is_gone = |pattern| comparison.lines.contains(&DiffLine::Missing(pattern));
        if self.events.is_empty() && (0..self.listing.patterns.len()).all(is_gone) {
            let after_colon = self.after_colon();
            edits.push(self.edit(after_colon, after_colon, " []"));
        }
        edits
    }

    /// Replaces missing lines by extra events while both remain, then removes or inserts the rest.
    fn close(&self, gap: &DiffGap, edits: &mut Vec<TextEdit>) {
        let both = gap.missing.len().min(gap.extra.len());
        let pairs = gap.missing.iter().zip(&gap.extra);
        edits.extend(pairs.map(|(pattern, event)| self.replacement(*pattern, *event)));
        edits.extend(gap.missing[both..].iter().map(|pattern| self.removal(*pattern)));
        let inserted = &gap.extra[both..];
        if inserted.is_empty() {
            return;
        }
        let indent = " ".repeat(self.column(self.dash(0)));
        let lines: String =
            inserted.iter().map(|event| self.new_line(&indent, &self.events[*event])).collect();
        match gap.missing.last().copied().or(gap.after) {
            Some(pattern) => {
                let line_end = self.line_end(self.item(pattern).1);
                edits.push(self.edit(line_end, line_end, lines));
            }
            None => {
                let line_start = self.line_start(self.dash(0));
                let lines = lines.trim_start_matches(['\r', '\n']).to_owned() + self.line_break();
                edits.push(self.edit(line_start, line_start, lines));
            }
        }
    }

    fn replacement(&self, pattern: usize, event: usize) -> TextEdit {
        let (start, end) = self.item(pattern);
        self.edit(start, end, self.events[event].show())
    }

    /// Removes a line but keeps its comment.
    fn removal(&self, pattern: usize) -> TextEdit {
        let (dash, end) = (self.dash(pattern), self.item(pattern).1);
        let line_end = self.line_end(end);
        let rest = &self.text[end..line_end];
        if rest.contains('#') {
            return self.edit(dash, end + rest.len() - rest.trim_start().len(), "");
        }
        let next_line = self.text[line_end..].find('\n').map_or(self.text.len(), |at| line_end + at + 1);
        self.edit(self.line_start(dash), next_line, "")
    }

    /// Formats an event as an item of a list in brackets.
    fn in_brackets(&self, event: &LoggedEvent) -> String {
        match event.show() {
            _ if self.is_json => event.to_json().to_string(),
            line if line.contains(": ") => format!("{{{line}}}"),
            line => line,
        }
    }

    fn new_line(&self, indent: &str, event: &LoggedEvent) -> String {
        format!("{}{indent}- {}", self.line_break(), event.show())
    }

    fn item(&self, pattern: usize) -> (usize, usize) {
        let span = self.listing.patterns[pattern].node.span;
        (span.start as usize, span.end as usize)
    }

    fn dash(&self, pattern: usize) -> usize {
        let start = self.item(pattern).0;
        self.text[..start].rfind('-').unwrap_or(start)
    }

    fn after_colon(&self) -> usize {
        let end = self.listing.key.end as usize;
        end + self.text[end..].find(':').map_or(0, |colon| colon + 1)
    }

    fn line_start(&self, at: usize) -> usize {
        self.text[..at].rfind('\n').map_or(0, |line_break| line_break + 1)
    }

    fn line_end(&self, at: usize) -> usize {
        let end = self.text[at..].find('\n').map_or(self.text.len(), |line_break| at + line_break);
        if self.text[..end].ends_with('\r') && end > at { end - 1 } else { end }
    }

    fn column(&self, at: usize) -> usize {
        self.text[self.line_start(at)..at].chars().count()
    }

    fn line_break(&self) -> &'static str {
        if self.text.contains("\r\n") { "\r\n" } else { "\n" }
    }
}

/// Unmatched lines between two matched ones.
#[derive(Default)]
struct DiffGap {
    /// Pattern before the gap.
    after: Option<usize>,
    missing: Vec<usize>,
    extra: Vec<usize>,
}
