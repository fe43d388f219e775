//! The nodes of a world: each is started, lives for a while, and dies or stands still, until the storm is over.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use intermezzo_client::Absences;
use intermezzo_server::house::{Bundle, Entropy};
use intermezzo_server::{Config, Limits, Node};
use intermezzo_store::{Clock as _, Memory, Store};
use tokio::task::JoinSet;
use tokio::time::sleep;

use crate::disk::{Disk, Life, MOST_BEHIND};
use crate::grapevine::Grapevine;
use crate::signal::Signal;
use crate::weather::Fault;
use crate::world::World;

/// A node is left in peace for at most so many milliseconds.
const PEACE: u64 = 7_000;
/// A node that has died is started again within so many milliseconds.
const AWAY: u64 = 6_000;
/// A node that dies while it starts does so within so many milliseconds.
const STARTING: u64 = 60;
/// One that stands still does so for at most so many milliseconds.
const STANDS: u64 = 15_000;
/// The disk is full for at most so many milliseconds, if it is.
const FULL: u64 = 8_000;

/// After the storm a node is up within so many seconds.
const LOOKS: usize = 60;
/// Nodes that share a store do not miss each other for so many milliseconds.
const GONE_MS: i64 = 5_000;

/// The nodes of a world, and what they have in common.
pub(crate) struct Fleet {
    pub(crate) world: Arc<World>,
    /// What is really stored.
    pub(crate) truth: Arc<Memory>,
    /// When no node was there.
    pub(crate) absences: Absences,
    bundle: Arc<Bundle>,
    vine: Arc<Grapevine>,
    berths: Mutex<Vec<Option<Ship>>>,
    /// Whether the last blow has come.
    last_blow: Signal,
    /// Since when no node is there.
    empty_since: Mutex<Option<i64>>,
}

/// A node that is up.
struct Ship {
    node: Arc<Node>,
    life: Arc<Life>,
    /// What is done for those who are connected to it.
    tasks: JoinSet<()>,
}

impl Fleet {
    pub(crate) fn new(world: &Arc<World>, bundle: &Arc<Bundle>, nodes: usize) -> Arc<Fleet> {
        Arc::new(Fleet {
            world: Arc::clone(world),
            truth: Arc::new(Memory::with_clock(Arc::clone(world) as Arc<_>)),
            absences: Absences::default(),
            bundle: Arc::clone(bundle),
            vine: Arc::default(),
            berths: Mutex::new((0..nodes).map(|_| None).collect()),
            last_blow: Signal::default(),
            empty_since: Mutex::new(Some(world.now_ms())),
        })
    }

    fn berths(&self) -> MutexGuard<'_, Vec<Option<Ship>>> {
        self.berths.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How many nodes there are when all are up.
    pub(crate) fn size(&self) -> usize {
        self.berths().len()
    }

    /// A node, if it is up.
    pub(crate) fn node(&self, berth: usize) -> Option<(Arc<Node>, Arc<Life>)> {
        let berths = self.berths();
        let ship = berths.get(berth)?.as_ref()?;
        Some((Arc::clone(&ship.node), Arc::clone(&ship.life)))
    }

    /// The first node, as soon as it is up; nothing if that never happens.
    pub(crate) async fn some_node(&self) -> Option<Arc<Node>> {
        for _ in 0..LOOKS {
            if let Some((node, _)) = self.node(0) {
                return Some(node);
            }
            sleep(Duration::from_secs(1)).await;
        }
        None
    }

    /// Has something done by a node that is up: it ends with the node.
    pub(crate) fn on_board(&self, berth: usize, work: impl Future<Output = ()> + Send + 'static) {
        if let Some(Some(ship)) = self.berths().get_mut(berth) {
            while ship.tasks.try_join_next().is_some() {}
            ship.tasks.spawn(work);
        }
    }

    /// Keeps a node going: through the storm as the weather has it, afterwards in peace.
    pub(crate) async fn sail(self: Arc<Fleet>, berth: usize) {
        for count in 0.. {
            let is_alone = self.size() == 1;
            let life = Life::new(&self.world, format!("node {berth}.{count}"), is_alone);
            let begun = self.world.now_ms() - MOST_BEHIND;
            let is_up = self.start(berth, count, &life).await;
            // Whatever the node knows of the time before, it counts no later than from when it began to start.
            self.end_absence(begun);
            if !is_up {
                self.note_absence();
                self.world.storm_for(self.world.ms(AWAY)).await;
                continue;
            }
            self.live(berth, &life).await;
            self.world.storm_for(self.world.ms(AWAY)).await;
        }
    }

