//! Parser of expressions: operands and postfix operators.

use super::cursor::OpenBracket;
use super::lexer::TokenKind;
use super::parser::ExprParser;
use super::{Arg, Expr, ExprKind, SpannedName, problem};
use crate::diagnostic::Diagnostic;

/// Words that cannot be names where a value is expected.
const KEYWORDS: &[&str] = &["if", "then", "else", "and", "or", "not", "in", "is"];

impl ExprParser<'_> {
    /// Parses an operand with its postfix operators, such as `a.b(x)[0]!`.
    pub(super) fn postfix(&mut self) -> Result<Expr, Diagnostic> {
        let start = self.cursor.start();
        let mut expr = self.primary()?;
        loop {
            let height = self.height;
            let kind = match self.cursor.kind() {
                TokenKind::Punct(sign @ ("." | "?.")) => {
                    let null_safe = *sign == "?.";
                    self.method(expr, null_safe)?
                }
                TokenKind::Punct("[") => {
                    let bracket = self.cursor.open("[", "]");
                    let index = Box::new(self.expr()?);
                    self.cursor.close(bracket)?;
                    ExprKind::Index { target: Box::new(expr), index }
                }
                TokenKind::Punct("!") => {
                    self.cursor.advance();
                    ExprKind::Assert(Box::new(expr))
                }
                _ => return Ok(expr),
            };
            self.height = self.cursor.height_above(height.max(self.height))?;
            expr = Expr { span: self.cursor.span_from(start), kind };
        }
    }

    fn method(&mut self, target: Expr, null_safe: bool) -> Result<ExprKind, Diagnostic> {
        self.cursor.advance();
        let name = self.cursor.expect_name("a name after `.`")?;
        let has_parens = self.cursor.is_punct("(");
        let args = if has_parens { self.args()? } else { Vec::new() };
        Ok(ExprKind::Method { target: Box::new(target), name, args, has_parens, null_safe })
    }

    fn primary(&mut self) -> Result<Expr, Diagnostic> {
        let start = self.cursor.start();
        self.height = 1;
        let kind = match self.cursor.kind().clone() {
            TokenKind::Int(number) => self.leaf(ExprKind::Int(number)),
            TokenKind::Dice { count, sides } => self.leaf(ExprKind::Dice { count, sides }),
            TokenKind::Text(text) => self.leaf(ExprKind::Text(text)),
            TokenKind::Word(word) if !KEYWORDS.contains(&word.as_str()) => self.word(word)?,
            TokenKind::Punct("(") => return self.bracketed(),
            TokenKind::Punct("[") => self.list()?,
            TokenKind::Punct("{") => self.record()?,
            _ => return Err(self.cursor.unexpected("a value")),
        };
        Ok(Expr { span: self.cursor.span_from(start), kind })
    }

    fn leaf(&mut self, kind: ExprKind) -> ExprKind {
        self.cursor.advance();
        kind
    }

    fn word(&mut self, word: String) -> Result<ExprKind, Diagnostic> {
        let name = self.cursor.expect_name("a name")?;
        if self.cursor.is_punct("(") {
            return Ok(ExprKind::Call { name, args: self.args()? });
        }
        Ok(match word.as_str() {
            "true" => ExprKind::True,
            "false" => ExprKind::False,
            "null" => ExprKind::Null,
            _ => ExprKind::Name(word),
        })
    }

    fn bracketed(&mut self) -> Result<Expr, Diagnostic> {
        let bracket = self.cursor.open("(", ")");
        let expr = self.expr()?;
        self.cursor.close(bracket)?;
        Ok(expr)
    }

    fn list(&mut self) -> Result<ExprKind, Diagnostic> {
        let bracket = self.cursor.open("[", "]");
        self.separated(bracket, "]", Self::expr).map(ExprKind::List)
    }

    fn record(&mut self) -> Result<ExprKind, Diagnostic> {
        let bracket = self.cursor.open("{", "}");
        let fields = self.separated(bracket, "}", Self::field)?;
        for (index, (name, _)) in fields.iter().enumerate() {
            if let Some((first, _)) = fields[..index].iter().find(|(f, _)| f.text == name.text) {
                return Err(problem::repeated_field(name.span, &name.text, first.span));
            }
        }
        Ok(ExprKind::Record(fields))
    }

    fn field(&mut self) -> Result<(SpannedName, Expr), Diagnostic> {
        let name = self.cursor.expect_name("a field name")?;
        if !self.cursor.eat_punct(":") {
            return Err(self.cursor.unexpected("`:` after the field name"));
        }
        Ok((name, self.expr()?))
    }

    fn args(&mut self) -> Result<Vec<Arg>, Diagnostic> {
        let bracket = self.cursor.open("(", ")");
        self.separated(bracket, ")", Self::arg)
    }

    fn arg(&mut self) -> Result<Arg, Diagnostic> {
        let is_lambda = matches!(self.cursor.kind(), TokenKind::Word(_))
            && matches!(self.cursor.kind_after(), TokenKind::Punct("=>"));
        if !is_lambda {
            return Ok(Arg { param: None, body: self.expr()? });
        }
        let param = self.cursor.expect_name("a name")?;
        self.cursor.advance();
        Ok(Arg { param: Some(param), body: self.expr()? })
    }

    /// Parses items separated by commas up to the closing bracket. Sets the height to that of one operation
    /// on the tallest item.
    fn separated<T>(
        &mut self,
        bracket: OpenBracket,
        close: &str,
        item: impl Fn(&mut Self) -> Result<T, Diagnostic>,
    ) -> Result<Vec<T>, Diagnostic> {
        let mut items = Vec::new();
        let mut height = 0;
        while !items.is_empty() || !self.cursor.is_punct(close) {
            items.push(item(self)?);
            height = height.max(self.height);
            if !self.cursor.eat_punct(",") {
                break;
            }
        }
        self.cursor.close(bracket)?;
        self.height = self.cursor.height_above(height)?;
        Ok(items)
    }
}
