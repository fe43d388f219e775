//! The grammar of expressions: operators.
//!
//! Start at [`parse`]. Operators are read by binding strength, from `??`, which
//! binds least, to `*`; what they work on is read in `primary.rs`.

use std::ops::Range;

use super::cursor::Cursor;
use super::lexer::Kind;
use super::{BinaryOp, Expr, ExprKind, UnaryOp, problem};
use crate::diagnostic::Diagnostic;
use crate::source::Span;
use crate::tree::Text;

/// Parses a text that is one expression.
pub fn parse(text: &Text) -> Result<Expr, Diagnostic> {
    parse_at(text, 0..text.value.len())
}

/// Parses a range of bytes of a text, as templates need it.
pub fn parse_at(text: &Text, range: Range<usize>) -> Result<Expr, Diagnostic> {
    let mut parser = Parser::new(Cursor::new(text, range)?);
    let expr = parser.expr()?;
    parser.cursor.expect_end()?;
    Ok(expr)
}

/// How strongly an operator binds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Strength {
    Coalesce,
    Or,
    And,
    Not,
    Compare,
    Sum,
    Product,
    Sign,
}

/// An operator between two operands.
enum Infix {
    Binary(BinaryOp),
    Is,
}

pub(super) struct Parser<'a> {
    pub(super) cursor: Cursor<'a>,
    /// The height of the expression read last.
    pub(super) height: usize,
}

impl<'a> Parser<'a> {
    pub(super) fn new(cursor: Cursor<'a>) -> Self {
        Self { cursor, height: 0 }
    }

    pub(super) fn expr(&mut self) -> Result<Expr, Diagnostic> {
        self.cursor.enter()?;
        let expr =
            if self.cursor.is_word("if") { self.conditional()? } else { self.operation(Strength::Coalesce)? };
        self.cursor.leave();
        Ok(expr)
    }

    fn conditional(&mut self) -> Result<Expr, Diagnostic> {
        let start = self.cursor.start();
        self.cursor.step();
        let cond = Box::new(self.expr()?);
        let mut height = self.height;
        self.cursor.expect_word("then")?;
        let then = Box::new(self.expr()?);
        height = height.max(self.height);
        self.cursor.expect_word("else")?;
        let otherwise = Box::new(self.expr()?);
        self.height = self.cursor.taller(height.max(self.height))?;
        let span = self.cursor.span_from(start);
        Ok(Expr { span, kind: ExprKind::If { cond, then, otherwise } })
    }

    /// An expression whose operators all bind at least as strongly as `least`.
    fn operation(&mut self, least: Strength) -> Result<Expr, Diagnostic> {
        let start = self.cursor.start();
        let mut left = self.prefix(least)?;
        let mut comparison = None;
        while let Some((infix, strength)) = self.infix() {
            if strength < least {
                break;
            }
            let op_span = self.infix_span(&infix);
            if strength == Strength::Compare
                && let Some(first) = comparison.replace(op_span)
            {
                return Err(problem::compared_twice(op_span, first));
            }
            left = self.combine(start, left, &infix, strength, op_span)?;
        }
        Ok(left)
    }

    fn combine(
        &mut self,
        start: usize,
        left: Expr,
        infix: &Infix,
        strength: Strength,
        op_span: Span,
    ) -> Result<Expr, Diagnostic> {
        let left_height = self.height;
        let left = Box::new(left);
        let kind = match infix {
            Infix::Is => {
                let target = self.cursor.written_from(start).to_owned();
                self.cursor.step();
                self.refuse_is_not(&target)?;
                let name = self.cursor.expect_name("a name after `is`")?;
                ExprKind::Is { target: left, name }
            }
            Infix::Binary(op) => {
                self.step_over(*op);
                let right = Box::new(self.operation(strength.next())?);
                ExprKind::Binary { op: *op, left, right, op_span }
            }
        };
        self.height = self.cursor.taller(left_height.max(self.height))?;
        Ok(Expr { span: self.cursor.span_from(start), kind })
    }

