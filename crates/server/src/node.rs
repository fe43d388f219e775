//! A server without its sockets: everything that happens between a request and the store. Start with [`Node::start`].

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::http::{Method, Request, StatusCode, header};
use intermezzo_protocol::Problem;
use intermezzo_store::{MatchId, Store};
use serde_json::Value;
use tokio::sync::watch;
use tower::ServiceExt;

use crate::app::{App, HouseBooks};
use crate::bus::{Bus, NewsBox};
use crate::config::Config;
use crate::dev::{self, Dev};
use crate::house::{Bundle, Entropy, House};
use crate::inspection::Inspection;
use crate::neighbours::Neighbours;
use crate::outbox::{Inbox, Outbox};
use crate::room::Hub;
use crate::server::{Bundled, ServerError, metrics_handle};
use crate::ws::{Connection, Talker};
use crate::{alive, http, upkeep};

/// Who speaks to a node without a socket comes from here.
const NOWHERE: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);

/// A request as if it came by HTTP.
#[derive(Clone, Debug)]
pub struct Asked<'a> {
    /// `GET`, `POST` …
    pub method: Method,
    /// The path, with what is asked for after `?`.
    pub path: &'a str,
    /// Whose token it comes with.
    pub token: Option<&'a str>,
    /// Its `Idempotency-Key`.
    pub key: Option<&'a str>,
    /// Its body.
    pub body: Option<&'a Value>,
}

/// Other servers on the same store.
pub struct Company {
    /// The way to them.
    pub bus: Arc<dyn Bus>,
    /// What they tell.
    pub news: NewsBox,
}

/// A server without its sockets.
#[derive(Debug)]
pub struct Node {
    pub(crate) app: Arc<App>,
    pub(crate) router: Router,
    stop: watch::Sender<bool>,
}

impl Node {
    /// Starts a node on a store: alone, or as one of several.
    ///
    /// # Errors
    ///
    /// If the store takes nothing, or a bundled ruleset has errors.
    pub async fn start(
        store: Arc<dyn Store>,
        company: Option<Company>,
        entropy: Entropy,
        config: Config,
        bundled: Bundled,
    ) -> Result<Node, ServerError> {
        let house = Arc::new(House::with_entropy(Arc::clone(&store), entropy));
        house.publish_bundled(bundled).await?;
        Node::begin(store, company, house, config).await
    }

    /// The same with rulesets that are compiled already.
    ///
    /// # Errors
    ///
    /// If the store takes nothing.
    pub async fn start_with(
        store: Arc<dyn Store>,
        company: Option<Company>,
        entropy: Entropy,
        config: Config,
        bundle: &Bundle,
    ) -> Result<Node, ServerError> {
        let house = Arc::new(House::with_entropy(Arc::clone(&store), entropy));
        house.publish_bundle(bundle).await?;
        Node::begin(store, company, house, config).await
    }

    async fn begin(
        store: Arc<dyn Store>,
        company: Option<Company>,
        house: Arc<House>,
        config: Config,
    ) -> Result<Node, ServerError> {
        let metrics = metrics_handle()?;
        let dev = config.workshop.as_deref().map(Dev::open).transpose();
        let dev = dev.map_err(|error| ServerError::Workshop(error.to_string()))?.map(Arc::new);
        if let Some(dev) = &dev {
            dev::publish(&house, dev).await;
            dev::watch(dev);
        }
        let books = Arc::new(HouseBooks { house: Arc::clone(&house) });
        let (neighbours, news) = match company {
            Some(Company { bus, news }) => (Some(Neighbours::new(house.new_id()?, bus)), Some(news)),
            None => (None, None),
        };
        let absences = match &neighbours {
            Some(neighbours) => alive::absences_of_all(&store, neighbours.own).await?,
            None => alive::absences(&store).await?,
        };
        let hub = Hub::new(Arc::clone(&store), books, neighbours, absences, config.limits.spectators);
        if hub.neighbours.is_some() {
            alive::sign(&hub).await;
        }
        let app = Arc::new(App::new(config, store, house, hub, metrics, dev));
        let (stop, stopped) = watch::channel(false);
        upkeep::spawn(&app, &stopped);
        if let Some(news) = news {
            app.hub.tasks.spawn(upkeep::hear(Arc::clone(&app), news));
        }
        let router = http::router(&app);
        Ok(Node { app, router, stop })
    }

