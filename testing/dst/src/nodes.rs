//! Nodes of a simulation. Each starts, runs for a while, and crashes, stops or pauses, until faults stop.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use intermezzo_server::{Config, Node, ServerLimits};
use intermezzo_services::{Entropy, RulesetBundle};
use intermezzo_store::{MemoryStore, Store, TimeSource as _};
use intermezzo_test_client::ServerDowntime;
use tokio::task::JoinSet;
use tokio::time::sleep;

use crate::fault_plan::FaultKind;
use crate::faulty_store::{FaultyStore, MAX_CLOCK_LAG_MS, NodeLiveness};
use crate::lossy_bus::LossyBus;
use crate::signal::Signal;
use crate::simulator::Simulation;

/// Longest time between two faults of a node.
const MAX_UPTIME_MS: u64 = 7_000;
/// Longest time until a stopped node restarts.
const MAX_DOWNTIME_MS: u64 = 6_000;
/// Longest time until a node crashes that crashes while it starts.
const MAX_START_MS: u64 = 60;
const MAX_PAUSE_MS: u64 = 15_000;
const MAX_DISK_FULL_MS: u64 = 8_000;

/// Number of seconds within which a node must be up after faults have stopped.
const MAX_ATTEMPTS: usize = 60;
/// Shortest outage, in milliseconds, that nodes with a shared store count as downtime.
const GONE_MS: i64 = 2_000;
/// Longest time, in milliseconds, from the heartbeat that ends a node's downtime until the node is up.
const MAX_READY_MS: i64 = 50;
/// Shortest pause of the only node, in milliseconds, that it certainly notices.
const NOTICED_PAUSE_MS: i64 = 200;
/// Time until a node has written the next heartbeat, in milliseconds.
const NEXT_HEARTBEAT_MS: u64 = 4_000;
/// Time at the beginning and the end of a full disk, in milliseconds, in which writes may succeed.
const FULL_MARGIN_MS: i64 = 100;
/// Shortest time with a full disk, in milliseconds, that nodes certainly count as downtime.
const NOTICED_FULL_MS: i64 = 3_000;

/// Nodes of a simulation and the state they share.
pub(crate) struct NodeSet {
    pub(crate) sim: Arc<Simulation>,
    /// The store without faults.
    pub(crate) backing: Arc<MemoryStore>,
    /// Times without any node.
    pub(crate) downtime: ServerDowntime,
    bundle: Arc<RulesetBundle>,
    bus: Arc<LossyBus>,
    slots: Mutex<Vec<Option<RunningNode>>>,
    /// Set when all nodes crash once more.
    final_crash: Signal,
    /// Start of the current time without any node.
    empty_since: Mutex<Option<i64>>,
}

/// A node that is up.
struct RunningNode {
    node: Arc<Node>,
    liveness: Arc<NodeLiveness>,
    /// Tasks that serve the node's connections. They end with the node.
    tasks: JoinSet<()>,
}

impl NodeSet {
    pub(crate) fn new(sim: &Arc<Simulation>, bundle: &Arc<RulesetBundle>, nodes: usize) -> Arc<NodeSet> {
        Arc::new(NodeSet {
            sim: Arc::clone(sim),
            backing: Arc::new(MemoryStore::with_clock(Arc::clone(sim) as Arc<_>)),
            downtime: ServerDowntime::default(),
            bundle: Arc::clone(bundle),
            bus: Arc::default(),
            slots: Mutex::new((0..nodes).map(|_| None).collect()),
            final_crash: Signal::default(),
            empty_since: Mutex::new(Some(sim.now_ms())),
        })
    }

    fn slots(&self) -> MutexGuard<'_, Vec<Option<RunningNode>>> {
        self.slots.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the number of nodes, up or down.
    pub(crate) fn size(&self) -> usize {
        self.slots().len()
    }

    /// Returns the node in a slot if it is up.
    pub(crate) fn node(&self, slot: usize) -> Option<(Arc<Node>, Arc<NodeLiveness>)> {
        let slots = self.slots();
        let running = slots.get(slot)?.as_ref()?;
        Some((Arc::clone(&running.node), Arc::clone(&running.liveness)))
    }

