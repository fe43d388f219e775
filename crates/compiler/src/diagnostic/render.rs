//! Output of diagnostics for people and for tools.
//!
//! Start at [`render`] and [`to_json`]. Only the relevant lines are passed to the renderer, so large files
//! and long lines cost nothing.

use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet, normalize_untrusted_str};
use serde_json::json;

use super::excerpt::{SourceExcerpt, excerpts};
use crate::diagnostic::{Diagnostic, Severity};
use crate::source::{SourceMap, Span};

/// Width of rendered lines, in characters.
const WIDTH: usize = 120;

/// Renders diagnostics for people: message, position, underlined source and hints. With `color`, in ANSI
/// colours.
pub fn render(diagnostics: &[Diagnostic], sources: &SourceMap, color: bool) -> String {
    let renderer = if color { Renderer::styled() } else { Renderer::plain() };
    let renderer = renderer.term_width(WIDTH);
    let mut text = String::new();
    for diagnostic in diagnostics {
        text.push_str(&renderer.render(&[group(diagnostic, sources)]));
        text.push_str("\n\n");
    }
    text
}

/// Returns one object per diagnostic: `code`, `severity`, `message`, `file`, `line`, `column`, `endLine`,
/// `endColumn`, `label`, `hints` and `related`.
///
/// Lines and columns count from 1, columns in characters. The end is exclusive.
pub fn to_json(diagnostics: &[Diagnostic], sources: &SourceMap) -> serde_json::Value {
    diagnostics.iter().map(|diagnostic| object(diagnostic, sources)).collect()
}

fn group<'a>(diagnostic: &'a Diagnostic, sources: &'a SourceMap) -> Group<'a> {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Note => Level::NOTE,
    };
    let title = level.primary_title(normalize_untrusted_str(&diagnostic.message));
    let mut group = Group::with_title(title.id(diagnostic.code));
    for excerpt in excerpts(diagnostic, sources) {
        let snippet = snippet(&excerpt);
        // The renderer computes columns from the text it gets, which would be wrong for a cut line.
        group = if excerpt.is_cut {
            group.element(origin(&excerpt)).element(snippet)
        } else {
            group.element(snippet.path(excerpt.file_name))
        };
    }
    let hints = diagnostic.hints.iter().map(|hint| normalize_untrusted_str(hint));
    group.elements(hints.map(|hint| Level::HELP.message(hint)))
}

fn origin<'a>(excerpt: &SourceExcerpt<'a>) -> Origin<'a> {
    Origin::path(excerpt.file_name).line(excerpt.position.0 as usize).char_column(excerpt.position.1 as usize)
}

fn snippet<'a>(excerpt: &SourceExcerpt<'a>) -> Snippet<'a, annotate_snippets::Annotation<'a>> {
    let annotations = excerpt.marks.iter().map(|mark| {
        let kind = if mark.is_primary { AnnotationKind::Primary } else { AnnotationKind::Context };
        kind.span(mark.range.clone()).label(mark.label.map(normalize_untrusted_str))
    });
    Snippet::source(excerpt.text)
        .line_start(excerpt.first_line as usize)
        .annotations(annotations.collect::<Vec<_>>())
}

fn object(diagnostic: &Diagnostic, sources: &SourceMap) -> serde_json::Value {
    let severity = match diagnostic.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "note",
    };
    let related = diagnostic.related.iter().map(|(span, message)| {
        let mut object = position(*span, sources);
        object["message"] = json!(message);
        object
    });
    let mut object = json!({
        "code": diagnostic.code,
        "severity": severity,
        "message": diagnostic.message,
    });
    if let (Some(object), Some(position)) =
        (object.as_object_mut(), position(diagnostic.span, sources).as_object_mut())
    {
        object.append(position);
    }
    object["label"] = json!(diagnostic.label);
    object["hints"] = json!(diagnostic.hints);
    object["related"] = related.collect();
    object
}

fn position(span: Span, sources: &SourceMap) -> serde_json::Value {
    let (line, column) = sources.line_column(span.file, span.start);
    let (end_line, end_column) = sources.line_column(span.file, span.end.max(span.start));
    json!({
        "file": sources.name(span.file),
        "line": line,
        "column": column,
        "endLine": end_line,
        "endColumn": end_column,
    })
}
