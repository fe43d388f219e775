//! Rows on their way to the store, and recovery from failed commits.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;
use std::time::Duration;

use intermezzo_fail_points::{FailPoint, is_active};
use intermezzo_protocol::Code;
use intermezzo_store::{Append, CommitOutcome, Conflict, Due, Expect, Put, Snapshot, Transaction};
use tracing::Span;

use super::outgoing::{OutgoingItem, PendingBatch, refuse, uncertain};
use super::{MatchActor, StepError, ending_info, has_moves};
use crate::cluster::availability::Moment;
use crate::cluster::bus::Topic;
use crate::cluster::heartbeat;
use crate::cluster::peers::NodeId;
use crate::connections::outbox::CloseReason;
use crate::match_task::fold::MatchState;

/// Least and greatest number of rows between snapshots.
const SNAPSHOT_ROWS: RangeInclusive<u64> = 32..=256;
/// A snapshot contains every command, so they become rarer as a match grows: one row for so many commands.
const COMMANDS_PER_ROW: u64 = 16;
/// Greatest number of rows that are written together.
const MAX_ROWS: usize = 16;
/// Attempts to commit the end of a match when others change the same records.
const MAX_ATTEMPTS: u32 = 50;
/// Consecutive failures after which the task gives up and its clients must reconnect.
const MAX_FAILURES: u32 = 9;

/// Due time of a match that only needs waking after a downtime: a starting server wakes every due match.
const AFTER_DOWNTIME: i64 = i64::MAX;
/// Silence after which a match without a clock ends: nobody else waits in it, so nothing else would ever end it.
pub(super) const ABANDONED_MS: i64 = 30 * 24 * 60 * 60 * 1000;

/// Rows that the store does not have yet, with what is written along with them.
pub(super) struct UnsubmittedRows {
    transaction: Transaction,
    /// Span of the first request.
    span: Span,
}

impl MatchActor {
    /// Sends an item once all earlier rows are durable.
    pub(super) fn enqueue(&mut self, item: OutgoingItem) {
        match self.pending_batches.back_mut() {
            Some(batch) if !is_active(FailPoint::PublishBeforeDurable) => batch.outgoing.push(item),
            _ => item.deliver(),
        }
    }

