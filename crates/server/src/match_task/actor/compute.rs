//! Computations on the state of a match: here while they are quick, elsewhere if they are not.

use intermezzo_engine::{Input, Refusal, Viewer};
use intermezzo_program::{FaultCode, Seat};
use intermezzo_protocol::{Code, Problem, WireVersion};
use intermezzo_session::{SessionEntry, SessionRefusal, SessionUpdate};

use super::{MatchActor, StepError};
use crate::connections::frame_text::{self, UpdateFrames};
use crate::match_task::fold::{AppendedRow, CommandSender, MatchState};
use crate::match_task::match_pool::{self, CpuTimer, Limited};
use crate::problem_mapping;

/// Size of a state from which on everything happens on other threads. Showing that much takes about a slice.
const LARGE_WORDS: usize = 16_384;

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

/// The outcome of an entry whose rules may be interrupted.
struct TimedOutcome {
    outcome: Result<AppliedEntry, Problem>,
    /// True if they were, so that nothing has changed.
    is_out_of_time: bool,
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
    /// Computes something on the state: here if it is short, and otherwise on another thread. If it turns out to be long only
    /// now, the match is loaded again.
    pub(super) async fn compute<T: Send + 'static>(
        &mut self,
        work: impl FnOnce(&mut MatchState) -> T + Send + 'static,
    ) -> Result<T, StepError> {
        if self.computes_elsewhere() {
            return Box::pin(self.compute_elsewhere(work)).await;
        }
        let can_interrupt = self.registry.match_pool.has_threads();
        let Some(state) = &mut self.state else { return Err(StepError::Reload) };
        if !can_interrupt {
            return Ok(work(state));
        }
        let Limited { outcome, elapsed, is_wrong } =
            match_pool::within_slice(|| with_interrupted_reads(state, work));
        if is_wrong {
            return Err(Box::pin(self.give_up_state()).await);
        }
        self.pace.record(elapsed);
        Ok(outcome)
    }

    /// Returns true if this match computes on other threads: it was slow recently, or its state is large, so that everything
    /// takes long that reads or copies all of it.
    pub(super) fn computes_elsewhere(&self) -> bool {
        self.registry.match_pool.has_threads() && (self.pace.is_slow() || self.is_large())
    }

    fn is_large(&self) -> bool {
        self.state.as_ref().is_some_and(|state| state.session.game().board().words() > LARGE_WORDS)
    }

    /// Drops the state after a computation on it was interrupted in the middle. Returns the reason why the current step ends.
    async fn give_up_state(&mut self) -> StepError {
        self.pace.record_interruption();
        if let Err(error) = self.wait_for_commits().await {
            return error;
        }
        self.discard_state();
        StepError::Reload
    }

    /// Drops the state.
    pub(super) fn discard_state(&mut self) {
        let is_large = self.is_large();
        if let Some(state) = self.state.take().filter(|_| is_large) {
            self.registry.match_pool.discard(state);
        }
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
        // The whole match is replayed for an entry that needs its past.
        let needs_past = past.is_some();
        let work =
            EntryWork { at, sender, entry: entry.clone(), past, seat, name: self.name.clone(), viewers };
        if !self.registry.match_pool.has_threads() {
            return self.compute(move |state| work.run(state)).await;
        }
        if !needs_past && !self.computes_elsewhere() {
            let Some(state) = &mut self.state else { return Err(StepError::Reload) };
            let limited = match_pool::within_slice(|| work.run_within_limit(true, state));
            if limited.is_wrong {
                return Err(Box::pin(self.give_up_state()).await);
            }
            let TimedOutcome { outcome, is_out_of_time } = limited.outcome;
            if !is_out_of_time {
                self.pace.record(limited.elapsed);
                return Ok(outcome);
            }
            self.pace.record_interruption();
        }
        Box::pin(self.compute_entry_elsewhere(work)).await
    }

    async fn compute_entry_elsewhere(
        &mut self,
        work: EntryWork,
    ) -> Result<Result<AppliedEntry, Problem>, StepError> {
        let pool = &self.registry.match_pool;
        // The rules of an entry that is no answer are never given up: a match must always be able to end.
        let is_answer =
            matches!(work.entry, SessionEntry::Input(Input::Answer { .. })) && work.seat.is_some();
        let limit = if is_answer { pool.input_limit() } else { pool.other_limit() };
        let computing = self.compute_elsewhere(move |state| {
            match_pool::within(limit, || work.run_within_limit(is_answer, state))
        });
        let Limited { outcome, is_wrong, .. } = computing.await?;
        if !is_wrong {
            return Ok(outcome.outcome);
        }
        // Nothing was written, so the match is what the store has.
        match self.give_up_state().await {
            StepError::Stop => return Err(StepError::Stop),
            StepError::Reload => self.ensure_loaded().await.map_err(|_| StepError::Reload)?,
        }
        let problem = Problem::new(Code::RuleFailed, "the rules take too long to show the effects");
        Ok(Err(problem.with("fault", FaultCode::Time.name())))
    }
}

/// Computes something that is given up when the time is over.
fn with_interrupted_reads<T>(state: &mut MatchState, work: impl FnOnce(&mut MatchState) -> T) -> T {
    state.session.interrupt_reads(Some(match_pool::is_time_up_for_reads));
    let outcome = work(state);
    state.session.interrupt_reads(None);
    outcome
}

impl EntryWork {
    fn run(&self, state: &mut MatchState) -> Result<AppliedEntry, Problem> {
        self.try_run(state).map_err(|refusal| self.problem(state, &refusal))
    }

    /// Runs until the time is over.
    fn run_within_limit(&self, interrupts_rules: bool, state: &mut MatchState) -> TimedOutcome {
        if interrupts_rules {
            state.session.interrupt_next(match_pool::is_time_up);
        }
        with_interrupted_reads(state, |state| {
            let outcome = self.try_run(state);
            let is_out_of_time = outcome.as_ref().is_err_and(is_time_fault);
            TimedOutcome { outcome: outcome.map_err(|refusal| self.problem(state, &refusal)), is_out_of_time }
        })
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
