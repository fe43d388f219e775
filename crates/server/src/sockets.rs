//! Sockets: who may have one, and how long a request may take to come. Start with [`serve`].

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{mpsc, watch};
use tower::ServiceExt;

use crate::app::App;

/// The head of a request has at most so many bytes. The texts of WebSockets are measured otherwise.
const HEAD_BYTES: usize = 64 * 1024;
/// And so many headers.
const HEADERS: usize = 64;
/// If the machine gives no more sockets, it is asked again after this.
const BREATH: Duration = Duration::from_millis(500);

/// Takes connections until told to stop, then lets the requests that have come be answered.
pub(crate) async fn serve(
    listener: TcpListener,
    app: Arc<App>,
    router: Router,
    stopped: watch::Receiver<bool>,
) {
    let router: Router = router.with_state(());
    let (open, mut all_closed) = mpsc::channel::<()>(1);
    let stopping = stops(stopped.clone());
    tokio::pin!(stopping);
    loop {
        let (stream, peer) = tokio::select! {
            taken = listener.accept() => match taken {
                Ok(taken) => taken,
                Err(error) => {
                    tracing::warn!(%error, "no connection can be taken");
                    tokio::time::sleep(BREATH).await;
                    continue;
                }
            },
            () = &mut stopping => break,
        };
        let Some(place) = app.throttle.socket(peer.ip().to_canonical(), &app.config.trusted_proxies) else {
            // Whoever has so many already is not worth an answer.
            metrics::counter!("intermezzo_sockets_refused_total").increment(1);
            continue;
        };
        let (app, router, stopped, open) = (Arc::clone(&app), router.clone(), stopped.clone(), open.clone());
        tokio::spawn(async move {
            converse(stream, peer, &app, router, stopped).await;
            drop((place, open));
        });
    }
    drop(open);
    all_closed.recv().await;
}

/// Answers the requests of one connection, which may become a WebSocket.
async fn converse(
    stream: TcpStream,
    peer: SocketAddr,
    app: &App,
    router: Router,
    stopped: watch::Receiver<bool>,
) {
    // Frames are short and awaited: none may wait for the next.
    let _ = stream.set_nodelay(true);
    let service = service_fn(move |mut request: hyper::Request<Incoming>| {
        request.extensions_mut().insert(ConnectInfo(peer));
        router.clone().oneshot(request.map(Body::new))
    });
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new())
        .header_read_timeout(Duration::from_millis(app.config.limits.request_ms))
        .max_buf_size(HEAD_BYTES)
        .max_headers(HEADERS);
    let conversation = http.serve_connection(TokioIo::new(stream), service).with_upgrades();
    tokio::pin!(conversation);
    let ended = tokio::select! {
        ended = conversation.as_mut() => ended,
        () = stops(stopped) => {
            conversation.as_mut().graceful_shutdown();
            conversation.await
        }
    };
    if let Err(error) = ended {
        tracing::debug!(%error, "a connection has failed");
    }
}

/// Waits until the server is told to stop.
async fn stops(mut stopped: watch::Receiver<bool>) {
    let _ = stopped.wait_for(|stopped| *stopped).await;
}
