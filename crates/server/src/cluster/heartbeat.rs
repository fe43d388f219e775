//! Heartbeats, from which a server learns how long none could take an answer: none was running, all were stopped, or
//! the store did not accept writes.
//!
//! A heartbeat is written at intervals and also with the rows of matches, which costs nothing extra. The end
//! of a killed server is therefore known precisely if it was busy. A server that could not take answers for a while
//! expires no deadline until it has written a heartbeat together with that time as a downtime. How a server that is
//! alone on its store finds out is the subject of [`super::availability`].

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use intermezzo_protocol::{Code, Problem};
use intermezzo_store::{CommitOutcome, Expect, Put, Store, StoredRecord, Transaction, prefix};

use tokio::time::Instant;

use crate::cluster::availability::{Availability, HeartbeatPlan, Moment, ObservedWrite};
use crate::cluster::peers::{AWAY_MS, ClusterPeers, NODE_TIMEOUT_MS, NodeId};
use crate::match_task::{Downtime, MatchRegistry, store_unavailable};

/// Heartbeat of a server that is alone on its store.
const SINGLE_KEY: &str = "server/alive";
/// Heartbeats of servers that share a store.
const NODES_PREFIX: &str = "server/alive/";
/// Time of the last start of a server that shares the store.
const STARTED_KEY: &str = "server/started";
/// Times without a server.
const DOWNTIMES_PREFIX: &str = "server/absence/";
/// Times at which a server could not take answers although its process lived on.
const STOPS_PREFIX: &str = "server/stop/";

/// Longest interval between heartbeats.
const MAX_INTERVAL: Duration = Duration::from_secs(1);
/// Shortest interval between heartbeats.
const MIN_INTERVAL: Duration = Duration::from_millis(100);

/// Pause after a failed heartbeat, during which nobody waits for another attempt.
const RETRY_PAUSE: Duration = Duration::from_millis(250);

/// Age from which on the record of a stop is removed if it was shorter than the second time, and how many are removed at
/// once.
const FORGET_STOP_MS: i64 = 7 * 24 * 60 * 60 * 1000;
const SHORT_STOP_MS: i64 = 2_000;
const MAX_REMOVALS: usize = 1_000;

/// Heartbeats that a server writes one after the other while each of them takes too long.
const MAX_HEARTBEATS: u32 = 8;

/// Attempts before servers that start at the same time give up.
const MAX_ATTEMPTS: u32 = 50;

/// Returns the interval before the next heartbeat of a server of that age. It grows with the age, so that a
/// server that is killed again and again shortly after its start still has half of its uptime counted, and
/// deadlines come closer.
pub(crate) fn interval(age: Duration) -> Duration {
    age.clamp(MIN_INTERVAL, MAX_INTERVAL)
}

/// Records the downtime that ends now, if no other server has a recent heartbeat, and returns all downtimes.
///
/// Servers that start at the same time agree on one downtime: each writes that it starts and requires that no
/// other server has done so in the meantime.
async fn record_cluster_downtime(store: &Arc<dyn Store>, own: NodeId) -> Result<Vec<Downtime>, Problem> {
    for _ in 0..MAX_ATTEMPTS {
        let started = store.get(STARTED_KEY).await.map_err(|error| store_unavailable(&error))?;
        let expect = started.map_or(Expect::Absent, |record| Expect::Version(record.version));
        let last = last_heartbeat(store).await?;
        // The downtime lasts until this write, however long the reads took.
        let now = store.now();
        let mut puts = vec![number_put(&node_key(own), now), Put { expect, ..number_put(STARTED_KEY, now) }];
        puts.extend(
            last.filter(|last| now >= last + AWAY_MS).map(|last| downtime_put(Downtime::new(last, now))),
        );
        match store.commit(Transaction { puts, ..Transaction::default() }).await {
            CommitOutcome::Committed => return read_downtimes(store).await,
            CommitOutcome::Conflict(_) | CommitOutcome::Unknown(_) => {}
            outcome => return Err(not_writable(&outcome)),
        }
        tokio::time::sleep(MIN_INTERVAL).await;
    }
    Err(Problem::new(Code::Busy, "too many servers are starting at the same time"))
}

/// Returns the time of the last heartbeat of any server.
pub(crate) async fn last_heartbeat(store: &Arc<dyn Store>) -> Result<Option<i64>, Problem> {
    let found =
        store.scan(prefix(SINGLE_KEY), usize::MAX, false).await.map_err(|error| store_unavailable(&error))?;
    Ok(found.iter().filter_map(|(_, record)| parse_number(&record.value)).max())
}

