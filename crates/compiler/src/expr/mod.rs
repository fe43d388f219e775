//! The expression language used in the strings of a ruleset.
//!
//! Start at [`parse`], which turns a text of the tree into an [`Expr`]. Every part of it has a span. Types
//! have their own small syntax in [`types`].

mod cursor;
mod lexer;
mod parser;
mod primary;
mod problem;
pub mod types;

pub use parser::{parse, parse_at};
pub use types::{TypeExpr, parse_param, parse_type};

use crate::source::Span;

/// Maximum length of an expression, in bytes.
pub const MAX_EXPR_BYTES: usize = 16 * 1024;
/// Maximum nesting depth of brackets, prefix operators and `if`.
pub const MAX_EXPR_DEPTH: usize = 64;
/// Maximum number of operations that build on one another, as in `a + b + c` or `a.b.c`.
///
/// This is the height of the tree, so code that walks it may use recursion.
pub const MAX_EXPR_HEIGHT: usize = 256;

/// An expression with its position.
#[derive(Clone, Debug)]
pub struct Expr {
    /// The whole expression, without enclosing brackets.
    pub span: Span,
    pub kind: ExprKind,
}

/// The forms of an expression.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// `3`
    Int(i64),
    /// `2d20`
    Dice {
        count: i64,
        /// Number of sides of each die.
        sides: i64,
    },
    /// `'text'`
    Text(String),
    /// `true`
    True,
    /// `false`
    False,
    /// `null`
    Null,
    /// `life`
    Name(String),
    /// `f(x)`
    Call { name: SpannedName, args: Vec<Arg> },
    /// `a.b`, `a.b(x)`, `a?.b`
    Method {
        /// The value before the dot.
        target: Box<Expr>,
        /// The property or method.
        name: SpannedName,
        args: Vec<Arg>,
        /// True if brackets were written, even empty ones.
        has_parens: bool,
        /// True for `?.`.
        null_safe: bool,
    },
    /// `a[i]`
    Index {
        /// The list or map.
        target: Box<Expr>,
        /// The position or key.
        index: Box<Expr>,
    },
    /// `e!`
    Assert(Box<Expr>),
    /// `[a, b]`
    List(Vec<Expr>),
    /// `{a: 1, b: 2}`
    Record(Vec<(SpannedName, Expr)>),
    /// `not e`, `-e`
    Unary { op: UnaryOp, operand: Box<Expr> },
    /// `a + b` and the other binary operators
    Binary {
        op: BinaryOp,
        left: Box<Expr>,
        right: Box<Expr>,
        /// Position of the operator.
        op_span: Span,
    },
    /// `x is name`
    Is {
        target: Box<Expr>,
        /// The kind, def, trait, zone or event.
        name: SpannedName,
    },
    /// `if c then a else b`
    If { cond: Box<Expr>, then: Box<Expr>, otherwise: Box<Expr> },
}

/// Prefix operators.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum UnaryOp {
    /// `not`
    Not,
    /// `-`
    Neg,
}

/// Binary operators.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum BinaryOp {
    /// `or`
    Or,
    /// `and`
    And,
    /// `==`
    Eq,
    /// `!=`
    Ne,
    /// `<`
    Lt,
    /// `<=`
    Le,
    /// `>`
    Gt,
    /// `>=`
    Ge,
    /// `in`
    In,
    /// `not in`
    NotIn,
    /// `+`
    Add,
    /// `-`
    Sub,
    /// `*`
    Mul,
    /// `/`
    Div,
    /// `%`
    Rem,
    /// `??`
    Coalesce,
}

impl BinaryOp {
    /// Returns the operator as it is written.
    pub fn symbol(self) -> &'static str {
        match self {
            Self::Or => "or",
            Self::And => "and",
            Self::Eq => "==",
            Self::Ne => "!=",
            Self::Lt => "<",
            Self::Le => "<=",
            Self::Gt => ">",
            Self::Ge => ">=",
            Self::In => "in",
            Self::NotIn => "not in",
            Self::Add => "+",
            Self::Sub => "-",
            Self::Mul => "*",
            Self::Div => "/",
            Self::Rem => "%",
            Self::Coalesce => "??",
        }
    }
}

/// A name with its position.
#[derive(Clone, Debug)]
pub struct SpannedName {
    pub text: String,
    pub span: Span,
}

/// An argument: an expression, or a lambda `p => body`.
#[derive(Clone, Debug)]
pub struct Arg {
    /// The parameter of a lambda.
    pub param: Option<SpannedName>,
    /// The argument, or the body of the lambda.
    pub body: Expr,
}

impl Expr {
    /// Calls `visit` for every name used as a value, including the parameters of lambdas.
    pub fn visit_names(&self, visit: &mut dyn FnMut(&str)) {
        if let ExprKind::Name(name) = &self.kind {
            visit(name);
        }
        self.each_part(&mut |part| part.visit_names(visit));
    }

    /// Tells whether a name is used that no argument of a list method binds. Calls `visit` for each use, with the member that is
    /// read from it, if any.
    pub fn mentions_free(&self, name: &str, visit: &mut dyn FnMut(Option<&str>)) -> bool {
        let is_it = |expr: &Expr| matches!(&expr.kind, ExprKind::Name(found) if found == name);
        match &self.kind {
            ExprKind::Name(found) if found == name => {
                visit(None);
                true
            }
            ExprKind::Method { target, name: member, args, .. } if is_it(target) && args.is_empty() => {
                visit(Some(&member.text));
                true
            }
            // `it` of an argument without a parameter is the item of the list.
            ExprKind::Method { target, args, .. } => {
                let mut found = target.mentions_free(name, visit);
                for arg in args {
                    let is_bound = match &arg.param {
                        Some(param) => param.text == name,
                        None => name == "it",
                    };
                    found |= !is_bound && arg.body.mentions_free(name, visit);
                }
                found
            }
            _ => {
                let mut found = false;
                self.each_part(&mut |part| found |= part.mentions_free(name, visit));
                found
            }
        }
    }

    /// Calls `visit` for the name of every called function.
    pub fn visit_calls(&self, visit: &mut dyn FnMut(&str)) {
        if let ExprKind::Call { name, .. } = &self.kind {
            visit(&name.text);
        }
        self.each_part(&mut |part| part.visit_calls(visit));
    }

    fn each_part(&self, visit: &mut dyn FnMut(&Expr)) {
        match &self.kind {
            ExprKind::Call { args, .. } => args.iter().for_each(|arg| visit(&arg.body)),
            ExprKind::Method { target, args, .. } => {
                visit(target);
                args.iter().for_each(|arg| visit(&arg.body));
            }
            ExprKind::Index { target, index } => {
                visit(target);
                visit(index);
            }
            ExprKind::Assert(inner) => visit(inner),
            ExprKind::List(items) => items.iter().for_each(visit),
            ExprKind::Record(fields) => fields.iter().for_each(|(_, value)| visit(value)),
            ExprKind::Unary { operand, .. } => visit(operand),
            ExprKind::Binary { left, right, .. } => {
                visit(left);
                visit(right);
            }
            ExprKind::Is { target, .. } => visit(target),
            ExprKind::If { cond, then, otherwise } => {
                visit(cond);
                visit(then);
                visit(otherwise);
            }
            _ => {}
        }
    }
}
