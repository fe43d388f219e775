//! Response headers: security defaults and CORS.

use axum::http::{HeaderMap, HeaderName, HeaderValue, header};

/// Headers of every response, unless the handler sets its own.
const DEFAULT_HEADERS: &[(HeaderName, &str)] = &[
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::X_FRAME_OPTIONS, "DENY"),
    (header::REFERRER_POLICY, "no-referrer"),
    (header::CONTENT_SECURITY_POLICY, "default-src 'none'; frame-ancestors 'none'; base-uri 'none'"),
    (header::CACHE_CONTROL, "no-store"),
];

/// Request headers that pages on other origins may send.
const ALLOWED_REQUEST_HEADERS: &str =
    "authorization, content-type, idempotency-key, if-match, last-event-id, x-request-id";
/// Response headers that pages on other origins may read.
const EXPOSED_HEADERS: &str = "etag, location, retry-after, x-request-id";
/// Seconds for which browsers may cache a preflight response.
const PREFLIGHT_MAX_AGE: &str = "600";

/// Adds the default headers, and the CORS headers for an allowed origin.
pub(crate) fn add_defaults(headers: &mut HeaderMap, origin: Option<&HeaderValue>) {
    for (name, value) in DEFAULT_HEADERS {
        headers.entry(name).or_insert(HeaderValue::from_static(value));
    }
    headers.append(header::VARY, HeaderValue::from_static("origin"));
    if let Some(origin) = origin {
        headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin.clone());
        headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, HeaderValue::from_static(EXPOSED_HEADERS));
    }
}

/// Adds the headers of a CORS preflight response.
pub(crate) fn add_preflight(headers: &mut HeaderMap, methods: &HeaderValue) {
    headers.insert(header::ACCESS_CONTROL_ALLOW_METHODS, methods.clone());
    headers.insert(header::ACCESS_CONTROL_ALLOW_HEADERS, HeaderValue::from_static(ALLOWED_REQUEST_HEADERS));
    headers.insert(header::ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static(PREFLIGHT_MAX_AGE));
}