/// Returns the time of each server's last heartbeat.
async fn read_heartbeats(store: &Arc<dyn Store>) -> Result<BTreeMap<NodeId, i64>, Problem> {
    let found = store
        .scan(prefix(NODES_PREFIX), usize::MAX, false)
        .await
        .map_err(|error| store_unavailable(&error))?;
    let heartbeat = |(key, record): &(String, StoredRecord)| {
        let node = NodeId::from_str_radix(key.strip_prefix(NODES_PREFIX)?, 16).ok()?;
        Some((node, parse_number(&record.value)?))
    };
    Ok(found.iter().filter_map(heartbeat).collect())
}

/// Returns all recorded downtimes, oldest first. None overlap: a heartbeat with an unknown outcome may have recorded
/// the beginning of the next one.
pub(crate) async fn read_downtimes(store: &Arc<dyn Store>) -> Result<Vec<Downtime>, Problem> {
    let mut downtimes = Vec::new();
    for (prefix_text, create) in
        [(DOWNTIMES_PREFIX, Downtime::new as fn(i64, i64) -> Downtime), (STOPS_PREFIX, Downtime::stop)]
    {
        let found = store
            .scan(prefix(prefix_text), usize::MAX, false)
            .await
            .map_err(|error| store_unavailable(&error))?;
        downtimes.extend(found.iter().filter_map(|(key, record)| {
            let until = key.strip_prefix(prefix_text)?.parse().ok()?;
            Some(create(parse_number(&record.value)?, until))
        }));
    }
    downtimes.sort_by_key(|downtime| downtime.until);
    let mut known_until = i64::MIN;
    for downtime in &mut downtimes {
        downtime.from = downtime.from.max(known_until);
        known_until = downtime.until;
    }
    Ok(downtimes)
}

/// Removes the records of short stops of long ago. Clocks that ran then have a snapshot, or are days from their end.
pub(crate) async fn forget_old_stops(store: &Arc<dyn Store>) -> Result<(), Problem> {
    let before = store.now() - FORGET_STOP_MS;
    let range = STOPS_PREFIX.to_owned()..format!("{STOPS_PREFIX}{before:020}");
    let found = store.scan(range, usize::MAX, false).await.map_err(|error| store_unavailable(&error))?;
    let is_short = |(key, record): &&(String, StoredRecord)| {
        let until = key.strip_prefix(STOPS_PREFIX).and_then(|until| until.parse::<i64>().ok());
        let stop = until.zip(parse_number(&record.value));
        stop.is_none_or(|(until, from)| until - from < SHORT_STOP_MS)
    };
    let remove =
        |(key, _): &(String, StoredRecord)| Put { key: key.clone(), expect: Expect::Anything, value: None };
    let removals: Vec<Put> = found.iter().filter(is_short).map(remove).collect();
    for puts in removals.chunks(MAX_REMOVALS) {
        // A failure is harmless: the next start tries it again.
        let _ = store.commit(Transaction { puts: puts.to_vec(), ..Transaction::default() }).await;
    }
    Ok(())
}

/// Records the time until now, at which the server takes requests, as the downtime before its start.
///
/// A server that is killed earlier never was up.
pub(crate) async fn finish_start(registry: &MatchRegistry) -> Result<(), Problem> {
    let _one_at_a_time = registry.heartbeat.writing.lock().await;
    if let Some(peers) = &registry.peers {
        let now = Moment::now(&registry.store);
        registry.update_downtimes(record_cluster_downtime(&registry.store, peers.own).await?);
        registry.heartbeat.mark_committed(now);
    }
    match write_and_read(registry).await {
        true => Ok(()),
        false => Err(Problem::new(Code::Busy, "the database is not accepting writes")),
    }
}

/// Writes a heartbeat and reads those of the others.
pub(crate) async fn beat(registry: &MatchRegistry) {
    let _one_at_a_time = registry.heartbeat.writing.lock().await;
    write_and_read(registry).await;
}

/// Writes a heartbeat if the time since the last one may not be charged to players. Then that time is known as a
/// downtime when this returns, unless the store accepts no writes.
pub(crate) async fn ensure_fresh(registry: &MatchRegistry) {
    if registry.is_trusted_alive() {
        return;
    }
    let _one_at_a_time = registry.heartbeat.writing.lock().await;
    if !registry.is_trusted_alive() && !registry.heartbeat.has_just_failed() {
        write_and_read(registry).await;
    }
}

