//! What the server itself says is wrong.

use std::fmt::Write as _;
use std::sync::Arc;

use tracing::field::{Field, Visit};
use tracing::subscriber::DefaultGuard;
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::layer::{Context, Layer, SubscriberExt as _};

use crate::world::World;

/// What a server may say in a storm: its store fails.
const EXPECTED: &[&str] =
    &["the store cannot be read", "what is due cannot be read", "the store takes nothing"];

/// Listens to what is said on this thread, until the guard is dropped.
pub(crate) fn listen(world: &Arc<World>) -> DefaultGuard {
    let ear = Ear(Arc::clone(world));
    tracing::subscriber::set_default(tracing_subscriber::registry().with(ear))
}

struct Ear(Arc<World>);

impl<S: Subscriber> Layer<S> for Ear {
    fn enabled(&self, metadata: &tracing::Metadata<'_>, _: Context<'_, S>) -> bool {
        *metadata.level() <= Level::WARN
    }

    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let mut said = Said::default();
        event.record(&mut said);
        self.0.note("server", || said.text.clone());
        let is_expected = EXPECTED.iter().any(|expected| said.text.contains(expected));
        if *event.metadata().level() == Level::ERROR && !is_expected {
            self.0.wrong(format!("the server says: {}", said.text));
        }
    }
}

#[derive(Default)]
struct Said {
    text: String,
}

impl Visit for Said {
    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        let _ = match field.name() {
            "message" => write!(self.text, "{value:?} "),
            name => write!(self.text, "{name}={value:?} "),
        };
    }
}
