//! The task of one match. Start with [`Actor::run`].
//!
//! It takes one thing after the other. Whatever leaves it (acknowledgements,
//! frames, refusals) waits until every row written before is kept; meanwhile the
//! next thing may be worked on. If a row is not kept, or it is not certain, the match is
//! read again from the store, which has the truth, and whatever depended on that row is done again.

mod bots;
mod commands;
mod connections;
mod keeping;
mod looking;
mod releasing;
mod time;
mod waking;

use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::stream::FuturesOrdered;
use intermezzo_protocol::resources::EndingInfo;
use intermezzo_ruleset::Seat;
use intermezzo_store::{Answer, MatchId, Outcome, Put};
use tokio::sync::mpsc;
use tokio::time::Instant;

use super::ask::{Ask, Follower};
use super::bot::Bot;
use super::fold::Room;
use super::hub::{Hub, Opening};
use crate::neighbours::NodeId;
use crate::outbox::Farewell;
use bots::Thinking;
pub(crate) use connections::welcome;
pub(crate) use keeping::listings_of;
use releasing::{Held, refuse, uncertain};

/// A match that nobody asks anything for so long gives back what it can make again.
const QUIET: Duration = Duration::from_secs(2);
/// One that nobody asks anything for so long is put away.
const IDLE: Duration = Duration::from_secs(60);
/// One that is put away waits to be asked; this only bounds a timer.
const PUT_AWAY: Duration = Duration::from_secs(24 * 60 * 60);

/// Why the task cannot simply go on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Halt {
    /// It ends; what it was about has been told.
    Stop,
    /// A row was not kept, or may not have been: the match has to be read again.
    Lost,
}

pub(crate) struct Actor {
    id: MatchId,
    name: String,
    hub: Arc<Hub>,
    opening: Option<Opening>,
    room: Option<Room>,
    followers: Vec<Follower>,
    bots: Vec<Option<Bot>>,
    /// A bot that is thinking, and for which seat.
    thinking: Option<Thinking>,
    /// How often in a row bots found no answer that was taken.
    bot_tries: u32,
    /// Bots do not think before: another server may be at it.
    bots_from: Instant,
    /// Rows that are being kept, oldest first, and what leaves when each is.
    under_way: FuturesOrdered<Answer<Outcome>>,
    held_back: VecDeque<Held>,
    /// What has to be done again because the rows it led to were not kept, in its order.
    lost: Vec<Ask>,
    /// What is done before anything else that is asked.
    redo: VecDeque<Ask>,
    /// How often in a row something was not kept.
    failures: u32,
    /// The last row that is kept and that all who follow have been told of.
    told: u64,
    /// Whether this server has written the last row.
    is_last_writer: bool,
    /// Records that go along with the next row.
    along: Vec<Put>,
    /// The servers for which the store lists this match as one that somebody is connected to.
    listed: BTreeSet<NodeId>,
    snapshot_at: u64,
    /// When the store will wake this match, if that is known.
    stored_due: Option<Option<i64>>,
}

impl Actor {
    pub(crate) fn new(id: MatchId, hub: Arc<Hub>) -> Actor {
        Actor {
            id,
            name: id.to_string(),
            hub,
            opening: None,
            room: None,
            followers: Vec::new(),
            bots: Vec::new(),
            thinking: None,
            bot_tries: 0,
            bots_from: Instant::now(),
            under_way: FuturesOrdered::new(),
            held_back: VecDeque::new(),
            lost: Vec::new(),
            redo: VecDeque::new(),
            failures: 0,
            told: 0,
            is_last_writer: false,
            along: Vec::new(),
            listed: BTreeSet::new(),
            snapshot_at: 0,
            stored_due: None,
        }
    }

    /// Works until nobody needs it.
    pub(crate) async fn run(mut self, mut mailbox: mpsc::Receiver<Ask>) {
        let mut is_quiet = false;
        loop {
            let done = match self.redo.pop_front() {
                Some(ask) => self.answer(ask).await,
                None => self.step(&mut mailbox, &mut is_quiet).await,
            };
            let done = match done {
                Err(Halt::Lost) => self.recover().await,
                done => done,
            };
            if done.is_err() {
                break;
            }
        }
        self.give_up().await;
        // Whoever has asked meanwhile must not wait for ever.
        mailbox.close();
        while let Ok(ask) = mailbox.try_recv() {
            refuse(ask, &uncertain());
        }
    }

    /// Waits for the next thing and does it.
    async fn step(&mut self, mailbox: &mut mpsc::Receiver<Ask>, is_quiet: &mut bool) -> Result<(), Halt> {
        self.keep_presence().await?;
        let due_in = self.due_in();
        let patience = match self.room {
            Some(_) if *is_quiet => IDLE,
            Some(_) => QUIET,
            None => PUT_AWAY,
        };
        self.seat_bots();
        let bot_is_asked = self.bot_is_asked();
        let was_quiet = std::mem::take(is_quiet);
        tokio::select! {
            biased;
            Some(outcome) = self.under_way.next() => self.kept(outcome).await,
            ask = mailbox.recv() => match ask {
                Some(ask) => self.answer(ask).await,
                None => Err(Halt::Stop),
            },
            (seat, bot, entry) = bots::thought(&mut self.thinking) => self.bot_answers(seat, bot, entry).await,
            () = tokio::time::sleep_until(self.bots_from), if bot_is_asked => {
                self.let_bot_think();
                Ok(())
            }
            () = tokio::time::sleep(due_in.unwrap_or(patience).min(patience)) => match due_in {
                Some(due_in) if due_in < patience => self.run_out().await,
                _ if was_quiet => self.rest(mailbox).await,
                _ => {
                    self.room.iter_mut().for_each(|room| room.desk.compact());
                    *is_quiet = true;
                    Ok(())
                }
            },
        }
    }

    async fn answer(&mut self, ask: Ask) -> Result<(), Halt> {
        if let Err(problem) = self.wake().await {
            refuse(ask, &problem);
            return Err(Halt::Stop);
        }
        // What has run out comes before what arrives later.
        if let Err(halt) = self.run_out().await {
            self.lost.push(ask);
            return Err(halt);
        }
        match ask {
            Ask::Command(command) => self.command(*command).await,
            Ask::Look(looking) => self.look(looking).await,
            Ask::Follow(follower) => self.follow(*follower).await,
            Ask::Unfollow { connection } => self.unfollow(connection).await,
            Ask::Wake { stored } => self.woken(stored).await,
            Ask::News { version } => self.hear(version).await,
            Ask::Drain { done } => {
                self.settle().await?;
                let kept = self.put_away().await;
                self.followers.drain(..).for_each(|follower| follower.outbox.end(Farewell::Stopping));
                let _ = done.send(());
                kept.and(Err(Halt::Stop))
            }
        }
    }
}

fn ending(room: &Room) -> Option<EndingInfo> {
    let playing = room.desk.playing();
    let ending = playing.ending()?;
    let name = |symbol| playing.program().symbol(symbol).to_owned();
    let seats = |seats: &[Seat]| seats.iter().map(|seat| seat.0).collect();
    Some(EndingInfo {
        outcome: name(ending.outcome),
        winners: seats(&ending.winners),
        losers: seats(&ending.losers),
        pot: name(ending.pot),
        reason: None,
    })
}
