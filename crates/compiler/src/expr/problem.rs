//! What to tell an author whose expression cannot be read.
//!
//! Most mistakes are another language's habits; each gets the word to use
//! instead.

use super::{MAX_EXPR_BYTES, MAX_EXPR_DEPTH, MAX_EXPR_HEIGHT};
use crate::diagnostic::Diagnostic;
use crate::source::Span;

/// A sign of another language and what to write here.
pub(super) struct ForeignSign {
    pub(super) sign: &'static str,
    pub(super) instead: &'static str,
}

/// The foreign sign that `text` begins with, if it does.
pub(super) fn foreign_sign(text: &str) -> Option<&'static ForeignSign> {
    FOREIGN_SIGNS.iter().find(|foreign| text.starts_with(foreign.sign))
}

const fn foreign(sign: &'static str, instead: &'static str) -> ForeignSign {
    ForeignSign { sign, instead }
}

/// Longer signs first.
const FOREIGN_SIGNS: &[ForeignSign] = &[
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
    syntax(span, "comparisons cannot follow one another")
        .related(first, "the first comparison is here")
        .hint("use `and`: `a < b and b < c`")
}

pub(super) fn repeated_field(span: Span, name: &str, first: Span) -> Diagnostic {
    Diagnostic::error("E-KEY", span, format!("the field `{name}` stands twice in one record"))
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
