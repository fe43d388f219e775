//! The grammar of expressions.

use std::ops::Range;

use crate::diagnostic::Diagnostic;
use crate::expr::Expr;
use crate::tree::Text;

/// Parses a text that is one expression.
pub fn parse(text: &Text) -> Result<Expr, Diagnostic> {
    parse_at(text, 0..text.value.len())
}

/// Parses a range of bytes of a text, as templates need it.
pub fn parse_at(text: &Text, range: Range<usize>) -> Result<Expr, Diagnostic> {
    Err(Diagnostic::error("E-SYNTAX", text.span_of(range), "not yet"))
}
