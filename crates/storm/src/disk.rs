//! The one store of a world, as a node reaches it: late, sometimes not at all, and sometimes without a word of what became
//! of a change.
//!
//! Changes of one node land in the order in which they were asked for, but for those of which it has been told that
//! nobody knows: these may land at any time, or never. When a node dies, some of what it has asked for still lands. A node
//! that is alone has its store in its own process: there, nothing lands late.

use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use intermezzo_store::{
    Answer, Clock as _, Listed, MatchId, Memory, Outcome, Record, Row, Snapshot, Store, StoreError,
    Transaction,
};
use tokio::sync::{mpsc, oneshot};
use tokio::time::{Instant, sleep, sleep_until};

use crate::signal::Signal;
use crate::weather::Fault;
use crate::world::World;

/// A change usually lands within so many milliseconds, and so do answers.
const LATENCY: u64 = 3;
/// A slow store takes so many milliseconds at most.
const SLOW: u64 = 1_500;
/// What lands late does so within so many milliseconds.
const LATE: u64 = 4_000;

/// A node's clock is behind by so many milliseconds at most.
pub(crate) const MOST_BEHIND: i64 = 40;

/// The life of a node, from its start to its death.
#[derive(Debug)]
pub(crate) struct Life {
    pub(crate) name: String,
    is_dead: Signal,
    stands_until: Mutex<Option<Instant>>,
    /// So much its clock is behind.
    behind_ms: i64,
    /// Whether it has its store for itself.
    is_alone: bool,
}

impl Life {
    pub(crate) fn new(world: &World, name: String, is_alone: bool) -> Arc<Life> {
        let behind_ms =
            if world.strikes(Fault::Skew) { 1 + world.below(MOST_BEHIND as u64) as i64 } else { 0 };
        let (is_dead, stands_until) = (Signal::default(), Mutex::default());
        Arc::new(Life { name, is_dead, stands_until, behind_ms, is_alone })
    }

    pub(crate) fn die(&self) {
        self.is_dead.give();
    }

    pub(crate) fn is_dead(&self) -> bool {
        self.is_dead.is_given()
    }

    /// Waits until it is dead.
    async fn death(&self) {
        self.is_dead.given().await;
    }

    /// Stands still for a while.
    pub(crate) fn stand(&self, lasts: Duration) {
        *self.stands_until.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now() + lasts);
    }

    /// Whether it has stood still at some time since then.
    pub(crate) fn has_stood_since(&self, since: Instant) -> bool {
        self.stands_until.lock().unwrap_or_else(PoisonError::into_inner).is_some_and(|until| until > since)
    }

    /// Waits until it does not stand still any more.
    pub(crate) async fn goes_on(&self) {
        loop {
            let until = *self.stands_until.lock().unwrap_or_else(PoisonError::into_inner);
            match until.filter(|until| *until > Instant::now()) {
                Some(until) => sleep_until(until).await,
                None => return,
            }
        }
    }
}

/// The store as one node reaches it.
pub(crate) struct Disk {
    world: Arc<World>,
    truth: Arc<Memory>,
    life: Arc<Life>,
    queue: mpsc::UnboundedSender<Landing>,
    /// When the last change lands that was asked for.
    last: Mutex<Instant>,
}

/// A change on its way.
struct Landing {
    at: Instant,
    change: Change,
    /// Told when it has landed.
    landed: oneshot::Sender<Outcome>,
}

#[derive(Clone)]
enum Change {
    Commit(Transaction),
    Forget(MatchId),
}

impl Disk {
    pub(crate) fn new(world: &Arc<World>, truth: &Arc<Memory>, life: &Arc<Life>) -> Arc<Disk> {
        let (queue, landings) = mpsc::unbounded_channel();
        tokio::spawn(land_all(Arc::clone(world), Arc::clone(truth), Arc::clone(life), landings));
        Arc::new(Disk {
            world: Arc::clone(world),
            truth: Arc::clone(truth),
            life: Arc::clone(life),
            queue,
            last: Mutex::new(Instant::now()),
        })
    }

