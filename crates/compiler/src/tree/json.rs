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
        self.value()?;
        while let Some((closer, opener)) = self.closers.last().copied() {
            self.skip_blanks();
            match self.peek() {
                Some(b',') => {
                    self.at += 1;
                    self.item()?;
                }
                Some(byte) if byte == closer => self.close(),
                _ => return Err(self.not_closed(closer, opener)),
            }
        }
        self.skip_blanks();
        match self.peek() {
            None => Ok(()),
            Some(_) => Err(self.fail("something follows the end of the value", "")),
        }
    }

    /// An element of a list, or a key and its value.
    fn item(&mut self) -> Result<(), Stop> {
        if self.builder.expects_key() {
            self.skip_blanks();
            if self.peek() != Some(b'"') {
                let hint = "keys stand in double quotes; after the last entry there is no comma";
                return Err(self.fail("expected a key", hint));
            }
            let key = self.string()?;
            self.builder.key(key)?;
            self.skip_blanks();
            if self.peek() != Some(b':') {
                return Err(self.fail("expected `:`", ""));
            }
            self.at += 1;
        }
        self.value()
    }

    /// A value; of a list or object also what follows its opening bracket.
    fn value(&mut self) -> Result<(), Stop> {
        loop {
            self.skip_blanks();
            let is_open = match self.peek() {
                Some(b'[') => self.open(b']')?,
                Some(b'{') => self.open(b'}')?,
                Some(b'"') => {
                    let text = self.string()?;
                    return self.builder.text(text);
                }
                _ => return self.word(),
            };
            if !is_open {
                return Ok(());
            }
            if self.builder.expects_key() {
                // The key is read by `item`, whose value may open the next
                // bracket: looping here keeps deep nesting off the stack.
                self.key_and_colon()?;
            }
        }
    }

    fn key_and_colon(&mut self) -> Result<(), Stop> {
        Ok(())
    }

    fn open(&mut self, closer: u8) -> Result<bool, Stop> {
        let span = self.span(self.at, self.at + 1);
        if closer == b']' { self.builder.begin_list(span)? } else { self.builder.begin_map(span)? }
        self.closers.push((closer, span));
        self.at += 1;
        self.skip_blanks();
        if self.peek() == Some(closer) {
            self.close();
            return Ok(false);
        }
        Ok(true)
    }

    fn close(&mut self) {
        let bracket = self.span(self.at, self.at + 1);
        self.at += 1;
        self.closers.pop();
        self.builder.end(Some(bracket));
    }

    fn skip_blanks(&mut self) {
        let rest = &self.source.as_bytes()[self.at..];
        self.at += rest.iter().take_while(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r')).count();
    }

    fn peek(&self) -> Option<u8> {
        self.source.as_bytes().get(self.at).copied()
    }

    fn span(&self, start: usize, end: usize) -> Span {
        Span::at(self.file, start as u32, end as u32)
    }
}
