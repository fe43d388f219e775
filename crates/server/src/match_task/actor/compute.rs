//! Computations on the state of a match: here while they are quick, elsewhere if they are not.

use std::time::Duration;

use intermezzo_engine::{Input, Refusal, Viewer};
use intermezzo_program::{FaultCode, Seat};
use intermezzo_protocol::{Problem, WireVersion};
use intermezzo_session::{SessionEntry, SessionRefusal, SessionUpdate};

use super::{MatchActor, StepError};
use crate::connections::frame_text::{self, UpdateFrames};
use crate::match_task::fold::{AppendedRow, CommandSender, MatchState};
use crate::match_task::match_pool::{self, CpuTimer};
use crate::problem_mapping;

/// A row, its effects, and the frames for those who follow the match.
pub(super) struct AppliedEntry {
    pub(super) row: Vec<u8>,
    pub(super) update: SessionUpdate,
    pub(super) frames: Vec<ReaderFrames>,
}

/// A viewer, and the version of the frames that some of its connections read.
pub(super) type FrameReader = (Viewer, WireVersion);

/// The frames of an update for one kind of reader.
pub(super) struct ReaderFrames {
    pub(super) reader: FrameReader,
    /// The viewer's version.
    pub(super) version: u64,
    pub(super) frames: UpdateFrames,
}

/// An entry with everything that applying it needs.
struct EntryWork {
    at: i64,
    sender: CommandSender,
    entry: SessionEntry,
    past: Option<Vec<SessionEntry>>,
    seat: Option<Seat>,
    name: String,
    viewers: Vec<FrameReader>,
}

impl MatchActor {
    /// Computes something on the state. If the match was slow recently, that happens on another thread.
    pub(super) async fn compute<T: Send + 'static>(
        &mut self,
        work: impl FnOnce(&mut MatchState) -> T + Send + 'static,
    ) -> Result<T, StepError> {
        if self.pace.is_slow() && self.registry.match_pool.has_threads() {
            return Box::pin(self.compute_elsewhere(work)).await;
        }
        let Some(state) = &mut self.state else { return Err(StepError::Reload) };
        let timer = CpuTimer::start();
        let outcome = work(state);
        self.pace.record(timer.elapsed());
        Ok(outcome)
    }

    /// Returns for whom frames are rendered, each once: who is connected, and who was until recently.
    pub(super) fn frame_readers(&self) -> Vec<FrameReader> {
        let mut readers = self.connected_readers();
        for reader in self.recent.readers() {
            if !readers.contains(&reader) {
                readers.push(reader);
            }
        }
        readers
    }

    /// Returns who is connected, each once.
    pub(super) fn connected_readers(&self) -> Vec<FrameReader> {
        let mut readers = Vec::new();
        for follower in self.followers.iter().filter(|follower| !follower.uses_custom_messages) {
            if !readers.contains(&follower.frame_reader()) {
                readers.push(follower.frame_reader());
            }
        }
        readers
    }

    async fn compute_elsewhere<T: Send + 'static>(
        &mut self,
        work: impl FnOnce(&mut MatchState) -> T + Send + 'static,
    ) -> Result<T, StepError> {
        // Nobody should wait for this computation but those who need it.
        self.submit_rows();
        let Some(mut state) = self.state.take() else { return Err(StepError::Reload) };
        let pool = self.registry.match_pool.clone();
        let computed = pool.run(self.owner(), move || {
            let timer = CpuTimer::start();
            let outcome = work(&mut state);
            (state, outcome, timer.elapsed())
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
        let viewers = self.frame_readers();
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
            let timer = CpuTimer::start();
            state.session.interrupt_next(match_pool::is_time_up);
            match match_pool::within_slice(|| work.try_run(state)) {
                Err(refusal) if is_time_fault(&refusal) => self.pace.record_interruption(),
                outcome => {
                    let outcome = outcome.map_err(|refusal| work.problem(state, &refusal));
                    self.pace.record(timer.elapsed());
                    return Ok(outcome);
                }
            }
        }
        let elsewhere = self.compute_elsewhere(move |state| match limit {
            Some(limit) => work.run_within(limit, state),
            None => work.run(state),
        });
        Box::pin(elsewhere).await
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
    readers: &[FrameReader],
) -> Vec<ReaderFrames> {
    let mut frames = Vec::with_capacity(readers.len());
    for update in &update.viewers {
        for reader in readers.iter().filter(|reader| reader.0 == update.viewer) {
            let rendered = frame_text::update(name, state, update, reader.1);
            frames.push(ReaderFrames { reader: *reader, version: update.version, frames: rendered });
        }
    }
    frames
}

fn is_time_fault(refusal: &SessionRefusal) -> bool {
    matches!(refusal, SessionRefusal::Refused(Refusal::Faulted(fault)) if fault.code == FaultCode::Time)
}