    fn refuse_is_not(&self, target: &str) -> Result<(), Diagnostic> {
        if !self.cursor.is_word("not") {
            return Ok(());
        }
        let family = match self.cursor.kind_after() {
            Kind::Word(family) => family,
            _ => "…",
        };
        let problem = problem::syntax(self.cursor.span_here(), "`is not` cannot be written");
        Err(problem.hint(format!("write `not ({target} is {family})`")))
    }

    fn prefix(&mut self, least: Strength) -> Result<Expr, Diagnostic> {
        if self.cursor.is_sign("-") {
            return self.unary(UnaryOp::Neg, Strength::Sign);
        }
        if self.cursor.is_word("not") {
            if least <= Strength::Not {
                return self.unary(UnaryOp::Not, Strength::Not);
            }
            return Err(self.needs_brackets("not"));
        }
        if self.cursor.is_word("if") {
            return Err(self.needs_brackets("if"));
        }
        self.postfix()
    }

    fn unary(&mut self, op: UnaryOp, strength: Strength) -> Result<Expr, Diagnostic> {
        let start = self.cursor.start();
        self.cursor.enter()?;
        self.cursor.step();
        let operand = Box::new(self.operation(strength)?);
        self.cursor.leave();
        self.height = self.cursor.taller(self.height)?;
        Ok(Expr { span: self.cursor.span_from(start), kind: ExprKind::Unary { op, operand } })
    }

    fn needs_brackets(&self, word: &str) -> Diagnostic {
        let message = format!("`{word}` needs brackets around it here");
        problem::syntax(self.cursor.span_here(), message).hint(format!("write `({word} …)`"))
    }

    /// The operator that stands here, if one does.
    fn infix(&self) -> Option<(Infix, Strength)> {
        use BinaryOp as Op;
        let (op, strength) = match self.cursor.kind() {
            Kind::Sign("??") => (Op::Coalesce, Strength::Coalesce),
            Kind::Sign("==") => (Op::Eq, Strength::Compare),
            Kind::Sign("!=") => (Op::Ne, Strength::Compare),
            Kind::Sign("<") => (Op::Lt, Strength::Compare),
            Kind::Sign("<=") => (Op::Le, Strength::Compare),
            Kind::Sign(">") => (Op::Gt, Strength::Compare),
            Kind::Sign(">=") => (Op::Ge, Strength::Compare),
            Kind::Sign("+") => (Op::Add, Strength::Sum),
            Kind::Sign("-") => (Op::Sub, Strength::Sum),
            Kind::Sign("*") => (Op::Mul, Strength::Product),
            Kind::Sign("/") => (Op::Div, Strength::Product),
            Kind::Sign("%") => (Op::Rem, Strength::Product),
            Kind::Word(word) => match word.as_str() {
                "or" => (Op::Or, Strength::Or),
                "and" => (Op::And, Strength::And),
                "in" => (Op::In, Strength::Compare),
                "not" if self.is_not_in() => (Op::NotIn, Strength::Compare),
                "is" => return Some((Infix::Is, Strength::Compare)),
                _ => return None,
            },
            _ => return None,
        };
        Some((Infix::Binary(op), strength))
    }

    fn is_not_in(&self) -> bool {
        matches!(self.cursor.kind_after(), Kind::Word(word) if word == "in")
    }

    fn infix_span(&self, infix: &Infix) -> Span {
        let here = self.cursor.span_here();
        match infix {
            Infix::Binary(BinaryOp::NotIn) => here.join(self.cursor.span_after()),
            _ => here,
        }
    }

    fn step_over(&mut self, op: BinaryOp) {
        self.cursor.step();
        if op == BinaryOp::NotIn {
            self.cursor.step();
        }
    }
}

impl Strength {
    /// What the right operand's operators must at least be, so that
    /// `a - b - c` is `(a - b) - c`.
    fn next(self) -> Self {
        match self {
            Self::Coalesce => Self::Or,
            Self::Or => Self::And,
            Self::And => Self::Not,
            Self::Not => Self::Compare,
            Self::Compare => Self::Sum,
            Self::Sum => Self::Product,
            Self::Product | Self::Sign => Self::Sign,
        }
    }
}
