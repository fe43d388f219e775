//! The task of one match. Start with [`MatchActor::run`].
//!
//! It handles one request after the other. Everything it sends (acknowledgements, frames, errors) is held
//! back until every row written earlier is durable; meanwhile it may handle the next request. If a commit
//! fails or its outcome is unknown, the match is loaded again from the store, which is authoritative, and the
//! requests that depended on that row are retried.
//!
//! Every match has such a task, most of them idle, so the task must be small: what happens rarely is boxed, and takes memory
//! only while it happens.

mod bots;
mod commands;
mod commit_queue;
mod compute;
mod connections;
mod frozen;
mod load_and_follow;
mod outgoing;
mod pending_rows;
mod queries;
mod recent_updates;
mod timers;
use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use intermezzo_program::Seat;
use intermezzo_protocol::resources::EndingInfo;
use intermezzo_protocol::{Code, Problem};
use intermezzo_store::{MatchId, Put};
use tokio::sync::mpsc;
use tokio::time::Instant;
use tracing::Instrument;

use super::bot::BotPlayer;
use super::fold::MatchState;
use super::match_pool::MatchPace;
use super::registry::{MatchDetails, MatchRegistry};
use super::request::{MatchFollower, MatchRequest};
use crate::cluster::heartbeat;
use crate::cluster::peers::NodeId;
use crate::connections::outbox::CloseReason;
use bots::ThinkingBot;
use commit_queue::CommitQueue;
pub(crate) use connections::welcome_frame;
use frozen::FrozenMatch;
use outgoing::{PendingBatch, refuse, uncertain};
use pending_rows::UnsubmittedRows;
pub(crate) use pending_rows::connection_index_prefix;
use recent_updates::RecentUpdates;

/// Idle time after which caches are dropped.
const COMPACT_AFTER: Duration = Duration::from_secs(2);
/// Further idle time after which only a snapshot stays in memory, or nothing if nobody follows the match.
const FREEZE_AFTER: Duration = Duration::from_secs(8);
/// Idle time after which the match is unloaded.
const UNLOAD_AFTER: Duration = Duration::from_secs(60);
/// Upper bound of the timer while the match is unloaded.
const MAX_SLEEP: Duration = Duration::from_secs(24 * 60 * 60);

/// The reason why a step of the task was cut short.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum StepError {
    /// The task ends; everybody concerned has been answered.
    Stop,
    /// A commit failed or its outcome is unknown: the match must be loaded again.
    Reload,
}

pub(crate) struct MatchActor {
    id: MatchId,
    name: String,
    registry: Arc<MatchRegistry>,
    details: Option<MatchDetails>,
    state: Option<Box<MatchState>>,
    /// In place of the state while the match waits for long.
    frozen: Option<Box<FrozenMatch>>,
    followers: Vec<MatchFollower>,
    bots: Vec<Option<BotPlayer>>,
    /// Bot that is choosing an answer, with its seat.
    thinking_bot: Option<ThinkingBot>,
    /// Consecutive attempts in which bots found no accepted answer.
    failed_bot_attempts: u32,
    /// Time before which bots do not start: another server may already be at it.
    bots_not_before: Instant,
    /// Commits in flight. Each has one entry in `pending_batches`.
    commits: CommitQueue,
    /// Rows that the store does not have yet, with what is written along with them. They have the last entry in
    /// `pending_batches`.
    unsubmitted: Option<Box<UnsubmittedRows>>,
    pending_batches: VecDeque<PendingBatch>,
    /// Requests to retry because their rows were not committed, in order.
    unsaved_requests: Vec<MatchRequest>,
    /// Requests handled before those in the mailbox.
    retry_queue: VecDeque<MatchRequest>,
    /// Consecutive failed commits.
    failures: u32,
    /// Last durable row that all followers have received.
    published_version: u64,
    /// True if this server wrote the last row.
    is_last_writer: bool,
    /// Records written along with the next row.
    extra_puts: Vec<Put>,
    /// Servers under which the store lists this match because a seat is connected through them.
    indexed_nodes: BTreeSet<NodeId>,
    snapshot_version: u64,
    pace: MatchPace,
    recent: RecentUpdates,
    /// Time at which the store wakes this match, if known.
    stored_due: Option<Option<i64>>,
}

impl MatchActor {
    pub(crate) fn new(id: MatchId, registry: Arc<MatchRegistry>) -> MatchActor {
        MatchActor {
            id,
            name: id.to_string(),
            registry,
            details: None,
            state: None,
            frozen: None,
            followers: Vec::new(),
            bots: Vec::new(),
            thinking_bot: None,
            failed_bot_attempts: 0,
            bots_not_before: Instant::now(),
            commits: CommitQueue::default(),
            unsubmitted: None,
            pending_batches: VecDeque::new(),
            unsaved_requests: Vec::new(),
            retry_queue: VecDeque::new(),
            failures: 0,
            published_version: 0,
            is_last_writer: false,
            extra_puts: Vec::new(),
            indexed_nodes: BTreeSet::new(),
            snapshot_version: 0,
            pace: MatchPace::default(),
            recent: RecentUpdates::default(),
            stored_due: None,
        }
    }

    /// Runs until the match is no longer needed.
    pub(crate) async fn run(mut self, mut mailbox: mpsc::Receiver<MatchRequest>) {
        let mut is_quiet = false;
        loop {
            let done = match self.retry_queue.pop_front() {
                Some(request) => Box::pin(self.handle_request(request)).await,
                None => self.step(&mut mailbox, &mut is_quiet).await,
            };
            let done = match done {
                Err(StepError::Reload) => Box::pin(self.recover()).await,
                done => done,
            };
            if done.is_err() {
                break;
            }
        }
        self.shut_down().await;
        // Requests that arrived in the meantime must not wait forever.
        mailbox.close();
        while let Ok(request) = mailbox.try_recv() {
            refuse(request, &uncertain());
        }
    }

