//! Replay and verification: anyone with the ruleset can check every line of a match file.

use std::sync::Arc;

use intermezzo_engine::{Board, Cause, DiceScript, EventLog, EventStatus, LogFold, Match, Seed, Setup};
use intermezzo_program::{FaultCode, Program};

use crate::compare;
use crate::file::{MatchFile, RulesetName, SavedCause, SavedEvent, SavedStatus};
use crate::hash_chain::Hash256;
use crate::mismatch::{MismatchKind, MismatchLocation, ReplayMismatch};
use crate::narrate::from_json;
use crate::recorder::Recorder;

/// The result of a successful verification.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct VerifyReport {
    /// Number of inputs run again.
    pub inputs: usize,
    /// Number of events compared and folded.
    pub events: usize,
    /// Number of inputs on branches run again.
    pub undone_inputs: usize,
    /// The last link of the hash chain: equal for equal matches.
    pub chain: Hash256,
    /// The hash of the seed: see [`MatchFile::commitment`].
    pub commitment: Hash256,
    /// True if the match is over.
    pub is_over: bool,
}

impl MatchFile {
    /// Runs all inputs again and returns the match.
    ///
    /// # Errors
    ///
    /// If the ruleset differs, or the engine rejects an input. Events and hashes of the file are not checked.
    pub fn replay(&self, program: &Arc<Program>) -> Result<Match, ReplayMismatch> {
        self.replay_with(program, u32::MAX, |_, _| Ok(())).map(Recorder::into_match)
    }

    /// Runs the inputs up to number `last` again. Calls `after_each` with the recorder and the input number
    /// after each, beginning with 0, the start of the match.
    ///
    /// # Errors
    ///
    /// If the ruleset differs, the engine rejects an input, or `after_each` fails.
    pub fn replay_with(
        &self,
        program: &Arc<Program>,
        last: u32,
        mut after_each: impl FnMut(u32, &Recorder) -> Result<(), ReplayMismatch>,
    ) -> Result<Recorder, ReplayMismatch> {
        let at = |input: Option<u32>, problem| {
            ReplayMismatch::new(MismatchLocation { input, ..MismatchLocation::default() }, problem)
        };
        self.check_ruleset(program)?;
        let setup = self.setup(program)?;
        let started = Recorder::start(program, &setup);
        let mut recorder = started.map_err(|error| at(Some(0), MismatchKind::CannotStart(error)))?;
        after_each(0, &recorder)?;
        for (index, entry) in self.inputs.iter().enumerate().take(last as usize) {
            let number = index as u32 + 1;
            let input = entry.input.to_input(program);
            let input = input.map_err(|problem| at(Some(number), MismatchKind::BadInput { problem }))?;
            recorder.submit(&input).map_err(|refusal| at(Some(number), MismatchKind::Refused(refusal)))?;
            after_each(number, &recorder)?;
        }
        Ok(recorder)
    }

    /// Verifies the whole file: runs every input again, compares every event and hash, and folds the events.
    ///
    /// # Errors
    ///
    /// The first difference.
    pub fn verify(&self, program: &Arc<Program>) -> Result<VerifyReport, ReplayMismatch> {
        let recorder = self.verify_line(program)?;
        let header = MismatchLocation::default();
        if let Some((location, problem)) =
            compare::values(&header, "ending", &self.ending, &recorder.file().ending)
        {
            return Err(ReplayMismatch::new(location, problem));
        }
        let taken_back = self.verify_branches(program)?;
        Ok(VerifyReport {
            inputs: self.inputs.len(),
            events: self.events().count(),
            undone_inputs: taken_back,
            chain: self.chain(),
            commitment: self.commitment(),
            is_over: self.ending.is_some(),
        })
    }

    /// Verifies the main line, without the ending.
    pub(crate) fn verify_line(&self, program: &Arc<Program>) -> Result<Recorder, ReplayMismatch> {
        let mut fold = FoldCheck::new(self, program)?;
        self.replay_with(program, u32::MAX, |number, recorder| {
            let difference = match number.checked_sub(1).map(|index| index as usize) {
                None => compare::starts(&self.start, &recorder.file().start),
                Some(index) => compare::entries(&self.inputs[index], &recorder.file().inputs[index]),
            };
            if let Some((location, problem)) = difference {
                return Err(ReplayMismatch::new(location, problem));
            }
            let events = match number.checked_sub(1) {
                None => &self.start.events,
                Some(index) => &self.inputs[index as usize].events,
            };
            fold.check(number, events, recorder.game())
        })
    }

