//! Minimal HTTP client. It retries until a server responds.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use serde_json::Value;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::addresses::ServerAddresses;

/// Number of attempts before the test fails: a minute and a half.
const MAX_ATTEMPTS: u32 = 3_000;
const RETRY_INTERVAL: Duration = Duration::from_millis(30);
/// Longest wait for one response.
const RESPONSE_TIMEOUT: Duration = Duration::from_secs(10);

/// HTTP request that may be sent several times.
#[derive(Clone, Debug)]
pub(crate) struct HttpRequest<'a> {
    pub(crate) method: &'static str,
    pub(crate) path: &'a str,
    pub(crate) token: Option<&'a str>,
    /// Idempotency key, the same for every attempt.
    pub(crate) key: Option<&'a str>,
    pub(crate) body: Option<Value>,
}

impl<'a> HttpRequest<'a> {
    pub(crate) fn get(path: &'a str, token: &'a str) -> HttpRequest<'a> {
        HttpRequest { method: "GET", path, token: Some(token), key: None, body: None }
    }

    fn text(&self, address: SocketAddr) -> String {
        let HttpRequest { method, path, .. } = self;
        let mut text = format!("{method} {path} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n");
        if let Some(token) = self.token {
            text.push_str(&format!("authorization: Bearer {token}\r\n"));
        }
        if let Some(key) = self.key {
            text.push_str(&format!("idempotency-key: {key}\r\n"));
        }
        let body = self.body.as_ref().map(Value::to_string).unwrap_or_default();
        if !body.is_empty() {
            text.push_str("content-type: application/json\r\n");
        }
        text.push_str(&format!("content-length: {}\r\n\r\n{body}", body.len()));
        text
    }
}

/// Sends a request until a server responds. Returns the body, or the problem.
pub(crate) async fn call(addresses: &ServerAddresses, request: &HttpRequest<'_>) -> Result<String, String> {
    // Each request starts at another server, and moves on to the next if that one does not respond.
    static FIRST: AtomicU64 = AtomicU64::new(0);
    let first = FIRST.fetch_add(1, Ordering::Relaxed);
    for attempt in 0..MAX_ATTEMPTS {
        let address = addresses.pick(first + u64::from(attempt));
        let answer = tokio::time::timeout(RESPONSE_TIMEOUT, once(address, request)).await;
        match answer.ok().flatten() {
            Some((200..300, body)) => return Ok(body),
            Some((429 | 503, _)) | None => {}
            Some((status, body)) => {
                return Err(format!("{} {}: {status} {body}", request.method, request.path));
            }
        }
        tokio::time::sleep(RETRY_INTERVAL).await;
    }
    Err(format!("{} {}: no response", request.method, request.path))
}

/// Sends a request like [`call`] and parses the body as JSON.
pub(crate) async fn json(addresses: &ServerAddresses, request: &HttpRequest<'_>) -> Result<Value, String> {
    let body = call(addresses, request).await?;
    serde_json::from_str(&body).map_err(|error| format!("{} {}: {error}", request.method, request.path))
}

/// Sends a request once. Returns its status and body, or `None` if the connection was lost.
async fn once(address: SocketAddr, request: &HttpRequest<'_>) -> Option<(u16, String)> {
    let mut stream = TcpStream::connect(address).await.ok()?;
    stream.write_all(request.text(address).as_bytes()).await.ok()?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).await.ok()?;
    let answer = String::from_utf8(answer).ok()?;
    let (head, body) = answer.split_once("\r\n\r\n")?;
    let status = head.split(' ').nth(1)?.parse().ok()?;
    let length = head.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse::<usize>().ok())?
    });
    // A truncated body is not a response.
    (length == Some(body.len())).then(|| (status, body.to_owned()))
}
