//! The HTTP API: routes, middleware, and the OpenAPI and AsyncAPI documents.
//!
//! All operations are in one table ([`routes::all`]); the router and the OpenAPI document are generated from it.
//! [`middleware`] authenticates and checks each request, calls its handler and converts the result to a response.

mod asyncapi;
mod body;
mod byte_cache;
mod call;
mod event_stream;
mod headers;
mod middleware;
mod openapi;
mod page;
mod param;
pub(crate) mod replay_cache;
mod reply;
mod request_id;
mod response_budget;
mod route;
mod routes;
mod schemas;

use std::net::SocketAddr;
use std::sync::{Arc, OnceLock};

use axum::Router;
use axum::body::Bytes;
use axum::extract::{ConnectInfo, Path, State};
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse, Response};
use intermezzo_protocol::{Code, Problem};

use crate::app::App;
use crate::connections::custom_messages;
use crate::connections::websocket;

pub(crate) use body::parse_message;
pub(crate) use middleware::{bearer_token, check_origin, client_address};
pub(crate) use reply::problem_response;

/// State shared by all requests.
pub(crate) struct ApiState {
    pub(crate) app: Arc<App>,
    pub(crate) replays: replay_cache::ReplayCache,
    pub(crate) logs: byte_cache::ByteCache<intermezzo_store::MatchId>,
    /// Schemas and tables by path and hash of the ruleset.
    pub(crate) ruleset_texts: byte_cache::ByteCache<(&'static str, String)>,
    responses: Arc<response_budget::ResponseBudget>,
    /// The OpenAPI and AsyncAPI documents, written when somebody asks: a start must not wait for them.
    openapi: OnceLock<Bytes>,
    asyncapi: OnceLock<Bytes>,
}

impl ApiState {
    pub(crate) fn openapi(&self) -> Bytes {
        let write = || match self.app.playground {
            Some(_) => dev_openapi_document(),
            None => openapi_document(),
        };
        self.openapi.get_or_init(|| write().to_string().into()).clone()
    }

    pub(crate) fn asyncapi(&self) -> Bytes {
        self.asyncapi.get_or_init(|| asyncapi_document().to_string().into()).clone()
    }
}

/// Returns the router for the whole server, including the WebSockets.
pub(crate) fn router(app: &Arc<App>) -> Router {
    let routes = if app.playground.is_some() { routes::with_playground() } else { routes::all() };
    let api = ApiState {
        app: Arc::clone(app),
        replays: replay_cache::ReplayCache::default(),
        logs: byte_cache::ByteCache::default(),
        ruleset_texts: byte_cache::ByteCache::default(),
        responses: Arc::default(),
        openapi: OnceLock::new(),
        asyncapi: OnceLock::new(),
    };
    let others: Router<Arc<App>> = Router::new()
        .route("/page/{*path}", axum::routing::get(page_file).fallback(reject_other_methods))
        .route("/ws", axum::routing::get(websocket::connect).fallback(reject_other_methods))
        .route("/ws/{ruleset}", axum::routing::get(custom_messages::connect).fallback(reject_other_methods))
        .route_layer(axum::middleware::from_fn_with_state(Arc::clone(app), middleware::handle_other));
    middleware::router(&Arc::new(api), routes).merge(others).with_state(Arc::clone(app))
}

async fn page_file(
    State(app): State<Arc<App>>,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    Path(path): Path<String>,
    request_headers: HeaderMap,
) -> Response {
    let mut response = match app.rate_limits.check_address(client_address(&app, peer, &request_headers)) {
        Ok(()) => page::file(&path, &request_headers),
        Err(problem) => problem_response(&problem),
    };
    headers::add_defaults(response.headers_mut(), None);
    response
}

async fn reject_other_methods() -> Response {
    let problem = Problem::new(Code::WrongMethod, "allowed methods: GET");
    ([(header::ALLOW, "GET")], problem_response(&problem)).into_response()
}

/// Returns the OpenAPI document of all operations.
#[must_use]
pub fn openapi_document() -> serde_json::Value {
    openapi::document(&routes::all())
}

/// Returns the OpenAPI document of a server with a playground.
#[must_use]
pub fn dev_openapi_document() -> serde_json::Value {
    openapi::document(&routes::with_playground())
}

/// Returns the AsyncAPI document of the WebSocket.
#[must_use]
pub fn asyncapi_document() -> serde_json::Value {
    asyncapi::document()
}
