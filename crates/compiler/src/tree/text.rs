//! Strings with the position of each character.
//!
//! Start at [`SourceText::span_of`]. The source and the value of a string differ where it has escapes, folded
//! lines or indentation. A list of [`SpanSegment`]s records the difference.

use std::ops::Range;

use crate::source::{FileId, Span};

/// A string scalar with the position of each character.
#[derive(Clone, Debug)]
pub struct SourceText {
    pub value: String,
    /// The whole scalar, including quotes.
    pub span: Span,
    span_map: SpanMap,
}

/// Positions of the bytes of a value in the file.
#[derive(Clone, Debug)]
pub(super) enum SpanMap {
    /// Byte for byte, from this offset.
    Verbatim(u32),
    /// In segments that cover the value in order.
    Segments(Vec<SpanSegment>),
    /// Unknown. Only the span of the whole scalar is available.
    Whole,
}

/// A part of a value and the part of the file it comes from.
///
/// Segments of equal length correspond byte for byte; others (escapes, folds) only as a whole.
#[derive(Clone, Copy, Debug)]
pub(super) struct SpanSegment {
    /// Byte range in the value.
    pub(super) value: (u32, u32),
    /// Byte range in the file.
    pub(super) source: (u32, u32),
}

impl SourceText {
    pub(super) fn new(value: String, span: Span, span_map: SpanMap) -> Self {
        Self { value, span, span_map }
    }

    /// Creates a text that occurs verbatim in `file` at `start`.
    pub fn verbatim(value: &str, file: FileId, start: u32) -> Self {
        let span = Span::at(file, start, start + value.len() as u32);
        Self::new(value.to_owned(), span, SpanMap::Verbatim(start))
    }

    pub fn as_str(&self) -> &str {
        &self.value
    }

    /// Returns the span of a byte range of the value.
    ///
    /// An empty range is placed before the character that follows it. If the positions are unknown, the span
    /// of the whole scalar is returned.
    pub fn span_of(&self, range: Range<usize>) -> Span {
        let start = range.start.min(self.value.len()) as u32;
        let end = (range.end.min(self.value.len()) as u32).max(start);
        match &self.span_map {
            SpanMap::Verbatim(base) => Span::at(self.span.file, base + start, base + end),
            SpanMap::Segments(runs) => self.span_in_segments(runs, start, end),
            SpanMap::Whole => self.span,
        }
    }

    fn span_in_segments(&self, runs: &[SpanSegment], start: u32, end: u32) -> Span {
        let Some(last) = runs.last() else {
            return self.span;
        };
        if start == last.value.1 {
            return Span::at(self.span.file, last.source.1, last.source.1);
        }
        let first = &runs[runs.partition_point(|run| run.value.1 <= start)];
        let from = first.source_before(start);
        if start == end {
            return Span::at(self.span.file, from, from);
        }
        let last = &runs[runs.partition_point(|run| run.value.1 < end)];
        Span::at(self.span.file, from, last.source_after(end))
    }
}

impl SpanSegment {
    /// Returns true if a segment continues this one byte for byte.
    pub(super) fn continues(&self, value: (u32, u32), source: (u32, u32)) -> bool {
        let next = Self { value, source };
        let touches = self.value.1 == value.0 && self.source.1 == source.0;
        touches && self.is_verbatim() && next.is_verbatim()
    }

    fn is_verbatim(&self) -> bool {
        self.value.1 - self.value.0 == self.source.1 - self.source.0
    }

    fn source_before(&self, at: u32) -> u32 {
        if self.is_verbatim() { self.source.0 + (at - self.value.0) } else { self.source.0 }
    }

    fn source_after(&self, at: u32) -> u32 {
        if self.is_verbatim() { self.source.0 + (at - self.value.0) } else { self.source.1 }
    }
}
