//! Steps through a recorded match event by event. Start with [`MatchReplay::open`].
//!
//! Opening a replay runs the match once and lists what one viewer sees. It keeps checkpoints of the match, so
//! that [`MatchReplay::state_after`] need not run from the start to show the state after any event, even in the
//! middle of an input.

mod runner;
mod titles;

use std::collections::HashMap;
use std::sync::Arc;

use intermezzo_engine::{
    Datum, EventStatus, FrameSummary, Input, Match, MidInput, Observer, PendingReaction, Setup, Viewer,
};
use intermezzo_program::{Program, Seat};
use serde_json::{Map, Value};

use crate::file::{MatchFile, SavedInput};
use crate::mismatch::{MismatchKind, MismatchLocation, ReplayMismatch};
use crate::narrate::to_json;
use crate::sentences::{event_text, input_text, without_entity_numbers};
use runner::{ObservedEvent, ReplayRunner};
use titles::EntityTitles;

/// Maximum number of checkpoints.
const MAX_CHECKPOINTS: usize = 32;

/// The viewpoint of a replay.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ReplayViewpoint {
    /// Sees everything.
    Omniscient,
    /// Sees what this viewer saw.
    Viewer(Viewer),
}

/// A replay of a match for one viewpoint.
#[derive(Debug)]
pub struct MatchReplay {
    program: Arc<Program>,
    setup: Setup,
    viewpoint: ReplayViewpoint,
    /// All inputs of the file, in the engine's form.
    engine_inputs: Vec<Input>,
    inputs: Vec<ReplayedInput>,
    events: Vec<ReplayedEvent>,
    /// For each event: its input, and its position among the events of that input.
    positions: Vec<(usize, usize)>,
    checkpoints: Vec<ReplayRunner>,
}

/// An input in a replay.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ReplayedInput {
    /// Its index in this list; 0 is the start of the match.
    pub number: usize,
    /// Its number in the match file; 0 is the start of the match.
    pub file_number: u32,
    /// The sender; `None` if it has none or the viewer may not know it.
    pub seat: Option<u8>,
    /// `start`, or the kind in match files: `answer`, `draft`, `timeout`, `leave`, `auto_pass`, `moderate`.
    /// `None` if the viewer may not know it.
    pub kind: Option<&'static str>,
    /// The input in words.
    pub text: Option<String>,
    /// The numbers of its first and last event.
    pub events: Option<(u32, u32)>,
}

/// An event in a replay.
#[derive(Clone, PartialEq, Debug)]
pub struct ReplayedEvent {
    /// Its number for this viewer, from 1.
    pub n: u32,
    /// The engine's id.
    pub id: u32,
    /// The index of its input.
    pub input: usize,
    pub event: String,
    /// The status.
    pub status: EventStatus,
    /// The number of its cause, if the viewer knows it. It may be larger than `n`: reactions before an event
    /// come before it in the log.
    pub cause: Option<u32>,
    /// The length of its chain of known causes.
    pub depth: u32,
    /// The height of the stack after it.
    pub stack: usize,
    /// The event in words.
    pub text: String,
    /// Its fields, with the names of the view.
    pub payload: Value,
}

/// The state after an event.
#[derive(Debug)]
pub struct ReplayState {
    /// The index of the event's input.
    pub input: usize,
    /// The view.
    pub view: Datum,
    /// True if the match was waiting for input, or over.
    pub is_waiting: bool,
    /// The open prompts: of the viewer, or of all seats for an omniscient viewpoint.
    pub prompts: Vec<Datum>,
    /// The running frames, outermost first; only for an omniscient viewpoint.
    pub frames: Vec<FrameSummary>,
    /// The pending reactions; only for an omniscient viewpoint.
    pub reactions: Vec<PendingReaction>,
    /// The match at that point, for explaining values; only for an omniscient viewpoint.
    pub game: Option<Match>,
}

