//! The server fixture of the WebSocket tests, with a manual clock.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;

use intermezzo_server::{ClusterLink, Config, Server, ServerLimits};
use intermezzo_services::Services;
use intermezzo_store::{ManualClock, MemoryStore, Store, TimeSource};
use serde_json::{Value, json};

use super::client::WsClient;
use super::raw_http::{RawRequest, RawResponse};

/// Start time of the manual clock.
pub(crate) const START: i64 = 1_700_000_000_000;

/// A server with its store and clock.
pub(crate) struct WireFixture {
    pub(crate) server: Option<Server>,
    pub(crate) store: Arc<dyn Store>,
    pub(crate) clock: Arc<ManualClock>,
    pub(crate) address: SocketAddr,
}

impl WireFixture {
    /// Starts a server with data in memory and these rulesets.
    pub(crate) async fn new(rulesets: &[&str]) -> WireFixture {
        WireFixture::with_limits(rulesets, without_rate_limits()).await
    }

    /// Starts a server in memory with custom limits.
    pub(crate) async fn with_limits(rulesets: &[&str], limits: ServerLimits) -> WireFixture {
        let clock = Arc::new(ManualClock::new(START));
        let store = Arc::new(MemoryStore::with_clock(Arc::clone(&clock) as Arc<dyn TimeSource>));
        WireFixture::with_store(store, clock, rulesets, limits).await
    }

    /// Starts a server on the given store.
    pub(crate) async fn with_store(
        store: Arc<dyn Store>,
        clock: Arc<ManualClock>,
        rulesets: &[&str],
        limits: ServerLimits,
    ) -> WireFixture {
        WireFixture::in_cluster(store, clock, None, rulesets, limits).await
    }

    /// Starts a server on the given store, alone or as one of several.
    pub(crate) async fn in_cluster(
        store: Arc<dyn Store>,
        clock: Arc<ManualClock>,
        company: Option<ClusterLink>,
        rulesets: &[&str],
        limits: ServerLimits,
    ) -> WireFixture {
        let listen = SocketAddr::from(([127, 0, 0, 1], 0));
        let config = Config { listen, data: None, limits, ..Config::default() };
        let bundled = rulesets.iter().map(|name| bundled(name)).collect();
        let server = Server::start_in_cluster(Arc::clone(&store), company, config, bundled).await.unwrap();
        let address = server.address();
        WireFixture { server: Some(server), store, clock, address }
    }

    pub(crate) async fn stop(&mut self) {
        self.server.take().unwrap().stop().await;
    }

    /// Returns the services on the server's store, for operations that no client can do.
    pub(crate) fn services(&self) -> Services {
        Services::new(Arc::clone(&self.store))
    }

    pub(crate) async fn get(&self, path: &str, token: Option<&str>) -> RawResponse {
        RawRequest { method: "GET", path, token, ..RawRequest::default() }.send(self.address).await
    }

    pub(crate) async fn post(&self, path: &str, token: &str, body: Value) -> RawResponse {
        let request = RawRequest { method: "POST", path, token: Some(token), ..RawRequest::default() };
        request.with_json(self.address, Some(&body)).await
    }

    pub(crate) async fn put(&self, path: &str, token: &str, body: Value) -> RawResponse {
        let request = RawRequest { method: "PUT", path, token: Some(token), ..RawRequest::default() };
        request.with_json(self.address, Some(&body)).await
    }

    pub(crate) async fn delete(&self, path: &str, token: &str) -> RawResponse {
        RawRequest { method: "DELETE", path, token: Some(token), ..RawRequest::default() }
            .send(self.address)
            .await
    }

    /// Creates a guest; returns its token.
    pub(crate) async fn guest(&self, name: &str) -> String {
        let request = RawRequest { method: "POST", path: "/accounts", ..RawRequest::default() };
        let made = request.with_json(self.address, Some(&json!({"name": name}))).await;
        assert_eq!(made.status, 201, "{}", made.body);
        made.body["token"].as_str().unwrap().to_owned()
    }

    /// Creates a guest with moderator rights; returns its token.
    pub(crate) async fn moderator(&self, name: &str) -> String {
        let token = self.guest(name).await;
        self.services().set_moderator(name, true).await.unwrap();
        token
    }

    /// Starts a match with these players; returns its id.
    pub(crate) async fn start_match(&self, request: Value, tokens: &[&str]) -> String {
        let made = self.post("/matches", tokens[0], request).await;
        assert_eq!(made.status, 201, "{}", made.body);
        let id = made.body["id"].as_str().unwrap().to_owned();
        for token in &tokens[1..] {
            let sat = self.post(&format!("/matches/{id}/seats"), token, json!({})).await;
            assert_eq!(sat.status, 200, "{}", sat.body);
        }
        // `ready` applies to all seats of an account.
        let mut accounts = tokens.to_vec();
        accounts.dedup();
        for token in accounts {
            let ready = self.put(&format!("/matches/{id}/ready"), token, json!({"ready": true})).await;
            assert_eq!(ready.status, 200, "{}", ready.body);
        }
        id
    }

    /// Creates two guests and a match between them; returns their clients.
    pub(crate) async fn pair(&self, request: Value) -> (WsClient, WsClient) {
        let (one, other) = (self.guest("anna").await, self.guest("bela").await);
        let id = self.start_match(request, &[&one, &other]).await;
        (WsClient::join(self, &one, &id).await, WsClient::join(self, &other, &id).await)
    }

    /// Advances the clock, and makes the match process its timers by reading it.
    pub(crate) async fn advance(&self, ms: i64, match_id: &str) {
        self.clock.advance(ms);
        self.get(&format!("/matches/{match_id}/view"), None).await;
    }

    pub(crate) async fn match_info(&self, match_id: &str) -> Value {
        self.get(&format!("/matches/{match_id}"), None).await.body
    }
}

/// Returns limits that the tests do not reach.
pub(crate) fn without_rate_limits() -> ServerLimits {
    ServerLimits {
        frames_per_second: 100_000,
        account_per_second: 100_000,
        address_per_second: 100_000,
        accounts_per_minute: 100_000,
        ..ServerLimits::default()
    }
}

/// Returns a ruleset of this repository, or one of the small ones next to this file.
fn bundled(name: &str) -> (String, Vec<(String, String)>) {
    if name == "relay" {
        return (name.to_owned(), vec![("ruleset.yaml".to_owned(), include_str!("relay.yaml").to_owned())]);
    }
    if name == "spite" {
        return (name.to_owned(), vec![("ruleset.yaml".to_owned(), include_str!("spite.yaml").to_owned())]);
    }
    if name == "race" {
        return (name.to_owned(), vec![("ruleset.yaml".to_owned(), include_str!("race.yaml").to_owned())]);
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../rulesets").join(name);
    (name.to_owned(), intermezzo_compiler::publishable_files(&folder).unwrap())
}
