//! The server itself: whether it is well, what it counts, and what it says about its operations.

use intermezzo_protocol::resources::{Health, ModerationInfo, Page, Welcome};
use intermezzo_protocol::{Code, Problem};
use serde_json::{Map, Value};

use super::super::call::Call;
use super::super::page;
use super::super::param::{CURSOR, LIMIT, OF_MATCH};
use super::super::reply::Reply;
use super::super::route::Route;

pub(crate) fn routes() -> Vec<Route> {
    let routes = vec![
        Route::get("/", "The page for browsers; for others what this server is", |call| {
            Box::pin(front(call))
        })
        .gives::<Welcome>(200)
        .gives_media("text/html; charset=utf-8"),
        Route::get("/healthz", "Whether the process is alive", |call| Box::pin(health(call)))
            .gives::<Health>(200)
            .while_draining(),
        Route::get("/readyz", "Whether requests should be sent here", |call| Box::pin(ready(call)))
            .gives::<Health>(200)
            .codes(&[Code::Draining, Code::Busy])
            .while_draining(),
        Route::get("/metrics", "Figures for Prometheus", |call| Box::pin(metrics(call)))
            .gives_media("text/plain; version=0.0.4")
            .while_draining(),
        Route::get("/moderations", "What moderators did, the latest first; for moderators", |call| {
            Box::pin(moderations(call))
        })
        .signed_in()
        .asks(&[OF_MATCH, CURSOR, LIMIT])
        .gives::<Page<ModerationInfo>>(200)
        .codes(&[Code::NotAllowed, Code::Invalid]),
        Route::get("/openapi.json", "This document", |call| Box::pin(openapi(call)))
            .gives::<Map<String, Value>>(200),
        Route::get("/asyncapi.json", "The document of the WebSocket", |call| Box::pin(asyncapi(call)))
            .gives::<Map<String, Value>>(200),
    ];
    routes.into_iter().map(|route| route.tag("server")).collect()
}

async fn front(call: Call) -> Result<Reply, Problem> {
    if page::is_wanted(&call.headers) {
        return Ok(Reply::page(page::index(&call.headers)));
    }
    Reply::json(&Welcome {
        name: "intermezzo".to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        openapi: "/openapi.json".to_owned(),
        asyncapi: "/asyncapi.json".to_owned(),
        dev: call.app().dev.is_some(),
    })
}

fn well(status: &str) -> Result<Reply, Problem> {
    Reply::json(&Health { status: status.to_owned(), version: env!("CARGO_PKG_VERSION").to_owned() })
}

async fn health(call: Call) -> Result<Reply, Problem> {
    well(if call.app().hub.is_draining() { "draining" } else { "ok" })
}

async fn ready(call: Call) -> Result<Reply, Problem> {
    if call.app().hub.is_draining() {
        return Err(Problem::new(Code::Draining, "the server is about to stop"));
    }
    match call.app().store.get("server/alive").await {
        Ok(_) => well("ok"),
        Err(error) => {
            tracing::error!(%error, "the store cannot be read");
            Err(Problem::new(Code::Busy, "the store cannot be read"))
        }
    }
}

async fn metrics(call: Call) -> Result<Reply, Problem> {
    Ok(Reply::text("text/plain; version=0.0.4", call.app().metrics.render()))
}

async fn moderations(call: Call) -> Result<Reply, Problem> {
    if !call.caller()?.account.moderator {
        return Err(Problem::new(Code::NotAllowed, "only moderators may read that"));
    }
    let of = call.asked("match").and_then(|id| id.parse().ok());
    Reply::json(&call.house().moderations(of, call.window()).await?)
}

async fn openapi(call: Call) -> Result<Reply, Problem> {
    Ok(Reply::written(call.api.openapi.clone()))
}

async fn asyncapi(call: Call) -> Result<Reply, Problem> {
    Ok(Reply::written(call.api.asyncapi.clone()))
}
