//! `intermezzo serve`: runs a match server until it is told to end.

use std::net::{IpAddr, SocketAddr};
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use intermezzo_server::{Bundled, Config, Limits, LogFormat};

use crate::Context;
use crate::bundled::BUNDLED;
use crate::failure::{Exit, Failure};
use crate::out::{GOOD, say};

#[derive(Args)]
#[command(after_help = "\
Every setting may also come from the environment or from a TOML file. A flag counts more than the
environment, that more than the file, and the file more than what is usual.

Examples:
  intermezzo serve                                  on 127.0.0.1:8080, kept in ./intermezzo-data
  intermezzo serve --listen 0.0.0.0:80 --data /var/lib/intermezzo --log json
  intermezzo serve --memory --listen 127.0.0.1:0    forgets everything; any free port
  intermezzo serve --config intermezzo.toml --origin https://play.example.org
  INTERMEZZO_LISTEN=0.0.0.0:9000 intermezzo serve
  intermezzo serve --database postgres://localhost/intermezzo --nats nats://localhost
                                                    one of any number of servers on one database

The address is printed when the server is ready. SIGINT or SIGTERM end it: nothing new is taken,
everything taken is kept, connections are told.")]
pub(crate) struct Serve {
    /// Where to listen [default: 127.0.0.1:8080]
    #[arg(long, value_name = "ADDR", env = "INTERMEZZO_LISTEN")]
    listen: Option<SocketAddr>,
    /// Where everything is kept [default: intermezzo-data]
    #[arg(long, value_name = "DIR", env = "INTERMEZZO_DATA", conflicts_with = "memory")]
    data: Option<PathBuf>,
    /// Keep everything in this PostgreSQL database, which any number of servers may share
    #[arg(long, value_name = "URL", env = "INTERMEZZO_DATABASE", hide_env_values = true, conflicts_with_all = ["memory", "data"])]
    database: Option<String>,
    /// Where the servers on one database wake each other; without it they look at the database each second
    #[arg(long, value_name = "URL", env = "INTERMEZZO_NATS", hide_env_values = true)]
    nats: Option<String>,
    /// Keep nothing: everything is forgotten when the server stops
    #[arg(long, env = "INTERMEZZO_MEMORY")]
    memory: bool,
    /// Read settings from this file
    #[arg(long, value_name = "FILE", env = "INTERMEZZO_CONFIG")]
    config: Option<PathBuf>,
    /// Let pages from this origin connect, besides the server's own; `*` for all
    #[arg(long = "origin", value_name = "ORIGIN", value_delimiter = ',', env = "INTERMEZZO_ORIGINS")]
    origins: Vec<String>,
    /// Believe this address when it says in `X-Forwarded-For` whom it speaks for
    #[arg(
        long = "trusted-proxy",
        value_name = "IP",
        value_delimiter = ',',
        env = "INTERMEZZO_TRUSTED_PROXIES"
    )]
    trusted_proxies: Vec<IpAddr>,
    /// How to write the log, which goes to standard error; what is logged: RUST_LOG
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = Log::Text, env = "INTERMEZZO_LOG")]
    log: Log,
    #[command(flatten)]
    limits: LimitFlags,
}

#[derive(Clone, Copy, ValueEnum)]
enum Log {
    /// For people
    Text,
    /// One JSON object in each line
    Json,
}

/// What is taken at most.
#[derive(Args)]
#[command(next_help_heading = "Limits")]
struct LimitFlags {
    /// Bytes of a frame or request [default: 65536]
    #[arg(long, value_name = "N", env = "INTERMEZZO_MESSAGE_BYTES")]
    message_bytes: Option<usize>,
    /// Bytes of a request that publishes a ruleset [default: 4194304]
    #[arg(long, value_name = "N", env = "INTERMEZZO_RULESET_BYTES")]
    ruleset_bytes: Option<usize>,
    /// Levels of lists and objects in a message [default: 32]
    #[arg(long, value_name = "N", env = "INTERMEZZO_DEPTH")]
    depth: Option<usize>,
    /// Frames in a second from one connection [default: 50]
    #[arg(long, value_name = "N", env = "INTERMEZZO_FRAMES_PER_SECOND")]
    frames_per_second: Option<u32>,
    /// Requests and frames in a second from one account [default: 100]
    #[arg(long, value_name = "N", env = "INTERMEZZO_ACCOUNT_PER_SECOND")]
    account_per_second: Option<u32>,
    /// Requests and connections in a second from one address [default: 200]
    #[arg(long, value_name = "N", env = "INTERMEZZO_ADDRESS_PER_SECOND")]
    address_per_second: Option<u32>,
    /// New accounts, signings in and codes tried in a minute from one address [default: 30]
    #[arg(long, value_name = "N", env = "INTERMEZZO_ACCOUNTS_PER_MINUTE")]
    accounts_per_minute: Option<u32>,
    /// Connections in all [default: 20000]
    #[arg(long, value_name = "N", env = "INTERMEZZO_CONNECTIONS")]
    connections: Option<usize>,
    /// Connections from one address [default: 2000]
    #[arg(long, value_name = "N", env = "INTERMEZZO_CONNECTIONS_PER_ADDRESS")]
    connections_per_address: Option<usize>,
    /// Who look on at one match [default: 500]
    #[arg(long, value_name = "N", env = "INTERMEZZO_SPECTATORS")]
    spectators: Option<usize>,
    /// Milliseconds in which a connection says who it is [default: 30000]
    #[arg(long, value_name = "MS", env = "INTERMEZZO_HELLO_MS")]
    hello_ms: Option<u64>,
    /// Milliseconds in which the head of a request comes, and its body [default: 30000]
    #[arg(long, value_name = "MS", env = "INTERMEZZO_REQUEST_MS")]
    request_ms: Option<u64>,
}

