//! The bus between servers over NATS. Start with [`join`].
//!
//! Each topic is a subject of its own, so that a server hears of those matches only that it has something to do with. What is
//! published is a number. Nothing is stored, nothing is waited for; if NATS is away, servers notice what they miss by
//! looking at the store.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_nats::{Client, ConnectOptions, Event};
use futures_util::StreamExt;
use tokio::sync::mpsc;
use tokio::task::AbortHandle;

use crate::bus::{Bus, News, Topic};
use crate::node::Company;

/// News that wait to be sent, or to be heard, at most.
const MAX_WAITING: usize = 10_000;

/// Why there is no bus.
#[derive(Debug)]
pub(crate) struct NoBus(pub(crate) String);

/// Joins the others at that address. If nobody answers there, it is tried again for as long as the server runs.
pub(crate) async fn join(url: &str) -> Result<Company, NoBus> {
    let options = ConnectOptions::new().name("intermezzo").no_echo().retry_on_initial_connect();
    let options = options.event_callback(|event| async move { report(&event) });
    let client = options.connect(url).await.map_err(|error| NoBus(error.to_string()))?;
    let (door, news) = mpsc::channel(MAX_WAITING);
    let (outgoing, waiting) = mpsc::channel(MAX_WAITING);
    tokio::spawn(publish(client.clone(), waiting));
    let bus = Nats { client, outgoing, door, listening: Mutex::default() };
    Ok(Company { bus: Arc::new(bus), news })
}

fn report(event: &Event) {
    match event {
        Event::Connected => tracing::info!("joined the other servers over NATS"),
        Event::Disconnected => {
            tracing::warn!("NATS is away: other servers are heard of late until it is back");
        }
        other => tracing::debug!(%other, "NATS"),
    }
}

async fn publish(client: Client, mut waiting: mpsc::Receiver<News>) {
    while let Some(News { topic, version }) = waiting.recv().await {
        // Whoever misses it looks at the store.
        let _ = client.publish(subject(topic), version.to_string().into()).await;
    }
}

struct Nats {
    client: Client,
    outgoing: mpsc::Sender<News>,
    door: mpsc::Sender<News>,
    listening: Mutex<HashMap<Topic, AbortHandle>>,
}

impl Nats {
    fn listening(&self) -> MutexGuard<'_, HashMap<Topic, AbortHandle>> {
        self.listening.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Bus for Nats {
    fn tell(&self, news: News) {
        let _ = self.outgoing.try_send(news);
    }

    fn listen(&self, topic: Topic) {
        let (client, door) = (self.client.clone(), self.door.clone());
        self.listening()
            .entry(topic)
            .or_insert_with(|| tokio::spawn(hear(client, topic, door)).abort_handle());
    }

    fn ignore(&self, topic: Topic) {
        if let Some(hearing) = self.listening().remove(&topic) {
            hearing.abort();
        }
    }
}

impl Drop for Nats {
    fn drop(&mut self) {
        self.listening().drain().for_each(|(_, hearing)| hearing.abort());
    }
}

async fn hear(client: Client, topic: Topic, door: mpsc::Sender<News>) {
    let mut messages = match client.subscribe(subject(topic)).await {
        Ok(messages) => messages,
        Err(error) => return tracing::warn!(%error, "NATS takes no subscription"),
    };
    while let Some(message) = messages.next().await {
        let version = std::str::from_utf8(&message.payload).ok().and_then(|text| text.parse().ok());
        if let Some(version) = version {
            let _ = door.try_send(News { topic, version });
        }
    }
}

fn subject(topic: Topic) -> String {
    match topic {
        Topic::Match(id) => format!("intermezzo.match.{id}"),
        Topic::Account(number) => format!("intermezzo.account.{number:032x}"),
    }
}
