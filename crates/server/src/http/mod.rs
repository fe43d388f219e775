//! stub
use crate::app::App;
use axum::http::HeaderMap;
use axum::response::Response;
use intermezzo_protocol::Problem;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
pub(crate) fn address(_app: &App, a: SocketAddr, _h: &HeaderMap) -> IpAddr {
    a.ip()
}
pub(crate) fn check_origin(_app: &App, _h: &HeaderMap) -> Result<(), Problem> {
    Ok(())
}
pub(crate) fn refused(p: &Problem) -> Response {
    axum::response::IntoResponse::into_response(p.to_string())
}
pub(crate) fn router(app: &Arc<App>) -> axum::Router {
    axum::Router::new()
        .route("/ws", axum::routing::get(crate::ws::connect))
        .route("/ws/{ruleset}", axum::routing::get(crate::messages::connect))
        .with_state(Arc::clone(app))
}
