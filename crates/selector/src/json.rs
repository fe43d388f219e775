//! The JSON form of selectors and choices.

use std::fmt;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Error, MapAccess, Visitor};
use serde::ser::Serializer;
use serde::{Deserialize, Deserializer, Serialize};

use crate::choices::{ChoiceList, PickBounds, SelectorChoice};
use crate::errors::InvalidSelector;
use crate::name::{ChoiceName, to_i64};
use crate::selector::{Selector, SelectorType};

/// A selector in JSON.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SelectorJson {
    #[serde(default, rename = "type")]
    kind: SelectorType,
    actor: String,
    title: String,
    #[serde(default)]
    choices: Vec<SelectorChoice>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    min: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    max: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    count: Option<u32>,
}

impl TryFrom<SelectorJson> for Selector {
    type Error = InvalidSelector;

    fn try_from(written: SelectorJson) -> Result<Selector, InvalidSelector> {
        let SelectorJson { kind, actor, title, choices, min, max, count } = written;
        let choices = ChoiceList { list: choices, bounds: PickBounds { min, max, count } };
        Selector { kind, actor, title, choices }.checked()
    }
}

impl From<Selector> for SelectorJson {
    fn from(selector: Selector) -> SelectorJson {
        let Selector { kind, actor, title, choices } = selector;
        let ChoiceList { list, bounds: PickBounds { min, max, count } } = choices;
        SelectorJson { kind, actor, title, choices: list, min, max, count }
    }
}

/// A choice in JSON: its title if that is all, otherwise an object.
pub(crate) enum ChoiceJson {
    Plain(ChoiceName),
    Object(ChoiceObjectJson),
}

/// A choice in JSON, as an object.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ChoiceObjectJson {
    title: ChoiceName,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    id: Option<ChoiceName>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    exclusive: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    choices: Option<Vec<SelectorChoice>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    min: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    max: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    count: Option<u32>,
}

impl ChoiceObjectJson {
    fn into_choice<E: Error>(self) -> Result<SelectorChoice, E> {
        let ChoiceObjectJson { title, id, exclusive, choices, min, max, count } = self;
        let bounds = PickBounds { min, max, count };
        if choices.is_none() && !bounds.is_default() {
            return Err(E::custom(format!("the choice `{title}` has bounds, but no choices")));
        }
        Ok(SelectorChoice { title, id, exclusive, choices: choices.map(|list| ChoiceList { list, bounds }) })
    }
}

impl From<SelectorChoice> for ChoiceJson {
    fn from(choice: SelectorChoice) -> ChoiceJson {
        let SelectorChoice { title, id, exclusive, choices } = choice;
        if id.is_none() && !exclusive && choices.is_none() {
            return ChoiceJson::Plain(title);
        }
        let PickBounds { min, max, count } =
            choices.as_ref().map_or(PickBounds::default(), |choices| choices.bounds);
        let choices = choices.map(|choices| choices.list);
        ChoiceJson::Object(ChoiceObjectJson { title, id, exclusive, choices, min, max, count })
    }
}

impl Serialize for ChoiceJson {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            ChoiceJson::Plain(title) => title.serialize(serializer),
            ChoiceJson::Object(object) => object.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for SelectorChoice {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<SelectorChoice, D::Error> {
        deserializer.deserialize_any(ChoiceVisitor)
    }
}

struct ChoiceVisitor;

impl<'de> Visitor<'de> for ChoiceVisitor {
    type Value = SelectorChoice;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a choice: a string, an integer, or an object with a `title`")
    }

    fn visit_str<E: Error>(self, title: &str) -> Result<SelectorChoice, E> {
        Ok(SelectorChoice::titled(title))
    }

    fn visit_i64<E: Error>(self, title: i64) -> Result<SelectorChoice, E> {
        Ok(SelectorChoice::titled(title))
    }

    fn visit_u64<E: Error>(self, title: u64) -> Result<SelectorChoice, E> {
        to_i64(title).map(|title: i64| SelectorChoice::titled(title))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<SelectorChoice, A::Error> {
        ChoiceObjectJson::deserialize(MapAccessDeserializer::new(map))?.into_choice()
    }
}
