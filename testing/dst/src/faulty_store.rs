//! The simulation's shared store as a node reaches it, with delays, failures and unknown outcomes.
//!
//! The writes of one node are applied in the order in which it submitted them. A write whose outcome was reported as
//! unknown is the exception: it may be applied at any time, or never. When a node crashes, some of its pending writes
//! are still applied. A single node owns its store, in the same process: there, no write is applied late.

use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use intermezzo_server::StopSwitch;
use intermezzo_store::{
    CommitOutcome, LogRow, MatchId, MemoryStore, Snapshot, Store, StoreError, StoreFuture, StoredMatch,
    StoredRecord, TimeSource as _, Transaction,
};
use tokio::sync::{mpsc, oneshot};
use tokio::time::{Instant, sleep, sleep_until};

use crate::fault_plan::FaultKind;
use crate::signal::Signal;
use crate::simulator::Simulation;

/// Longest normal latency of a write and of a response, in milliseconds.
const LATENCY: u64 = 3;
/// Longest latency of a slow store, in milliseconds.
const SLOW: u64 = 1_500;
/// Longest delay of a write that is applied late, in milliseconds.
const LATE: u64 = 4_000;

/// Largest lag of a node's clock.
pub(crate) const MAX_CLOCK_LAG_MS: i64 = 40;

/// Liveness of one node from its start to its crash: alive, paused or dead.
#[derive(Debug)]
pub(crate) struct NodeLiveness {
    pub(crate) name: String,
    is_dead: Signal,
    paused_until: Mutex<Option<Instant>>,
    /// Stops the tasks of the node while it is paused.
    pub(crate) switch: StopSwitch,
    clock_lag_ms: i64,
    /// True for the only node: its store is in the same process and dies with it.
    owns_store: bool,
}

impl NodeLiveness {
    pub(crate) fn new(sim: &Simulation, name: String, owns_store: bool) -> Arc<NodeLiveness> {
        let clock_lag_ms =
            if sim.injects(FaultKind::ClockSkew) { 1 + sim.below(MAX_CLOCK_LAG_MS as u64) as i64 } else { 0 };
        let (is_dead, paused_until) = (Signal::default(), Mutex::default());
        let switch = StopSwitch::default();
        Arc::new(NodeLiveness { name, is_dead, paused_until, switch, clock_lag_ms, owns_store })
    }

    pub(crate) fn mark_dead(&self) {
        self.is_dead.set();
    }

    pub(crate) fn is_dead(&self) -> bool {
        self.is_dead.is_set()
    }

    pub(crate) async fn wait_for_death(&self) {
        self.is_dead.wait().await;
    }

    /// Pauses the node for that long, or until the end of an earlier pause.
    pub(crate) fn pause(&self, lasts: Duration) {
        let mut paused_until = self.paused_until.lock().unwrap_or_else(PoisonError::into_inner);
        let until = Instant::now() + lasts;
        let until = paused_until.map_or(until, |known| known.max(until));
        *paused_until = Some(until);
        self.switch.stop_until(until);
    }

    /// Returns true if the node was paused at some time after `since`.
    pub(crate) fn was_paused_since(&self, since: Instant) -> bool {
        self.paused_until.lock().unwrap_or_else(PoisonError::into_inner).is_some_and(|until| until > since)
    }

    pub(crate) async fn wait_while_paused(&self) {
        loop {
            let until = *self.paused_until.lock().unwrap_or_else(PoisonError::into_inner);
            match until.filter(|until| *until > Instant::now()) {
                Some(until) => sleep_until(until).await,
                None => return,
            }
        }
    }
}

/// The store as one node reaches it.
pub(crate) struct FaultyStore {
    sim: Arc<Simulation>,
    backing: Arc<MemoryStore>,
    liveness: Arc<NodeLiveness>,
    queue: mpsc::UnboundedSender<PendingWrite>,
    /// Time at which the last submitted write is applied. Later writes must not be applied before it.
    last: Mutex<Instant>,
}

/// A write in flight.
struct PendingWrite {
    at: Instant,
    operation: WriteOperation,
    /// Receives the outcome once the write is applied.
    applied: oneshot::Sender<CommitOutcome>,
}

#[derive(Clone)]
enum WriteOperation {
    Commit(Transaction),
    Forget(MatchId),
}

