//! What went wrong, as clients get it: RFC 9457 problems with stable codes, the same object on HTTP and WebSocket.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// A problem as it is sent (`application/problem+json`).
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Problem {
    /// `urn:intermezzo:problem:` and the code.
    #[serde(rename = "type")]
    pub kind: String,
    /// What the code means, in a few words.
    pub title: String,
    /// The HTTP status, also where the problem is sent over a socket.
    pub status: u16,
    /// Stable name, for programs.
    pub code: Code,
    /// What is wrong this time, for people.
    pub detail: String,
    /// What a client may need to go on: `branchId`, `legal`, `retryAfterMs`, `diagnostics` …
    #[serde(flatten)]
    pub more: Box<Map<String, Value>>,
}

macro_rules! codes {
    ($($variant:ident $name:literal $status:literal $title:literal,)*) => {
        /// The stable name of a problem.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
        pub enum Code {
            $(#[doc = $title] $variant,)*
        }

        impl Code {
            /// All codes there are.
            pub const ALL: &'static [Code] = &[$(Code::$variant,)*];

            /// As it is written.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $(Code::$variant => $name,)* }
            }

            /// The HTTP status it goes with.
            #[must_use]
            pub fn status(self) -> u16 {
                match self { $(Code::$variant => $status,)* }
            }

            /// What it means, in a few words.
            #[must_use]
            pub fn title(self) -> &'static str {
                match self { $(Code::$variant => $title,)* }
            }
        }
    };
}

codes! {
    Malformed "malformed" 400 "The request cannot be read",
    NotSignedIn "not_signed_in" 401 "A valid token is needed",
    WrongPassword "wrong_password" 401 "Name and password do not fit",
    NotAllowed "not_allowed" 403 "This is not yours to do",
    WrongOrigin "wrong_origin" 403 "Pages from there may not connect",
    NotFound "not_found" 404 "There is no such thing",
    WrongMethod "wrong_method" 405 "That cannot be done with it",
    Stale "stale" 409 "It has gone on since you looked",
    Closed "closed" 409 "It is over or no longer open",
    NameTaken "name_taken" 409 "Somebody else has that name",
    SeatTaken "seat_taken" 409 "Somebody else sits there",
    AlreadySeated "already_seated" 409 "You sit there already",
    AlreadyQueued "already_queued" 409 "You are waiting there already",
    NotReady "not_ready" 409 "Not everyone is ready",
    CommandReused "command_reused" 409 "That command id was used for something else",
    VersionTaken "version_taken" 409 "That version has been published with other rules",
    NotEnough "not_enough" 409 "The account does not have that much",
    TooLarge "too_large" 413 "That is more than is taken at once",
    WrongMedia "wrong_media" 415 "JSON is needed here",
    Illegal "illegal" 422 "The rules do not allow it",
    Invalid "invalid" 422 "Something in the request will not do",
    BadRuleset "bad_ruleset" 422 "The ruleset has errors",
    RuleFailed "rule_failed" 422 "A rule of the game failed; nothing has happened",
    TooMany "too_many" 429 "Too much at once, try again later",
    Paused "paused" 409 "The match is paused until somebody looks at it",
    Internal "internal" 500 "Something is wrong with the server",
    Draining "draining" 503 "The server is about to stop, try again",
    Busy "busy" 503 "The server has too much to do, try again",
}

impl Problem {
    /// A problem with its details in a sentence.
    #[must_use]
    pub fn new(code: Code, detail: impl Into<String>) -> Problem {
        Problem {
            kind: format!("urn:intermezzo:problem:{}", code.name()),
            title: code.title().to_owned(),
            status: code.status(),
            code,
            detail: detail.into(),
            more: Box::default(),
        }
    }

    /// The same with something more for the client.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<Value>) -> Problem {
        self.more.insert(name.to_owned(), value.into());
        self
    }

    /// There is no such thing.
    #[must_use]
    pub fn not_found(what: &str) -> Problem {
        Problem::new(Code::NotFound, format!("there is no such {what}"))
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.detail, self.code.name())
    }
}

impl std::error::Error for Problem {}

impl Serialize for Code {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl<'de> Deserialize<'de> for Code {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Code, D::Error> {
        let name = Cow::<str>::deserialize(deserializer)?;
        let known = Code::ALL.iter().find(|code| code.name() == name);
        known.copied().ok_or_else(|| serde::de::Error::custom("unknown code"))
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