/// Notes that the process of this server runs. If it was stopped, the time becomes a downtime. The next note does not
/// wait for the heartbeat that records it.
pub(crate) fn tick(registry: &Arc<MatchRegistry>) {
    if !registry.is_trusted_alive() && registry.heartbeat.writing.try_lock().is_ok() {
        let own = Arc::clone(registry);
        registry.tasks.spawn(async move { ensure_fresh(&own).await });
    }
}

/// Returns true if a heartbeat was written.
async fn write_and_read(registry: &MatchRegistry) -> bool {
    let Some(peers) = &registry.peers else {
        // A heartbeat that took long shows only now that the server could not take answers meanwhile.
        for _ in 0..MAX_HEARTBEATS {
            if !registry.heartbeat.write_alone(registry).await {
                return false;
            }
            if registry.is_trusted_alive() {
                break;
            }
        }
        return true;
    };
    let gap = registry.heartbeat.committed().map(|committed| committed.instant.elapsed());
    let written = match gap.is_some_and(|gap| gap < Duration::from_millis(AWAY_MS as u64)) {
        true => registry.heartbeat.write(&registry.store, peers).await,
        // If the others were away too, this is the end of a downtime.
        false => registry.heartbeat.write_after_gap(&registry.store, peers).await,
    };
    let Some(written) = written else { return false };
    // Read after the own heartbeat was written: whatever the others did before they saw it is included, and
    // only then may this server rely on being seen as alive.
    let read = async {
        Ok::<_, Problem>((read_heartbeats(&registry.store).await?, read_downtimes(&registry.store).await?))
    };
    match read.await {
        Ok((heartbeats, downtimes)) => {
            registry.update_downtimes(downtimes);
            peers.update(heartbeats, written);
        }
        Err(problem) => tracing::warn!(%problem, "cannot read the heartbeats of other servers"),
    }
    true
}

/// Tells the other servers that this one stops, so that they need not wait for the timeout.
pub(crate) async fn announce_shutdown(registry: &MatchRegistry) {
    let now = registry.store.now();
    let Some(peers) = &registry.peers else {
        // A stop that no heartbeat has recorded yet must not get lost.
        registry.heartbeat.write_alone(registry).await;
        return;
    };
    let heartbeat = number_put(&node_key(peers.own), now - NODE_TIMEOUT_MS);
    let outcome =
        registry.store.commit(Transaction { puts: vec![heartbeat], ..Transaction::default() }).await;
    if outcome != CommitOutcome::Committed {
        tracing::warn!(?outcome, "cannot announce the shutdown to other servers");
    }
}

/// Removes the heartbeat of a server that is gone.
pub(crate) async fn remove_node(store: &Arc<dyn Store>, node: NodeId) {
    let put = Put { key: node_key(node), expect: Expect::Anything, value: None };
    // A failure is harmless: it is tried again later.
    let _ = store.commit(Transaction { puts: vec![put], ..Transaction::default() }).await;
}

/// The heartbeats of this server.
#[derive(Debug)]
pub(crate) struct Heartbeat {
    /// Time of the last one, committed or not.
    last: AtomicI64,
    /// Held while one is being written.
    writing: tokio::sync::Mutex<()>,
    /// The last heartbeat of one of several servers that was committed.
    committed: Mutex<Option<Moment>>,
    /// Of a server that is alone on its store.
    availability: Arc<Availability>,
    last_failure: Mutex<Option<Instant>>,
}

impl Heartbeat {
    /// Creates the state of a server that is about to start. `before` is the last heartbeat in its store.
    pub(crate) fn new(now: Moment, before: Option<i64>) -> Heartbeat {
        Heartbeat {
            last: AtomicI64::new(now.at),
            writing: tokio::sync::Mutex::default(),
            committed: Mutex::default(),
            availability: Arc::new(Availability::new(now, before)),
            last_failure: Mutex::new(None),
        }
    }

    /// Returns true if this server could take answers all the time since its last heartbeat.
    pub(crate) fn is_fresh(&self, now: Moment) -> bool {
        self.availability.is_available(now)
    }

    /// Starts to observe whether the store accepts a write.
    pub(crate) fn begin_write(&self, now: Moment) -> ObservedWrite {
        self.availability.begin_write(now)
    }

    fn has_just_failed(&self) -> bool {
        let last = *self.last_failure.lock().unwrap_or_else(PoisonError::into_inner);
        last.is_some_and(|last| last.elapsed() < RETRY_PAUSE)
    }

    fn note_failure(&self) {
        *self.last_failure.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
    }

