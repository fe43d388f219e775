//! Titles and ids: texts and integers.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, Visitor};
use serde::ser::{Serialize, Serializer};

/// A text or an integer. The text `3` is not the number 3.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ChoiceName {
    Text(String),
    Number(i64),
}

impl fmt::Display for ChoiceName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ChoiceName::Text(text) => f.write_str(text),
            ChoiceName::Number(number) => number.fmt(f),
        }
    }
}

impl PartialEq<str> for ChoiceName {
    fn eq(&self, other: &str) -> bool {
        matches!(self, ChoiceName::Text(text) if text == other)
    }
}

impl PartialEq<&str> for ChoiceName {
    fn eq(&self, other: &&str) -> bool {
        self == *other
    }
}

impl From<&str> for ChoiceName {
    fn from(text: &str) -> ChoiceName {
        ChoiceName::Text(text.to_owned())
    }
}

impl From<String> for ChoiceName {
    fn from(text: String) -> ChoiceName {
        ChoiceName::Text(text)
    }
}

impl From<i64> for ChoiceName {
    fn from(number: i64) -> ChoiceName {
        ChoiceName::Number(number)
    }
}

impl Serialize for ChoiceName {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            ChoiceName::Text(text) => serializer.serialize_str(text),
            ChoiceName::Number(number) => serializer.serialize_i64(*number),
        }
    }
}

impl<'de> Deserialize<'de> for ChoiceName {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<ChoiceName, D::Error> {
        deserializer.deserialize_any(NameVisitor)
    }
}

/// Converts a JSON number, which may be too large.
pub(crate) fn to_i64<E: Error>(number: u64) -> Result<i64, E> {
    i64::try_from(number).map_err(|_| E::custom(format!("the number {number} is too large")))
}

struct NameVisitor;

impl Visitor<'_> for NameVisitor {
    type Value = ChoiceName;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string or an integer")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<ChoiceName, E> {
        Ok(text.into())
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<ChoiceName, E> {
        Ok(ChoiceName::Number(number))
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<ChoiceName, E> {
        to_i64(number).map(ChoiceName::Number)
    }
}
