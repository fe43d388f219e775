//! Runs a match and records everything that happens. Start with [`Recorder::start`].

use std::ops::Range;
use std::sync::Arc;

use intermezzo_engine::{
    DisclosureSnapshot, EventLog, Input, Match, Observer, Refusal, Setup, StartError, Viewer, ViewerEvent,
};
use intermezzo_program::{Program, Seat, Symbol};
use serde_json::Map;

use crate::file::{
    FORMAT, InputRecord, MatchFile, RulesetName, SavedEnding, SavedStart, ScriptedRoll, UndoBranch,
};
use crate::hash_chain::{self, Hash256};
use crate::narrate::{Narrator, to_json};
use crate::undo::UndoFacts;

/// A match and its recording.
#[derive(Debug)]
pub struct Recorder {
    game: Match,
    log: EventLog,
    narrator: Narrator,
    observer: Observer,
    /// The events of the last input for each viewer, in order.
    viewer_events: Vec<(Viewer, ViewerEvent)>,
    file: MatchFile,
    /// Facts about each input that decide how it can be undone.
    undo_facts: Vec<UndoFacts>,
    /// The viewers that saw an event of each input.
    notified_viewers: Vec<Vec<Viewer>>,
}

impl Recorder {
    /// Starts a match and its recording.
    ///
    /// # Errors
    ///
    /// If the setup does not fit the ruleset, or a rule fails.
    pub fn start(program: &Arc<Program>, setup: &Setup) -> Result<Recorder, StartError> {
        Recorder::start_with_observer(program, setup, Observer::new(Arc::clone(program), setup)?)
    }

    /// Starts a match with an observer that has not seen any of it.
    fn start_with_observer(
        program: &Arc<Program>,
        setup: &Setup,
        mut observer: Observer,
    ) -> Result<Recorder, StartError> {
        let mut narrator = Narrator::new(program, setup)?;
        let mut log = EventLog::new();
        let game = Match::start(Arc::clone(program), setup, &mut log)?;
        let viewer_events = observe_from(&mut observer, &log, 0);
        let mut file = new_file(program, setup);
        let state = Hash256(game.state_hash());
        let chain = hash_chain::first(&file.header(), state);
        file.start = SavedStart { events: narrator.events(&log, 0), state, chain };
        let (undo_facts, notified_viewers) = (Vec::new(), Vec::new());
        let mut recorder =
            Recorder { game, log, narrator, observer, viewer_events, file, undo_facts, notified_viewers };
        recorder.file.ending = recorder.ending();
        Ok(recorder)
    }

    /// Submits an input to the match and records it with its events.
    ///
    /// # Errors
    ///
    /// If the match rejects it; then nothing is recorded.
    pub fn submit(&mut self, input: &Input) -> Result<&InputRecord, Refusal> {
        let saved = self.narrator.input(&self.game, input);
        let from = self.log.len();
        let before = self.before_input(input);
        self.game.submit(input, &mut self.log)?;
        self.viewer_events = observe_from(&mut self.observer, &self.log, from);
        let undo_facts = self.undo_facts_of(&before, input);
        self.undo_facts.push(undo_facts);
        self.notified_viewers.push(self.viewer_events.iter().map(|(viewer, _)| *viewer).collect());
        let state = Hash256(self.game.state_hash());
        let chain = hash_chain::next(self.file.chain(), input, state);
        let events = self.narrator.events(&self.log, from);
        let number = self.game.input_count();
        self.file.ending = self.ending();
        self.file.inputs.push(InputRecord { number, input: saved, events, state, chain });
        Ok(self.file.inputs.last().expect("an entry was just pushed"))
    }

    /// Returns the current match.
    #[must_use]
    pub fn game(&self) -> &Match {
        &self.game
    }

    /// Returns the whole log.
    #[must_use]
    pub fn log(&self) -> &EventLog {
        &self.log
    }

    /// Returns the recording.
    #[must_use]
    pub fn file(&self) -> &MatchFile {
        &self.file
    }

    /// Returns the observer and the match.
    pub fn observer(&mut self) -> (&mut Observer, &Match) {
        (&mut self.observer, &self.game)
    }

    /// Returns the events of the last input (or the start) for each viewer, in order.
    #[must_use]
    pub fn viewer_events(&self) -> &[(Viewer, ViewerEvent)] {
        &self.viewer_events
    }

