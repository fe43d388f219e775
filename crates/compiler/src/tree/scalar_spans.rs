//! Mapping from the characters of a scalar to their positions in the file.
//!
//! Start at [`map_scalar`]. The source and the value are compared side by side. At the first mismatch the
//! mapping is abandoned and the scalar keeps only its overall span, because a wrong position is worse than an
//! imprecise one.

use std::ops::Range;

use super::text::{SpanMap, SpanSegment};

/// The notation of a scalar.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum TextStyle {
    Plain,
    SingleQuoted,
    DoubleQuoted,
    /// `|` or `>`. The range begins at the first content.
    Block,
}

/// Maps `value` to its positions in `source[range]`, which is written in the given style.
pub(super) fn map_scalar(source: &str, range: Range<usize>, style: TextStyle, value: &str) -> SpanMap {
    let inner = match style {
        TextStyle::SingleQuoted | TextStyle::DoubleQuoted if range.len() >= 2 => {
            range.start + 1..range.end - 1
        }
        _ => range,
    };
    match source.get(inner.clone()) {
        None => return SpanMap::Whole,
        Some(written) if written == value => return SpanMap::Verbatim(inner.start as u32),
        Some(_) => {}
    }
    let mut walk = ScalarWalk { source, value, source_pos: inner.start, value_pos: 0, segments: Vec::new() };
    let is_matched = match style {
        TextStyle::Block => walk.block(inner.end),
        _ => walk.flow(inner.end, style),
    };
    match is_matched {
        Some(()) if walk.value_pos == value.len() => SpanMap::Segments(walk.segments),
        _ => SpanMap::Whole,
    }
}

struct ScalarWalk<'a> {
    source: &'a str,
    value: &'a str,
    /// Offset of the next byte of the source.
    source_pos: usize,
    /// Offset of the next byte of the value.
    value_pos: usize,
    segments: Vec<SpanSegment>,
}

impl ScalarWalk<'_> {
    fn flow(&mut self, end: usize, style: TextStyle) -> Option<()> {
        while self.source_pos < end {
            let rest = &self.source[self.source_pos..end];
            let blanks = blank_count(rest);
            let breaks = leading_breaks(&rest[blanks..]);
            if breaks.count > 0 {
                let value_len = if breaks.count == 1 { 1 } else { breaks.count - 1 };
                self.expect_break(value_len, blanks + breaks.byte_count)?;
            } else if blanks > 0 {
                self.copy(blanks)?;
            } else if style == TextStyle::SingleQuoted && rest.starts_with("''") {
                self.step(1, 2)?;
            } else if style == TextStyle::DoubleQuoted && rest.starts_with('\\') {
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
        let meant = self.value[self.value_pos..].chars().next()?;
        self.step(meant.len_utf8(), written)
    }

    fn block(&mut self, end: usize) -> Option<()> {
        let first = self.source[..self.source_pos].rfind('\n').map_or(0, |index| index + 1);
        let text = &self.source[first..end];
        let indent = block_indent(text, self.value)?;
        self.source_pos = first;
        let mut line_start = first;
        for line in text.split_inclusive('\n') {
            let content = line.trim_end_matches(['\n', '\r']).get(indent..).unwrap_or("");
            if !content.is_empty() {
                self.block_line(line_start + indent, content)?;
            }
            line_start += line.len();
        }
        let rest = self.value.len() - self.value_pos;
        self.expect_break(rest, end - self.source_pos)
    }

    /// Matches a line of a block, after the white space that joins it to the line before.
    fn block_line(&mut self, start: usize, content: &str) -> Option<()> {
        let joint = (0..=self.value.len() - self.value_pos).find(|&joint| {
            let rest = &self.value.as_bytes()[self.value_pos + joint..];
            rest.starts_with(content.as_bytes()) || !matches!(rest.first(), Some(b' ' | b'\n'))
        })?;
        self.expect_break(joint, start - self.source_pos)?;
        self.copy(content.len())
    }

    /// Matches white space of the value with a piece of the source.
    fn expect_break(&mut self, value_len: usize, source_len: usize) -> Option<()> {
        let meant = self.value.get(self.value_pos..self.value_pos + value_len)?;
        meant.bytes().all(|byte| matches!(byte, b' ' | b'\n')).then_some(())?;
        self.step(value_len, source_len)
    }

    fn copy(&mut self, byte_count: usize) -> Option<()> {
        let meant = self.value.as_bytes().get(self.value_pos..self.value_pos + byte_count)?;
        let written = self.source.as_bytes().get(self.source_pos..self.source_pos + byte_count)?;
        (meant == written).then_some(())?;
        self.step(byte_count, byte_count)
    }

    fn step(&mut self, value_len: usize, source_len: usize) -> Option<()> {
        let value = (self.value_pos as u32, (self.value_pos + value_len) as u32);
        let source = (self.source_pos as u32, (self.source_pos + source_len) as u32);
        self.value_pos += value_len;
        self.source_pos += source_len;
        if value_len == 0 {
            return Some(());
        }
        match self.segments.last_mut() {
            Some(last) if last.continues(value, source) => {
                last.value.1 = value.1;
                last.source.1 = source.1;
            }
            _ => self.segments.push(SpanSegment { value, source }),
        }
        (self.value_pos <= self.value.len()).then_some(())
    }
}

struct LineBreaks {
    count: usize,
    byte_count: usize,
}

/// Counts the line breaks at the start of `text`, including the indentation after each.
fn leading_breaks(text: &str) -> LineBreaks {
    let mut breaks = LineBreaks { count: 0, byte_count: 0 };
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

/// Returns the indentation of a block, which is not part of the value.
fn block_indent(text: &str, value: &str) -> Option<usize> {
    let spaces = |line: &str| line.bytes().take_while(|&byte| byte == b' ').count();
    let first = text.lines().find(|line| !line.trim_matches([' ', '\r']).is_empty())?;
    spaces(first).checked_sub(spaces(value.trim_start_matches('\n')))
}