impl MatchReplay {
    /// Runs a recorded match and lists what the viewpoint sees.
    ///
    /// # Errors
    ///
    /// If the ruleset differs, or the engine rejects an input.
    pub fn open(
        file: &MatchFile,
        program: &Arc<Program>,
        viewpoint: ReplayViewpoint,
    ) -> Result<MatchReplay, ReplayMismatch> {
        file.check_ruleset(program)?;
        let setup = file.setup(program)?;
        let at = |number: usize, problem| {
            ReplayMismatch::new(
                MismatchLocation { input: Some(number as u32), ..MismatchLocation::default() },
                problem,
            )
        };
        let mut engine_inputs = Vec::with_capacity(file.inputs.len());
        for (index, entry) in file.inputs.iter().enumerate() {
            let input = entry.input.to_input(program);
            engine_inputs.push(input.map_err(|problem| at(index + 1, MismatchKind::BadInput { problem }))?);
        }
        let mut replay = MatchReplay {
            program: Arc::clone(program),
            setup,
            viewpoint,
            engine_inputs,
            inputs: Vec::new(),
            events: Vec::new(),
            positions: Vec::new(),
            checkpoints: Vec::new(),
        };
        let mut titles = EntityTitles::new(program);
        let (mut runner, observed) = ReplayRunner::start(program, &replay.setup, viewpoint)
            .map_err(|error| at(0, MismatchKind::CannotStart(error)))?;
        replay.list(&mut titles, 0, None, &observed);
        replay.checkpoints.push(runner.clone());
        let stride = replay.engine_inputs.len().div_ceil(MAX_CHECKPOINTS).max(1);
        for (index, entry) in file.inputs.iter().enumerate() {
            let observed = runner.submit(&replay.engine_inputs[index], viewpoint);
            let observed = observed.map_err(|refusal| at(index + 1, MismatchKind::Refused(refusal)))?;
            replay.list(&mut titles, index + 1, Some(&entry.input), &observed);
            if (index + 1) % stride == 0 {
                replay.checkpoints.push(runner.clone());
            }
        }
        replay.resolve_causes();
        Ok(replay)
    }

    /// Returns the viewpoint.
    #[must_use]
    pub fn viewpoint(&self) -> ReplayViewpoint {
        self.viewpoint
    }

    /// Returns all inputs, or those the viewer sent or noticed.
    #[must_use]
    pub fn inputs(&self) -> &[ReplayedInput] {
        &self.inputs
    }

    /// Returns the events the viewer saw, in order.
    #[must_use]
    pub fn events(&self) -> &[ReplayedEvent] {
        &self.events
    }

    /// Returns the state after the event with number `n`; 0 is before the first event. `None` if the event does
    /// not exist.
    ///
    /// # Errors
    ///
    /// If the match cannot be run again. It could when the replay was opened.
    pub fn state_after(&self, n: u32) -> Result<Option<ReplayState>, ReplayMismatch> {
        let lost = |input: usize, problem| {
            ReplayMismatch::new(
                MismatchLocation { input: Some(input as u32), ..MismatchLocation::default() },
                problem,
            )
        };
        let Some(index) = (n as usize).checked_sub(1) else {
            let observer = ReplayRunner::new_observer(&self.program, &self.setup, self.viewpoint);
            let mut observer = observer.map_err(|error| lost(0, MismatchKind::CannotStart(error)))?;
            return Ok(Some(self.build_state(0, &mut observer, None)));
        };
        let Some(&(input, count)) = self.positions.get(index) else { return Ok(None) };
        let is_last = self.positions.get(index + 1).is_none_or(|next| next.0 != input);
        if is_last {
            let mut runner = self.runner_after(input)?;
            let game = runner.game.clone();
            return Ok(Some(self.build_state(index + 1, &mut runner.observer, Some((&game, None)))));
        }
        let (mut observer, mid_input) = match input.checked_sub(1) {
            None => {
                let stopped = ReplayRunner::stop_at_start(&self.program, &self.setup, self.viewpoint, count);
                stopped.map_err(|error| lost(0, MismatchKind::CannotStart(error)))?
            }
            Some(before) => {
                let runner = self.runner_after(before)?;
                let stopped = runner.stop_after(&self.engine_inputs[before], self.viewpoint, count);
                stopped.map_err(|refusal| lost(input, MismatchKind::Refused(refusal)))?
            }
        };
        let game = mid_input.stopped().clone();
        Ok(Some(self.build_state(index + 1, &mut observer, Some((&game, Some(mid_input))))))
    }

    fn viewer(&self) -> Viewer {
        match self.viewpoint {
            ReplayViewpoint::Omniscient => Viewer::Spectator,
            ReplayViewpoint::Viewer(viewer) => viewer,
        }
    }

    /// Returns the runner after this many inputs.
    fn runner_after(&self, inputs: usize) -> Result<ReplayRunner, ReplayMismatch> {
        let nearest = self.checkpoints.partition_point(|checkpoint| checkpoint.inputs <= inputs);
        let mut runner = self.checkpoints[nearest - 1].clone();
        while runner.inputs < inputs {
            let number = runner.inputs;
            let submitted = runner.submit(&self.engine_inputs[number], self.viewpoint);
            submitted.map_err(|refusal| {
                let location =
                    MismatchLocation { input: Some(number as u32 + 1), ..MismatchLocation::default() };
                ReplayMismatch::new(location, MismatchKind::Refused(refusal))
            })?;
        }
        Ok(runner)
    }

