//! What lies between clients and nodes: messages take their time, and connections break.

use std::sync::Arc;
use std::time::Duration;

use axum::http::Method;
use intermezzo_server::{Asked, Line};
use serde_json::Value;
use tokio::sync::{mpsc, oneshot};
use tokio::time::{Instant, sleep, sleep_until};

use crate::disk::Life;
use crate::fleet::Fleet;
use crate::signal::Signal;
use crate::weather::Fault;
use crate::world::World;

/// A message usually takes so many milliseconds at most.
const LATENCY: u64 = 20;
/// One that is delayed takes so many.
const STRAGGLES: u64 = 5_000;
/// A node knows after so many milliseconds at most that a connection is cut.
const HALF_OPEN: u64 = 8_000;
/// A client does so sooner.
const NOTICED: u64 = 1_000;
/// Who asks waits so long for an answer.
const ANSWERED_WITHIN: Duration = Duration::from_secs(5);

/// The client's end of a connection. Dropping it is hanging up.
pub(crate) struct Wire {
    up: mpsc::UnboundedSender<(Instant, String)>,
    down: mpsc::UnboundedReceiver<String>,
    world: Arc<World>,
    life: Arc<Life>,
    begun: Instant,
    last: Instant,
}

impl Wire {
    /// Connects to a node; nothing, if it is not up.
    pub(crate) async fn connect(fleet: &Arc<Fleet>, berth: usize) -> Option<Wire> {
        let world = Arc::clone(&fleet.world);
        sleep(world.ms(LATENCY)).await;
        let (node, life) = fleet.node(berth)?;
        let (up, sent) = mpsc::unbounded_channel();
        let (to_node, from_client) = mpsc::unbounded_channel();
        let (to_client, from_node) = mpsc::unbounded_channel();
        let (deliver, down) = mpsc::unbounded_channel();
        let cut = Arc::new(Signal::default());
        fleet.on_board(berth, serve(node.line(), from_client, to_client));
        tokio::spawn(pump_up(Arc::clone(&world), Arc::clone(&life), sent, to_node, Arc::clone(&cut)));
        tokio::spawn(pump_down(Arc::clone(&world), Arc::clone(&life), from_node, deliver, cut));
        let begun = Instant::now();
        Some(Wire { up, down, world, life, begun, last: begun })
    }

    /// Sends a frame.
    pub(crate) fn send(&mut self, text: String) {
        let delay = if self.world.strikes(Fault::Straggle) { STRAGGLES } else { LATENCY };
        self.last = self.last.max(Instant::now() + self.world.ms(delay));
        // The connection may be gone; that will show.
        let _ = self.up.send((self.last, text));
    }

    /// Whether the node has stood still since the connection was made.
    pub(crate) fn has_stood(&self) -> bool {
        self.life.has_stood_since(self.begun)
    }

    /// The next frame; nothing if the connection is gone.
    pub(crate) async fn hear(&mut self) -> Option<String> {
        self.down.recv().await
    }
}

/// What a node does for a connection.
async fn serve(
    mut line: Line,
    mut from_client: mpsc::UnboundedReceiver<String>,
    to_client: mpsc::UnboundedSender<String>,
) {
    loop {
        tokio::select! {
            biased;
            text = from_client.recv() => match text {
                Some(text) => line.say(&text).await,
                None => break,
            },
            frame = line.hear() => match frame.map(|frame| to_client.send(frame)) {
                Some(Ok(())) => {}
                _ => break,
            },
        }
    }
    drop(to_client);
    line.hang_up().await;
}

async fn pump_up(
    world: Arc<World>,
    life: Arc<Life>,
    mut sent: mpsc::UnboundedReceiver<(Instant, String)>,
    to_node: mpsc::UnboundedSender<String>,
    cut: Arc<Signal>,
) {
    while let Some((at, text)) = sent.recv().await {
        sleep_until(at).await;
        life.goes_on().await;
        if world.strikes(Fault::Cut) {
            cut.give();
        }
        if cut.is_given() || to_node.send(text).is_err() {
            break;
        }
    }
    // The node learns of it when this ends.
    if cut.is_given() {
        sleep(world.ms(HALF_OPEN)).await;
    }
}

async fn pump_down(
    world: Arc<World>,
    life: Arc<Life>,
    mut from_node: mpsc::UnboundedReceiver<String>,
    deliver: mpsc::UnboundedSender<String>,
    cut: Arc<Signal>,
) {
    let mut last = Instant::now();
    loop {
        let frame = tokio::select! {
            biased;
            () = cut.given() => None,
            frame = from_node.recv() => frame,
        };
        let Some(frame) = frame else { break };
        last = last.max(Instant::now() + world.ms(LATENCY));
        sleep_until(last).await;
        life.goes_on().await;
        if world.strikes(Fault::Cut) {
            cut.give();
        }
        if cut.is_given() || deliver.send(frame).is_err() {
            break;
        }
    }
    // The client learns of it when this ends.
    sleep(world.ms(NOTICED)).await;
}

/// A request of a client.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    pub(crate) method: Method,
    pub(crate) path: String,
    pub(crate) token: Option<String>,
    pub(crate) key: Option<String>,
    pub(crate) body: Option<Value>,
}

impl Request {
    /// Sends it to a node. Nothing comes back if it or its answer is lost, or the node is not up.
    pub(crate) async fn send(&self, fleet: &Arc<Fleet>, berth: usize) -> Option<(u16, Value)> {
        let world = Arc::clone(&fleet.world);
        if world.strikes(Fault::LostRequest) {
            sleep(ANSWERED_WITHIN).await;
            return None;
        }
        let straggles = world.strikes(Fault::Straggle);
        let arrives = Instant::now() + world.ms(if straggles { STRAGGLES } else { LATENCY });
        let twice =
            (self.key.is_some() && world.strikes(Fault::Twice)).then(|| arrives + world.ms(STRAGGLES));
        let (told, answer) = oneshot::channel();
        deliver(self.clone(), Arc::clone(fleet), berth, arrives, Some(told));
        if let Some(again) = twice {
            deliver(self.clone(), Arc::clone(fleet), berth, again, None);
        }
        let answer = tokio::time::timeout(ANSWERED_WITHIN, answer).await.ok()?.ok()?;
        sleep(world.ms(LATENCY)).await;
        if world.strikes(Fault::LostAnswer) {
            sleep(ANSWERED_WITHIN).await;
            return None;
        }
        Some(answer)
    }
}

/// Has a request arrive at that time, whoever is at that berth then.
fn deliver(
    request: Request,
    fleet: Arc<Fleet>,
    berth: usize,
    at: Instant,
    told: Option<oneshot::Sender<(u16, Value)>>,
) {
    tokio::spawn(async move {
        sleep_until(at).await;
        let Some((node, life)) = fleet.node(berth) else { return };
        life.goes_on().await;
        if life.is_dead() {
            return;
        }
        let world = Arc::clone(&fleet.world);
        fleet.on_board(berth, async move {
            let Request { method, path, token, key, body } = &request;
            let asked = Asked {
                method: method.clone(),
                path,
                token: token.as_deref(),
                key: key.as_deref(),
                body: body.as_ref(),
            };
            let (status, body) = node.request(&asked).await;
            world.note(&life.name, || format!("{method} {path} {key:?}: {status} {}", code(&body)));
            if let Some(told) = told {
                // Whoever asked may not wait any more.
                let _ = told.send((status.as_u16(), body));
            }
        });
    });
}

fn code(body: &Value) -> &str {
    body["code"].as_str().unwrap_or_default()
}
