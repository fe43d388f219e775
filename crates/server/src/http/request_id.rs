//! Ids of requests: in the response, on every log line of the request, and in the access log.

use axum::http::{HeaderMap, HeaderName, HeaderValue};
use intermezzo_services::Services;

/// Carries the id in requests and responses.
pub(crate) const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
const MAX_LENGTH: usize = 64;

/// Returns the id that a proxy or client has given the request, or a new one.
///
/// New ids are random: numbers in order would tell everybody how much others do.
pub(crate) fn request_id(services: &Services, headers: &HeaderMap) -> HeaderValue {
    let given = headers.get(&REQUEST_ID).filter(|id| is_usable(id.as_bytes()));
    given.cloned().unwrap_or_else(|| {
        let random = services.random().map_or(0, u64::from_le_bytes);
        HeaderValue::from_str(&format!("{random:016x}")).unwrap_or(HeaderValue::from_static("-"))
    })
}

/// Ids are written into logs, so only plain ones of limited length are taken over.
fn is_usable(id: &[u8]) -> bool {
    (1..=MAX_LENGTH).contains(&id.len())
        && id.iter().all(|byte| byte.is_ascii_alphanumeric() || b"-_.:".contains(byte))
}
