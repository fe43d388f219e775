//! Replies of handlers and their conversion to HTTP responses.

use axum::body::{Body, Bytes};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use intermezzo_protocol::{Code, Problem};
use serde::Serialize;
use serde_json::Value;

/// The successful result of a handler.
#[derive(Debug)]
pub(crate) struct HttpReply {
    pub(crate) status: u16,
    pub(crate) body: ReplyBody,
    /// The viewer's version of the match, sent as `ETag`.
    pub(crate) version: Option<u64>,
    /// Path of a created resource, sent as `Location`.
    pub(crate) location: Option<String>,
}

/// The body of a reply.
#[derive(Debug)]
pub(crate) enum ReplyBody {
    Empty,
    Json(Value),
    /// Text of a media type.
    Text(&'static str, Bytes),
    /// A stream of a media type.
    Stream(&'static str, Body),
    /// The web client, a response with its own headers.
    Page(Response),
}

impl HttpReply {
    pub(crate) fn no_content() -> HttpReply {
        HttpReply { status: 204, body: ReplyBody::Empty, version: None, location: None }
    }

    /// Serializes a value as JSON.
    pub(crate) fn json(value: &impl Serialize) -> Result<HttpReply, Problem> {
        let value = serde_json::to_value(value);
        let value = value.map_err(|_| Problem::new(Code::Internal, "the response cannot be serialized"))?;
        Ok(HttpReply { status: 200, body: ReplyBody::Json(value), version: None, location: None })
    }

    /// Returns text that is already JSON.
    pub(crate) fn raw_json(json: String) -> HttpReply {
        HttpReply::text("application/json", json)
    }

    pub(crate) fn text(media: &'static str, text: impl Into<Bytes>) -> HttpReply {
        HttpReply { status: 200, body: ReplyBody::Text(media, text.into()), version: None, location: None }
    }

    pub(crate) fn stream(media: &'static str, body: Body) -> HttpReply {
        HttpReply { status: 200, body: ReplyBody::Stream(media, body), version: None, location: None }
    }

    pub(crate) fn page(page: Response) -> HttpReply {
        HttpReply {
            status: page.status().as_u16(),
            body: ReplyBody::Page(page),
            version: None,
            location: None,
        }
    }

    /// Changes the status to 201 and sets the location.
    pub(crate) fn created(self, location: String) -> HttpReply {
        HttpReply { status: 201, location: Some(location), ..self }
    }

    pub(crate) fn at_version(self, version: u64) -> HttpReply {
        HttpReply { version: Some(version), ..self }
    }
}

impl IntoResponse for HttpReply {
    fn into_response(self) -> Response {
        let (media, body) = match self.body {
            ReplyBody::Empty => (None, Body::empty()),
            ReplyBody::Json(value) => (Some("application/json"), Body::from(value.to_string())),
            ReplyBody::Text(media, text) => (Some(media), Body::from(text)),
            ReplyBody::Stream(media, body) => (Some(media), body),
            ReplyBody::Page(page) => return page,
        };
        let mut response = Response::new(body);
        *response.status_mut() = StatusCode::from_u16(self.status).unwrap_or(StatusCode::OK);
        let headers = response.headers_mut();
        if let Some(media) = media {
            headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(media));
        }
        if let Some(tag) =
            self.version.and_then(|version| HeaderValue::from_str(&format!("\"{version}\"")).ok())
        {
            headers.insert(header::ETAG, tag);
        }
        if let Some(location) = self.location.and_then(|location| HeaderValue::from_str(&location).ok()) {
            headers.insert(header::LOCATION, location);
        }
        response
    }
}

/// Converts a problem to a response.
pub(crate) fn problem_response(problem: &Problem) -> Response {
    metrics::counter!("intermezzo_refusals_total", "code" => problem.code.name()).increment(1);
    let text = serde_json::to_string(problem).unwrap_or_default();
    let mut response = Response::new(Body::from(text));
    *response.status_mut() =
        StatusCode::from_u16(problem.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/problem+json"));
    if let Some(seconds) = retry_after(problem) {
        headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds));
    }
    if problem.status == 401 {
        headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
    }
    if let Some(tag) = problem.extra.get("branchId").and_then(Value::as_u64)
        && let Ok(tag) = HeaderValue::from_str(&format!("\"{tag}\""))
    {
        headers.insert(header::ETAG, tag);
    }
    response
}

/// Returns the value of `Retry-After`, if the problem is temporary.
fn retry_after(problem: &Problem) -> Option<u64> {
    if !matches!(problem.status, 429 | 503) {
        return None;
    }
    let ms = problem.extra.get("retryAfterMs").and_then(Value::as_u64);
    Some(ms.map_or(1, |ms| ms.div_ceil(1000)).max(1))
}
