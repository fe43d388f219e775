//! Loading a match, following the rows of other servers, and unloading it again.

use std::sync::Arc;

use intermezzo_fail_points::{FailPoint, is_active};
use intermezzo_protocol::resources::EndingInfo;
use intermezzo_protocol::{Code, Problem};
use intermezzo_store::{Append, CommitOutcome, Due, LogRow, Snapshot, Transaction};
use tokio::sync::mpsc;
use tokio::time::Instant;

use super::compute::viewer_frames;
use super::frozen::FrozenMatch;
use super::{MatchActor, StepError, ending_info};
use crate::match_task::fold::{MatchState, RebuildError};
use crate::match_task::load;
use crate::match_task::match_pool::{self, Limited};
use crate::match_task::registry::{MatchDetails, WAKE_AHEAD_MS};
use crate::match_task::request::MatchRequest;
use crate::match_task::row::RowKind;

/// Size of a row that is decoded on another thread.
const LARGE_ROW: usize = 64 << 10;

/// Returns the problem for a match that must be loaded again first.
fn must_reload() -> Problem {
    Problem::new(Code::Busy, "the match must be loaded again; try again")
}

impl MatchActor {
    /// Loads the match if necessary. Followers receive the rows they have missed.
    pub(super) async fn ensure_loaded(&mut self) -> Result<(), Problem> {
        if self.frozen.is_some() {
            Box::pin(self.thaw()).await;
        }
        let was_away = self.learn_downtimes();
        if self.state.is_none() {
            Box::pin(self.load()).await?;
        }
        if was_away {
            // The deadlines have moved.
            Box::pin(self.resend_prompts()).await.map_err(|_| must_reload())?;
        }
        Ok(())
    }

    async fn load(&mut self) -> Result<(), Problem> {
        while self.state.is_none() {
            let details = match self.details.take() {
                Some(details) => details,
                None => self.registry.records.details(self.id).await?,
            };
            let mut config = details.config.clone();
            config.downtimes = self.registry.downtimes();
            // Followers must receive every row since the last published one, so a newer snapshot cannot be
            // used.
            let at_most = if self.followers.is_empty() { u64::MAX } else { self.published_version };
            let state = match load::load_state(
                &self.registry.store,
                &self.registry.match_pool,
                details.owner,
                self.id,
                config,
                at_most,
            )
            .await
            {
                Ok(Some(state)) => Ok(Some(state)),
                Ok(None) => self.write_first_row(&details).await,
                Err(problem) => Err(problem),
            };
            self.details = Some(details);
            self.state = state?.map(Box::new);
            let was_slow = self.pace.is_slow();
            if let Err(problem) = self.finish_loading().await {
                self.discard_state();
                // A row took too long here. The next attempt happens on other threads.
                if was_slow || !self.pace.is_slow() {
                    return Err(problem);
                }
            }
        }
        Ok(())
    }

    /// Brings a match that was just loaded up to date.
    async fn finish_loading(&mut self) -> Result<(), Problem> {
        let Some(state) = &mut self.state else { return Ok(()) };
        state
            .session
            .enable_custom_messages(self.followers.iter().any(|follower| follower.uses_custom_messages));
        self.snapshot_version = state.version;
        if !is_active(FailPoint::IgnoreRowsAfterSnapshot) || state.version == 1 {
            self.apply_new_rows().await?;
        }
        if let Some(state) = &mut self.state {
            state.apply_downtimes(i64::MAX);
            self.indexed_nodes = state.clocks.nodes();
            self.stored_due = None;
        }
        Ok(())
    }

    /// Returns true if the loaded match knows every downtime that this server knows.
    pub(super) fn knows_downtimes(&self) -> bool {
        let known = self.state.as_ref().map(|state| state.config.downtimes.len());
        known.is_none_or(|known| known == self.registry.downtimes().len())
    }

    /// Corrects the clocks if this server has learned of another downtime, or unloads the match if its clocks must be
    /// recomputed. Returns true if it did.
    fn learn_downtimes(&mut self) -> bool {
        let Some(state) = &mut self.state else { return false };
        let (old, new) = (Arc::clone(&state.config.downtimes), self.registry.downtimes());
        if old.len() == new.len() {
            return false;
        }
        let (known, later) = new.split_at(old.len().min(new.len()));
        // Rows after the end of a downtime were written with clocks that lack it.
        if *known == *old && later.first().is_some_and(|downtime| state.written_at <= downtime.until) {
            state.config.downtimes = new;
            state.apply_downtimes(i64::MAX);
            return true;
        }
        let is_idle = self.pending_batches.is_empty();
        if is_idle {
            self.discard_state();
        }
        is_idle
    }

