//! Rewriting listings of events with what happened, and nothing else in the file.
//!
//! Lines that still hold stay byte for byte, with their comments; `...` goes on
//! standing for what it stood for.

use intermezzo_compiler::tree::{Node, Value};
use intermezzo_compiler::{SourceMap, Span};
use intermezzo_engine::Datum;

use crate::align::{Comparison, Line};
use crate::happened::Happened;
use crate::scenario::Listing;
use crate::values::{json, show};

/// A range of a file and what to put there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Edit {
    pub(crate) span: Span,
    pub(crate) text: String,
}

/// A text with the edits made, which must not overlap.
pub(crate) fn apply(text: &str, mut edits: Vec<Edit>) -> String {
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

/// The edits that make a listing say what happened.
pub(crate) fn edits(
    sources: &SourceMap,
    listing: &Listing<'_>,
    comparison: &Comparison,
    events: &[Happened],
) -> Vec<Edit> {
    let file = listing.key.file;
    let is_json = sources.name(file).to_lowercase().ends_with(".json");
    let blessing = Blessing { text: sources.text(file), is_json, listing, events };
    let has_lines = !listing.is_inline && blessing.has_dashes();
    match has_lines {
        true => blessing.line_by_line(comparison),
        false => blessing.whole(),
    }
}

/// Whether a value stands in brackets.
pub(crate) fn is_bracketed(sources: &SourceMap, node: &Node) -> bool {
    let text = sources.text(node.span.file).as_bytes();
    matches!(text.get(node.span.start as usize), Some(b'[' | b'{'))
}

/// The edits that put a list of values after a key, in place of what ends at `end`: in brackets, or line by line.
pub(crate) fn value(
    sources: &SourceMap,
    key: Span,
    end: Option<u32>,
    is_inline: bool,
    items: &[Datum],
) -> Vec<Edit> {
    let text = sources.text(key.file);
    let is_json = sources.name(key.file).to_lowercase().ends_with(".json");
    let colon = text[key.end as usize..].find(':').map_or(0, |colon| colon as u32 + 1);
    let span = Span::at(key.file, key.end + colon, end.unwrap_or(key.end + colon));
    let item = |item: &Datum| if is_json { json(item).to_string() } else { show(item) };
    let items: Vec<String> = items.iter().map(item).collect();
    if is_inline || items.is_empty() {
        return vec![Edit { span, text: format!(" [{}]", items.join(", ")) }];
    }
    let line_start = text[..key.start as usize].rfind('\n').map_or(0, |line_break| line_break + 1);
    let indent = " ".repeat(text[line_start..key.start as usize].chars().count() + 2);
    let line_break = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let lines: String = items.iter().map(|item| format!("{line_break}{indent}- {item}")).collect();
    // A comment after the value stays behind the key.
    let rest = &text[span.end as usize..];
    let line_end = span.end + rest.find(['\r', '\n']).unwrap_or(rest.len()) as u32;
    let after = Span::at(key.file, line_end, line_end);
    vec![Edit { span, text: String::new() }, Edit { span: after, text: lines }]
}

struct Blessing<'a> {
    text: &'a str,
    is_json: bool,
    listing: &'a Listing<'a>,
    events: &'a [Happened],
}

impl Blessing<'_> {
    fn edit(&self, start: usize, end: usize, text: impl Into<String>) -> Edit {
        Edit { span: Span::at(self.listing.key.file, start as u32, end as u32), text: text.into() }
    }

    /// Whether its events stand on lines of their own.
    fn has_dashes(&self) -> bool {
        let first = self.listing.patterns.first().map(|pattern| pattern.node.span.start as usize);
        first.is_some_and(|first| self.text[self.line_start(first)..first].trim_end().ends_with('-'))
    }

    /// Replaces a listing that has no lines of its own yet.
    fn whole(&self) -> Vec<Edit> {
        let is_empty = matches!(self.listing.node.value, Value::Null);
        let after_colon = self.after_colon();
        let value_end = if is_empty { after_colon } else { self.listing.node.span.end as usize };
        if self.listing.is_inline || self.events.is_empty() {
            let items: Vec<String> = self.events.iter().map(|event| self.in_brackets(event)).collect();
            return vec![self.edit(after_colon, value_end, format!(" [{}]", items.join(", ")))];
        }
        let key_column = self.column(self.listing.key.start as usize);
        let indent = " ".repeat(key_column + 2);
        let lines: String = self.events.iter().map(|event| self.new_line(&indent, event)).collect();
        let line_end = self.line_end(value_end);
        // A comment after the value stays behind the key.
        vec![self.edit(after_colon, value_end, ""), self.edit(line_end, line_end, lines)]
    }

    /// Changes only the lines that do not hold.
    fn line_by_line(&self, comparison: &Comparison) -> Vec<Edit> {
        let mut edits = Vec::new();
        let mut gap = Gap::default();
        for line in &comparison.lines {
            match line {
                Line::Missing(pattern) => gap.missing.push(*pattern),
                Line::Extra(event) => gap.extra.push(*event),
                Line::Same(pattern, _) | Line::Rest(pattern, _) | Line::Alike(pattern, _) => {
                    self.close(&gap, &mut edits);
                    if let Line::Alike(pattern, event) = line {
                        edits.push(self.replacement(*pattern, *event));
                    }
                    gap = Gap { after: Some(*pattern), ..Gap::default() };
                }
            }
        }
        self.close(&gap, &mut edits);
        let is_gone = |pattern| comparison.lines.contains(&Line::Missing(pattern));
        if self.events.is_empty() && (0..self.listing.patterns.len()).all(is_gone) {
            let after_colon = self.after_colon();
            edits.push(self.edit(after_colon, after_colon, " []"));
        }
        edits
    }

    /// Replaces missing lines by extra events as long as there are both; then removes or inserts.
    fn close(&self, gap: &Gap, edits: &mut Vec<Edit>) {
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

    fn replacement(&self, pattern: usize, event: usize) -> Edit {
        let (start, end) = self.item(pattern);
        self.edit(start, end, self.events[event].show())
    }

    /// Removes a line, but never a comment.
    fn removal(&self, pattern: usize) -> Edit {
        let (dash, end) = (self.dash(pattern), self.item(pattern).1);
        let line_end = self.line_end(end);
        let rest = &self.text[end..line_end];
        if rest.contains('#') {
            return self.edit(dash, end + rest.len() - rest.trim_start().len(), "");
        }
        let next_line = self.text[line_end..].find('\n').map_or(self.text.len(), |at| line_end + at + 1);
        self.edit(self.line_start(dash), next_line, "")
    }

    /// An event as an item of a list in brackets.
    fn in_brackets(&self, event: &Happened) -> String {
        match event.show() {
            _ if self.is_json => event.to_json().to_string(),
            line if line.contains(": ") => format!("{{{line}}}"),
            line => line,
        }
    }

    fn new_line(&self, indent: &str, event: &Happened) -> String {
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

/// Lines without a counterpart, between two that have one.
#[derive(Default)]
struct Gap {
    /// The pattern before them.
    after: Option<usize>,
    missing: Vec<usize>,
    extra: Vec<usize>,
}
