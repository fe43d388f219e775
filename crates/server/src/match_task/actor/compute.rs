//! Computations on the state of a match: here while they are quick, elsewhere if they are not.

use std::time::{Duration, Instant};

use axum::extract::ws::Utf8Bytes;
use intermezzo_engine::{Input, Refusal, Viewer};
use intermezzo_program::{FaultCode, Seat};
use intermezzo_protocol::Problem;
use intermezzo_session::{SessionEntry, SessionRefusal, SessionUpdate};

use super::{MatchActor, StepError};
use crate::connections::frame_text;
use crate::match_task::fold::{AppendedRow, CommandSender, MatchState};
use crate::match_task::match_pool;
use crate::problem_mapping;

/// A row, its effects, and the frames for those who follow the match.
pub(super) struct AppliedEntry {
    pub(super) row: Vec<u8>,
    pub(super) update: SessionUpdate,
    pub(super) frames: ViewerFrames,
}

/// The frames of an update, by viewer.
pub(super) type ViewerFrames = Vec<(Viewer, Vec<Utf8Bytes>)>;

/// An entry with everything that applying it needs.
struct EntryWork {
    at: i64,
    sender: CommandSender,
    entry: SessionEntry,
    past: Option<Vec<SessionEntry>>,
    seat: Option<Seat>,
    name: String,
    viewers: Vec<Viewer>,
}

impl MatchActor {
    /// Computes something on the state. If the match was slow recently, that happens on another thread.
    pub(super) async fn compute<T: Send + 'static>(
        &mut self,
        work: impl FnOnce(&mut MatchState) -> T + Send + 'static,
    ) -> Result<T, StepError> {
        if self.pace.is_slow() && self.registry.match_pool.has_threads() {
            return self.compute_elsewhere(work).await;
        }
        let Some(state) = &mut self.state else { return Err(StepError::Reload) };
        let started = Instant::now();
        let outcome = work(state);
        self.pace.record(started.elapsed());
        Ok(outcome)
    }

    async fn compute_elsewhere<T: Send + 'static>(
        &mut self,
        work: impl FnOnce(&mut MatchState) -> T + Send + 'static,
    ) -> Result<T, StepError> {
        let Some(mut state) = self.state.take() else { return Err(StepError::Reload) };
        let pool = self.registry.match_pool.clone();
        let computed = pool.run(self.owner(), move || {
            let started = Instant::now();
            let outcome = work(&mut state);
            (state, outcome, started.elapsed())
        });
        let (state, outcome, elapsed) = computed.await.ok_or(StepError::Stop)?;
        self.state = Some(state);
        self.pace.record(elapsed);
        Ok(outcome)
    }

    /// Returns the account on whose share of the threads this match computes.
    pub(super) fn owner(&self) -> u128 {
        self.details.as_ref().map_or(self.id.0, |details| details.owner)
    }

    /// Applies an entry and renders its frames. Nothing has changed if the match refuses it.
    pub(super) async fn compute_entry(
        &mut self,
        at: i64,
        sender: CommandSender,
        entry: &SessionEntry,
        past: Option<Vec<SessionEntry>>,
        seat: Option<Seat>,
    ) -> Result<Result<AppliedEntry, Problem>, StepError> {
        let viewers = self.followers.iter().filter(|follower| !follower.uses_custom_messages);
        let viewers = viewers.map(|follower| follower.viewer).collect();
        let work =
            EntryWork { at, sender, entry: entry.clone(), past, seat, name: self.name.clone(), viewers };
        let is_answer = matches!(entry, SessionEntry::Input(Input::Answer { .. }));
        // Only answers of players can be given up: a match must always be able to end.
        let limit = Some(self.registry.match_pool.input_limit()).filter(|_| is_answer && seat.is_some());
        if !self.registry.match_pool.has_threads() {
            return self.compute(move |state| work.run(state)).await;
        }
        let Some(state) = &mut self.state else { return Err(StepError::Reload) };
        if !self.pace.is_slow() {
            let started = Instant::now();
            state.session.interrupt_next(match_pool::is_time_up);
            match match_pool::within_slice(|| work.try_run(state)) {
                Err(refusal) if is_time_fault(&refusal) => self.pace.record_interruption(),
                outcome => {
                    let outcome = outcome.map_err(|refusal| work.problem(state, &refusal));
                    self.pace.record(started.elapsed());
                    return Ok(outcome);
                }
            }
        }
        self.compute_elsewhere(move |state| match limit {
            Some(limit) => work.run_within(limit, state),
            None => work.run(state),
        })
        .await
    }
}

impl EntryWork {
    fn run(&self, state: &mut MatchState) -> Result<AppliedEntry, Problem> {
        self.try_run(state).map_err(|refusal| self.problem(state, &refusal))
    }

    fn run_within(&self, limit: Duration, state: &mut MatchState) -> Result<AppliedEntry, Problem> {
        state.session.interrupt_next(match_pool::is_time_up);
        match_pool::within(limit, || self.run(state))
    }

    fn try_run(&self, state: &mut MatchState) -> Result<AppliedEntry, SessionRefusal> {
        let AppendedRow { row, update } =
            state.apply_entry(self.at, self.sender, &self.entry, self.past.as_deref())?;
        let frames = viewer_frames(&self.name, state, &update, &self.viewers);
        Ok(AppliedEntry { row, update, frames })
    }

    fn problem(&self, state: &mut MatchState, refusal: &SessionRefusal) -> Problem {
        problem_mapping::refusal_problem(&mut state.session, self.seat, refusal)
    }
}

/// Renders the frames of an update for these viewers.
pub(super) fn viewer_frames(
    name: &str,
    state: &mut MatchState,
    update: &SessionUpdate,
    viewers: &[Viewer],
) -> ViewerFrames {
    let followed = update.viewers.iter().filter(|update| viewers.contains(&update.viewer));
    followed.map(|update| (update.viewer, frame_text::update(name, state, update, true))).collect()
}

fn is_time_fault(refusal: &SessionRefusal) -> bool {
    matches!(refusal, SessionRefusal::Refused(Refusal::Faulted(fault)) if fault.code == FaultCode::Time)
}