    /// Applies and publishes the rows that others have written.
    async fn apply_new_rows(&mut self) -> Result<(), Problem> {
        let mut is_news = false;
        loop {
            let Some(state) = &self.state else { return Ok(()) };
            let rows = self.registry.store.rows(self.id, state.version, load::PAGE_ROWS).await;
            let rows = rows.map_err(|error| load::store_unavailable(&error))?;
            let count = rows.len();
            for row in rows {
                self.apply_foreign_row(row).await?;
            }
            is_news |= count > 0;
            if count < load::PAGE_ROWS {
                break;
            }
        }
        let Some(state) = &self.state else { return Ok(()) };
        let version = state.version;
        self.mark_published(version);
        if is_news {
            self.is_last_writer = false;
            self.bots_not_before = Instant::now() + self.peer_delay();
        }
        Ok(())
    }

    async fn apply_foreign_row(&mut self, row: LogRow) -> Result<(), Problem> {
        let id = self.id;
        let row = match row.body.len() > LARGE_ROW {
            true => {
                let decoding = self.registry.match_pool.run(self.owner(), move || load::decode_row(id, &row));
                decoding.await.ok_or_else(must_reload)?
            }
            false => load::decode_row(id, &row),
        }?;
        let Some(state) = &mut self.state else { return Ok(()) };
        let past = match row.is_undo() {
            true => Some(load::read_entries(&self.registry.store, self.id, state.version).await?),
            false => None,
        };
        let (row, name) = (Arc::new(row), self.name.clone());
        let applied = Arc::clone(&row);
        let viewers = self.frame_readers();
        let following = self.compute(move |state| {
            let update = state.apply_row(&applied, past.as_deref())?;
            let frames = update.as_ref().map(|update| viewer_frames(&name, state, update, &viewers));
            Ok::<_, RebuildError>(update.zip(frames))
        });
        let followed = following.await.map_err(|_| must_reload())?;
        let update = followed.map_err(|broken| load::rebuild_problem(self.id, &broken))?;
        let Some(state) = &self.state else { return Ok(()) };
        self.indexed_nodes = state.clocks.nodes();
        if state.version <= self.published_version
            || is_active(FailPoint::HideReplacedRow) && self.failures > 0
        {
            return Ok(());
        }
        self.published_version = state.version;
        if let Some((update, frames)) = update {
            self.publish_frames(&update, &frames);
            return Ok(());
        }
        match row.kind {
            RowKind::Paused(_) | RowKind::Resumed => {
                Box::pin(self.resend_prompts()).await.map_err(|_| must_reload())?;
            }
            RowKind::Lost(_)
            | RowKind::HungUp(_)
            | RowKind::Returned(_)
            | RowKind::Connected { .. }
            | RowKind::Replaced(_) => self.publish_presence(),
            RowKind::Begin | RowKind::Entry(_) => {}
        }
        Ok(())
    }

    /// Handles a notification that rows up to that version exist.
    pub(super) async fn on_notification(&mut self, version: u64) -> Result<(), StepError> {
        if self.state.as_ref().is_none_or(|state| state.version < version) {
            self.catch_up().await?;
        }
        Ok(())
    }

    /// Applies rows up to the end of the log. Returns true if any were missing.
    pub(super) async fn catch_up(&mut self) -> Result<bool, StepError> {
        self.wait_for_commits().await?;
        let Some(state) = &self.state else { return Err(StepError::Reload) };
        let before = state.version;
        let head = self.registry.store.head(self.id).await.map_err(|_| StepError::Reload)?;
        if head <= before {
            return Ok(false);
        }
        self.apply_new_rows().await.map_err(|_| StepError::Reload)?;
        Ok(true)
    }

    /// Catches up if other servers may write too.
    pub(super) async fn catch_up_with_peers(&mut self) -> Result<bool, StepError> {
        match self.registry.peers {
            Some(_) => self.catch_up().await,
            None => Ok(false),
        }
    }

    /// Handles a wake-up that the store had scheduled for `stored`. If the match is due later or not at all,
    /// the schedule is corrected, so that it is not woken again and again for nothing.
    pub(super) async fn on_wake(&mut self, stored: Option<i64>) -> Result<(), StepError> {
        self.catch_up_with_peers().await?;
        self.stored_due = self.stored_due.or(stored.map(Some));
        let Some(state) = &self.state else { return Ok(()) };
        let (due, soon) = (self.wake_time(state), self.registry.store.now() + WAKE_AHEAD_MS);
        if stored.is_none() || stored == due || due.is_some_and(|due| due <= soon) {
            return Ok(());
        }
        let due_at = due.map_or(Due::Never, Due::At);
        let version = state.version;
        let append = Append { match_id: self.id, expected: version, rows: Vec::new(), due: due_at };
        self.stored_due = Some(due);
        self.commit(version, Transaction { appends: vec![append], ..Transaction::default() });
        Ok(())
    }

