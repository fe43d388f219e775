//! A string that knows where each of its characters stands in the file.
//!
//! Start at [`Text::span_of`]. What an author wrote and what it means differ
//! where there are escapes, folded lines and indentation; the difference is
//! kept as a list of [`Run`]s.

use std::ops::Range;

use crate::source::{FileId, Span};

/// A string scalar that knows where each of its characters stands in the file.
#[derive(Clone, Debug)]
pub struct Text {
    /// What it says.
    pub value: String,
    /// All of it, quotes included.
    pub span: Span,
    places: Places,
}

/// Where the bytes of a value stand in the file.
#[derive(Clone, Debug)]
pub(super) enum Places {
    /// Byte for byte from this offset on.
    Straight(u32),
    /// In pieces that together cover the value, in order.
    Runs(Vec<Run>),
    /// Nobody knows better than the span of the whole.
    Whole,
}

/// A piece of a value and the piece of the file that says it.
///
/// Pieces of equal length correspond byte for byte; others (escapes, folds)
/// only as a whole.
#[derive(Clone, Copy, Debug)]
pub(super) struct Run {
    /// Bytes of the value.
    pub(super) value: (u32, u32),
    /// Bytes of the file.
    pub(super) source: (u32, u32),
}

impl Text {
    pub(super) fn new(value: String, span: Span, places: Places) -> Self {
        Self { value, span, places }
    }

    /// A text that stands in `file` exactly as it reads, from `start` on.
    pub fn straight(value: &str, file: FileId, start: u32) -> Self {
        let span = Span::at(file, start, start + value.len() as u32);
        Self::new(value.to_owned(), span, Places::Straight(start))
    }

    /// What it says.
    pub fn as_str(&self) -> &str {
        &self.value
    }

    /// Where a range of bytes of the value stands in the file.
    ///
    /// An empty range stands before the character that follows it. Where the
    /// file cannot be matched with the value, this is the span of the whole.
    pub fn span_of(&self, range: Range<usize>) -> Span {
        let start = range.start.min(self.value.len()) as u32;
        let end = (range.end.min(self.value.len()) as u32).max(start);
        match &self.places {
            Places::Straight(base) => Span::at(self.span.file, base + start, base + end),
            Places::Runs(runs) => self.span_in_runs(runs, start, end),
            Places::Whole => self.span,
        }
    }

    fn span_in_runs(&self, runs: &[Run], start: u32, end: u32) -> Span {
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

impl Run {
    /// Whether a piece goes on byte for byte where this one ends.
    pub(super) fn continues(&self, value: (u32, u32), source: (u32, u32)) -> bool {
        let next = Self { value, source };
        let touches = self.value.1 == value.0 && self.source.1 == source.0;
        touches && self.is_straight() && next.is_straight()
    }

    fn is_straight(&self) -> bool {
        self.value.1 - self.value.0 == self.source.1 - self.source.0
    }

    fn source_before(&self, at: u32) -> u32 {
        if self.is_straight() { self.source.0 + (at - self.value.0) } else { self.source.0 }
    }

    fn source_after(&self, at: u32) -> u32 {
        if self.is_straight() { self.source.0 + (at - self.value.0) } else { self.source.1 }
    }
}
