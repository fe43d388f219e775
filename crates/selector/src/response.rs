//! What a player sends back: [`Response`].

use std::fmt;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Error, MapAccess, Visitor};
use serde::ser::Serializer;
use serde::{Deserialize, Deserializer, Serialize};

use crate::choices::Choice;
use crate::name::{Name, whole};
use crate::refusal::Refusal;

/// What a player sends back to a selector.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Response {
    /// Who answers. Who that is, is settled elsewhere; if it is said, it must be right.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub actor: Option<String>,
    /// The title of what is answered.
    pub title: String,
    /// The picks, in order.
    pub selection: Vec<Pick>,
    /// A player sent it; nothing a client says about this counts.
    #[serde(default, rename = "isUserResponse", skip_serializing_if = "std::ops::Not::not")]
    pub is_user_response: bool,
}

impl Response {
    /// A response to what has that title.
    pub fn to<P: Into<Pick>>(title: impl Into<String>, selection: impl IntoIterator<Item = P>) -> Response {
        let selection = selection.into_iter().map(Into::into).collect();
        Response { actor: None, title: title.into(), selection, is_user_response: false }
    }

    /// Reads a response as a client sends it.
    ///
    /// # Errors
    ///
    /// If it is no JSON, or has other keys or values than a response has.
    pub fn from_json(text: &str) -> Result<Response, Refusal> {
        serde_json::from_str(text).map_err(|error| Refusal::Malformed { reason: error.to_string() })
    }
}

/// One pick of a response: by title, by id, or by both, with the picks made within it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pick {
    /// The title of the choice meant.
    pub title: Option<Name>,
    /// The id of the choice meant.
    pub id: Option<Name>,
    /// What is picked within that choice.
    pub selection: Vec<Pick>,
}

impl Pick {
    /// The choice with that title; if there are several, the first that is not picked yet.
    pub fn titled(title: impl Into<Name>) -> Pick {
        Pick { title: Some(title.into()), id: None, selection: Vec::new() }
    }

    /// The choice with that id.
    pub fn by_id(id: impl Into<Name>) -> Pick {
        Pick { title: None, id: Some(id.into()), selection: Vec::new() }
    }

    /// Says what is picked within the choice.
    #[must_use]
    pub fn with<P: Into<Pick>>(mut self, selection: impl IntoIterator<Item = P>) -> Pick {
        self.selection = selection.into_iter().map(Into::into).collect();
        self
    }

    /// Exactly that choice, without anything within it.
    pub(crate) fn of(choice: &Choice) -> Pick {
        Pick { title: Some(choice.title.clone()), id: choice.id.clone(), selection: Vec::new() }
    }

    /// Whether that choice may be meant.
    pub(crate) fn fits(&self, choice: &Choice) -> bool {
        let title_fits = self.title.as_ref().is_none_or(|title| *title == choice.title);
        let id_fits = self.id.is_none() || self.id == choice.id;
        title_fits && id_fits
    }
}

impl<N: Into<Name>> From<N> for Pick {
    fn from(title: N) -> Pick {
        Pick::titled(title)
    }
}

/// What a message calls it.
impl fmt::Display for Pick {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.title.as_ref().or(self.id.as_ref()) {
            Some(name) => name.fmt(f),
            None => Ok(()),
        }
    }
}

/// A pick as an object.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenPick {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    title: Option<Name>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    id: Option<Name>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    selection: Vec<Pick>,
}

impl Serialize for Pick {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Pick { title: Some(title), id: None, selection } if selection.is_empty() => {
                title.serialize(serializer)
            }
            Pick { title, id, selection } => {
                let (title, id, selection) = (title.clone(), id.clone(), selection.clone());
                WrittenPick { title, id, selection }.serialize(serializer)
            }
        }
    }
}

impl<'de> Deserialize<'de> for Pick {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Pick, D::Error> {
        deserializer.deserialize_any(PickVisitor)
    }
}

struct PickVisitor;

impl<'de> Visitor<'de> for PickVisitor {
    type Value = Pick;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a pick: a text, a whole number, or an object with `title` or `id`, and `selection`")
    }

    fn visit_str<E: Error>(self, title: &str) -> Result<Pick, E> {
        Ok(Pick::titled(title))
    }

    fn visit_i64<E: Error>(self, title: i64) -> Result<Pick, E> {
        Ok(Pick::titled(title))
    }

    fn visit_u64<E: Error>(self, title: u64) -> Result<Pick, E> {
        whole(title).map(|title: i64| Pick::titled(title))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Pick, A::Error> {
        let WrittenPick { title, id, selection } = WrittenPick::deserialize(MapAccessDeserializer::new(map))?;
        match title.is_none() && id.is_none() {
            true => Err(A::Error::custom("a pick needs a `title` or an `id`")),
            false => Ok(Pick { title, id, selection }),
        }
    }
}
