//! A request on its way to its handler: everything is read and checked, nothing has been done.

use std::net::IpAddr;
use std::sync::Arc;

use axum::body::Bytes;
use axum::http::{HeaderMap, header};
use intermezzo_engine::Viewer;
use intermezzo_protocol::{Code, Problem};
use intermezzo_ruleset::Seat;
use intermezzo_store::MatchId;
use serde::de::DeserializeOwned;

use super::{Api, body};
use crate::app::App;
use crate::house::{Account, Caller, House, MatchRecord, Window};

/// The longest id of a command.
const MAX_COMMAND_ID: usize = 100;

/// A request on its way to its handler.
#[derive(Clone)]
pub(crate) struct Call {
    pub(crate) api: Arc<Api>,
    pub(crate) address: IpAddr,
    pub(crate) caller: Option<Caller>,
    pub(crate) token: Option<String>,
    pub(crate) places: Vec<(String, String)>,
    pub(crate) query: Vec<(String, String)>,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

impl Call {
    pub(crate) fn app(&self) -> &Arc<App> {
        &self.api.app
    }

    pub(crate) fn house(&self) -> &House {
        &self.api.app.house
    }

    /// Who asks; refused if that is not said.
    pub(crate) fn caller(&self) -> Result<&Caller, Problem> {
        let missing = || Problem::new(Code::NotSignedIn, "send `authorization: Bearer` and a token");
        self.caller.as_ref().ok_or_else(missing)
    }

    /// Who asks, if that is said.
    pub(crate) fn account(&self) -> Option<&Account> {
        self.caller.as_ref().map(|caller| &caller.account)
    }

    /// What is filled in at that place of the path.
    pub(crate) fn place(&self, name: &str) -> &str {
        let found = self.places.iter().find(|(place, _)| place == name);
        found.map_or("", |(_, value)| value)
    }

    /// The number at that place of the path.
    pub(crate) fn number<T: TryFrom<u64>>(&self, place: &str) -> Result<T, Problem> {
        let number = self.place(place).parse::<u64>().ok();
        number.and_then(|number| T::try_from(number).ok()).ok_or_else(|| Problem::not_found(place))
    }

    pub(crate) fn match_id(&self) -> Result<MatchId, Problem> {
        self.place("id").parse().map_err(|_| Problem::not_found("match"))
    }

    pub(crate) fn asked(&self, name: &str) -> Option<&str> {
        self.query.iter().find(|(param, _)| param == name).map(|(_, value)| value.as_str())
    }

    pub(crate) fn asked_number(&self, name: &str) -> Option<u64> {
        self.asked(name).and_then(|value| value.parse().ok())
    }

    /// Which part of a list is wanted.
    pub(crate) fn window(&self) -> Window<'_> {
        let limit = self.asked_number("limit").and_then(|limit| usize::try_from(limit).ok());
        Window { cursor: self.asked("cursor"), limit }
    }

    /// The body. An empty one counts as an empty object where none is required.
    pub(crate) fn body<T: DeserializeOwned>(&self) -> Result<T, Problem> {
        let bytes = if self.body.is_empty() { b"{}" } else { &self.body[..] };
        body::parse(bytes, self.app().config.limits.depth)
    }

    /// As whom the caller looks at a match.
    pub(crate) fn viewer(&self, record: &MatchRecord) -> Result<Viewer, Problem> {
        let seat = self.asked_number("seat").and_then(|seat| u8::try_from(seat).ok());
        let spectate = self.asked("spectate") == Some("true");
        self.app().viewer(record, self.account(), seat, spectate)
    }

    /// From which seat the caller does something; none for moderators.
    pub(crate) fn seat(&self, record: &MatchRecord) -> Result<Option<Seat>, Problem> {
        match self.viewer(record)? {
            Viewer::Seat(seat) => Ok(Some(seat)),
            Viewer::Spectator => Ok(None),
        }
    }

    /// The version of the match that the caller has seen (`If-Match`).
    pub(crate) fn branch(&self) -> Result<Option<u64>, Problem> {
        let Some(tag) = self.headers.get(header::IF_MATCH) else { return Ok(None) };
        let tag = tag.to_str().unwrap_or_default().trim();
        if tag == "*" {
            return Ok(None);
        }
        let number = tag.strip_prefix("W/").unwrap_or(tag).trim_matches('"');
        let number = number.parse().ok().filter(|_| number.bytes().all(|byte| byte.is_ascii_digit()));
        let unreadable =
            || Problem::new(Code::Malformed, "`if-match` has one version, as `etag` gave it: \"12\"");
        number.map(Some).ok_or_else(unreadable)
    }

    /// The id of the command (`Idempotency-Key`); empty if it has none.
    pub(crate) fn command_id(&self) -> Result<String, Problem> {
        let Some(key) = self.headers.get("idempotency-key") else { return Ok(String::new()) };
        let key = key.to_str().unwrap_or_default();
        let fits =
            (1..=MAX_COMMAND_ID).contains(&key.len()) && key.bytes().all(|byte| byte.is_ascii_graphic());
        let unfit = || {
            let detail = format!("`idempotency-key` has 1 to {MAX_COMMAND_ID} visible characters");
            Problem::new(Code::Invalid, detail)
        };
        fits.then(|| key.to_owned()).ok_or_else(unfit)
    }
}
