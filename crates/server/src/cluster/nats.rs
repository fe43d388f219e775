//! The bus between servers over NATS. Start with [`connect`].
//!
//! Each topic is a subject, so that a server receives notifications only about its own matches and accounts.
//! The payload is a version number. Nothing is persisted and nothing is waited for; while NATS is
//! unavailable, servers find changes by polling the store.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_nats::{Client, ConnectOptions, Event};
use futures_util::StreamExt;
use tokio::sync::mpsc;
use tokio::task::AbortHandle;

use crate::cluster::bus::{Bus, Notification, Topic};
use crate::node::ClusterLink;

/// Limit of queued notifications, in either direction.
const MAX_QUEUED: usize = 10_000;

/// The reason why the bus cannot be used.
#[derive(Debug)]
pub(crate) struct BusError(pub(crate) String);

/// Connects to NATS. If it does not respond, the client keeps retrying in the background.
pub(crate) async fn connect(url: &str) -> Result<ClusterLink, BusError> {
    let options = ConnectOptions::new().name("intermezzo").no_echo().retry_on_initial_connect();
    let options = options.event_callback(|event| async move { log_event(&event) });
    let client = options.connect(url).await.map_err(|error| BusError(error.to_string()))?;
    let (incoming, notification) = mpsc::channel(MAX_QUEUED);
    let (outgoing, queued) = mpsc::channel(MAX_QUEUED);
    tokio::spawn(publish(client.clone(), queued));
    let bus = NatsBus { client, outgoing, incoming, subscriptions: Mutex::default() };
    Ok(ClusterLink { bus: Arc::new(bus), notifications: notification })
}

fn log_event(event: &Event) {
    match event {
        Event::Connected => tracing::info!("connected to NATS"),
        Event::Disconnected => {
            tracing::warn!("NATS is unavailable: polling the store until it is back");
        }
        other => tracing::debug!(%other, "NATS"),
    }
}

async fn publish(client: Client, mut queued: mpsc::Receiver<Notification>) {
    while let Some(Notification { topic, version }) = queued.recv().await {
        // A server that misses the notification polls the store.
        let _ = client.publish(subject(topic), version.to_string().into()).await;
    }
}

struct NatsBus {
    client: Client,
    outgoing: mpsc::Sender<Notification>,
    incoming: mpsc::Sender<Notification>,
    subscriptions: Mutex<HashMap<Topic, AbortHandle>>,
}

impl NatsBus {
    fn subscriptions(&self) -> MutexGuard<'_, HashMap<Topic, AbortHandle>> {
        self.subscriptions.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Bus for NatsBus {
    fn publish(&self, notification: Notification) {
        let _ = self.outgoing.try_send(notification);
    }

    fn subscribe(&self, topic: Topic) {
        let (client, incoming) = (self.client.clone(), self.incoming.clone());
        self.subscriptions()
            .entry(topic)
            .or_insert_with(|| tokio::spawn(receive(client, topic, incoming)).abort_handle());
    }

    fn unsubscribe(&self, topic: Topic) {
        if let Some(subscription) = self.subscriptions().remove(&topic) {
            subscription.abort();
        }
    }
}

impl Drop for NatsBus {
    fn drop(&mut self) {
        self.subscriptions().drain().for_each(|(_, subscription)| subscription.abort());
    }
}

async fn receive(client: Client, topic: Topic, incoming: mpsc::Sender<Notification>) {
    let mut messages = match client.subscribe(subject(topic)).await {
        Ok(messages) => messages,
        Err(error) => return tracing::warn!(%error, "NATS rejected a subscription"),
    };
    while let Some(message) = messages.next().await {
        let version = std::str::from_utf8(&message.payload).ok().and_then(|text| text.parse().ok());
        if let Some(version) = version {
            let _ = incoming.try_send(Notification { topic, version });
        }
    }
}

fn subject(topic: Topic) -> String {
    match topic {
        Topic::Match(id) => format!("intermezzo.match.{id}"),
        Topic::Account(number) => format!("intermezzo.account.{number:032x}"),
    }
}
