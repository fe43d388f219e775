//! What nodes tell each other: it may be lost, late or told twice, and nothing depends on it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use intermezzo_server::{Bus, Company, News, Topic};
use tokio::sync::mpsc;
use tokio::time::sleep;

use crate::disk::Life;
use crate::weather::Fault;
use crate::world::World;

/// News usually take so many milliseconds at most.
const LATENCY: u64 = 10;
/// Those that come late take so many.
const LATE: u64 = 3_000;
/// So many news wait for a node at most.
const WAITING: usize = 1_000;

/// The nodes that hear of each other, by their names.
#[derive(Default)]
pub(crate) struct Grapevine(Mutex<BTreeMap<String, Listener>>);

struct Listener {
    life: Arc<Life>,
    to: mpsc::Sender<News>,
    topics: BTreeSet<Topic>,
}

impl Grapevine {
    fn listeners(&self) -> MutexGuard<'_, BTreeMap<String, Listener>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A node hears what the others tell, until it dies.
    pub(crate) fn join(self: &Arc<Grapevine>, world: &Arc<World>, life: &Arc<Life>) -> Company {
        let (to, news) = mpsc::channel(WAITING);
        let listener = Listener { life: Arc::clone(life), to, topics: BTreeSet::new() };
        self.listeners().insert(life.name.clone(), listener);
        let mouth = Mouth { vine: Arc::clone(self), world: Arc::clone(world), life: Arc::clone(life) };
        Company { bus: Arc::new(mouth), news }
    }
}

/// One node's way to the others.
struct Mouth {
    vine: Arc<Grapevine>,
    world: Arc<World>,
    life: Arc<Life>,
}

impl Bus for Mouth {
    fn tell(&self, news: News) {
        let mut listeners = self.vine.listeners();
        listeners.retain(|_, listener| !listener.life.is_dead());
        for (name, listener) in &*listeners {
            if *name == self.life.name || !listener.topics.contains(&news.topic) {
                continue;
            }
            if self.world.strikes_always(Fault::NewsLost) {
                continue;
            }
            let times = 1 + usize::from(self.world.strikes(Fault::NewsTwice));
            for _ in 0..times {
                let delay = if self.world.strikes(Fault::NewsLate) { LATE } else { LATENCY };
                let delay = self.world.ms(delay);
                let (to, here, there) =
                    (listener.to.clone(), Arc::clone(&self.life), Arc::clone(&listener.life));
                tokio::spawn(async move {
                    here.goes_on().await;
                    sleep(delay).await;
                    there.goes_on().await;
                    // Who has too much to hear misses some of it.
                    let _ = to.try_send(news);
                });
            }
        }
    }

    fn listen(&self, topic: Topic) {
        if let Some(listener) = self.vine.listeners().get_mut(&self.life.name) {
            listener.topics.insert(topic);
        }
    }

    fn ignore(&self, topic: Topic) {
        if let Some(listener) = self.vine.listeners().get_mut(&self.life.name) {
            listener.topics.remove(&topic);
        }
    }
}
