//! Simulated network between clients and nodes, with latency, loss and broken connections.

use std::sync::Arc;
use std::time::Duration;

use axum::http::Method;
use intermezzo_server::{LocalConnection, LocalRequest};
use serde_json::Value;
use tokio::sync::{mpsc, oneshot};
use tokio::time::{Instant, sleep, sleep_until};

use crate::fault_plan::FaultKind;
use crate::faulty_store::NodeLiveness;
use crate::nodes::NodeSet;
use crate::signal::Signal;
use crate::simulator::Simulation;

/// Longest normal latency of a message, in milliseconds.
const LATENCY: u64 = 20;
/// Longest latency of a delayed message, in milliseconds.
const DELAYED: u64 = 5_000;
/// Longest time until a node notices that a connection is lost, in milliseconds.
const HALF_OPEN: u64 = 8_000;
/// The same for a client.
const NOTICED: u64 = 1_000;
/// Time a client waits for a response.
const RESPONSE_TIMEOUT: Duration = Duration::from_secs(5);

/// Client's end of a connection. Dropping it disconnects.
pub(crate) struct ClientConnection {
    up: mpsc::UnboundedSender<(Instant, String)>,
    down: mpsc::UnboundedReceiver<String>,
    sim: Arc<Simulation>,
    liveness: Arc<NodeLiveness>,
    begun: Instant,
    last: Instant,
}

impl ClientConnection {
    /// Connects to a node. Returns `None` if the node is down.
    pub(crate) async fn connect(node_set: &Arc<NodeSet>, slot: usize) -> Option<ClientConnection> {
        let sim = Arc::clone(&node_set.sim);
        sleep(sim.ms(LATENCY)).await;
        let (node, liveness) = node_set.node(slot)?;
        let (up, sent) = mpsc::unbounded_channel();
        let (to_node, from_client) = mpsc::unbounded_channel();
        let (to_client, from_node) = mpsc::unbounded_channel();
        let (deliver, down) = mpsc::unbounded_channel();
        let cut = Arc::new(Signal::default());
        node_set.spawn_on(slot, serve(node.connect(), from_client, to_client));
        tokio::spawn(pump_to_node(Arc::clone(&sim), Arc::clone(&liveness), sent, to_node, Arc::clone(&cut)));
        tokio::spawn(pump_to_client(Arc::clone(&sim), Arc::clone(&liveness), from_node, deliver, cut));
        let begun = Instant::now();
        Some(ClientConnection { up, down, sim, liveness, begun, last: begun })
    }

    pub(crate) fn send(&mut self, text: String) {
        let delay = if self.sim.injects(FaultKind::Delay) { DELAYED } else { LATENCY };
        self.last = self.last.max(Instant::now() + self.sim.ms(delay));
        // If the connection is gone, `receive` reports it.
        let _ = self.up.send((self.last, text));
    }

    /// Returns true if the node was paused since the connection was made.
    pub(crate) fn was_paused(&self) -> bool {
        self.liveness.was_paused_since(self.begun)
    }

    /// Returns the next frame, or `None` if the connection is gone.
    pub(crate) async fn receive(&mut self) -> Option<String> {
        self.down.recv().await
    }
}

/// Passes frames between a node and the simulated network.
async fn serve(
    mut line: LocalConnection,
    mut from_client: mpsc::UnboundedReceiver<String>,
    to_client: mpsc::UnboundedSender<String>,
) {
    loop {
        tokio::select! {
            biased;
            text = from_client.recv() => match text {
                Some(text) => line.send(&text).await,
                None => break,
            },
            frame = line.receive() => match frame.map(|frame| to_client.send(frame)) {
                Some(Ok(())) => {}
                _ => break,
            },
        }
    }
    drop(to_client);
    line.close().await;
}

async fn pump_to_node(
    sim: Arc<Simulation>,
    liveness: Arc<NodeLiveness>,
    mut sent: mpsc::UnboundedReceiver<(Instant, String)>,
    to_node: mpsc::UnboundedSender<String>,
    cut: Arc<Signal>,
) {
    while let Some((at, text)) = sent.recv().await {
        sleep_until(at).await;
        liveness.wait_while_paused().await;
        if sim.injects(FaultKind::Disconnect) {
            cut.set();
        }
        if cut.is_set() || to_node.send(text).is_err() {
            break;
        }
    }
    // The node notices the loss when this function ends.
    if cut.is_set() {
        sleep(sim.ms(HALF_OPEN)).await;
    }
}

