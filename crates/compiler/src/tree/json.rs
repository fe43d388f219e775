//! Parser of JSON.
//!
//! Start at [`parse`]. JSON has its own small scanner, because YAML forbids tabs where JSON allows them, and
//! allows much that JSON does not.

use super::builder::{ParseAbort, TreeBuilder};
use super::scalar_spans::{self, TextStyle};
use super::text::SourceText;
use super::{SourceNode, plain_scalar};
use crate::diagnostic::Diagnostic;
use crate::source::{FileId, Span};

/// Parses a JSON text into a tree.
pub(super) fn parse(file: FileId, source: &str, out: &mut Vec<Diagnostic>) -> Option<SourceNode> {
    let at = if source.starts_with('\u{FEFF}') { '\u{FEFF}'.len_utf8() } else { 0 };
    let mut reader = JsonScanner { file, source, at, builder: TreeBuilder::new(out), closers: Vec::new() };
    reader.read_all().ok()?;
    reader.builder.finish()
}

struct JsonScanner<'a, 'out> {
    file: FileId,
    source: &'a str,
    at: usize,
    builder: TreeBuilder<'out>,
    /// The closing bracket expected for each open one, and the position of the open one.
    closers: Vec<(u8, Span)>,
}

impl JsonScanner<'_, '_> {
    fn read_all(&mut self) -> Result<(), ParseAbort> {
        loop {
            let has_opened = self.value()?;
            if !has_opened && !self.next_value_follows()? {
                break;
            }
            if self.builder.expects_key() {
                self.key()?;
            }
        }
        match self.peek() {
            None => Ok(()),
            Some(_) => Err(self.fail("something follows the end of the value", None)),
        }
    }

    /// Reads a value. Returns true if it read only the opening bracket of a list or object that is not empty.
    fn value(&mut self) -> Result<bool, ParseAbort> {
        match self.peek_after_blanks() {
            Some(b'[') => self.open(b']'),
            Some(b'{') => self.open(b'}'),
            Some(b'"') => {
                let text = self.string()?;
                self.builder.text(text).map(|()| false)
            }
            _ => self.word().map(|()| false),
        }
    }

    fn open(&mut self, closer: u8) -> Result<bool, ParseAbort> {
        let span = self.span(self.at, self.at + 1);
        match closer {
            b']' => self.builder.begin_list(span)?,
            _ => self.builder.begin_map(span)?,
        }
        self.closers.push((closer, span));
        self.at += 1;
        let is_empty = self.peek_after_blanks() == Some(closer);
        if is_empty {
            self.close();
        }
        Ok(!is_empty)
    }

    fn close(&mut self) {
        let bracket = self.span(self.at, self.at + 1);
        self.at += 1;
        self.closers.pop();
        self.builder.end(Some(bracket));
    }

    /// Closes the brackets that end after a value. Returns true if a comma follows.
    fn next_value_follows(&mut self) -> Result<bool, ParseAbort> {
        loop {
            let byte = self.peek_after_blanks();
            let Some((closer, opener)) = self.closers.last().copied() else {
                return Ok(false);
            };
            match byte {
                Some(b',') => {
                    self.at += 1;
                    return Ok(true);
                }
                Some(byte) if byte == closer => self.close(),
                _ => return Err(self.not_closed(closer, opener)),
            }
        }
    }

    fn key(&mut self) -> Result<(), ParseAbort> {
        if self.peek_after_blanks() != Some(b'"') {
            let hint = "keys need double quotes, and the last entry has no comma after it";
            return Err(self.fail("expected a key", Some(hint)));
        }
        let key = self.string()?;
        self.builder.key(key)?;
        if self.peek_after_blanks() != Some(b':') {
            return Err(self.fail("expected `:`", None));
        }
        self.at += 1;
        Ok(())
    }

    /// Reads a number, `true`, `false` or `null`.
    fn word(&mut self) -> Result<(), ParseAbort> {
        let rest = &self.source[self.at..];
        let is_end = |c: char| matches!(c, ',' | ':' | '[' | ']' | '{' | '}' | '"') || c <= ' ';
        let word = &rest[..rest.find(is_end).unwrap_or(rest.len())];
        let span = self.span(self.at, self.at + word.len());
        let meaning = plain_scalar::read(word, span);
        let Some(value) = meaning.value else {
            let hint = "texts need double quotes, and the last value has no comma after it";
            return Err(self.fail("expected a value", Some(hint)));
        };
        if let Some(problem) = meaning.problem {
            self.builder.report(problem)?;
        }
        self.at += word.len();
        self.builder.value(SourceNode { span, value })
    }

