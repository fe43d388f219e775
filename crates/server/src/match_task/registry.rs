//! The registry of match tasks: finds the task of a match, or starts it.

use std::collections::HashMap;
use std::panic::AssertUnwindSafe;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures_util::FutureExt;
use intermezzo_program::Seat;
use intermezzo_protocol::resources::EndingInfo;
use intermezzo_protocol::{Code, Control, Problem};
use intermezzo_store::{CommitOutcome, MatchId, Put, Store, StoreFuture, Transaction};
use tokio::sync::{mpsc, oneshot};

use super::actor::MatchActor;
use super::bot::BotThreads;
use super::clocks::Downtime;
use super::fold::MatchConfig;
use super::match_pool::MatchPool;
use super::request::MatchRequest;
use super::row::RowKind;
use crate::cluster::availability::Moment;
use crate::cluster::bus::Topic;
use crate::cluster::heartbeat::Heartbeat;
use crate::cluster::peers::{ClusterPeers, NODE_TIMEOUT_MS, NodeId};
use crate::shards::ShardHandles;
use crate::tasks::TaskSet;

/// Time by which matches are woken ahead of their deadlines.
pub(crate) const WAKE_AHEAD_MS: i64 = 10_000;
/// Time after a downtime in which a closed connection counts as lost in the downtime.
const JUST_BACK_MS: i64 = 5_000;
/// Limit of queued requests per match.
const MAX_QUEUED: usize = 256;

/// Everything about a match apart from its rows.
#[derive(Clone, Debug)]
pub(crate) struct MatchDetails {
    pub(crate) config: MatchConfig,
    /// Kinds of bots by seat.
    pub(crate) bots: Vec<Option<String>>,
    /// Names of players by seat.
    pub(crate) names: Vec<String>,
    pub(crate) started_at: i64,
    /// Number of the account on whose share of the threads the match computes: its host, or the match itself.
    pub(crate) owner: u128,
}

/// An action of a moderator.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ModeratorAction<'a> {
    pub(crate) at: i64,
    /// Number of the account.
    pub(crate) account: u128,
    pub(crate) match_id: MatchId,
    /// Version of the row it leads to.
    pub(crate) row: u64,
    pub(crate) control: &'a Control,
}

/// Access to the records of matches: their settings, and the effects of their ends.
pub(crate) trait MatchRecords: Send + Sync + 'static {
    /// Reads the settings of a match that has started.
    fn details(&self, id: MatchId) -> StoreFuture<Result<MatchDetails, Problem>>;

    /// Returns the writes that belong to the row of a moderator's action.
    fn moderation_puts(&self, moderation: ModeratorAction<'_>) -> Vec<Put>;

    /// Returns the writes that belong to the last row of a match in which somebody has moved, or nobody has.
    fn settlement_puts(
        &self,
        id: MatchId,
        ending: EndingInfo,
        has_moves: bool,
    ) -> StoreFuture<Result<Vec<Put>, Problem>>;
}

/// The registry's link to a match task.
struct TaskHandle {
    mailbox: mpsc::Sender<MatchRequest>,
    /// Last row that the task is known to have published.
    version: u64,
}

/// All match tasks of this server.
pub(crate) struct MatchRegistry {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) records: Arc<dyn MatchRecords>,
    /// Other servers on the same store; `None` if this one is alone.
    pub(crate) peers: Option<ClusterPeers>,
    downtimes: Mutex<Arc<[Downtime]>>,
    pub(crate) max_spectators: usize,
    match_tasks: Mutex<HashMap<MatchId, TaskHandle>>,
    is_draining: AtomicBool,
    pub(crate) heartbeat: Heartbeat,
    pub(crate) tasks: TaskSet,
    pub(crate) shards: ShardHandles,
    pub(crate) bot_threads: BotThreads,
    pub(crate) match_pool: MatchPool,
}

