//! What an author is told, and how it is shown.
//!
//! Start at [`Diagnostic`]. [`render`](fn@render) is for people, [`to_json`]
//! for tools; both take the whole list, usually after [`sort`].

mod excerpt;
mod render;
mod suggest;

pub use render::{render, to_json};
pub use suggest::suggest;

use crate::source::Span;

/// How much a diagnostic matters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Severity {
    /// The ruleset cannot be used.
    Error,
    /// The ruleset can be used but probably does not do what was meant.
    Warning,
    /// Something worth knowing.
    Note,
}

/// One thing to tell the author, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// A stable name such as `E-SYNTAX`, to look up and to filter by.
    pub code: &'static str,
    /// How much it matters.
    pub severity: Severity,
    /// What is wrong: lower case, no full stop, the author's words in backticks.
    pub message: String,
    /// Where it is wrong.
    pub span: Span,
    /// What to write next to the underlined place. Boxed to keep results small.
    pub label: Option<Box<str>>,
    /// Other places that explain it.
    pub related: Vec<(Span, String)>,
    /// What to do about it.
    pub hints: Vec<String>,
}

impl Diagnostic {
    /// A diagnostic that makes the ruleset unusable.
    pub fn error(code: &'static str, span: Span, message: impl Into<String>) -> Self {
        Self::new(Severity::Error, code, span, message.into())
    }

    /// A diagnostic that lets the ruleset pass.
    pub fn warning(code: &'static str, span: Span, message: impl Into<String>) -> Self {
        Self::new(Severity::Warning, code, span, message.into())
    }

    /// A diagnostic that only informs.
    pub fn note(code: &'static str, span: Span, message: impl Into<String>) -> Self {
        Self::new(Severity::Note, code, span, message.into())
    }

    /// Adds advice.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }

    /// Sets what is written next to the underlined place.
    #[must_use]
    pub fn label(mut self, label: impl Into<String>) -> Self {
        self.label = Some(label.into().into_boxed_str());
        self
    }

    /// Adds another place that explains the first.
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

/// Sorts by file, position, then code, and drops exact repeats.
pub fn sort(diagnostics: &mut Vec<Diagnostic>) {
    diagnostics.sort_by(|a, b| position(a).cmp(&position(b)));
    // Equal keys include the message, so repeats stand together.
    diagnostics.dedup();
}

fn position(diagnostic: &Diagnostic) -> impl Ord + '_ {
    let Span { file, start, end } = diagnostic.span;
    (file, start, end, diagnostic.code, diagnostic.message.as_str())
}
