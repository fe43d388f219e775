//! Rows on their way to the store, and what happens if they do not get there.

use std::collections::BTreeSet;
use std::time::Duration;

use futures_util::StreamExt;
use intermezzo_protocol::Code;
use intermezzo_store::{Append, Conflict, Due, Expect, Outcome, Put, Snapshot, Transaction};

use super::releasing::{Held, Release, refuse, uncertain};
use super::{Actor, Halt, ending};
use crate::bus::Topic;
use crate::neighbours::NodeId;
use crate::outbox::Farewell;
use crate::room::fold::Room;

/// A snapshot is made after so many rows.
const SNAPSHOT_EVERY: u64 = 32;
/// The end of a match is tried so often if others change the same records.
const MAX_TRIES: u32 = 50;
/// So often in a row a match is read again after something was not kept; then everyone has to come again.
const MAX_FAILURES: u32 = 9;

/// Not due before another server has taken over: that one wakes everything that is ever due.
const AFTER_ABSENCE: i64 = i64::MAX;

impl Actor {
    /// Something leaves as soon as everything before it is kept.
    pub(super) fn release(&mut self, release: Release) {
        match self.held_back.back_mut() {
            Some(held) if !planted!(TellsBeforeKept) => held.releases.push(release),
            _ => release.deliver(),
        }
    }