impl FaultyStore {
    pub(crate) fn new(
        sim: &Arc<Simulation>,
        backing: &Arc<MemoryStore>,
        liveness: &Arc<NodeLiveness>,
    ) -> Arc<FaultyStore> {
        let (queue, writes) = mpsc::unbounded_channel();
        tokio::spawn(apply_writes(Arc::clone(sim), Arc::clone(backing), Arc::clone(liveness), writes));
        Arc::new(FaultyStore {
            sim: Arc::clone(sim),
            backing: Arc::clone(backing),
            liveness: Arc::clone(liveness),
            queue,
            last: Mutex::new(Instant::now()),
        })
    }

    fn latency(&self) -> Duration {
        self.sim.ms(if self.sim.injects(FaultKind::SlowStore) { SLOW } else { LATENCY })
    }

    fn write(&self, operation: WriteOperation) -> StoreFuture<CommitOutcome> {
        let (sim, now) = (&self.sim, Instant::now());
        let told = |outcome| delayed_outcome(&self.liveness, now + self.latency(), outcome);
        let unknown = || CommitOutcome::Unknown("injected fault".to_owned());
        if sim.is_full() {
            return told(CommitOutcome::NotCommitted("the disk is full".to_owned()));
        }
        if sim.injects(FaultKind::DefinitelyNot) {
            sim.trace(&self.liveness.name, || format!("refused: {}", describe(&operation)));
            return told(CommitOutcome::NotCommitted("injected fault".to_owned()));
        }
        if sim.injects(FaultKind::UnknownLost) {
            sim.trace(&self.liveness.name, || format!("unknown, lost: {}", describe(&operation)));
            return told(unknown());
        }
        if !self.liveness.owns_store && sim.injects(FaultKind::UnknownLate) {
            let (backing, name, late) = (Arc::clone(&self.backing), self.liveness.name.clone(), sim.ms(LATE));
            let sim = Arc::clone(sim);
            tokio::spawn(async move {
                sleep(late).await;
                apply_write(&sim, &backing, &name, operation, "late").await
            });
            return told(unknown());
        }
        let is_unknown = sim.injects(FaultKind::UnknownApplied);
        let at = {
            let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
            *last = (*last).max(now + self.latency());
            *last
        };
        let (applied, outcome) = oneshot::channel();
        // If this fails, the node is dead and nobody waits for the outcome.
        let _ = self.queue.send(PendingWrite { at, operation, applied });
        let (liveness, after) = (Arc::clone(&self.liveness), sim.ms(LATENCY));
        Box::pin(async move {
            let outcome = outcome.await;
            sleep(after).await;
            liveness.wait_while_paused().await;
            match outcome {
                Ok(outcome) if !is_unknown => outcome,
                _ => unknown(),
            }
        })
    }

    fn read<T: Send + 'static>(
        &self,
        ask: impl FnOnce(&MemoryStore) -> StoreFuture<Result<T, StoreError>> + Send + 'static,
    ) -> StoreFuture<Result<T, StoreError>> {
        let (backing, liveness) = (Arc::clone(&self.backing), Arc::clone(&self.liveness));
        let (fails, latency) = (self.sim.injects(FaultKind::ReadError), self.latency());
        Box::pin(async move {
            sleep(latency).await;
            liveness.wait_while_paused().await;
            if fails {
                return Err(StoreError { message: "injected fault".to_owned() });
            }
            ask(&backing).await
        })
    }
}

fn delayed_outcome(
    liveness: &Arc<NodeLiveness>,
    at: Instant,
    outcome: CommitOutcome,
) -> StoreFuture<CommitOutcome> {
    let liveness = Arc::clone(liveness);
    Box::pin(async move {
        sleep_until(at).await;
        liveness.wait_while_paused().await;
        outcome
    })
}

/// Applies a node's writes in order.
async fn apply_writes(
    sim: Arc<Simulation>,
    backing: Arc<MemoryStore>,
    liveness: Arc<NodeLiveness>,
    mut writes: mpsc::UnboundedReceiver<PendingWrite>,
) {
    // Number of pending writes that are still applied after the node's crash.
    let mut outlives = sim.below(4);
    while let Some(PendingWrite { at, operation, applied }) = writes.recv().await {
        tokio::select! {
            biased;
            () = liveness.wait_for_death(), if liveness.owns_store => {}
            () = async { sleep_until(at).await; liveness.wait_while_paused().await } => {}
        }
        let mut how = "";
        if liveness.is_dead() {
            if outlives == 0 {
                sim.trace(&liveness.name, || format!("lost with its node: {}", describe(&operation)));
                continue;
            }
            outlives -= 1;
            how = "after the node's crash";
            if !liveness.owns_store {
                sleep(sim.ms(LATE)).await;
            }
        }
        let outcome = apply_write(&sim, &backing, &liveness.name, operation, how).await;
        // The node may be dead and no longer wait for the outcome.
        let _ = applied.send(outcome);
    }
}