    /// Waits for the first node. Returns `None` if it does not come up.
    pub(crate) async fn some_node(&self) -> Option<Arc<Node>> {
        for _ in 0..MAX_ATTEMPTS {
            if let Some((node, _)) = self.node(0) {
                return Some(node);
            }
            sleep(Duration::from_secs(1)).await;
        }
        None
    }

    /// Spawns a task that ends with the node in the slot.
    pub(crate) fn spawn_on(&self, slot: usize, work: impl Future<Output = ()> + Send + 'static) {
        if let Some(Some(running)) = self.slots().get_mut(slot) {
            while running.tasks.try_join_next().is_some() {}
            running.tasks.spawn(work);
        }
    }

    /// Starts the node of a slot again and again: with faults first, undisturbed once faults have stopped.
    pub(crate) async fn keep_running(self: Arc<NodeSet>, slot: usize) {
        for count in 0.. {
            let owns_store = self.size() == 1;
            let liveness = NodeLiveness::new(&self.sim, format!("node {slot}.{count}"), owns_store);
            let begun = self.sim.now_ms();
            let is_up = self.start(slot, count, &liveness).await;
            // The clocks of several nodes run from the moment at which the first one began to start, or earlier. That of
            // one runs from the moment at which it is up.
            match owns_store {
                true if is_up => self.end_outage(self.sim.now_ms() - MAX_CLOCK_LAG_MS - MAX_READY_MS),
                true => {}
                false => self.end_outage(begun - MAX_CLOCK_LAG_MS),
            }
            if !is_up {
                self.record_outage();
                self.sim.sleep_unless_fault_free(self.sim.ms(MAX_DOWNTIME_MS)).await;
                continue;
            }
            self.run_until_stopped(slot, &liveness).await;
            self.sim.sleep_unless_fault_free(self.sim.ms(MAX_DOWNTIME_MS)).await;
        }
    }

    /// Starts a node. Returns false if it fails or crashes before it is up.
    async fn start(&self, slot: usize, count: u64, liveness: &Arc<NodeLiveness>) -> bool {
        let store: Arc<dyn Store> = FaultyStore::new(&self.sim, &self.backing, liveness);
        let company = (self.size() > 1).then(|| self.bus.join(&self.sim, liveness));
        let entropy = Entropy::seeded(self.sim.below(u64::MAX) ^ count);
        let starting = Node::start_with_bundle(
            store,
            company,
            entropy,
            config(),
            (&*self.bundle, liveness.switch.clone()),
        );
        let has_died = self.sim.injects(FaultKind::CrashAtStart);
        let within = if has_died { self.sim.ms(MAX_START_MS) } else { Duration::from_secs(600) };
        let node = match tokio::time::timeout(within, starting).await {
            Ok(Ok(node)) if !has_died => node,
            Ok(Ok(node)) => {
                node.crash();
                liveness.mark_dead();
                return false;
            }
            Ok(Err(error)) => {
                self.sim.trace(&liveness.name, || format!("failed to start: {error}"));
                liveness.mark_dead();
                return false;
            }
            Err(_) => {
                self.sim.trace(&liveness.name, || "crashes while it starts".to_owned());
                liveness.mark_dead();
                return false;
            }
        };
        self.sim.trace(&liveness.name, || "is up".to_owned());
        let running =
            RunningNode { node: Arc::new(node), liveness: Arc::clone(liveness), tasks: JoinSet::new() };
        if let Some(slot) = self.slots().get_mut(slot) {
            *slot = Some(running);
        }
        true
    }

    fn end_outage(&self, at: i64) {
        let since = self.empty_since.lock().unwrap_or_else(PoisonError::into_inner).take();
        // Several nodes do not count a short outage as downtime.
        if let Some(since) = since.filter(|since| self.size() == 1 || at - since >= GONE_MS) {
            self.downtime.add(since, at);
        }
    }

