//! The server process: logging, runtime, and signals.

use std::net::SocketAddr;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use tokio::signal::unix::{SignalKind, signal};
use tracing_subscriber::EnvFilter;

use crate::config::Config;
use crate::server::{BundledRulesets, Server, ServerError};

/// Format of the log on standard error.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LogFormat {
    /// Human-readable text.
    Text,
    /// One JSON object per line.
    Json,
}

/// Log filter unless `RUST_LOG` is set.
const DEFAULT_LOG_FILTER: &str = "info";

/// Runs a server until the process receives SIGINT or SIGTERM. Calls `ready` once, when it listens.
///
/// # Errors
///
/// If it cannot start.
pub fn run(
    config: Config,
    rulesets: BundledRulesets,
    log: LogFormat,
    ready: impl FnOnce(SocketAddr),
) -> Result<(), ServerError> {
    init_logging(log);
    raise_file_limit(config.limits.connections);
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let runtime = runtime.map_err(ServerError::Runtime)?;
    runtime.block_on(async {
        // Registered before the start, so that signals during the start are not lost.
        let mut interrupt = signal(SignalKind::interrupt()).map_err(ServerError::Runtime)?;
        let mut terminate = signal(SignalKind::terminate()).map_err(ServerError::Runtime)?;
        let server = Server::start(config, rulesets).await?;
        ready(server.address());
        tokio::select! {
            _ = interrupt.recv() => tracing::info!("interrupted"),
            _ = terminate.recv() => tracing::info!("terminated"),
        }
        tokio::select! {
            () = server.stop() => {}
            _ = interrupt.recv() => tracing::warn!("interrupted again: exiting immediately"),
        }
        Ok(())
    })
}

/// Files besides connections: the database, its log, the log, timers.
const SPARE_FILES: u64 = 300;

/// Allows this process as many open files as the system permits, and warns if those are too few.
fn raise_file_limit(connections: usize) {
    let limit = getrlimit(Resource::Nofile);
    let wanted = connections as u64 + SPARE_FILES;
    let _ = setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, maximum: limit.maximum });
    let allowed = getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX);
    if allowed < wanted {
        tracing::warn!(
            allowed,
            wanted,
            "too few open files are allowed for `--connections`; raise the limit (`ulimit -n`, `LimitNOFILE`)"
        );
    }
}

fn init_logging(format: LogFormat) {
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new(DEFAULT_LOG_FILTER));
    let log = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr);
    // An embedding program may already have a logger.
    let _ = match format {
        LogFormat::Text => log.try_init(),
        LogFormat::Json => log.json().try_init(),
    };
}
