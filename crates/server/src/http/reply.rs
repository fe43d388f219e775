//! Replies, and how they become responses.

use axum::body::Body;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use intermezzo_protocol::{Code, Problem};
use serde::Serialize;
use serde_json::Value;

/// What comes of an operation.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) content: Content,
    /// The viewer's version of the match.
    pub(crate) version: Option<u64>,
    /// Where what was made is found.
    pub(crate) location: Option<String>,
}

/// What a reply holds.
#[derive(Debug)]
pub(crate) enum Content {
    Nothing,
    Json(Value),
    /// Ready text of a media type.
    Text(&'static str, String),
    /// Something that goes on.
    Stream(&'static str, Body),
    /// The page, with headers of its own.
    Page(Response),
}

impl Reply {
    pub(crate) fn nothing() -> Reply {
        Reply { status: 204, content: Content::Nothing, version: None, location: None }
    }

    /// What is made of any value that can be written.
    pub(crate) fn json(value: &impl Serialize) -> Result<Reply, Problem> {
        let value = serde_json::to_value(value);
        let value = value.map_err(|_| Problem::new(Code::Internal, "the answer cannot be written"))?;
        Ok(Reply { status: 200, content: Content::Json(value), version: None, location: None })
    }

    /// JSON that is written already.
    pub(crate) fn written(json: String) -> Reply {
        Reply::text("application/json", json)
    }

    pub(crate) fn text(media: &'static str, text: String) -> Reply {
        Reply { status: 200, content: Content::Text(media, text), version: None, location: None }
    }

    pub(crate) fn stream(media: &'static str, body: Body) -> Reply {
        Reply { status: 200, content: Content::Stream(media, body), version: None, location: None }
    }

    pub(crate) fn page(page: Response) -> Reply {
        Reply { status: page.status().as_u16(), content: Content::Page(page), version: None, location: None }
    }

    /// Something was made, and is found there.
    pub(crate) fn made(self, location: String) -> Reply {
        Reply { status: 201, location: Some(location), ..self }
    }

    pub(crate) fn at_version(self, version: u64) -> Reply {
        Reply { version: Some(version), ..self }
    }
}

impl IntoResponse for Reply {
    fn into_response(self) -> Response {
        let (media, body) = match self.content {
            Content::Nothing => (None, Body::empty()),
            Content::Json(value) => (Some("application/json"), Body::from(value.to_string())),
            Content::Text(media, text) => (Some(media), Body::from(text)),
            Content::Stream(media, body) => (Some(media), body),
            Content::Page(page) => return page,
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

/// A problem as a response.
pub(crate) fn refused(problem: &Problem) -> Response {
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
    if let Some(tag) = problem.more.get("branchId").and_then(Value::as_u64)
        && let Ok(tag) = HeaderValue::from_str(&format!("\"{tag}\""))
    {
        headers.insert(header::ETAG, tag);
    }
    response
}

/// After how many seconds it makes sense to try again.
fn retry_after(problem: &Problem) -> Option<u64> {
    if !matches!(problem.status, 429 | 503) {
        return None;
    }
    let ms = problem.more.get("retryAfterMs").and_then(Value::as_u64);
    Some(ms.map_or(1, |ms| ms.div_ceil(1000)).max(1))
}