async fn pump_to_client(
    sim: Arc<Simulation>,
    liveness: Arc<NodeLiveness>,
    mut from_node: mpsc::UnboundedReceiver<String>,
    deliver: mpsc::UnboundedSender<String>,
    cut: Arc<Signal>,
) {
    let mut last = Instant::now();
    loop {
        let frame = tokio::select! {
            biased;
            () = cut.wait() => None,
            frame = from_node.recv() => frame,
        };
        let Some(frame) = frame else { break };
        last = last.max(Instant::now() + sim.ms(LATENCY));
        sleep_until(last).await;
        liveness.wait_while_paused().await;
        if sim.injects(FaultKind::Disconnect) {
            cut.set();
        }
        if cut.is_set() || deliver.send(frame).is_err() {
            break;
        }
    }
    // The client notices the loss when this function ends.
    sleep(sim.ms(NOTICED)).await;
}

/// HTTP request of a client.
#[derive(Clone, Debug)]
pub(crate) struct SimulatedRequest {
    pub(crate) method: Method,
    pub(crate) path: String,
    pub(crate) token: Option<String>,
    pub(crate) key: Option<String>,
    pub(crate) body: Option<Value>,
}

impl SimulatedRequest {
    /// Sends the request to a node. Returns `None` if it or its response is lost, or if the node is down.
    pub(crate) async fn send(&self, node_set: &Arc<NodeSet>, slot: usize) -> Option<(u16, Value)> {
        let sim = Arc::clone(&node_set.sim);
        if sim.injects(FaultKind::LostRequest) {
            sleep(RESPONSE_TIMEOUT).await;
            return None;
        }
        let is_delayed = sim.injects(FaultKind::Delay);
        let arrives = Instant::now() + sim.ms(if is_delayed { DELAYED } else { LATENCY });
        let twice =
            (self.key.is_some() && sim.injects(FaultKind::Duplicate)).then(|| arrives + sim.ms(DELAYED));
        let (told, answer) = oneshot::channel();
        deliver(self.clone(), Arc::clone(node_set), slot, arrives, Some(told));
        if let Some(again) = twice {
            deliver(self.clone(), Arc::clone(node_set), slot, again, None);
        }
        let answer = tokio::time::timeout(RESPONSE_TIMEOUT, answer).await.ok()?.ok()?;
        sleep(sim.ms(LATENCY)).await;
        if sim.injects(FaultKind::LostAnswer) {
            sleep(RESPONSE_TIMEOUT).await;
            return None;
        }
        Some(answer)
    }
}

/// Delivers a request at that time, to the node that runs in the slot by then.
fn deliver(
    request: SimulatedRequest,
    node_set: Arc<NodeSet>,
    slot: usize,
    at: Instant,
    told: Option<oneshot::Sender<(u16, Value)>>,
) {
    tokio::spawn(async move {
        sleep_until(at).await;
        let Some((node, liveness)) = node_set.node(slot) else { return };
        liveness.wait_while_paused().await;
        if liveness.is_dead() {
            return;
        }
        let sim = Arc::clone(&node_set.sim);
        node_set.spawn_on(slot, async move {
            let SimulatedRequest { method, path, token, key, body } = &request;
            let asked = LocalRequest {
                method: method.clone(),
                path,
                token: token.as_deref(),
                idempotency_key: key.as_deref(),
                body: body.as_ref(),
            };
            let (status, body) = node.request(&asked).await;
            sim.trace(&liveness.name, || format!("{method} {path} {key:?}: {status} {}", code(&body)));
            if let Some(told) = told {
                // The client may have stopped waiting.
                let _ = told.send((status.as_u16(), body));
            }
        });
    });
}

fn code(body: &Value) -> &str {
    body["code"].as_str().unwrap_or_default()
}
