//! Small numbers, texts and data as bytes, and back. What is read is not trusted.
//!
//! Numbers take as many bytes as they need, seven bits in each, the lowest first.

use std::fmt;

use intermezzo_engine::Datum;

/// Data may be nested this deep.
const MAX_DEPTH: u32 = 64;

/// Bytes that are not what is said to be written in them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Malformed {
    /// The first byte says that another version wrote them.
    WrongVersion,
    /// They end too early.
    Short,
    /// They go on where they should end.
    Long,
    /// Something is written that has no meaning.
    Wrong,
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Malformed::WrongVersion => "the bytes are of another version",
            Malformed::Short => "the bytes end too early",
            Malformed::Long => "the bytes go on after their end",
            Malformed::Wrong => "the bytes make no sense",
        })
    }
}

impl std::error::Error for Malformed {}

type Read<T> = Result<T, Malformed>;

pub(crate) fn put_number(out: &mut Vec<u8>, number: u64) {
    let mut left = number;
    while left >= 0x80 {
        out.push(left as u8 | 0x80);
        left >>= 7;
    }
    out.push(left as u8);
}

/// A number of either sign: small ones of both stay small.
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

/// What is left to read.
pub(crate) struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    /// All after the version in the first byte.
    pub(crate) fn of_version(bytes: &'a [u8], version: u8) -> Read<Reader<'a>> {
        match bytes.split_first() {
            Some((first, rest)) if *first == version => Ok(Reader(rest)),
            Some(_) => Err(Malformed::WrongVersion),
            None => Err(Malformed::Short),
        }
    }

    /// Nothing may be left.
    pub(crate) fn end(&self) -> Read<()> {
        if self.0.is_empty() { Ok(()) } else { Err(Malformed::Long) }
    }

    pub(crate) fn byte(&mut self) -> Read<u8> {
        let (first, rest) = self.0.split_first().ok_or(Malformed::Short)?;
        self.0 = rest;
        Ok(*first)
    }

    pub(crate) fn number(&mut self) -> Read<u64> {
        let (mut number, mut shift) = (0, 0);
        loop {
            let byte = self.byte()?;
            let part = u64::from(byte & 0x7f);
            let is_padded = byte == 0 && shift > 0;
            if shift > 63 || (shift == 63 && part > 1) || is_padded {
                return Err(Malformed::Wrong);
            }
            number |= part << shift;
            if byte & 0x80 == 0 {
                return Ok(number);
            }
            shift += 7;
        }
    }

    pub(crate) fn signed(&mut self) -> Read<i64> {
        let zigzag = self.number()?;
        Ok((zigzag >> 1) as i64 ^ -((zigzag & 1) as i64))
    }

    /// A number of a smaller type.
    pub(crate) fn small<T: TryFrom<u64>>(&mut self) -> Read<T> {
        T::try_from(self.number()?).map_err(|_| Malformed::Wrong)
    }

    pub(crate) fn flag(&mut self) -> Read<bool> {
        match self.byte()? {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(Malformed::Wrong),
        }
    }

    /// How many things follow that each take at least one byte.
    pub(crate) fn len(&mut self) -> Read<usize> {
        let len = self.small::<usize>()?;
        if len <= self.0.len() { Ok(len) } else { Err(Malformed::Short) }
    }

    pub(crate) fn bytes(&mut self) -> Read<&'a [u8]> {
        let len = self.len()?;
        let (bytes, rest) = self.0.split_at_checked(len).ok_or(Malformed::Short)?;
        self.0 = rest;
        Ok(bytes)
    }

    pub(crate) fn text(&mut self) -> Read<String> {
        let text = std::str::from_utf8(self.bytes()?).map_err(|_| Malformed::Wrong)?;
        Ok(text.to_owned())
    }

    /// A list of things that each take at least one byte.
    pub(crate) fn list<T>(&mut self, mut read: impl FnMut(&mut Reader<'a>) -> Read<T>) -> Read<Vec<T>> {
        (0..self.len()?).map(|_| read(self)).collect()
    }

    pub(crate) fn datum(&mut self) -> Read<Datum> {
        self.datum_at(0)
    }

    fn datum_at(&mut self, depth: u32) -> Read<Datum> {
        if depth > MAX_DEPTH {
            return Err(Malformed::Wrong);
        }
        Ok(match self.byte()? {
            0 => Datum::Null,
            1 => Datum::Bool(false),
            2 => Datum::Bool(true),
            3 => Datum::Int(self.signed()?),
            4 => Datum::text(self.text()?),
            5 => Datum::List(self.list(|reader| reader.datum_at(depth + 1))?),
            6 => Datum::Map(self.list(|reader| Ok((reader.text()?.into(), reader.datum_at(depth + 1)?)))?),
            _ => return Err(Malformed::Wrong),
        })
    }
}
