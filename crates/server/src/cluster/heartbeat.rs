//! Heartbeats, from which a server learns how long none could take an answer: none was running, all were stopped, or
//! the store did not accept writes.
//!
//! A heartbeat is written at intervals and also with the rows of matches, which costs nothing extra. The end
//! of a killed server is therefore known precisely if it was busy. A running server whose last heartbeat is old, or
//! whose writes have failed since, expires no deadline until it has written a heartbeat, together with the time since
//! the last one as a downtime.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use intermezzo_protocol::{Code, Problem};
use intermezzo_store::{CommitOutcome, Expect, Put, Store, StoredRecord, Transaction, prefix};

use tokio::time::Instant;

use crate::cluster::peers::{AWAY_MS, ClusterPeers, NODE_TIMEOUT_MS, NodeId};
use crate::match_task::{Downtime, MatchRegistry, store_unavailable};

/// Heartbeat of a server that is alone on its store.
const SINGLE_KEY: &str = "server/alive";
/// Heartbeats of servers that share a store.
const NODES_PREFIX: &str = "server/alive/";
/// Time of the last start of a server that shares the store.
const STARTED_KEY: &str = "server/started";
const DOWNTIMES_PREFIX: &str = "server/absence/";

/// Longest interval between heartbeats.
const MAX_INTERVAL: Duration = Duration::from_secs(1);
/// Shortest interval between heartbeats.
const MIN_INTERVAL: Duration = Duration::from_millis(100);

/// Time since the last heartbeat after which a server that is alone on its store was away.
const MAX_GAP: Duration = Duration::from_secs(2);
/// Pause after a failed heartbeat, during which nobody waits for another attempt.
const RETRY_PAUSE: Duration = Duration::from_millis(250);

/// Attempts before servers that start at the same time give up.
const MAX_ATTEMPTS: u32 = 50;

/// Returns the interval before the next heartbeat of a server of that age. It grows with the age, so that a
/// server that is killed again and again shortly after its start still has half of its uptime counted, and
/// deadlines come closer.
pub(crate) fn interval(age: Duration) -> Duration {
    age.clamp(MIN_INTERVAL, MAX_INTERVAL)
}

/// Records the downtime that ends now and returns all downtimes, oldest first.
///
/// Call this last during startup: a server that is killed earlier never was up.
pub(crate) async fn record_downtime(store: &Arc<dyn Store>) -> Result<Vec<Downtime>, Problem> {
    let now = store.now();
    let last = last_heartbeat(store).await?;
    let mut puts = vec![number_put(SINGLE_KEY, now)];
    puts.extend(last.filter(|last| now > *last).map(|last| downtime_put(last, now)));
    match store.commit(Transaction { puts, ..Transaction::default() }).await {
        CommitOutcome::Committed => read_downtimes(store).await,
        outcome => Err(not_writable(&outcome)),
    }
}

