//! Starting and stopping a server. Start with [`Server::start`].

use std::net::SocketAddr;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use intermezzo_protocol::Problem;
use intermezzo_store::{
    MemoryStore, MonotonicClock, PostgresStore, SqliteStore, Store, SystemClock, TimeSource,
};
use metrics_exporter_prometheus::{PrometheusBuilder, PrometheusHandle};
use tokio::net::TcpListener;
use tokio::sync::{Notify, mpsc, watch};
use tokio::task::JoinHandle;

use crate::cluster::bus::SilentBus;
use crate::cluster::heartbeat;
use crate::cluster::nats::{self, BusError};
use crate::config::Config;
use crate::connections::listener;
use crate::node::{ClusterLink, Node};
use crate::operations::admin_socket::AdminSocket;
use crate::operations::measured_store::{self, MeasuredStore};
use crate::operations::metrics_listener::MetricsListener;
use crate::shards::Shards;
use intermezzo_services::Entropy;

/// Time for connections to finish when the server stops.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(5);

/// Bundled rulesets: the name, then name and text of each file.
pub type BundledRulesets = Vec<(String, Vec<(String, String)>)>;

/// A running server.
#[derive(Debug)]
pub struct Server {
    address: SocketAddr,
    node: Node,
    serving: JoinHandle<()>,
    metrics: Option<MetricsListener>,
    /// Dropped with the server, which removes the socket.
    _admin: Option<AdminSocket>,
    stop_requested: Arc<Notify>,
    stop: watch::Sender<bool>,
    /// They stop with the server.
    _shards: Shards,
}

/// The reason why a server cannot start.
#[derive(Debug, thiserror::Error)]
pub enum ServerError {
    /// A setting is invalid.
    #[error("{0}")]
    Config(String),
    #[error("the store cannot be opened: {0}")]
    Store(String),
    #[error("cannot use NATS: {0}")]
    Bus(String),
    #[error("cannot listen on {address}: {error}; choose another address with --listen")]
    Listen { address: SocketAddr, error: std::io::Error },
    #[error("cannot serve metrics on {address}: {error}; choose another address with --metrics-listen")]
    ListenForMetrics { address: SocketAddr, error: std::io::Error },
    /// The playground's folder cannot be opened.
    #[error("{0}")]
    Playground(String),
    /// A ruleset or a record is invalid.
    #[error(transparent)]
    Problem(#[from] Problem),
    #[error("cannot send traces: {0}")]
    Traces(String),
    #[error("cannot set up metrics: {0}")]
    Metrics(String),
    /// The operating system refused threads or signal handlers.
    #[error("cannot run: {0}")]
    Runtime(std::io::Error),
}

/// Opens the store that a configuration names.
///
/// # Errors
///
/// If it cannot be opened.
pub async fn open_store(config: &Config) -> Result<Arc<dyn Store>, ServerError> {
    if let Some(url) = &config.database {
        return match PostgresStore::open(url.reveal()).await {
            Ok(store) => Ok(Arc::new(store)),
            Err(error) => Err(ServerError::Store(error.to_string())),
        };
    }
    let clock = Arc::new(MonotonicClock::starting_at(&SystemClock));
    let time_source = Arc::clone(&clock) as Arc<dyn TimeSource>;
    let store: Arc<dyn Store> = match &config.data {
        None => Arc::new(MemoryStore::with_clock(time_source)),
        Some(folder) => match SqliteStore::open(folder, time_source) {
            Ok(store) => Arc::new(store),
            Err(error) => return Err(ServerError::Store(error.to_string())),
        },
    };
    if let Some(last) = heartbeat::last_heartbeat(&store).await? {
        clock.never_before(last);
    }
    Ok(store)
}

/// Connects to the other servers on a configuration's store; `None` if the store belongs to this one alone.
async fn cluster_link(config: &Config) -> Result<Option<ClusterLink>, ServerError> {
    match (&config.database, &config.nats) {
        (None, None) => Ok(None),
        (None, Some(_)) => {
            Err(ServerError::Bus("it connects servers on one database; use --database too".to_owned()))
        }
        (Some(_), None) => {
            let (_, notifications) = mpsc::channel(1);
            Ok(Some(ClusterLink { bus: Arc::new(SilentBus), notifications }))
        }
        (Some(_), Some(url)) => match nats::connect(url.reveal()).await {
            Ok(cluster) => Ok(Some(cluster)),
            Err(BusError(why)) => Err(ServerError::Bus(why)),
        },
    }
}

impl Server {
    /// Starts a server, which is ready when this returns.
    ///
    /// # Errors
    ///
    /// If the store cannot be opened, the address is in use, or a bundled ruleset has errors.
    pub async fn start(config: Config, rulesets: BundledRulesets) -> Result<Server, ServerError> {
        config.limits.check().map_err(ServerError::Config)?;
        let store = open_store(&config).await?;
        let cluster = cluster_link(&config).await?;
        Server::start_in_cluster(store, cluster, config, rulesets).await
    }

