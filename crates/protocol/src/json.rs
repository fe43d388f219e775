//! Conversion between data and JSON text. Start with [`write`](fn@write) and [`read`].
//!
//! The output equals that of `JSON.stringify` in a browser: no whitespace, entries in insertion order, minimal
//! escaping. View hashes depend on this.

use intermezzo_engine::{Datum, ShortText};

/// Maximum length of the input of [`read`].
pub const MAX_BYTES: usize = 1 << 20;
/// Maximum nesting depth of the input of [`read`].
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
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                write(item, out);
            }
            out.push(']');
        }
        Datum::Map(entries) => {
            out.push('{');
            for (index, (name, value)) in entries.iter().enumerate() {
                if index > 0 {
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

/// Writes a string in quotes.
pub fn write_text(text: &str, out: &mut String) {
    // Almost no text needs escaping, and this loop has no branch.
    let needs_escape = |byte: u8| (byte < 0x20) | (byte == b'"') | (byte == b'\\');
    let is_plain = !text.bytes().fold(false, |any, byte| any | needs_escape(byte));
    out.reserve(text.len() + 2);
    out.push('"');
    if is_plain {
        out.push_str(text);
        out.push('"');
        return;
    }
    let mut written = 0;
    for (at, byte) in text.bytes().enumerate() {
        if !needs_escape(byte) {
            continue;
        }
        // Only single-byte characters are escaped, so slices never split a character.
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

/// An error from reading JSON.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum JsonError {
    /// The input is longer than allowed.
    #[error("input too long")]
    TooLong,
    /// Lists and objects are nested too deep.
    #[error("lists and objects are nested too deep")]
    TooDeep,
    /// An unexpected byte, or the input ends too early.
    #[error("unexpected input at byte {at}")]
    Unexpected {
        /// Byte offset; the length of the input if it ends too early.
        at: usize,
    },
    /// A number is not a 64-bit integer.
    #[error("number at byte {at} is not a 64-bit integer")]
    NotAnInteger {
        /// Byte offset of the number.
        at: usize,
    },
    /// A string is invalid.
    #[error("invalid string at byte {at}")]
    InvalidString {
        /// Byte offset of the error.
        at: usize,
    },
    /// An object has a name twice.
    #[error("duplicate name in the object that ends at byte {at}")]
    DuplicateName {
        /// Byte offset of the end of the object.
        at: usize,
    },
}

/// Reads JSON text as data. Numbers must be integers, and the names in an object must be unique.
///
/// # Errors
///
/// If the input is not valid JSON or exceeds the limits.
pub fn read(bytes: &[u8]) -> Result<Datum, JsonError> {
    read_with_limits(bytes, MAX_BYTES, MAX_DEPTH)
}

/// Reads JSON text with custom limits.
///
/// # Errors
///
/// If the input is not valid JSON or exceeds the limits.
pub fn read_with_limits(bytes: &[u8], max_bytes: usize, max_depth: usize) -> Result<Datum, JsonError> {
    if bytes.len() > max_bytes {
        return Err(JsonError::TooLong);
    }
    let mut reader = JsonReader { bytes, at: 0 };
    let datum = reader.read_value(max_depth)?;
    reader.skip_whitespace();
    if reader.at == bytes.len() { Ok(datum) } else { Err(reader.unexpected()) }
}

struct JsonReader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl JsonReader<'_> {
    fn unexpected(&self) -> JsonError {
        JsonError::Unexpected { at: self.at }
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn skip_whitespace(&mut self) {
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

    /// Consumes the next byte if it equals `byte`.
    fn consume(&mut self, byte: u8) -> bool {
        let is_it = self.peek() == Some(byte);
        self.at += usize::from(is_it);
        is_it
    }

    fn read_value(&mut self, depth: usize) -> Result<Datum, JsonError> {
        self.skip_whitespace();
        match self.peek() {
            Some(b'n') => self.expect(b"null").map(|()| Datum::Null),
            Some(b't') => self.expect(b"true").map(|()| Datum::Bool(true)),
            Some(b'f') => self.expect(b"false").map(|()| Datum::Bool(false)),
            Some(b'"') => self.read_string().map(Datum::text),
            Some(b'[' | b'{') if depth == 0 => Err(JsonError::TooDeep),
            Some(b'[') => self.read_list(depth - 1),
            Some(b'{') => self.read_map(depth - 1),
            Some(b'-' | b'0'..=b'9') => self.read_number().map(Datum::Int),
            _ => Err(self.unexpected()),
        }
    }

    fn read_list(&mut self, depth: usize) -> Result<Datum, JsonError> {
        let mut items = Vec::new();
        self.at += 1;
        self.skip_whitespace();
        if self.consume(b']') {
            return Ok(Datum::List(items));
        }
        loop {
            items.push(self.read_value(depth)?);
            self.skip_whitespace();
            if self.consume(b']') {
                return Ok(Datum::List(items));
            }
            self.expect(b",")?;
        }
    }

    fn read_map(&mut self, depth: usize) -> Result<Datum, JsonError> {
        let mut entries = Vec::new();
        self.at += 1;
        self.skip_whitespace();
        if self.consume(b'}') {
            return Ok(Datum::Map(entries));
        }
        loop {
            self.skip_whitespace();
            let name = self.read_string()?;
            self.skip_whitespace();
            self.expect(b":")?;
            entries.push((name.into(), self.read_value(depth)?));
            self.skip_whitespace();
            if self.consume(b'}') {
                return if has_unique_names(&entries) {
                    Ok(Datum::Map(entries))
                } else {
                    Err(JsonError::DuplicateName { at: self.at })
                };
            }
            self.expect(b",")?;
        }
    }

    fn read_number(&mut self) -> Result<i64, JsonError> {
        let from = self.at;
        self.consume(b'-');
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
        number.ok_or(JsonError::NotAnInteger { at: from })
    }

    fn read_string(&mut self) -> Result<String, JsonError> {
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
                b'\\' => self.read_escape(&mut text)?,
                _ => return Err(JsonError::InvalidString { at: self.at - 1 }),
            }
        }
        String::from_utf8(text).map_err(|_| JsonError::InvalidString { at: from })
    }

    fn read_escape(&mut self, text: &mut Vec<u8>) -> Result<(), JsonError> {
        let wrong = JsonError::InvalidString { at: self.at };
        let byte = self.peek().ok_or(self.unexpected())?;
        self.at += 1;
        let character = match byte {
            b'"' | b'\\' | b'/' => char::from(byte),
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => self.read_unicode_escape().ok_or(wrong)?,
            _ => return Err(wrong),
        };
        text.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
        Ok(())
    }

    /// Reads the part after `\u`: four digits, or a surrogate pair.
    fn read_unicode_escape(&mut self) -> Option<char> {
        let first = self.read_hex_digits()?;
        if !(0xd800..0xdc00).contains(&first) {
            return char::from_u32(first);
        }
        self.expect(b"\\u").ok()?;
        let second = self.read_hex_digits().filter(|second| (0xdc00..0xe000).contains(second))?;
        char::from_u32(0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00))
    }

    fn read_hex_digits(&mut self) -> Option<u32> {
        let mut number = 0;
        for _ in 0..4 {
            number = number * 16 + char::from(self.peek()?).to_digit(16)?;
            self.at += 1;
        }
        Some(number)
    }
}

fn has_unique_names(entries: &[(ShortText, Datum)]) -> bool {
    let mut names: Vec<&str> = entries.iter().map(|entry| entry.0.as_str()).collect();
    names.sort_unstable();
    names.windows(2).all(|pair| pair[0] != pair[1])
}
