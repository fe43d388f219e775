//! Replaying and verifying: whoever has the rules can check every line of a match file.

use std::sync::Arc;

use intermezzo_engine::{Board, Cause, Folder, Log, Match, Script, Seed, Setup, Status};
use intermezzo_ruleset::{FaultCode, Program};

use crate::chain::Hash;
use crate::compare;
use crate::file::{MatchFile, RulesetName, SavedCause, SavedEvent, SavedStatus};
use crate::mismatch::{Mismatch, Place, Problem};
use crate::narrate::from_json;
use crate::recorder::Recorder;

/// A match file that tells the truth.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Verified {
    /// How many inputs were re-run.
    pub inputs: usize,
    /// How many events were compared and folded.
    pub events: usize,
    /// How many inputs on branches were re-run.
    pub taken_back: usize,
    /// The last link of the chain: equal for equal matches.
    pub chain: Hash,
    /// What the seed was promised by: see [`MatchFile::commitment`].
    pub commitment: Hash,
    /// Whether the match was played to its end.
    pub is_over: bool,
}

impl MatchFile {
    /// Runs all inputs again.
    ///
    /// # Errors
    ///
    /// If the rules are others or refuse an input. What the file says about events and hashes is not looked at.
    pub fn replay(&self, program: &Arc<Program>) -> Result<Match, Mismatch> {
        self.replay_with(program, u32::MAX, |_, _| Ok(())).map(Recorder::into_match)
    }

    /// Runs the inputs up to number `last` again, and shows the recorder (with the number of the input) after each,
    /// beginning with 0, the start of the match.
    ///
    /// # Errors
    ///
    /// If the rules are others or refuse an input, or whatever `after_each` finds.
    pub fn replay_with(
        &self,
        program: &Arc<Program>,
        last: u32,
        mut after_each: impl FnMut(u32, &Recorder) -> Result<(), Mismatch>,
    ) -> Result<Recorder, Mismatch> {
        let at = |input: Option<u32>, problem| Mismatch::new(Place { input, ..Place::default() }, problem);
        self.check_rules(program)?;
        let setup = self.setup(program)?;
        let started = Recorder::start(program, &setup);
        let mut recorder = started.map_err(|error| at(Some(0), Problem::CannotStart(error)))?;
        after_each(0, &recorder)?;
        for (place, entry) in self.inputs.iter().enumerate().take(last as usize) {
            let number = place as u32 + 1;
            let input = entry.input.to_input(program);
            let input = input.map_err(|problem| at(Some(number), Problem::BadInput { problem }))?;
            recorder.submit(&input).map_err(|refusal| at(Some(number), Problem::Refused(refusal)))?;
            after_each(number, &recorder)?;
        }
        Ok(recorder)
    }

    /// Checks everything the file says: re-runs every input, compares every event and hash, folds the events.
    ///
    /// # Errors
    ///
    /// The first thing that is not as the rules make it.
    pub fn verify(&self, program: &Arc<Program>) -> Result<Verified, Mismatch> {
        let recorder = self.verify_line(program)?;
        let header = Place::default();
        if let Some((place, problem)) =
            compare::values(&header, "ending", &self.ending, &recorder.file().ending)
        {
            return Err(Mismatch::new(place, problem));
        }
        let taken_back = self.verify_branches(program)?;
        Ok(Verified {
            inputs: self.inputs.len(),
            events: self.events().count(),
            taken_back,
            chain: self.chain(),
            commitment: self.commitment(),
            is_over: self.ending.is_some(),
        })
    }

    /// The same for what counts now, without how it ended.
    pub(crate) fn verify_line(&self, program: &Arc<Program>) -> Result<Recorder, Mismatch> {
        let mut fold = Fold::new(self, program)?;
        self.replay_with(program, u32::MAX, |number, recorder| {
            let difference = match number.checked_sub(1).map(|place| place as usize) {
                None => compare::starts(&self.start, &recorder.file().start),
                Some(place) => compare::entries(&self.inputs[place], &recorder.file().inputs[place]),
            };
            if let Some((place, problem)) = difference {
                return Err(Mismatch::new(place, problem));
            }
            let events = match number.checked_sub(1) {
                None => &self.start.events,
                Some(place) => &self.inputs[place as usize].events,
            };
            fold.check(number, events, recorder.playing())
        })
    }

