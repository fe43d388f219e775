//! Why a comparison does not hold: the values of its two sides.

use std::sync::Arc;

use intermezzo_compiler::expr::{self, BinaryOp, Expr, ExprKind};
use intermezzo_compiler::source::FileId;
use intermezzo_compiler::tree::{Node, Text};
use intermezzo_compiler::{Extras, Ruleset};
use intermezzo_engine::Match;

use crate::shorthand::Shorthand;
use crate::table::Table;
use crate::values::show;

/// One line for each side of a comparison that is not a plain value; nothing if it cannot be told.
///
/// The sides are compiled only now, into a program that differs from that of the match in nothing else.
pub(crate) fn explain(ruleset: &Ruleset, given: &[Node], table: &Table, text: &str) -> Vec<String> {
    let sides = sides(text);
    let texts: Vec<Text> = sides.iter().map(|side| Shorthand::default().text(&alone(side))).collect();
    let compiled = ruleset.compile_with(&Extras {
        given: given.iter().collect(),
        expressions: texts.iter().collect(),
        ..Extras::default()
    });
    let program = compiled.program.map(Arc::new);
    let Some(played) = program.and_then(|program| Match::restore(program, &table.played.snapshot()).ok())
    else {
        return Vec::new();
    };
    let value = |(side, expression): (&&str, &intermezzo_compiler::ExtraExpression)| {
        let value = played.evaluate_datum(expression.routine, expression.ty).ok()?;
        Some(format!("  `{side}` is {}", show(&table.named(value))))
    };
    sides.iter().zip(&compiled.expressions).filter_map(value).collect()
}

fn sides(text: &str) -> Vec<&str> {
    let Ok(Expr { kind: ExprKind::Binary { op, left, right, .. }, .. }) = expr::parse(&alone(text)) else {
        return Vec::new();
    };
    if !matches!(op, BinaryOp::Eq | BinaryOp::Ne | BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge)
    {
        return Vec::new();
    }
    let is_plain = |side: &Expr| {
        use ExprKind::{False, Int, Null, Text, True};
        matches!(side.kind, Int(_) | Text(_) | True | False | Null)
    };
    let told = [left, right].into_iter().filter(|side| !is_plain(side));
    told.filter_map(|side| text.get(side.span.start as usize..side.span.end as usize)).collect()
}

/// A text by itself, at the start of a file.
fn alone(text: &str) -> Text {
    Text::straight(text, FileId(0), 0)
}
