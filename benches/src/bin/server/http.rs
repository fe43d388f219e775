//! As much of an HTTP client as reserving a seat takes.

use std::io;
use std::net::SocketAddr;

use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// A request with JSON in its body.
pub(crate) struct Request<'a> {
    pub(crate) method: &'a str,
    pub(crate) path: &'a str,
    /// Of a session, where one is needed.
    pub(crate) token: Option<&'a str>,
    pub(crate) body: &'a str,
}

/// Posts a JSON text without saying who one is, and reads the JSON that comes back.
pub(crate) async fn post(server: SocketAddr, path: &str, body: &str) -> io::Result<Value> {
    send(server, Request { method: "POST", path, token: None, body }).await
}

/// Sends a request and reads the JSON that comes back.
pub(crate) async fn send(server: SocketAddr, request: Request<'_>) -> io::Result<Value> {
    let Request { method, path, token, body } = request;
    let token = token.map_or_else(String::new, |token| format!("authorization: Bearer {token}\r\n"));
    let length = body.len();
    let text = format!(
        "{method} {path} HTTP/1.1\r\nhost: {server}\r\n{token}content-type: application/json\r\n\
         content-length: {length}\r\nconnection: close\r\n\r\n{body}"
    );
    let mut stream = TcpStream::connect(server).await?;
    stream.write_all(text.as_bytes()).await?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).await?;
    read(&answer).ok_or_else(|| io::Error::other(format!("{path}: {}", String::from_utf8_lossy(&answer))))
}

/// The body, whether its length was said beforehand or it came in chunks: no JSON text ends before its last brace.
fn read(answer: &[u8]) -> Option<Value> {
    let text = std::str::from_utf8(answer).ok()?;
    let (head, body) = text.split_once("\r\n\r\n")?;
    let is_fine = head.split(' ').nth(1)?.starts_with('2');
    let json = body.get(body.find('{')?..=body.rfind('}')?)?;
    if is_fine { serde_json::from_str(json).ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_success_is_read() {
        let answer =
            |status: &str| format!("HTTP/1.1 {status}\r\nx: y\r\n\r\n8\r\n{{\"a\": 1}}\r\n0\r\n\r\n");
        assert_eq!(read(answer("200 OK").as_bytes()), Some(serde_json::json!({"a": 1})));
        assert_eq!(read(answer("404 Not Found").as_bytes()), None);
    }
}
