//! TCP sockets: who may open one, and how long a request may take to arrive. Start with [`serve`].

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::http::StatusCode;
use axum::http::header::CONNECTION;
use axum::response::IntoResponse;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{mpsc, watch};
use tower::ServiceExt;

use super::timed_stream::TimedStream;
use crate::app::App;

/// Maximum size of a request's head. WebSocket messages have a separate limit.
const MAX_HEAD_BYTES: usize = 64 * 1024;
const MAX_HEADERS: usize = 64;
/// Pause before accepting again when the system has no more sockets.
const ACCEPT_RETRY_DELAY: Duration = Duration::from_millis(500);

/// Accepts connections until the server stops, then finishes the requests that have arrived.
pub(crate) async fn serve(
    listener: TcpListener,
    app: Arc<App>,
    router: Router,
    stopped: watch::Receiver<bool>,
) {
    let router: Router = router.with_state(());
    let (open, mut all_closed) = mpsc::channel::<()>(1);
    let stopping = wait_for_stop(stopped.clone());
    tokio::pin!(stopping);
    loop {
        let (stream, peer) = tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok(accepted) => accepted,
                Err(error) => {
                    tracing::warn!(%error, "cannot accept connections");
                    tokio::time::sleep(ACCEPT_RETRY_DELAY).await;
                    continue;
                }
            },
            () = &mut stopping => break,
        };
        let address = peer.ip().to_canonical();
        let Some(slot) = app.rate_limits.socket_slot(address, app.config.trusts(address)) else {
            // A client with that many sockets gets no response.
            metrics::counter!("intermezzo_sockets_refused_total").increment(1);
            continue;
        };
        let (app, router, stopped, open) = (Arc::clone(&app), router.clone(), stopped.clone(), open.clone());
        tokio::spawn(async move {
            serve_connection(stream, peer, &app, router, stopped).await;
            drop((slot, open));
        });
    }
    drop(open);
    all_closed.recv().await;
}

/// Serves the requests of one connection, which may become a WebSocket.
async fn serve_connection(
    stream: TcpStream,
    peer: SocketAddr,
    app: &App,
    router: Router,
    stopped: watch::Receiver<bool>,
) {
    // Frames are short and urgent: Nagle's algorithm would delay them.
    let _ = stream.set_nodelay(true);
    let service = service_fn(move |mut request: hyper::Request<Incoming>| {
        request.extensions_mut().insert(ConnectInfo(peer));
        let router = router.clone();
        async move {
            // The connection's own limit counts buffers, not bytes.
            if head_bytes(&request) > MAX_HEAD_BYTES {
                return Ok(
                    (StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE, [(CONNECTION, "close")]).into_response()
                );
            }
            router.oneshot(request.map(Body::new)).await
        }
    });
    // A client that does not read must not hold its response in memory.
    let stream = TimedStream::new(stream, Duration::from_millis(app.config.limits.request_ms));
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new())
        .header_read_timeout(Duration::from_millis(app.config.limits.request_ms))
        .max_buf_size(MAX_HEAD_BYTES)
        .max_headers(MAX_HEADERS);
    let connection = http.serve_connection(TokioIo::new(stream), service).with_upgrades();
    tokio::pin!(connection);
    let result = tokio::select! {
        result = connection.as_mut() => result,
        () = wait_for_stop(stopped) => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = result {
        tracing::debug!(%error, "a connection failed");
    }
}

/// Returns the size of a request's head.
fn head_bytes<T>(request: &hyper::Request<T>) -> usize {
    let headers = request.headers().iter().map(|(name, value)| name.as_str().len() + value.len() + 4);
    request.uri().to_string().len() + headers.sum::<usize>()
}

/// Waits until the server stops.
async fn wait_for_stop(mut stopped: watch::Receiver<bool>) {
    let _ = stopped.wait_for(|stopped| *stopped).await;
}
