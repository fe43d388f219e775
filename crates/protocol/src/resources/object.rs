//! Objects that have to be written as objects: a list of the values of their fields will not do.

use std::fmt;
use std::marker::PhantomData;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserialize, DeserializeOwned, Deserializer, MapAccess, Visitor};

/// A value that has to be written as an object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Object<T>(pub T);

impl<'de, T: DeserializeOwned> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Object<T>, D::Error> {
        deserializer.deserialize_map(Fields(PhantomData))
    }
}

struct Fields<T>(PhantomData<T>);

impl<'de, T: DeserializeOwned> Visitor<'de> for Fields<T> {
    type Value = Object<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, fields: A) -> Result<Object<T>, A::Error> {
        T::deserialize(MapAccessDeserializer::new(fields)).map(Object)
    }
}

/// For fields that hold an object or nothing.
pub(crate) fn perhaps<'de, D, T>(deserializer: D) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: DeserializeOwned,
{
    let object = Option::<Object<T>>::deserialize(deserializer)?;
    Ok(object.map(|Object(value)| value))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::resources::{CreateMatch, Sit};

    #[test]
    fn a_list_of_values_is_no_object() {
        assert!(serde_json::from_str::<Object<Sit>>("{}").is_ok());
        assert!(serde_json::from_str::<Object<Sit>>("[]").is_err());
        let create = |clock: &str| {
            serde_json::from_str::<CreateMatch>(&format!(r#"{{"ruleset":"x","clock":{clock}}}"#))
        };
        assert!(create("{\"bankMs\":1}").is_ok_and(|wish| wish.clock.is_some()));
        assert!(create("null").is_ok_and(|wish| wish.clock.is_none()));
        assert!(create("[1,2,3]").is_err());
    }
}