    fn latency(&self) -> Duration {
        self.world.ms(if self.world.strikes(Fault::SlowStore) { SLOW } else { LATENCY })
    }

    fn change(&self, change: Change) -> Answer<Outcome> {
        let (world, now) = (&self.world, Instant::now());
        let told = |outcome| answered(&self.life, now + self.latency(), outcome);
        let unknown = || Outcome::Unknown("the weather".to_owned());
        if world.is_full() {
            return told(Outcome::DefinitelyNot("the disk is full".to_owned()));
        }
        if world.strikes(Fault::DefinitelyNot) {
            world.note(&self.life.name, || format!("refused: {}", words(&change)));
            return told(Outcome::DefinitelyNot("the weather".to_owned()));
        }
        if world.strikes(Fault::UnknownLost) {
            world.note(&self.life.name, || format!("unknown, lost: {}", words(&change)));
            return told(unknown());
        }
        if !self.life.is_alone && world.strikes(Fault::UnknownLate) {
            let (truth, name, late) = (Arc::clone(&self.truth), self.life.name.clone(), world.ms(LATE));
            let world = Arc::clone(world);
            tokio::spawn(async move {
                sleep(late).await;
                land(&world, &truth, &name, change, "late").await
            });
            return told(unknown());
        }
        let is_unknown = world.strikes(Fault::UnknownLanded);
        let at = {
            let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
            *last = (*last).max(now + self.latency());
            *last
        };
        let (landed, outcome) = oneshot::channel();
        // A node that is dead asks for nothing.
        let _ = self.queue.send(Landing { at, change, landed });
        let (life, after) = (Arc::clone(&self.life), world.ms(LATENCY));
        Box::pin(async move {
            let outcome = outcome.await;
            sleep(after).await;
            life.goes_on().await;
            match outcome {
                Ok(outcome) if !is_unknown => outcome,
                _ => unknown(),
            }
        })
    }

    fn read<T: Send + 'static>(
        &self,
        ask: impl FnOnce(&Memory) -> Answer<Result<T, StoreError>> + Send + 'static,
    ) -> Answer<Result<T, StoreError>> {
        let (truth, life) = (Arc::clone(&self.truth), Arc::clone(&self.life));
        let (fails, latency) = (self.world.strikes(Fault::ReadError), self.latency());
        Box::pin(async move {
            sleep(latency).await;
            life.goes_on().await;
            if fails {
                return Err(StoreError { what: "the weather".to_owned() });
            }
            ask(&truth).await
        })
    }
}

fn answered(life: &Arc<Life>, at: Instant, outcome: Outcome) -> Answer<Outcome> {
    let life = Arc::clone(life);
    Box::pin(async move {
        sleep_until(at).await;
        life.goes_on().await;
        outcome
    })
}

/// Lands what a node has asked for, one after the other.
async fn land_all(
    world: Arc<World>,
    truth: Arc<Memory>,
    life: Arc<Life>,
    mut landings: mpsc::UnboundedReceiver<Landing>,
) {
    // Of what is on its way when the node dies, so many still land.
    let mut outlives = world.below(4);
    while let Some(Landing { at, change, landed }) = landings.recv().await {
        tokio::select! {
            biased;
            () = life.death(), if life.is_alone => {}
            () = async { sleep_until(at).await; life.goes_on().await } => {}
        }
        let mut how = "";
        if life.is_dead() {
            if outlives == 0 {
                world.note(&life.name, || format!("dies with its node: {}", words(&change)));
                continue;
            }
            outlives -= 1;
            how = "after the node's death";
            if !life.is_alone {
                sleep(world.ms(LATE)).await;
            }
        }
        let outcome = land(&world, &truth, &life.name, change, how).await;
        // The node may be dead.
        let _ = landed.send(outcome);
    }
}

