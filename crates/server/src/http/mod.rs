//! The HTTP side: resources, their documents, and everything that is refused at the door.
//!
//! All operations stand in one table ([`routes::all`]); both the router and the OpenAPI document are made from it.
//! [`door`] leads a request to its handler and turns what comes back into a response.

mod asyncapi;
mod body;
mod call;
mod door;
mod headers;
mod openapi;
mod page;
mod param;
pub(crate) mod replaying;
mod reply;
mod route;
mod routes;
mod schemas;
mod shapes;
mod watching;

use std::net::SocketAddr;
use std::sync::Arc;

use axum::Router;
use axum::extract::{ConnectInfo, Path, State};
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse, Response};
use intermezzo_protocol::{Code, Problem};
use tokio::sync::Semaphore;

use crate::app::App;
use crate::{messages, ws};

pub(crate) use door::{address, check_origin};
pub(crate) use reply::refused;

/// Matches that are gone through again at a time, for those who look at what has happened.
const RELIVED_AT_ONCE: usize = 2;

/// What all requests share.
pub(crate) struct Api {
    pub(crate) app: Arc<App>,
    pub(crate) reliving: Semaphore,
    pub(crate) replays: replaying::Replays,
    openapi: String,
    asyncapi: String,
}

/// The router of everything, the WebSockets included.
pub(crate) fn router(app: &Arc<App>) -> Router {
    let routes = if app.dev.is_some() { routes::with_dev() } else { routes::all() };
    let api = Api {
        app: Arc::clone(app),
        reliving: Semaphore::new(RELIVED_AT_ONCE),
        replays: replaying::Replays::default(),
        openapi: openapi::document(&routes).to_string(),
        asyncapi: asyncapi::document().to_string(),
    };
    door::router(&Arc::new(api), routes)
        .route("/page/{*path}", axum::routing::get(page_file).fallback(only_get))
        .route("/ws", axum::routing::get(ws::connect).fallback(only_get))
        .route("/ws/{ruleset}", axum::routing::get(messages::connect).fallback(only_get))
        .with_state(Arc::clone(app))
}

async fn page_file(
    State(app): State<Arc<App>>,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    Path(path): Path<String>,
    asked: HeaderMap,
) -> Response {
    let mut response = match app.throttle.address(address(&app, peer, &asked)) {
        Ok(()) => page::file(&path, &asked),
        Err(problem) => refused(&problem),
    };
    headers::add(response.headers_mut(), None);
    response
}

async fn only_get() -> Response {
    let problem = Problem::new(Code::WrongMethod, "only GET can be done here");
    ([(header::ALLOW, "GET")], refused(&problem)).into_response()
}

/// The OpenAPI document of all operations.
#[must_use]
pub fn openapi_document() -> serde_json::Value {
    openapi::document(&routes::all())
}

/// The OpenAPI document of a server with a workshop: all operations, and those of the workshop.
#[must_use]
pub fn dev_openapi_document() -> serde_json::Value {
    openapi::document(&routes::with_dev())
}

/// The AsyncAPI document of the WebSocket.
#[must_use]
pub fn asyncapi_document() -> serde_json::Value {
    asyncapi::document()
}
