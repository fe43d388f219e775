//! A server without its sockets: everything between a request and the store. Start with [`Node::start_with_bundle`].

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::http::{Method, Request, StatusCode, header};
use intermezzo_protocol::{Problem, WireVersion};
use intermezzo_store::{MatchId, Store};
use serde_json::Value;
use tokio::sync::watch;
use tower::ServiceExt;

use crate::app::{App, ServiceRecords};
use crate::cluster::bus::{Bus, NotificationReceiver};
use crate::cluster::heartbeat;
use crate::cluster::peers::ClusterPeers;
use crate::config::Config;
use crate::connections::outbox::{Inbox, InboxItem, Outbox};
use crate::connections::websocket::{ConnectionHandler, FrameConnection};
use crate::http;
use crate::match_task::{BotThreads, MatchPool, MatchRegistry};
use crate::operations::background_jobs;
use crate::operations::replay_audit::ReplayAudit;
use crate::playground::{self, Playground};
use crate::server::{BundledRulesets, ServerError, metrics_handle};
use crate::shards::ShardHandles;
use crate::tasks::{StopSwitch, TaskSet};
use intermezzo_services::{Entropy, RulesetBundle, Services};

/// Address of clients without a socket.
const LOCAL_ADDRESS: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);

/// A request as if it came over HTTP.
#[derive(Clone, Debug)]
pub struct LocalRequest<'a> {
    pub method: Method,
    /// Path with query string.
    pub path: &'a str,
    pub token: Option<&'a str>,
    /// Value of the `Idempotency-Key` header.
    pub idempotency_key: Option<&'a str>,
    pub body: Option<&'a Value>,
}

/// The link to other servers on the same store.
pub struct ClusterLink {
    pub bus: Arc<dyn Bus>,
    pub notifications: NotificationReceiver,
}

/// A server without its sockets.
#[derive(Debug)]
pub struct Node {
    pub(crate) app: Arc<App>,
    pub(crate) router: Router,
    stop: watch::Sender<bool>,
    /// Notifications from other servers, until something receives them.
    notifications: Option<NotificationReceiver>,
}

impl Node {
    /// Creates a node on a store, alone or as one of several. It is up after [`Node::finish_start`].
    ///
    /// # Errors
    ///
    /// If the store does not accept writes, or a bundled ruleset has errors.
    pub(crate) async fn create(
        store: Arc<dyn Store>,
        cluster: Option<ClusterLink>,
        entropy: Entropy,
        config: Config,
        rulesets: BundledRulesets,
        shards: ShardHandles,
    ) -> Result<Node, ServerError> {
        let services = Services::with_entropy(Arc::clone(&store), entropy);
        let services = Arc::new(services.with_limits(config.limits.service_limits()));
        services.publish_bundled(rulesets).await?;
        Node::prepare(store, cluster, services, config, (TaskSet::default(), shards)).await
    }

    /// Starts a node with rulesets that are already compiled. Its tasks run only while the switch lets them.
    ///
    /// # Errors
    ///
    /// If the store does not accept writes.
    pub async fn start_with_bundle(
        store: Arc<dyn Store>,
        cluster: Option<ClusterLink>,
        entropy: Entropy,
        config: Config,
        (bundle, switch): (&RulesetBundle, StopSwitch),
    ) -> Result<Node, ServerError> {
        let services = Services::with_entropy(Arc::clone(&store), entropy);
        let services = Arc::new(services.with_limits(config.limits.service_limits()));
        services.publish_bundle(bundle).await?;
        let tasks = TaskSet::with_switch(switch);
        // Tests choose the order in which tasks run, so all run on one thread.
        let placement = (tasks, ShardHandles::default());
        let mut node = Node::prepare(store, cluster, services, config, placement).await?;
        node.finish_start().await?;
        Ok(node)
    }

    async fn prepare(
        store: Arc<dyn Store>,
        cluster: Option<ClusterLink>,
        services: Arc<Services>,
        config: Config,
        (tasks, shards): (TaskSet, ShardHandles),
    ) -> Result<Node, ServerError> {
        metrics_handle()?;
        let playground = config.playground.as_deref().map(Playground::open).transpose();
        let playground =
            playground.map_err(|error| ServerError::Playground(error.to_string()))?.map(Arc::new);
        if let Some(playground) = &playground {
            playground::publish_ruleset(&services, playground).await;
            playground::watch(playground);
        }
        let records = Arc::new(ServiceRecords { services: Arc::clone(&services) });
        let (peers, notifications) = match cluster {
            Some(ClusterLink { bus, notifications }) => {
                (Some(ClusterPeers::new(services.new_id()?, bus)), Some(notifications))
            }
            None => (None, None),
        };
        if peers.is_none() {
            heartbeat::forget_old_stops(&store).await?;
        }
        let before_start =
            (heartbeat::read_downtimes(&store).await?, heartbeat::last_heartbeat(&store).await?);
        let input_limit = Duration::from_millis(config.limits.input_ms);
        let threads = services.background_threads();
        let match_pool = MatchPool::new(services.is_deterministic(), input_limit, threads.clone());
        let registry = MatchRegistry::new(
            Arc::clone(&store),
            records,
            peers,
            before_start,
            config.limits.spectators,
            (match_pool, BotThreads::new(threads)),
            (tasks, shards),
        );
        let app = Arc::new(App::new(config, store, services, registry, playground));
        let (stop, _) = watch::channel(false);
        let router = http::router(&app);
        Ok(Node { app, router, stop, notifications })
    }