    fn committed(&self) -> Option<Moment> {
        *self.committed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes a heartbeat of a server that is alone on its store, and the downtimes that end with it, if any. Returns
    /// true if it was committed.
    async fn write_alone(&self, registry: &MatchRegistry) -> bool {
        let plan = self.availability.begin_heartbeat(Moment::now(&registry.store));
        let HeartbeatPlan { now, before_start, stops, .. } = &plan;
        let mut puts = vec![number_put(SINGLE_KEY, now.at)];
        puts.extend(before_start.iter().chain(stops).map(|downtime| downtime_put(*downtime)));
        let is_committed = self.commit(&registry.store, now.at, puts).await;
        if is_committed {
            registry.add_downtimes(before_start.iter().chain(stops).copied());
        }
        self.availability.finish_heartbeat(&plan, is_committed, Moment::now(&registry.store));
        let stopped: i64 = stops.iter().map(Downtime::duration).sum();
        if is_committed && stopped > 0 {
            tracing::warn!(
                ms = stopped,
                until = now.at,
                "the server could not take answers; the clocks of matches were stopped"
            );
        }
        is_committed
    }

    /// Writes a heartbeat of one of several servers. Returns its time if it was committed.
    async fn write(&self, store: &Arc<dyn Store>, peers: &ClusterPeers) -> Option<i64> {
        let now = Moment::now(store);
        let puts = vec![number_put(&node_key(peers.own), now.at)];
        let is_committed = self.commit(store, now.at, puts).await;
        is_committed.then(|| self.mark_committed(now))
    }

    fn mark_committed(&self, now: Moment) -> i64 {
        *self.committed.lock().unwrap_or_else(PoisonError::into_inner) = Some(now);
        now.at
    }

    /// Writes a heartbeat of one of several servers that the others consider gone.
    async fn write_after_gap(&self, store: &Arc<dyn Store>, peers: &ClusterPeers) -> Option<i64> {
        let now = Moment::now(store);
        match record_cluster_downtime(store, peers.own).await {
            Ok(_) => Some(self.mark_committed(now)),
            Err(problem) => {
                tracing::warn!(%problem, "cannot write a heartbeat");
                self.note_failure();
                None
            }
        }
    }

    async fn commit(&self, store: &Arc<dyn Store>, now: i64, puts: Vec<Put>) -> bool {
        self.last.store(now, Ordering::Relaxed);
        let outcome = store.commit(Transaction { puts, ..Transaction::default() }).await;
        let is_committed = outcome == CommitOutcome::Committed;
        if !is_committed {
            tracing::warn!(?outcome, "cannot write a heartbeat");
            self.note_failure();
        }
        is_committed
    }

    /// Returns a heartbeat to write along with other records, if the last one is old enough and no downtime would be
    /// lost if the server were killed after it.
    pub(crate) fn piggyback(&self, now: Moment, peers: Option<&ClusterPeers>) -> Option<Put> {
        if peers.is_none() && !self.is_fresh(now) {
            return None;
        }
        let now = now.at;
        let last = self.last.load(Ordering::Relaxed);
        let is_old = now.saturating_sub(last) >= MIN_INTERVAL.as_millis() as i64;
        let is_mine =
            is_old && self.last.compare_exchange(last, now, Ordering::Relaxed, Ordering::Relaxed).is_ok();
        is_mine.then(|| number_put(&heartbeat_key(peers), now))
    }
}

fn heartbeat_key(peers: Option<&ClusterPeers>) -> String {
    peers.map_or_else(|| SINGLE_KEY.to_owned(), |peers| node_key(peers.own))
}

fn node_key(node: NodeId) -> String {
    format!("{NODES_PREFIX}{node:032x}")
}

fn downtime_put(downtime: Downtime) -> Put {
    let prefix = if downtime.is_restart { DOWNTIMES_PREFIX } else { STOPS_PREFIX };
    number_put(&format!("{prefix}{:020}", downtime.until), downtime.from)
}

fn number_put(key: &str, number: i64) -> Put {
    Put { key: key.to_owned(), expect: Expect::Anything, value: Some(number.to_string().into_bytes()) }
}

fn parse_number(value: &[u8]) -> Option<i64> {
    std::str::from_utf8(value).ok()?.parse().ok()
}

fn not_writable(outcome: &CommitOutcome) -> Problem {
    tracing::error!(?outcome, "the database is not accepting writes");
    Problem::new(Code::Busy, "the database is not accepting writes")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_young_server_writes_heartbeats_more_often() {
        let (mut age, mut heartbeats) = (Duration::ZERO, Vec::new());
        while age < Duration::from_secs(3) {
            age += interval(age);
            heartbeats.push(age.as_millis());
        }
        assert_eq!(heartbeats, [100, 200, 400, 800, 1_600, 2_600, 3_600]);
    }
}