    /// Starts a node; false if it does not get so far.
    async fn start(&self, berth: usize, count: u64, life: &Arc<Life>) -> bool {
        let store: Arc<dyn Store> = Disk::new(&self.world, &self.truth, life);
        let company = (self.size() > 1).then(|| self.vine.join(&self.world, life));
        let entropy = Entropy::seeded(self.world.below(u64::MAX) ^ count);
        let starting = Node::start_with(store, company, entropy, config(), &self.bundle);
        let has_died = self.world.strikes(Fault::CrashAtStart);
        let within = if has_died { self.world.ms(STARTING) } else { Duration::from_secs(600) };
        let node = match tokio::time::timeout(within, starting).await {
            Ok(Ok(node)) if !has_died => node,
            Ok(Ok(node)) => {
                node.crash();
                life.die();
                return false;
            }
            Ok(Err(error)) => {
                self.world.note(&life.name, || format!("does not start: {error}"));
                life.die();
                return false;
            }
            Err(_) => {
                self.world.note(&life.name, || "dies while it starts".to_owned());
                life.die();
                return false;
            }
        };
        self.world.note(&life.name, || "is up".to_owned());
        let ship = Ship { node: Arc::new(node), life: Arc::clone(life), tasks: JoinSet::new() };
        if let Some(berth) = self.berths().get_mut(berth) {
            *berth = Some(ship);
        }
        true
    }

    fn end_absence(&self, at: i64) {
        let since = self.empty_since.lock().unwrap_or_else(PoisonError::into_inner).take();
        // Where there are several, short absences are nobody's.
        if let Some(since) = since.filter(|since| self.size() == 1 || at - since >= GONE_MS) {
            self.absences.add(since, at);
        }
    }

    /// Lets a node live until it dies.
    async fn live(&self, berth: usize, life: &Life) {
        loop {
            if self.world.is_calm() {
                // One more blow may come, and nothing after it.
                if self.last_blow.is_given() {
                    std::future::pending::<()>().await;
                }
                self.last_blow.given().await;
                self.sink(berth, life);
                return;
            }
            self.world.storm_for(self.world.ms(PEACE)).await;
            if self.world.strikes(Fault::DiskFull) {
                self.world.fill_disk(self.world.ms(FULL));
            }
            if self.world.strikes(Fault::Pause) {
                let stands = self.world.ms(STANDS);
                self.world.note(&life.name, || format!("stands still for {} ms", stands.as_millis()));
                life.stand(stands);
            } else if self.world.strikes(Fault::Crash) {
                self.sink(berth, life);
                return;
            } else if self.world.strikes(Fault::Stop) {
                self.dock(berth, life).await;
                return;
            }
        }
    }

    /// All nodes die once more, after the storm.
    pub(crate) fn strike_last(&self) {
        self.last_blow.give();
    }

    /// A node dies.
    fn sink(&self, berth: usize, life: &Life) {
        self.world.note(&life.name, || "dies".to_owned());
        life.die();
        let Some(mut ship) = self.berths().get_mut(berth).and_then(Option::take) else { return };
        ship.tasks.abort_all();
        ship.node.crash();
        self.note_absence();
    }

    /// A node stops in good order; if it takes too long it is killed.
    async fn dock(&self, berth: usize, life: &Life) {
        self.world.note(&life.name, || "stops".to_owned());
        let Some((node, _)) = self.node(berth) else { return };
        let stopping = async {
            node.stop().await;
            sleep(Duration::from_millis(50)).await;
            // Who is still connected is so no more.
            if let Some(Some(ship)) = self.berths().get_mut(berth) {
                ship.tasks.abort_all();
            }
            node.close().await;
        };
        let _ = tokio::time::timeout(Duration::from_secs(10), stopping).await;
        self.sink(berth, life);
    }

    fn note_absence(&self) {
        let now = self.world.now_ms();
        self.absences.add_kill(now);
        if self.berths().iter().all(Option::is_none) {
            *self.empty_since.lock().unwrap_or_else(PoisonError::into_inner) = Some(now);
        }
    }
}

/// Limits that go by the machine's clock are lifted.
fn config() -> Config {
    let limits = Limits {
        frames_per_second: 1_000_000,
        account_per_second: 1_000_000,
        address_per_second: 1_000_000,
        accounts_per_minute: 1_000_000,
        ..Limits::default()
    };
    Config { data: None, limits, ..Config::default() }
}
