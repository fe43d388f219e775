//! Lexer of expressions.
//!
//! Start at [`lex`]. A character that cannot be read ends the tokens with [`TokenKind::Broken`], so that the
//! parser reports whichever mistake comes first.

use std::ops::Range;

use super::problem;
use crate::diagnostic::Diagnostic;
use crate::tree::SourceText;

/// A token, and the bytes of the text's value it covers.
#[derive(Clone, Debug)]
pub(super) struct LexToken {
    pub(super) kind: TokenKind,
    pub(super) range: Range<usize>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum TokenKind {
    Int(i64),
    Dice {
        count: i64,
        sides: i64,
    },
    Text(String),
    /// A name or a keyword, depending on the position.
    Word(String),
    /// Brackets, operators and other punctuation.
    Punct(&'static str),
    /// Text that cannot be read.
    Broken(Box<Diagnostic>),
    End,
}

/// Returns the tokens of `range`, ended by [`TokenKind::End`] or [`TokenKind::Broken`].
pub(super) fn lex(text: &SourceText, range: Range<usize>) -> Vec<LexToken> {
    let mut lexer = Lexer { text, at: range.start, end: range.end };
    let mut tokens = Vec::new();
    loop {
        let token = lexer.next();
        let is_last = matches!(token.kind, TokenKind::End | TokenKind::Broken(_));
        tokens.push(token);
        if is_last {
            return tokens;
        }
    }
}

/// Punctuation. Longer tokens come first, so that `<=` is not read as `<` and `=`.
const PUNCTUATION: &[&str] = &[
    "?.", "??", "!=", "==", "=>", "<=", ">=", "(", ")", "[", "]", "{", "}", ",", ":", ".", "!", "<", ">",
    "+", "-", "*", "/", "%", "=", "?",
];

struct Lexer<'a> {
    text: &'a SourceText,
    at: usize,
    end: usize,
}

impl Lexer<'_> {
    fn next(&mut self) -> LexToken {
        let blanks = self.rest().find(|c: char| !matches!(c, ' ' | '\t' | '\n' | '\r'));
        self.at = blanks.map_or(self.end, |blanks| self.at + blanks);
        let start = self.at;
        let kind = self.kind().unwrap_or_else(|problem| TokenKind::Broken(Box::new(problem)));
        LexToken { kind, range: start..self.at }
    }

    fn kind(&mut self) -> Result<TokenKind, Diagnostic> {
        match self.rest().chars().next() {
            None => Ok(TokenKind::End),
            Some(c) if c.is_ascii_digit() => self.number(),
            Some(c) if is_word_start(c) => Ok(TokenKind::Word(self.take_while(is_word_part).to_owned())),
            Some('\'') => self.quoted(),
            Some(c) => self.punctuation(c),
        }
    }

    fn punctuation(&mut self, first: char) -> Result<TokenKind, Diagnostic> {
        if let Some(foreign) = problem::foreign_operator(self.rest()) {
            let span = self.text.span_of(self.at..self.at + foreign.operator.len());
            return Err(problem::use_instead(span, foreign.operator, foreign.instead));
        }
        match PUNCTUATION.iter().find(|sign| self.rest().starts_with(**sign)) {
            Some(sign) => {
                self.at += sign.len();
                Ok(TokenKind::Punct(sign))
            }
            None => {
                let span = self.text.span_of(self.at..self.at + first.len_utf8());
                Err(problem::unknown_character(span, first))
            }
        }
    }

    /// Reads `12` or `2d20`.
    fn number(&mut self) -> Result<TokenKind, Diagnostic> {
        let start = self.at;
        let digits = self.take_while(|c| c.is_ascii_digit()).to_owned();
        let count = self.parse_int(&digits, start)?;
        let sides = self.rest().strip_prefix('d').map_or("", leading_digits).to_owned();
        if !sides.is_empty() {
            self.at += 1 + sides.len();
        }
        let range = start..self.at;
        if self.rest().starts_with(is_word_part) {
            self.take_while(is_word_part);
            return Err(problem::name_begins_with_digit(self.text.span_of(start..self.at)));
        }
        let decimals = self.rest().strip_prefix('.').map_or("", leading_digits);
        if !decimals.is_empty() {
            let end = self.at + 1 + decimals.len();
            return Err(problem::fraction(self.text.span_of(start..end)));
        }
        if sides.is_empty() {
            return Ok(TokenKind::Int(count));
        }
        let sides = self.parse_int(&sides, range.start)?;
        Ok(TokenKind::Dice { count, sides })
    }

    fn parse_int(&self, digits: &str, start: usize) -> Result<i64, Diagnostic> {
        let span = self.text.span_of(start..self.at);
        digits.parse().map_err(|_| problem::number_too_large(span))
    }

    /// Reads `'text'`, in which `''` stands for one quote.
    fn quoted(&mut self) -> Result<TokenKind, Diagnostic> {
        let start = self.at;
        let mut value = String::new();
        self.at += 1;
        loop {
            let rest = self.rest();
            let Some(quote) = rest.find('\'') else {
                return Err(problem::text_not_closed(self.text.span_of(start..self.end)));
            };
            value.push_str(&rest[..quote]);
            let is_doubled = rest[quote + 1..].starts_with('\'');
            self.at += quote + if is_doubled { 2 } else { 1 };
            if !is_doubled {
                return Ok(TokenKind::Text(value));
            }
            value.push('\'');
        }
    }

    fn take_while(&mut self, accepts: impl Fn(char) -> bool) -> &str {
        let start = self.at;
        let rest = self.rest();
        self.at += rest.find(|c| !accepts(c)).unwrap_or(rest.len());
        &self.text.value[start..self.at]
    }

    fn rest(&self) -> &str {
        &self.text.value[self.at..self.end]
    }
}

fn leading_digits(text: &str) -> &str {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    &text[..end]
}

fn is_word_start(c: char) -> bool {
    c.is_alphabetic() || c == '_'
}

fn is_word_part(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}
