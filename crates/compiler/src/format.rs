//! Formatting of YAML files. Start with [`format()`].
//!
//! The formatter sets the indentation, the spaces inside `{}` and `[]` and after keys, and the blank lines. It keeps line breaks
//! and their kind, quotes, comments and the contents of texts, so the formatted file has the same content; [`format()`] checks that.

use std::ops::Range;

use crate::diagnostic::Diagnostic;
use crate::source::SourceMap;
use crate::tree::{self, NodeValue, SourceNode};

/// Columns per level.
const INDENT: usize = 2;

/// Returns the text of a YAML file in the standard format.
///
/// # Errors
/// If the file cannot be parsed.
pub fn format(text: &str) -> Result<String, Vec<Diagnostic>> {
    let line_break = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let text = text.strip_prefix('\u{feff}').unwrap_or(text).replace("\r\n", "\n");
    let before = parse(&text)?;
    let formatted = Formatter::new(&text, &before).run();
    // A file in a form that the formatter does not know stays as it is.
    let is_same = parse(&formatted).is_ok_and(|after| after.to_json() == before.to_json());
    let formatted = if is_same { formatted } else { text };
    Ok(formatted.replace('\n', line_break))
}

fn parse(text: &str) -> Result<SourceNode, Vec<Diagnostic>> {
    let mut sources = SourceMap::default();
    let mut problems = Vec::new();
    let file = sources.add("file.yaml", text.to_owned());
    let node = tree::parse(file, &sources, &mut problems);
    node.filter(|_| problems.is_empty()).ok_or(problems)
}

/// A line of the file.
#[derive(Clone, Default)]
struct Line {
    /// Its bytes, without the line break.
    range: Range<usize>,
    /// Its indentation as written.
    old: usize,
    /// Its indentation, if something of the tree begins on it.
    new: Option<usize>,
    /// The line on which the text or the brackets began that it continues.
    continues: Option<usize>,
}

struct Formatter<'a> {
    text: &'a str,
    lines: Vec<Line>,
    /// Replacements within lines, in any order.
    edits: Vec<(Range<usize>, String)>,
}

