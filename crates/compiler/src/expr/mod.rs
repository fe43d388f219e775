//! The expression language: what stands in a ruleset's strings.
//!
//! Start at [`parse`], which turns a text of the tree into an [`Expr`]. Every
//! part of it knows its place in the file. Types have their own small syntax
//! in [`types`].

mod cursor;
mod lexer;
mod parser;
mod primary;
mod problem;
pub mod types;

pub use parser::{parse, parse_at};
pub use types::{TypeExpr, parse_param, parse_type};

use crate::source::Span;

/// The longest expression, in bytes.
pub const MAX_EXPR_BYTES: usize = 16 * 1024;
/// How deep brackets, signs before an operand and `if` may nest.
pub const MAX_EXPR_DEPTH: usize = 64;
/// How many operations may build on one another, as in `a + b + c` or `a.b.c`.
///
/// This is the height of the tree, so whoever walks it may use recursion.
pub const MAX_EXPR_HEIGHT: usize = 256;

/// An expression and where it stands.
#[derive(Clone, Debug)]
pub struct Expr {
    /// All of it, brackets around it not included.
    pub span: Span,
    /// What it is.
    pub kind: ExprKind,
}

/// The forms of an expression.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// `3`
    Int(i64),
    /// `2d20`
    Dice {
        /// How many dice.
        count: i64,
        /// How many sides each has.
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
    Call {
        /// The function.
        name: Name,
        /// What it is given.
        args: Vec<Arg>,
    },
    /// `a.b`, `a.b(x)`, `a?.b`
    Method {
        /// What is asked.
        target: Box<Expr>,
        /// The property or method.
        name: Name,
        /// What it is given.
        args: Vec<Arg>,
        /// Whether brackets were written, even empty ones.
        has_parens: bool,
        /// Whether it was `?.`.
        null_safe: bool,
    },
    /// `a[i]`
    Index {
        /// The list or map.
        target: Box<Expr>,
        /// The place in it.
        index: Box<Expr>,
    },
    /// `e!`
    Assert(Box<Expr>),
    /// `[a, b]`
    List(Vec<Expr>),
    /// `{a: 1, b: 2}`
    Record(Vec<(Name, Expr)>),
    /// `not e`, `-e`
    Unary {
        /// Which operator.
        op: UnaryOp,
        /// What it works on.
        operand: Box<Expr>,
    },
    /// `a + b` and its like
    Binary {
        /// Which operator.
        op: BinaryOp,
        /// The left operand.
        left: Box<Expr>,
        /// The right operand.
        right: Box<Expr>,
        /// Where the operator stands.
        op_span: Span,
    },
    /// `x is name`
    Is {
        /// What is tested.
        target: Box<Expr>,
        /// The family.
        name: Name,
    },
    /// `if c then a else b`
    If {
        /// The condition.
        cond: Box<Expr>,
        /// The value if it holds.
        then: Box<Expr>,
        /// The value if it does not.
        otherwise: Box<Expr>,
    },
}

/// Operators before their operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum UnaryOp {
    /// `not`
    Not,
    /// `-`
    Neg,
}

/// Operators between two operands.
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
    /// How it is written.
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

/// A name and where it stands.
#[derive(Clone, Debug)]
pub struct Name {
    /// The name.
    pub text: String,
    /// Where it stands.
    pub span: Span,
}

/// One argument: an expression, or a lambda `p => body`.
#[derive(Clone, Debug)]
pub struct Arg {
    /// The lambda's parameter, if it has one of its own.
    pub param: Option<Name>,
    /// The argument, or the lambda's body.
    pub body: Expr,
}

impl Expr {
    /// Calls `visit` for every name that stands for a value, names of lambdas included.
    pub fn visit_names(&self, visit: &mut dyn FnMut(&str)) {
        if let ExprKind::Name(name) = &self.kind {
            visit(name);
        }
        self.each_part(&mut |part| part.visit_names(visit));
    }

    /// Calls `visit` for the name of every function that is called.
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
