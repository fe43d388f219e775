//! Data as JSON text, and back. Start with [`write`](fn@write) and [`read`].
//!
//! What is written is what `JSON.stringify` writes in a browser: no spaces, entries in their order, and only
//! what has to be escaped is.

use std::fmt;

use intermezzo_engine::{Datum, Text};

/// What [`read`] takes at most: bytes, and lists and objects within each other.
pub const MAX_BYTES: usize = 1 << 20;
/// See [`MAX_BYTES`].
pub const MAX_DEPTH: usize = 32;

/// Writes data as JSON text.
pub fn write(datum: &Datum, out: &mut String) {
    match datum {
        Datum::Null => out.push_str("null"),
        Datum::Bool(true) => out.push_str("true"),
        Datum::Bool(false) => out.push_str("false"),
        Datum::Int(number) => write_number(*number, out),
        Datum::Text(text) => write_text(text, out),
        Datum::List(items) => {
            out.push('[');
            for (place, item) in items.iter().enumerate() {
                if place > 0 {
                    out.push(',');
                }
                write(item, out);
            }
            out.push(']');
        }
        Datum::Map(entries) => {
            out.push('{');
            for (place, (name, value)) in entries.iter().enumerate() {
                if place > 0 {
                    out.push(',');
                }
                write_text(name, out);
                out.push(':');
                write(value, out);
            }
            out.push('}');
        }
    }
}

/// Writes a text in quotes.
pub fn write_text(text: &str, out: &mut String) {
    out.push('"');
    let mut written = 0;
    for (at, byte) in text.bytes().enumerate() {
        if byte >= 0x20 && byte != b'"' && byte != b'\\' {
            continue;
        }
        // What is escaped is a character of one byte, so texts are only cut between characters.
        out.push_str(&text[written..at]);
        write_escape(byte, out);
        written = at + 1;
    }
    out.push_str(&text[written..]);
    out.push('"');
}

fn write_escape(byte: u8, out: &mut String) {
    let short = match byte {
        b'"' => '"',
        b'\\' => '\\',
        0x08 => 'b',
        b'\t' => 't',
        b'\n' => 'n',
        0x0c => 'f',
        b'\r' => 'r',
        _ => {
            let digit = |number: u8| char::from_digit(u32::from(number), 16).unwrap_or('0');
            out.push_str("\\u00");
            out.extend([digit(byte >> 4), digit(byte & 15)]);
            return;
        }
    };
    out.extend(['\\', short]);
}

/// Writes a number in decimal digits.
pub fn write_number(number: i64, out: &mut String) {
    if number < 0 {
        out.push('-');
    }
    let (mut digits, mut at, mut left) = ([0; 20], 20, number.unsigned_abs());
    loop {
        at -= 1;
        digits[at] = b'0' + (left % 10) as u8;
        left /= 10;
        if left == 0 {
            break;
        }
    }
    out.extend(digits[at..].iter().map(|digit| char::from(*digit)));
}

/// Why bytes are no data.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum JsonError {
    /// More bytes than are taken.
    TooLong,
    /// Lists and objects are within each other too deep.
    TooDeep,
    /// Something else is expected at that byte.
    Unexpected {
        /// Counted from 0; as many as there are bytes, if they end too early.
        at: usize,
    },
    /// Numbers are whole, and neither very large nor very small.
    NotWhole {
        /// Where the number begins.
        at: usize,
    },
    /// A text that is none.
    BadText {
        /// Where it is wrong.
        at: usize,
    },
    /// A name that its object has already.
    Twice {
        /// Where the object ends.
        at: usize,
    },
}

impl fmt::Display for JsonError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            JsonError::TooLong => f.write_str("that is too long"),
            JsonError::TooDeep => f.write_str("lists and objects are nested too deep"),
            JsonError::Unexpected { at } => write!(f, "something else is expected at byte {at}"),
            JsonError::NotWhole { at } => write!(f, "numbers are whole here: see byte {at}"),
            JsonError::BadText { at } => write!(f, "the text is broken at byte {at}"),
            JsonError::Twice { at } => write!(f, "the object that ends at byte {at} has a name twice"),
        }
    }
}

impl std::error::Error for JsonError {}

/// Reads JSON text as data. Numbers must be whole, names must differ.
///
/// # Errors
///
/// If it is no JSON, or too much of it.
pub fn read(bytes: &[u8]) -> Result<Datum, JsonError> {
    read_within(bytes, MAX_BYTES, MAX_DEPTH)
}

