//! Selection of the source lines shown with a diagnostic.
//!
//! Start at [`excerpts`]. The renderer processes everything it gets and requires valid ranges, so it gets few
//! lines, short ones, and clamped ranges.

use std::ops::Range;

use crate::diagnostic::Diagnostic;
use crate::source::{FileId, SourceMap, Span, floor_boundary};

/// Maximum number of lines of an underlined span. A longer span is underlined on its first line only.
const MAX_LINES: u32 = 6;
/// Maximum size of an excerpt in bytes. Spans further apart get separate excerpts.
const MAX_EXCERPT_BYTES: usize = 16 * 1024;
/// Maximum number of bytes shown after the start of a span.
const MAX_BYTES_AFTER: usize = 4 * 1024;
/// Maximum number of bytes shown before a span on its line. If there are more, the line is cut.
const MAX_BYTES_BEFORE: usize = 8 * 1024;

/// Lines of one file with highlighted spans.
pub(super) struct SourceExcerpt<'a> {
    pub(super) file_name: &'a str,
    pub(super) text: &'a str,
    /// Line number of its first line, counted from 1.
    pub(super) first_line: u32,
    /// The text begins in the middle of a line.
    pub(super) is_cut: bool,
    /// Line and column of the main span.
    pub(super) position: (u32, u32),
    pub(super) marks: Vec<Highlight<'a>>,
}

/// A highlighted range, in bytes of the excerpt's text.
pub(super) struct Highlight<'a> {
    pub(super) range: Range<usize>,
    pub(super) label: Option<&'a str>,
    pub(super) is_primary: bool,
}

/// Returns the excerpts for a diagnostic: its own span first, with the related ones that are near it.
pub(super) fn excerpts<'a>(diagnostic: &'a Diagnostic, sources: &'a SourceMap) -> Vec<SourceExcerpt<'a>> {
    let mut spans = vec![ExcerptSpan::new(diagnostic.span, diagnostic.label.as_deref(), true, sources)];
    for (span, label) in &diagnostic.related {
        spans.push(ExcerptSpan::new(*span, Some(label), false, sources));
    }
    let mut groups: Vec<Vec<ExcerptSpan<'a>>> = Vec::new();
    for span in spans {
        match groups.iter_mut().find(|group| span.is_near(&group[0])) {
            Some(group) => group.push(span),
            None => groups.push(vec![span]),
        }
    }
    groups.into_iter().map(|group| excerpt(&group, sources)).collect()
}

/// A clamped span with the range of text to show for it.
struct ExcerptSpan<'a> {
    file: FileId,
    range: Range<usize>,
    shown: Range<usize>,
    label: Option<&'a str>,
    is_primary: bool,
}

impl<'a> ExcerptSpan<'a> {
    fn new(span: Span, label: Option<&'a str>, is_primary: bool, sources: &SourceMap) -> Self {
        let text = sources.text(span.file);
        let range = clamp(span, sources);
        let shown = shown_around(text, &range);
        let range = range.start..range.end.min(shown.end);
        Self { file: span.file, range, shown, label, is_primary }
    }

    fn is_near(&self, other: &Self) -> bool {
        let start = self.shown.start.min(other.shown.start);
        let end = self.shown.end.max(other.shown.end);
        self.file == other.file && end - start <= MAX_EXCERPT_BYTES
    }
}

fn excerpt<'a>(spans: &[ExcerptSpan<'a>], sources: &'a SourceMap) -> SourceExcerpt<'a> {
    let main = &spans[0];
    let shown = spans.iter().fold(main.shown.clone(), |shown, span| {
        shown.start.min(span.shown.start)..shown.end.max(span.shown.end)
    });
    let text = sources.text(main.file);
    let marks = spans.iter().map(|span| Highlight {
        range: span.range.start - shown.start..span.range.end - shown.start,
        label: span.label,
        is_primary: span.is_primary,
    });
    SourceExcerpt {
        file_name: sources.name(main.file),
        is_cut: shown.start > 0 && !text[..shown.start].ends_with('\n'),
        first_line: sources.line_column(main.file, shown.start as u32).0,
        position: sources.line_column(main.file, main.range.start as u32),
        marks: marks.collect(),
        text: &text[shown],
    }
}

/// Returns the range of a span, clamped to its file, to character boundaries and to [`MAX_LINES`].
fn clamp(span: Span, sources: &SourceMap) -> Range<usize> {
    let text = sources.text(span.file);
    let start = floor_boundary(text, span.start as usize);
    let end = text.ceil_char_boundary((span.end as usize).min(text.len())).max(start);
    let first_line = sources.line_column(span.file, start as u32).0;
    let last_line = sources.line_column(span.file, end as u32).0;
    if last_line - first_line < MAX_LINES {
        return start..end;
    }
    start..line_end(text, start)
}

/// Returns the complete lines of a range, or parts of them if they are too long.
fn shown_around(text: &str, range: &Range<usize>) -> Range<usize> {
    let start = text[..range.start].rfind('\n').map_or(0, |index| index + 1);
    let end = line_end(text, range.end);
    let is_far_in = range.start - start > MAX_BYTES_BEFORE;
    let start = if is_far_in { floor_boundary(text, range.start - 64) } else { start };
    let latest = floor_boundary(text, range.start + MAX_BYTES_AFTER);
    start..end.min(latest)
}

fn line_end(text: &str, at: usize) -> usize {
    text[at..].find('\n').map_or(text.len(), |index| at + index)
}
