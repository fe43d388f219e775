//! Readable versions of files that are being edited: for names and symbols while a line is half written.

use crate::diagnostic::Diagnostic;
use crate::source::SourceMap;
use crate::tree;

/// Number of lines that are given up before a file counts as unreadable.
const MAX_ATTEMPTS: usize = 40;

/// Returns a text with the same length and lines in which everything that cannot be read is blank. `None` if what is left is no
/// object.
#[must_use]
pub fn repair(name: &str, text: &str) -> Option<String> {
    let mut repaired = text.to_owned();
    for _ in 0..MAX_ATTEMPTS {
        let problem = match read(name, &repaired) {
            Ok(true) => return Some(repaired),
            Ok(false) => return None,
            Err(problem) => problem,
        };
        let at = (problem.span.start as usize).min(repaired.len());
        let line = unclosed_line(&repaired).or_else(|| culprit(&repaired, at))?;
        blank(&mut repaired, line);
    }
    None
}

/// Returns whether a text is an object, or the first reason why it cannot be read.
fn read(name: &str, text: &str) -> Result<bool, Diagnostic> {
    let mut sources = SourceMap::default();
    let mut problems = Vec::new();
    let file = sources.add(name, text.to_owned());
    let root = tree::parse(file, &sources, &mut problems);
    match problems.into_iter().next() {
        Some(problem) => Err(problem),
        None => Ok(root.is_some_and(|root| root.as_map().is_some())),
    }
}

/// Returns the first line that opens a bracket or a quote which the lines below do not close although they are indented as if they
/// did not belong to it. The parser would blame one of those.
fn unclosed_line(text: &str) -> Option<std::ops::Range<usize>> {
    let mut open: Option<(std::ops::Range<usize>, usize)> = None;
    let mut marks = OpenMarks::default();
    let mut block_text = None;
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let range = start..start + line.trim_end_matches('\n').len();
        start += line.len();
        let indent = line.len() - line.trim_start_matches(' ').len();
        let content = line.trim();
        if let Some(around) = block_text {
            if content.is_empty() || indent > around {
                continue;
            }
            block_text = None;
        }
        let value = match &open {
            Some((opened, around)) => {
                if !content.is_empty() && indent <= *around && !content.starts_with(['}', ']']) {
                    return Some(opened.clone());
                }
                content
            }
            None => {
                let value = value_of(content);
                if value.starts_with(['|', '>']) {
                    block_text = Some(indent);
                }
                if !value.starts_with(['{', '[', '"', '\'']) {
                    continue;
                }
                value
            }
        };
        marks.read(value);
        if !marks.are_open() {
            (open, marks) = (None, OpenMarks::default());
        } else if open.is_none() {
            open = Some((range, indent));
        }
    }
    open.map(|(opened, _)| opened)
}

/// Returns what follows the dashes and the key of a line.
fn value_of(content: &str) -> &str {
    let mut rest = content;
    while let Some(after) = rest.strip_prefix("- ") {
        rest = after.trim_start();
    }
    if rest.starts_with(['{', '[', '"', '\'', '#']) {
        return rest;
    }
    rest.split_once(": ").map_or("", |(_, value)| value.trim_start())
}

/// The brackets and the quote that are open.
#[derive(Default)]
struct OpenMarks {
    brackets: usize,
    quote: Option<char>,
}

impl OpenMarks {
    fn are_open(&self) -> bool {
        self.brackets > 0 || self.quote.is_some()
    }

    fn read(&mut self, content: &str) {
        let (mut before, mut last) = (' ', ',');
        let mut letters = content.chars();
        while let Some(letter) = letters.next() {
            match letter {
                '\\' if self.quote == Some('"') => drop(letters.next()),
                letter if self.quote == Some(letter) => self.quote = None,
                _ if self.quote.is_some() => {}
                '"' | '\'' if matches!(last, ',' | '{' | '[' | ':') => self.quote = Some(letter),
                '#' if before == ' ' => break,
                '{' | '[' => self.brackets += 1,
                '}' | ']' => self.brackets = self.brackets.saturating_sub(1),
                _ => {}
            }
            before = letter;
            if letter != ' ' {
                last = letter;
            }
        }
    }
}

/// Returns the line to give up: the one with the problem, or the last one with content before it.
fn culprit(text: &str, at: usize) -> Option<std::ops::Range<usize>> {
    let mut end = text[at..].find('\n').map_or(text.len(), |length| at + length);
    loop {
        let start = text[..end].rfind('\n').map_or(0, |at| at + 1);
        if !text[start..end].trim().is_empty() {
            return Some(start..end);
        }
        end = start.checked_sub(1)?;
    }
}

/// Replaces the content of a line by spaces.
fn blank(text: &mut String, line: std::ops::Range<usize>) {
    let spaces = " ".repeat(line.len());
    text.replace_range(line, &spaces);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_lines_that_cannot_be_read_are_given_up() {
        let text = "a: 1\nb: [1, {c: 2\nd: {e: 1}\nf:\n  - g: 'x\n  - h: 1\ni: 2\n";
        let repaired = repair("file.yaml", text).expect("something can be read");
        assert_eq!(repaired.len(), text.len());
        for kept in ["a: 1\n", "d: {e: 1}\n", "  - h: 1\n", "i: 2\n"] {
            assert!(repaired.contains(kept), "{kept} in {repaired}");
        }
        assert_eq!(repair("file.yaml", ""), None);
        assert_eq!(repair("file.yaml", "a: 1\n").as_deref(), Some("a: 1\n"));
    }

    #[test]
    fn a_bracket_that_is_not_closed_costs_its_own_line() {
        let text = "flow:\n  - {emit: Scored, amount: who.\n  - {end: normal}\nzones: {deck: {}}\n";
        let repaired = repair("file.yaml", text).expect("something can be read");
        assert!(repaired.contains("  - {end: normal}\nzones: {deck: {}}\n"), "{repaired}");
        for line in ["  - emit: [a\n", "  - {if: \"a.\n", "  - {if: 'it''s\n", "  - {a: [{b: 1}, \n"] {
            let text = format!("flow:\n{line}  - {{end: normal}}\nzones: {{deck: {{}}}}\noutcomes: [won]\n");
            let repaired = repair("file.yaml", &text).expect("something can be read");
            assert_eq!(
                repaired,
                text.replace(line.trim_end_matches('\n'), &" ".repeat(line.len() - 1)),
                "{line}"
            );
        }
    }
}