async fn land(world: &World, truth: &Memory, name: &str, change: Change, how: &str) -> Outcome {
    let told = || words(&change);
    let outcome = match change.clone() {
        Change::Commit(transaction) => truth.commit(transaction).await,
        Change::Forget(id) => truth.forget(id).await,
    };
    world.note(name, || format!("{} {how} {outcome:?}", told()));
    outcome
}

/// A change as the trace tells it.
fn words(change: &Change) -> String {
    let transaction = match change {
        Change::Forget(id) => return format!("forgets {id}"),
        Change::Commit(transaction) => transaction,
    };
    let mut words: Vec<String> = Vec::new();
    for append in &transaction.appends {
        let (id, rows, due) = (short(append.match_id), append.rows.len(), append.due);
        words.push(format!("{id} +{rows} after {} {due:?}", append.expected));
    }
    words.extend(
        transaction
            .snapshots
            .iter()
            .map(|kept| format!("snapshot {} {}", short(kept.match_id), kept.version)),
    );
    words.extend(transaction.puts.iter().take(6).map(|put| put.key.clone()));
    if transaction.puts.len() > 6 {
        words.push(format!("and {} more", transaction.puts.len() - 6));
    }
    words.join(", ")
}

/// A match as the trace names it.
pub(crate) fn short(id: MatchId) -> String {
    let id = id.to_string();
    format!("m{}", &id[id.len() - 4..])
}

impl Store for Disk {
    fn commit(&self, transaction: Transaction) -> Answer<Outcome> {
        self.change(Change::Commit(transaction))
    }

    fn rows(&self, match_id: MatchId, after: u64, limit: usize) -> Answer<Result<Vec<Row>, StoreError>> {
        self.read(move |truth| truth.rows(match_id, after, limit))
    }

    fn head(&self, match_id: MatchId) -> Answer<Result<u64, StoreError>> {
        self.read(move |truth| truth.head(match_id))
    }

    fn heads(&self, match_ids: Vec<MatchId>) -> Answer<Result<Vec<u64>, StoreError>> {
        self.read(move |truth| truth.heads(match_ids))
    }

    fn snapshot(&self, match_id: MatchId) -> Answer<Result<Option<Snapshot>, StoreError>> {
        self.read(move |truth| truth.snapshot(match_id))
    }

    fn get(&self, key: &str) -> Answer<Result<Option<Record>, StoreError>> {
        let key = key.to_owned();
        self.read(move |truth| truth.get(&key))
    }

    fn scan(
        &self,
        range: Range<String>,
        limit: usize,
        newest_first: bool,
    ) -> Answer<Result<Vec<(String, Record)>, StoreError>> {
        self.read(move |truth| truth.scan(range, limit, newest_first))
    }

    fn due(&self, until_ms: i64, limit: usize) -> Answer<Result<Vec<(MatchId, i64)>, StoreError>> {
        self.read(move |truth| truth.due(until_ms, limit))
    }

    fn claim_due(
        &self,
        until_ms: i64,
        limit: usize,
        hold_ms: i64,
    ) -> Answer<Result<Vec<(MatchId, i64)>, StoreError>> {
        self.read(move |truth| truth.claim_due(until_ms, limit, hold_ms))
    }

    fn matches(&self, after: Option<MatchId>, limit: usize) -> Answer<Result<Vec<Listed>, StoreError>> {
        self.read(move |truth| truth.matches(after, limit))
    }

    fn forget(&self, match_id: MatchId) -> Answer<Outcome> {
        self.change(Change::Forget(match_id))
    }

    fn now(&self) -> i64 {
        self.world.now_ms() - self.life.behind_ms
    }

    fn close(&self) -> Answer<()> {
        let last = *self.last.lock().unwrap_or_else(PoisonError::into_inner);
        Box::pin(sleep_until(last + Duration::from_millis(LATENCY)))
    }
}
