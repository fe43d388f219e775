//! Diagnostics for expressions that cannot be parsed.
//!
//! Most mistakes are habits from other languages. Each gets advice on what to write instead.

use super::{MAX_EXPR_BYTES, MAX_EXPR_DEPTH, MAX_EXPR_HEIGHT};
use crate::diagnostic::Diagnostic;
use crate::source::Span;

/// An operator of another language, with what to write instead.
pub(super) struct ForeignOperator {
    pub(super) operator: &'static str,
    pub(super) instead: &'static str,
}

/// Returns the foreign operator that `text` begins with.
pub(super) fn foreign_operator(text: &str) -> Option<&'static ForeignOperator> {
    FOREIGN_OPERATORS.iter().find(|foreign| text.starts_with(foreign.operator))
}

const fn foreign(sign: &'static str, instead: &'static str) -> ForeignOperator {
    ForeignOperator { operator: sign, instead }
}

/// Foreign operators, longer ones first.
const FOREIGN_OPERATORS: &[ForeignOperator] = &[
    foreign("===", "use `==`"),
    foreign("!==", "use `!=`"),
    foreign("&&", "use `and`"),
    foreign("||", "use `or`"),
    foreign("=<", "use `<=`"),
    foreign("->", "use `=>`"),
    foreign("+=", "use the statement `add`"),
    foreign("&", "use `and`"),
    foreign("|", "use `or`"),
    foreign("\"", "use single quotes around text: `'…'`"),
    foreign("`", "use single quotes around text: `'…'`"),
    foreign("“", "use single quotes around text: `'…'`"),
    foreign("”", "use single quotes around text: `'…'`"),
    foreign("‘", "use single quotes around text: `'…'`"),
    foreign("’", "use single quotes around text: `'…'`"),
    foreign("≥", "use `>=`"),
    foreign("≤", "use `<=`"),
    foreign("≠", "use `!=`"),
    foreign("×", "use `*`"),
    foreign("−", "use `-`"),
    foreign("–", "use `-`"),
    foreign("#", "write comments outside the expression"),
];

pub(super) fn use_instead(span: Span, sign: &str, instead: &str) -> Diagnostic {
    syntax(span, format!("`{sign}` means nothing here")).hint(instead)
}

pub(super) fn unknown_character(span: Span, character: char) -> Diagnostic {
    let problem = syntax(span, format!("unknown character `{}`", character.escape_debug()));
    if character.is_whitespace() { problem.hint("use an ordinary space") } else { problem }
}

pub(super) fn fraction(span: Span) -> Diagnostic {
    syntax(span, "there are no fractions in rulesets").hint("use a whole number; `/` rounds down")
}

pub(super) fn name_begins_with_digit(span: Span) -> Diagnostic {
    syntax(span, "a name cannot begin with a digit")
        .hint("dice are written as `2d20`; everything else needs an operator in between")
}

pub(super) fn number_too_large(span: Span) -> Diagnostic {
    syntax(span, "this number is too large").hint(format!("numbers go up to {}", i64::MAX))
}

pub(super) fn text_not_closed(span: Span) -> Diagnostic {
    syntax(span, "this text is not closed").hint("close it with `'`; a quote inside is `''`")
}

pub(super) fn empty(span: Span) -> Diagnostic {
    syntax(span, "there is no expression here")
}

pub(super) fn compared_twice(span: Span, first: Span) -> Diagnostic {
    syntax(span, "comparisons cannot be chained")
        .related(first, "the first comparison is here")
        .hint("use `and`: `a < b and b < c`")
}

pub(super) fn repeated_field(span: Span, name: &str, first: Span) -> Diagnostic {
    Diagnostic::error("E-KEY", span, format!("the field `{name}` occurs twice in one record"))
        .related(first, "the first one is here")
}

pub(super) fn too_long(span: Span, byte_count: usize) -> Diagnostic {
    let message = format!("this expression has {byte_count} bytes; at most {MAX_EXPR_BYTES} are read");
    Diagnostic::error("E-LIMIT", span, message).hint("move parts of it into functions")
}

pub(super) fn too_deep(span: Span) -> Diagnostic {
    let message = format!("this expression nests more than {MAX_EXPR_DEPTH} deep");
    Diagnostic::error("E-LIMIT", span, message).hint("move parts of it into functions")
}

pub(super) fn too_tall(span: Span) -> Diagnostic {
    let message = format!("more than {MAX_EXPR_HEIGHT} operations build on one another here");
    Diagnostic::error("E-LIMIT", span, message).hint("move parts of it into functions")
}

pub(super) fn syntax(span: Span, message: impl Into<String>) -> Diagnostic {
    Diagnostic::error("E-SYNTAX", span, message)
}
