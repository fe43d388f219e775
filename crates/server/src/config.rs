//! Server configuration. Every setting has a default that suits one machine.

use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;

use intermezzo_services::ServiceLimits;
use serde::Deserialize;

use crate::network::Network;
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
    pub trusted_proxies: Vec<Network>,
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
    /// Milliseconds that compiling an author's ruleset may take.
    pub compile_ms: u64,
    /// Milliseconds that a ruleset may compute for one answer of a player.
    pub input_ms: u64,
    /// Rulesets that an account may own; a guest may own a tenth.
    pub rulesets_per_account: u32,
    /// Bytes of rulesets that an account may publish per day; a guest may publish a tenth.
    pub ruleset_bytes_per_day: u64,
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

    /// Returns true if a proxy with that address is trusted.
    pub(crate) fn trusts(&self, address: IpAddr) -> bool {
        self.trusted_proxies.iter().any(|network| network.contains(address))
    }
}

impl ServerLimits {
    /// Rejects limits that would let nothing through.
    ///
    /// # Errors
    ///
    /// If a limit is 0; the text names it.
    pub fn check(&self) -> Result<(), String> {
        let limits = [
            ("message-bytes", self.message_bytes as u64),
            ("ruleset-bytes", self.ruleset_bytes as u64),
            ("depth", self.depth as u64),
            ("frames-per-second", self.frames_per_second.into()),
            ("account-per-second", self.account_per_second.into()),
            ("address-per-second", self.address_per_second.into()),
            ("accounts-per-minute", self.accounts_per_minute.into()),
            ("connections", self.connections as u64),
            ("connections-per-address", self.connections_per_address as u64),
            ("spectators", self.spectators as u64),
            ("compile-ms", self.compile_ms),
            ("input-ms", self.input_ms),
            ("rulesets-per-account", self.rulesets_per_account.into()),
            ("ruleset-bytes-per-day", self.ruleset_bytes_per_day),
            ("hello-ms", self.hello_ms),
            ("request-ms", self.request_ms),
        ];
        match limits.iter().find(|(_, limit)| *limit == 0) {
            Some((name, _)) => Err(format!("the limit `{name}` is 0; it must be at least 1")),
            None => Ok(()),
        }
    }

    /// Returns the limits that the services enforce.
    pub(crate) fn service_limits(&self) -> ServiceLimits {
        ServiceLimits {
            compile_ms: self.compile_ms,
            rulesets_per_account: self.rulesets_per_account,
            ruleset_bytes_per_day: self.ruleset_bytes_per_day,
        }
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
            compile_ms: 10_000,
            input_ms: 2_000,
            rulesets_per_account: 50,
            ruleset_bytes_per_day: 20 << 20,
            hello_ms: 30_000,
            request_ms: 30_000,
        }
    }
}