/// The same with other limits.
///
/// # Errors
///
/// If it is no JSON, or too much of it.
pub fn read_within(bytes: &[u8], max_bytes: usize, max_depth: usize) -> Result<Datum, JsonError> {
    if bytes.len() > max_bytes {
        return Err(JsonError::TooLong);
    }
    let mut reader = Reader { bytes, at: 0 };
    let datum = reader.value(max_depth)?;
    reader.space();
    if reader.at == bytes.len() { Ok(datum) } else { Err(reader.unexpected()) }
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Reader<'_> {
    fn unexpected(&self) -> JsonError {
        JsonError::Unexpected { at: self.at }
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn expect(&mut self, text: &[u8]) -> Result<(), JsonError> {
        if !self.bytes[self.at..].starts_with(text) {
            return Err(self.unexpected());
        }
        self.at += text.len();
        Ok(())
    }

    /// Whether the next byte is that one, which is then read.
    fn takes(&mut self, byte: u8) -> bool {
        let is_it = self.peek() == Some(byte);
        self.at += usize::from(is_it);
        is_it
    }

    fn value(&mut self, depth: usize) -> Result<Datum, JsonError> {
        self.space();
        match self.peek() {
            Some(b'n') => self.expect(b"null").map(|()| Datum::Null),
            Some(b't') => self.expect(b"true").map(|()| Datum::Bool(true)),
            Some(b'f') => self.expect(b"false").map(|()| Datum::Bool(false)),
            Some(b'"') => self.text().map(Datum::text),
            Some(b'[' | b'{') if depth == 0 => Err(JsonError::TooDeep),
            Some(b'[') => self.list(depth - 1),
            Some(b'{') => self.map(depth - 1),
            Some(b'-' | b'0'..=b'9') => self.number().map(Datum::Int),
            _ => Err(self.unexpected()),
        }
    }

    fn list(&mut self, depth: usize) -> Result<Datum, JsonError> {
        let mut items = Vec::new();
        self.at += 1;
        self.space();
        if self.takes(b']') {
            return Ok(Datum::List(items));
        }
        loop {
            items.push(self.value(depth)?);
            self.space();
            if self.takes(b']') {
                return Ok(Datum::List(items));
            }
            self.expect(b",")?;
        }
    }

    fn map(&mut self, depth: usize) -> Result<Datum, JsonError> {
        let mut entries = Vec::new();
        self.at += 1;
        self.space();
        if self.takes(b'}') {
            return Ok(Datum::Map(entries));
        }
        loop {
            self.space();
            let name = self.text()?;
            self.space();
            self.expect(b":")?;
            entries.push((name.into(), self.value(depth)?));
            self.space();
            if self.takes(b'}') {
                return if all_differ(&entries) {
                    Ok(Datum::Map(entries))
                } else {
                    Err(JsonError::Twice { at: self.at })
                };
            }
            self.expect(b",")?;
        }
    }

    fn number(&mut self) -> Result<i64, JsonError> {
        let from = self.at;
        self.takes(b'-');
        let digits = self.at;
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.at += 1;
        }
        let is_padded = self.bytes[digits..self.at].len() > 1 && self.bytes[digits] == b'0';
        if digits == self.at || is_padded {
            return Err(self.unexpected());
        }
        let text = std::str::from_utf8(&self.bytes[from..self.at]).ok();
        let is_whole = !matches!(self.peek(), Some(b'.' | b'e' | b'E'));
        let number = text.and_then(|text| text.parse().ok()).filter(|_| is_whole);
        number.ok_or(JsonError::NotWhole { at: from })
    }

    fn text(&mut self) -> Result<String, JsonError> {
        self.expect(b"\"")?;
        let mut text: Vec<u8> = Vec::new();
        let from = self.at;
        loop {
            let rest = &self.bytes[self.at..];
            let plain = rest.iter().position(|byte| *byte < 0x20 || matches!(byte, b'"' | b'\\'));
            let plain = plain.ok_or(JsonError::Unexpected { at: self.bytes.len() })?;
            text.extend_from_slice(&rest[..plain]);
            self.at += plain + 1;
            match rest[plain] {
                b'"' => break,
                b'\\' => self.escape(&mut text)?,
                _ => return Err(JsonError::BadText { at: self.at - 1 }),
            }
        }
        String::from_utf8(text).map_err(|_| JsonError::BadText { at: from })
    }

    fn escape(&mut self, text: &mut Vec<u8>) -> Result<(), JsonError> {
        let wrong = JsonError::BadText { at: self.at };
        let byte = self.peek().ok_or(self.unexpected())?;
        self.at += 1;
        let character = match byte {
            b'"' | b'\\' | b'/' => char::from(byte),
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => self.unicode().ok_or(wrong)?,
            _ => return Err(wrong),
        };
        text.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
        Ok(())
    }

    /// What follows `\u`: four digits, or twice that for characters that need two.
    fn unicode(&mut self) -> Option<char> {
        let first = self.digits()?;
        if !(0xd800..0xdc00).contains(&first) {
            return char::from_u32(first);
        }
        self.expect(b"\\u").ok()?;
        let second = self.digits().filter(|second| (0xdc00..0xe000).contains(second))?;
        char::from_u32(0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00))
    }

    fn digits(&mut self) -> Option<u32> {
        let mut number = 0;
        for _ in 0..4 {
            number = number * 16 + char::from(self.peek()?).to_digit(16)?;
            self.at += 1;
        }
        Some(number)
    }
}

fn all_differ(entries: &[(Text, Datum)]) -> bool {
    let mut names: Vec<&str> = entries.iter().map(|entry| entry.0.as_str()).collect();
    names.sort_unstable();
    names.windows(2).all(|pair| pair[0] != pair[1])
}
