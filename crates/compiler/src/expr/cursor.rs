//! Cursor over the tokens of one text, with the limits on depth and height.
//!
//! The parsers of expressions and types share it.

use std::ops::Range;

use super::lexer::{LexToken, TokenKind, lex};
use super::{MAX_EXPR_BYTES, MAX_EXPR_DEPTH, MAX_EXPR_HEIGHT, SpannedName, problem};
use crate::diagnostic::{Diagnostic, suggest};
use crate::source::{Span, floor_boundary};
use crate::tree::SourceText;

/// A position among the tokens of a text.
pub(super) struct TokenCursor<'a> {
    text: &'a SourceText,
    tokens: Vec<LexToken>,
    at: usize,
    depth: usize,
}

/// An opening bracket whose closing one is still to come.
#[derive(Clone, Copy)]
pub(super) struct OpenBracket {
    span: Span,
    open: &'static str,
    close: &'static str,
}

impl<'a> TokenCursor<'a> {
    pub(super) fn new(text: &'a SourceText, range: Range<usize>) -> Result<Self, Diagnostic> {
        let start = floor_boundary(&text.value, range.start);
        let end = floor_boundary(&text.value, range.end).max(start);
        if end - start > MAX_EXPR_BYTES {
            return Err(problem::too_long(text.span_of(start..end), end - start));
        }
        let tokens = lex(text, start..end);
        if tokens[0].kind == TokenKind::End {
            let is_whole = start == 0 && end == text.value.len();
            let span = if is_whole { text.span } else { text.span_of(start..end) };
            return Err(problem::empty(span));
        }
        Ok(Self { text, tokens, at: 0, depth: 0 })
    }

    pub(super) fn kind(&self) -> &TokenKind {
        &self.tokens[self.at].kind
    }

    pub(super) fn is_punct(&self, sign: &str) -> bool {
        matches!(self.kind(), TokenKind::Punct(found) if *found == sign)
    }

    pub(super) fn is_word(&self, word: &str) -> bool {
        matches!(self.kind(), TokenKind::Word(found) if found == word)
    }

    /// Returns the kind of the next token.
    pub(super) fn kind_after(&self) -> &TokenKind {
        &self.tokens[(self.at + 1).min(self.tokens.len() - 1)].kind
    }

    /// Advances to the next token, but never past the last one.
    pub(super) fn advance(&mut self) {
        self.at = (self.at + 1).min(self.tokens.len() - 1);
    }

    pub(super) fn eat_punct(&mut self, sign: &str) -> bool {
        let is_there = self.is_punct(sign);
        if is_there {
            self.advance();
        }
        is_there
    }

    pub(super) fn eat_word(&mut self, word: &str) -> bool {
        let is_there = self.is_word(word);
        if is_there {
            self.advance();
        }
        is_there
    }

    pub(super) fn expect_word(&mut self, word: &str) -> Result<(), Diagnostic> {
        if self.eat_word(word) { Ok(()) } else { Err(self.unexpected(&format!("`{word}`"))) }
    }

    /// Expects a name. After `.` and wherever nothing else is possible, keywords are names too.
    pub(super) fn expect_name(&mut self, what: &str) -> Result<SpannedName, Diagnostic> {
        let TokenKind::Word(word) = self.kind() else {
            return Err(self.unexpected(what));
        };
        let name = SpannedName { text: word.clone(), span: self.span_here() };
        self.advance();
        Ok(name)
    }

    pub(super) fn expect_end(&self) -> Result<(), Diagnostic> {
        if *self.kind() == TokenKind::End { Ok(()) } else { Err(self.unexpected("an operator")) }
    }

    /// Consumes an opening bracket.
    pub(super) fn open(&mut self, open: &'static str, close: &'static str) -> OpenBracket {
        let bracket = OpenBracket { span: self.span_here(), open, close };
        self.advance();
        bracket
    }

    /// Expects the closing bracket, or reports which one is still open.
    pub(super) fn close(&mut self, bracket: OpenBracket) -> Result<(), Diagnostic> {
        if self.eat_punct(bracket.close) {
            return Ok(());
        }
        let problem = self.unexpected(&format!("`{}`", bracket.close));
        if problem.code != "E-SYNTAX" || matches!(self.kind(), TokenKind::Broken(_)) {
            return Err(problem);
        }
        Err(problem.related(bracket.span, format!("this `{}` is not closed", bracket.open)))
    }