    /// Returns whether a viewer saw an event of an input with this number or a later one.
    #[must_use]
    pub fn has_seen_event_since(&self, viewer: Viewer, number: u32) -> bool {
        let since = self.notified_viewers.iter().skip((number as usize).saturating_sub(1));
        since.flatten().any(|other| *other == viewer)
    }

    pub(crate) fn narrator(&self) -> &Narrator {
        &self.narrator
    }

    pub(crate) fn undo_facts(&self) -> &[UndoFacts] {
        &self.undo_facts
    }

    /// Returns a range of the recorded inputs.
    pub(crate) fn inputs(&self, range: Range<usize>) -> Vec<Input> {
        let read = |entry: &InputRecord| entry.input.to_input(self.game.program());
        let inputs = self.file.inputs[range].iter().map(read);
        inputs.collect::<Result<_, _>>().expect("recorded inputs can be read")
    }

    pub(crate) fn disclosure_snapshot(&mut self) -> DisclosureSnapshot {
        self.observer.disclosure_snapshot(&self.game)
    }

    pub(crate) fn has_disclosed_since(&mut self, before: &DisclosureSnapshot) -> bool {
        self.observer.has_disclosed_since(before, &self.game)
    }

    /// Rolls back to the first `kept` inputs; the others become a branch.
    pub(crate) fn roll_back_to(&mut self, kept: u32, by: Seat, agreed: &[Seat]) {
        let program = Arc::clone(self.game.program());
        let setup = self.file.setup(&program).expect("the match was started with this setup");
        let inputs = self.inputs(0..kept as usize);
        let observer = self.observer.restart(&setup);
        let begun = observer.and_then(|observer| Recorder::start_with_observer(&program, &setup, observer));
        let mut fresh = begun.expect("the match started with this setup before");
        for input in &inputs {
            fresh.submit(input).expect("the input was accepted before");
        }
        fresh.observer.finish_restart();
        self.file.move_to_branch(kept, by.0, agreed.iter().map(|seat| seat.0).collect());
        fresh.set_branches(std::mem::take(&mut self.file.branches));
        *self = fresh;
    }

    pub(crate) fn set_branches(&mut self, branches: Vec<UndoBranch>) {
        self.file.branches = branches;
    }

    /// Returns the match without its recording.
    #[must_use]
    pub fn into_match(self) -> Match {
        self.game
    }

    fn ending(&self) -> Option<SavedEnding> {
        let program = self.game.program();
        let name = |symbol: Symbol| program.symbols.get(symbol.index()).cloned().unwrap_or_default();
        let seats = |seats: &[Seat]| seats.iter().map(|seat| seat.0).collect();
        self.game.ending().map(|ending| SavedEnding {
            outcome: name(ending.outcome),
            winners: seats(&ending.winners),
            losers: seats(&ending.losers),
            pot: name(ending.pot),
            score: ending.score,
        })
    }
}

fn observe_from(observer: &mut Observer, log: &EventLog, from: usize) -> Vec<(Viewer, ViewerEvent)> {
    let mut viewer_events = Vec::new();
    let observed =
        observer.observe_shared(log, from, |viewer, event| viewer_events.push((viewer, event)), None);
    observed.expect("the match's own log continues what was observed");
    viewer_events
}

fn new_file(program: &Program, setup: &Setup) -> MatchFile {
    let nothing = Hash256([0; 32]);
    let script = setup.script.as_ref().map(|script| {
        let roll = |(label, faces): &(Option<Symbol>, Vec<i64>)| ScriptedRoll {
            label: label.map(|label| program.symbol(label).to_owned()),
            faces: faces.clone(),
        };
        script.rolls.iter().map(roll).collect()
    });
    MatchFile {
        format: FORMAT,
        ruleset: RulesetName {
            id: program.id.clone(),
            version: program.version.clone(),
            hash: Hash256(program.hash),
        },
        seats: setup.seats,
        options: setup
            .options
            .iter()
            .map(|(name, value)| (name.to_string(), to_json(value)))
            .collect::<Map<_, _>>(),
        seed: Hash256(setup.seed.0),
        script,
        start: SavedStart { events: Vec::new(), state: nothing, chain: nothing },
        inputs: Vec::new(),
        branches: Vec::new(),
        ending: None,
    }
}
