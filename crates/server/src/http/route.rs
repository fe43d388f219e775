//! One operation: where it is found, what it takes and gives, and who carries it out. Start with [`Route`].

use std::pin::Pin;

use axum::http::Method;
use intermezzo_protocol::{Code, Problem};
use schemars::{JsonSchema, Schema, SchemaGenerator};

use super::call::Call;
use super::param::Param;
use super::reply::Reply;

/// What carries out an operation.
pub(crate) type Handler = fn(Call) -> Outcome;
/// What will come of it.
pub(crate) type Outcome = Pin<Box<dyn Future<Output = Result<Reply, Problem>> + Send>>;
/// Makes the schema of a body.
pub(crate) type Shape = fn(&mut SchemaGenerator) -> Schema;

/// One operation.
pub(crate) struct Route {
    pub(crate) method: Method,
    /// With `{names}` of what is filled in.
    pub(crate) path: &'static str,
    /// The part of the documents it stands in.
    pub(crate) tag: &'static str,
    /// What it does, in a few words.
    pub(crate) summary: &'static str,
    pub(crate) who: Who,
    pub(crate) query: &'static [Param],
    pub(crate) takes: Option<Takes>,
    pub(crate) gives: Gives,
    /// Why it may be refused, besides what may happen everywhere.
    pub(crate) codes: &'static [Code],
    pub(crate) twice: Twice,
    /// Whether it is answered by a server that is about to stop.
    pub(crate) while_draining: bool,
    pub(crate) handler: Handler,
}

/// Who may use an operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Who {
    /// Anybody; a token is not looked at.
    Anybody,
    /// Anybody, and those with a token may see more.
    AnybodyKnown,
    /// Those with a token.
    SignedIn,
}

/// What happens if a request is sent twice with the same key.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Twice {
    /// The key is not looked at.
    Unheeded,
    /// The first answer is given again.
    Once,
    /// The key is the id of a command to a match, which takes it once.
    Command,
}

/// What a request brings with it.
pub(crate) struct Takes {
    pub(crate) shape: Shape,
    pub(crate) is_required: bool,
    pub(crate) size: Size,
}

/// How large a request may be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Size {
    /// As any message.
    Message,
    /// As a ruleset.
    Ruleset,
}

/// What comes back if all is well.
pub(crate) struct Gives {
    pub(crate) status: u16,
    /// Media types with their schemas; nothing for an empty body.
    pub(crate) bodies: Vec<(&'static str, Option<Shape>)>,
    /// Whether the version of the match comes along as an `ETag`.
    pub(crate) has_version: bool,
}

impl Route {
    fn new(method: Method, path: &'static str, summary: &'static str, handler: Handler) -> Route {
        Route {
            method,
            path,
            tag: "server",
            summary,
            who: Who::Anybody,
            query: &[],
            takes: None,
            gives: Gives { status: 200, bodies: Vec::new(), has_version: false },
            codes: &[],
            twice: Twice::Unheeded,
            while_draining: false,
            handler,
        }
    }

    pub(crate) fn get(path: &'static str, summary: &'static str, handler: Handler) -> Route {
        Route::new(Method::GET, path, summary, handler)
    }

    pub(crate) fn post(path: &'static str, summary: &'static str, handler: Handler) -> Route {
        Route::new(Method::POST, path, summary, handler)
    }

    pub(crate) fn put(path: &'static str, summary: &'static str, handler: Handler) -> Route {
        Route::new(Method::PUT, path, summary, handler)
    }

    pub(crate) fn patch(path: &'static str, summary: &'static str, handler: Handler) -> Route {
        Route::new(Method::PATCH, path, summary, handler)
    }

    pub(crate) fn delete(path: &'static str, summary: &'static str, handler: Handler) -> Route {
        Route::new(Method::DELETE, path, summary, handler)
    }

    pub(crate) fn tag(self, tag: &'static str) -> Route {
        Route { tag, ..self }
    }

    /// Who has a token may see more.
    pub(crate) fn knows(self) -> Route {
        Route { who: Who::AnybodyKnown, ..self }
    }

    /// Only with a token.
    pub(crate) fn signed_in(self) -> Route {
        Route { who: Who::SignedIn, ..self }
    }

    /// Only with a token; sent twice with the same key, it has one effect.
    pub(crate) fn once(self) -> Route {
        Route { who: Who::SignedIn, twice: Twice::Once, ..self }
    }

    /// A command to a match.
    pub(crate) fn command(self) -> Route {
        Route { who: Who::SignedIn, twice: Twice::Command, ..self }
    }

    pub(crate) fn asks(self, query: &'static [Param]) -> Route {
        Route { query, ..self }
    }

    /// Takes a JSON body.
    pub(crate) fn takes<T: JsonSchema>(self) -> Route {
        let shape = |schemas: &mut SchemaGenerator| schemas.subschema_for::<T>();
        Route { takes: Some(Takes { shape, is_required: true, size: Size::Message }), ..self }
    }

    /// Takes a JSON body; none at all is as good as an empty object.
    pub(crate) fn may_take<T: JsonSchema>(mut self) -> Route {
        self = self.takes::<T>();
        self.takes.iter_mut().for_each(|takes| takes.is_required = false);
        self
    }

    /// Takes the files of a ruleset.
    pub(crate) fn takes_files<T: JsonSchema>(mut self) -> Route {
        self = self.takes::<T>();
        self.takes.iter_mut().for_each(|takes| takes.size = Size::Ruleset);
        self
    }

    /// Gives JSON.
    pub(crate) fn gives<T: JsonSchema>(mut self, status: u16) -> Route {
        let shape: Shape = |schemas| schemas.subschema_for::<T>();
        self.gives.status = status;
        self.gives.bodies.push(("application/json", Some(shape)));
        self
    }

    /// Gives something else than JSON, or JSON of no fixed shape.
    pub(crate) fn gives_media(mut self, media: &'static str) -> Route {
        self.gives.bodies.push((media, None));
        self
    }

    /// Gives nothing but a status.
    pub(crate) fn gives_nothing(mut self) -> Route {
        self.gives.status = 204;
        self
    }

    /// The version of the match comes along.
    pub(crate) fn with_version(mut self) -> Route {
        self.gives.has_version = true;
        self
    }

    pub(crate) fn codes(self, codes: &'static [Code]) -> Route {
        Route { codes, ..self }
    }

    pub(crate) fn while_draining(self) -> Route {
        Route { while_draining: true, ..self }
    }

    /// The names that are filled in, in order.
    pub(crate) fn places(&self) -> impl Iterator<Item = &'static str> {
        self.path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'))
    }

    /// All reasons for which it may be refused.
    pub(crate) fn all_codes(&self) -> Vec<Code> {
        let mut codes = vec![Code::Malformed, Code::WrongOrigin, Code::TooMany, Code::Internal, Code::Busy];
        codes.extend(self.codes);
        if self.who != Who::Anybody {
            codes.push(Code::NotSignedIn);
        }
        if self.takes.is_some() {
            codes.extend([Code::TooLarge, Code::WrongMedia, Code::Invalid]);
        }
        if self.twice != Twice::Unheeded {
            codes.extend([Code::Invalid, Code::CommandReused]);
        }
        if self.places().next().is_some() {
            codes.push(Code::NotFound);
        }
        if !self.while_draining {
            codes.push(Code::Draining);
        }
        codes.sort_by_key(|code| (code.status(), code.name()));
        codes.dedup();
        codes
    }
}