    fn string(&mut self) -> Result<SourceText, ParseAbort> {
        let start = self.at;
        let mut value = String::new();
        self.at += 1;
        loop {
            let rest = &self.source[self.at..];
            let plain = rest.find(['"', '\\', '\n']).unwrap_or(rest.len());
            value.push_str(&rest[..plain]);
            self.at += plain;
            match self.peek() {
                Some(b'"') => break,
                Some(b'\\') => value.push(self.escape()?),
                _ => {
                    self.at = start;
                    return Err(self.fail("this text is not closed", Some("close it with `\"`")));
                }
            }
        }
        self.at += 1;
        let span_map = scalar_spans::map_scalar(self.source, start..self.at, TextStyle::DoubleQuoted, &value);
        Ok(SourceText::new(value, self.span(start, self.at), span_map))
    }

    fn escape(&mut self) -> Result<char, ParseAbort> {
        let rest = &self.source[self.at + 1..];
        let (character, byte_count) = match rest.as_bytes().first() {
            Some(&byte @ (b'"' | b'\\' | b'/')) => (Some(char::from(byte)), 2),
            Some(b'b') => (Some('\u{8}'), 2),
            Some(b'f') => (Some('\u{C}'), 2),
            Some(b'n') => (Some('\n'), 2),
            Some(b'r') => (Some('\r'), 2),
            Some(b't') => (Some('\t'), 2),
            Some(b'u') => unicode_escape(rest),
            _ => (None, 0),
        };
        match character {
            Some(character) => {
                self.at += byte_count;
                Ok(character)
            }
            None => Err(self.fail("this escape is not known", Some("write `\\\\` for a backslash"))),
        }
    }

    fn not_closed(&mut self, closer: u8, opener: Span) -> ParseAbort {
        let message = format!("expected `,` or `{}`", char::from(closer));
        let problem = Diagnostic::error("E-JSON", self.here(), message);
        self.builder.abort(problem.related(opener, "opened here"))
    }

    fn fail(&mut self, message: &str, hint: Option<&str>) -> ParseAbort {
        let problem = Diagnostic::error("E-JSON", self.here(), message);
        self.builder.abort(match hint {
            Some(hint) => problem.hint(hint),
            None => problem,
        })
    }

    fn peek_after_blanks(&mut self) -> Option<u8> {
        let rest = &self.source.as_bytes()[self.at..];
        let is_blank = |byte: &&u8| matches!(byte, b' ' | b'\t' | b'\n' | b'\r');
        self.at += rest.iter().take_while(is_blank).count();
        self.peek()
    }

    fn peek(&self) -> Option<u8> {
        self.source.as_bytes().get(self.at).copied()
    }

    fn here(&self) -> Span {
        let width = self.source[self.at..].chars().next().map_or(0, char::len_utf8);
        self.span(self.at, self.at + width)
    }

    fn span(&self, start: usize, end: usize) -> Span {
        Span::at(self.file, start as u32, end as u32)
    }
}

/// Decodes `uXXXX` or a surrogate pair. Returns the character and the number of bytes it covers, including
/// the backslash.
fn unicode_escape(rest: &str) -> (Option<char>, usize) {
    let unit = |digits: Option<&str>| {
        digits
            .filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()))
            .and_then(|digits| u32::from_str_radix(digits, 16).ok())
    };
    let Some(first) = unit(rest.get(1..5)) else {
        return (None, 0);
    };
    if !(0xD800..0xDC00).contains(&first) {
        return (char::from_u32(first), 6);
    }
    let second = rest.get(5..7).filter(|sign| *sign == "\\u").and_then(|_| unit(rest.get(7..11)));
    let pair = second
        .filter(|second| (0xDC00..0xE000).contains(second))
        .and_then(|second| char::from_u32(0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00)));
    (pair, 12)
}
