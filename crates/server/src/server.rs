//! Starting and stopping. Start with [`Server::start`].

use std::fmt;
use std::net::SocketAddr;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use intermezzo_protocol::Problem;
use intermezzo_store::{Clock, Memory, Postgres, Sqlite, Store, SystemClock};
use metrics_exporter_prometheus::{PrometheusBuilder, PrometheusHandle};
use tokio::net::TcpListener;
use tokio::sync::{mpsc, watch};
use tokio::task::JoinHandle;

use crate::bus::Silence;
use crate::config::Config;
use crate::house::Entropy;
use crate::nats::{self, NoBus};
use crate::node::{Company, Node};
use crate::sockets;

/// Connections get so long to finish when the server stops.
const FAREWELL: Duration = Duration::from_secs(5);

/// Rulesets that come with the program: name, then name and text of each file.
pub type Bundled = Vec<(String, Vec<(String, String)>)>;

/// A server that is running.
#[derive(Debug)]
pub struct Server {
    address: SocketAddr,
    node: Node,
    serving: JoinHandle<()>,
    stop: watch::Sender<bool>,
}

/// Why a server cannot start.
#[derive(Debug)]
pub enum ServerError {
    /// The store cannot be opened.
    Store(String),
    /// The other servers cannot be reached.
    Bus(String),
    /// Nothing can listen there.
    Listen {
        /// Where.
        address: SocketAddr,
        /// Why not.
        error: std::io::Error,
    },
    /// There is no ruleset to work on.
    Workshop(String),
    /// A ruleset or a record is no good.
    Problem(Problem),
    /// The metrics cannot be set up.
    Metrics(String),
    /// The machine gives no threads or signals.
    Runtime(std::io::Error),
}

impl fmt::Display for ServerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ServerError::Store(error) => write!(f, "the store cannot be opened: {error}"),
            ServerError::Bus(error) => write!(f, "NATS cannot be used: {error}"),
            ServerError::Listen { address, error } => {
                write!(f, "cannot listen on {address}: {error}; choose another address with --listen")
            }
            ServerError::Workshop(error) => f.write_str(error),
            ServerError::Problem(problem) => problem.fmt(f),
            ServerError::Metrics(error) => write!(f, "metrics cannot be set up: {error}"),
            ServerError::Runtime(error) => write!(f, "cannot run: {error}"),
        }
    }
}

impl std::error::Error for ServerError {}

impl From<Problem> for ServerError {
    fn from(problem: Problem) -> ServerError {
        ServerError::Problem(problem)
    }
}

/// The store a configuration names.
///
/// # Errors
///
/// If it cannot be opened.
pub async fn open_store(config: &Config) -> Result<Arc<dyn Store>, ServerError> {
    let clock: Arc<dyn Clock> = Arc::new(SystemClock);
    if let Some(url) = &config.database {
        return match Postgres::open(url.reveal()).await {
            Ok(store) => Ok(Arc::new(store)),
            Err(error) => Err(ServerError::Store(error.to_string())),
        };
    }
    match &config.data {
        None => Ok(Arc::new(Memory::with_clock(clock))),
        Some(folder) => match Sqlite::open(folder, clock) {
            Ok(store) => Ok(Arc::new(store)),
            Err(error) => Err(ServerError::Store(error.to_string())),
        },
    }
}

/// The other servers that may be on a configuration's store; nothing if it is this one's alone.
async fn company(config: &Config) -> Result<Option<Company>, ServerError> {
    match (&config.database, &config.nats) {
        (None, None) => Ok(None),
        (None, Some(_)) => {
            Err(ServerError::Bus("it wakes servers on one database; use --database, too".to_owned()))
        }
        (Some(_), None) => {
            let (_, news) = mpsc::channel(1);
            Ok(Some(Company { bus: Arc::new(Silence), news }))
        }
        (Some(_), Some(url)) => match nats::join(url.reveal()).await {
            Ok(company) => Ok(Some(company)),
            Err(NoBus(why)) => Err(ServerError::Bus(why)),
        },
    }
}

impl Server {
    /// Starts a server; it is ready when this returns.
    ///
    /// # Errors
    ///
    /// If the store cannot be opened, the address is taken, or a bundled ruleset has errors.
    pub async fn start(config: Config, bundled: Bundled) -> Result<Server, ServerError> {
        let store = open_store(&config).await?;
        let company = company(&config).await?;
        Server::start_among(store, company, config, bundled).await
    }

    /// The same on a store that is open already.
    ///
    /// # Errors
    ///
    /// If the address is taken, or a bundled ruleset has errors.
    pub async fn start_on(
        store: Arc<dyn Store>,
        config: Config,
        bundled: Bundled,
    ) -> Result<Server, ServerError> {
        Server::start_among(store, None, config, bundled).await
    }

    /// The same as one of several servers on that store.
    ///
    /// # Errors
    ///
    /// If the address is taken, or a bundled ruleset has errors.
    pub async fn start_among(
        store: Arc<dyn Store>,
        company: Option<Company>,
        config: Config,
        bundled: Bundled,
    ) -> Result<Server, ServerError> {
        let listening = TcpListener::bind(config.listen).await;
        let failed = |error| ServerError::Listen { address: config.listen, error };
        let listener = listening.map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        let node = Node::start(store, company, Entropy::system(), config, bundled).await?;
        let (stop, stopped) = watch::channel(false);
        let (app, router) = (Arc::clone(&node.app), node.router.clone());
        let serving = tokio::spawn(sockets::serve(listener, app, router, stopped));
        tracing::info!(%address, "ready");
        Ok(Server { address, node, serving, stop })
    }

    /// Where it listens.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Stops: nothing new is taken, everything taken is kept, connections are told.
    pub async fn stop(self) {
        tracing::info!("stopping");
        self.node.stop().await;
        let _ = self.stop.send(true);
        let _ = tokio::time::timeout(FAREWELL, self.serving).await;
        self.node.close().await;
    }
}

/// Metrics are the process's, however many servers run in it.
pub(crate) fn metrics_handle() -> Result<PrometheusHandle, ServerError> {
    static HANDLE: OnceLock<Result<PrometheusHandle, String>> = OnceLock::new();
    let install = || PrometheusBuilder::new().install_recorder().map_err(|error| error.to_string());
    HANDLE.get_or_init(install).clone().map_err(ServerError::Metrics)
}