async fn apply_write(
    sim: &Simulation,
    backing: &MemoryStore,
    name: &str,
    operation: WriteOperation,
    how: &str,
) -> CommitOutcome {
    let told = || describe(&operation);
    let outcome = match operation.clone() {
        WriteOperation::Commit(transaction) => backing.commit(transaction).await,
        WriteOperation::Forget(id) => backing.delete_match(id).await,
    };
    sim.trace(name, || format!("{} {how} {outcome:?}", told()));
    outcome
}

/// Describes a write for the trace.
fn describe(operation: &WriteOperation) -> String {
    let transaction = match operation {
        WriteOperation::Forget(id) => return format!("forgets {id}"),
        WriteOperation::Commit(transaction) => transaction,
    };
    let mut words: Vec<String> = Vec::new();
    for append in &transaction.appends {
        let (id, rows, due) = (short_id(append.match_id), append.rows.len(), append.due);
        words.push(format!("{id} +{rows} after {} {due:?}", append.expected));
    }
    words.extend(
        transaction
            .snapshots
            .iter()
            .map(|kept| format!("snapshot {} {}", short_id(kept.match_id), kept.version)),
    );
    words.extend(transaction.puts.iter().take(6).map(|put| put.key.clone()));
    if transaction.puts.len() > 6 {
        words.push(format!("and {} more", transaction.puts.len() - 6));
    }
    words.join(", ")
}

/// Returns the name of a match in the trace.
pub(crate) fn short_id(id: MatchId) -> String {
    let id = id.to_string();
    format!("m{}", &id[id.len() - 4..])
}

impl Store for FaultyStore {
    fn commit(&self, transaction: Transaction) -> StoreFuture<CommitOutcome> {
        self.write(WriteOperation::Commit(transaction))
    }

    fn rows(
        &self,
        match_id: MatchId,
        after: u64,
        limit: usize,
    ) -> StoreFuture<Result<Vec<LogRow>, StoreError>> {
        self.read(move |backing| backing.rows(match_id, after, limit))
    }

    fn head(&self, match_id: MatchId) -> StoreFuture<Result<u64, StoreError>> {
        self.read(move |backing| backing.head(match_id))
    }

    fn heads(&self, match_ids: Vec<MatchId>) -> StoreFuture<Result<Vec<u64>, StoreError>> {
        self.read(move |backing| backing.heads(match_ids))
    }

    fn snapshot(&self, match_id: MatchId) -> StoreFuture<Result<Option<Snapshot>, StoreError>> {
        self.read(move |backing| backing.snapshot(match_id))
    }

    fn get(&self, key: &str) -> StoreFuture<Result<Option<StoredRecord>, StoreError>> {
        let key = key.to_owned();
        self.read(move |backing| backing.get(&key))
    }

    fn scan(
        &self,
        range: Range<String>,
        limit: usize,
        newest_first: bool,
    ) -> StoreFuture<Result<Vec<(String, StoredRecord)>, StoreError>> {
        self.read(move |backing| backing.scan(range, limit, newest_first))
    }

    fn due(&self, until_ms: i64, limit: usize) -> StoreFuture<Result<Vec<(MatchId, i64)>, StoreError>> {
        self.read(move |backing| backing.due(until_ms, limit))
    }

    fn claim_due(
        &self,
        until_ms: i64,
        limit: usize,
        hold_ms: i64,
    ) -> StoreFuture<Result<Vec<(MatchId, i64)>, StoreError>> {
        self.read(move |backing| backing.claim_due(until_ms, limit, hold_ms))
    }

    fn matches(
        &self,
        after: Option<MatchId>,
        limit: usize,
    ) -> StoreFuture<Result<Vec<StoredMatch>, StoreError>> {
        self.read(move |backing| backing.matches(after, limit))
    }

    fn delete_match(&self, match_id: MatchId) -> StoreFuture<CommitOutcome> {
        self.write(WriteOperation::Forget(match_id))
    }

    fn now(&self) -> i64 {
        self.sim.now_ms() - self.liveness.clock_lag_ms
    }

    fn close(&self) -> StoreFuture<()> {
        let last = *self.last.lock().unwrap_or_else(PoisonError::into_inner);
        Box::pin(sleep_until(last + Duration::from_millis(LATENCY)))
    }
}
