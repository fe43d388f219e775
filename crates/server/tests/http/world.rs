//! A server to try things with.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use intermezzo_server::{Bundled, Config, Server, ServerError};
use serde_json::{Value, json};

use crate::client::Client;

/// A server on a port of its own.
pub(crate) struct World {
    server: Option<Server>,
    config: Config,
    folder: Option<PathBuf>,
}

/// Limits that tests do not run into.
pub(crate) fn generous() -> Config {
    let mut config = Config { listen: ([127, 0, 0, 1], 0).into(), data: None, ..Config::default() };
    config.limits.accounts_per_minute = 1_000_000;
    config.limits.account_per_second = 1_000_000;
    config.limits.address_per_second = 1_000_000;
    config
}

impl World {
    /// In memory.
    pub(crate) async fn new() -> World {
        World::with(generous()).await
    }

    pub(crate) async fn with(config: Config) -> World {
        let server = start(&config).await.unwrap();
        World { server: Some(server), config, folder: None }
    }

    /// In a folder of its own.
    pub(crate) async fn on_disk() -> World {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let folder = std::env::temp_dir().join(format!("intermezzo-http-{}-{number}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        let config = Config { data: Some(folder.clone()), ..generous() };
        let server = start(&config).await.unwrap();
        World { server: Some(server), config, folder: Some(folder) }
    }

    /// Stops and starts again.
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

    /// Somebody who is not signed in.
    pub(crate) fn stranger(&self) -> Client {
        let server = self.server.as_ref().unwrap().address();
        Client { server, token: None, used: Arc::default() }
    }

    /// A new guest.
    pub(crate) async fn guest(&self) -> Client {
        self.stranger().guest().await
    }
}

impl Drop for World {
    fn drop(&mut self) {
        if let Some(folder) = &self.folder {
            let _ = std::fs::remove_dir_all(folder);
        }
    }
}

async fn start(config: &Config) -> Result<Server, ServerError> {
    Server::start(config.clone(), bundled()).await
}

/// The rulesets of the repository that stories are about.
fn bundled() -> Bundled {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../rulesets");
    ["orcain", "mages"].iter().map(|name| ((*name).to_owned(), files(&folder.join(name)))).collect()
}

fn files(folder: &std::path::Path) -> Vec<(String, String)> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let rules = entries.filter(|path| path.extension().is_some_and(|extension| extension == "yaml"));
    let file = |path: PathBuf| {
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        (name, std::fs::read_to_string(&path).unwrap())
    };
    rules.map(file).collect()
}

/// A ruleset of one file that is played in an instant.
pub(crate) fn tiny(version: &str) -> Value {
    let text = format!(
        "ir: 1\nruleset: {{id: tiny, version: {version}, name: Tiny, description: Nothing much., uses: [core@1]}}\n\
         players: {{min: 2, max: 4, seats: 2}}\noutcomes: [done]\nflow: [{{end: done}}]\n"
    );
    json!({"files": {"ruleset.yaml": text}})
}

/// A duel of two, started. The first has seat 0.
pub(crate) async fn duel(one: &Client, other: &Client, ruleset: &str) -> String {
    let made = one.post("/matches", json!({"ruleset": ruleset})).await.good();
    let id = made["id"].as_str().unwrap().to_owned();
    other.post(&format!("/matches/{id}/seats"), json!({})).await.good();
    for player in [one, other] {
        player.put(&format!("/matches/{id}/ready"), json!({"ready": true})).await.good();
    }
    id
}

/// The number of the first open question.
pub(crate) async fn question(player: &Client, id: &str) -> u64 {
    let inputs = player.get(&format!("/matches/{id}/inputs")).await.good();
    inputs["prompts"][0]["inputId"].as_u64().unwrap_or_else(|| panic!("nobody is asked: {inputs}"))
}
