//! A compact byte encoding of numbers, texts and data. Input is not trusted.
//!
//! Numbers use as many bytes as they need, seven bits in each, lowest first.

use intermezzo_engine::Datum;

/// Maximum nesting of data.
const MAX_DEPTH: u32 = 64;

/// The error of decoding bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum DecodeError {
    /// The first byte names another version.
    #[error("the bytes were written by another version")]
    WrongVersion,
    /// The bytes end too early.
    #[error("the bytes end too early")]
    Truncated,
    /// Bytes are left over at the end.
    #[error("unexpected bytes at the end")]
    TrailingBytes,
    /// A value is invalid.
    #[error("the bytes are invalid")]
    Invalid,
}

type DecodeResult<T> = Result<T, DecodeError>;

pub(crate) fn put_number(out: &mut Vec<u8>, number: u64) {
    let mut left = number;
    while left >= 0x80 {
        out.push(left as u8 | 0x80);
        left >>= 7;
    }
    out.push(left as u8);
}

/// Writes a signed number (zigzag), so that small values of either sign stay short.
pub(crate) fn put_signed(out: &mut Vec<u8>, number: i64) {
    put_number(out, ((number << 1) ^ (number >> 63)) as u64);
}

pub(crate) fn put_len(out: &mut Vec<u8>, len: usize) {
    put_number(out, len as u64);
}

pub(crate) fn put_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    put_len(out, bytes.len());
    out.extend_from_slice(bytes);
}

pub(crate) fn put_datum(out: &mut Vec<u8>, datum: &Datum) {
    match datum {
        Datum::Null => out.push(0),
        Datum::Bool(false) => out.push(1),
        Datum::Bool(true) => out.push(2),
        Datum::Int(number) => {
            out.push(3);
            put_signed(out, *number);
        }
        Datum::Text(text) => {
            out.push(4);
            put_bytes(out, text.as_bytes());
        }
        Datum::List(items) => {
            out.push(5);
            put_len(out, items.len());
            items.iter().for_each(|item| put_datum(out, item));
        }
        Datum::Map(entries) => {
            out.push(6);
            put_len(out, entries.len());
            for (name, value) in entries {
                put_bytes(out, name.as_bytes());
                put_datum(out, value);
            }
        }
    }
}

/// A cursor over the bytes left to read.
pub(crate) struct ByteReader<'a>(&'a [u8]);

impl<'a> ByteReader<'a> {
    /// Creates a reader for the bytes after the version byte.
    pub(crate) fn of_version(bytes: &'a [u8], version: u8) -> DecodeResult<ByteReader<'a>> {
        match bytes.split_first() {
            Some((first, rest)) if *first == version => Ok(ByteReader(rest)),
            Some(_) => Err(DecodeError::WrongVersion),
            None => Err(DecodeError::Truncated),
        }
    }

    /// Fails if bytes are left.
    pub(crate) fn end(&self) -> DecodeResult<()> {
        if self.0.is_empty() { Ok(()) } else { Err(DecodeError::TrailingBytes) }
    }

    pub(crate) fn byte(&mut self) -> DecodeResult<u8> {
        let (first, rest) = self.0.split_first().ok_or(DecodeError::Truncated)?;
        self.0 = rest;
        Ok(*first)
    }

    pub(crate) fn number(&mut self) -> DecodeResult<u64> {
        let (mut number, mut shift) = (0, 0);
        loop {
            let byte = self.byte()?;
            let part = u64::from(byte & 0x7f);
            let is_padded = byte == 0 && shift > 0;
            if shift > 63 || (shift == 63 && part > 1) || is_padded {
                return Err(DecodeError::Invalid);
            }
            number |= part << shift;
            if byte & 0x80 == 0 {
                return Ok(number);
            }
            shift += 7;
        }
    }

    pub(crate) fn signed(&mut self) -> DecodeResult<i64> {
        let zigzag = self.number()?;
        Ok((zigzag >> 1) as i64 ^ -((zigzag & 1) as i64))
    }

    /// Reads a number of a smaller type.
    pub(crate) fn small<T: TryFrom<u64>>(&mut self) -> DecodeResult<T> {
        T::try_from(self.number()?).map_err(|_| DecodeError::Invalid)
    }

    pub(crate) fn flag(&mut self) -> DecodeResult<bool> {
        match self.byte()? {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(DecodeError::Invalid),
        }
    }

    /// Reads the number of items that follow, each at least one byte long. Rejecting larger numbers bounds
    /// allocations.
    pub(crate) fn len(&mut self) -> DecodeResult<usize> {
        let len = self.small::<usize>()?;
        if len <= self.0.len() { Ok(len) } else { Err(DecodeError::Truncated) }
    }

    pub(crate) fn bytes(&mut self) -> DecodeResult<&'a [u8]> {
        let len = self.len()?;
        let (bytes, rest) = self.0.split_at_checked(len).ok_or(DecodeError::Truncated)?;
        self.0 = rest;
        Ok(bytes)
    }

    pub(crate) fn text(&mut self) -> DecodeResult<String> {
        let text = std::str::from_utf8(self.bytes()?).map_err(|_| DecodeError::Invalid)?;
        Ok(text.to_owned())
    }

    /// Reads a list of items, each at least one byte long.
    pub(crate) fn list<T>(
        &mut self,
        mut read: impl FnMut(&mut ByteReader<'a>) -> DecodeResult<T>,
    ) -> DecodeResult<Vec<T>> {
        (0..self.len()?).map(|_| read(self)).collect()
    }

    pub(crate) fn datum(&mut self) -> DecodeResult<Datum> {
        self.datum_at(0)
    }

    fn datum_at(&mut self, depth: u32) -> DecodeResult<Datum> {
        if depth > MAX_DEPTH {
            return Err(DecodeError::Invalid);
        }
        Ok(match self.byte()? {
            0 => Datum::Null,
            1 => Datum::Bool(false),
            2 => Datum::Bool(true),
            3 => Datum::Int(self.signed()?),
            4 => Datum::text(self.text()?),
            5 => Datum::List(self.list(|reader| reader.datum_at(depth + 1))?),
            6 => Datum::Map(self.list(|reader| Ok((reader.text()?.into(), reader.datum_at(depth + 1)?)))?),
            _ => return Err(DecodeError::Invalid),
        })
    }
}
