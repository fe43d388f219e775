//! Headers that every response has, and those that let pages from elsewhere read it.

use axum::http::{HeaderMap, HeaderName, HeaderValue, header};

/// What every response says about itself.
const ALWAYS: &[(HeaderName, &str)] = &[
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::X_FRAME_OPTIONS, "DENY"),
    (header::REFERRER_POLICY, "no-referrer"),
    (header::CONTENT_SECURITY_POLICY, "default-src 'none'; frame-ancestors 'none'; base-uri 'none'"),
    (header::CACHE_CONTROL, "no-store"),
];

/// What pages may send along.
const MAY_SEND: &str = "authorization, content-type, idempotency-key, if-match, last-event-id";
/// What pages may read.
const MAY_READ: &str = "etag, location, retry-after";
/// For so many seconds browsers need not ask again.
const REMEMBERED: &str = "600";

/// Adds what every response says about itself.
pub(crate) fn add(headers: &mut HeaderMap, origin: Option<&HeaderValue>) {
    for (name, value) in ALWAYS {
        headers.entry(name).or_insert(HeaderValue::from_static(value));
    }
    headers.append(header::VARY, HeaderValue::from_static("origin"));
    if let Some(origin) = origin {
        headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin.clone());
        headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, HeaderValue::from_static(MAY_READ));
    }
}

/// Answers a browser that asks what a page may do here.
pub(crate) fn add_permissions(headers: &mut HeaderMap, methods: &HeaderValue) {
    headers.insert(header::ACCESS_CONTROL_ALLOW_METHODS, methods.clone());
    headers.insert(header::ACCESS_CONTROL_ALLOW_HEADERS, HeaderValue::from_static(MAY_SEND));
    headers.insert(header::ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static(REMEMBERED));
}
