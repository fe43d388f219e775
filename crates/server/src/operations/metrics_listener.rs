//! Metrics on a listener of their own.
//!
//! Counters per path show when somebody answers, which may be secret in a match. So players cannot read them: the
//! metrics are not on the address of the game, and off unless the operator gives them one.

use std::net::SocketAddr;

use axum::Router;
use axum::http::header;
use axum::routing::get;
use metrics_exporter_prometheus::PrometheusHandle;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

/// Media type of the Prometheus text format.
const MEDIA_TYPE: &str = "text/plain; version=0.0.4";

/// A listener that serves `GET /metrics`.
#[derive(Debug)]
pub(crate) struct MetricsListener {
    pub(crate) address: SocketAddr,
    serving: JoinHandle<()>,
}

impl MetricsListener {
    /// Starts to listen.
    ///
    /// # Errors
    ///
    /// If the address cannot be used.
    pub(crate) async fn start(
        address: SocketAddr,
        handle: PrometheusHandle,
    ) -> std::io::Result<MetricsListener> {
        let listener = TcpListener::bind(address).await?;
        let address = listener.local_addr()?;
        let render = move || async move {
            if let Some(bytes) = resident_memory().await {
                metrics::gauge!("process_resident_memory_bytes").set(bytes as f64);
            }
            ([(header::CONTENT_TYPE, MEDIA_TYPE)], handle.render())
        };
        let router: Router = Router::new().route("/metrics", get(render));
        let serving = tokio::spawn(async move {
            if let Err(error) = axum::serve(listener, router).await {
                tracing::warn!(%error, "cannot serve metrics");
            }
        });
        tracing::info!(%address, "metrics");
        Ok(MetricsListener { address, serving })
    }
}

/// Returns the memory that the process occupies, on systems that tell.
async fn resident_memory() -> Option<u64> {
    let status = tokio::fs::read_to_string("/proc/self/status").await.ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes * 1024)
}

impl Drop for MetricsListener {
    fn drop(&mut self) {
        self.serving.abort();
    }
}