    /// Waits for the next event and handles it.
    async fn step(
        &mut self,
        mailbox: &mut mpsc::Receiver<MatchRequest>,
        is_quiet: &mut bool,
    ) -> Result<(), StepError> {
        self.record_presence().await?;
        let due_in = self.due_in();
        let idle_limit = match &self.state {
            Some(_) if *is_quiet && self.may_freeze() => FREEZE_AFTER,
            Some(_) if *is_quiet => UNLOAD_AFTER,
            Some(_) => COMPACT_AFTER,
            None if self.frozen.is_some() => UNLOAD_AFTER,
            None => MAX_SLEEP,
        };
        self.seat_bots();
        let bot_has_prompt = self.bot_has_prompt();
        let was_quiet = std::mem::take(is_quiet);
        // Rows of requests that have arrived together are written together.
        if self.may_add_row()
            && let Ok(request) = mailbox.try_recv()
        {
            return Box::pin(self.handle_request(request)).await;
        }
        self.submit_rows();
        tokio::select! {
            biased;
            Some(outcome) = self.commits.next() => self.on_commit(outcome).await,
            request = mailbox.recv() => match request {
                Some(request) => Box::pin(self.handle_request(request)).await,
                None => Err(StepError::Stop),
            },
            (seat, bot, entry) = bots::next_bot_answer(&mut self.thinking_bot) => {
                Box::pin(self.on_bot_answer(seat, bot, entry)).await
            }
            () = tokio::time::sleep_until(self.bots_not_before), if bot_has_prompt => {
                Box::pin(self.start_bot()).await
            }
            () = tokio::time::sleep(due_in.unwrap_or(idle_limit).min(idle_limit)) => match due_in {
                Some(due_in) if due_in < idle_limit => Box::pin(self.thaw_and_expire()).await,
                _ if was_quiet && self.may_freeze() && !self.followers.is_empty() => {
                    Box::pin(self.freeze()).await
                }
                _ if was_quiet || self.frozen.is_some() => Box::pin(self.unload_if_idle(mailbox)).await,
                _ => {
                    self.recent.shrink(&self.connected_readers());
                    *is_quiet = true;
                    Box::pin(self.compact()).await
                }
            },
        }
    }

    async fn handle_request(&mut self, request: MatchRequest) -> Result<(), StepError> {
        let span = request.span();
        self.handle_in_span(request).instrument(span).await
    }

    async fn handle_in_span(&mut self, request: MatchRequest) -> Result<(), StepError> {
        // A stopping server must not first read for everybody who waits. What players have submitted, it still saves.
        if self.registry.is_draining() && matches!(request, MatchRequest::Follow(_) | MatchRequest::Query(_))
        {
            refuse(request, &Problem::new(Code::Draining, "the server is shutting down"));
            return Ok(());
        }
        // The clocks of a server that was away must be corrected before they are read.
        if !self.registry.is_trusted_alive() {
            Box::pin(heartbeat::ensure_fresh(&self.registry)).await;
            if let Err(error) = self.wait_for_commits().await {
                self.unsaved_requests.push(request);
                return Err(error);
            }
        }
        // What is not in memory need not be saved.
        let is_drain = matches!(request, MatchRequest::Drain { .. });
        if !is_drain && let Err(problem) = self.ensure_loaded().await {
            refuse(request, &problem);
            return Err(StepError::Stop);
        }
        // Expired deadlines come before requests that arrive later.
        if !is_drain && let Err(error) = self.expire_due().await {
            self.unsaved_requests.push(request);
            return Err(error);
        }
        match request {
            MatchRequest::Command(command) => self.handle_command(*command).await,
            MatchRequest::Query(query) => Box::pin(self.answer_query(*query)).await,
            MatchRequest::Follow(follower) => Box::pin(self.add_follower(*follower)).await,
            MatchRequest::Unfollow { connection } => Box::pin(self.remove_follower(connection)).await,
            MatchRequest::Wake { stored } => Box::pin(self.on_wake(stored)).await,
            MatchRequest::NewRows { version } => Box::pin(self.on_notification(version)).await,
            MatchRequest::Drain { done } => {
                self.wait_for_commits().await?;
                let saved = Box::pin(self.save_and_unload()).await;
                self.followers.drain(..).for_each(|follower| follower.outbox.close(CloseReason::Stopping));
                let _ = done.send(());
                saved.and(Err(StepError::Stop))
            }
        }
    }
}

/// Returns true if somebody did more in the match than leave it.
fn has_moves(state: &MatchState) -> bool {
    let game = state.session.game();
    let left = (0..state.config.setup.seats).filter(|seat| game.board().has_left(Seat(*seat))).count();
    game.input_count() as usize > left
}

fn ending_info(state: &MatchState) -> Option<EndingInfo> {
    let playing = state.session.game();
    let ending = playing.ending()?;
    let name = |symbol| playing.program().symbol(symbol).to_owned();
    let seats = |seats: &[Seat]| seats.iter().map(|seat| seat.0).collect();
    Some(EndingInfo {
        outcome: name(ending.outcome),
        winners: seats(&ending.winners),
        losers: seats(&ending.losers),
        pot: name(ending.pot),
        score: ending.score,
        reason: None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn size_of_future<F>(_: impl FnOnce(MatchActor, mpsc::Receiver<MatchRequest>) -> F) -> usize {
        size_of::<F>()
    }

    #[test]
    fn the_task_of_a_match_is_small() {
        let size = size_of_future(|actor, mailbox| actor.run(mailbox));
        assert!(size <= 3 * 1024, "{size} bytes");
    }
}