impl MatchRegistry {
    pub(crate) fn new(
        store: Arc<dyn Store>,
        books: Arc<dyn MatchRecords>,
        peers: Option<ClusterPeers>,
        (downtimes, last_heartbeat): (Vec<Downtime>, Option<i64>),
        max_spectators: usize,
        (match_pool, bot_threads): (MatchPool, BotThreads),
        (tasks, shards): (TaskSet, ShardHandles),
    ) -> Arc<MatchRegistry> {
        let heartbeat = Heartbeat::new(Moment::now(&store), last_heartbeat);
        Arc::new(MatchRegistry {
            store,
            records: books,
            peers,
            downtimes: Mutex::new(downtimes.into()),
            max_spectators,
            match_tasks: Mutex::default(),
            is_draining: AtomicBool::new(false),
            heartbeat,
            tasks,
            shards,
            bot_threads,
            match_pool,
        })
    }

    /// Returns all known downtimes, oldest first.
    pub(crate) fn downtimes(&self) -> Arc<[Downtime]> {
        Arc::clone(&self.downtimes.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Stores the downtimes read from the store.
    pub(crate) fn update_downtimes(&self, downtimes: Vec<Downtime>) {
        let mut handle = self.downtimes.lock().unwrap_or_else(PoisonError::into_inner);
        if handle.len() != downtimes.len() {
            *handle = downtimes.into();
        }
    }

    /// Adds downtimes that this server has just recorded.
    pub(crate) fn add_downtimes(&self, downtimes: impl Iterator<Item = Downtime>) {
        let mut handle = self.downtimes.lock().unwrap_or_else(PoisonError::into_inner);
        *handle = handle.iter().copied().chain(downtimes).collect();
    }

    /// Returns true if this server may rely on having been able to take answers until now. If not, a downtime may have
    /// stopped the clocks that it does not know of.
    pub(crate) fn is_trusted_alive(&self) -> bool {
        match &self.peers {
            Some(peers) => peers.is_trusted_alive(self.store.now()),
            None => self.heartbeat.is_fresh(Moment::now(&self.store)),
        }
    }

    /// Commits rows. Their outcome shows whether the store accepts writes.
    pub(crate) fn commit(&self, transaction: Transaction) -> StoreFuture<CommitOutcome> {
        let write = self.heartbeat.begin_write(Moment::now(&self.store));
        let (store, commit) = (Arc::clone(&self.store), self.store.commit(transaction));
        Box::pin(async move {
            let outcome = commit.await;
            write.finish(&outcome, Moment::now(&store));
            outcome
        })
    }

    /// Returns true if a downtime has ended so recently that a connection may have been lost in it.
    pub(crate) fn is_just_back(&self) -> bool {
        let now = self.store.now();
        self.downtimes().last().is_some_and(|downtime| now < downtime.until + JUST_BACK_MS)
    }

    /// Returns the row for a seat that is connected through this server.
    pub(crate) fn connected_row(&self, seat: Seat) -> RowKind {
        match &self.peers {
            Some(peers) => RowKind::Connected { seat: seat.0, node: peers.own },
            None => RowKind::Returned(seat.0),
        }
    }

    /// Returns true if a connection through that server since that time, and not through this one, is lost. A
    /// server that has just written such a row is alive, whatever its heartbeat says.
    pub(crate) fn has_lost(&self, node: NodeId, since: i64) -> bool {
        let now = self.store.now();
        let is_gone = |others: &ClusterPeers| {
            node == others.own || (since + NODE_TIMEOUT_MS <= now && others.is_gone(node, now))
        };
        self.peers.as_ref().is_none_or(is_gone)
    }

    /// Sends a request to a match, starting its task if necessary.
    pub(crate) async fn send(
        self: &Arc<MatchRegistry>,
        id: MatchId,
        mut request: MatchRequest,
    ) -> Result<(), Problem> {
        // A task may end just when a request arrives; the next one handles it.
        for _ in 0..8 {
            if self.is_draining() {
                return Err(Problem::new(Code::Draining, "the server is shutting down"));
            }
            let mailbox = self.mailbox(id);
            match mailbox.send(request).await {
                Ok(()) => return Ok(()),
                Err(mpsc::error::SendError(unsent)) => {
                    self.remove_task(id, &mailbox);
                    request = unsent;
                }
            }
        }
        Err(Problem::new(Code::Internal, "the match keeps failing; contact the operator"))
    }

    fn mailbox(self: &Arc<MatchRegistry>, id: MatchId) -> mpsc::Sender<MatchRequest> {
        let mut handles = self.match_tasks();
        let handle = handles.entry(id).or_insert_with(|| {
            let (sender, mailbox) = mpsc::channel(MAX_QUEUED);
            self.spawn_task(id, mailbox, sender.clone());
            TaskHandle { mailbox: sender, version: 0 }
        });
        handle.mailbox.clone()
    }

    /// Records the last row that a task has published.
    pub(crate) fn record_published_version(&self, id: MatchId, version: u64) {
        if self.peers.is_some()
            && let Some(handle) = self.match_tasks().get_mut(&id)
        {
            handle.version = version;
        }
    }

    /// Notifies the local task of a match, if any, that the log has rows up to that version. A lost
    /// notification is made up for by polling.
    pub(crate) fn notify(&self, id: MatchId, version: u64) {
        if let Some(handle) = self.match_tasks().get(&id).filter(|handle| handle.version < version) {
            let _ = handle.mailbox.try_send(MatchRequest::NewRows { version });
        }
    }

    /// Lists the matches that have a task here.
    pub(crate) fn match_ids(&self) -> Vec<MatchId> {
        let mut ids: Vec<MatchId> = self.match_tasks().keys().copied().collect();
        ids.sort_unstable();
        ids
    }

    fn match_tasks(&self) -> MutexGuard<'_, HashMap<MatchId, TaskHandle>> {
        self.match_tasks.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn spawn_task(
        self: &Arc<MatchRegistry>,
        id: MatchId,
        mailbox: mpsc::Receiver<MatchRequest>,
        sender: mpsc::Sender<MatchRequest>,
    ) {
        let registry = Arc::clone(self);
        metrics::gauge!("intermezzo_live_matches").increment(1);
        if let Some(peers) = &self.peers {
            peers.subscribe(Topic::Match(id));
        }
        let actor = MatchActor::new(id, Arc::clone(self));
        let shard = self.shards.of(id).map(|shard| self.shards.handle(shard));
        self.tasks.spawn_on(shard, async move {
            // A panic stays within its match: the next request loads it from the store.
            if AssertUnwindSafe(actor.run(mailbox)).catch_unwind().await.is_err() {
                tracing::error!(r#match = %id, "a match task panicked");
                metrics::counter!("intermezzo_failed_matches_total").increment(1);
            }
            metrics::gauge!("intermezzo_live_matches").decrement(1);
            registry.remove_task(id, &sender);
        });
    }

    pub(crate) fn remove_task(&self, id: MatchId, mailbox: &mpsc::Sender<MatchRequest>) {
        let mut handles = self.match_tasks();
        if handles.get(&id).is_some_and(|handle| handle.mailbox.same_channel(mailbox)) {
            handles.remove(&id);
            if let Some(peers) = &self.peers {
                peers.unsubscribe(Topic::Match(id));
            }
        }
    }

    pub(crate) fn task_count(&self) -> usize {
        self.match_tasks().len()
    }

    /// Returns the number of matches in memory.
    pub(crate) fn live_matches(&self) -> usize {
        self.match_tasks().len()
    }

    pub(crate) fn is_draining(&self) -> bool {
        self.is_draining.load(Ordering::Relaxed)
    }

    /// Stops accepting requests and has every match save and unload itself.
    pub(crate) async fn drain(&self) {
        self.is_draining.store(true, Ordering::Relaxed);
        let handles =
            self.match_tasks().iter().map(|(id, handle)| (*id, handle.mailbox.clone())).collect::<Vec<_>>();
        let mut handles: Vec<(MatchId, mpsc::Sender<MatchRequest>)> = handles;
        handles.sort_by_key(|(id, _)| *id);
        for (_, mailbox) in handles {
            let (done, finished) = oneshot::channel();
            if mailbox.send(MatchRequest::Drain { done }).await.is_ok() {
                let _ = finished.await;
            }
        }
    }
}

impl std::fmt::Debug for MatchRegistry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("MatchRegistry").field("task_count", &self.task_count()).finish_non_exhaustive()
    }
}
