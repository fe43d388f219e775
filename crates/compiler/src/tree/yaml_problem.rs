//! Diagnostics for YAML that cannot be parsed or is outside the supported subset.

use granit_parser::{ErrorKind, ScanError};

use super::builder::too_deep;
use crate::diagnostic::Diagnostic;
use crate::source::{FileId, Span, floor_boundary};

const QUOTE_IT: &str = "put quotes around the whole text: `\"…\"`";

/// Translates an error of the YAML parser into a diagnostic for authors.
pub(super) fn explain(error: &ScanError, file: FileId, source: &str) -> Diagnostic {
    let offset = error.marker().byte_offset().unwrap_or(source.len());
    let offset = floor_boundary(source, offset);
    let span = span_of_character(file, source, offset);
    if matches!(error.kind(), ErrorKind::RecursionLimitExceeded) {
        return too_deep(span);
    }
    let (span, message, hint) = match tab_in_indentation(error.kind(), file, source, offset) {
        Some(tab) => (tab, "there is a tab in the indentation".to_owned(), "indent with spaces"),
        None => {
            let (message, hint) = describe(error);
            (span, message, hint)
        }
    };
    let problem = Diagnostic::error("E-YAML", span, message);
    if hint.is_empty() { problem } else { problem.hint(hint) }
}

/// Rejects a tag such as `!x`.
pub(super) fn tag(span: Span) -> Diagnostic {
    Diagnostic::error("E-YAML", span, "tags (`!`) are not allowed in rulesets")
        .hint("to test for the opposite use `not`; to write text, put quotes around it")
}

/// Rejects an anchor such as `&x`.
pub(super) fn anchor(span: Span) -> Diagnostic {
    Diagnostic::error("E-YAML", span, "anchors (`&`) are not allowed in rulesets")
        .hint("give the shared part a name, as a trait, a proc or a function")
}

/// Rejects an alias such as `*x`.
pub(super) fn alias(span: Span) -> Diagnostic {
    Diagnostic::error("E-YAML", span, "aliases (`*`) are not allowed in rulesets")
        .hint("give the shared part a name, as a trait, a proc or a function")
}

/// Rejects the merge key `<<`.
pub(super) fn merge_key(span: Span) -> Diagnostic {
    Diagnostic::error("E-YAML", span, "merge keys (`<<`) are not allowed in rulesets")
        .hint("write the keys out, or use `extends`")
}

/// Rejects a second document in a file.
pub(super) fn second_document(span: Span) -> Diagnostic {
    Diagnostic::error("E-YAML", span, "a second document begins here")
        .hint("one file is one document: remove the `---`, or use another file")
}

/// Rejects a key that is a list or an object, or follows `?`.
pub(super) fn complex_key(span: Span) -> Diagnostic {
    Diagnostic::error("E-YAML", span, "a key must be a plain word")
        .hint("keys are written as `key: value`; a text with brackets in it needs quotes")
}

/// Rejects a colon without a key.
pub(super) fn missing_key(span: Span) -> Diagnostic {
    Diagnostic::error("E-YAML", span, "there is no key before this `:`")
        .hint("write a key before it, or put quotes around the whole text")
}

fn describe(error: &ScanError) -> (String, &'static str) {
    use ErrorKind as E;
    let (message, hint) = match error.kind() {
        E::DirectiveDisallowed => ("directives (`%`) are not allowed in rulesets", "remove the line"),
        E::MappingValueNotAllowed | E::InvalidColonPlacement => {
            ("a `:` is not allowed here", "a text with `: ` in it needs quotes around the whole text")
        }
        E::ExpectedFlowMappingSeparator | E::UnexpectedEofFlowMapping => {
            ("expected `,` or `}`", "inside `{ }`, a text with `[ ] { }` or `,` in it needs quotes: `\"…\"`")
        }
        E::ExpectedFlowSequenceSeparator | E::UnexpectedEofFlowSequence => {
            ("expected `,` or `]`", "inside `[ ]`, a text with `[ ] { }` or `,` in it needs quotes: `\"…\"`")
        }
        E::InvalidTrailingSingleQuotedScalar | E::InvalidTrailingDoubleQuotedScalar => {
            ("something follows the closing quote", QUOTE_IT)
        }
        E::InvalidQuotedScalarIndent | E::UnclosedQuotedScalar => {
            ("a quote is opened but not closed", "close it, or indent its continuation lines")
        }
        E::UnknownQuotedScalarEscape => {
            ("an escape in this text is not known", "write `\\\\` for a backslash, or use single quotes")
        }
        E::ExpectedBlockSequenceEntry => ("expected another `- ` of this list", "check the indentation"),
        E::BlockSequenceEntryNotAllowed => ("a `- ` is not allowed here", "begin the list on a new line"),
        E::ExpectedBlockMappingKey | E::SimpleKeyExpected | E::InvalidSimpleKey => {
            ("expected a key and `:`", "check the indentation, and that the `:` is there")
        }
        E::ExpectedDocumentStart | E::InvalidIndentation => {
            ("this line is not indented like its neighbours", "align it with the lines above")
        }
        E::UnclosedFlowCollection { open } => {
            return (format!("the `{open}` is not closed"), "close it, or put quotes around it");
        }
        E::MismatchedFlowCollectionEnd { open, close } => {
            return (format!("the `{open}` is closed by `{close}`"), "use the matching bracket");
        }
        E::UnexpectedCharacter { character } => {
            let character = character.escape_debug();
            return (format!("an unquoted text cannot begin with `{character}`"), QUOTE_IT);
        }
        E::MissingAnchorOrAliasName => ("an unquoted text cannot begin with `*` or `&`", QUOTE_IT),
        other => return (other.to_string().to_lowercase(), ""),
    };
    (message.to_owned(), hint)
}

/// Returns the position of the tab behind an error about tabs, which the parser reports before or after it.
fn tab_in_indentation(kind: &ErrorKind, file: FileId, source: &str, offset: usize) -> Option<Span> {
    use ErrorKind as E;
    let is_about_tabs = matches!(
        kind,
        E::TabNotAllowed
            | E::TabInBlockIndentation
            | E::TabInIndentation
            | E::TabInPlainScalar
            | E::TabAtBlockScalarStart
    );
    if !is_about_tabs {
        return None;
    }
    let mut line_start = source[..offset].rfind('\n').map_or(0, |index| index + 1);
    for line in source[line_start..].split_inclusive('\n') {
        let spaces = line.len() - line.trim_start_matches(' ').len();
        if line[spaces..].starts_with('\t') {
            let tab = (line_start + spaces) as u32;
            return Some(Span::at(file, tab, tab + 1));
        }
        line_start += line.len();
    }
    None
}

fn span_of_character(file: FileId, source: &str, offset: usize) -> Span {
    let width = match source[offset..].chars().next() {
        None | Some('\n' | '\r') => 0,
        Some(character) => character.len_utf8(),
    };
    Span::at(file, offset as u32, (offset + width) as u32)
}
