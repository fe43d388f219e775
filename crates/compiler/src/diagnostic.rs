//! Diagnostics, and their output.
//!
//! Start at [`Diagnostic`]. [`render`](fn@render) is for people, [`to_json`] for tools; both take the whole
//! list, usually after [`sort`].

mod excerpt;
mod render;
mod suggest;

pub use render::{render, to_json};
pub use suggest::suggest;

use crate::source::Span;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Severity {
    /// The ruleset cannot be used.
    Error,
    /// The ruleset can be used, but probably does not do what its author intended.
    Warning,
    /// Information only.
    Note,
}

/// A message about a ruleset, with its position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// A stable name such as `E-SYNTAX`, for lookup and filtering.
    pub code: &'static str,
    pub severity: Severity,
    /// The message: lower case, no full stop, names from the ruleset in backticks.
    pub message: String,
    pub span: Span,
    /// Text next to the underlined source. Boxed to keep `Result`s small.
    pub label: Option<Box<str>>,
    /// Other positions that explain the message.
    pub related: Vec<(Span, String)>,
    /// Advice on how to fix it.
    pub hints: Vec<String>,
}

impl Diagnostic {
    /// Creates a diagnostic that makes the ruleset unusable.
    pub fn error(code: &'static str, span: Span, message: impl Into<String>) -> Self {
        Self::new(Severity::Error, code, span, message.into())
    }

    /// Creates a diagnostic that does not prevent the ruleset from being used.
    pub fn warning(code: &'static str, span: Span, message: impl Into<String>) -> Self {
        Self::new(Severity::Warning, code, span, message.into())
    }

    /// Creates a diagnostic that only informs.
    pub fn note(code: &'static str, span: Span, message: impl Into<String>) -> Self {
        Self::new(Severity::Note, code, span, message.into())
    }

    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }

    /// Sets the text next to the underlined source.
    #[must_use]
    pub fn label(mut self, label: impl Into<String>) -> Self {
        self.label = Some(label.into().into_boxed_str());
        self
    }

    /// Adds another position that explains the message.
    #[must_use]
    pub fn related(mut self, span: Span, label: impl Into<String>) -> Self {
        self.related.push((span, label.into()));
        self
    }

    fn new(severity: Severity, code: &'static str, span: Span, message: String) -> Self {
        let (label, related, hints) = (None, Vec::new(), Vec::new());
        Self { code, severity, message, span, label, related, hints }
    }
}

/// Sorts by file, position and code, and removes duplicates.
pub fn sort(diagnostics: &mut Vec<Diagnostic>) {
    diagnostics.sort_by(|a, b| position(a).cmp(&position(b)));
    // The sort key includes the message, so duplicates are adjacent.
    diagnostics.dedup();
}

fn position(diagnostic: &Diagnostic) -> impl Ord + '_ {
    let Span { file, start, end } = diagnostic.span;
    (file, start, end, diagnostic.code, diagnostic.message.as_str())
}
