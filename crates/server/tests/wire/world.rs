//! A server to try things on, with a clock that is moved by hand.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;

use intermezzo_server::house::House;
use intermezzo_server::{Company, Config, Limits, Server};
use intermezzo_store::{Clock, ManualClock, Memory, Store};
use serde_json::{Value, json};

use super::asking::{Answer, Request};
use super::client::Client;

/// When stories begin.
pub(crate) const START: i64 = 1_700_000_000_000;

/// A server, what it stores, and its clock.
pub(crate) struct World {
    pub(crate) server: Option<Server>,
    pub(crate) store: Arc<dyn Store>,
    pub(crate) clock: Arc<ManualClock>,
    pub(crate) address: SocketAddr,
}

impl World {
    /// In memory, with these rulesets.
    pub(crate) async fn with(rulesets: &[&str]) -> World {
        World::limited(rulesets, generous()).await
    }

    /// The same with other limits.
    pub(crate) async fn limited(rulesets: &[&str], limits: Limits) -> World {
        let clock = Arc::new(ManualClock::new(START));
        let store = Arc::new(Memory::with_clock(Arc::clone(&clock) as Arc<dyn Clock>));
        World::on(store, clock, rulesets, limits).await
    }

    /// On any store.
    pub(crate) async fn on(
        store: Arc<dyn Store>,
        clock: Arc<ManualClock>,
        rulesets: &[&str],
        limits: Limits,
    ) -> World {
        World::among(store, clock, None, rulesets, limits).await
    }

    /// On any store, alone or as one of several.
    pub(crate) async fn among(
        store: Arc<dyn Store>,
        clock: Arc<ManualClock>,
        company: Option<Company>,
        rulesets: &[&str],
        limits: Limits,
    ) -> World {
        let listen = SocketAddr::from(([127, 0, 0, 1], 0));
        let config = Config { listen, data: None, limits, ..Config::default() };
        let bundled = rulesets.iter().map(|name| bundled(name)).collect();
        let server = Server::start_among(Arc::clone(&store), company, config, bundled).await.unwrap();
        let address = server.address();
        World { server: Some(server), store, clock, address }
    }

    /// Stops the server.
    pub(crate) async fn stop(&mut self) {
        self.server.take().unwrap().stop().await;
    }

    /// The house behind the server, for what no client can do.
    pub(crate) fn house(&self) -> House {
        House::new(Arc::clone(&self.store))
    }

    pub(crate) async fn get(&self, path: &str, token: Option<&str>) -> Answer {
        Request { method: "GET", path, token, ..Request::default() }.send(self.address).await
    }

    pub(crate) async fn post(&self, path: &str, token: &str, body: Value) -> Answer {
        let request = Request { method: "POST", path, token: Some(token), ..Request::default() };
        request.with_json(self.address, Some(&body)).await
    }

    pub(crate) async fn put(&self, path: &str, token: &str, body: Value) -> Answer {
        let request = Request { method: "PUT", path, token: Some(token), ..Request::default() };
        request.with_json(self.address, Some(&body)).await
    }

    pub(crate) async fn delete(&self, path: &str, token: &str) -> Answer {
        Request { method: "DELETE", path, token: Some(token), ..Request::default() }.send(self.address).await
    }

    /// A guest's token.
    pub(crate) async fn guest(&self, name: &str) -> String {
        let request = Request { method: "POST", path: "/accounts", ..Request::default() };
        let made = request.with_json(self.address, Some(&json!({"name": name}))).await;
        assert_eq!(made.status, 201, "{}", made.body);
        made.body["token"].as_str().unwrap().to_owned()
    }

    /// The token of a guest who may moderate.
    pub(crate) async fn moderator(&self, name: &str) -> String {
        let token = self.guest(name).await;
        self.house().set_moderator(name, true).await.unwrap();
        token
    }

    /// A match that has started, with those at its seats.
    pub(crate) async fn table(&self, wish: Value, tokens: &[&str]) -> String {
        let made = self.post("/matches", tokens[0], wish).await;
        assert_eq!(made.status, 201, "{}", made.body);
        let id = made.body["id"].as_str().unwrap().to_owned();
        for token in &tokens[1..] {
            let sat = self.post(&format!("/matches/{id}/seats"), token, json!({})).await;
            assert_eq!(sat.status, 200, "{}", sat.body);
        }
        // Who has several seats is ready with all of them.
        let mut accounts = tokens.to_vec();
        accounts.dedup();
        for token in accounts {
            let ready = self.put(&format!("/matches/{id}/ready"), token, json!({"ready": true})).await;
            assert_eq!(ready.status, 200, "{}", ready.body);
        }
        id
    }

    /// Two guests, a match between them, and their clients.
    pub(crate) async fn pair(&self, wish: Value) -> (Client, Client) {
        let (one, other) = (self.guest("anna").await, self.guest("bela").await);
        let id = self.table(wish, &[&one, &other]).await;
        (Client::join(self, &one, &id).await, Client::join(self, &other, &id).await)
    }

    /// Moves the clock on, and lets a match notice.
    pub(crate) async fn pass(&self, ms: i64, match_id: &str) {
        self.clock.advance(ms);
        self.get(&format!("/matches/{match_id}/view"), None).await;
    }

    pub(crate) async fn match_info(&self, match_id: &str) -> Value {
        self.get(&format!("/matches/{match_id}"), None).await.body
    }
}

/// Limits that no story reaches by itself.
pub(crate) fn generous() -> Limits {
    Limits {
        frames_per_second: 100_000,
        account_per_second: 100_000,
        address_per_second: 100_000,
        accounts_per_minute: 100_000,
        ..Limits::default()
    }
}

/// A ruleset of this repository, or the little one that is only for these stories.
fn bundled(name: &str) -> (String, Vec<(String, String)>) {
    if name == "relay" {
        return (name.to_owned(), vec![("ruleset.yaml".to_owned(), include_str!("relay.yaml").to_owned())]);
    }
    if name == "race" {
        return (name.to_owned(), vec![("ruleset.yaml".to_owned(), include_str!("race.yaml").to_owned())]);
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../rulesets").join(name);
    let mut files = Vec::new();
    for file in std::fs::read_dir(folder).unwrap() {
        let path = file.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "yaml") {
            let file = path.file_name().unwrap().to_string_lossy().into_owned();
            files.push((file, std::fs::read_to_string(&path).unwrap()));
        }
    }
    files.sort();
    (name.to_owned(), files)
}