    /// Takes a request as if it had come by HTTP: status and body come back. What is not JSON comes back as a text.
    pub async fn request(&self, asked: &Asked<'_>) -> (StatusCode, Value) {
        let mut request = Request::builder().method(asked.method.clone()).uri(asked.path);
        if let Some(token) = asked.token {
            request = request.header(header::AUTHORIZATION, format!("Bearer {token}"));
        }
        if let Some(key) = asked.key {
            request = request.header("idempotency-key", key);
        }
        let body = match asked.body {
            Some(body) => {
                request = request.header(header::CONTENT_TYPE, "application/json");
                Body::from(body.to_string())
            }
            None => Body::empty(),
        };
        let nothing = |status| (status, Value::Null);
        let Ok(mut request) = request.body(body) else { return nothing(StatusCode::BAD_REQUEST) };
        request.extensions_mut().insert(ConnectInfo(SocketAddr::new(NOWHERE, 0)));
        let Ok(response) = self.router.clone().oneshot(request).await;
        let status = response.status();
        let Ok(bytes) = axum::body::to_bytes(response.into_body(), usize::MAX).await else {
            return nothing(status);
        };
        let text = String::from_utf8_lossy(&bytes);
        (status, serde_json::from_slice(&bytes).unwrap_or_else(|_| Value::from(text.as_ref())))
    }

    /// A line to the node as if it were a WebSocket.
    #[must_use]
    pub fn line(&self) -> Line {
        let (outbox, inbox) = Outbox::new();
        Line { talker: Connection::new(&self.app, outbox), inbox }
    }

    /// Goes through a match again, from what is stored.
    ///
    /// # Errors
    ///
    /// If there is no such match, it has not started, or a row is not what the rules make of it.
    pub async fn inspect(&self, id: MatchId) -> Result<Inspection, Problem> {
        Inspection::of(&self.app.house, &self.app.store, id).await
    }

    /// The house of this node.
    #[must_use]
    pub fn house(&self) -> &House {
        &self.app.house
    }

    /// Stops: nothing new is taken, everything taken is kept, connections are told.
    pub async fn stop(&self) {
        self.app.hub.drain().await;
        let _ = self.stop.send(true);
    }

    /// What comes after [`Node::stop`], when the connections are gone.
    pub async fn close(&self) {
        alive::sign_off(&self.app.hub).await;
        self.app.hub.tasks.end();
        self.app.store.close().await;
    }

    /// Ends everything the node is doing, wherever it is, as if its process were killed. What is on its way to the store may
    /// or may not arrive.
    pub fn crash(&self) {
        self.app.hub.tasks.end();
    }
}

/// A line to a node, as if it were a WebSocket.
pub struct Line {
    talker: Connection,
    inbox: Inbox,
}

impl Line {
    /// Says something; the node has taken it in when this returns.
    pub async fn say(&mut self, text: &str) {
        let _ = self.talker.heard(&text.into()).await;
    }

    /// The next frame; nothing if the node has hung up.
    pub async fn hear(&mut self) -> Option<String> {
        tokio::select! {
            biased;
            frame = self.inbox.frames.recv() => frame.map(|frame| frame.to_string()),
            _ = self.inbox.farewell.changed() => None,
        }
    }

    /// A frame that is there already.
    pub fn heard(&mut self) -> Option<String> {
        self.inbox.frames.try_recv().ok().map(|frame| frame.to_string())
    }

    /// Hangs up.
    pub async fn hang_up(mut self) {
        self.inbox.frames.close();
        self.talker.gone().await;
    }
}

impl std::fmt::Debug for Line {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Line").finish_non_exhaustive()
    }
}

impl std::fmt::Debug for Company {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Company").finish_non_exhaustive()
    }
}
