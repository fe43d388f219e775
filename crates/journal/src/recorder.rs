//! Plays a match and writes down everything that happens. Start with [`Recorder::start`].

use std::ops::Range;
use std::sync::Arc;

use intermezzo_engine::{Datum, Input, Log, Match, Refusal, Setup, Sight, StartError, Viewer, Witness};
use intermezzo_ruleset::{Program, Seat, Symbol};
use serde_json::Map;

use crate::chain::{self, Hash};
use crate::file::{Branch, Entry, FORMAT, MatchFile, RulesetName, SavedEnding, ScriptedRoll, Step};
use crate::narrate::{Narrator, to_json};
use crate::undo::Traces;

/// A match that is being recorded.
#[derive(Debug)]
pub struct Recorder {
    playing: Match,
    log: Log,
    narrator: Narrator,
    witness: Witness,
    /// What the last input brought to each viewer, in order.
    news: Vec<(Viewer, Datum)>,
    file: MatchFile,
    /// What each input has done that cannot be made undone.
    traces: Vec<Traces>,
    /// Who was told of something by each input.
    heard: Vec<Vec<Viewer>>,
}

impl Recorder {
    /// Begins a match and its recording.
    ///
    /// # Errors
    ///
    /// If the setup does not fit the ruleset, or a rule fails.
    pub fn start(program: &Arc<Program>, setup: &Setup) -> Result<Recorder, StartError> {
        Recorder::start_before(program, setup, Witness::new(Arc::clone(program), setup)?)
    }

    /// The same before a witness who has not seen anything of it yet.
    fn start_before(
        program: &Arc<Program>,
        setup: &Setup,
        mut witness: Witness,
    ) -> Result<Recorder, StartError> {
        let mut narrator = Narrator::new(program, setup)?;
        let mut log = Log::new();
        let playing = Match::start(Arc::clone(program), setup, &mut log)?;
        let news = watch(&mut witness, &log, 0);
        let mut file = new_file(program, setup);
        let state = Hash(playing.state_hash());
        let chain = chain::first(&file.header(), state);
        file.start = Step { events: narrator.events(&log, 0), state, chain };
        let (traces, heard) = (Vec::new(), Vec::new());
        let mut recorder = Recorder { playing, log, narrator, witness, news, file, traces, heard };
        recorder.file.ending = recorder.ending();
        Ok(recorder)
    }

    /// Hands an input to the match and, if it is taken, writes it down with what it led to.
    ///
    /// # Errors
    ///
    /// If the match refuses it; then nothing is written down.
    pub fn submit(&mut self, input: &Input) -> Result<&Entry, Refusal> {
        let saved = self.narrator.input(&self.playing, input);
        let from = self.log.len();
        let before = self.glance(input);
        self.playing.submit(input, &mut self.log)?;
        self.news = watch(&mut self.witness, &self.log, from);
        let traces = self.traces_of(&before, input);
        self.traces.push(traces);
        self.heard.push(self.news.iter().map(|(viewer, _)| *viewer).collect());
        let state = Hash(self.playing.state_hash());
        let chain = chain::next(self.file.chain(), input, state);
        let events = self.narrator.events(&self.log, from);
        let number = self.playing.inputs_taken();
        self.file.ending = self.ending();
        self.file.inputs.push(Entry { number, input: saved, events, state, chain });
        Ok(self.file.inputs.last().expect("an entry was pushed just now"))
    }

    /// The match as it stands.
    #[must_use]
    pub fn playing(&self) -> &Match {
        &self.playing
    }

    /// Everything that happened so far.
    #[must_use]
    pub fn log(&self) -> &Log {
        &self.log
    }

    /// The recording so far.
    #[must_use]
    pub fn file(&self) -> &MatchFile {
        &self.file
    }

    /// Who follows the match for its viewers, and the match.
    pub fn witness(&mut self) -> (&mut Witness, &Match) {
        (&mut self.witness, &self.playing)
    }

    /// What the last input (or the start) brought to each viewer, in order.
    #[must_use]
    pub fn news(&self) -> &[(Viewer, Datum)] {
        &self.news
    }

    /// Whether a viewer was told of an event by one of the inputs from that number on.
    #[must_use]
    pub fn has_heard(&self, viewer: Viewer, number: u32) -> bool {
        let since = self.heard.iter().skip((number as usize).saturating_sub(1));
        since.flatten().any(|other| *other == viewer)
    }

    pub(crate) fn narrator(&self) -> &Narrator {
        &self.narrator
    }

    pub(crate) fn traces(&self) -> &[Traces] {
        &self.traces
    }

    /// The inputs from one place to another.
    pub(crate) fn inputs(&self, places: Range<usize>) -> Vec<Input> {
        let read = |entry: &Entry| entry.input.to_input(self.playing.program());
        let inputs = self.file.inputs[places].iter().map(read);
        inputs.collect::<Result<_, _>>().expect("what was written down can be read")
    }

    pub(crate) fn look_around(&mut self) -> Sight {
        self.witness.sight(&self.playing)
    }

    pub(crate) fn has_come_to_light(&mut self, before: &Sight) -> bool {
        self.witness.has_learned(before, &self.playing)
    }

    /// Goes back to where so many inputs had been taken; the others become a branch.
    pub(crate) fn go_back(&mut self, kept: u32, by: Seat, agreed: &[Seat]) {
        let program = Arc::clone(self.playing.program());
        let setup = self.file.setup(&program).expect("the match was set up by it");
        let inputs = self.inputs(0..kept as usize);
        let witness = self.witness.again(&setup);
        let begun = witness.and_then(|witness| Recorder::start_before(&program, &setup, witness));
        let mut fresh = begun.expect("the match has begun like that before");
        for input in &inputs {
            fresh.submit(input).expect("the input was taken before");
        }
        fresh.witness.has_caught_up();
        self.file.cut(kept, by.0, agreed.iter().map(|seat| seat.0).collect());
        fresh.keep_branches(std::mem::take(&mut self.file.branches));
        *self = fresh;
    }

    pub(crate) fn keep_branches(&mut self, branches: Vec<Branch>) {
        self.file.branches = branches;
    }

    /// The match, without its recording.
    #[must_use]
    pub fn into_match(self) -> Match {
        self.playing
    }

    fn ending(&self) -> Option<SavedEnding> {
        let program = self.playing.program();
        let name = |symbol: Symbol| program.symbols.get(symbol.index()).cloned().unwrap_or_default();
        let seats = |seats: &[Seat]| seats.iter().map(|seat| seat.0).collect();
        self.playing.ending().map(|ending| SavedEnding {
            outcome: name(ending.outcome),
            winners: seats(&ending.winners),
            losers: seats(&ending.losers),
            pot: name(ending.pot),
        })
    }
}

fn watch(witness: &mut Witness, log: &Log, from: usize) -> Vec<(Viewer, Datum)> {
    let mut news = Vec::new();
    let observed = witness.observe(log, from, |viewer, datum| {
        news.extend(datum.map(|datum| (viewer, datum)));
    });
    observed.expect("a log the match itself wrote continues what was seen before");
    news
}

fn new_file(program: &Program, setup: &Setup) -> MatchFile {
    let nothing = Hash([0; 32]);
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
            hash: Hash(program.hash),
        },
        seats: setup.seats,
        options: setup
            .options
            .iter()
            .map(|(name, value)| (name.clone(), to_json(value)))
            .collect::<Map<_, _>>(),
        seed: Hash(setup.seed.0),
        script,
        start: Step { events: Vec::new(), state: nothing, chain: nothing },
        inputs: Vec::new(),
        branches: Vec::new(),
        ending: None,
    }
}
