//! Names that a `let` among the costs gives to values for the costs after it.
//!
//! The tests of whether a cost can be paid, and the price that clients show, are compiled without the costs before it. There
//! the expression of the name takes its place.

use super::Checker;
use crate::expr::{Arg, Expr, ExprKind};
use crate::tree::SourceNode;

/// Names with their expressions.
type CostLets = Vec<(String, Expr)>;

impl Checker<'_> {
    /// Returns the names given before a cost, in terms of what is known without them.
    pub(crate) fn cost_lets(&mut self, earlier: &[SourceNode]) -> CostLets {
        let mut known: CostLets = Vec::new();
        for entry in earlier.iter().filter_map(|cost| cost.get("let")?.as_map()).flatten() {
            if let Some(mut expr) = self.node_expr(&entry.value) {
                replace_names(&mut expr, &known);
                known.retain(|(name, _)| *name != entry.key.value);
                known.push((entry.key.value.clone(), expr));
            }
        }
        known
    }

    /// Returns an argument of a cost with these names replaced.
    pub(crate) fn cost_argument(&mut self, node: &SourceNode, known: &CostLets) -> Option<Expr> {
        let mut expr = self.node_expr(node)?;
        replace_names(&mut expr, known);
        Some(expr)
    }

    /// Compiles a cost. Names that it gives stay for the next costs.
    pub(crate) fn cost_statement(&mut self, cost: &SourceNode) {
        if cost.get("let").is_some() {
            self.sequence(cost);
        } else {
            self.block(cost);
        }
    }
}

fn replace_names(expr: &mut Expr, known: &[(String, Expr)]) {
    if known.is_empty() {
        return;
    }
    let arguments = |args: &mut [Arg]| {
        for arg in args {
            let shadowed = arg.param.as_ref().map(|param| param.text.clone());
            let visible: CostLets =
                known.iter().filter(|(name, _)| Some(name) != shadowed.as_ref()).cloned().collect();
            replace_names(&mut arg.body, &visible);
        }
    };
    match &mut expr.kind {
        ExprKind::Name(name) => {
            if let Some((_, value)) = known.iter().find(|(known, _)| known == name) {
                expr.kind = value.kind.clone();
            }
        }
        ExprKind::Call { args, .. } => arguments(args),
        ExprKind::Method { target, args, .. } => {
            replace_names(target, known);
            arguments(args);
        }
        ExprKind::Index { target, index } => {
            replace_names(target, known);
            replace_names(index, known);
        }
        ExprKind::Assert(inner)
        | ExprKind::Unary { operand: inner, .. }
        | ExprKind::Is { target: inner, .. } => {
            replace_names(inner, known);
        }
        ExprKind::List(items) => items.iter_mut().for_each(|item| replace_names(item, known)),
        ExprKind::Record(fields) => fields.iter_mut().for_each(|(_, value)| replace_names(value, known)),
        ExprKind::Binary { left, right, .. } => {
            replace_names(left, known);
            replace_names(right, known);
        }
        ExprKind::If { cond, then, otherwise } => {
            for part in [cond, then, otherwise] {
                replace_names(part, known);
            }
        }
        ExprKind::Int(_)
        | ExprKind::Dice { .. }
        | ExprKind::Text(_)
        | ExprKind::True
        | ExprKind::False
        | ExprKind::Null => {}
    }
}
