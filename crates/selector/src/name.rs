//! What choices and picks are called: texts and whole numbers.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, Visitor};
use serde::ser::{Serialize, Serializer};

/// A text or a whole number. The text `3` is not the number 3.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Name {
    /// A text.
    Text(String),
    /// A number.
    Number(i64),
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Name::Text(text) => f.write_str(text),
            Name::Number(number) => number.fmt(f),
        }
    }
}

impl PartialEq<str> for Name {
    fn eq(&self, other: &str) -> bool {
        matches!(self, Name::Text(text) if text == other)
    }
}

impl PartialEq<&str> for Name {
    fn eq(&self, other: &&str) -> bool {
        self == *other
    }
}

impl From<&str> for Name {
    fn from(text: &str) -> Name {
        Name::Text(text.to_owned())
    }
}

impl From<String> for Name {
    fn from(text: String) -> Name {
        Name::Text(text)
    }
}

impl From<i64> for Name {
    fn from(number: i64) -> Name {
        Name::Number(number)
    }
}

impl Serialize for Name {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Name::Text(text) => serializer.serialize_str(text),
            Name::Number(number) => serializer.serialize_i64(*number),
        }
    }
}

impl<'de> Deserialize<'de> for Name {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Name, D::Error> {
        deserializer.deserialize_any(NameVisitor)
    }
}

/// A number as JSON may bring it along.
pub(crate) fn whole<E: Error>(number: u64) -> Result<i64, E> {
    i64::try_from(number).map_err(|_| E::custom(format!("the number {number} is too large")))
}

struct NameVisitor;

impl Visitor<'_> for NameVisitor {
    type Value = Name;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a text or a whole number")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Name, E> {
        Ok(text.into())
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Name, E> {
        Ok(Name::Number(number))
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Name, E> {
        whole(number).map(Name::Number)
    }
}
