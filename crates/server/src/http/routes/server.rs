//! The server itself: health and API documents.

use std::sync::Arc;

use intermezzo_protocol::resources::{Health, ServerInfo};
use intermezzo_protocol::{Code, Problem};
use serde_json::{Map, Value};

use super::super::call::Call;
use super::super::page;
use super::super::reply::HttpReply;
use super::super::route::Route;

pub(crate) fn routes() -> Vec<Route> {
    let routes = vec![
        Route::get(
            "/",
            "Returns the web client to browsers, and information about the server to others",
            |call| Box::pin(index(call)),
        )
        .returns::<ServerInfo>(200)
        .returns_media("text/html; charset=utf-8"),
        Route::get("/healthz", "Returns ok while the process is running", |call| Box::pin(health(call)))
            .returns::<Health>(200)
            .while_draining(),
        Route::get(
            "/readyz",
            "Returns ok while the server accepts requests and its store accepts writes",
            |call| Box::pin(ready(call)),
        )
        .returns::<Health>(200)
        .codes(&[Code::Draining, Code::Busy])
        .while_draining(),
        Route::get("/openapi.json", "Returns this document", |call| Box::pin(openapi(call)))
            .returns::<Map<String, Value>>(200),
        Route::get("/asyncapi.json", "Returns the AsyncAPI document of the WebSocket", |call| {
            Box::pin(asyncapi(call))
        })
        .returns::<Map<String, Value>>(200),
    ];
    routes.into_iter().map(|route| route.tag("server")).collect()
}

async fn index(call: Call) -> Result<HttpReply, Problem> {
    if page::accepts_html(&call.headers) {
        return Ok(HttpReply::page(page::index(&call.headers)));
    }
    HttpReply::json(&ServerInfo {
        name: "intermezzo".to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        openapi: "/openapi.json".to_owned(),
        asyncapi: "/asyncapi.json".to_owned(),
        dev: call.app().playground.is_some(),
    })
}

fn health_reply(status: &str) -> Result<HttpReply, Problem> {
    HttpReply::json(&Health { status: status.to_owned(), version: env!("CARGO_PKG_VERSION").to_owned() })
}

async fn health(call: Call) -> Result<HttpReply, Problem> {
    health_reply(if call.app().registry.is_draining() { "draining" } else { "ok" })
}

async fn ready(call: Call) -> Result<HttpReply, Problem> {
    if call.app().registry.is_draining() {
        return Err(Problem::new(Code::Draining, "the server is shutting down"));
    }
    match call.app().store.get("server/alive").await {
        Ok(_) if call.app().registry.is_trusted_alive() => health_reply("ok"),
        // Heartbeats are writes; the last ones have failed.
        Ok(_) => Err(Problem::new(Code::Busy, "the database is not accepting writes")),
        Err(error) => {
            tracing::error!(%error, "cannot read from the store");
            Err(Problem::new(Code::Busy, "the database cannot be read"))
        }
    }
}

async fn openapi(call: Call) -> Result<HttpReply, Problem> {
    let api = Arc::clone(&call.api);
    Ok(HttpReply::text("application/json", call.services().run_blocking(move || api.openapi()).await?))
}

async fn asyncapi(call: Call) -> Result<HttpReply, Problem> {
    let api = Arc::clone(&call.api);
    Ok(HttpReply::text("application/json", call.services().run_blocking(move || api.asyncapi()).await?))
}
