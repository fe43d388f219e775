//! Servers on the same store, as one of them knows them. Start with [`Neighbours`].
//!
//! They are equal, and none of them decides anything for the others: the log does. Who is there matters for three things
//! only: whether somebody's connection was lost with a server, how long none was there at all, and who is first
//! to do what any of them could do.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use intermezzo_store::MatchId;

use crate::bus::{Bus, News, Topic};

/// Names one run of one server.
pub(crate) type NodeId = u128;

/// A server that leaves no sign of life for so long counts as gone.
pub(crate) const GONE_MS: i64 = 5_000;

/// The servers on one store.
pub(crate) struct Neighbours {
    /// This one.
    pub(crate) own: NodeId,
    bus: Arc<dyn Bus>,
    known: Mutex<Known>,
}

#[derive(Default)]
struct Known {
    /// When each has last left a sign of life, by the store's clock.
    signs: BTreeMap<NodeId, i64>,
    /// Up to when this one is known to count as alive by the others.
    alive_until: i64,
}

impl Neighbours {
    pub(crate) fn new(own: NodeId, bus: Arc<dyn Bus>) -> Neighbours {
        Neighbours { own, bus, known: Mutex::default() }
    }

    /// What the store says about who is alive; this server's own sign was left then.
    pub(crate) fn note(&self, signs: BTreeMap<NodeId, i64>, own_sign: i64) {
        *self.known() = Known { signs, alive_until: own_sign + GONE_MS };
    }

    /// Whether the others still count on this server. If not, much may have happened that it has not heard of.
    pub(crate) fn is_counted_on(&self, now: i64) -> bool {
        now < self.known().alive_until
    }

    /// Whether a server is gone.
    pub(crate) fn is_gone(&self, node: NodeId, now: i64) -> bool {
        node != self.own && self.known().signs.get(&node).is_none_or(|sign| sign + GONE_MS <= now)
    }

    /// Servers that have left signs and are gone.
    pub(crate) fn gone(&self, now: i64) -> Vec<(NodeId, i64)> {
        let known = self.known();
        let signs = known.signs.iter().map(|(node, sign)| (*node, *sign));
        signs.filter(|(node, sign)| *node != self.own && sign + GONE_MS <= now).collect()
    }

    /// Whether this server is the first to do what any of them could do for a match: the one with the highest hash of
    /// both names. That is for speed alone; whoever comes second finds it done.
    pub(crate) fn is_first(&self, match_id: MatchId, now: i64) -> bool {
        let weight = |node: NodeId| {
            let mut hasher = blake3::Hasher::new();
            hasher.update(&node.to_le_bytes());
            hasher.update(&match_id.0.to_le_bytes());
            *hasher.finalize().as_bytes()
        };
        let own = weight(self.own);
        let known = self.known();
        let others = known.signs.iter().filter(|(node, sign)| **node != self.own && **sign + GONE_MS > now);
        others.map(|(node, _)| weight(*node)).all(|other| other <= own)
    }

    pub(crate) fn tell(&self, topic: Topic, version: u64) {
        self.bus.tell(News { topic, version });
    }

    pub(crate) fn listen(&self, topic: Topic) {
        self.bus.listen(topic);
    }

    pub(crate) fn ignore(&self, topic: Topic) {
        self.bus.ignore(topic);
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl std::fmt::Debug for Neighbours {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Neighbours").field("own", &self.own).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bus::Silence;

    fn neighbours(own: NodeId, signs: &[(NodeId, i64)]) -> Neighbours {
        let neighbours = Neighbours::new(own, Arc::new(Silence));
        neighbours.note(signs.iter().copied().collect(), 1_000);
        neighbours
    }

    #[test]
    fn exactly_one_of_those_who_are_there_is_first() {
        let signs = [(1, 1_000), (2, 1_000), (3, -9_000)];
        let mut firsts = [0; 3];
        for id in 0..300 {
            let first = |own: NodeId| neighbours(own, &signs).is_first(MatchId(id), 1_500);
            assert!(first(1) ^ first(2), "match {id}");
            for own in 1..=2 {
                firsts[own as usize] += u32::from(first(own));
            }
        }
        assert!(firsts[1] > 100 && firsts[2] > 100, "{firsts:?}");
    }

    #[test]
    fn who_leaves_no_sign_is_gone() {
        let neighbours = neighbours(1, &[(1, 1_000), (2, 900)]);
        assert!(!neighbours.is_gone(2, 5_899));
        assert!(neighbours.is_gone(2, 5_900));
        assert!(neighbours.is_gone(7, 0), "nobody has ever heard of it");
        assert!(!neighbours.is_gone(1, 99_000), "oneself is there");
        assert_eq!(neighbours.gone(5_900), [(2, 900)]);
        assert!(neighbours.is_counted_on(5_999) && !neighbours.is_counted_on(6_000));
    }
}