impl Serve {
    pub(crate) fn run(&self, context: &mut Context) -> Result<Exit, Failure> {
        let config = self.config()?;
        let log = match self.log {
            Log::Text => LogFormat::Text,
            Log::Json => LogFormat::Json,
        };
        let out = &mut context.out;
        let ran = intermezzo_server::run(config, bundled(), log, |address| {
            say!(out, "{GOOD}ready{GOOD:#} on http://{address}");
            out.flush();
        });
        ran.map_err(|error| Failure::new(Exit::Unreadable, error))?;
        Ok(Exit::Fine)
    }

    /// What the file says, unless a flag or the environment says otherwise.
    fn config(&self) -> Result<Config, Failure> {
        let mut config = read_config(self.config.as_deref())?;
        config.listen = self.listen.unwrap_or(config.listen);
        if self.memory {
            config.data = None;
        } else if let Some(data) = &self.data {
            config.data = Some(data.clone());
        }
        if self.memory || self.data.is_some() {
            config.database = None;
        } else if let Some(database) = &self.database {
            config.database = Some(database.as_str().into());
        }
        if let Some(nats) = &self.nats {
            config.nats = Some(nats.as_str().into());
        }
        if !self.origins.is_empty() {
            config.origins.clone_from(&self.origins);
        }
        if !self.trusted_proxies.is_empty() {
            config.trusted_proxies.clone_from(&self.trusted_proxies);
        }
        self.limits.add_to(&mut config.limits);
        Ok(config)
    }
}

impl LimitFlags {
    fn add_to(&self, limits: &mut Limits) {
        limits.message_bytes = self.message_bytes.unwrap_or(limits.message_bytes);
        limits.ruleset_bytes = self.ruleset_bytes.unwrap_or(limits.ruleset_bytes);
        limits.depth = self.depth.unwrap_or(limits.depth);
        limits.frames_per_second = self.frames_per_second.unwrap_or(limits.frames_per_second);
        limits.account_per_second = self.account_per_second.unwrap_or(limits.account_per_second);
        limits.address_per_second = self.address_per_second.unwrap_or(limits.address_per_second);
        limits.accounts_per_minute = self.accounts_per_minute.unwrap_or(limits.accounts_per_minute);
        limits.connections = self.connections.unwrap_or(limits.connections);
        limits.connections_per_address =
            self.connections_per_address.unwrap_or(limits.connections_per_address);
        limits.spectators = self.spectators.unwrap_or(limits.spectators);
        limits.hello_ms = self.hello_ms.unwrap_or(limits.hello_ms);
        limits.request_ms = self.request_ms.unwrap_or(limits.request_ms);
    }
}

/// The settings of a file; the usual ones without a file.
pub(crate) fn read_config(path: Option<&Path>) -> Result<Config, Failure> {
    let Some(path) = path else { return Ok(Config::default()) };
    let text = std::fs::read_to_string(path).map_err(|error| Failure::unread(path, error))?;
    Config::from_toml(&text).map_err(|error| Failure::usage(format!("`{}`: {error}", path.display())))
}

/// The rulesets that come with the program.
pub(crate) fn bundled() -> Bundled {
    let file = |(name, text): &(&str, &str)| ((*name).to_owned(), (*text).to_owned());
    let ruleset = |bundled: &crate::bundled::Bundled| {
        (bundled.name.to_owned(), bundled.files.iter().map(file).collect())
    };
    BUNDLED.iter().map(ruleset).collect()
}