impl<'a> Formatter<'a> {
    fn new(text: &'a str, root: &SourceNode) -> Formatter<'a> {
        let mut lines = Vec::new();
        let mut start = 0;
        for line in text.split('\n') {
            let old = line.len() - line.trim_start_matches(' ').len();
            lines.push(Line { range: start..start + line.len(), old, ..Line::default() });
            start += line.len() + 1;
        }
        let mut formatter = Formatter { text, lines, edits: Vec::new() };
        formatter.block(root, 0);
        formatter
    }

    fn line_at(&self, offset: usize) -> usize {
        self.lines.partition_point(|line| line.range.start <= offset).saturating_sub(1)
    }

    fn is_flow(&self, node: &SourceNode) -> bool {
        self.text[node.span.start as usize..].starts_with(['{', '['])
    }

    /// Sets the indentation of a line if nothing else begins before the offset.
    fn indent(&mut self, offset: usize, indent: usize) {
        let line = self.line_at(offset);
        let range = self.lines[line].range.start..offset;
        if self.text[range].trim().is_empty() {
            self.lines[line].new = Some(indent);
        }
    }

    /// Reads a value whose entries or items begin at an indentation.
    fn block(&mut self, node: &SourceNode, indent: usize) {
        match &node.value {
            NodeValue::Map(entries) if !self.is_flow(node) => {
                for entry in entries {
                    self.indent(entry.key.span.start as usize, indent);
                    self.after_key(entry.key.span.end as usize, &entry.value);
                    self.block(&entry.value, indent + INDENT);
                }
            }
            NodeValue::List(items) if !self.is_flow(node) => {
                for item in items {
                    if let Some(dash) = self.dash_before(item) {
                        self.indent(dash, indent);
                        self.after_mark(dash + 1, item);
                    }
                    self.block(item, indent + INDENT);
                }
            }
            _ => self.inline(node),
        }
    }

    /// Returns the position of the `-` before an item.
    fn dash_before(&self, item: &SourceNode) -> Option<usize> {
        let mut line = self.line_at(item.span.start as usize);
        let mut end = item.span.start as usize;
        loop {
            let before = &self.text[self.lines[line].range.start..end];
            if let Some(at) = before.trim_end().strip_suffix('-') {
                return Some(self.lines[line].range.start + at.len());
            }
            // Between the dash and the item there may be comments and blank lines.
            if !(before.trim().is_empty() || before.trim_start().starts_with('#')) || line == 0 {
                return None;
            }
            line -= 1;
            let content = self.text[self.lines[line].range.clone()].split(" #").next().unwrap_or_default();
            end = self.lines[line].range.start + content.len();
        }
    }

    /// Normalises the space between a mark such as `-` and the value on the same line.
    fn after_mark(&mut self, end: usize, value: &SourceNode) {
        let start = value.span.start as usize;
        let is_there = value.span.end > value.span.start && start >= end;
        if is_there && self.text[end..start].chars().all(|letter| letter == ' ') {
            self.edits.push((end..start, " ".to_owned()));
        }
    }

    /// Normalises the space after `key:`, unless the values of neighbouring lines are aligned.
    fn after_key(&mut self, end: usize, value: &SourceNode) {
        let Some(colon) = self.text[end..].find(':').map(|at| end + at + 1) else { return };
        let start = value.span.start as usize;
        if value.span.end == value.span.start || start < colon || self.line_at(start) != self.line_at(colon) {
            return;
        }
        if !self.is_aligned(self.line_at(start), start) {
            self.after_mark(colon, value);
        }
    }

    /// Returns true if the line above or below has a value at the same column.
    fn is_aligned(&self, line: usize, start: usize) -> bool {
        let column = start - self.lines[line].range.start;
        let old = self.lines[line].old;
        let neighbours = [line.checked_sub(1), line.checked_add(1)];
        neighbours.into_iter().flatten().filter_map(|at| self.lines.get(at)).any(|line| {
            let text = &self.text[line.range.clone()];
            let is_value = line.old == old
                && text.is_char_boundary(column)
                && column >= 2
                && text.get(..column).is_some_and(|before| {
                    before.ends_with(' ')
                        && before.trim_end().ends_with(':')
                        && before.find(": ").is_some_and(|at| before[at + 1..].trim().is_empty())
                });
            is_value
                && text.get(column..).is_some_and(|rest| !rest.is_empty() && !rest.starts_with([' ', '#']))
        })
    }

    /// Reads a value in brackets or a text.
    fn inline(&mut self, node: &SourceNode) {
        let range = node.span.start as usize..node.span.end as usize;
        if range.is_empty() {
            return;
        }
        let first = self.line_at(range.start);
        // A block text ends with a line break.
        let last = self.line_at(range.end.max(range.start + 1) - 1);
        for line in first + 1..=last {
            self.lines[line].continues = Some(first);
        }
        // The value may begin on a line of its own.
        let indent = self.text[self.lines[first].range.start..range.start].trim().is_empty();
        if indent && self.lines[first].new.is_none() {
            self.lines[first].continues = self.lines[first].continues.or(first.checked_sub(1));
        }
        if first == last
            && self.is_flow(node)
            && let Some(text) = self.flow(node)
        {
            self.edits.push((range, text));
        }
    }

    /// Returns a value on one line with its standard spaces. `None` if it has a form without standard.
    fn flow(&self, node: &SourceNode) -> Option<String> {
        let verbatim = || self.text[node.span.start as usize..node.span.end as usize].to_owned();
        match &node.value {
            NodeValue::Map(entries) if self.is_flow(node) => {
                let mut parts = Vec::new();
                for entry in entries {
                    if entry.value.span.start == entry.value.span.end {
                        return None;
                    }
                    let key = &self.text[entry.key.span.start as usize..entry.key.span.end as usize];
                    parts.push(format!("{key}: {}", self.flow(&entry.value)?));
                }
                Some(format!("{{{}}}", parts.join(", ")))
            }
            NodeValue::List(items) if self.is_flow(node) => {
                let items: Option<Vec<String>> = items
                    .iter()
                    .map(|item| if item.span.start == item.span.end { None } else { self.flow(item) })
                    .collect();
                Some(format!("[{}]", items?.join(", ")))
            }
            NodeValue::Map(_) | NodeValue::List(_) => None,
            _ => Some(verbatim()),
        }
    }

    fn run(mut self) -> String {
        self.edits.sort_by_key(|(range, _)| range.start);
        let indents = self.indents();
        let mut formatted = String::new();
        let mut blank = false;
        for (at, line) in self.lines.iter().enumerate() {
            let is_text = line.continues.is_some();
            let content = self.content(line, indents[at]);
            if content.is_empty() {
                // Blank lines inside a text belong to it.
                if is_text {
                    formatted.push('\n');
                } else {
                    blank = true;
                }
                continue;
            }
            if std::mem::take(&mut blank) && !formatted.is_empty() {
                formatted.push('\n');
            }
            formatted.push_str(&content);
            formatted.push('\n');
        }
        let end = formatted.trim_end_matches('\n').len();
        formatted.truncate(end);
        formatted.push('\n');
        formatted
    }

    /// Returns the indentation of every line.
    fn indents(&self) -> Vec<usize> {
        let mut found: Vec<usize> = Vec::with_capacity(self.lines.len());
        for (at, line) in self.lines.iter().enumerate() {
            let shifted = |first: usize, found: &[usize]| {
                (line.old + found[first]).saturating_sub(self.lines[first].old)
            };
            let indent = match (line.new, line.continues) {
                (Some(new), _) => new,
                (None, Some(first)) => shifted(first, &found),
                (None, None) => self.comment_indent(at, &found),
            };
            found.push(indent);
        }
        found
    }

    /// Returns the indentation of a comment: that of the line below or above that had the same.
    fn comment_indent(&self, at: usize, found: &[usize]) -> usize {
        let old = self.lines[at].old;
        let below = self.lines[at + 1..].iter().find_map(|line| Some((line.old, line.new?)));
        if let Some((_, new)) = below.filter(|(column, _)| *column == old) {
            return new;
        }
        let above =
            (0..at).rev().find(|above| self.lines[*above].new.is_some() && self.lines[*above].old <= old);
        let above = above.map(|above| (self.lines[above].old, found[above]));
        match (above, below) {
            (Some((column, new)), _) if column == old => new,
            (_, Some((column, new))) if column > old => new.saturating_sub(column - old),
            (Some((column, new)), _) => new + (old - column),
            _ => old,
        }
    }

    /// Returns a line with its indentation and its replacements.
    fn content(&self, line: &Line, indent: usize) -> String {
        let source = &self.text[line.range.clone()];
        if source.trim().is_empty() {
            return String::new();
        }
        let begin = line.range.start + line.old;
        let mut content = " ".repeat(indent);
        let mut at = begin;
        let first = self.edits.partition_point(|(range, _)| range.start < begin);
        for (range, new) in self.edits[first..].iter().take_while(|(range, _)| range.end <= line.range.end) {
            if range.start >= at {
                content.push_str(&self.text[at..range.start]);
                content.push_str(new);
                at = range.end;
            }
        }
        let rest = &self.text[at..line.range.end];
        // A comment after the content keeps its column, if there is room.
        if let Some(gap) =
            rest.find('#').filter(|gap| at > begin && rest[..*gap].trim().is_empty() && *gap > 0)
        {
            let written = self.text[line.range.start..at + gap].chars().count();
            let column = (written + indent).saturating_sub(line.old);
            let width = content.chars().count();
            content.push_str(&" ".repeat(column.saturating_sub(width).max(2)));
            content.push_str(rest[gap..].trim_end());
        } else if line.continues.is_some() {
            content.push_str(rest);
        } else {
            content.push_str(rest.trim_end());
        }
        // Spaces at the end of a line of a text may be part of it.
        if line.continues.is_none() { content.trim_end().to_owned() } else { content }
    }
}
