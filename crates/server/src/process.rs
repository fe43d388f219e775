//! The server process: logging, runtime, and signals.

use std::net::SocketAddr;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use tokio::signal::unix::{SignalKind, signal};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{EnvFilter, Layer, Registry};

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
    let traces = init_logging(log, &config)?;
    raise_file_limit(config.limits.connections);
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let runtime = runtime.map_err(ServerError::Runtime)?;
    let result = runtime.block_on(async {
        // Registered before the start, so that signals during the start are not lost.
        let mut interrupt = signal(SignalKind::interrupt()).map_err(ServerError::Runtime)?;
        let mut terminate = signal(SignalKind::terminate()).map_err(ServerError::Runtime)?;
        let server = Server::start(config, rulesets).await?;
        ready(server.address());
        tokio::select! {
            _ = interrupt.recv() => tracing::info!("interrupted"),
            _ = terminate.recv() => tracing::info!("terminated"),
            () = server.stop_requested() => tracing::info!("stopped by an operator"),
        }
        tokio::select! {
            () = server.stop() => {}
            _ = interrupt.recv() => tracing::warn!("interrupted again: exiting immediately"),
        }
        Ok(())
    });
    trace_export::finish(traces);
    result
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

/// Starts the log and, if configured, the export of traces, which runs until the returned value is dropped.
fn init_logging(format: LogFormat, config: &Config) -> Result<trace_export::Guard, ServerError> {
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new(DEFAULT_LOG_FILTER));
    let log = tracing_subscriber::fmt::layer().with_writer(std::io::stderr);
    let log = match format {
        LogFormat::Text => log.with_filter(filter).boxed(),
        LogFormat::Json => log.json().with_filter(filter).boxed(),
    };
    trace_export::start(log, config.otlp.as_deref())
}

#[cfg(feature = "otlp")]
mod trace_export {
    use super::{Layer, Registry, ServerError, SubscriberExt, SubscriberInitExt};
    use intermezzo_telemetry::TraceExport;

    pub(super) type Guard = Option<TraceExport>;

    pub(super) fn start(
        log: Box<dyn Layer<Registry> + Send + Sync>,
        collector: Option<&str>,
    ) -> Result<Guard, ServerError> {
        let export = collector.map(TraceExport::start).transpose();
        let export = export.map_err(|error| ServerError::Traces(error.to_string()))?;
        let traces = export.as_ref().map(TraceExport::layer);
        // An embedding program may already have a logger.
        let _ = tracing_subscriber::registry().with(log).with(traces).try_init();
        Ok(export)
    }

    /// Sends the last spans.
    pub(super) fn finish(export: Guard) {
        drop(export);
    }
}

#[cfg(not(feature = "otlp"))]
mod trace_export {
    use super::{Layer, Registry, ServerError, SubscriberExt, SubscriberInitExt};

    /// Nothing is exported.
    pub(super) struct Guard;

    pub(super) fn start(
        log: Box<dyn Layer<Registry> + Send + Sync>,
        collector: Option<&str>,
    ) -> Result<Guard, ServerError> {
        if collector.is_some() {
            let reason = "this program was built without OpenTelemetry; build it with `--features otlp`";
            return Err(ServerError::Traces(reason.to_owned()));
        }
        // An embedding program may already have a logger.
        let _ = tracing_subscriber::registry().with(log).try_init();
        Ok(Guard)
    }

    pub(super) fn finish(_: Guard) {}
}