    /// Splits `>=` into `>` and `=`, as needed for `list<int>=[]`.
    pub(super) fn split_angle(&mut self) {
        if !self.is_punct(">=") {
            return;
        }
        let Range { start, end } = self.tokens[self.at].range;
        self.tokens[self.at] = LexToken { kind: TokenKind::Punct(">"), range: start..start + 1 };
        let rest = LexToken { kind: TokenKind::Punct("="), range: start + 1..end };
        self.tokens.insert(self.at + 1, rest);
    }

    /// Returns the offset of the current token in the text's value.
    pub(super) fn start(&self) -> usize {
        self.tokens[self.at].range.start
    }

    /// Returns the span from an offset of the value to the end of the last consumed token.
    pub(super) fn span_from(&self, start: usize) -> Span {
        let end = self.tokens[self.at.saturating_sub(1)].range.end;
        self.text.span_of(start..end.max(start))
    }

    pub(super) fn span_here(&self) -> Span {
        self.text.span_of(self.tokens[self.at].range.clone())
    }

    /// Returns the span of the next token.
    pub(super) fn span_after(&self) -> Span {
        let after = (self.at + 1).min(self.tokens.len() - 1);
        self.text.span_of(self.tokens[after].range.clone())
    }

    /// Returns the text from an offset of the value to the end of the last consumed token.
    pub(super) fn written_from(&self, start: usize) -> &str {
        let end = self.tokens[self.at.saturating_sub(1)].range.end;
        &self.text.value[start..end.max(start)]
    }

    /// Enters a nesting level. Every call is paired with [`TokenCursor::leave`].
    pub(super) fn enter(&mut self) -> Result<(), Diagnostic> {
        self.depth += 1;
        if self.depth <= MAX_EXPR_DEPTH { Ok(()) } else { Err(problem::too_deep(self.span_here())) }
    }

    pub(super) fn leave(&mut self) {
        self.depth -= 1;
    }

    /// Returns the height of an operation on operands of this height.
    pub(super) fn height_above(&self, height: usize) -> Result<usize, Diagnostic> {
        if height < MAX_EXPR_HEIGHT {
            return Ok(height + 1);
        }
        Err(problem::too_tall(self.span_here()))
    }

    /// Returns the diagnostic for a token other than `expected`.
    pub(super) fn unexpected(&self, expected: &str) -> Diagnostic {
        let span = self.span_here();
        let found = match self.kind() {
            TokenKind::Broken(problem) => return (**problem).clone(),
            TokenKind::End => {
                return problem::syntax(span, format!("expected {expected}, but it ends here"));
            }
            _ => &self.text.value[self.tokens[self.at].range.clone()],
        };
        if let TokenKind::Punct(closer @ (")" | "]" | "}")) = self.kind()
            && expected == "an operator"
        {
            return problem::syntax(span, format!("this `{closer}` closes nothing"));
        }
        let problem = problem::syntax(span, format!("expected {expected}, found `{found}`"));
        match hint_for(self.kind()) {
            Some(hint) => problem.hint(hint),
            None => match self.misspelt_keyword() {
                Some(keyword) => problem.hint(format!("did you mean `{keyword}`?")),
                None => problem,
            },
        }
    }

    /// Returns the keyword that the current word may be meant to be, or the word before it.
    fn misspelt_keyword(&self) -> Option<&'static str> {
        let TokenKind::Word(word) = self.kind() else { return None };
        let here = suggest(word, ["and", "or", "in", "is", "not", "then", "else"]);
        here.or_else(|| {
            let before = self.at.checked_sub(1).map(|before| &self.tokens[before].kind);
            let Some(TokenKind::Word(before)) = before else { return None };
            suggest(before, ["if", "not"])
        })
    }
}

/// Returns advice for tokens that are habits from other languages.
fn hint_for(kind: &TokenKind) -> Option<&'static str> {
    match kind {
        TokenKind::Punct("=") => Some("use `==` to compare; `set` is the statement that changes things"),
        TokenKind::Punct("?" | ":") => Some("use `if … then … else …`"),
        TokenKind::Punct("!") => Some("use `not`"),
        TokenKind::Punct("=>") => {
            Some("`name => expression` is allowed only as an argument; the comparison is `>=`")
        }
        _ => None,
    }
}