    /// Starts a server on a store that is already open.
    ///
    /// # Errors
    ///
    /// If the address is in use, or a bundled ruleset has errors.
    pub async fn start_with_store(
        store: Arc<dyn Store>,
        config: Config,
        rulesets: BundledRulesets,
    ) -> Result<Server, ServerError> {
        Server::start_in_cluster(store, None, config, rulesets).await
    }

    /// Starts one of several servers on a store.
    ///
    /// # Errors
    ///
    /// If the address is in use, or a bundled ruleset has errors.
    pub async fn start_in_cluster(
        store: Arc<dyn Store>,
        cluster: Option<ClusterLink>,
        config: Config,
        rulesets: BundledRulesets,
    ) -> Result<Server, ServerError> {
        let store = MeasuredStore::wrap(store);
        config.limits.check().map_err(ServerError::Config)?;
        let listening = TcpListener::bind(config.listen).await;
        let failed = |error| ServerError::Listen { address: config.listen, error };
        let listener = listening.map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        let metrics = match config.metrics_listen {
            Some(address) => Some(
                MetricsListener::start(address, metrics_handle()?)
                    .await
                    .map_err(|error| ServerError::ListenForMetrics { address, error })?,
            ),
            None => None,
        };
        let folder = config.data.clone().filter(|_| config.database.is_none());
        let shards = Shards::start().map_err(ServerError::Runtime)?;
        let mut node =
            Node::create(store, cluster, Entropy::system(), config, rulesets, shards.handles()).await?;
        let (stop, stopped) = watch::channel(false);
        let (app, router) = (Arc::clone(&node.app), node.router.clone());
        let serving = tokio::spawn(listener::serve(listener, app, router, stopped));
        if let Err(error) = node.finish_start().await {
            serving.abort();
            return Err(error);
        }
        let stop_requested = Arc::new(Notify::new());
        let admin = folder.and_then(|folder| {
            let socket = AdminSocket::start(&folder, &node.app, &stop_requested);
            socket
                .inspect_err(|error| tracing::warn!(%error, "`intermezzo admin` cannot reach this server"))
                .ok()
        });
        tracing::info!(%address, "ready");
        Ok(Server { address, node, serving, metrics, _admin: admin, stop_requested, stop, _shards: shards })
    }

    /// Returns the address it listens on.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns the address of its metrics, if it serves them.
    #[must_use]
    pub fn metrics_address(&self) -> Option<SocketAddr> {
        self.metrics.as_ref().map(|metrics| metrics.address)
    }

    /// Waits until an operator stops the server with `intermezzo admin stop`.
    pub async fn stop_requested(&self) {
        self.stop_requested.notified().await;
    }

    /// Stops the server: rejects new requests, makes accepted ones durable, and closes connections.
    pub async fn stop(self) {
        tracing::info!("stopping");
        self.node.stop().await;
        let _ = self.stop.send(true);
        let _ = tokio::time::timeout(SHUTDOWN_TIMEOUT, self.serving).await;
        self.node.close().await;
    }
}

/// Upper bounds of the buckets of all durations.
const BUCKET_SECONDS: [f64; 14] =
    [0.0001, 0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0];

/// Counters that alert rules watch. Prometheus computes no increase from nothing to one, so a counter that appears with its first
/// event would miss that event.
const WATCHED_COUNTERS: [&str; 6] = [
    "intermezzo_ended_matches_total",
    "intermezzo_failed_matches_total",
    "intermezzo_frames_total",
    "intermezzo_ledger_mismatches_total",
    "intermezzo_slow_connections_total",
    "intermezzo_sockets_refused_total",
];

fn start_counters_at_zero() {
    WATCHED_COUNTERS.into_iter().for_each(|name| metrics::counter!(name).increment(0));
    measured_store::start_failures_at_zero();
}

/// Returns the metrics of the process, which all its servers share.
pub(crate) fn metrics_handle() -> Result<PrometheusHandle, ServerError> {
    static HANDLE: OnceLock<Result<PrometheusHandle, String>> = OnceLock::new();
    // Fixed buckets instead of quantiles: they can be added up across servers.
    let install = || {
        let builder = PrometheusBuilder::new().set_buckets(&BUCKET_SECONDS);
        let handle =
            builder.and_then(PrometheusBuilder::install_recorder).map_err(|error| error.to_string())?;
        start_counters_at_zero();
        Ok(handle)
    };
    HANDLE.get_or_init(install).clone().map_err(ServerError::Metrics)
}
