//! Server configuration. Every setting has a default that suits one machine.

use std::net::SocketAddr;
use std::path::PathBuf;

use serde::Deserialize;

use crate::secret_url::SecretUrl;

/// Configuration of a server.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Config {
    /// Address to listen on.
    pub listen: SocketAddr,
    /// Address on which operators read the metrics; `None` for nowhere.
    pub metrics_listen: Option<SocketAddr>,
    /// Writes a line about every request to the log.
    pub access_log: bool,
    /// URL of the OpenTelemetry collector that gets traces; `None` for none.
    pub otlp: Option<String>,
    /// Folder of the SQLite store; `None` keeps everything in memory only.
    pub data: Option<PathBuf>,
    /// PostgreSQL database to use instead, for any number of servers: `postgres://…`.
    pub database: Option<SecretUrl>,
    /// NATS server through which servers on one database notify each other: `nats://…`. Without it they poll
    /// the database.
    pub nats: Option<SecretUrl>,
    /// Origins whose pages may connect, besides the server's own; `*` for all.
    pub origins: Vec<String>,
    pub limits: ServerLimits,
    /// Proxies whose `X-Forwarded-For` header is trusted.
    pub trusted_proxies: Vec<std::net::IpAddr>,
    /// Folder of the ruleset to edit; only for `intermezzo dev`, where every client can write files.
    #[serde(skip)]
    pub playground: Option<PathBuf>,
}

/// Limits on clients.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct ServerLimits {
    /// Maximum size of a frame or request in bytes, except for rulesets.
    pub message_bytes: usize,
    /// Maximum size in bytes of a request that publishes a ruleset.
    pub ruleset_bytes: usize,
    /// Maximum nesting of lists and objects in a message.
    pub depth: usize,
    /// Sustained frames per second from one connection.
    pub frames_per_second: u32,
    /// Sustained requests and frames per second from one account.
    pub account_per_second: u32,
    /// Sustained requests and connections per second from one address.
    pub address_per_second: u32,
    /// New accounts, sign-ins and match codes per minute from one address.
    pub accounts_per_minute: u32,
    /// Maximum number of connections.
    pub connections: usize,
    /// Maximum number of connections from one address.
    pub connections_per_address: usize,
    /// Maximum number of spectators of one match.
    pub spectators: usize,
    /// Milliseconds that a connection has to send `hello`.
    pub hello_ms: u64,
    /// Milliseconds that the head of a request may take to arrive, and its body likewise.
    pub request_ms: u64,
}

impl Config {
    /// Parses a TOML file. Missing settings get their defaults.
    ///
    /// # Errors
    ///
    /// If it cannot be parsed; the text says where and why.
    pub fn from_toml(text: &str) -> Result<Config, String> {
        toml::from_str(text).map_err(|error| error.to_string())
    }
}

impl Default for Config {
    fn default() -> Config {
        Config {
            listen: SocketAddr::from(([127, 0, 0, 1], 8080)),
            metrics_listen: None,
            access_log: false,
            otlp: None,
            data: Some(PathBuf::from("intermezzo-data")),
            database: None,
            nats: None,
            origins: Vec::new(),
            limits: ServerLimits::default(),
            trusted_proxies: Vec::new(),
            playground: None,
        }
    }
}

impl Default for ServerLimits {
    fn default() -> ServerLimits {
        ServerLimits {
            message_bytes: 64 * 1024,
            ruleset_bytes: 4 * 1024 * 1024,
            depth: 32,
            frames_per_second: 50,
            account_per_second: 100,
            address_per_second: 200,
            accounts_per_minute: 30,
            connections: 20_000,
            connections_per_address: 2_000,
            spectators: 500,
            hello_ms: 30_000,
            request_ms: 30_000,
        }
    }
}
