//! How a server is set up. Every setting has a default that suits one machine.

use std::net::SocketAddr;
use std::path::PathBuf;

use serde::Deserialize;

use crate::secret::SecretUrl;

/// How a server is set up.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Config {
    /// Where to listen.
    pub listen: SocketAddr,
    /// Where everything is kept; nothing for a server that forgets everything when it stops.
    pub data: Option<PathBuf>,
    /// A PostgreSQL database in which everything is kept instead, with any number of servers on it: `postgres://…`.
    pub database: Option<SecretUrl>,
    /// Where the servers on one database wake each other: `nats://…`. Without it they look at the database now and then.
    pub nats: Option<SecretUrl>,
    /// Pages from these origins may connect, besides the server's own; `*` for all.
    pub origins: Vec<String>,
    /// What is taken at most.
    pub limits: Limits,
    /// Addresses that are believed when they say in `X-Forwarded-For` whom they speak for.
    pub trusted_proxies: Vec<std::net::IpAddr>,
    /// The folder of a ruleset that is worked on; only for `intermezzo dev`, where whoever can connect writes files.
    #[serde(skip)]
    pub workshop: Option<PathBuf>,
}

/// What is taken at most.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Limits {
    /// Bytes of a frame or of a request, rulesets apart.
    pub message_bytes: usize,
    /// Bytes of a request that publishes a ruleset.
    pub ruleset_bytes: usize,
    /// Levels of lists and objects in a message.
    pub depth: usize,
    /// Frames in a second from one connection, over some time.
    pub frames_per_second: u32,
    /// Requests and frames in a second from one account, over some time.
    pub account_per_second: u32,
    /// Requests and connections in a second from one address, over some time.
    pub address_per_second: u32,
    /// New accounts, signings in and codes of matches that are tried in a minute from one address.
    pub accounts_per_minute: u32,
    /// Connections in all.
    pub connections: usize,
    /// Connections from one address.
    pub connections_per_address: usize,
    /// Who look on at one match.
    pub spectators: usize,
    /// A connection says who it is within so many milliseconds.
    pub hello_ms: u64,
    /// The head of a request has come within so many milliseconds, and so has its body.
    pub request_ms: u64,
}

impl Config {
    /// Reads the settings of a TOML file. What it does not say is as usual.
    ///
    /// # Errors
    ///
    /// If it cannot be read: then the text says where and why.
    pub fn from_toml(text: &str) -> Result<Config, String> {
        toml::from_str(text).map_err(|error| error.to_string())
    }
}

impl Default for Config {
    fn default() -> Config {
        Config {
            listen: SocketAddr::from(([127, 0, 0, 1], 8080)),
            data: Some(PathBuf::from("intermezzo-data")),
            database: None,
            nats: None,
            origins: Vec::new(),
            limits: Limits::default(),
            trusted_proxies: Vec::new(),
            workshop: None,
        }
    }
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
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
