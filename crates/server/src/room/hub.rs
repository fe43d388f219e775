//! Finds the task of a match, or starts it.

use std::collections::HashMap;
use std::panic::AssertUnwindSafe;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use futures_util::FutureExt;
use intermezzo_protocol::resources::EndingInfo;
use intermezzo_protocol::{Code, Control, Problem};
use intermezzo_store::{Answer, MatchId, Put, Store};
use tokio::sync::{mpsc, oneshot};

use super::actor::Actor;
use super::ask::Ask;
use super::bot::Thinkers;
use super::clocks::Absence;
use super::fold::Terms;
use crate::alive::Signs;
use crate::tasks::Tasks;

/// Matches in which something is due are woken so long before.
pub(crate) const WAKE_AHEAD_MS: i64 = 10_000;
/// What waits for one match at most.
const MAX_WAITING: usize = 256;

/// What there is to know about a match besides its rows.
#[derive(Clone, Debug)]
pub(crate) struct Opening {
    pub(crate) terms: Terms,
    /// By seat: the kind of bot that sits there.
    pub(crate) bots: Vec<Option<String>>,
    /// By seat: the name of who sits there.
    pub(crate) names: Vec<String>,
    /// When it started.
    pub(crate) started_at: i64,
}

/// Something a moderator did.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Moderated<'a> {
    pub(crate) at: i64,
    /// The account, as rows name it.
    pub(crate) account: u128,
    pub(crate) match_id: MatchId,
    /// The row it leads to.
    pub(crate) row: u64,
    pub(crate) control: &'a Control,
}

/// Who keeps the books: what a match was set up with, and what its end leads to.
pub(crate) trait Books: Send + Sync + 'static {
    /// What a match that is being played, or was, began with.
    fn opening(&self, id: MatchId) -> Answer<Result<Opening, Problem>>;

    /// What has to be written in one transaction with the row of what a moderator did.
    fn moderated(&self, moderation: Moderated<'_>) -> Vec<Put>;

    /// What has to be written in one transaction with the last row of a match.
    fn closing(&self, id: MatchId, ending: EndingInfo) -> Answer<Result<Vec<Put>, Problem>>;
}

/// All matches that have a task.
pub(crate) struct Hub {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) books: Arc<dyn Books>,
    /// Times in which the server was away, oldest first.
    pub(crate) absences: Arc<[Absence]>,
    /// Who look on at one match at most.
    pub(crate) max_spectators: usize,
    rooms: Mutex<HashMap<MatchId, mpsc::Sender<Ask>>>,
    is_draining: AtomicBool,
    pub(crate) signs: Signs,
    /// All tasks of this server.
    pub(crate) tasks: Tasks,
    /// Where bots think.
    pub(crate) thinkers: Thinkers,
}

impl Hub {
    pub(crate) fn new(
        store: Arc<dyn Store>,
        books: Arc<dyn Books>,
        absences: Vec<Absence>,
        max_spectators: usize,
    ) -> Arc<Hub> {
        let absences = absences.into();
        let (rooms, is_draining) = (Mutex::new(HashMap::new()), AtomicBool::new(false));
        let (signs, thinkers, tasks) = (Signs::default(), Thinkers::new(), Tasks::default());
        Arc::new(Hub { store, books, absences, max_spectators, rooms, is_draining, signs, tasks, thinkers })
    }

    /// Asks something of a match. It is started if it has no task.
    pub(crate) async fn ask(self: &Arc<Hub>, id: MatchId, mut ask: Ask) -> Result<(), Problem> {
        // A task may end just when it is asked; the next one takes it then.
        for _ in 0..8 {
            if self.is_draining() {
                return Err(Problem::new(Code::Draining, "the server is about to stop"));
            }
            let room = self.room(id);
            match room.send(ask).await {
                Ok(()) => return Ok(()),
                Err(mpsc::error::SendError(back)) => {
                    self.forget(id, &room);
                    ask = back;
                }
            }
        }
        Err(Problem::new(Code::Internal, "the match keeps failing; an operator has to look at it"))
    }

    fn room(self: &Arc<Hub>, id: MatchId) -> mpsc::Sender<Ask> {
        let mut rooms = self.rooms.lock().unwrap_or_else(PoisonError::into_inner);
        let room = rooms.entry(id).or_insert_with(|| {
            let (sender, mailbox) = mpsc::channel(MAX_WAITING);
            self.start(id, mailbox, sender.clone());
            sender
        });
        room.clone()
    }

    fn start(self: &Arc<Hub>, id: MatchId, mailbox: mpsc::Receiver<Ask>, sender: mpsc::Sender<Ask>) {
        let hub = Arc::clone(self);
        metrics::gauge!("intermezzo_live_matches").increment(1);
        let actor = Actor::new(id, Arc::clone(self));
        self.tasks.spawn(async move {
            // A match that fails takes nothing with it: the next who asks finds it as it is recorded.
            if AssertUnwindSafe(actor.run(mailbox)).catch_unwind().await.is_err() {
                tracing::error!(r#match = %id, "the task of a match has failed");
                metrics::counter!("intermezzo_failed_matches_total").increment(1);
            }
            metrics::gauge!("intermezzo_live_matches").decrement(1);
            hub.forget(id, &sender);
        });
    }

    pub(crate) fn forget(&self, id: MatchId, room: &mpsc::Sender<Ask>) {
        let mut rooms = self.rooms.lock().unwrap_or_else(PoisonError::into_inner);
        if rooms.get(&id).is_some_and(|known| known.same_channel(room)) {
            rooms.remove(&id);
        }
    }

    /// How many matches have a task.
    pub(crate) fn live(&self) -> usize {
        self.rooms.lock().unwrap_or_else(PoisonError::into_inner).len()
    }

    pub(crate) fn is_draining(&self) -> bool {
        self.is_draining.load(Ordering::Relaxed)
    }

    /// Takes nothing more, and lets every match put itself away.
    pub(crate) async fn drain(&self) {
        self.is_draining.store(true, Ordering::Relaxed);
        let mut rooms: Vec<(MatchId, mpsc::Sender<Ask>)> = {
            let rooms = self.rooms.lock().unwrap_or_else(PoisonError::into_inner);
            rooms.iter().map(|(id, room)| (*id, room.clone())).collect()
        };
        rooms.sort_by_key(|(id, _)| *id);
        for (_, room) in rooms {
            let (done, finished) = oneshot::channel();
            if room.send(Ask::Drain { done }).await.is_ok() {
                let _ = finished.await;
            }
        }
    }
}

impl std::fmt::Debug for Hub {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Hub").field("live", &self.live()).finish_non_exhaustive()
    }
}
