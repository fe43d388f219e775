//! The syntax of types: `int`, `list<maybe<card>>`, `map<player, int>`.
//!
//! Start at [`parse_type`]. [`parse_param`] also takes a default value, as in
//! `int = 1`.

use super::cursor::Cursor;
use super::lexer::Kind;
use super::parser::Parser;
use super::{Expr, Name};
use crate::diagnostic::Diagnostic;
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
    let mut cursor = Cursor::new(text, 0..text.value.len())?;
    let found = type_expr(&mut cursor)?;
    refuse_rest(&cursor, &found, "the end of the type")?;
    Ok(found)
}

/// Parses a parameter: a type and perhaps `=` and its default value.
pub fn parse_param(text: &Text) -> Result<(TypeExpr, Option<Expr>), Diagnostic> {
    let mut cursor = Cursor::new(text, 0..text.value.len())?;
    let found = type_expr(&mut cursor)?;
    if !cursor.take_sign("=") {
        refuse_rest(&cursor, &found, "`=` and a default value")?;
        return Ok((found, None));
    }
    let mut parser = Parser::new(cursor);
    let default = parser.expr()?;
    parser.cursor.expect_end()?;
    Ok((found, Some(default)))
}

fn type_expr(cursor: &mut Cursor<'_>) -> Result<TypeExpr, Diagnostic> {
    let start = cursor.start();
    cursor.enter()?;
    let name = cursor.expect_name("a type")?;
    let mut args = Vec::new();
    if cursor.is_sign("<") {
        let bracket = cursor.open("<", ">");
        args.push(type_expr(cursor)?);
        while cursor.take_sign(",") {
            args.push(type_expr(cursor)?);
        }
        if let Some(last) = args.last() {
            refuse_question_mark(cursor, last)?;
        }
        cursor.split_angle();
        cursor.close(bracket)?;
    }
    cursor.leave();
    Ok(TypeExpr { name, args, span: cursor.span_from(start) })
}

fn refuse_rest(cursor: &Cursor<'_>, found: &TypeExpr, expected: &str) -> Result<(), Diagnostic> {
    refuse_question_mark(cursor, found)?;
    if *cursor.kind() == Kind::End { Ok(()) } else { Err(cursor.unexpected(expected)) }
}

fn refuse_question_mark(cursor: &Cursor<'_>, before: &TypeExpr) -> Result<(), Diagnostic> {
    if !matches!(cursor.kind(), Kind::Sign("?" | "??" | "?.")) {
        return Ok(());
    }
    let problem = Diagnostic::error("E-SYNTAX", cursor.span_here(), "a type cannot end in `?`");
    Err(problem.hint(format!("write `maybe<{}>`", before.written())))
}

impl TypeExpr {
    /// The type as text, evenly spaced.
    pub fn written(&self) -> String {
        if self.args.is_empty() {
            return self.name.text.clone();
        }
        let args: Vec<_> = self.args.iter().map(TypeExpr::written).collect();
        format!("{}<{}>", self.name.text, args.join(", "))
    }
}
