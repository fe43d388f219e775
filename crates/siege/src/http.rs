//! Just enough HTTP to make matches and ask about them, again and again until the server is there.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use serde_json::Value;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::doors::Doors;

/// So often something is asked for before the siege counts as failed: for a minute and a half.
const TRIES: u32 = 3_000;
const BETWEEN: Duration = Duration::from_millis(30);
/// An answer that does not come by then does not come at all.
const PATIENCE: Duration = Duration::from_secs(10);

/// A request that may be sent several times.
#[derive(Clone, Debug)]
pub(crate) struct Request<'a> {
    pub(crate) method: &'static str,
    pub(crate) path: &'a str,
    pub(crate) token: Option<&'a str>,
    /// The same for every time it is sent.
    pub(crate) key: Option<&'a str>,
    pub(crate) body: Option<Value>,
}

impl<'a> Request<'a> {
    pub(crate) fn get(path: &'a str, token: &'a str) -> Request<'a> {
        Request { method: "GET", path, token: Some(token), key: None, body: None }
    }

    fn text(&self, address: SocketAddr) -> String {
        let Request { method, path, .. } = self;
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

/// Sends a request until it is answered: the body, or the problem of a refusal.
pub(crate) async fn call(doors: &Doors, request: &Request<'_>) -> Result<String, String> {
    // Whoever asks first goes to any of them, and to the next if that one does not answer.
    static FIRST: AtomicU64 = AtomicU64::new(0);
    let first = FIRST.fetch_add(1, Ordering::Relaxed);
    for attempt in 0..TRIES {
        let address = doors.door(first + u64::from(attempt));
        let answer = tokio::time::timeout(PATIENCE, once(address, request)).await;
        match answer.ok().flatten() {
            Some((200..300, body)) => return Ok(body),
            Some((429 | 503, _)) | None => {}
            Some((status, body)) => {
                return Err(format!("{} {}: {status} {body}", request.method, request.path));
            }
        }
        tokio::time::sleep(BETWEEN).await;
    }
    Err(format!("{} {}: nobody answers", request.method, request.path))
}

/// The same, with the body read as JSON.
pub(crate) async fn json(doors: &Doors, request: &Request<'_>) -> Result<Value, String> {
    let body = call(doors, request).await?;
    serde_json::from_str(&body).map_err(|error| format!("{} {}: {error}", request.method, request.path))
}

/// Status and body; nothing if the server was cut off.
async fn once(address: SocketAddr, request: &Request<'_>) -> Option<(u16, String)> {
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
    // A body that was cut off is no answer.
    (length == Some(body.len())).then(|| (status, body.to_owned()))
}
