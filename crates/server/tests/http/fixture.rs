//! The server fixture of the HTTP tests.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use intermezzo_server::{BundledRulesets, Config, Server, ServerError};
use serde_json::{Value, json};

use crate::client::HttpClient;

/// A server on a free port.
pub(crate) struct HttpFixture {
    server: Option<Server>,
    config: Config,
    folder: Option<PathBuf>,
}

/// Returns a configuration without practical rate limits.
pub(crate) fn without_rate_limits() -> Config {
    let mut config = Config { listen: ([127, 0, 0, 1], 0).into(), data: None, ..Config::default() };
    config.limits.accounts_per_minute = 1_000_000;
    config.limits.account_per_second = 1_000_000;
    config.limits.address_per_second = 1_000_000;
    config
}

impl HttpFixture {
    /// Starts a server with data in memory.
    pub(crate) async fn new() -> HttpFixture {
        HttpFixture::with(without_rate_limits()).await
    }

    pub(crate) async fn with(config: Config) -> HttpFixture {
        let server = start(&config).await.unwrap();
        HttpFixture { server: Some(server), config, folder: None }
    }

    /// Starts a server with data in a temporary folder.
    pub(crate) async fn on_disk() -> HttpFixture {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let folder = std::env::temp_dir().join(format!("intermezzo-http-{}-{number}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        let config = Config { data: Some(folder.clone()), ..without_rate_limits() };
        let server = start(&config).await.unwrap();
        HttpFixture { server: Some(server), config, folder: Some(folder) }
    }

    /// Stops the server and starts it again.
    pub(crate) async fn restart(&mut self) {
        if let Some(server) = self.server.take() {
            server.stop().await;
        }
        self.server = Some(start(&self.config).await.unwrap());
    }

    pub(crate) async fn stop(mut self) {
        if let Some(server) = self.server.take() {
            server.stop().await;
        }
    }

    /// Returns a client without a token.
    pub(crate) fn anonymous(&self) -> HttpClient {
        let server = self.server.as_ref().unwrap().address();
        HttpClient { server, token: None, used: Arc::default() }
    }

    /// Returns a client with a new guest account.
    pub(crate) async fn guest(&self) -> HttpClient {
        self.anonymous().guest().await
    }
}

impl Drop for HttpFixture {
    fn drop(&mut self) {
        if let Some(folder) = &self.folder {
            let _ = std::fs::remove_dir_all(folder);
        }
    }
}

async fn start(config: &Config) -> Result<Server, ServerError> {
    Server::start(config.clone(), bundled()).await
}

/// Returns the bundled rulesets.
fn bundled() -> BundledRulesets {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../rulesets");
    ["orcain", "mages"].iter().map(|name| ((*name).to_owned(), files(&folder.join(name)))).collect()
}

fn files(folder: &std::path::Path) -> Vec<(String, String)> {
    intermezzo_compiler::publishable_files(folder).unwrap()
}

/// Returns a one-file ruleset whose matches end immediately.
pub(crate) fn tiny_ruleset(version: &str) -> Value {
    let text = format!(
        "ir: 1\nruleset: {{id: tiny, version: {version}, name: Tiny, description: Nothing much., uses: [core@1]}}\n\
         players: {{min: 2, max: 4, seats: 2}}\noutcomes: [done]\nflow: [{{end: done}}]\n"
    );
    json!({"files": {"ruleset.yaml": text}})
}

/// Starts a match of two players. The first has seat 0.
pub(crate) async fn start_duel(one: &HttpClient, other: &HttpClient, ruleset: &str) -> String {
    let id = prepare_duel(one, other, ruleset).await;
    set_ready(one, &id).await;
    id
}

/// Prepares a match that starts when the first player, who has seat 0, is ready.
pub(crate) async fn prepare_duel(one: &HttpClient, other: &HttpClient, ruleset: &str) -> String {
    let made = one.post("/matches", json!({"ruleset": ruleset})).await.ok_json();
    let id = made["id"].as_str().unwrap().to_owned();
    other.post(&format!("/matches/{id}/seats"), json!({})).await.ok_json();
    set_ready(other, &id).await;
    id
}

pub(crate) async fn set_ready(player: &HttpClient, id: &str) {
    player.put(&format!("/matches/{id}/ready"), json!({"ready": true})).await.ok_json();
}

/// Returns the id of the player's first open question.
pub(crate) async fn open_question(player: &HttpClient, id: &str) -> u64 {
    let inputs = player.get(&format!("/matches/{id}/inputs")).await.ok_json();
    inputs["prompts"][0]["inputId"].as_u64().unwrap_or_else(|| panic!("no open question: {inputs}"))
}
