//! Explanation of a failed comparison: the values of its two sides.

use std::sync::Arc;

use intermezzo_compiler::expr::{self, BinaryOp, Expr, ExprKind};
use intermezzo_compiler::source::FileId;
use intermezzo_compiler::tree::{SourceNode, SourceText};
use intermezzo_compiler::{Extras, Ruleset};
use intermezzo_engine::Match;

use crate::running_match::RunningMatch;
use crate::shorthand::Shorthand;
use crate::values::show;

/// Returns one line for each side of a comparison that is not a literal; nothing if the values are not
/// known.
///
/// The sides are compiled on demand, into a program that otherwise equals that of the match.
pub(crate) fn explain(
    ruleset: &Ruleset,
    given: &[SourceNode],
    running: &RunningMatch,
    text: &str,
) -> Vec<String> {
    let sides = sides(text);
    let texts: Vec<SourceText> =
        sides.iter().map(|side| Shorthand::default().text(&source_text(side))).collect();
    let compiled = ruleset.compile_with(&Extras {
        given: given.iter().collect(),
        expressions: texts.iter().collect(),
        ..Extras::default()
    });
    let program = compiled.program.map(Arc::new);
    let Some(played) = program.and_then(|program| Match::restore(program, &running.game.snapshot()).ok())
    else {
        return Vec::new();
    };
    let value = |(side, expression): (&&str, &intermezzo_compiler::ExtraExpression)| {
        let value = played.evaluate_datum(expression.routine, expression.ty).ok()?;
        Some(format!("  `{side}` is {}", show(&running.named(value))))
    };
    sides.iter().zip(&compiled.expressions).filter_map(value).collect()
}

fn sides(text: &str) -> Vec<&str> {
    let Ok(Expr { kind: ExprKind::Binary { op, left, right, .. }, .. }) = expr::parse(&source_text(text))
    else {
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

/// Wraps a text as if it stood at the start of a file.
fn source_text(text: &str) -> SourceText {
    SourceText::verbatim(text, FileId(0), 0)
}
