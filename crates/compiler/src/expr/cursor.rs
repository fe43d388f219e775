//! Walks over the tokens of one text, within the limits.
//!
//! Expressions and types share it: looking ahead, expecting a sign, matching
//! brackets, and saying what was found instead.

use std::ops::Range;

use super::lexer::{Kind, Token, lex};
use super::{MAX_EXPR_BYTES, MAX_EXPR_DEPTH, MAX_EXPR_HEIGHT, Name, problem};
use crate::diagnostic::Diagnostic;
use crate::source::{Span, floor_boundary};
use crate::tree::Text;

/// A place among the tokens of a text.
pub(super) struct Cursor<'a> {
    text: &'a Text,
    tokens: Vec<Token>,
    at: usize,
    depth: usize,
}

/// An opening bracket that waits for its closing one.
#[derive(Clone, Copy)]
pub(super) struct Bracket {
    span: Span,
    open: &'static str,
    close: &'static str,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(text: &'a Text, range: Range<usize>) -> Result<Self, Diagnostic> {
        let start = floor_boundary(&text.value, range.start);
        let end = floor_boundary(&text.value, range.end).max(start);
        if end - start > MAX_EXPR_BYTES {
            return Err(problem::too_long(text.span_of(start..end), end - start));
        }
        let tokens = lex(text, start..end);
        if tokens[0].kind == Kind::End {
            let is_whole = start == 0 && end == text.value.len();
            let span = if is_whole { text.span } else { text.span_of(start..end) };
            return Err(problem::empty(span));
        }
        Ok(Self { text, tokens, at: 0, depth: 0 })
    }

    pub(super) fn kind(&self) -> &Kind {
        &self.tokens[self.at].kind
    }

    pub(super) fn is_sign(&self, sign: &str) -> bool {
        matches!(self.kind(), Kind::Sign(found) if *found == sign)
    }

    pub(super) fn is_word(&self, word: &str) -> bool {
        matches!(self.kind(), Kind::Word(found) if found == word)
    }

    /// The kind of the token after this one.
    pub(super) fn kind_after(&self) -> &Kind {
        &self.tokens[(self.at + 1).min(self.tokens.len() - 1)].kind
    }

    /// Steps over the token; the last one stays.
    pub(super) fn step(&mut self) {
        self.at = (self.at + 1).min(self.tokens.len() - 1);
    }

    pub(super) fn take_sign(&mut self, sign: &str) -> bool {
        let is_there = self.is_sign(sign);
        if is_there {
            self.step();
        }
        is_there
    }

    pub(super) fn take_word(&mut self, word: &str) -> bool {
        let is_there = self.is_word(word);
        if is_there {
            self.step();
        }
        is_there
    }

    pub(super) fn expect_word(&mut self, word: &str) -> Result<(), Diagnostic> {
        if self.take_word(word) { Ok(()) } else { Err(self.unexpected(&format!("`{word}`"))) }
    }

    /// A name; after `.` and in other places where nothing else can stand,
    /// keywords are names too.
    pub(super) fn expect_name(&mut self, what: &str) -> Result<Name, Diagnostic> {
        let Kind::Word(word) = self.kind() else {
            return Err(self.unexpected(what));
        };
        let name = Name { text: word.clone(), span: self.span_here() };
        self.step();
        Ok(name)
    }

    pub(super) fn expect_end(&self) -> Result<(), Diagnostic> {
        if *self.kind() == Kind::End { Ok(()) } else { Err(self.unexpected("an operator")) }
    }

    /// Steps over an opening bracket.
    pub(super) fn open(&mut self, open: &'static str, close: &'static str) -> Bracket {
        let bracket = Bracket { span: self.span_here(), open, close };
        self.step();
        bracket
    }

    /// Expects the closing bracket, or says which one is still open.
    pub(super) fn close(&mut self, bracket: Bracket) -> Result<(), Diagnostic> {
        if self.take_sign(bracket.close) {
            return Ok(());
        }
        let problem = self.unexpected(&format!("`{}`", bracket.close));
        if problem.code != "E-SYNTAX" || matches!(self.kind(), Kind::Broken(_)) {
            return Err(problem);
        }
        Err(problem.related(bracket.span, format!("this `{}` is not closed", bracket.open)))
    }

    /// Reads `>=` as `>` and `=`, as in `list<int>=[]`.
    pub(super) fn split_angle(&mut self) {
        if !self.is_sign(">=") {
            return;
        }
        let Range { start, end } = self.tokens[self.at].range;
        self.tokens[self.at] = Token { kind: Kind::Sign(">"), range: start..start + 1 };
        let rest = Token { kind: Kind::Sign("="), range: start + 1..end };
        self.tokens.insert(self.at + 1, rest);
    }

    /// Where the value's bytes of the current token begin.
    pub(super) fn start(&self) -> usize {
        self.tokens[self.at].range.start
    }

    /// The span from a byte of the value to the end of the last token taken.
    pub(super) fn span_from(&self, start: usize) -> Span {
        let end = self.tokens[self.at.saturating_sub(1)].range.end;
        self.text.span_of(start..end.max(start))
    }

    pub(super) fn span_here(&self) -> Span {
        self.text.span_of(self.tokens[self.at].range.clone())
    }

    /// Where the token after this one stands.
    pub(super) fn span_after(&self) -> Span {
        let after = (self.at + 1).min(self.tokens.len() - 1);
        self.text.span_of(self.tokens[after].range.clone())
    }

    /// What the author wrote from a byte of the value to the last token taken.
    pub(super) fn written_from(&self, start: usize) -> &str {
        let end = self.tokens[self.at.saturating_sub(1)].range.end;
        &self.text.value[start..end.max(start)]
    }

    /// Goes one level deeper; every call is paired with [`Cursor::leave`].
    pub(super) fn enter(&mut self) -> Result<(), Diagnostic> {
        self.depth += 1;
        if self.depth <= MAX_EXPR_DEPTH { Ok(()) } else { Err(problem::too_deep(self.span_here())) }
    }

    pub(super) fn leave(&mut self) {
        self.depth -= 1;
    }

    /// The height of an operation on parts of this height.
    pub(super) fn taller(&self, height: usize) -> Result<usize, Diagnostic> {
        if height < MAX_EXPR_HEIGHT {
            return Ok(height + 1);
        }
        Err(problem::too_tall(self.span_here()))
    }

    /// The problem that something else than `expected` stands here.
    pub(super) fn unexpected(&self, expected: &str) -> Diagnostic {
        let span = self.span_here();
        let found = match self.kind() {
            Kind::Broken(problem) => return (**problem).clone(),
            Kind::End => {
                return problem::syntax(span, format!("expected {expected}, but it ends here"));
            }
            _ => &self.text.value[self.tokens[self.at].range.clone()],
        };
        if let Kind::Sign(closer @ (")" | "]" | "}")) = self.kind()
            && expected == "an operator"
        {
            return problem::syntax(span, format!("this `{closer}` closes nothing"));
        }
        let problem = problem::syntax(span, format!("expected {expected}, found `{found}`"));
        match hint_for(self.kind()) {
            Some(hint) => problem.hint(hint),
            None => problem,
        }
    }
}

/// Advice for signs that are habits from other languages.
fn hint_for(kind: &Kind) -> Option<&'static str> {
    match kind {
        Kind::Sign("=") => Some("use `==` to compare; `set` is the statement that changes things"),
        Kind::Sign("?" | ":") => Some("use `if … then … else …`"),
        Kind::Sign("!") => Some("use `not`"),
        Kind::Sign("=>") => Some("`name => expression` stands only as an argument"),
        _ => None,
    }
}
