//! The grammar of expressions: operands, and what may follow them.

use super::cursor::Bracket;
use super::lexer::Kind;
use super::parser::Parser;
use super::{Arg, Expr, ExprKind, Name, problem};
use crate::diagnostic::Diagnostic;

/// Words that cannot be names where a value is expected.
const KEYWORDS: &[&str] = &["if", "then", "else", "and", "or", "not", "in", "is"];

impl Parser<'_> {
    /// An operand with everything that follows it: `a.b(x)[0]!`.
    pub(super) fn postfix(&mut self) -> Result<Expr, Diagnostic> {
        let start = self.cursor.start();
        let mut expr = self.primary()?;
        loop {
            let height = self.height;
            let kind = match self.cursor.kind() {
                Kind::Sign(sign @ ("." | "?.")) => {
                    let null_safe = *sign == "?.";
                    self.method(expr, null_safe)?
                }
                Kind::Sign("[") => {
                    let bracket = self.cursor.open("[", "]");
                    let index = Box::new(self.expr()?);
                    self.cursor.close(bracket)?;
                    ExprKind::Index { target: Box::new(expr), index }
                }
                Kind::Sign("!") => {
                    self.cursor.step();
                    ExprKind::Assert(Box::new(expr))
                }
                _ => return Ok(expr),
            };
            self.height = self.cursor.taller(height.max(self.height))?;
            expr = Expr { span: self.cursor.span_from(start), kind };
        }
    }

    fn method(&mut self, target: Expr, null_safe: bool) -> Result<ExprKind, Diagnostic> {
        self.cursor.step();
        let name = self.cursor.expect_name("a name after `.`")?;
        let has_parens = self.cursor.is_sign("(");
        let args = if has_parens { self.args()? } else { Vec::new() };
        Ok(ExprKind::Method { target: Box::new(target), name, args, has_parens, null_safe })
    }

    fn primary(&mut self) -> Result<Expr, Diagnostic> {
        let start = self.cursor.start();
        self.height = 1;
        let kind = match self.cursor.kind().clone() {
            Kind::Int(number) => self.leaf(ExprKind::Int(number)),
            Kind::Dice { count, sides } => self.leaf(ExprKind::Dice { count, sides }),
            Kind::Text(text) => self.leaf(ExprKind::Text(text)),
            Kind::Word(word) if !KEYWORDS.contains(&word.as_str()) => self.word(word)?,
            Kind::Sign("(") => return self.bracketed(),
            Kind::Sign("[") => self.list()?,
            Kind::Sign("{") => self.record()?,
            _ => return Err(self.cursor.unexpected("a value")),
        };
        Ok(Expr { span: self.cursor.span_from(start), kind })
    }

    fn leaf(&mut self, kind: ExprKind) -> ExprKind {
        self.cursor.step();
        kind
    }

    fn word(&mut self, word: String) -> Result<ExprKind, Diagnostic> {
        let name = self.cursor.expect_name("a name")?;
        if self.cursor.is_sign("(") {
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

    fn field(&mut self) -> Result<(Name, Expr), Diagnostic> {
        let name = self.cursor.expect_name("a field name")?;
        if !self.cursor.take_sign(":") {
            return Err(self.cursor.unexpected("`:` after the field name"));
        }
        Ok((name, self.expr()?))
    }

    fn args(&mut self) -> Result<Vec<Arg>, Diagnostic> {
        let bracket = self.cursor.open("(", ")");
        self.separated(bracket, ")", Self::arg)
    }

    fn arg(&mut self) -> Result<Arg, Diagnostic> {
        let is_lambda = matches!(self.cursor.kind(), Kind::Word(_))
            && matches!(self.cursor.kind_after(), Kind::Sign("=>"));
        if !is_lambda {
            return Ok(Arg { param: None, body: self.expr()? });
        }
        let param = self.cursor.expect_name("a name")?;
        self.cursor.step();
        Ok(Arg { param: Some(param), body: self.expr()? })
    }

    /// Items between commas up to the closing bracket, perhaps none. Leaves
    /// the height of one operation on the tallest.
    fn separated<T>(
        &mut self,
        bracket: Bracket,
        close: &str,
        item: impl Fn(&mut Self) -> Result<T, Diagnostic>,
    ) -> Result<Vec<T>, Diagnostic> {
        let mut items = Vec::new();
        let mut height = 0;
        while !items.is_empty() || !self.cursor.is_sign(close) {
            items.push(item(self)?);
            height = height.max(self.height);
            if !self.cursor.take_sign(",") {
                break;
            }
        }
        self.cursor.close(bracket)?;
        self.height = self.cursor.taller(height)?;
        Ok(items)
    }
}
