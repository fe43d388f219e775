//! Traces follow a move from the socket to the store.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use serde_json::json;
use tracing::span::{Attributes, Id};
use tracing::{Level, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::filter::filter_fn;
use tracing_subscriber::layer::{Context, SubscriberExt};
use tracing_subscriber::registry::LookupSpan;

use super::client::WsClient;
use super::fixture::WireFixture;

/// The names of each new span and of the spans around it, outermost first, as in `frame/match/store`.
#[derive(Clone, Default)]
struct SpanPaths(Arc<Mutex<BTreeSet<String>>>);

impl<S: Subscriber + for<'span> LookupSpan<'span>> Layer<S> for SpanPaths {
    fn on_new_span(&self, _: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        let names = context.span_scope(id).into_iter().flatten().map(|span| span.name()).collect::<Vec<_>>();
        let path = names.into_iter().rev().collect::<Vec<_>>().join("/");
        self.0.lock().unwrap().insert(path);
    }
}

#[tokio::test]
async fn a_trace_leads_from_the_socket_through_the_match_to_the_store() {
    let paths = SpanPaths::default();
    let of_server =
        filter_fn(|span| span.target().starts_with("intermezzo") && *span.level() <= Level::DEBUG);
    let subscriber = tracing_subscriber::registry().with(paths.clone().with_filter(of_server));
    // Matches run on threads of their own.
    tracing::subscriber::set_global_default(subscriber).unwrap();
    let fixture = WireFixture::new(&["orcain"]).await;
    let (anna, bela) = (fixture.guest("anna").await, fixture.guest("bela").await);
    let id = fixture.start_match(json!({"ruleset": "orcain"}), &[&anna, &bela]).await;
    let mut client = WsClient::join(&fixture, &anna, &id).await;
    client.answer(client.open_question().unwrap(), json!(["attack", null, null])).await.unwrap();
    fixture.post(&format!("/matches/{id}/control"), &bela, json!({"kind": "concede"})).await;
    let paths = paths.0.lock().unwrap();
    for sender in ["frame", "request"] {
        for work in ["match/apply", "match/store"] {
            let path = format!("{sender}/{work}");
            assert!(paths.contains(&path), "{path} is missing from {paths:?}");
        }
    }
}
