//! A server as a process: its log, its runtime, and the signals that end it.

use std::net::SocketAddr;

use tokio::signal::unix::{SignalKind, signal};
use tracing_subscriber::EnvFilter;

use crate::config::Config;
use crate::server::{Bundled, Server, ServerError};

/// How the log is written, to standard error.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LogFormat {
    /// For people.
    Text,
    /// For programs: one JSON object in each line.
    Json,
}

/// What is logged unless `RUST_LOG` says otherwise.
const USUAL_LOG: &str = "info";

/// Runs a server until the process is told to end (SIGINT or SIGTERM). `ready` is called once, as soon as it listens.
///
/// # Errors
///
/// If it cannot start.
pub fn run(
    config: Config,
    bundled: Bundled,
    log: LogFormat,
    ready: impl FnOnce(SocketAddr),
) -> Result<(), ServerError> {
    start_log(log);
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let runtime = runtime.map_err(ServerError::Runtime)?;
    runtime.block_on(async {
        // From here on signals are heard, even those that come while the server starts.
        let mut interrupt = signal(SignalKind::interrupt()).map_err(ServerError::Runtime)?;
        let mut terminate = signal(SignalKind::terminate()).map_err(ServerError::Runtime)?;
        let server = Server::start(config, bundled).await?;
        ready(server.address());
        tokio::select! {
            _ = interrupt.recv() => tracing::info!("interrupted"),
            _ = terminate.recv() => tracing::info!("told to end"),
        }
        tokio::select! {
            () = server.stop() => {}
            _ = interrupt.recv() => tracing::warn!("interrupted again: not waiting any longer"),
        }
        Ok(())
    })
}

fn start_log(format: LogFormat) {
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new(USUAL_LOG));
    let log = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr);
    // Another one may have been set up already, by whoever runs this in a program of their own.
    let _ = match format {
        LogFormat::Text => log.try_init(),
        LogFormat::Json => log.json().try_init(),
    };
}
