//! The smallest client for HTTP that will do: one request for each connection.

use std::net::SocketAddr;
use std::time::Duration;

use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// What a server answers.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Response {
    pub(crate) status: u16,
    /// Null if there is none, or it is no JSON.
    pub(crate) body: Value,
}

/// Sends a request and reads the whole answer.
pub(crate) async fn call(
    address: SocketAddr,
    method: &str,
    path: &str,
    token: Option<&str>,
    body: Option<&Value>,
) -> Response {
    let mut request = format!("{method} {path} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n");
    if let Some(token) = token {
        request.push_str(&format!("authorization: Bearer {token}\r\n"));
    }
    let body = body.map(Value::to_string).unwrap_or_default();
    if !body.is_empty() {
        request.push_str("content-type: application/json\r\n");
    }
    request.push_str(&format!("content-length: {}\r\n\r\n{body}", body.len()));
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = Vec::new();
    let reading = tokio::time::timeout(Duration::from_secs(20), stream.read_to_end(&mut answer)).await;
    reading.expect("an answer comes in time").unwrap();
    read(&String::from_utf8(answer).unwrap())
}

fn read(answer: &str) -> Response {
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    let is_chunked = head.to_ascii_lowercase().contains("transfer-encoding: chunked");
    let body = if is_chunked { unchunked(body) } else { body.to_owned() };
    Response { status, body: serde_json::from_str(&body).unwrap_or(Value::Null) }
}

fn unchunked(mut body: &str) -> String {
    let mut whole = String::new();
    while let Some((len, rest)) = body.split_once("\r\n") {
        let len = usize::from_str_radix(len, 16).unwrap();
        whole.push_str(&rest[..len]);
        body = rest[len..].trim_start_matches("\r\n");
        if len == 0 {
            break;
        }
    }
    whole
}
