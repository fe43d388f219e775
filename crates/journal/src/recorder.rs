//! Plays a match and writes down everything that happens. Start with [`Recorder::start`].

use std::sync::Arc;

use intermezzo_engine::{Input, Log, Match, Refusal, Setup, StartError};
use intermezzo_ruleset::{Program, Seat, Symbol};
use serde_json::Map;

use crate::chain::{self, Hash};
use crate::file::{Entry, FORMAT, MatchFile, RulesetName, SavedEnding, ScriptedRoll, Step};
use crate::narrate::{Narrator, to_json};

/// A match that is being recorded.
#[derive(Debug)]
pub struct Recorder {
    playing: Match,
    log: Log,
    narrator: Narrator,
    file: MatchFile,
}

impl Recorder {
    /// Begins a match and its recording.
    ///
    /// # Errors
    ///
    /// If the setup does not fit the ruleset, or a rule fails.
    pub fn start(program: &Arc<Program>, setup: &Setup) -> Result<Recorder, StartError> {
        let mut narrator = Narrator::new(program, setup)?;
        let mut log = Log::new();
        let playing = Match::start(Arc::clone(program), setup, &mut log)?;
        let mut file = new_file(program, setup);
        let state = Hash(playing.state_hash());
        let chain = chain::first(&file.header(), state);
        file.start = Step { events: narrator.events(&log, 0), state, chain };
        let mut recorder = Recorder { playing, log, narrator, file };
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
        self.playing.submit(input, &mut self.log)?;
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
        ending: None,
    }
}