    /// Handles the outcome of the oldest commit in flight.
    pub(super) async fn on_commit(&mut self, outcome: CommitOutcome) -> Result<(), StepError> {
        let Some(batch) = self.pending_batches.pop_front() else { return Ok(()) };
        let is_believed =
            is_active(FailPoint::UnknownCountsAsCommitted) && matches!(outcome, CommitOutcome::Unknown(_));
        if outcome == CommitOutcome::Committed || is_believed {
            batch.outgoing.into_iter().for_each(OutgoingItem::deliver);
            self.failures = 0;
            self.mark_published(batch.version);
            if let Some(peers) = &self.registry.peers {
                peers.publish(Topic::Match(self.id), batch.version);
            }
            return Ok(());
        }
        match (&outcome, &self.registry.peers) {
            (CommitOutcome::Conflict(_), Some(_)) => {
                tracing::debug!(r#match = %self.id, "another server committed first");
            }
            _ => tracing::warn!(r#match = %self.id, ?outcome, "a row was not committed"),
        }
        self.collect_retries(batch, &outcome);
        // Later rows built on the failed one: wait for their outcomes too.
        while let Some(outcome) = self.commits.next().await {
            if let Some(batch) = self.pending_batches.pop_front() {
                self.collect_retries(batch, &outcome);
            }
        }
        self.discard_unsubmitted();
        self.discard_state();
        Err(StepError::Reload)
    }

    /// Gives up the rows that the store does not have yet.
    fn discard_unsubmitted(&mut self) {
        if self.unsubmitted.take().is_some()
            && let Some(batch) = self.pending_batches.pop_back()
        {
            self.collect_retries(batch, &CommitOutcome::NotCommitted(String::new()));
        }
    }

    fn collect_retries(&mut self, batch: PendingBatch, outcome: &CommitOutcome) {
        self.unsaved_requests.extend(batch.outgoing.into_iter().filter_map(|item| item.into_retry(outcome)));
    }

    /// Records that all followers have received everything up to that version.
    pub(super) fn mark_published(&mut self, version: u64) {
        self.published_version = version;
        self.registry.record_published_version(self.id, version);
    }

    /// Loads the match again after a failed commit. Requests that depended on it are retried first.
    pub(super) async fn recover(&mut self) -> Result<(), StepError> {
        self.discard_unsubmitted();
        self.discard_state();
        self.recent.clear();
        while self.failures < MAX_FAILURES {
            self.failures += 1;
            if self.failures > 1 {
                tokio::time::sleep(Duration::from_millis(5 << self.failures)).await;
            }
            match self.ensure_loaded().await {
                Ok(()) => {
                    for request in self.unsaved_requests.drain(..).rev() {
                        self.retry_queue.push_front(request);
                    }
                    return Ok(());
                }
                Err(problem) if problem.code == Code::Busy => {}
                Err(_) => break,
            }
        }
        Err(StepError::Stop)
    }

    /// Waits until no commit is in flight.
    pub(super) async fn wait_for_commits(&mut self) -> Result<(), StepError> {
        self.submit_rows();
        while let Some(outcome) = self.commits.next().await {
            self.on_commit(outcome).await?;
        }
        Ok(())
    }

    /// Ends the task. Clients learn that unconfirmed requests may be lost.
    pub(super) async fn shut_down(&mut self) {
        self.submit_rows();
        self.discard_state();
        let lost = std::mem::take(&mut self.unsaved_requests)
            .into_iter()
            .chain(std::mem::take(&mut self.retry_queue));
        lost.for_each(|request| refuse(request, &uncertain()));
        for batch in std::mem::take(&mut self.pending_batches) {
            let again = batch.outgoing.into_iter().filter_map(|item| item.into_retry(&unknown_outcome()));
            again.for_each(|request| refuse(request, &uncertain()));
        }
        for follower in self.followers.drain(..) {
            follower.outbox.close(CloseReason::Reconnect);
        }
        // The next reader of the store must not miss a row that is still being committed.
        while self.commits.next().await.is_some() {}
    }

    /// Adds a row to those that are written next.
    pub(super) async fn write_row(&mut self, row: Vec<u8>) -> Result<(), StepError> {
        if !self.registry.is_trusted_alive() || !self.knows_downtimes() {
            // The clocks behind this row may lack a downtime.
            Box::pin(heartbeat::ensure_fresh(&self.registry)).await;
            self.wait_for_commits().await?;
            return Err(StepError::Reload);
        }
        if !self.may_add_row() {
            self.submit_rows();
        }
        let may_differ = self.registry.peers.is_some() || self.failures > 0;
        if may_differ && self.unsubmitted.is_none() && !is_active(FailPoint::AppendOverForeignRow) {
            // A row of another server, or a late one of a failed commit, may replace the previous row. Wait
            // for the previous commit, so that this row is never appended on top of a foreign one. Rows that are
            // written together are written all or not at all.
            self.wait_for_commits().await?;
        }
        let Some(state) = &self.state else { return Err(StepError::Stop) };
        let (version, is_over) = (state.version, state.session.game().is_over());
        let next_snapshot = self.snapshot_version + snapshot_interval(state);
        let wanted_at = self.wake_time(state);
        let due = self.due_change(wanted_at.filter(|_| !is_over), is_over);
        let mut puts = std::mem::take(&mut self.extra_puts);
        puts.extend(self.connection_index_puts());
        let append = Append { match_id: self.id, expected: version - 1, rows: vec![row], due };
        let mut transaction = Transaction { appends: vec![append], puts, ..Transaction::default() };
        if version >= next_snapshot || is_over {
            let body = self.compute(|state| state.snapshot()).await?;
            transaction.snapshots.push(Snapshot { match_id: self.id, version, body });
            self.snapshot_version = version;
        }
        self.is_last_writer = true;
        if is_over {
            return Box::pin(self.write_last_row(version, transaction)).await;
        }
        match &mut self.unsubmitted {
            Some(earlier) => add(&mut earlier.transaction, transaction),
            None => {
                self.unsubmitted = Some(Box::new(UnsubmittedRows { transaction, span: Span::current() }));
                self.pending_batches.push_back(PendingBatch { version, outgoing: Vec::new() });
            }
        }
        if let Some(batch) = self.pending_batches.back_mut() {
            batch.version = version;
        }
        Ok(())
    }

    /// Returns true if another row may be written together with those that the store does not have yet.
    pub(super) fn may_add_row(&self) -> bool {
        let rows = self.unsubmitted.as_ref().and_then(|rows| rows.transaction.appends.first());
        rows.is_some_and(|append| append.rows.len() < MAX_ROWS)
    }

    /// Starts the commit of the rows that the store does not have yet.
    pub(super) fn submit_rows(&mut self) {
        let Some(rows) = self.unsubmitted.take() else { return };
        let UnsubmittedRows { mut transaction, span } = *rows;
        let now = Moment::now(&self.registry.store);
        transaction.puts.extend(self.registry.heartbeat.piggyback(now, self.registry.peers.as_ref()));
        self.commits.push(span.in_scope(|| self.registry.commit(transaction)));
    }

    /// Starts a commit; `version` is durable when it succeeds.
    pub(super) fn commit(&mut self, version: u64, transaction: Transaction) {
        self.submit_rows();
        self.commits.push(self.registry.commit(transaction));
        self.pending_batches.push_back(PendingBatch { version, outgoing: Vec::new() });
    }

    /// Commits the last row together with the settlement of the match.
    async fn write_last_row(&mut self, version: u64, mut transaction: Transaction) -> Result<(), StepError> {
        self.wait_for_commits().await?;
        let Some(ending) = self.state.as_deref().and_then(ending_info) else { return Err(StepError::Stop) };
        let has_moves = self.state.as_deref().is_some_and(has_moves);
        let extra_puts = std::mem::take(&mut transaction.puts);
        for attempt in 0..MAX_ATTEMPTS {
            let Ok(puts) = self.registry.records.settlement_puts(self.id, ending.clone(), has_moves).await
            else {
                return Err(StepError::Reload);
            };
            transaction.puts = [&extra_puts[..], &puts].concat();
            if is_active(FailPoint::PayBeforeLastRow) {
                let puts = std::mem::take(&mut transaction.puts);
                let _ = self.registry.store.commit(Transaction { puts, ..Transaction::default() }).await;
            }
            match self.registry.commit(transaction.clone()).await {
                CommitOutcome::Conflict(Conflict::Record { key }) => {
                    tracing::debug!(%key, attempt, "the ledger or ratings changed in the meantime");
                }
                outcome => {
                    if outcome == CommitOutcome::Committed {
                        metrics::counter!("intermezzo_ended_matches_total").increment(1);
                    }
                    self.commits.push(Box::pin(std::future::ready(outcome)));
                    self.pending_batches.push_back(PendingBatch { version, outgoing: Vec::new() });
                    return Ok(());
                }
            }
        }
        Err(StepError::Reload)
    }

    /// Returns the time at which the store should wake the match if this server goes down: the next deadline,
    /// now if a bot must answer, or [`AFTER_DOWNTIME`] on a single server if a connected player may not
    /// return.
    pub(super) fn wake_time(&self, state: &MatchState) -> Option<i64> {
        self.wake_time_with(state, self.bot_names())
    }

    /// Like [`MatchActor::wake_time`], with the bots of a match whose details are not stored yet.
    pub(super) fn wake_time_with(&self, state: &MatchState, bots: &[Option<String>]) -> Option<i64> {
        let is_bot = |seat: intermezzo_program::Seat| {
            let began = bots.get(usize::from(seat.0)).is_some_and(Option::is_some);
            began || state.clocks.is_replaced(seat)
        };
        if !state.clocks.is_paused() && state.session.game().pending().any(|pending| is_bot(pending.seat())) {
            return Some(state.written_at);
        }
        let is_alone = self.registry.peers.is_none();
        let is_watched =
            || is_alone && state.config.clock.grace.is_some() && state.clocks.is_anyone_connected();
        let due = state.clocks.next_expiry(&state.config.clock).map(|(due, _)| due);
        let abandoned = || state.config.clock.is_untimed.then_some(state.written_at + ABANDONED_MS);
        due.or_else(|| is_watched().then_some(AFTER_DOWNTIME)).or_else(abandoned)
    }

    /// Returns the change to the stored due time. Waking early is harmless, so later times need not be
    /// stored; but that requires knowing the stored time, which other servers may have changed.
    fn due_change(&mut self, due: Option<i64>, is_over: bool) -> Due {
        let is_early_enough = match (self.stored_due, due) {
            (Some(Some(known)), Some(due)) => known <= due,
            (Some(Some(_)), None) => !is_over,
            (Some(None), None) => true,
            _ => false,
        };
        if is_early_enough && self.registry.peers.is_none() {
            return Due::Keep;
        }
        self.stored_due = Some(due);
        due.map_or(Due::Never, Due::At)
    }

    /// Returns the changes to the lists of matches connected through each server. With several servers on one
    /// store, the others use these lists to find the players lost with a server.
    fn connection_index_puts(&mut self) -> Vec<Put> {
        let Some(state) = self.state.as_ref().filter(|_| self.registry.peers.is_some()) else {
            return Vec::new();
        };
        let now: BTreeSet<NodeId> = state.clocks.nodes();
        let before = std::mem::replace(&mut self.indexed_nodes, now);
        let put = |node: &NodeId, value| Put {
            key: connection_index_key(*node, &self.name),
            expect: Expect::Anything,
            value,
        };
        let removed = before.difference(&self.indexed_nodes).map(|node| put(node, None));
        let added = self.indexed_nodes.difference(&before).map(|node| put(node, Some(Vec::new())));
        removed.chain(added).collect()
    }
}

/// Returns the number of rows between snapshots.
fn snapshot_interval(state: &MatchState) -> u64 {
    (state.command_count() / COMMANDS_PER_ROW).clamp(*SNAPSHOT_ROWS.start(), *SNAPSHOT_ROWS.end())
}

/// Adds the next row of the same match to a transaction, which names every record and every snapshot once.
fn add(earlier: &mut Transaction, next: Transaction) {
    let Transaction { appends, puts, snapshots } = next;
    for (earlier, Append { rows, due, .. }) in earlier.appends.iter_mut().zip(appends) {
        earlier.rows.extend(rows);
        if due != Due::Keep {
            earlier.due = due;
        }
    }
    for put in puts {
        match earlier.puts.iter_mut().find(|earlier| earlier.key == put.key) {
            Some(earlier) => earlier.value = put.value,
            None => earlier.puts.push(put),
        }
    }
    // A snapshot contains those before it.
    if !snapshots.is_empty() {
        earlier.snapshots = snapshots;
    }
}

/// Returns the key that lists a match as connected through a server.
fn connection_index_key(node: NodeId, match_id: &str) -> String {
    format!("{}{match_id}", connection_index_prefix(node))
}

/// Returns the prefix of a server's list.
pub(crate) fn connection_index_prefix(node: NodeId) -> String {
    format!("server/connected/{node:032x}/")
}

fn unknown_outcome() -> CommitOutcome {
    CommitOutcome::Unknown(String::new())
}

#[cfg(test)]
mod tests {
    use intermezzo_store::MatchId;

    use super::*;

    #[test]
    fn rows_that_are_written_together_name_each_record_and_snapshot_once() {
        let match_id = MatchId(1);
        let row = |version: u64| Transaction {
            appends: vec![Append { match_id, expected: version - 1, rows: vec![vec![0]], due: Due::Keep }],
            puts: vec![Put {
                key: "seats".to_owned(),
                expect: Expect::Anything,
                value: Some(vec![version as u8]),
            }],
            snapshots: vec![Snapshot { match_id, version, body: Vec::new() }],
        };
        let mut together = row(1);
        add(&mut together, row(2));
        assert_eq!(together.appends[0].rows.len(), 2);
        assert_eq!(together.puts.iter().map(|put| put.value.clone()).collect::<Vec<_>>(), [Some(vec![2])]);
        assert_eq!(together.snapshots.iter().map(|snapshot| snapshot.version).collect::<Vec<_>>(), [2]);
    }
}
