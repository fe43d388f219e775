//! `intermezzo serve`: runs a match server until it receives a signal.

use std::net::{IpAddr, SocketAddr};
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use intermezzo_server::{Config, LogFormat, ServerLimits};

use crate::Context;
use crate::failure::{CliError, ExitStatus};
use crate::library::offered;
use crate::out::{GOOD, say};

#[derive(Args)]
#[command(after_help = "\
Settings also come from environment variables and a TOML file. Precedence: flag, environment
variable, config file, default.

Examples:
  intermezzo serve                                  on 127.0.0.1:8080, data in ./intermezzo-data
  intermezzo serve --listen 0.0.0.0:80 --data /var/lib/intermezzo --log json
  intermezzo serve --memory --listen 127.0.0.1:0    save nothing; any free port
  intermezzo serve --config intermezzo.toml --origin https://play.example.org
  intermezzo serve --rulesets my-games               offer the rulesets of a folder besides the built-in ones
  INTERMEZZO_LISTEN=0.0.0.0:9000 intermezzo serve
  intermezzo serve --database postgres://localhost/intermezzo --nats nats://localhost
                                                    one of any number of servers on one database

The address is printed when the server is ready. SIGINT or SIGTERM stops it: it accepts nothing new,
saves everything it has accepted, and notifies connected clients.")]
pub(crate) struct ServeArgs {
    /// Address to listen on [default: 127.0.0.1:8080]
    #[arg(long, value_name = "ADDR", env = "INTERMEZZO_LISTEN")]
    listen: Option<SocketAddr>,
    /// Serve Prometheus metrics on this address, for operators only [default: off]
    #[arg(long, value_name = "ADDR", env = "INTERMEZZO_METRICS_LISTEN")]
    metrics_listen: Option<SocketAddr>,
    /// Data folder [default: intermezzo-data]
    #[arg(long, value_name = "DIR", env = "INTERMEZZO_DATA", conflicts_with = "memory")]
    data: Option<PathBuf>,
    /// Use this PostgreSQL database instead of a folder; any number of servers can share it
    #[arg(long, value_name = "URL", env = "INTERMEZZO_DATABASE", hide_env_values = true, conflicts_with_all = ["memory", "data"])]
    database: Option<String>,
    /// NATS server for notifications between servers; without it they poll the database every second
    #[arg(long, value_name = "URL", env = "INTERMEZZO_NATS", hide_env_values = true)]
    nats: Option<String>,
    /// Save nothing: all data is lost when the server stops
    #[arg(long, env = "INTERMEZZO_MEMORY")]
    memory: bool,
    /// Read settings from this TOML file
    #[arg(long, value_name = "FILE", env = "INTERMEZZO_CONFIG")]
    config: Option<PathBuf>,
    /// Allow pages from this origin to connect, besides the server's own; `*` for all
    #[arg(long = "origin", value_name = "ORIGIN", value_delimiter = ',', env = "INTERMEZZO_ORIGINS")]
    origins: Vec<String>,
    /// Trust `X-Forwarded-For` from this address
    #[arg(
        long = "trusted-proxy",
        value_name = "IP",
        value_delimiter = ',',
        env = "INTERMEZZO_TRUSTED_PROXIES"
    )]
    trusted_proxies: Vec<IpAddr>,
    /// Format of the log on standard error; RUST_LOG sets the level
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = LogFormatArg::Text, env = "INTERMEZZO_LOG")]
    log: LogFormatArg,
    #[command(flatten)]
    limits: LimitFlags,
}

#[derive(Clone, Copy, ValueEnum)]
enum LogFormatArg {
    /// For people
    Text,
    /// One JSON object per line
    Json,
}

/// Limits of the server.
#[derive(Args)]
#[command(next_help_heading = "Limits")]
struct LimitFlags {
    /// Maximum bytes of a frame or request [default: 65536]
    #[arg(long, value_name = "N", env = "INTERMEZZO_MESSAGE_BYTES")]
    message_bytes: Option<usize>,
    /// Maximum bytes of a request that publishes a ruleset [default: 4194304]
    #[arg(long, value_name = "N", env = "INTERMEZZO_RULESET_BYTES")]
    ruleset_bytes: Option<usize>,
    /// Maximum nesting of lists and objects in a message [default: 32]
    #[arg(long, value_name = "N", env = "INTERMEZZO_DEPTH")]
    depth: Option<usize>,
    /// Frames per second and connection [default: 50]
    #[arg(long, value_name = "N", env = "INTERMEZZO_FRAMES_PER_SECOND")]
    frames_per_second: Option<u32>,
    /// Requests and frames per second and account [default: 100]
    #[arg(long, value_name = "N", env = "INTERMEZZO_ACCOUNT_PER_SECOND")]
    account_per_second: Option<u32>,
    /// Requests and connections per second and IP address [default: 200]
    #[arg(long, value_name = "N", env = "INTERMEZZO_ADDRESS_PER_SECOND")]
    address_per_second: Option<u32>,
    /// Sign-ups, logins and code attempts per minute and IP address [default: 30]
    #[arg(long, value_name = "N", env = "INTERMEZZO_ACCOUNTS_PER_MINUTE")]
    accounts_per_minute: Option<u32>,
    /// Connections in total [default: 20000]
    #[arg(long, value_name = "N", env = "INTERMEZZO_CONNECTIONS")]
    connections: Option<usize>,
    /// Connections per IP address [default: 2000]
    #[arg(long, value_name = "N", env = "INTERMEZZO_CONNECTIONS_PER_ADDRESS")]
    connections_per_address: Option<usize>,
    /// Spectators per match [default: 500]
    #[arg(long, value_name = "N", env = "INTERMEZZO_SPECTATORS")]
    spectators: Option<usize>,
    /// Milliseconds for a connection to authenticate [default: 30000]
    #[arg(long, value_name = "MS", env = "INTERMEZZO_HELLO_MS")]
    hello_ms: Option<u64>,
    /// Milliseconds for the head of a request, and for its body [default: 30000]
    #[arg(long, value_name = "MS", env = "INTERMEZZO_REQUEST_MS")]
    request_ms: Option<u64>,
}

impl ServeArgs {
    pub(crate) fn run(&self, context: &mut Context) -> Result<ExitStatus, CliError> {
        let config = self.config()?;
        let log = match self.log {
            LogFormatArg::Text => LogFormat::Text,
            LogFormatArg::Json => LogFormat::Json,
        };
        let rulesets = offered(context.has_chosen_rulesets.then_some(context.rulesets.as_path()))?;
        let out = &mut context.out;
        let ran = intermezzo_server::run(config, rulesets, log, |address| {
            say!(out, "{GOOD}ready{GOOD:#} on http://{address}");
            out.flush();
        });
        ran.map_err(|error| CliError::new(ExitStatus::Io, error))?;
        Ok(ExitStatus::Success)
    }

    /// Combines the config file with flags and environment variables.
    fn config(&self) -> Result<Config, CliError> {
        let mut config = read_config(self.config.as_deref())?;
        config.listen = self.listen.unwrap_or(config.listen);
        config.metrics_listen = self.metrics_listen.or(config.metrics_listen);
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
    fn add_to(&self, limits: &mut ServerLimits) {
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

/// Reads a config file; the defaults without one.
pub(crate) fn read_config(path: Option<&Path>) -> Result<Config, CliError> {
    let Some(path) = path else { return Ok(Config::default()) };
    let text = std::fs::read_to_string(path).map_err(|error| CliError::cannot_read(path, error))?;
    Config::from_toml(&text).map_err(|error| CliError::usage(format!("`{}`: {error}", path.display())))
}