    pub(crate) fn check_ruleset(&self, program: &Program) -> Result<(), ReplayMismatch> {
        let given = RulesetName {
            id: program.id.clone(),
            version: program.version.clone(),
            hash: Hash256(program.hash),
        };
        if self.ruleset == given {
            return Ok(());
        }
        let location = MismatchLocation { field: Some("ruleset".to_owned()), ..MismatchLocation::default() };
        Err(ReplayMismatch::new(
            location,
            MismatchKind::WrongRuleset { recorded: self.ruleset.clone(), given },
        ))
    }

    /// Returns the setup of the match.
    ///
    /// # Errors
    ///
    /// If an option or a scripted roll is invalid.
    pub fn setup(&self, program: &Program) -> Result<Setup, ReplayMismatch> {
        let bad = |field: &str, problem: String| {
            let location = MismatchLocation { field: Some(field.to_owned()), ..MismatchLocation::default() };
            ReplayMismatch::new(location, MismatchKind::BadSetup { problem })
        };
        let mut options = Vec::new();
        for (name, value) in &self.options {
            let datum = from_json(value);
            let datum = datum.ok_or_else(|| {
                bad("options", format!("option `{name}` contains a number that is not an integer"))
            })?;
            options.push((name.into(), datum));
        }
        let mut script = self.script.as_ref().map(|_| DiceScript::default());
        for roll in self.script.iter().flatten() {
            let label =
                match &roll.label {
                    Some(label) => Some(program.symbol_named(label).ok_or_else(|| {
                        bad("script", format!("the ruleset has no roll labelled `{label}`"))
                    })?),
                    None => None,
                };
            if let Some(script) = &mut script {
                script.rolls.push((label, roll.faces.clone()));
            }
        }
        Ok(Setup { seats: self.seats, options, seed: Seed(self.seed.0), script })
    }
}

/// Folds the events of the file, without running the rules.
struct FoldCheck<'a> {
    program: &'a Arc<Program>,
    log_fold: LogFold,
    board: Board,
}

impl<'a> FoldCheck<'a> {
    fn new(file: &MatchFile, program: &'a Arc<Program>) -> Result<FoldCheck<'a>, ReplayMismatch> {
        file.check_ruleset(program)?;
        let location = MismatchLocation { input: Some(0), ..MismatchLocation::default() };
        let board = Board::new(program, &file.setup(program)?);
        let board = board.map_err(|error| ReplayMismatch::new(location, MismatchKind::CannotStart(error)))?;
        Ok(FoldCheck { program, log_fold: LogFold::new(Arc::clone(program)), board })
    }

    fn check(&mut self, input: u32, events: &[SavedEvent], game: &Match) -> Result<(), ReplayMismatch> {
        let mut log = EventLog::new();
        for event in events {
            let location =
                MismatchLocation { input: Some(input), event: Some(event.id), ..MismatchLocation::default() };
            log.clear();
            let folded = self.fold(&mut log, event);
            folded.map_err(|code| ReplayMismatch::new(location, MismatchKind::DoesNotFold(code)))?;
        }
        if self.board.encode(self.program) == game.board().encode(self.program) {
            return Ok(());
        }
        let location = MismatchLocation { input: Some(input), ..MismatchLocation::default() };
        Err(ReplayMismatch::new(location, MismatchKind::FoldDiffers))
    }

    fn fold(&mut self, log: &mut EventLog, event: &SavedEvent) -> Result<(), FaultCode> {
        let id = self.program.event_named(&event.event).ok_or(FaultCode::Missing)?;
        let cause = match event.cause {
            SavedCause::Input(number) => Cause::Input(number),
            SavedCause::Event(id) => Cause::Event(id),
        };
        let status = match event.status {
            SavedStatus::Applied => EventStatus::Applied,
            SavedStatus::Prevented => EventStatus::Prevented,
            SavedStatus::Failed => EventStatus::Failed,
        };
        log.append(id, event.id, cause, status, &event.words.0);
        let record = log.records()[0];
        self.log_fold.fold(&mut self.board, log, &record)
    }
}
