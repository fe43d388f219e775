//! The syntax of types: `int`, `list<maybe<card>>`, `map<player, int>`.
//!
//! Start at [`parse_type`]. [`parse_param`] also takes a default value, as in
//! `int = 1`.

use crate::diagnostic::Diagnostic;
use crate::expr::{Expr, Name};
use crate::source::Span;
use crate::tree::Text;

/// A type as it was written; whether it exists is for others to say.
#[derive(Clone, Debug)]
pub struct TypeExpr {
    /// The type, or the family such as `list`.
    pub name: Name,
    /// What stands between `<` and `>`.
    pub args: Vec<TypeExpr>,
    /// All of it.
    pub span: Span,
}

/// Parses a text that is one type.
pub fn parse_type(text: &Text) -> Result<TypeExpr, Diagnostic> {
    let _ = text;
    Err(Diagnostic::error("E-SYNTAX", text.span, "not yet"))
}

/// Parses a parameter: a type and perhaps `=` and its default value.
pub fn parse_param(text: &Text) -> Result<(TypeExpr, Option<Expr>), Diagnostic> {
    let _ = text;
    Err(Diagnostic::error("E-SYNTAX", text.span, "not yet"))
}
