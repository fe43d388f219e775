//! The HTTP client of the tests.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use tokio::net::TcpStream;

use crate::raw_http::{RawRequest, RawResponse};

impl RawResponse {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_else(|_| panic!("not JSON: {}", self.text))
    }

    /// Returns the body of a successful response.
    #[track_caller]
    pub(crate) fn ok_json(&self) -> Value {
        assert!((200..300).contains(&self.status), "{} {}", self.status, self.text);
        if self.text.is_empty() { Value::Null } else { self.json() }
    }

    /// Returns the code of an error response, which must be a problem.
    #[track_caller]
    pub(crate) fn problem_code(&self) -> String {
        assert!(self.status >= 400, "{} {}", self.status, self.text);
        assert_eq!(self.header("content-type"), Some("application/problem+json"), "{}", self.text);
        let problem = self.json();
        assert_eq!(problem["status"], self.status);
        problem["code"].as_str().unwrap().to_owned()
    }
}

/// A client of one server, with or without a token.
#[derive(Clone, Debug)]
pub(crate) struct HttpClient {
    pub(crate) server: SocketAddr,
    pub(crate) token: Option<String>,
    /// Methods and paths used by all clients of a fixture.
    pub(crate) used: Arc<Mutex<Vec<(String, String)>>>,
}

impl HttpClient {
    pub(crate) async fn get(&self, path: &str) -> RawResponse {
        self.send("GET", path, &[], None).await
    }

    pub(crate) async fn post(&self, path: &str, body: Value) -> RawResponse {
        self.send("POST", path, &[], Some(body)).await
    }

    pub(crate) async fn put(&self, path: &str, body: Value) -> RawResponse {
        self.send("PUT", path, &[], Some(body)).await
    }

    pub(crate) async fn delete(&self, path: &str) -> RawResponse {
        self.send("DELETE", path, &[], None).await
    }

    /// Sends JSON with additional headers.
    pub(crate) async fn send(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: Option<Value>,
    ) -> RawResponse {
        self.request(method, path, headers, &[]).with_json(self.server, body.as_ref()).await
    }

    /// Sends arbitrary bytes and headers.
    pub(crate) async fn send_bytes(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &[u8],
    ) -> RawResponse {
        self.request(method, path, headers, body).send(self.server).await
    }

    /// Sends a request and returns the stream to read the response from.
    pub(crate) async fn open(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &[u8],
    ) -> TcpStream {
        self.request(method, path, headers, body).open(self.server).await
    }

    fn request<'a>(
        &'a self,
        method: &'a str,
        path: &'a str,
        headers: &'a [(&'a str, &'a str)],
        body: &'a [u8],
    ) -> RawRequest<'a> {
        self.used.lock().unwrap().push((method.to_owned(), path.to_owned()));
        RawRequest { method, path, token: self.token.as_deref(), headers, body }
    }

    /// Returns a client of the same server with another token.
    pub(crate) fn with_token(&self, token: Option<&str>) -> HttpClient {
        HttpClient { token: token.map(str::to_owned), ..self.clone() }
    }

    /// Returns a client with a new guest account.
    pub(crate) async fn guest(&self) -> HttpClient {
        let signed_in = self.with_token(None).post("/accounts", json!({})).await.ok_json();
        self.with_token(signed_in["token"].as_str())
    }

    /// Returns the account's id.
    pub(crate) async fn id(&self) -> String {
        self.get("/me").await.ok_json()["id"].as_str().unwrap().to_owned()
    }
}