    /// Records the downtime that ends now and starts the background jobs. Call this when the node takes requests: the
    /// time until then is charged to nobody, and no deadline expires before.
    ///
    /// # Errors
    ///
    /// If the store does not accept writes.
    pub(crate) async fn finish_start(&mut self) -> Result<(), ServerError> {
        heartbeat::finish_start(&self.app.registry).await?;
        background_jobs::spawn(&self.app, &self.stop.subscribe());
        if let Some(notifications) = self.notifications.take() {
            let receiving = background_jobs::receive_notifications(Arc::clone(&self.app), notifications);
            self.app.registry.tasks.spawn(receiving);
        }
        Ok(())
    }

    /// Handles a request as if it came over HTTP. Returns the status and the body, which is a string if it is
    /// not JSON.
    pub async fn request(&self, local: &LocalRequest<'_>) -> (StatusCode, Value) {
        let mut request = Request::builder().method(local.method.clone()).uri(local.path);
        if let Some(token) = local.token {
            request = request.header(header::AUTHORIZATION, format!("Bearer {token}"));
        }
        if let Some(key) = local.idempotency_key {
            request = request.header("idempotency-key", key);
        }
        let body = match local.body {
            Some(body) => {
                request = request.header(header::CONTENT_TYPE, "application/json");
                Body::from(body.to_string())
            }
            None => Body::empty(),
        };
        let nothing = |status| (status, Value::Null);
        let Ok(mut request) = request.body(body) else { return nothing(StatusCode::BAD_REQUEST) };
        request.extensions_mut().insert(ConnectInfo(SocketAddr::new(LOCAL_ADDRESS, 0)));
        let Ok(response) = self.router.clone().oneshot(request).await;
        let status = response.status();
        let Ok(bytes) = axum::body::to_bytes(response.into_body(), usize::MAX).await else {
            return nothing(status);
        };
        let text = String::from_utf8_lossy(&bytes);
        (status, serde_json::from_slice(&bytes).unwrap_or_else(|_| Value::from(text.as_ref())))
    }

    /// Opens a connection as if it were a WebSocket.
    #[must_use]
    pub fn connect(&self) -> LocalConnection {
        let (outbox, inbox) = Outbox::new();
        LocalConnection {
            connection: FrameConnection::new(&self.app, outbox, LOCAL_ADDRESS, WireVersion::default()),
            inbox,
        }
    }

    /// Replays a match from the store and compares every row.
    ///
    /// # Errors
    ///
    /// If the match does not exist or has not started, or a row does not follow from the rules.
    pub async fn audit_match(&self, id: MatchId) -> Result<ReplayAudit, Problem> {
        ReplayAudit::run(&self.app.services, &self.app.store, id).await
    }

    #[must_use]
    pub fn services(&self) -> &Services {
        &self.app.services
    }

    /// Stops the node: rejects new requests, makes accepted ones durable, and closes connections.
    pub async fn stop(&self) {
        self.app.registry.drain().await;
        let _ = self.stop.send(true);
    }

    /// Finishes after [`Node::stop`], when the connections are closed.
    pub async fn close(&self) {
        heartbeat::announce_shutdown(&self.app.registry).await;
        self.app.registry.tasks.abort_all();
        self.app.store.close().await;
    }

    /// Aborts everything at once, as if the process were killed. Commits in flight may or may not arrive.
    pub fn crash(&self) {
        self.app.registry.tasks.abort_all();
    }
}

/// A connection to a node, as if it were a WebSocket.
pub struct LocalConnection {
    connection: FrameConnection,
    inbox: Inbox,
}

impl LocalConnection {
    /// Sends a frame; the node has handled it when this returns.
    pub async fn send(&mut self, text: &str) {
        let _ = self.connection.on_text(text).await;
    }

    /// Waits for the next frame; `None` if the node has closed the connection.
    pub async fn receive(&mut self) -> Option<String> {
        match self.inbox.next().await {
            InboxItem::Frame(frame) => Some(frame.text.to_string()),
            InboxItem::End(_) => None,
        }
    }

    /// Returns a frame that has already arrived.
    pub fn try_receive(&mut self) -> Option<String> {
        self.inbox.try_next().map(|frame| frame.text.to_string())
    }

    pub async fn close(mut self) {
        self.inbox.close();
        self.connection.on_close().await;
    }
}

impl std::fmt::Debug for LocalConnection {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LocalConnection").finish_non_exhaustive()
    }
}

impl std::fmt::Debug for ClusterLink {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ClusterLink").finish_non_exhaustive()
    }
}
