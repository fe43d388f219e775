//! Finds where each character of a scalar stands in the file.
//!
//! Start at [`find`]. What was written and what it means are walked side by
//! side; at the first disagreement the search gives up, and the scalar keeps
//! only the span of the whole. A wrong place would be worse than a wide one.

use std::ops::Range;

use super::text::{Places, Run};

/// How a scalar is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Style {
    Plain,
    SingleQuoted,
    DoubleQuoted,
    /// `|` or `>`; the range begins at the first content.
    Block,
}

/// The places of `value`, which `source[range]` says in the given style.
pub(super) fn find(source: &str, range: Range<usize>, style: Style, value: &str) -> Places {
    let inner = match style {
        Style::SingleQuoted | Style::DoubleQuoted if range.len() >= 2 => range.start + 1..range.end - 1,
        _ => range,
    };
    match source.get(inner.clone()) {
        None => return Places::Whole,
        Some(written) if written == value => return Places::Straight(inner.start as u32),
        Some(_) => {}
    }
    let mut walk = Walk { source, value, at: inner.start, said: 0, runs: Vec::new() };
    let is_matched = match style {
        Style::Block => walk.block(inner.end),
        _ => walk.flow(inner.end, style),
    };
    match is_matched {
        Some(()) if walk.said == value.len() => Places::Runs(walk.runs),
        _ => Places::Whole,
    }
}

struct Walk<'a> {
    source: &'a str,
    value: &'a str,
    /// The next byte of the source.
    at: usize,
    /// The next byte of the value.
    said: usize,
    runs: Vec<Run>,
}

impl Walk<'_> {
    fn flow(&mut self, end: usize, style: Style) -> Option<()> {
        while self.at < end {
            let rest = &self.source[self.at..end];
            let blanks = blank_count(rest);
            let breaks = leading_breaks(&rest[blanks..]);
            if breaks.count > 0 {
                let said = if breaks.count == 1 { 1 } else { breaks.count - 1 };
                self.expect_break(said, blanks + breaks.byte_count)?;
            } else if blanks > 0 {
                self.copy(blanks)?;
            } else if style == Style::SingleQuoted && rest.starts_with("''") {
                self.step(1, 2)?;
            } else if style == Style::DoubleQuoted && rest.starts_with('\\') {
                self.escape(rest)?;
            } else {
                self.copy(rest.chars().next()?.len_utf8())?;
            }
        }
        Some(())
    }

    fn escape(&mut self, rest: &str) -> Option<()> {
        let escaped = leading_breaks(&rest[1..]);
        if escaped.count > 0 {
            return self.expect_break(escaped.count - 1, 1 + escaped.byte_count);
        }
        let written = match rest.as_bytes().get(1)? {
            b'x' => 4,
            b'u' if is_high_surrogate(rest.get(2..6)?) => 12,
            b'u' => 6,
            b'U' => 10,
            _ => 1 + rest[1..].chars().next()?.len_utf8(),
        };
        let meant = self.value[self.said..].chars().next()?;
        self.step(meant.len_utf8(), written)
    }

    fn block(&mut self, end: usize) -> Option<()> {
        let first = self.source[..self.at].rfind('\n').map_or(0, |index| index + 1);
        let text = &self.source[first..end];
        let indent = block_indent(text, self.value)?;
        self.at = first;
        let mut line_start = first;
        for line in text.split_inclusive('\n') {
            let content = line.trim_end_matches(['\n', '\r']).get(indent..).unwrap_or("");
            if !content.is_empty() {
                self.block_line(line_start + indent, content)?;
            }
            line_start += line.len();
        }
        let rest = self.value.len() - self.said;
        self.expect_break(rest, end - self.at)
    }

    /// One line of a block, after the white space that joins it to the last.
    fn block_line(&mut self, start: usize, content: &str) -> Option<()> {
        let joint = (0..=self.value.len() - self.said).find(|&joint| {
            let rest = &self.value.as_bytes()[self.said + joint..];
            rest.starts_with(content.as_bytes()) || !matches!(rest.first(), Some(b' ' | b'\n'))
        })?;
        self.expect_break(joint, start - self.at)?;
        self.copy(content.len())
    }

    /// White space of the value that a piece of the source stands for.
    fn expect_break(&mut self, said: usize, written: usize) -> Option<()> {
        let meant = self.value.get(self.said..self.said + said)?;
        meant.bytes().all(|byte| matches!(byte, b' ' | b'\n')).then_some(())?;
        self.step(said, written)
    }

    fn copy(&mut self, byte_count: usize) -> Option<()> {
        let meant = self.value.as_bytes().get(self.said..self.said + byte_count)?;
        let written = self.source.as_bytes().get(self.at..self.at + byte_count)?;
        (meant == written).then_some(())?;
        self.step(byte_count, byte_count)
    }

    fn step(&mut self, said: usize, written: usize) -> Option<()> {
        let value = (self.said as u32, (self.said + said) as u32);
        let source = (self.at as u32, (self.at + written) as u32);
        self.said += said;
        self.at += written;
        if said == 0 {
            return Some(());
        }
        match self.runs.last_mut() {
            Some(last) if last.continues(value, source) => {
                last.value.1 = value.1;
                last.source.1 = source.1;
            }
            _ => self.runs.push(Run { value, source }),
        }
        (self.said <= self.value.len()).then_some(())
    }
}

struct Breaks {
    count: usize,
    byte_count: usize,
}

/// Line breaks at the start of `text`, with the indentation after each.
fn leading_breaks(text: &str) -> Breaks {
    let mut breaks = Breaks { count: 0, byte_count: 0 };
    loop {
        let rest = &text[breaks.byte_count..];
        let width = match rest.as_bytes() {
            [b'\r', b'\n', ..] => 2,
            [b'\n', ..] => 1,
            _ => return breaks,
        };
        breaks.count += 1;
        breaks.byte_count += width + blank_count(&rest[width..]);
    }
}

fn blank_count(text: &str) -> usize {
    text.bytes().take_while(|byte| matches!(byte, b' ' | b'\t')).count()
}

fn is_high_surrogate(digits: &str) -> bool {
    u32::from_str_radix(digits, 16).is_ok_and(|unit| (0xD800..0xDC00).contains(&unit))
}

/// How many spaces before each line of a block are not part of it.
fn block_indent(text: &str, value: &str) -> Option<usize> {
    let spaces = |line: &str| line.bytes().take_while(|&byte| byte == b' ').count();
    let first = text.lines().find(|line| !line.trim_matches([' ', '\r']).is_empty())?;
    spaces(first).checked_sub(spaces(value.trim_start_matches('\n')))
}
