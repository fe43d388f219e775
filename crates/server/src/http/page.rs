//! The page people play on: files that are built from `web/page` and embedded. Start with [`index`] and [`file`](fn@file).
//!
//! The build leaves smaller copies beside what can be compressed (`.br`, `.gz`); nothing is compressed while serving.
//! A program that was built without the page says how to build it, and serves everything else as ever.

use axum::body::Body;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::Response;
use intermezzo_protocol::Problem;
use rust_embed::{EmbeddedFile, RustEmbed};

use super::reply::refused;

/// What `cargo xtask page` has built. Programs that are built for testing read the files when they are asked for.
#[derive(RustEmbed)]
#[folder = "../../web/page/dist"]
struct Built;

/// Where the built files are within that folder.
const FOLDER: &str = "files";
/// Files whose names change with what is in them.
const UNCHANGING: &str = "assets/";
const INDEX: &str = "index.html";

const UNBUILT: &str = "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n\
<meta name=\"viewport\" content=\"width=device-width\">\n<title>Intermezzo</title>\n\
<h1>Intermezzo</h1>\n<p>The server runs, but its page was not built. <code>cargo xtask serve</code> builds it and starts \
the server; <code>cargo xtask page</code> only builds it.</p>\n<ul>\n\
<li><a href=\"/rulesets\">Rulesets that can be played here</a></li>\n\
<li><a href=\"/matches\">Matches that wait for players</a></li>\n\
<li><a href=\"/openapi.json\">The HTTP operations (OpenAPI)</a></li>\n\
<li><a href=\"/asyncapi.json\">The WebSocket (AsyncAPI)</a></li>\n</ul>\n</html>\n";

/// Nothing from elsewhere, and nothing that is written into the page.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; \
font-src 'self'; connect-src 'self'; manifest-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; \
frame-ancestors 'none'";
/// What the page never asks for.
const PERMISSIONS: &str = "camera=(), geolocation=(), microphone=(), payment=(), usb=()";

/// Smaller copies by the word with which clients say that they take them, the smallest first.
const COMPRESSED: [(&str, &str); 2] = [("br", ".br"), ("gzip", ".gz")];

/// Whether a client would rather see the page than JSON.
pub(crate) fn is_wanted(headers: &HeaderMap) -> bool {
    headers
        .get_all(header::ACCEPT)
        .iter()
        .any(|accept| accept.to_str().is_ok_and(|a| a.contains("text/html")))
}

/// The page itself.
pub(crate) fn index(headers: &HeaderMap) -> Response {
    let mut response = found(INDEX, headers).unwrap_or_else(|| {
        let mut response = Response::new(Body::from(UNBUILT));
        response.headers_mut().insert(header::CONTENT_TYPE, media(INDEX));
        response
    });
    response.headers_mut().append(header::VARY, HeaderValue::from_static("accept"));
    response
}

/// What the page loads.
pub(crate) fn file(path: &str, headers: &HeaderMap) -> Response {
    found(path, headers).unwrap_or_else(|| refused(&Problem::not_found("file")))
}

fn found(path: &str, asked: &HeaderMap) -> Option<Response> {
    let whole = Built::get(&format!("{FOLDER}/{path}"))?;
    let (file, encoding) = smallest(path, asked).map_or((whole, None), |(file, word)| (file, Some(word)));
    let tag = tag(&file);
    let is_known = asked.get_all(header::IF_NONE_MATCH).iter().any(|known| *known == tag);
    let mut response = Response::new(if is_known { Body::empty() } else { Body::from(file.data) });
    if is_known {
        *response.status_mut() = StatusCode::NOT_MODIFIED;
    }
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, media(path));
    headers.insert(header::ETAG, tag);
    headers.append(header::VARY, HeaderValue::from_static("accept-encoding"));
    if let Some(word) = encoding {
        headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static(word));
    }
    let caching =
        if path.starts_with(UNCHANGING) { "public, max-age=31536000, immutable" } else { "no-cache" };
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static(caching));
    // Workers have the policy that comes with their own file.
    headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
    if path == INDEX {
        headers.insert("permissions-policy", HeaderValue::from_static(PERMISSIONS));
        headers.insert("cross-origin-opener-policy", HeaderValue::from_static("same-origin"));
    }
    Some(response)
}

/// The smallest copy the client takes, if there is any.
fn smallest(path: &str, asked: &HeaderMap) -> Option<(EmbeddedFile, &'static str)> {
    let accepted = asked.get_all(header::ACCEPT_ENCODING).iter().filter_map(|accept| accept.to_str().ok());
    let accepted: Vec<&str> = accepted.flat_map(|accept| accept.split(',')).map(str::trim).collect();
    let takes = |word: &str| {
        accepted.iter().any(|accept| {
            let (name, quality) = accept.split_once(';').unwrap_or((accept, ""));
            name.trim().eq_ignore_ascii_case(word) && !matches!(quality.trim(), "q=0" | "q=0.0" | "q=0.00")
        })
    };
    COMPRESSED
        .into_iter()
        .filter(|(word, _)| takes(word))
        .find_map(|(word, ending)| Some((Built::get(&format!("{FOLDER}/{path}{ending}"))?, word)))
}

fn tag(file: &EmbeddedFile) -> HeaderValue {
    let digits: String = file.metadata.sha256_hash()[..8].iter().map(|byte| format!("{byte:02x}")).collect();
    HeaderValue::from_str(&format!("\"{digits}\"")).unwrap_or(HeaderValue::from_static("\"\""))
}

fn media(path: &str) -> HeaderValue {
    let media = match path.rsplit_once('.').map_or("", |(_, ending)| ending) {
        "html" => "text/html; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "webp" => "image/webp",
        "woff2" => "font/woff2",
        "json" => "application/json",
        "webmanifest" => "application/manifest+json",
        "wasm" => "application/wasm",
        "txt" => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    };
    HeaderValue::from_static(media)
}
