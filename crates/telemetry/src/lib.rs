//! Sends traces of a server to an OpenTelemetry collector, over OTLP and HTTP.
//!
//! The server writes spans with `tracing`, as for its log. This crate collects them and posts them in batches from a thread
//! of its own, so a slow collector delays nobody; what it cannot take is dropped. It is a crate of its own because its
//! dependencies are large: the server has it only if it is built with the feature `otlp`.
//!
//! ```no_run
//! use tracing_subscriber::prelude::*;
//!
//! let export = intermezzo_telemetry::TraceExport::start("http://localhost:4318").unwrap();
//! tracing_subscriber::registry().with(export.layer()).init();
//! tracing::debug_span!("hello").in_scope(|| {});
//! // Dropping it sends what is left.
//! drop(export);
//! ```

use opentelemetry::trace::TracerProvider as _;
use opentelemetry_otlp::{ExporterBuildError, SpanExporter, WithExportConfig as _};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::trace::SdkTracerProvider;
use tracing::{Level, Metadata, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::filter::filter_fn;
use tracing_subscriber::registry::LookupSpan;

/// Name of the service in traces.
const SERVICE: &str = "intermezzo";
/// Path of the collector for traces, as the OTLP specification sets it.
const TRACES_PATH: &str = "/v1/traces";

/// Traces cannot be sent.
#[derive(Debug, thiserror::Error)]
#[error("cannot send traces to {url}: {reason}")]
pub struct TraceExportError {
    url: String,
    reason: ExporterBuildError,
}

/// A running export of traces. Dropping it sends what is left and stops it.
#[derive(Debug)]
pub struct TraceExport {
    provider: SdkTracerProvider,
}

impl TraceExport {
    /// Starts to export to a collector, for example `http://localhost:4318`.
    ///
    /// # Errors
    ///
    /// If the URL is invalid. A collector that is not running is no error.
    pub fn start(collector: &str) -> Result<TraceExport, TraceExportError> {
        let url = format!("{}{TRACES_PATH}", collector.trim_end_matches('/'));
        let exporter = SpanExporter::builder().with_http().with_endpoint(&url).build();
        let exporter = exporter.map_err(|reason| TraceExportError { url, reason })?;
        let resource = Resource::builder().with_service_name(SERVICE).build();
        let provider =
            SdkTracerProvider::builder().with_batch_exporter(exporter).with_resource(resource).build();
        Ok(TraceExport { provider })
    }

    /// Returns the layer that collects the spans of the server down to debug level, whatever the log shows.
    pub fn layer<S>(&self) -> impl Layer<S> + use<S>
    where
        S: Subscriber + for<'span> LookupSpan<'span>,
    {
        let tracer = self.provider.tracer(SERVICE);
        tracing_opentelemetry::layer().with_tracer(tracer).with_filter(filter_fn(is_exported))
    }
}

/// Spans of dependencies stay out: among them are those of the exporter itself.
fn is_exported(metadata: &Metadata<'_>) -> bool {
    metadata.target().starts_with("intermezzo") && *metadata.level() <= Level::DEBUG
}

impl Drop for TraceExport {
    fn drop(&mut self) {
        // The collector may be gone, and nobody is left to tell.
        let _ = self.provider.shutdown();
    }
}
