//! A minimal HTTP client for tests: one connection per request, sending exactly the given bytes.

#![allow(dead_code, reason = "the two test crates use different parts")]

use std::net::SocketAddr;
use std::time::Duration;

use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// Maximum time to wait for a response.
const PATIENCE: Duration = Duration::from_secs(20);

/// A response.
#[derive(Debug)]
pub(crate) struct RawResponse {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) text: String,
    /// The parsed body; null if it is not JSON.
    pub(crate) body: Value,
}

/// A request.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct RawRequest<'a> {
    pub(crate) method: &'a str,
    pub(crate) path: &'a str,
    pub(crate) token: Option<&'a str>,
    pub(crate) headers: &'a [(&'a str, &'a str)],
    pub(crate) body: &'a [u8],
}

impl RawRequest<'_> {
    /// Sends the request with a JSON body and reads the whole response.
    pub(crate) async fn with_json(self, server: SocketAddr, body: Option<&Value>) -> RawResponse {
        let Some(body) = body else { return self.send(server).await };
        let headers = [self.headers, &[("content-type", "application/json")]].concat();
        RawRequest { headers: &headers, body: body.to_string().as_bytes(), ..self }.send(server).await
    }

    /// Sends the request and reads the whole response.
    pub(crate) async fn send(self, server: SocketAddr) -> RawResponse {
        let mut stream = self.open(server).await;
        let mut bytes = Vec::new();
        let reading = tokio::time::timeout(PATIENCE, stream.read_to_end(&mut bytes)).await;
        // A server that rejects a large body may close the connection before all of it is sent.
        let _ = reading.expect("no response in time");
        parse(&bytes)
    }

    /// Sends the request and returns the stream to read the response from.
    pub(crate) async fn open(self, server: SocketAddr) -> TcpStream {
        let RawRequest { method, path, token, headers, body } = self;
        let mut head = format!("{method} {path} HTTP/1.1\r\nhost: {server}\r\nconnection: close\r\n");
        if let Some(token) = token {
            head.push_str(&format!("authorization: Bearer {token}\r\n"));
        }
        for (name, value) in headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        if !body.is_empty() {
            head.push_str(&format!("content-length: {}\r\n", body.len()));
        }
        head.push_str("\r\n");
        let mut stream = TcpStream::connect(server).await.unwrap();
        stream.write_all(head.as_bytes()).await.unwrap();
        let _ = stream.write_all(body).await;
        stream
    }
}

fn parse(bytes: &[u8]) -> RawResponse {
    let end = bytes.windows(4).position(|window| window == b"\r\n\r\n").expect("the response has no head");
    let head = std::str::from_utf8(&bytes[..end]).unwrap();
    let mut lines = head.split("\r\n");
    let status = lines.next().unwrap().split(' ').nth(1).unwrap().parse().unwrap();
    let header = |line: &str| {
        let (name, value) = line.split_once(':').unwrap();
        (name.to_ascii_lowercase(), value.trim().to_owned())
    };
    let headers: Vec<(String, String)> = lines.map(header).collect();
    let is_chunked = headers.iter().any(|(name, value)| name == "transfer-encoding" && value == "chunked");
    let body = &bytes[end + 4..];
    let body = if is_chunked { unchunk(body) } else { body.to_vec() };
    let text = String::from_utf8(body).unwrap();
    let body = serde_json::from_str(&text).unwrap_or_default();
    RawResponse { status, headers, text, body }
}

fn unchunk(mut body: &[u8]) -> Vec<u8> {
    let mut whole = Vec::new();
    while let Some(end) = body.windows(2).position(|window| window == b"\r\n") {
        let size = usize::from_str_radix(std::str::from_utf8(&body[..end]).unwrap(), 16).unwrap();
        if size == 0 {
            break;
        }
        whole.extend_from_slice(&body[end + 2..end + 2 + size]);
        body = &body[end + 4 + size..];
    }
    whole
}
