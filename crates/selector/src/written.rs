//! Selectors and choices as they stand in JSON.

use std::fmt;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Error, MapAccess, Visitor};
use serde::ser::Serializer;
use serde::{Deserialize, Deserializer, Serialize};

use crate::choices::{Bounds, Choice, Choices};
use crate::flaw::Impossible;
use crate::name::{Name, whole};
use crate::selector::{Selector, SelectorType};

/// A selector, key by key.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct WrittenSelector {
    #[serde(default, rename = "type")]
    kind: SelectorType,
    actor: String,
    title: String,
    #[serde(default)]
    choices: Vec<Choice>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    min: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    max: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    count: Option<u32>,
}

impl TryFrom<WrittenSelector> for Selector {
    type Error = Impossible;

    fn try_from(written: WrittenSelector) -> Result<Selector, Impossible> {
        let WrittenSelector { kind, actor, title, choices, min, max, count } = written;
        let choices = Choices { list: choices, bounds: Bounds { min, max, count } };
        Selector { kind, actor, title, choices }.checked()
    }
}

impl From<Selector> for WrittenSelector {
    fn from(selector: Selector) -> WrittenSelector {
        let Selector { kind, actor, title, choices } = selector;
        let Choices { list, bounds: Bounds { min, max, count } } = choices;
        WrittenSelector { kind, actor, title, choices: list, min, max, count }
    }
}

/// A choice: its title if that is all, else an object.
pub(crate) enum WrittenChoice {
    Plain(Name),
    Object(WrittenObject),
}

/// A choice, key by key.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct WrittenObject {
    title: Name,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    id: Option<Name>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    exclusive: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    choices: Option<Vec<Choice>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    min: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    max: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    count: Option<u32>,
}

impl WrittenObject {
    fn into_choice<E: Error>(self) -> Result<Choice, E> {
        let WrittenObject { title, id, exclusive, choices, min, max, count } = self;
        let bounds = Bounds { min, max, count };
        if choices.is_none() && !bounds.is_unsaid() {
            return Err(E::custom(format!("the choice `{title}` has bounds, but no choices")));
        }
        Ok(Choice { title, id, exclusive, choices: choices.map(|list| Choices { list, bounds }) })
    }
}

impl From<Choice> for WrittenChoice {
    fn from(choice: Choice) -> WrittenChoice {
        let Choice { title, id, exclusive, choices } = choice;
        if id.is_none() && !exclusive && choices.is_none() {
            return WrittenChoice::Plain(title);
        }
        let Bounds { min, max, count } = choices.as_ref().map_or(Bounds::default(), |choices| choices.bounds);
        let choices = choices.map(|choices| choices.list);
        WrittenChoice::Object(WrittenObject { title, id, exclusive, choices, min, max, count })
    }
}

impl Serialize for WrittenChoice {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            WrittenChoice::Plain(title) => title.serialize(serializer),
            WrittenChoice::Object(object) => object.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Choice {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Choice, D::Error> {
        deserializer.deserialize_any(ChoiceVisitor)
    }
}

struct ChoiceVisitor;

impl<'de> Visitor<'de> for ChoiceVisitor {
    type Value = Choice;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a choice: a text, a whole number, or an object with a `title`")
    }

    fn visit_str<E: Error>(self, title: &str) -> Result<Choice, E> {
        Ok(Choice::titled(title))
    }

    fn visit_i64<E: Error>(self, title: i64) -> Result<Choice, E> {
        Ok(Choice::titled(title))
    }

    fn visit_u64<E: Error>(self, title: u64) -> Result<Choice, E> {
        whole(title).map(|title: i64| Choice::titled(title))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Choice, A::Error> {
        WrittenObject::deserialize(MapAccessDeserializer::new(map))?.into_choice()
    }
}
