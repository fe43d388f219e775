//! A request as handlers receive it: authenticated, read and checked.

use std::net::IpAddr;
use std::sync::Arc;

use axum::body::Bytes;
use axum::http::{HeaderMap, header};
use intermezzo_engine::Viewer;
use intermezzo_program::Seat;
use intermezzo_protocol::{Code, Problem};
use intermezzo_store::MatchId;
use serde::de::DeserializeOwned;

use super::ApiState;
use super::body;
use crate::app::App;
use intermezzo_services::{
    Account, Caller, CancelFlag, FairPermit, MatchRecord, PageQuery, Requester, Services,
};

/// Maximum length of a command id.
const MAX_COMMAND_ID: usize = 100;

/// A checked request.
#[derive(Clone)]
pub(crate) struct Call {
    pub(crate) api: Arc<ApiState>,
    pub(crate) address: IpAddr,
    pub(crate) caller: Option<Caller>,
    pub(crate) token: Option<String>,
    pub(crate) path_params: Vec<(String, String)>,
    pub(crate) query: Vec<(String, String)>,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
    /// Set when the client hangs up.
    pub(crate) hung_up: CancelFlag,
}

impl Call {
    pub(crate) fn app(&self) -> &Arc<App> {
        &self.api.app
    }

    pub(crate) fn services(&self) -> &Services {
        &self.api.app.services
    }

    /// Returns the caller; rejects anonymous requests.
    pub(crate) fn caller(&self) -> Result<&Caller, Problem> {
        let missing = || Problem::new(Code::NotSignedIn, "send `authorization: Bearer` with a token");
        self.caller.as_ref().ok_or_else(missing)
    }

    /// Returns the caller's account, if the request has a token.
    pub(crate) fn account(&self) -> Option<&Account> {
        self.caller.as_ref().map(|caller| &caller.account)
    }

    /// Returns the client whose share of the server this request uses.
    pub(crate) fn requester(&self) -> Requester {
        self.account()
            .map_or(Requester::Address(self.address), |account| Requester::Account(account.id.clone()))
    }

    /// Waits for a turn to run an ended match again, or to read it from its first row.
    pub(crate) async fn replay_permit(&self) -> Result<FairPermit, Problem> {
        self.app().replay_queue.acquire(&self.requester()).await
    }

    /// Returns a path parameter.
    pub(crate) fn path_param(&self, name: &str) -> &str {
        let found = self.path_params.iter().find(|(param, _)| param == name);
        found.map_or("", |(_, value)| value)
    }

    /// Returns a path parameter as a number.
    pub(crate) fn path_number<T: TryFrom<u64>>(&self, name: &str) -> Result<T, Problem> {
        let number = self.path_param(name).parse::<u64>().ok();
        number.and_then(|number| T::try_from(number).ok()).ok_or_else(|| Problem::not_found(name))
    }

    pub(crate) fn match_id(&self) -> Result<MatchId, Problem> {
        self.path_param("id").parse().map_err(|_| Problem::not_found("match"))
    }

    pub(crate) fn query_param(&self, name: &str) -> Option<&str> {
        self.query.iter().find(|(param, _)| param == name).map(|(_, value)| value.as_str())
    }

    pub(crate) fn query_number(&self, name: &str) -> Option<u64> {
        self.query_param(name).and_then(|value| value.parse().ok())
    }

    /// Returns the requested page of a list.
    pub(crate) fn window(&self) -> PageQuery<'_> {
        let limit = self.query_number("limit").and_then(|limit| usize::try_from(limit).ok());
        PageQuery { cursor: self.query_param("cursor"), limit }
    }

    /// Parses the body. An empty body counts as an empty object.
    pub(crate) fn body<T: DeserializeOwned>(&self) -> Result<T, Problem> {
        let bytes = if self.body.is_empty() { b"{}" } else { &self.body[..] };
        body::parse(bytes, self.app().config.limits.depth)
    }

    /// Returns the viewer as which the caller sees a match.
    pub(crate) fn viewer(&self, record: &MatchRecord) -> Result<Viewer, Problem> {
        let seat = self.query_number("seat").and_then(|seat| u8::try_from(seat).ok());
        let spectate = self.query_param("spectate") == Some("true");
        self.app().viewer(record, self.account(), seat, spectate)
    }

    /// Returns the seat from which the caller acts; none for moderators and spectators.
    pub(crate) fn seat(&self, record: &MatchRecord) -> Result<Option<Seat>, Problem> {
        match self.viewer(record)? {
            Viewer::Seat(seat) => Ok(Some(seat)),
            Viewer::Spectator => Ok(None),
        }
    }

    /// Returns the version of the match that the caller has seen (`If-Match`).
    pub(crate) fn if_match_version(&self) -> Result<Option<u64>, Problem> {
        let Some(tag) = self.headers.get(header::IF_MATCH) else { return Ok(None) };
        let tag = tag.to_str().unwrap_or_default().trim();
        if tag == "*" {
            return Ok(None);
        }
        let number = tag.strip_prefix("W/").unwrap_or(tag).trim_matches('"');
        let number = number.parse().ok().filter(|_| number.bytes().all(|byte| byte.is_ascii_digit()));
        let unreadable = || {
            Problem::new(Code::Malformed, "`if-match` must be one version as in `etag`, for example \"12\"")
        };
        number.map(Some).ok_or_else(unreadable)
    }

    /// Returns the command id (`Idempotency-Key`); empty if there is none.
    pub(crate) fn command_id(&self) -> Result<String, Problem> {
        let Some(key) = self.headers.get("idempotency-key") else { return Ok(String::new()) };
        let key = key.to_str().unwrap_or_default();
        let fits =
            (1..=MAX_COMMAND_ID).contains(&key.len()) && key.bytes().all(|byte| byte.is_ascii_graphic());
        let unfit = || {
            let detail = format!("`idempotency-key` must have 1 to {MAX_COMMAND_ID} visible characters");
            Problem::new(Code::Invalid, detail)
        };
        fits.then(|| key.to_owned()).ok_or_else(unfit)
    }
}
