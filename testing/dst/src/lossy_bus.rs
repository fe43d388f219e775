//! Notifications between nodes. They may be lost, late or duplicated, and correctness must not depend on them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use intermezzo_server::{Bus, ClusterLink, Notification, Topic};
use tokio::sync::mpsc;
use tokio::time::sleep;

use crate::fault_plan::FaultKind;
use crate::faulty_store::NodeLiveness;
use crate::simulator::Simulation;

/// Longest normal latency, in milliseconds.
const LATENCY: u64 = 10;
/// Longest latency of a late notification, in milliseconds.
const LATE: u64 = 3_000;
/// Capacity of a node's notification queue.
const WAITING: usize = 1_000;

/// Bus that all nodes share, with its subscribers by node name.
#[derive(Default)]
pub(crate) struct LossyBus(Mutex<BTreeMap<String, BusSubscriber>>);

struct BusSubscriber {
    liveness: Arc<NodeLiveness>,
    to: mpsc::Sender<Notification>,
    topics: BTreeSet<Topic>,
}

impl LossyBus {
    fn subscribers(&self) -> MutexGuard<'_, BTreeMap<String, BusSubscriber>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Connects a node to the bus until it dies.
    pub(crate) fn join(
        self: &Arc<LossyBus>,
        sim: &Arc<Simulation>,
        liveness: &Arc<NodeLiveness>,
    ) -> ClusterLink {
        let (to, news) = mpsc::channel(WAITING);
        let subscriber = BusSubscriber { liveness: Arc::clone(liveness), to, topics: BTreeSet::new() };
        self.subscribers().insert(liveness.name.clone(), subscriber);
        let node_bus =
            NodeBus { bus: Arc::clone(self), sim: Arc::clone(sim), liveness: Arc::clone(liveness) };
        ClusterLink { bus: Arc::new(node_bus), notifications: news }
    }
}

/// Bus as one node sees it.
struct NodeBus {
    bus: Arc<LossyBus>,
    sim: Arc<Simulation>,
    liveness: Arc<NodeLiveness>,
}

impl Bus for NodeBus {
    fn publish(&self, news: Notification) {
        let mut subscribers = self.bus.subscribers();
        subscribers.retain(|_, subscriber| !subscriber.liveness.is_dead());
        for (name, subscriber) in &*subscribers {
            if *name == self.liveness.name || !subscriber.topics.contains(&news.topic) {
                continue;
            }
            if self.sim.injects_anytime(FaultKind::NotificationLost) {
                continue;
            }
            let times = 1 + usize::from(self.sim.injects(FaultKind::NotificationTwice));
            for _ in 0..times {
                let delay = if self.sim.injects(FaultKind::NotificationLate) { LATE } else { LATENCY };
                let delay = self.sim.ms(delay);
                let (to, here, there) =
                    (subscriber.to.clone(), Arc::clone(&self.liveness), Arc::clone(&subscriber.liveness));
                tokio::spawn(async move {
                    here.wait_while_paused().await;
                    sleep(delay).await;
                    there.wait_while_paused().await;
                    // A full queue drops the notification.
                    let _ = to.try_send(news);
                });
            }
        }
    }

    fn subscribe(&self, topic: Topic) {
        if let Some(subscriber) = self.bus.subscribers().get_mut(&self.liveness.name) {
            subscriber.topics.insert(topic);
        }
    }

    fn unsubscribe(&self, topic: Topic) {
        if let Some(subscriber) = self.bus.subscribers().get_mut(&self.liveness.name) {
            subscriber.topics.remove(&topic);
        }
    }
}
