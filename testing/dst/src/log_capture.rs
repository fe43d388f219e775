//! Capture of the server's log: an unexpected error counts as a problem.

use std::fmt::Write as _;
use std::sync::Arc;

use tracing::field::{Field, Visit};
use tracing::subscriber::DefaultGuard;
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::layer::{Context, Layer, SubscriberExt as _};

use crate::simulator::Simulation;

/// Errors that injected store faults cause.
const EXPECTED: &[&str] =
    &["cannot read from the store", "cannot read due matches", "the database is not accepting writes"];

/// Captures the log of this thread until the guard is dropped.
pub(crate) fn capture(sim: &Arc<Simulation>) -> DefaultGuard {
    let layer = LogLayer(Arc::clone(sim));
    tracing::subscriber::set_default(tracing_subscriber::registry().with(layer))
}

struct LogLayer(Arc<Simulation>);

impl<S: Subscriber> Layer<S> for LogLayer {
    fn enabled(&self, metadata: &tracing::Metadata<'_>, _: Context<'_, S>) -> bool {
        *metadata.level() <= Level::WARN
    }

    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let mut log_text = LogText::default();
        event.record(&mut log_text);
        self.0.trace("server", || log_text.text.clone());
        let is_expected = EXPECTED.iter().any(|expected| log_text.text.contains(expected));
        if *event.metadata().level() == Level::ERROR && !is_expected {
            self.0.add_problem(format!("the server logged: {}", log_text.text));
        }
    }
}

#[derive(Default)]
struct LogText {
    text: String,
}

impl Visit for LogText {
    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        let _ = match field.name() {
            "message" => write!(self.text, "{value:?} "),
            name => write!(self.text, "{name}={value:?} "),
        };
    }
}
