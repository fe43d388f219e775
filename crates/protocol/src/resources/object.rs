//! Structs that must be JSON objects. Serde would also accept a list of field values.

use std::fmt;
use std::marker::PhantomData;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserialize, DeserializeOwned, Deserializer, MapAccess, Visitor};

/// A value that deserializes only from a JSON object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct JsonObject<T>(pub T);

impl<'de, T: DeserializeOwned> Deserialize<'de> for JsonObject<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<JsonObject<T>, D::Error> {
        deserializer.deserialize_map(JsonObjectVisitor(PhantomData))
    }
}

struct JsonObjectVisitor<T>(PhantomData<T>);

impl<'de, T: DeserializeOwned> Visitor<'de> for JsonObjectVisitor<T> {
    type Value = JsonObject<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, fields: A) -> Result<JsonObject<T>, A::Error> {
        T::deserialize(MapAccessDeserializer::new(fields)).map(JsonObject)
    }
}

/// Deserializes a field that holds an object.
pub(crate) fn object_field<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: DeserializeOwned,
{
    JsonObject::deserialize(deserializer).map(|JsonObject(value)| value)
}

/// Deserializes a field that holds a list of objects.
pub(crate) fn object_list_field<'de, D, T>(deserializer: D) -> Result<Vec<T>, D::Error>
where
    D: Deserializer<'de>,
    T: DeserializeOwned,
{
    let objects = Vec::<JsonObject<T>>::deserialize(deserializer)?;
    Ok(objects.into_iter().map(|JsonObject(value)| value).collect())
}

/// Deserializes a field that holds an object or null.
pub(crate) fn optional_object_field<'de, D, T>(deserializer: D) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: DeserializeOwned,
{
    let object = Option::<JsonObject<T>>::deserialize(deserializer)?;
    Ok(object.map(|JsonObject(value)| value))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::resources::{CreateMatch, Sit};
    use crate::{ClientFrame, Control, SubmittedAction};

    #[test]
    fn a_list_of_values_is_not_an_object() {
        assert!(serde_json::from_str::<JsonObject<Sit>>("{}").is_ok());
        assert!(serde_json::from_str::<JsonObject<Sit>>("[]").is_err());
        let create = |clock: &str| {
            serde_json::from_str::<CreateMatch>(&format!(r#"{{"ruleset":"x","clock":{clock}}}"#))
        };
        assert!(create("{\"bankMs\":1}").is_ok_and(|request| request.clock.is_some()));
        assert!(create("null").is_ok_and(|request| request.clock.is_none()));
        assert!(create("[1,2,3]").is_err());
        let ahead = |answer: &str| {
            serde_json::from_str::<Control>(&format!(r#"{{"kind":"ahead","answers":[{answer}]}}"#))
        };
        assert!(ahead(r#"{"answer":1}"#).is_ok());
        assert!(ahead("[null,1]").is_err());
        let drag = |drag: &str| {
            serde_json::from_str::<SubmittedAction>(&format!(r#"{{"direct_manipulation":{drag}}}"#))
        };
        assert!(drag(r##"{"what":"#1","onto":"p0"}"##).is_ok());
        assert!(drag(r##"["#1","p0"]"##).is_err());
        let frame = |control: &str| {
            let text = format!(r#"{{"type":"system.control","commandId":"a","control":{control}}}"#);
            serde_json::from_str::<JsonObject<ClientFrame>>(&text)
        };
        assert!(frame(r#"{"kind":"concede"}"#).is_ok());
        assert!(frame(r#"["concede"]"#).is_err());
    }
}
