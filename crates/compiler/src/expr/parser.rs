//! Parser of expressions: operators.
//!
//! Start at [`parse`]. Operators are parsed by precedence, from `??`, which binds loosest, to `*`. Operands
//! are parsed in `primary.rs`.

use std::ops::Range;

use super::cursor::TokenCursor;
use super::lexer::TokenKind;
use super::{BinaryOp, Expr, ExprKind, UnaryOp, problem};
use crate::diagnostic::Diagnostic;
use crate::source::Span;
use crate::tree::SourceText;

/// Parses a text that is a single expression.
pub fn parse(text: &SourceText) -> Result<Expr, Diagnostic> {
    parse_at(text, 0..text.value.len())
}

/// Parses a byte range of a text, for expressions inside templates.
pub fn parse_at(text: &SourceText, range: Range<usize>) -> Result<Expr, Diagnostic> {
    let mut parser = ExprParser::new(TokenCursor::new(text, range)?);
    let expr = parser.expr()?;
    parser.cursor.expect_end()?;
    Ok(expr)
}

/// The precedence of operators, loosest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Precedence {
    Coalesce,
    Or,
    And,
    Not,
    Compare,
    Sum,
    Product,
    Sign,
}

/// A binary operator or `is`.
enum InfixOp {
    Binary(BinaryOp),
    Is,
}

pub(super) struct ExprParser<'a> {
    pub(super) cursor: TokenCursor<'a>,
    /// Height of the expression parsed last.
    pub(super) height: usize,
}

impl<'a> ExprParser<'a> {
    pub(super) fn new(cursor: TokenCursor<'a>) -> Self {
        Self { cursor, height: 0 }
    }

    pub(super) fn expr(&mut self) -> Result<Expr, Diagnostic> {
        self.cursor.enter()?;
        let expr = if self.cursor.is_word("if") {
            self.conditional()?
        } else {
            self.operation(Precedence::Coalesce)?
        };
        self.cursor.leave();
        Ok(expr)
    }

    fn conditional(&mut self) -> Result<Expr, Diagnostic> {
        let start = self.cursor.start();
        self.cursor.advance();
        let cond = Box::new(self.expr()?);
        let mut height = self.height;
        self.cursor.expect_word("then")?;
        let then = Box::new(self.expr()?);
        height = height.max(self.height);
        self.cursor.expect_word("else")?;
        let otherwise = Box::new(self.expr()?);
        self.height = self.cursor.height_above(height.max(self.height))?;
        let span = self.cursor.span_from(start);
        Ok(Expr { span, kind: ExprKind::If { cond, then, otherwise } })
    }

