//! A minimal HTTP client for setting up matches.

use std::io;
use std::net::SocketAddr;

use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// A request with a JSON body.
pub(crate) struct JsonRequest<'a> {
    pub(crate) method: &'a str,
    pub(crate) path: &'a str,
    /// The session token, if the request needs one.
    pub(crate) token: Option<&'a str>,
    pub(crate) body: &'a str,
}

/// Posts a JSON text without a token and returns the JSON response.
pub(crate) async fn post(server: SocketAddr, path: &str, body: &str) -> io::Result<Value> {
    send(server, JsonRequest { method: "POST", path, token: None, body }).await
}

/// Sends a request and returns the JSON response.
pub(crate) async fn send(server: SocketAddr, request: JsonRequest<'_>) -> io::Result<Value> {
    let JsonRequest { method, path, token, body } = request;
    let token = token.map_or_else(String::new, |token| format!("authorization: Bearer {token}\r\n"));
    let length = body.len();
    let text = format!(
        "{method} {path} HTTP/1.1\r\nhost: {server}\r\n{token}content-type: application/json\r\n\
         content-length: {length}\r\nconnection: close\r\n\r\n{body}"
    );
    let mut stream = TcpStream::connect(server).await?;
    stream.write_all(text.as_bytes()).await?;
    let mut response = Vec::new();
    stream.read_to_end(&mut response).await?;
    parse(&response)
        .ok_or_else(|| io::Error::other(format!("{path}: {}", String::from_utf8_lossy(&response))))
}

/// Parses the body of a successful response. Chunk sizes are outside the braces of a JSON object, so they are cut off.
fn parse(response: &[u8]) -> Option<Value> {
    let text = std::str::from_utf8(response).ok()?;
    let (head, body) = text.split_once("\r\n\r\n")?;
    let is_success = head.split(' ').nth(1)?.starts_with('2');
    let json = body.get(body.find('{')?..=body.rfind('}')?)?;
    if is_success { serde_json::from_str(json).ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_successful_responses_are_parsed() {
        let response =
            |status: &str| format!("HTTP/1.1 {status}\r\nx: y\r\n\r\n8\r\n{{\"a\": 1}}\r\n0\r\n\r\n");
        assert_eq!(parse(response("200 OK").as_bytes()), Some(serde_json::json!({"a": 1})));
        assert_eq!(parse(response("404 Not Found").as_bytes()), None);
    }
}
