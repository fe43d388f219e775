//! Everything each viewer of a match receives, as text for comparison.

use std::cell::Cell;
use std::fmt::Write as _;
use std::sync::Arc;

use intermezzo_engine::{
    CustomMessage, Datum, EventLog, Input, InputId, Match, MessageContent, Observer, Placeholder, Refusal,
    Setup, Viewer,
};
use intermezzo_program::Seat;

use super::{LawResult, LawRun, LawViolation, violation};
use crate::fixtures::Fixture;
use crate::input_mix::InputMix;

/// Match with the stream of each viewer.
///
/// For the start and for every input, a stream contains the viewer's events, view, prompts, available actions and
/// custom messages: everything a client can ever show.
#[derive(Debug)]
pub struct ViewerStreams {
    pub state: Match,
    /// Events of the match.
    pub log: EventLog,
    observer: Observer,
    seen: usize,
    /// Last step by viewer: seats in order, then the spectators.
    steps: Vec<String>,
    /// Length of the events at the beginning of each step, in bytes.
    event_lengths: Vec<usize>,
    /// All events by viewer, with the numbers of their records.
    told: Vec<Vec<(usize, String)>>,
}

impl ViewerStreams {
    /// Starts a match.
    ///
    /// # Errors
    ///
    /// Returns a violation if the match cannot start.
    pub fn begin(fixture: &Fixture, setup: &Setup, seed: u64) -> Result<ViewerStreams, LawViolation> {
        let mut log = EventLog::new();
        let failed = |error: intermezzo_engine::StartError| violation(fixture, seed, error.to_string());
        let state = Match::start(Arc::clone(&fixture.program), setup, &mut log).map_err(failed)?;
        let observer = Observer::new(Arc::clone(&fixture.program), setup).map_err(failed)?;
        let viewers = observer.viewers().count();
        let (steps, told) = (vec![String::new(); viewers], vec![Vec::new(); viewers]);
        let event_lengths = vec![0; viewers];
        let mut streams = ViewerStreams { state, log, observer, seen: 0, steps, event_lengths, told };
        streams.observe();
        Ok(streams)
    }

    /// Submits an input. The streams then hold the new step of each viewer.
    ///
    /// # Errors
    ///
    /// Fails if the input is refused.
    pub fn submit(&mut self, input: &Input) -> Result<(), Refusal> {
        self.state.submit(input, &mut self.log)?;
        self.observe();
        Ok(())
    }

    /// Submits an input without computing views: viewers receive only events.
    ///
    /// # Errors
    ///
    /// Fails if the input is refused.
    pub fn submit_unseen(&mut self, input: &Input) -> Result<(), Refusal> {
        self.state.submit(input, &mut self.log)?;
        self.deliver_events();
        Ok(())
    }

    /// Returns the step that the last input or the start produced for a viewer.
    #[must_use]
    pub fn step(&self, viewer: usize) -> &str {
        &self.steps[viewer]
    }

    /// Returns the last step of a viewer without its events: the view, prompts, actions and messages.
    #[must_use]
    pub fn current(&self, viewer: usize) -> &str {
        &self.steps[viewer][self.event_lengths[viewer]..]
    }

    /// Returns the seats that a viewer sees being asked, apart from itself.
    pub fn seats_seen_asked(&mut self, viewer: usize) -> Vec<Datum> {
        let Some(viewer) = self.observer.viewers().nth(viewer) else { return Vec::new() };
        match self.observer.prompts(&self.state, viewer).get("others") {
            Some(Datum::List(others)) => others.clone(),
            _ => Vec::new(),
        }
    }

    /// Returns every event of a viewer with the number of its record in the log.
    #[must_use]
    pub fn events(&self, viewer: usize) -> &[(usize, String)] {
        &self.told[viewer]
    }

    /// Returns the number of viewers: the seats, then the spectators.
    #[must_use]
    pub fn viewers(&self) -> usize {
        self.steps.len()
    }

