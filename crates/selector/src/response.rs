//! Responses of players: [`Response`].

use std::fmt;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Error, MapAccess, Visitor};
use serde::ser::Serializer;
use serde::{Deserialize, Deserializer, Serialize};

use crate::choices::SelectorChoice;
use crate::name::{ChoiceName, to_i64};
use crate::response_error::ResponseError;

/// A player's answer to a selector.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Response {
    /// The name of the player. The caller determines who answers; if this is set, it must be right.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub actor: Option<String>,
    /// The title of the selector.
    pub title: String,
    /// The picks, in order.
    pub selection: Vec<Pick>,
    /// True if a player sent it. A value sent by a client is ignored.
    #[serde(default, rename = "isUserResponse", skip_serializing_if = "std::ops::Not::not")]
    pub is_user_response: bool,
}

impl Response {
    /// Creates a response to the selector with this title.
    pub fn to<P: Into<Pick>>(title: impl Into<String>, selection: impl IntoIterator<Item = P>) -> Response {
        let selection = selection.into_iter().map(Into::into).collect();
        Response { actor: None, title: title.into(), selection, is_user_response: false }
    }

    /// Parses a response as a client sends it.
    ///
    /// # Errors
    ///
    /// If it is not JSON, or has unknown keys or invalid values.
    pub fn from_json(text: &str) -> Result<Response, ResponseError> {
        serde_json::from_str(text).map_err(|error| ResponseError::Malformed { reason: error.to_string() })
    }
}

/// A pick: by title, by id, or by both, with the picks within it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pick {
    /// The title of the choice.
    pub title: Option<ChoiceName>,
    /// The id of the choice.
    pub id: Option<ChoiceName>,
    /// The picks within the choice.
    pub selection: Vec<Pick>,
}

impl Pick {
    /// Picks the first unused choice with this title.
    pub fn titled(title: impl Into<ChoiceName>) -> Pick {
        Pick { title: Some(title.into()), id: None, selection: Vec::new() }
    }

    /// Picks the choice with this id.
    pub fn by_id(id: impl Into<ChoiceName>) -> Pick {
        Pick { title: None, id: Some(id.into()), selection: Vec::new() }
    }

    /// Sets the picks within the choice.
    #[must_use]
    pub fn with<P: Into<Pick>>(mut self, selection: impl IntoIterator<Item = P>) -> Pick {
        self.selection = selection.into_iter().map(Into::into).collect();
        self
    }

    /// Picks exactly this choice, without nested picks.
    pub(crate) fn exactly(choice: &SelectorChoice) -> Pick {
        Pick { title: Some(choice.title.clone()), id: choice.id.clone(), selection: Vec::new() }
    }

    /// Returns whether the pick matches a choice.
    pub(crate) fn fits(&self, choice: &SelectorChoice) -> bool {
        let title_fits = self.title.as_ref().is_none_or(|title| *title == choice.title);
        let id_fits = self.id.is_none() || self.id == choice.id;
        title_fits && id_fits
    }
}

impl<N: Into<ChoiceName>> From<N> for Pick {
    fn from(title: N) -> Pick {
        Pick::titled(title)
    }
}

/// Shows the title, or else the id.
impl fmt::Display for Pick {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.title.as_ref().or(self.id.as_ref()) {
            Some(name) => name.fmt(f),
            None => Ok(()),
        }
    }
}

/// A pick in JSON, as an object.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct PickJson {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    title: Option<ChoiceName>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    id: Option<ChoiceName>,
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
                PickJson { title, id, selection }.serialize(serializer)
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
        f.write_str("a pick: a string, an integer, or an object with `title` or `id`, and `selection`")
    }

    fn visit_str<E: Error>(self, title: &str) -> Result<Pick, E> {
        Ok(Pick::titled(title))
    }

    fn visit_i64<E: Error>(self, title: i64) -> Result<Pick, E> {
        Ok(Pick::titled(title))
    }

    fn visit_u64<E: Error>(self, title: u64) -> Result<Pick, E> {
        to_i64(title).map(|title: i64| Pick::titled(title))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Pick, A::Error> {
        let PickJson { title, id, selection } = PickJson::deserialize(MapAccessDeserializer::new(map))?;
        match title.is_none() && id.is_none() {
            true => Err(A::Error::custom("a pick needs a `title` or an `id`")),
            false => Ok(Pick { title, id, selection }),
        }
    }
}