    /// Writes the first row. Returns `None` if another server has.
    async fn write_first_row(&mut self, details: &MatchDetails) -> Result<Option<MatchState>, Problem> {
        let mut config = details.config.clone();
        config.downtimes = self.registry.downtimes();
        let started_at = details.started_at;
        let limit = self.registry.match_pool.other_limit();
        let starting = self.registry.match_pool.run(details.owner, move || {
            match_pool::within(limit, || {
                MatchState::start_unless(Some(match_pool::is_time_up_for_reads), config, started_at)
            })
        });
        let started = match starting.await {
            None => return Err(Problem::new(Code::Draining, "the server is shutting down")),
            Some(Limited { is_wrong: true, .. }) => Err("showing it takes too long".to_owned()),
            Some(Limited { outcome, .. }) => outcome.map_err(|error| error.to_string()),
        };
        let (state, written) = match started {
            Ok(started) => started,
            Err(reason) => {
                self.cancel_failed_start(&reason).await?;
                return Err(Problem::new(Code::RuleFailed, format!("the match cannot start: {reason}")));
            }
        };
        let due = self.wake_time_with(&state, &details.bots);
        let append = Append {
            match_id: self.id,
            expected: 0,
            rows: vec![written.row],
            due: due.map_or(Due::Never, Due::At),
        };
        let mut transaction = Transaction { appends: vec![append], ..Transaction::default() };
        if let Some(ending) = ending_info(&state) {
            transaction.puts = self.registry.records.settlement_puts(self.id, ending, false).await?;
        }
        match self.registry.store.commit(transaction).await {
            CommitOutcome::Committed => Ok(Some(state)),
            CommitOutcome::Conflict(_) => Ok(None),
            outcome => {
                tracing::warn!(r#match = %self.id, ?outcome, "the first row was not committed");
                Err(Problem::new(Code::Busy, "the match cannot start right now"))
            }
        }
    }

    /// Ends a match whose rules fail before the first prompt. All entry fees are refunded.
    async fn cancel_failed_start(&mut self, reason: &str) -> Result<(), Problem> {
        tracing::error!(r#match = %self.id, reason, "a match cannot start");
        let ending = EndingInfo {
            outcome: "failed".to_owned(),
            pot: "refund".to_owned(),
            reason: Some(reason.to_owned()),
            ..EndingInfo::default()
        };
        let puts = self.registry.records.settlement_puts(self.id, ending, false).await?;
        match self.registry.store.commit(Transaction { puts, ..Transaction::default() }).await {
            CommitOutcome::Committed => Ok(()),
            outcome => {
                tracing::warn!(r#match = %self.id, ?outcome, "a match that cannot start was not cancelled");
                Err(Problem::new(Code::Busy, "the match cannot be cancelled right now"))
            }
        }
    }

    /// Unloads the match after a quiet period. Ends the task if nobody follows.
    pub(super) async fn unload_if_idle(
        &mut self,
        mailbox: &mut mpsc::Receiver<MatchRequest>,
    ) -> Result<(), StepError> {
        self.wait_for_commits().await?;
        self.save_and_unload().await?;
        if self.followers.is_empty() && mailbox.is_empty() {
            return Err(StepError::Stop);
        }
        Ok(())
    }

    /// Writes a snapshot for a quick reload and unloads the match. If another server wrote the last row, the
    /// snapshot is left to it.
    pub(super) async fn save_and_unload(&mut self) -> Result<(), StepError> {
        if self.state.is_some() {
            self.freeze().await?;
        }
        let Some(frozen) = self.frozen.take() else { return Ok(()) };
        let FrozenMatch { snapshot: body, version, wake_time: due, .. } = *frozen;
        let is_known = version == self.snapshot_version && self.stored_due == Some(due);
        if is_known || (self.registry.peers.is_some() && !self.is_last_writer) {
            return Ok(());
        }
        let append = Append {
            match_id: self.id,
            expected: version,
            rows: Vec::new(),
            due: due.map_or(Due::Never, Due::At),
        };
        let snapshot = Snapshot { match_id: self.id, version, body };
        let transaction = Transaction { appends: vec![append], puts: Vec::new(), snapshots: vec![snapshot] };
        self.stored_due = Some(due);
        self.snapshot_version = version;
        match self.registry.store.commit(transaction).await {
            CommitOutcome::Committed | CommitOutcome::Conflict(_) => Ok(()),
            _ => Err(StepError::Stop),
        }
    }
}
