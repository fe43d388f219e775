//! A client that sends exactly what it is told to.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use tokio::net::TcpStream;

use crate::asking::{Answer, Request};

impl Answer {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_else(|_| panic!("this is no JSON: {}", self.text))
    }

    /// The body of something that went well.
    #[track_caller]
    pub(crate) fn good(&self) -> Value {
        assert!((200..300).contains(&self.status), "{} {}", self.status, self.text);
        if self.text.is_empty() { Value::Null } else { self.json() }
    }

    /// The code of a refusal, which is always a problem.
    #[track_caller]
    pub(crate) fn code(&self) -> String {
        assert!(self.status >= 400, "{} {}", self.status, self.text);
        assert_eq!(self.header("content-type"), Some("application/problem+json"), "{}", self.text);
        let problem = self.json();
        assert_eq!(problem["status"], self.status);
        problem["code"].as_str().unwrap().to_owned()
    }
}

/// A client of one server, perhaps signed in.
#[derive(Clone, Debug)]
pub(crate) struct Client {
    pub(crate) server: SocketAddr,
    pub(crate) token: Option<String>,
    /// Methods and paths that were used, by all clients of a world.
    pub(crate) used: Arc<Mutex<Vec<(String, String)>>>,
}

impl Client {
    pub(crate) async fn get(&self, path: &str) -> Answer {
        self.send("GET", path, &[], None).await
    }

    pub(crate) async fn post(&self, path: &str, body: Value) -> Answer {
        self.send("POST", path, &[], Some(body)).await
    }

    pub(crate) async fn put(&self, path: &str, body: Value) -> Answer {
        self.send("PUT", path, &[], Some(body)).await
    }

    pub(crate) async fn delete(&self, path: &str) -> Answer {
        self.send("DELETE", path, &[], None).await
    }

    /// Sends JSON with further headers.
    pub(crate) async fn send(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: Option<Value>,
    ) -> Answer {
        self.request(method, path, headers, &[]).with_json(self.server, body.as_ref()).await
    }

    /// Sends any bytes with any headers.
    pub(crate) async fn send_bytes(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &[u8],
    ) -> Answer {
        self.request(method, path, headers, body).send(self.server).await
    }

    /// Sends a request and leaves the answer to be read.
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
    ) -> Request<'a> {
        self.used.lock().unwrap().push((method.to_owned(), path.to_owned()));
        Request { method, path, token: self.token.as_deref(), headers, body }
    }

    /// The same server with another token.
    pub(crate) fn with_token(&self, token: Option<&str>) -> Client {
        Client { token: token.map(str::to_owned), ..self.clone() }
    }

    /// A new guest.
    pub(crate) async fn guest(&self) -> Client {
        let signed_in = self.with_token(None).post("/accounts", json!({})).await.good();
        self.with_token(signed_in["token"].as_str())
    }

    /// The account's id.
    pub(crate) async fn id(&self) -> String {
        self.get("/me").await.good()["id"].as_str().unwrap().to_owned()
    }
}
