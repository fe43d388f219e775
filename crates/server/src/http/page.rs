//! The web client: files built from `web/page` and embedded in the program. Start with [`index`] and [`file`](fn@file).
//!
//! The build writes compressed copies (`.br`, `.gz`) next to the files; the server compresses nothing itself. A program
//! built without the web client serves a placeholder page that says how to build it.

use axum::body::Body;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::Response;
use intermezzo_compiler::assets::AssetKind;
use intermezzo_protocol::Problem;
use rust_embed::{EmbeddedFile, RustEmbed};

use super::reply::problem_response;

/// The files built by `cargo xtask page`. Debug builds read them from disk at each request.
#[derive(RustEmbed)]
#[folder = "../../web/page/dist"]
struct PageFiles;

/// Folder of the built files within the embedded folder.
const FOLDER: &str = "files";
/// Folder of files whose names contain a hash of their contents.
const HASHED_FOLDER: &str = "assets/";
const INDEX: &str = "index.html";
/// Caching of files whose address contains a hash of their contents.
const IMMUTABLE: &str = "public, max-age=31536000, immutable";

const NOT_BUILT_PAGE: &str = "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n\
<meta name=\"viewport\" content=\"width=device-width\">\n<title>Intermezzo</title>\n\
<h1>Intermezzo</h1>\n<p>The server is running, but the web client was not built. \
<code>cargo xtask serve</code> builds it and starts the server; <code>cargo xtask page</code> only builds it.</p>\n<ul>\n\
<li><a href=\"/rulesets\">Rulesets</a></li>\n\
<li><a href=\"/matches\">Matches waiting for players</a></li>\n\
<li><a href=\"/openapi.json\">HTTP API (OpenAPI)</a></li>\n\
<li><a href=\"/asyncapi.json\">WebSocket (AsyncAPI)</a></li>\n</ul>\n</html>\n";

/// Allows only resources from the same origin, and no inline scripts or styles.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; \
font-src 'self'; connect-src 'self'; manifest-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; \
frame-ancestors 'none'";
/// Browser features that the web client never uses.
const PERMISSIONS: &str = "camera=(), geolocation=(), microphone=(), payment=(), usb=()";

/// Suffixes of compressed copies by content encoding, smallest first.
const COMPRESSED: [(&str, &str); 2] = [("br", ".br"), ("gzip", ".gz")];

/// Returns true if the client accepts HTML.
pub(crate) fn accepts_html(headers: &HeaderMap) -> bool {
    headers
        .get_all(header::ACCEPT)
        .iter()
        .any(|accept| accept.to_str().is_ok_and(|a| a.contains("text/html")))
}

/// Returns the start page.
pub(crate) fn index(headers: &HeaderMap) -> Response {
    let mut response = serve_file(INDEX, headers).unwrap_or_else(|| {
        let mut response = Response::new(Body::from(NOT_BUILT_PAGE));
        response.headers_mut().insert(header::CONTENT_TYPE, media_type(INDEX));
        response
    });
    response.headers_mut().append(header::VARY, HeaderValue::from_static("accept"));
    response
}

/// Returns a file of the web client.
pub(crate) fn file(path: &str, headers: &HeaderMap) -> Response {
    serve_file(path, headers).unwrap_or_else(|| problem_response(&Problem::not_found("file")))
}

/// Returns a picture of a ruleset. It can neither load nor run anything, whatever it contains.
pub(crate) fn picture(kind: AssetKind, bytes: Vec<u8>) -> Response {
    let mut response = Response::new(Body::from(bytes));
    let media = match kind {
        AssetKind::Svg => "image/svg+xml",
        AssetKind::WebP => "image/webp",
    };
    let policy = "default-src 'none'; sandbox";
    let fields = [
        (header::CONTENT_TYPE, media),
        (header::CACHE_CONTROL, IMMUTABLE),
        (header::CONTENT_SECURITY_POLICY, policy),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    ];
    for (name, value) in fields {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response
}

fn serve_file(path: &str, request: &HeaderMap) -> Option<Response> {
    let whole = PageFiles::get(&format!("{FOLDER}/{path}"))?;
    let (file, encoding) =
        compressed_variant(path, request).map_or((whole, None), |(file, word)| (file, Some(word)));
    let tag = etag(&file);
    let is_known = request.get_all(header::IF_NONE_MATCH).iter().any(|known| *known == tag);
    let mut response = Response::new(if is_known { Body::empty() } else { Body::from(file.data) });
    if is_known {
        *response.status_mut() = StatusCode::NOT_MODIFIED;
    }
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, media_type(path));
    headers.insert(header::ETAG, tag);
    headers.append(header::VARY, HeaderValue::from_static("accept-encoding"));
    if let Some(word) = encoding {
        headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static(word));
    }
    let caching = if path.starts_with(HASHED_FOLDER) { IMMUTABLE } else { "no-cache" };
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static(caching));
    // A worker gets its policy from its own file, not from the page.
    headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
    if path == INDEX {
        headers.insert("permissions-policy", HeaderValue::from_static(PERMISSIONS));
        headers.insert("cross-origin-opener-policy", HeaderValue::from_static("same-origin"));
    }
    Some(response)
}

/// Returns the smallest copy that the client accepts, if there is one.
fn compressed_variant(path: &str, request: &HeaderMap) -> Option<(EmbeddedFile, &'static str)> {
    let accepted = request.get_all(header::ACCEPT_ENCODING).iter().filter_map(|accept| accept.to_str().ok());
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
        .find_map(|(word, ending)| Some((PageFiles::get(&format!("{FOLDER}/{path}{ending}"))?, word)))
}

fn etag(file: &EmbeddedFile) -> HeaderValue {
    let digits: String = file.metadata.sha256_hash()[..8].iter().map(|byte| format!("{byte:02x}")).collect();
    HeaderValue::from_str(&format!("\"{digits}\"")).unwrap_or(HeaderValue::from_static("\"\""))
}

fn media_type(path: &str) -> HeaderValue {
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