    pub(crate) fn check_rules(&self, program: &Program) -> Result<(), Mismatch> {
        let at_hand = RulesetName {
            id: program.id.clone(),
            version: program.version.clone(),
            hash: Hash(program.hash),
        };
        if self.ruleset == at_hand {
            return Ok(());
        }
        let place = Place { field: Some("ruleset".to_owned()), ..Place::default() };
        Err(Mismatch::new(place, Problem::OtherRules { recorded: self.ruleset.clone(), at_hand }))
    }

    /// What the match began with.
    ///
    /// # Errors
    ///
    /// If an option or a scripted roll makes no sense.
    pub fn setup(&self, program: &Program) -> Result<Setup, Mismatch> {
        let bad = |field: &str, problem: String| {
            let place = Place { field: Some(field.to_owned()), ..Place::default() };
            Mismatch::new(place, Problem::BadSetup { problem })
        };
        let mut options = Vec::new();
        for (name, value) in &self.options {
            let datum = from_json(value);
            let datum = datum
                .ok_or_else(|| bad("options", format!("option `{name}` has a number that is not whole")))?;
            options.push((name.into(), datum));
        }
        let mut script = self.script.as_ref().map(|_| Script::default());
        for roll in self.script.iter().flatten() {
            let label = match &roll.label {
                Some(label) => Some(
                    program
                        .symbol_named(label)
                        .ok_or_else(|| bad("script", format!("the ruleset has no roll for `{label}`")))?,
                ),
                None => None,
            };
            if let Some(script) = &mut script {
                script.rolls.push((label, roll.faces.clone()));
            }
        }
        Ok(Setup { seats: self.seats, options, seed: Seed(self.seed.0), script })
    }
}

/// Folds what the file says happened, and nothing else.
struct Fold<'a> {
    program: &'a Arc<Program>,
    folder: Folder,
    board: Board,
}

impl<'a> Fold<'a> {
    fn new(file: &MatchFile, program: &'a Arc<Program>) -> Result<Fold<'a>, Mismatch> {
        file.check_rules(program)?;
        let place = Place { input: Some(0), ..Place::default() };
        let board = Board::new(program, &file.setup(program)?);
        let board = board.map_err(|error| Mismatch::new(place, Problem::CannotStart(error)))?;
        Ok(Fold { program, folder: Folder::new(Arc::clone(program)), board })
    }

    fn check(&mut self, input: u32, events: &[SavedEvent], playing: &Match) -> Result<(), Mismatch> {
        let mut log = Log::new();
        for event in events {
            let place = Place { input: Some(input), event: Some(event.id), ..Place::default() };
            log.clear();
            let folded = self.fold(&mut log, event);
            folded.map_err(|code| Mismatch::new(place, Problem::DoesNotFold(code)))?;
        }
        if self.board.encode(self.program) == playing.board().encode(self.program) {
            return Ok(());
        }
        let place = Place { input: Some(input), ..Place::default() };
        Err(Mismatch::new(place, Problem::FoldDiffers))
    }

    fn fold(&mut self, log: &mut Log, event: &SavedEvent) -> Result<(), FaultCode> {
        let id = self.program.event_named(&event.event).ok_or(FaultCode::Missing)?;
        let cause = match event.cause {
            SavedCause::Input(number) => Cause::Input(number),
            SavedCause::Event(id) => Cause::Event(id),
        };
        let status = match event.status {
            SavedStatus::Applied => Status::Applied,
            SavedStatus::Prevented => Status::Prevented,
            SavedStatus::Failed => Status::Failed,
        };
        log.append(id, event.id, cause, status, &event.words.0);
        let record = log.records()[0];
        self.folder.fold(&mut self.board, log, &record)
    }
}