    /// Runs a node until it stops, with pauses and full disks in between.
    async fn run_until_stopped(&self, slot: usize, liveness: &Arc<NodeLiveness>) {
        loop {
            if self.sim.is_fault_free() {
                // One more crash may come, and nothing after it.
                if self.final_crash.is_set() {
                    std::future::pending::<()>().await;
                }
                self.final_crash.wait().await;
                self.crash(slot, liveness);
                return;
            }
            self.sim.sleep_unless_fault_free(self.sim.ms(MAX_UPTIME_MS)).await;
            if self.sim.injects(FaultKind::DiskFull) {
                self.fill_disk();
            }
            if self.sim.injects(FaultKind::Pause) {
                let pause = self.sim.ms(MAX_PAUSE_MS);
                self.sim.trace(&liveness.name, || format!("pauses for {} ms", pause.as_millis()));
                liveness.pause(pause);
                self.record_pause(liveness);
            } else if self.sim.injects(FaultKind::Crash) {
                self.crash(slot, liveness);
                return;
            } else if self.sim.injects(FaultKind::Stop) {
                self.stop_gracefully(slot, liveness).await;
                return;
            }
        }
    }

    /// Records that the only node is stopped for a while, which it notices at once. Nobody is charged for it.
    fn record_pause(&self, liveness: &Arc<NodeLiveness>) {
        if self.size() > 1 {
            return;
        }
        let (sim, downtime, liveness) = (Arc::clone(&self.sim), self.downtime.clone(), Arc::clone(liveness));
        tokio::spawn(async move {
            let from = sim.now_ms();
            // The rest of the pause of a node that crashes is an outage.
            tokio::select! {
                () = liveness.wait_while_paused() => {}
                () = liveness.wait_for_death() => {}
            }
            let until = sim.now_ms();
            if until - from >= NOTICED_PAUSE_MS {
                downtime.add(from + MAX_CLOCK_LAG_MS, until - MAX_CLOCK_LAG_MS);
            }
        });
    }

    /// Fills the disk for a while. Players are not charged for it.
    fn fill_disk(&self) {
        let lasts = self.sim.ms(MAX_DISK_FULL_MS);
        self.sim.fill_disk(lasts);
        let (sim, downtime) = (Arc::clone(&self.sim), self.downtime.clone());
        tokio::spawn(async move {
            let from = sim.now_ms();
            sim.sleep_unless_fault_free(lasts).await;
            // Writes that were submitted before are still applied within this time, and clocks may be behind.
            let (from, until) = (from + FULL_MARGIN_MS, sim.now_ms() - FULL_MARGIN_MS);
            if until - from >= NOTICED_FULL_MS {
                // The nodes notice it with their next heartbeat, which fails while the disk is full for another reason.
                while sim.is_full() {
                    sleep(Duration::from_millis(NEXT_HEARTBEAT_MS)).await;
                }
                sleep(Duration::from_millis(NEXT_HEARTBEAT_MS)).await;
                downtime.add(from, until);
            }
        });
    }

    /// Crashes all nodes once more after faults have stopped.
    pub(crate) fn crash_all_once_more(&self) {
        self.final_crash.set();
    }

    fn crash(&self, slot: usize, liveness: &NodeLiveness) {
        self.sim.trace(&liveness.name, || "crashes".to_owned());
        liveness.mark_dead();
        let Some(mut running) = self.slots().get_mut(slot).and_then(Option::take) else { return };
        running.tasks.abort_all();
        running.node.crash();
        self.record_outage();
    }

    /// Stops a node gracefully, and kills it if that takes too long.
    async fn stop_gracefully(&self, slot: usize, liveness: &NodeLiveness) {
        self.sim.trace(&liveness.name, || "stops".to_owned());
        let Some((node, _)) = self.node(slot) else { return };
        let stopping = async {
            node.stop().await;
            sleep(Duration::from_millis(50)).await;
            // Close the remaining connections.
            if let Some(Some(running)) = self.slots().get_mut(slot) {
                running.tasks.abort_all();
            }
            node.close().await;
        };
        let _ = tokio::time::timeout(Duration::from_secs(10), stopping).await;
        self.crash(slot, liveness);
    }

    fn record_outage(&self) {
        let now = self.sim.now_ms();
        self.downtime.add_kill(now);
        if self.slots().iter().all(Option::is_none) {
            self.empty_since.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(now);
        }
    }
}

/// Returns a configuration without the rate limits, which use the real clock.
fn config() -> Config {
    let limits = ServerLimits {
        frames_per_second: 1_000_000,
        account_per_second: 1_000_000,
        address_per_second: 1_000_000,
        accounts_per_minute: 1_000_000,
        ..ServerLimits::default()
    };
    Config { data: None, limits, ..Config::default() }
}