    /// Returns true if the observer's board equals the board of the match.
    fn board_matches(&self, fixture: &Fixture) -> bool {
        let program = &fixture.program;
        self.observer.board().encode(program) == self.state.board().encode(program)
    }

    /// Delivers new events, then computes views, prompts, actions and messages.
    pub fn observe(&mut self) {
        self.deliver_events();
        let viewers: Vec<Viewer> = self.observer.viewers().collect();
        for (place, viewer) in viewers.into_iter().enumerate() {
            let view = self.observer.view(viewer);
            let prompts = self.observer.prompts(&self.state, viewer);
            let _ = writeln!(self.steps[place], "{view:?}\n{prompts:?}");
            if let (Viewer::Seat(seat), false) = (viewer, self.state.program().actions.is_empty()) {
                let actions = self.observer.actions(&self.state, seat);
                let _ = writeln!(self.steps[place], "{actions:?}");
            }
        }
        self.add_messages();
    }

    /// Adds all messages that could be sent now. At any time, they must reveal no more than at their own time.
    fn add_messages(&mut self) {
        let open: Vec<(Seat, InputId)> =
            self.state.pending().map(|pending| (pending.seat(), pending.id())).collect();
        let mut messages = self.observer.start_messages();
        for (seat, input) in open {
            // The number of a question counts other players' questions too. A client sees the server's deadline instead.
            let mut asked = self.observer.question_messages(&self.state, input);
            let fields = asked.iter_mut().flat_map(|message| &mut message.fields);
            fields.for_each(|(_, content)| {
                if matches!(content, MessageContent::Placeholder(Placeholder::Deadline(_))) {
                    *content = MessageContent::Value(Datum::Null);
                }
            });
            messages.extend(asked.into_iter().chain(self.observer.error_messages(seat)));
        }
        for message in messages {
            let _ = writeln!(self.steps[usize::from(message.to.0)], "{message:?}");
        }
    }

    fn deliver_events(&mut self) {
        self.steps.iter_mut().for_each(String::clear);
        let count = self.steps.len();
        let seen = self.seen;
        let calls = Cell::new(0);
        // The observer calls back for each record and viewer in turn, with custom messages first.
        let place = || (seen + calls.get() / count, calls.get() % count);
        let mut news: Vec<((usize, usize), String)> = Vec::new();
        let mut messages = Vec::new();
        let tell = |_, event: Option<Datum>| {
            news.extend(event.map(|event| (place(), format!("{event:?}"))));
            calls.set(calls.get() + 1);
        };
        let post = |message: CustomMessage| messages.push((place(), format!("{message:?}")));
        let outcome = self.observer.observe_with_messages(&self.log, seen, tell, post);
        for ((record, viewer), text) in news.into_iter().chain(messages) {
            let _ = writeln!(self.steps[viewer], "{text}");
            self.told[viewer].push((record, text));
        }
        outcome.expect("an observer can follow the log of its match");
        self.event_lengths = self.steps.iter().map(String::len).collect();
        self.seen = self.log.len();
    }
}

/// Checks that every viewer can observe every match, with the same result each time.
pub fn every_match_can_be_observed(fixture: &Fixture, seed: u64) -> LawResult {
    let run = LawRun::new(fixture, seed, &InputMix { max_inputs: 80, ..InputMix::chaotic() })?;
    let mut first = ViewerStreams::begin(fixture, &run.played.setup, seed)?;
    let mut second = ViewerStreams::begin(fixture, &run.played.setup, seed)?;
    for (at, input) in run.played.inputs.iter().enumerate() {
        for streams in [&mut first, &mut second] {
            streams.submit(input).map_err(|refusal| run.violation(format!("input {at}: {refusal}")))?;
        }
        let same = (0..first.viewers()).all(|viewer| first.step(viewer) == second.step(viewer));
        run.claim(same, || format!("after input {at} a viewer sees a difference the second time"))?;
    }
    let same = first.board_matches(fixture);
    run.claim(same, || "the observer's board differs".to_owned())
}
