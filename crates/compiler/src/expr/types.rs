//! Syntax of types: `int`, `list<maybe<card>>`, `map<player, int>`.
//!
//! Start at [`parse_type`]. [`parse_param`] also accepts a default value, as in `int = 1`.

use super::cursor::TokenCursor;
use super::lexer::TokenKind;
use super::parser::ExprParser;
use super::{Expr, SpannedName};
use crate::diagnostic::Diagnostic;
use crate::source::Span;
use crate::tree::SourceText;

/// A type as written. Whether it exists is checked later.
#[derive(Clone, Debug)]
pub struct TypeExpr {
    /// The type, or a generic type such as `list`.
    pub name: SpannedName,
    /// The types between `<` and `>`.
    pub args: Vec<TypeExpr>,
    pub span: Span,
}

/// Parses a text that is a single type.
pub fn parse_type(text: &SourceText) -> Result<TypeExpr, Diagnostic> {
    let mut cursor = TokenCursor::new(text, 0..text.value.len())?;
    let found = type_expr(&mut cursor)?;
    reject_rest(&cursor, &found, "the end of the type")?;
    Ok(found)
}

/// Parses a parameter: a type, optionally followed by `=` and a default value.
pub fn parse_param(text: &SourceText) -> Result<(TypeExpr, Option<Expr>), Diagnostic> {
    let mut cursor = TokenCursor::new(text, 0..text.value.len())?;
    let found = type_expr(&mut cursor)?;
    if !cursor.eat_punct("=") {
        reject_rest(&cursor, &found, "`=` and a default value")?;
        return Ok((found, None));
    }
    let mut parser = ExprParser::new(cursor);
    let default = parser.expr()?;
    parser.cursor.expect_end()?;
    Ok((found, Some(default)))
}

fn type_expr(cursor: &mut TokenCursor<'_>) -> Result<TypeExpr, Diagnostic> {
    let start = cursor.start();
    cursor.enter()?;
    let name = cursor.expect_name("a type")?;
    let mut args = Vec::new();
    if cursor.is_punct("<") {
        let bracket = cursor.open("<", ">");
        args.push(type_expr(cursor)?);
        while cursor.eat_punct(",") {
            args.push(type_expr(cursor)?);
        }
        if let Some(last) = args.last() {
            reject_question_mark(cursor, last)?;
        }
        cursor.split_angle();
        cursor.close(bracket)?;
    }
    cursor.leave();
    Ok(TypeExpr { name, args, span: cursor.span_from(start) })
}

fn reject_rest(cursor: &TokenCursor<'_>, found: &TypeExpr, expected: &str) -> Result<(), Diagnostic> {
    reject_question_mark(cursor, found)?;
    if *cursor.kind() == TokenKind::End { Ok(()) } else { Err(cursor.unexpected(expected)) }
}

fn reject_question_mark(cursor: &TokenCursor<'_>, before: &TypeExpr) -> Result<(), Diagnostic> {
    if !matches!(cursor.kind(), TokenKind::Punct("?" | "??" | "?.")) {
        return Ok(());
    }
    let problem = Diagnostic::error("E-SYNTAX", cursor.span_here(), "a type cannot end in `?`");
    Err(problem.hint(format!("write `maybe<{}>`", before.to_source())))
}

impl TypeExpr {
    /// Returns the type in normalised notation.
    pub fn to_source(&self) -> String {
        if self.args.is_empty() {
            return self.name.text.clone();
        }
        let args: Vec<_> = self.args.iter().map(TypeExpr::to_source).collect();
        format!("{}<{}>", self.name.text, args.join(", "))
    }
}
