//! Declaration of an operation: path, access, request, response and handler. Start with [`Route`].

use std::pin::Pin;

use axum::http::Method;
use intermezzo_protocol::{Code, Problem};
use schemars::{JsonSchema, Schema, SchemaGenerator};

use super::call::Call;
use super::param::ParamSpec;
use super::reply::HttpReply;

/// The function that handles an operation.
pub(crate) type Handler = fn(Call) -> HandlerFuture;
/// The future returned by a [`Handler`].
pub(crate) type HandlerFuture = Pin<Box<dyn Future<Output = Result<HttpReply, Problem>> + Send>>;
/// Generates the schema of a body.
pub(crate) type SchemaFn = fn(&mut SchemaGenerator) -> Schema;

/// An operation.
pub(crate) struct Route {
    pub(crate) method: Method,
    /// Path with `{name}` parameters.
    pub(crate) path: &'static str,
    /// Section of the OpenAPI document.
    pub(crate) tag: &'static str,
    /// One-line description in the OpenAPI document.
    pub(crate) summary: &'static str,
    pub(crate) access: Access,
    pub(crate) query: &'static [ParamSpec],
    pub(crate) request_body: Option<RequestBody>,
    pub(crate) success: SuccessResponse,
    /// Problems it may return, besides those every operation may return.
    pub(crate) codes: &'static [Code],
    pub(crate) idempotency: Idempotency,
    /// Available while the server shuts down.
    pub(crate) while_draining: bool,
    /// Changes nothing, although its method is not GET.
    pub(crate) changes_nothing: bool,
    pub(crate) handler: Handler,
}

/// Access control of an operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Access {
    /// Everyone; tokens are ignored.
    Public,
    /// Everyone; a token may show more.
    OptionalToken,
    /// Callers with a token.
    Token,
}

/// Handling of a request that is sent again with the same `Idempotency-Key`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Idempotency {
    /// The key is ignored.
    None,
    /// The response to the first request is stored and returned again.
    StoredResponse,
    /// The key is the id of a command; the match executes each command once.
    Command,
}

/// The body of a request.
pub(crate) struct RequestBody {
    pub(crate) schema: SchemaFn,
    pub(crate) is_required: bool,
    pub(crate) limit: BodyLimit,
}

/// Size limit of a body.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum BodyLimit {
    /// The limit of messages.
    Message,
    /// The limit of rulesets.
    Ruleset,
}

/// The response on success.
pub(crate) struct SuccessResponse {
    pub(crate) status: u16,
    /// Media types with their schemas; empty if the response has no body.
    pub(crate) bodies: Vec<(&'static str, Option<SchemaFn>)>,
    /// The response has the version of the match as `ETag`.
    pub(crate) has_version: bool,
}

impl Route {
    fn new(method: Method, path: &'static str, summary: &'static str, handler: Handler) -> Route {
        Route {
            method,
            path,
            tag: "server",
            summary,
            access: Access::Public,
            query: &[],
            request_body: None,
            success: SuccessResponse { status: 200, bodies: Vec::new(), has_version: false },
            codes: &[],
            idempotency: Idempotency::None,
            while_draining: false,
            changes_nothing: false,
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

    /// Accepts a token, which may show more.
    pub(crate) fn optional_token(self) -> Route {
        Route { access: Access::OptionalToken, ..self }
    }

    /// Requires a token.
    pub(crate) fn requires_token(self) -> Route {
        Route { access: Access::Token, ..self }
    }

    /// Requires a token. Repeating the request with the same key returns the first response.
    pub(crate) fn idempotent(self) -> Route {
        Route { access: Access::Token, idempotency: Idempotency::StoredResponse, ..self }
    }

    /// Marks the operation as a command to a match; requires a token.
    pub(crate) fn command(self) -> Route {
        Route { access: Access::Token, idempotency: Idempotency::Command, ..self }
    }

    pub(crate) fn query(self, query: &'static [ParamSpec]) -> Route {
        Route { query, ..self }
    }

    /// Requires a JSON body.
    pub(crate) fn accepts<T: JsonSchema>(self) -> Route {
        let schema = |schemas: &mut SchemaGenerator| schemas.subschema_for::<T>();
        Route {
            request_body: Some(RequestBody { schema, is_required: true, limit: BodyLimit::Message }),
            ..self
        }
    }

    /// Accepts a JSON body; without a body the handler gets an empty object.
    pub(crate) fn accepts_optional<T: JsonSchema>(mut self) -> Route {
        self = self.accepts::<T>();
        self.request_body.iter_mut().for_each(|body| body.is_required = false);
        self
    }

    /// Requires a JSON body of the size of a ruleset.
    pub(crate) fn accepts_files<T: JsonSchema>(mut self) -> Route {
        self = self.accepts::<T>();
        self.request_body.iter_mut().for_each(|body| body.limit = BodyLimit::Ruleset);
        self
    }

    /// Adds a JSON response.
    pub(crate) fn returns<T: JsonSchema>(mut self, status: u16) -> Route {
        let schema: SchemaFn = |schemas| schemas.subschema_for::<T>();
        self.success.status = status;
        self.success.bodies.push(("application/json", Some(schema)));
        self
    }

    /// Adds a response of another media type, or JSON without a schema.
    pub(crate) fn returns_media(mut self, media: &'static str) -> Route {
        self.success.bodies.push((media, None));
        self
    }

    /// Responds with 204 and no body.
    pub(crate) fn returns_no_content(mut self) -> Route {
        self.success.status = 204;
        self
    }

    /// Adds the version of the match as `ETag`.
    pub(crate) fn with_version(mut self) -> Route {
        self.success.has_version = true;
        self
    }

    pub(crate) fn codes(self, codes: &'static [Code]) -> Route {
        Route { codes, ..self }
    }

    pub(crate) fn while_draining(self) -> Route {
        Route { while_draining: true, ..self }
    }

    /// Returns true if nothing is lost when the request is abandoned.
    pub(crate) fn is_read_only(&self) -> bool {
        self.method == Method::GET || self.changes_nothing
    }

    /// Marks an operation with a body that only reads.
    pub(crate) fn changes_nothing(self) -> Route {
        Route { changes_nothing: true, ..self }
    }

    /// Returns the names of the path parameters, in order.
    pub(crate) fn path_params(&self) -> impl Iterator<Item = &'static str> {
        self.path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'))
    }

    /// Returns all problems the operation may return.
    pub(crate) fn all_codes(&self) -> Vec<Code> {
        let mut codes = vec![Code::Malformed, Code::WrongOrigin, Code::TooMany, Code::Internal, Code::Busy];
        codes.extend(self.codes);
        if self.access != Access::Public {
            codes.push(Code::NotSignedIn);
        }
        if self.request_body.is_some() {
            codes.extend([Code::TooLarge, Code::WrongMedia, Code::Invalid]);
        }
        if self.idempotency != Idempotency::None {
            codes.extend([Code::Invalid, Code::CommandReused]);
        }
        if self.path_params().next().is_some() {
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