    /// The oldest row that was on its way has come to an outcome.
    pub(super) async fn kept(&mut self, outcome: Outcome) -> Result<(), Halt> {
        let Some(held) = self.held_back.pop_front() else { return Ok(()) };
        let is_believed = planted!(UnknownIsKept) && matches!(outcome, Outcome::Unknown(_));
        if outcome == Outcome::Committed || is_believed {
            held.releases.into_iter().for_each(Release::deliver);
            self.failures = 0;
            self.told_until(held.version);
            if let Some(neighbours) = &self.hub.neighbours {
                neighbours.tell(Topic::Match(self.id), held.version);
            }
            return Ok(());
        }
        match (&outcome, &self.hub.neighbours) {
            (Outcome::Conflict(_), Some(_)) => {
                tracing::debug!(r#match = %self.id, "another server was quicker");
            }
            _ => tracing::warn!(r#match = %self.id, ?outcome, "a row was not kept"),
        }
        self.lose(held, &outcome);
        // What was written on top of it comes to something, too.
        while let Some(outcome) = self.under_way.next().await {
            if let Some(held) = self.held_back.pop_front() {
                self.lose(held, &outcome);
            }
        }
        self.room = None;
        Err(Halt::Lost)
    }

    fn lose(&mut self, held: Held, outcome: &Outcome) {
        self.lost.extend(held.releases.into_iter().filter_map(|release| release.again(outcome)));
    }

    /// Everyone who follows has been told of everything up to there.
    pub(super) fn told_until(&mut self, version: u64) {
        self.told = version;
        self.hub.note_version(self.id, version);
    }

    /// Reads the match again after something was not kept. What depended on that is done again, before anything else.
    pub(super) async fn recover(&mut self) -> Result<(), Halt> {
        self.room = None;
        while self.failures < MAX_FAILURES {
            self.failures += 1;
            if self.failures > 1 {
                tokio::time::sleep(Duration::from_millis(5 << self.failures)).await;
            }
            match self.wake().await {
                Ok(()) => {
                    for ask in self.lost.drain(..).rev() {
                        self.redo.push_front(ask);
                    }
                    return Ok(());
                }
                Err(problem) if problem.code == Code::Busy => {}
                Err(_) => break,
            }
        }
        Err(Halt::Stop)
    }

    /// Waits until everything is kept.
    pub(super) async fn settle(&mut self) -> Result<(), Halt> {
        while let Some(outcome) = self.under_way.next().await {
            self.kept(outcome).await?;
        }
        Ok(())
    }

    /// The task ends before its time, or because nobody needs it: nothing that is not kept may be believed.
    pub(super) async fn give_up(&mut self) {
        let lost = std::mem::take(&mut self.lost).into_iter().chain(std::mem::take(&mut self.redo));
        lost.for_each(|ask| refuse(ask, &uncertain()));
        for held in std::mem::take(&mut self.held_back) {
            let again = held.releases.into_iter().filter_map(|release| release.again(&unknown()));
            again.for_each(|ask| refuse(ask, &uncertain()));
        }
        for follower in self.followers.drain(..) {
            follower.outbox.end(Farewell::ComeAgain);
        }
        // Whoever reads the store next must not miss what is still on its way there.
        while self.under_way.next().await.is_some() {}
    }

    /// Sends a row on its way to the store.
    pub(super) async fn keep(&mut self, row: Vec<u8>) -> Result<(), Halt> {
        let may_differ = self.hub.neighbours.is_some() || self.failures > 0;
        if may_differ && !planted!(WritesAhead) {
            // A row of another server, or one that was given up and lands late, may take the place of the one before. This one
            // must not go on top of that.
            self.settle().await?;
        }
        let Some(room) = &self.room else { return Err(Halt::Stop) };
        let (version, is_over) = (room.version, room.desk.playing().is_over());
        let wanted_at = self.wanted_at(room);
        let due = self.due_change(wanted_at.filter(|_| !is_over), is_over);
        let mut puts = std::mem::take(&mut self.along);
        puts.extend(self.listing());
        let append = Append { match_id: self.id, expected: version - 1, rows: vec![row], due };
        let mut transaction = Transaction { appends: vec![append], puts, ..Transaction::default() };
        let Some(room) = &self.room else { return Err(Halt::Stop) };
        if version >= self.snapshot_at + SNAPSHOT_EVERY || is_over {
            let snapshot = Snapshot { match_id: self.id, version, body: room.snapshot() };
            transaction.snapshots.push(snapshot);
            self.snapshot_at = version;
        }
        self.is_last_writer = true;
        if is_over {
            return self.close(version, transaction).await;
        }
        transaction.puts.extend(self.hub.signs.along(self.hub.store.now(), self.hub.neighbours.as_ref()));
        self.send(version, transaction);
        Ok(())
    }

    /// Sends something on its way to the store; that version of the match is kept when it gets there.
    pub(super) fn send(&mut self, version: u64, transaction: Transaction) {
        self.under_way.push_back(self.hub.store.commit(transaction));
        self.held_back.push_back(Held { version, releases: Vec::new() });
    }

    /// The last row, with everything the end of the match leads to.
    async fn close(&mut self, version: u64, mut transaction: Transaction) -> Result<(), Halt> {
        self.settle().await?;
        let Some(ending) = self.room.as_ref().and_then(ending) else { return Err(Halt::Stop) };
        let along = std::mem::take(&mut transaction.puts);
        for attempt in 0..MAX_TRIES {
            let Ok(puts) = self.hub.books.closing(self.id, ending.clone()).await else {
                return Err(Halt::Lost);
            };
            transaction.puts = [&along[..], &puts].concat();
            if planted!(PaysFirst) {
                let puts = std::mem::take(&mut transaction.puts);
                let _ = self.hub.store.commit(Transaction { puts, ..Transaction::default() }).await;
            }
            match self.hub.store.commit(transaction.clone()).await {
                Outcome::Conflict(Conflict::Record { key }) => {
                    tracing::debug!(%key, attempt, "the books have changed meanwhile");
                }
                outcome => {
                    if outcome == Outcome::Committed {
                        metrics::counter!("intermezzo_ended_matches_total").increment(1);
                    }
                    self.under_way.push_back(Box::pin(std::future::ready(outcome)));
                    self.held_back.push_back(Held { version, releases: Vec::new() });
                    return Ok(());
                }
            }
        }
        Err(Halt::Lost)
    }

    /// When a match wants to be woken if this server does not live to see it: when something runs out, at once if a bot is
    /// to answer, and, where this is the only server, [`AFTER_ABSENCE`] if somebody is connected who may not come back.
    pub(super) fn wanted_at(&self, room: &Room) -> Option<i64> {
        let is_bot = |seat: intermezzo_ruleset::Seat| {
            let began = self.bot_names().get(usize::from(seat.0)).is_some_and(Option::is_some);
            began || room.clocks.is_replaced(seat)
        };
        if !room.clocks.is_paused() && room.desk.playing().pending().any(|asked| is_bot(asked.seat())) {
            return Some(room.written_at);
        }
        let is_alone = self.hub.neighbours.is_none();
        let is_watched = || is_alone && room.terms.clock.grace.is_some() && room.clocks.is_anyone_there();
        let due = room.clocks.next(&room.terms.clock).map(|(due, _)| due);
        due.or_else(|| is_watched().then_some(AFTER_ABSENCE))
    }

    /// What the store has to be told about the next moment that matters. Being woken too early does no harm, so it need not
    /// be told of every later one; but that takes knowing what it was told last, and others may have told it something else.
    fn due_change(&mut self, due: Option<i64>, is_over: bool) -> Due {
        let is_early_enough = match (self.stored_due, due) {
            (Some(Some(known)), Some(due)) => known <= due,
            (Some(Some(_)), None) => !is_over,
            (Some(None), None) => true,
            _ => false,
        };
        if is_early_enough && self.hub.neighbours.is_none() {
            return Due::Keep;
        }
        self.stored_due = Some(due);
        due.map_or(Due::Never, Due::At)
    }

    /// Where several servers share a store, each has a list of the matches that somebody is connected to by it, so that
    /// others know who is lost with it. What has to change about these lists for this match.
    fn listing(&mut self) -> Vec<Put> {
        let Some(room) = self.room.as_ref().filter(|_| self.hub.neighbours.is_some()) else {
            return Vec::new();
        };
        let now: BTreeSet<NodeId> = room.clocks.nodes();
        let before = std::mem::replace(&mut self.listed, now);
        let put = |node: &NodeId, value| Put {
            key: listing_key(*node, &self.name),
            expect: Expect::Anything,
            value,
        };
        let gone = before.difference(&self.listed).map(|node| put(node, None));
        let come = self.listed.difference(&before).map(|node| put(node, Some(Vec::new())));
        gone.chain(come).collect()
    }
}

/// Where it is listed that somebody is connected to a match by a server.
fn listing_key(node: NodeId, match_id: &str) -> String {
    format!("{}{match_id}", listings_of(node))
}

/// Where all of these are listed.
pub(crate) fn listings_of(node: NodeId) -> String {
    format!("server/connected/{node:032x}/")
}

fn unknown() -> Outcome {
    Outcome::Unknown(String::new())
}
