//! Errors as clients receive them: RFC 9457 problems with stable codes, the same object over HTTP and WebSocket.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// An error response (`application/problem+json`).
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema, thiserror::Error)]
#[error("{detail} ({})", .code.name())]
pub struct Problem {
    /// `urn:intermezzo:problem:` followed by the code.
    #[serde(rename = "type")]
    pub kind: String,
    /// Short description of the code.
    pub title: String,
    /// The HTTP status, also in problems sent over a WebSocket.
    pub status: u16,
    /// Stable identifier, for programs.
    pub code: Code,
    /// Explanation of this occurrence, for people.
    pub detail: String,
    /// Data that helps the client to continue: `branchId`, `legal`, `retryAfterMs`, `diagnostics`, …
    #[serde(flatten)]
    pub extra: Box<Map<String, Value>>,
}

macro_rules! codes {
    ($($variant:ident $name:literal $status:literal $title:literal,)*) => {
        /// The stable identifier of a problem.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
        pub enum Code {
            $(#[doc = $title] $variant,)*
        }

        impl Code {
            pub const ALL: &'static [Code] = &[$(Code::$variant,)*];

            /// Returns the code as sent on the wire.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $(Code::$variant => $name,)* }
            }

            /// Returns the HTTP status that belongs to the code.
            #[must_use]
            pub fn status(self) -> u16 {
                match self { $(Code::$variant => $status,)* }
            }

            /// Returns a short description.
            #[must_use]
            pub fn title(self) -> &'static str {
                match self { $(Code::$variant => $title,)* }
            }
        }
    };
}

codes! {
    Malformed "malformed" 400 "Malformed request",
    NotSignedIn "not_signed_in" 401 "Not signed in",
    WrongPassword "wrong_password" 401 "Wrong name or password",
    NotAllowed "not_allowed" 403 "Not allowed",
    WrongOrigin "wrong_origin" 403 "Origin not allowed",
    NotFound "not_found" 404 "Not found",
    WrongMethod "wrong_method" 405 "Method not allowed",
    Stale "stale" 409 "Changed in the meantime",
    Closed "closed" 409 "No longer open, or not open yet",
    NameTaken "name_taken" 409 "This name is taken",
    SeatTaken "seat_taken" 409 "This seat is taken",
    AlreadySeated "already_seated" 409 "You already have a seat",
    AlreadyQueued "already_queued" 409 "You are already in this queue",
    NotReady "not_ready" 409 "Not ready",
    CommandReused "command_reused" 409 "This command id was already used for another command",
    VersionTaken "version_taken" 409 "This version already exists with other rules",
    NotEnough "not_enough" 409 "Not enough tokens",
    TooLarge "too_large" 413 "Too large",
    WrongMedia "wrong_media" 415 "The body must be JSON",
    Illegal "illegal" 422 "Not allowed by the rules",
    Invalid "invalid" 422 "Invalid request",
    BadRuleset "bad_ruleset" 422 "The ruleset has errors",
    RuleFailed "rule_failed" 422 "A rule of the ruleset failed; nothing has changed",
    TooMany "too_many" 429 "Rate limit exceeded",
    Paused "paused" 409 "The match is paused",
    Internal "internal" 500 "Internal server error",
    Draining "draining" 503 "The server is shutting down; try again",
    Busy "busy" 503 "The server is busy; try again",
}

impl Problem {
    /// Creates a problem with a detail sentence.
    #[must_use]
    pub fn new(code: Code, detail: impl Into<String>) -> Problem {
        Problem {
            kind: format!("urn:intermezzo:problem:{}", code.name()),
            title: code.title().to_owned(),
            status: code.status(),
            code,
            detail: detail.into(),
            extra: Box::default(),
        }
    }

    /// Adds a field to the problem.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<Value>) -> Problem {
        self.extra.insert(name.to_owned(), value.into());
        self
    }

    /// Creates the problem for a resource that does not exist.
    #[must_use]
    pub fn not_found(what: &str) -> Problem {
        Problem::new(Code::NotFound, format!("{what} not found"))
    }
}

impl Serialize for Code {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl<'de> Deserialize<'de> for Code {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Code, D::Error> {
        let name = Cow::<str>::deserialize(deserializer)?;
        let known = Code::ALL.iter().find(|code| code.name() == name);
        known.copied().ok_or_else(|| serde::de::Error::custom("unknown problem code"))
    }
}

impl JsonSchema for Code {
    fn schema_name() -> Cow<'static, str> {
        "Code".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let names: Vec<&str> = Code::ALL.iter().map(|code| code.name()).collect();
        json_schema!({"type": "string", "enum": names})
    }
}