    fn build_state(
        &self,
        n: usize,
        observer: &mut Observer,
        game: Option<(&Match, Option<MidInput>)>,
    ) -> ReplayState {
        let input = n.checked_sub(1).map_or(0, |index| self.events[index].input);
        let mut state = ReplayState {
            input,
            view: observer.view(self.viewer()),
            is_waiting: false,
            prompts: Vec::new(),
            frames: Vec::new(),
            reactions: Vec::new(),
            game: None,
        };
        let Some((game, mid_input)) = game else { return state };
        let knows_all = self.viewpoint == ReplayViewpoint::Omniscient;
        match mid_input {
            None => {
                state.is_waiting = true;
                state.prompts = self.prompts(observer, game);
                if knows_all {
                    (state.frames, state.reactions) = (game.frame_summaries(), game.pending_reactions());
                }
            }
            Some(mut mid_input) if knows_all => {
                (state.frames, state.reactions) =
                    (mid_input.frame_summaries(), mid_input.pending_reactions());
            }
            Some(_) => {}
        }
        state.game = knows_all.then(|| game.clone());
        state
    }

    fn prompts(&self, observer: &mut Observer, game: &Match) -> Vec<Datum> {
        let mut prompts = Vec::new();
        for viewer in observer.viewers() {
            if self.viewpoint == ReplayViewpoint::Omniscient || viewer == self.viewer() {
                let asked = observer.prompts(game, viewer);
                if let Some(Datum::List(asked)) = asked.get("prompts") {
                    prompts.extend(asked.iter().cloned());
                }
            }
        }
        prompts
    }

    /// Appends an input and its events.
    fn list(
        &mut self,
        titles: &mut EntityTitles,
        file_number: usize,
        sent: Option<&SavedInput>,
        observed: &[ObservedEvent],
    ) {
        let own = match self.viewpoint {
            ReplayViewpoint::Omniscient => true,
            ReplayViewpoint::Viewer(Viewer::Seat(seat)) => sent.is_none_or(|sent| sent.seat() == Some(seat)),
            ReplayViewpoint::Viewer(Viewer::Spectator) => sent.is_none(),
        };
        let is_seen = observed.iter().any(|observed| observed.event.is_some());
        if !own && !is_seen {
            observed.iter().for_each(|observed| titles.record(&observed.seen_entities));
            return;
        }
        let number = self.inputs.len();
        let first = self.events.len() as u32 + 1;
        for (count, observed) in observed.iter().enumerate() {
            titles.record(&observed.seen_entities);
            if let Some(event) = &observed.event {
                let event = self.event(titles, number, observed, &to_json(event));
                self.events.push(event);
                self.positions.push((file_number, count + 1));
            }
        }
        let last = self.events.len() as u32;
        let text = sent.map_or_else(|| "the match starts".to_owned(), input_text);
        let text =
            if self.viewpoint == ReplayViewpoint::Omniscient { text } else { without_entity_numbers(&text) };
        self.inputs.push(ReplayedInput {
            number,
            file_number: file_number as u32,
            seat: sent.filter(|_| own).and_then(SavedInput::seat).map(|Seat(seat)| seat),
            kind: own.then(|| sent.map_or("start", SavedInput::kind)),
            text: own.then_some(text),
            events: (first <= last).then_some((first, last)),
        });
    }

    fn event(
        &self,
        titles: &EntityTitles,
        input: usize,
        observed: &ObservedEvent,
        datum: &Value,
    ) -> ReplayedEvent {
        let payload = datum.get("payload").cloned().unwrap_or_default();
        let fields = titles.with_titles(&payload);
        let fields = fields.as_object().cloned().unwrap_or_else(Map::new);
        let name = datum["event"].as_str().unwrap_or_default().to_owned();
        ReplayedEvent {
            n: self.events.len() as u32 + 1,
            id: observed.id,
            input,
            text: event_text(&self.program, &name, &fields, observed.status == EventStatus::Failed),
            event: name,
            status: observed.status,
            // The engine's id of the cause, until `resolve_causes` replaces it.
            cause: observed.cause,
            depth: 0,
            stack: observed.stack,
            payload,
        }
    }

    /// Replaces the engine's event ids by the viewer's numbers.
    fn resolve_causes(&mut self) {
        let numbers: HashMap<u32, u32> = self.events.iter().map(|event| (event.id, event.n)).collect();
        for event in &mut self.events {
            event.cause = event.cause.and_then(|id| numbers.get(&id).copied());
        }
        // Ids grow from cause to effect, so each depth follows from a known one.
        let mut order: Vec<usize> = (0..self.events.len()).collect();
        order.sort_by_key(|index| self.events[*index].id);
        for index in order {
            let cause = self.events[index].cause;
            self.events[index].depth = cause.map_or(0, |n| self.events[n as usize - 1].depth + 1);
        }
    }
}