/// Records the downtime that ends now, if no other server has a recent heartbeat, and returns all downtimes.
///
/// Servers that start at the same time agree on one downtime: each writes that it starts and requires that no
/// other server has done so in the meantime.
pub(crate) async fn record_cluster_downtime(
    store: &Arc<dyn Store>,
    own: NodeId,
) -> Result<Vec<Downtime>, Problem> {
    for _ in 0..MAX_ATTEMPTS {
        let started = store.get(STARTED_KEY).await.map_err(|error| store_unavailable(&error))?;
        let expect = started.map_or(Expect::Absent, |record| Expect::Version(record.version));
        let (now, last) = (store.now(), last_heartbeat(store).await?);
        let mut puts = vec![number_put(&node_key(own), now), Put { expect, ..number_put(STARTED_KEY, now) }];
        puts.extend(last.filter(|last| now >= last + AWAY_MS).map(|last| downtime_put(last, now)));
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

async fn read_downtimes(store: &Arc<dyn Store>) -> Result<Vec<Downtime>, Problem> {
    let found = store
        .scan(prefix(DOWNTIMES_PREFIX), usize::MAX, false)
        .await
        .map_err(|error| store_unavailable(&error))?;
    let downtime = |(key, record): &(String, StoredRecord)| {
        let until = key.strip_prefix(DOWNTIMES_PREFIX)?.parse().ok()?;
        Some(Downtime { from: parse_number(&record.value)?, until })
    };
    Ok(found.iter().filter_map(downtime).collect())
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

async fn write_and_read(registry: &MatchRegistry) {
    let Some(peers) = &registry.peers else {
        // A heartbeat that took long shows only now that the server was away.
        while registry.heartbeat.write_alone(registry).await == Written::TooLate {}
        return;
    };
    let gap = registry.heartbeat.committed().instant.elapsed();
    let written = match gap < Duration::from_millis(AWAY_MS as u64) {
        true => registry.heartbeat.write(&registry.store, peers).await,
        // If the others were away too, this is the end of a downtime.
        false => registry.heartbeat.write_after_gap(&registry.store, peers).await,
    };
    let Some(written) = written else { return };
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
}

/// Tells the other servers that this one stops, so that they need not wait for the timeout.
pub(crate) async fn announce_shutdown(registry: &MatchRegistry) {
    let now = registry.store.now();
    let heartbeat = match &registry.peers {
        Some(peers) => number_put(&node_key(peers.own), now - NODE_TIMEOUT_MS),
        None => number_put(SINGLE_KEY, now),
    };
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
    committed: Mutex<Committed>,
    /// Failed writes since the start, and how many of them a downtime covers.
    failures: AtomicU64,
    covered_failures: AtomicU64,
    last_failure: Mutex<Option<Instant>>,
}

/// The result of writing a heartbeat.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Written {
    InTime,
    /// It was committed so long after the last one that the time between them is a downtime.
    TooLate,
    Failed,
}

/// The last heartbeat that was committed.
#[derive(Clone, Copy, Debug)]
struct Committed {
    /// Time of the store's clock.
    at: i64,
    instant: Instant,
}

impl Heartbeat {
    /// Creates the state of a server whose first heartbeat was committed at that time.
    pub(crate) fn new(at: i64) -> Heartbeat {
        Heartbeat {
            last: AtomicI64::new(at),
            writing: tokio::sync::Mutex::default(),
            committed: Mutex::new(Committed { at, instant: Instant::now() }),
            failures: AtomicU64::new(0),
            covered_failures: AtomicU64::new(0),
            last_failure: Mutex::new(None),
        }
    }

    /// Returns true if this server could take answers all the time since its last heartbeat.
    pub(crate) fn is_fresh(&self) -> bool {
        let failures = self.failures.load(Ordering::SeqCst);
        self.covered_failures.load(Ordering::SeqCst) == failures
            && self.committed().instant.elapsed() <= MAX_GAP
    }

    /// Notes that the store has not accepted a write.
    pub(crate) fn note_failure(&self) {
        self.failures.fetch_add(1, Ordering::SeqCst);
    }

    fn has_just_failed(&self) -> bool {
        let last = *self.last_failure.lock().unwrap_or_else(PoisonError::into_inner);
        last.is_some_and(|last| last.elapsed() < RETRY_PAUSE)
    }

    fn committed(&self) -> Committed {
        *self.committed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes a heartbeat of a server that is alone on its store, and the downtime that ends with it, if any.
    async fn write_alone(&self, registry: &MatchRegistry) -> Written {
        let (now, instant) = (registry.store.now(), Instant::now());
        let failures = self.failures.load(Ordering::SeqCst);
        let before = self.committed();
        let gap = instant.saturating_duration_since(before.instant);
        // Only time that has really passed counts, whatever the clock says.
        let from = before.at.max(now.saturating_sub(i64::try_from(gap.as_millis()).unwrap_or(i64::MAX)));
        let downtime = Downtime { from, until: now };
        let is_stale = !self.is_fresh();
        let was_away = is_stale && downtime.from < downtime.until;
        let mut puts = vec![number_put(SINGLE_KEY, now)];
        puts.extend(was_away.then(|| downtime_put(downtime.from, downtime.until)));
        if !self.commit(&registry.store, now, puts).await {
            return Written::Failed;
        }
        if !is_stale && before.instant.elapsed() > MAX_GAP {
            return Written::TooLate;
        }
        if was_away {
            tracing::warn!(
                ms = now - from,
                "the server could not take answers; the clocks of matches were stopped"
            );
            registry.add_downtime(downtime);
        }
        self.mark_committed(now, instant);
        self.covered_failures.store(failures, Ordering::SeqCst);
        Written::InTime
    }

    /// Writes a heartbeat of one of several servers. Returns its time if it was committed.
    async fn write(&self, store: &Arc<dyn Store>, peers: &ClusterPeers) -> Option<i64> {
        let now = store.now();
        let instant = Instant::now();
        let puts = vec![number_put(&node_key(peers.own), now)];
        let is_committed = self.commit(store, now, puts).await;
        is_committed.then(|| self.mark_committed(now, instant))
    }

    fn mark_committed(&self, at: i64, instant: Instant) -> i64 {
        *self.committed.lock().unwrap_or_else(PoisonError::into_inner) = Committed { at, instant };
        at
    }

    /// Writes a heartbeat of one of several servers that the others consider gone.
    async fn write_after_gap(&self, store: &Arc<dyn Store>, peers: &ClusterPeers) -> Option<i64> {
        let (now, instant) = (store.now(), Instant::now());
        match record_cluster_downtime(store, peers.own).await {
            Ok(_) => Some(self.mark_committed(now, instant)),
            Err(problem) => {
                tracing::warn!(%problem, "cannot write a heartbeat");
                *self.last_failure.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
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
            *self.last_failure.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
        }
        is_committed
    }

    /// Returns a heartbeat to write along with other records, if the last one is old enough.
    pub(crate) fn piggyback(&self, now: i64, peers: Option<&ClusterPeers>) -> Option<Put> {
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

fn downtime_put(from: i64, until: i64) -> Put {
    number_put(&format!("{DOWNTIMES_PREFIX}{until:020}"), from)
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

    #[test]
    fn a_heartbeat_is_written_along_with_rows_at_intervals() {
        let heartbeats = Heartbeat::new(0);
        assert!(heartbeats.piggyback(1_000, None).is_some());
        assert!(heartbeats.piggyback(1_099, None).is_none());
        assert!(heartbeats.piggyback(1_100, None).is_some());
    }
}
