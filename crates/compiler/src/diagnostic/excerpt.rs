//! Chooses the lines of the files to show with a diagnostic.
//!
//! Start at [`excerpts`]. The renderer reads all it is given and insists on
//! sound ranges, so it gets few lines, short ones, and clamped ranges.

use std::ops::Range;

use crate::diagnostic::Diagnostic;
use crate::source::{FileId, SourceMap, Span, floor_boundary};

/// A span over more lines than this is underlined on its first line only.
const MAX_LINES: u32 = 6;
/// Places further apart than this many bytes get excerpts of their own.
const MAX_EXCERPT_BYTES: usize = 16 * 1024;
/// How many bytes after the start of a place are shown at most.
const MAX_BYTES_AFTER: usize = 4 * 1024;
/// A line is shown from its start, unless the place is further in than this.
const MAX_BYTES_BEFORE: usize = 8 * 1024;

/// Lines of one file with marked places.
pub(super) struct Excerpt<'a> {
    pub(super) file_name: &'a str,
    pub(super) text: &'a str,
    /// The number of its first line, counted from 1.
    pub(super) first_line: u32,
    /// Whether the text begins in the middle of a line.
    pub(super) is_cut: bool,
    /// The line and column of its main place.
    pub(super) place: (u32, u32),
    pub(super) marks: Vec<Mark<'a>>,
}

/// A place in an excerpt, as bytes of its text.
pub(super) struct Mark<'a> {
    pub(super) range: Range<usize>,
    pub(super) label: Option<&'a str>,
    pub(super) is_primary: bool,
}

/// What to show: the diagnostic's own place first, related ones with it where
/// they are near.
pub(super) fn excerpts<'a>(diagnostic: &'a Diagnostic, sources: &'a SourceMap) -> Vec<Excerpt<'a>> {
    let mut places = vec![Place::new(diagnostic.span, diagnostic.label.as_deref(), true, sources)];
    for (span, label) in &diagnostic.related {
        places.push(Place::new(*span, Some(label), false, sources));
    }
    let mut groups: Vec<Vec<Place<'a>>> = Vec::new();
    for place in places {
        match groups.iter_mut().find(|group| place.is_near(&group[0])) {
            Some(group) => group.push(place),
            None => groups.push(vec![place]),
        }
    }
    groups.into_iter().map(|group| excerpt(&group, sources)).collect()
}

/// A clamped place with the range of text to show for it.
struct Place<'a> {
    file: FileId,
    range: Range<usize>,
    shown: Range<usize>,
    label: Option<&'a str>,
    is_primary: bool,
}

impl<'a> Place<'a> {
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

fn excerpt<'a>(places: &[Place<'a>], sources: &'a SourceMap) -> Excerpt<'a> {
    let main = &places[0];
    let shown = places.iter().fold(main.shown.clone(), |shown, place| {
        shown.start.min(place.shown.start)..shown.end.max(place.shown.end)
    });
    let text = sources.text(main.file);
    let marks = places.iter().map(|place| Mark {
        range: place.range.start - shown.start..place.range.end - shown.start,
        label: place.label,
        is_primary: place.is_primary,
    });
    Excerpt {
        file_name: sources.name(main.file),
        is_cut: shown.start > 0 && !text[..shown.start].ends_with('\n'),
        first_line: sources.line_column(main.file, shown.start as u32).0,
        place: sources.line_column(main.file, main.range.start as u32),
        marks: marks.collect(),
        text: &text[shown],
    }
}

/// The span inside its file, on character boundaries and not over many lines.
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

/// The whole lines of a range, or parts of them where they are too long.
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
