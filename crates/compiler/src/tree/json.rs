//! Reads JSON into the same tree.
//!
//! Start at [`parse`]. JSON has its own scanner, small enough to read, because
//! YAML forbids tabs where JSON allows them and allows much that JSON does not.

use super::build::{Builder, Stop};
use super::places::{self, Style};
use super::text::Text;
use super::{Node, plain};
use crate::diagnostic::Diagnostic;
use crate::source::{FileId, Span};

/// Reads a JSON text into a tree.
pub(super) fn parse(file: FileId, source: &str, out: &mut Vec<Diagnostic>) -> Option<Node> {
    let at = if source.starts_with('\u{FEFF}') { '\u{FEFF}'.len_utf8() } else { 0 };
    let mut reader = Reader { file, source, at, builder: Builder::new(out), closers: Vec::new() };
    reader.read_all().ok()?;
    reader.builder.finish()
}

struct Reader<'a, 'out> {
    file: FileId,
    source: &'a str,
    at: usize,
    builder: Builder<'out>,
    /// For each open bracket what closes it and where it stands.
    closers: Vec<(u8, Span)>,
}

impl Reader<'_, '_> {
    fn read_all(&mut self) -> Result<(), Stop> {
        loop {
            let has_opened = self.value()?;
            if !has_opened && !self.goes_on()? {
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

    /// Reads a value, or only the opening bracket of one that has content;
    /// then the answer is true.
    fn value(&mut self) -> Result<bool, Stop> {
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

    fn open(&mut self, closer: u8) -> Result<bool, Stop> {
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

    /// After a value: closes what ends here and says whether a comma follows.
    fn goes_on(&mut self) -> Result<bool, Stop> {
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

    fn key(&mut self) -> Result<(), Stop> {
        if self.peek_after_blanks() != Some(b'"') {
            let hint = "keys stand in double quotes; after the last entry there is no comma";
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

    /// A number, `true`, `false` or `null`.
    fn word(&mut self) -> Result<(), Stop> {
        let rest = &self.source[self.at..];
        let is_end = |c: char| matches!(c, ',' | ':' | '[' | ']' | '{' | '}' | '"') || c <= ' ';
        let word = &rest[..rest.find(is_end).unwrap_or(rest.len())];
        let span = self.span(self.at, self.at + word.len());
        let meaning = plain::read(word, span);
        let Some(value) = meaning.value else {
            let hint = "texts stand in double quotes; after the last value there is no comma";
            return Err(self.fail("expected a value", Some(hint)));
        };
        if let Some(problem) = meaning.problem {
            self.builder.report(problem)?;
        }
        self.at += word.len();
        self.builder.value(Node { span, value })
    }

    fn string(&mut self) -> Result<Text, Stop> {
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
        let places = places::find(self.source, start..self.at, Style::DoubleQuoted, &value);
        Ok(Text::new(value, self.span(start, self.at), places))
    }

    fn escape(&mut self) -> Result<char, Stop> {
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

    fn not_closed(&mut self, closer: u8, opener: Span) -> Stop {
        let message = format!("expected `,` or `{}`", char::from(closer));
        let problem = Diagnostic::error("E-JSON", self.here(), message);
        self.builder.stop(problem.related(opener, "opened here"))
    }

    fn fail(&mut self, message: &str, hint: Option<&str>) -> Stop {
        let problem = Diagnostic::error("E-JSON", self.here(), message);
        self.builder.stop(match hint {
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

/// The character of `uXXXX`, or of a surrogate pair, and the bytes it takes
/// with its backslash.
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
