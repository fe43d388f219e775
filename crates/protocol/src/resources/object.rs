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

/// For fields that hold an object.
pub(crate) fn one<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: DeserializeOwned,
{
    Object::deserialize(deserializer).map(|Object(value)| value)
}

/// For fields that hold a list of objects.
pub(crate) fn each<'de, D, T>(deserializer: D) -> Result<Vec<T>, D::Error>
where
    D: Deserializer<'de>,
    T: DeserializeOwned,
{
    let objects = Vec::<Object<T>>::deserialize(deserializer)?;
    Ok(objects.into_iter().map(|Object(value)| value).collect())
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
    use crate::{Action, ClientFrame, Control};

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
        let ahead = |answer: &str| {
            serde_json::from_str::<Control>(&format!(r#"{{"kind":"ahead","answers":[{answer}]}}"#))
        };
        assert!(ahead(r#"{"answer":1}"#).is_ok());
        assert!(ahead("[null,1]").is_err());
        let drag =
            |drag: &str| serde_json::from_str::<Action>(&format!(r#"{{"direct_manipulation":{drag}}}"#));
        assert!(drag(r##"{"what":"#1","onto":"p0"}"##).is_ok());
        assert!(drag(r##"["#1","p0"]"##).is_err());
        let frame = |control: &str| {
            let text = format!(r#"{{"type":"system.control","commandId":"a","control":{control}}}"#);
            serde_json::from_str::<Object<ClientFrame>>(&text)
        };
        assert!(frame(r#"{"kind":"concede"}"#).is_ok());
        assert!(frame(r#"["concede"]"#).is_err());
    }
}
