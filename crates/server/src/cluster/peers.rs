//! The servers on one store, as one of them sees them. Start with [`ClusterPeers`].
//!
//! All servers are equal, and none decides anything for the others: the log does. Liveness matters for three
//! things only: connections lost with a server, the length of a downtime, and the choice of the server that
//! acts first where any of them could.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use intermezzo_store::MatchId;

use crate::cluster::bus::{Bus, Notification, Topic};

/// Id of one run of one server.
pub(crate) type NodeId = u128;

/// Time without a heartbeat after which a server counts as gone.
pub(crate) const NODE_TIMEOUT_MS: i64 = 5_000;

/// Time without a heartbeat of any server after which all of them were away. A server relies on its own heartbeat for
/// as long.
pub(crate) const AWAY_MS: i64 = 2_000;

/// The servers on one store.
pub(crate) struct ClusterPeers {
    /// Id of this server.
    pub(crate) own: NodeId,
    bus: Arc<dyn Bus>,
    status: Mutex<PeerStatus>,
}

#[derive(Default)]
struct PeerStatus {
    /// Time of each server's last heartbeat, by the store's clock.
    heartbeats: BTreeMap<NodeId, i64>,
    /// Time until which no other server can have recorded a downtime without this server knowing.
    alive_until: i64,
}

impl ClusterPeers {
    pub(crate) fn new(own: NodeId, bus: Arc<dyn Bus>) -> ClusterPeers {
        ClusterPeers { own, bus, status: Mutex::default() }
    }

    /// Stores the heartbeats that were read after the own one, written at `own_sign`.
    pub(crate) fn update(&self, heartbeats: BTreeMap<NodeId, i64>, own_heartbeat: i64) {
        *self.status() = PeerStatus { heartbeats, alive_until: own_heartbeat + AWAY_MS };
    }

    /// Returns true if no other server can have recorded a downtime that this server does not know of.
    pub(crate) fn is_trusted_alive(&self, now: i64) -> bool {
        now < self.status().alive_until
    }

    /// Returns true if a server is gone.
    pub(crate) fn is_gone(&self, node: NodeId, now: i64) -> bool {
        node != self.own
            && self.status().heartbeats.get(&node).is_none_or(|heartbeat| heartbeat + NODE_TIMEOUT_MS <= now)
    }

    /// Lists servers that are gone but still have a heartbeat record.
    pub(crate) fn gone_nodes(&self, now: i64) -> Vec<(NodeId, i64)> {
        let status = self.status();
        let heartbeats = status.heartbeats.iter().map(|(node, heartbeat)| (*node, *heartbeat));
        heartbeats
            .filter(|(node, heartbeat)| *node != self.own && heartbeat + NODE_TIMEOUT_MS <= now)
            .collect()
    }

    /// Returns true if this server should act first for a match where any server could: the one with the
    /// highest hash of both ids. It only avoids duplicate work; correctness does not depend on it.
    pub(crate) fn is_preferred(&self, match_id: MatchId, now: i64) -> bool {
        let weight = |node: NodeId| {
            let mut hasher = blake3::Hasher::new();
            hasher.update(&node.to_le_bytes());
            hasher.update(&match_id.0.to_le_bytes());
            *hasher.finalize().as_bytes()
        };
        let own = weight(self.own);
        let status = self.status();
        let others = status
            .heartbeats
            .iter()
            .filter(|(node, heartbeat)| **node != self.own && **heartbeat + NODE_TIMEOUT_MS > now);
        others.map(|(node, _)| weight(*node)).all(|other| other <= own)
    }

    pub(crate) fn publish(&self, topic: Topic, version: u64) {
        self.bus.publish(Notification { topic, version });
    }

    pub(crate) fn subscribe(&self, topic: Topic) {
        self.bus.subscribe(topic);
    }

    pub(crate) fn unsubscribe(&self, topic: Topic) {
        self.bus.unsubscribe(topic);
    }

    fn status(&self) -> MutexGuard<'_, PeerStatus> {
        self.status.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl std::fmt::Debug for ClusterPeers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ClusterPeers").field("own", &self.own).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::bus::SilentBus;

    fn peers(own: NodeId, heartbeats: &[(NodeId, i64)]) -> ClusterPeers {
        let peers = ClusterPeers::new(own, Arc::new(SilentBus));
        peers.update(heartbeats.iter().copied().collect(), 1_000);
        peers
    }

    #[test]
    fn exactly_one_live_server_is_preferred() {
        let heartbeats = [(1, 1_000), (2, 1_000), (3, -9_000)];
        let mut firsts = [0; 3];
        for id in 0..300 {
            let first = |own: NodeId| peers(own, &heartbeats).is_preferred(MatchId(id), 1_500);
            assert!(first(1) ^ first(2), "match {id}");
            for own in 1..=2 {
                firsts[own as usize] += u32::from(first(own));
            }
        }
        assert!(firsts[1] > 100 && firsts[2] > 100, "{firsts:?}");
    }

    #[test]
    fn a_server_without_heartbeats_is_gone() {
        let peers = peers(1, &[(1, 1_000), (2, 900)]);
        assert!(!peers.is_gone(2, 5_899));
        assert!(peers.is_gone(2, 5_900));
        assert!(peers.is_gone(7, 0), "an unknown server is gone");
        assert!(!peers.is_gone(1, 99_000), "this server is never gone");
        assert_eq!(peers.gone_nodes(5_900), [(2, 900)]);
        assert!(peers.is_trusted_alive(2_999) && !peers.is_trusted_alive(3_000));
    }
}
