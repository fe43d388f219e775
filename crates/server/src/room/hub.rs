//! Finds the task of a match, or starts it.

use std::collections::HashMap;
use std::panic::AssertUnwindSafe;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures_util::FutureExt;
use intermezzo_protocol::resources::EndingInfo;
use intermezzo_protocol::{Code, Control, Problem};
use intermezzo_ruleset::Seat;
use intermezzo_store::{Answer, MatchId, Put, Store};
use tokio::sync::{mpsc, oneshot};

use super::actor::Actor;
use super::ask::Ask;
use super::bot::Thinkers;
use super::clocks::Absence;
use super::fold::Terms;
use super::row::Step;
use crate::alive::Signs;
use crate::bus::Topic;
use crate::neighbours::{GONE_MS, Neighbours, NodeId};
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

/// The way to the task of a match.
struct Door {
    room: mpsc::Sender<Ask>,
    /// The last row the task is known to have told of.
    version: u64,
}

/// All matches that have a task.
pub(crate) struct Hub {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) books: Arc<dyn Books>,
    /// Other servers on the same store, if there can be any.
    pub(crate) neighbours: Option<Neighbours>,
    absences: Mutex<Arc<[Absence]>>,
    /// Who look on at one match at most.
    pub(crate) max_spectators: usize,
    rooms: Mutex<HashMap<MatchId, Door>>,
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
        neighbours: Option<Neighbours>,
        absences: Vec<Absence>,
        max_spectators: usize,
    ) -> Arc<Hub> {
        Arc::new(Hub {
            store,
            books,
            neighbours,
            absences: Mutex::new(absences.into()),
            max_spectators,
            rooms: Mutex::default(),
            is_draining: AtomicBool::new(false),
            signs: Signs::default(),
            tasks: Tasks::default(),
            thinkers: Thinkers::new(),
        })
    }

    /// Times in which no server was there, oldest first.
    pub(crate) fn absences(&self) -> Arc<[Absence]> {
        Arc::clone(&self.absences.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// What the store says about them now.
    pub(crate) fn note_absences(&self, absences: Vec<Absence>) {
        let mut known = self.absences.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() != absences.len() {
            *known = absences.into();
        }
    }

    /// What is written down when a seat is connected by this server.
    pub(crate) fn connected(&self, seat: Seat) -> Step {
        match &self.neighbours {
            Some(neighbours) => Step::Connected { seat: seat.0, node: neighbours.own },
            None => Step::Returned(seat.0),
        }
    }

    /// Whether whoever is connected by that server since then, and not by this one, is so no more. A server that has just
    /// written that somebody is connected is there, whatever its signs say.
    pub(crate) fn has_lost(&self, node: NodeId, since: i64) -> bool {
        let now = self.store.now();
        let is_gone =
            |others: &Neighbours| node == others.own || (since + GONE_MS <= now && others.is_gone(node, now));
        self.neighbours.as_ref().is_none_or(is_gone)
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
        let mut rooms = self.rooms();
        let door = rooms.entry(id).or_insert_with(|| {
            let (room, mailbox) = mpsc::channel(MAX_WAITING);
            self.start(id, mailbox, room.clone());
            Door { room, version: 0 }
        });
        door.room.clone()
    }

    /// The task of a match has told of all rows up to that one.
    pub(crate) fn note_version(&self, id: MatchId, version: u64) {
        if self.neighbours.is_some()
            && let Some(door) = self.rooms().get_mut(&id)
        {
            door.version = version;
        }
    }

    /// A match has so many rows, as another server or the store says: if it has a task here that does not know yet, that is
    /// told. What does not arrive will be noticed later.
    pub(crate) fn news(&self, id: MatchId, version: u64) {
        if let Some(door) = self.rooms().get(&id).filter(|door| door.version < version) {
            let _ = door.room.try_send(Ask::News { version });
        }
    }

    /// The matches that have a task.
    pub(crate) fn tasked(&self) -> Vec<MatchId> {
        let mut tasked: Vec<MatchId> = self.rooms().keys().copied().collect();
        tasked.sort_unstable();
        tasked
    }

    fn rooms(&self) -> MutexGuard<'_, HashMap<MatchId, Door>> {
        self.rooms.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn start(self: &Arc<Hub>, id: MatchId, mailbox: mpsc::Receiver<Ask>, sender: mpsc::Sender<Ask>) {
        let hub = Arc::clone(self);
        metrics::gauge!("intermezzo_live_matches").increment(1);
        if let Some(neighbours) = &self.neighbours {
            neighbours.listen(Topic::Match(id));
        }
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
        let mut rooms = self.rooms();
        if rooms.get(&id).is_some_and(|known| known.room.same_channel(room)) {
            rooms.remove(&id);
            if let Some(neighbours) = &self.neighbours {
                neighbours.ignore(Topic::Match(id));
            }
        }
    }

    /// How many matches have a task.
    pub(crate) fn live(&self) -> usize {
        self.rooms().len()
    }

    pub(crate) fn is_draining(&self) -> bool {
        self.is_draining.load(Ordering::Relaxed)
    }

    /// Takes nothing more, and lets every match put itself away.
    pub(crate) async fn drain(&self) {
        self.is_draining.store(true, Ordering::Relaxed);
        let rooms = self.rooms().iter().map(|(id, door)| (*id, door.room.clone())).collect::<Vec<_>>();
        let mut rooms: Vec<(MatchId, mpsc::Sender<Ask>)> = rooms;
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