    /// Parses an expression whose operators bind at least as tightly as `least`.
    fn operation(&mut self, least: Precedence) -> Result<Expr, Diagnostic> {
        let start = self.cursor.start();
        let mut left = self.prefix(least)?;
        let mut comparison = None;
        while let Some((infix, strength)) = self.infix() {
            if strength < least {
                break;
            }
            let op_span = self.infix_span(&infix);
            if strength == Precedence::Compare
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
        infix: &InfixOp,
        strength: Precedence,
        op_span: Span,
    ) -> Result<Expr, Diagnostic> {
        let left_height = self.height;
        let left = Box::new(left);
        let kind = match infix {
            InfixOp::Is => {
                let target = self.cursor.written_from(start).to_owned();
                self.cursor.advance();
                self.reject_is_not(&target)?;
                let name = self.cursor.expect_name("a name after `is`")?;
                ExprKind::Is { target: left, name }
            }
            InfixOp::Binary(op) => {
                self.skip_operator(*op);
                let right = Box::new(self.operation(strength.next_tighter())?);
                ExprKind::Binary { op: *op, left, right, op_span }
            }
        };
        self.height = self.cursor.height_above(left_height.max(self.height))?;
        Ok(Expr { span: self.cursor.span_from(start), kind })
    }

    fn reject_is_not(&self, target: &str) -> Result<(), Diagnostic> {
        if !self.cursor.is_word("not") {
            return Ok(());
        }
        let family = match self.cursor.kind_after() {
            TokenKind::Word(family) => family,
            _ => "…",
        };
        let problem = problem::syntax(self.cursor.span_here(), "`is not` cannot be written");
        Err(problem.hint(match family {
            "null" => format!("write `{target} != null`"),
            family => format!("write `not ({target} is {family})`"),
        }))
    }

    fn prefix(&mut self, least: Precedence) -> Result<Expr, Diagnostic> {
        if self.cursor.is_punct("-") {
            return self.unary(UnaryOp::Neg, Precedence::Sign);
        }
        if self.cursor.is_word("not") {
            if least <= Precedence::Not {
                return self.unary(UnaryOp::Not, Precedence::Not);
            }
            return Err(self.needs_brackets("not"));
        }
        if self.cursor.is_word("if") {
            return Err(self.needs_brackets("if"));
        }
        self.postfix()
    }

    fn unary(&mut self, op: UnaryOp, strength: Precedence) -> Result<Expr, Diagnostic> {
        let start = self.cursor.start();
        self.cursor.enter()?;
        self.cursor.advance();
        let operand = Box::new(self.operation(strength)?);
        self.cursor.leave();
        self.height = self.cursor.height_above(self.height)?;
        Ok(Expr { span: self.cursor.span_from(start), kind: ExprKind::Unary { op, operand } })
    }

    fn needs_brackets(&self, word: &str) -> Diagnostic {
        let message = format!("`{word}` needs brackets around it here");
        problem::syntax(self.cursor.span_here(), message).hint(format!("write `({word} …)`"))
    }

    /// Returns the operator at the cursor, if any.
    fn infix(&self) -> Option<(InfixOp, Precedence)> {
        use BinaryOp as Op;
        let (op, strength) = match self.cursor.kind() {
            TokenKind::Punct("??") => (Op::Coalesce, Precedence::Coalesce),
            TokenKind::Punct("==") => (Op::Eq, Precedence::Compare),
            TokenKind::Punct("!=") => (Op::Ne, Precedence::Compare),
            TokenKind::Punct("<") => (Op::Lt, Precedence::Compare),
            TokenKind::Punct("<=") => (Op::Le, Precedence::Compare),
            TokenKind::Punct(">") => (Op::Gt, Precedence::Compare),
            TokenKind::Punct(">=") => (Op::Ge, Precedence::Compare),
            TokenKind::Punct("+") => (Op::Add, Precedence::Sum),
            TokenKind::Punct("-") => (Op::Sub, Precedence::Sum),
            TokenKind::Punct("*") => (Op::Mul, Precedence::Product),
            TokenKind::Punct("/") => (Op::Div, Precedence::Product),
            TokenKind::Punct("%") => (Op::Rem, Precedence::Product),
            TokenKind::Word(word) => match word.as_str() {
                "or" => (Op::Or, Precedence::Or),
                "and" => (Op::And, Precedence::And),
                "in" => (Op::In, Precedence::Compare),
                "not" if self.is_not_in() => (Op::NotIn, Precedence::Compare),
                "is" => return Some((InfixOp::Is, Precedence::Compare)),
                _ => return None,
            },
            _ => return None,
        };
        Some((InfixOp::Binary(op), strength))
    }

    fn is_not_in(&self) -> bool {
        matches!(self.cursor.kind_after(), TokenKind::Word(word) if word == "in")
    }

    fn infix_span(&self, infix: &InfixOp) -> Span {
        let here = self.cursor.span_here();
        match infix {
            InfixOp::Binary(BinaryOp::NotIn) => here.join(self.cursor.span_after()),
            _ => here,
        }
    }

    fn skip_operator(&mut self, op: BinaryOp) {
        self.cursor.advance();
        if op == BinaryOp::NotIn {
            self.cursor.advance();
        }
    }
}

impl Precedence {
    /// Returns the minimum precedence of the right operand. It is one level tighter, so that `a - b - c` is
    /// `(a - b) - c`.
    fn next_tighter(self) -> Self {
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
